"""How are objects read and written? In registers, or by loads and stores of the array they are in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from gpusim.frontends.cuda_cpp import layout, types, values
from gpusim.frontends.cuda_cpp.layout import leaves, put, taken
from gpusim.frontends.cuda_cpp.types import Array, Bits, CType, Field, Pointer, Struct, bare
from gpusim.frontends.cuda_cpp.values import Address, NumberValue, Place, PointerValue, StructValue, Value
from gpusim.ir.details import CacheOperator, Part
from gpusim.ir.instructions import ArrayOperand, Constant, Opcode, Operand, Register
from gpusim.ir.types import B16, B32, B64, B128, S64, U8, U64, Scalar, Space

if TYPE_CHECKING:
    from gpusim.frontends.cuda_cpp.lowering import Lowering

MEMBERS_AT_ONCE = 16  # so many instructions may have made the members of a struct
STACK_BYTES = 8192  # of each thread, for functions that call themselves
WIDE = {2: B16, 4: B32, 8: B64, 16: B128}


# variables --------------------------------------------------------------------------------------------------


def variable(low: Lowering, name: str, type_: CType, key: Any) -> Place:
    """A new variable of this type, in registers where that is possible."""
    inner = bare(type_)
    check_complete(low, inner)
    if has_array(inner) or low.choices.get(key) == "memory":
        return Place(type_, local(low, name, type_))
    slots = {
        leaf.offset: _slot(low, f"{name}{leaf.name}", leaf.type, (key, leaf.name)) for leaf in leaves(inner)
    }
    return Place(type_, Address(values.Variable(key, slots)))


def _slot(low: Lowering, name: str, type_: CType, key: Any) -> values.Slot:
    inner, choice = bare(type_), low.choices.get(key)
    scalar = layout.scalar_of(inner)
    if scalar is None:
        raise low.wrong(f"a variable of type {type_}", "declare it as a number, pointer or struct")
    made = values.Slot(name, inner, key, Register(name, scalar), generic=is_address(inner))
    if is_address(inner) and choice != "generic":
        made.generic, made.register = False, Register(name, S64)
        made.unit = 1 if choice == "bytes" else max(inner.target.size, 1)
    low.registers.append(made.register)
    return made


def local(low: Lowering, name: str, type_: CType) -> Address:
    """Room for an object of one thread: an array of its own, or a piece of the stack."""
    active = low.activation
    return active.room(low, type_) if active else Address(storage(low, name, type_, Space.LOCAL))


def stack(low: Lowering) -> ArrayOperand:
    """What functions that call themselves keep meanwhile."""
    if "stack" not in low.dynamic:
        low.dynamic["stack"] = low.builder.reserve("stack", U8, (STACK_BYTES,), Space.LOCAL, pointer=True)
    return low.dynamic["stack"]


def storage(low: Lowering, name: str, type_: CType, space: Space, alignment: int = 1) -> ArrayOperand:
    """An array in shared or local memory; a single object is an array of one."""
    shape, inner = list[int](), bare(type_)
    while isinstance(inner, Array):
        shape.append(inner.length or 0)
        inner = bare(inner.element)
    element, aligned = layout.element_of(inner), max(alignment, type_.alignment)
    if inner.size > element.bytes:  # the bytes of a union, the words of a pointer to a method
        shape.append(inner.size // element.bytes)
    return low.builder.reserve(name, element, tuple(shape) or (1,), space, aligned, pointer=True)


def check_complete(low: Lowering, type_: CType) -> None:
    """Refuse objects of a struct of which only the name is known."""
    if isinstance(type_, Struct) and type_.fields is None:
        raise low.wrong(f"`{type_.name}` is declared, but not defined", "define its members first")


# places -----------------------------------------------------------------------------------------------------


def read(low: Lowering, result: values.Result) -> Value:
    """The value of what may be a place. Arrays become pointers to their first element."""
    if not isinstance(result, Place):
        return result
    type_, inner = result.type, bare(result.type)
    if isinstance(type_, Bits):
        return NumberValue(inner, taken(low.site, type_, _units(low, result, type_)))
    if isinstance(inner, Array):
        element = types.constant(inner.element) if types.is_const(type_) else inner.element
        return PointerValue(Pointer(element), result.address)
    return load(low, result.address, inner)


def _units(low: Lowering, place: Place, bits: Bits) -> list[Operand]:
    return [operand(low, read(low, place.part(piece.offset, piece.unit))) for piece in bits.pieces]


def write(low: Lowering, place: Place, value: Value, among_last: int = 1) -> None:
    """Assign a value of the place's own type, that was made `among_last` instructions."""
    value, type_ = low.pointed(value), place.type
    if isinstance(type_, Bits):
        changed = put(low.site, type_, _units(low, place, type_), operand(low, value))
        for piece, number in zip(type_.pieces, changed, strict=True):
            write(low, place.part(piece.offset, piece.unit), NumberValue(piece.unit, number))
    elif isinstance(place.address.region, values.Parts):
        given = value.leaves if isinstance(value, StructValue) else (value,)
        at = (place.address.shift + leaf.offset for leaf in leaves(type_))
        place.address.region.values.update(zip(at, given, strict=True))  # type: ignore[arg-type]
    elif place.in_registers:
        _assign(low, _slots(low, place.address, type_), value, among_last)
    else:
        store(low, place.address, value)


def load(low: Lowering, address: Address, type_: CType, cache: CacheOperator | None = None) -> Value:
    """What an object holds. `cache` is a cache operator of PTX."""
    inner = bare(type_)
    check_complete(low, inner)
    if isinstance(address.region, values.Parts):
        parts = [address.region.values[address.shift + leaf.offset] for leaf in leaves(inner)]
    elif address.in_registers:
        pairs = zip(_slots(low, address, inner), leaves(inner), strict=True)
        parts = [_held(low, slot, bare(leaf.type)) for slot, leaf in pairs]
    elif isinstance(inner, Struct):
        parts = list(_load_parts(low, address, inner, cache))
    else:
        scalar = layout.scalar_of(inner)
        if scalar is None:
            hint = "cast the pointer to what it points to"
            raise low.wrong(f"a value of type {type_} cannot be read", hint)
        parts = [held_in(inner, _load(low, address, scalar, cache))]
    return StructValue(inner, tuple(parts)) if isinstance(inner, Struct) else parts[0]


def store(low: Lowering, address: Address, value: Value, cache: CacheOperator | None = None) -> None:
    check_writable(low, address)
    value = low.pointed(value)
    if address.in_registers:
        _assign(low, _slots(low, address, value.type), value, 1)
    elif isinstance(value, StructValue):
        parts = iter(value.leaves)
        for offset, wide, members in chunks(value.type):
            at, given = Place(value.type, address), [next(parts) for _ in members]
            if wide is None:
                store(low, at.part(offset, members[0].type).address, given[0], cache)
            else:
                whole = low.emit(Opcode.PACK, wide, *(operand(low, part) for part in given))
                _store(low, address.moved(offset), whole, cache)
    else:
        _store(low, address, operand(low, value), cache)


def check_writable(low: Lowering, address: Address) -> None:
    """Refuse what a kernel must not write to."""
    if isinstance(address.region, ArrayOperand) and address.region.space is Space.CONSTANT:
        name = address.region.name
        if name == "texts":
            raise low.wrong("the letters of a text cannot be changed", 'copy it: char s[] = "…"')
        raise low.wrong(f"`{name}` is `__constant__`: kernels only read it", "write it from the host")


def operand(low: Lowering, value: Value) -> Operand:
    if isinstance(value, NumberValue):
        return value.operand
    if isinstance(value, PointerValue):
        return low.as_number(value.address)
    raise low.wrong(f"a value of type {value.type} where a number is needed")


# registers --------------------------------------------------------------------------------------------------


def _slots(low: Lowering, address: Address, type_: CType) -> list[values.Slot]:
    """The registers of an object; it takes memory to see several as one, or a pointer as a number."""
    assert isinstance(address.region, values.Variable)
    wanted, known = list(leaves(type_)), address.region.slots
    found = [known[at] for leaf in wanted if (at := address.shift + leaf.offset) in known]
    kinds = [(leaf.type.size, is_address(bare(leaf.type))) for leaf in wanted]
    if [(slot.type.size, is_address(slot.type)) for slot in found] != kinds:
        low.into_memory(address.region)
    return found


def _held(low: Lowering, slot: values.Slot, type_: CType) -> values.LeafValue:
    if not is_address(type_):
        return NumberValue(type_, low.bits(slot.register, layout.register_of(type_)))
    if slot.generic:
        return held_in(type_, slot.register)
    if slot.base is None:
        low.choose(slot.key, "generic")
    terms = () if slot.base.in_registers else ((slot.register, slot.unit),)
    return PointerValue(type_, Address(slot.base.region, terms, slot.base.shift))


def _assign(low: Lowering, slots: Sequence[values.Slot], value: Value, among_last: int) -> None:
    given: Sequence[Any] = (value,)
    if isinstance(value, StructValue):
        # `v = {v.y, v.x}`: what is still to be read must not be overwritten
        written = [slot.register for slot in slots] if len(slots) > 1 else []
        given = [low.kept(one) if getattr(one, "operand", None) in written else one for one in value.leaves]
        numbers = Counter(leaf.operand for leaf in given if isinstance(leaf, NumberValue))
        low.builder.hold(*(number for number, times in numbers.items() if times > 1))
        among_last = MEMBERS_AT_ONCE
    for slot, leaf in zip(slots, given, strict=True):
        if isinstance(leaf, PointerValue):
            _point(low, slot, leaf.address)
        elif isinstance(leaf, NumberValue):
            low.move(low.bits(leaf.operand, slot.register.type), slot.register, among_last)


def _point(low: Lowering, slot: values.Slot, address: Address) -> None:
    if not slot.generic and address.region is None and slot.base is None:
        low.choices[slot.key], slot.generic = "generic", True  # its first value is an address
        held = Register(slot.name, U64)
        low.registers[low.registers.index(slot.register)] = slot.register = held
    if slot.generic:
        low.move(low.as_number(address), slot.register)
        return
    base = Address(address.region, (), address.shift if address.in_registers else 0)
    slot.base = slot.base or base
    elsewhere = address.region is slot.base.region and base != slot.base
    if elsewhere and isinstance(address.region, values.Variable):
        low.into_memory(address.region)
    if address.region is None or slot.base != base:
        low.choose(slot.key, "generic")
    if address.in_registers:
        return
    index = low.scaled(address, slot.unit)
    if index is None:
        low.choose(slot.key, "bytes")
    low.move(index, slot.register)


# memory -----------------------------------------------------------------------------------------------------


def _load(low: Lowering, address: Address, scalar: Scalar, cache: CacheOperator | None) -> Register:
    if not address.packed or scalar.bytes == 1:
        return low.emit(Opcode.LOAD, scalar, place=low.access(address, scalar), detail=cache)
    letters = [_load(low, address.moved(place), U8, cache) for place in range(scalar.bytes)]
    whole = low.emit(Opcode.PACK, WIDE[scalar.bytes], *letters)
    return whole if scalar is whole.type else low.emit(Opcode.REINTERPRET, scalar, whole)


def _store(low: Lowering, address: Address, number: Operand, cache: CacheOperator | None) -> None:
    bytes_ = number.type.bytes
    if not address.packed or bytes_ == 1:
        low.builder.store(low.access(address, number.type), number, low.at, cache)
        return
    if isinstance(number, Constant):
        number = low.emit(Opcode.MOVE, number.type, number)
    wide = WIDE[bytes_]
    whole = number if number.type is wide else low.emit(Opcode.REINTERPRET, wide, number)
    low.builder.hold(whole)
    for place in range(bytes_):
        letter = low.emit(Opcode.PART, U8, whole, detail=Part(place))
        low.builder.store(low.access(address.moved(place), U8), letter, low.at, cache)


def _load_parts(
    low: Lowering, address: Address, struct: Struct, cache: CacheOperator | None
) -> Iterator[values.LeafValue]:
    for offset, wide, members in chunks(struct):
        if wide is None:
            (leaf,) = members
            at = Place(struct, address).part(offset, leaf.type).address
            yield held_in(bare(leaf.type), _load(low, at, layout.register_of(leaf.type), cache))
            continue
        whole = _load(low, address.moved(offset), wide, cache)
        low.builder.hold(whole)
        for leaf in members:
            where = Part(leaf.offset - offset)
            part = low.emit(Opcode.PART, layout.register_of(leaf.type), whole, detail=where)
            yield held_in(bare(leaf.type), part)


def chunks(struct: Struct) -> Iterator[tuple[int, Scalar | None, list[Field]]]:
    """The accesses that move a struct: first byte, the width where several members share one, and members."""
    members, width = list(leaves(struct)), min(struct.alignment, 16)
    whole = struct.vector_of is not None and width in WIDE
    for start in range(0, struct.size, width) if whole else ():
        inside = [leaf for leaf in members if start <= leaf.offset < start + width]
        if len(inside) > 1 and sum(leaf.type.size for leaf in inside) == width:
            yield start, WIDE[width], inside
            members = [leaf for leaf in members if leaf not in inside]
    yield from ((leaf.offset, None, [leaf]) for leaf in members)


def held_in(type_: CType, operand: Operand) -> values.LeafValue:
    """A number, or a pointer whose address is this."""
    if is_address(type_):
        return PointerValue(type_, values.at(operand))
    return NumberValue(type_, operand)


def is_address(type_: CType) -> TypeGuard[Pointer]:
    """Is it a pointer to an object? One to a function is a number."""
    return isinstance(type_, Pointer) and not isinstance(bare(type_.target), types.FunctionType)


def has_array(type_: CType) -> bool:
    """Is there an array or a union in it? Then it lives in memory."""
    inner = bare(type_)
    if isinstance(inner, Array):
        return True
    if isinstance(inner, Struct):
        return inner.is_union or any(has_array(member.type) for member in inner.fields or ())
    return False
