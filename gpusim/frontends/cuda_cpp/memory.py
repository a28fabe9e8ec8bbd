"""How are objects read and written? In registers, or by loads and stores of the array they are in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard

from gpusim.frontends.cuda_cpp import layout, types, values
from gpusim.frontends.cuda_cpp.addresses import Addresses
from gpusim.frontends.cuda_cpp.bit_fields import put, taken
from gpusim.frontends.cuda_cpp.layout import leaves, scalar_of
from gpusim.frontends.cuda_cpp.types import Array, CType, Pointer, Struct, bare
from gpusim.ir.details import CacheOperator, Part
from gpusim.ir.instructions import ArrayOperand, Opcode, Operand, Register
from gpusim.ir.types import B16, B32, B64, B128, S64, U8, U64, Scalar, Space
from gpusim.source import Span

if TYPE_CHECKING:
    from gpusim.frontends.cuda_cpp.recursion import Activation

MEMBERS_AT_ONCE = 16  # so many instructions may have made the members of a struct
STACK_BYTES = 8192  # of each thread, for functions that call themselves
WIDE = {2: B16, 4: B32, 8: B64, 16: B128}


class Memory(Addresses):
    """Reads and writes places, and does the arithmetic of addresses."""

    # variables --------------------------------------------------------------------------------------------

    def variable(self, name: str, type_: CType, key: Any) -> values.Place:
        """A new variable of this type, in registers where that is possible."""
        inner = bare(type_)
        in_memory = isinstance(inner, Array) or self.choices.get(key) == "memory"
        if isinstance(inner, Struct):
            self.check_complete(inner)
            in_memory |= has_array(inner)
        if in_memory:
            return values.MemoryPlace(type_, self.local(name, type_))
        if isinstance(inner, Struct):
            parts = [(f"{name}{leaf.path}", leaf.type, (key, leaf.path)) for leaf in leaves(inner)]
            places = tuple(self._register(*part, key) for part in parts)
            self.structs[key] = whole = values.StructPlace(type_, places, key)
            return whole
        return self._register(name, type_, key, key)

    def _register(self, name: str, type_: CType, key: Any, owner: Any) -> values.RegisterPlace:
        inner, choice = bare(type_), self.choices.get(key)
        variable = values.Variable(name, inner, key, owner=owner)
        if is_address(inner) and choice != "generic":
            variable.unit = 1 if choice == "bytes" else max(inner.target.size, 1)
            variable.register = Register(name, S64)
        else:
            variable.generic, scalar = is_address(inner), scalar_of(inner)
            if scalar is None:
                raise self.wrong(f"a variable of type {type_}", "declare it as a number, pointer or struct")
            variable.register = Register(name, scalar)
        self.registers.append(variable.register)
        return values.RegisterPlace(type_, variable)

    @property
    def activation(self) -> Activation | None:
        """The innermost function that calls itself and is being lowered."""
        return next(reversed(self.activations.values()), None)

    @property
    def stack(self) -> ArrayOperand:
        """What functions that call themselves keep meanwhile."""
        if "stack" not in self.dynamic:
            stack = self.builder.reserve("stack", U8, (STACK_BYTES,), Space.LOCAL)
            self.dynamic["stack"] = replace(stack, pointer=True)
        return self.dynamic["stack"]

    def local(self, name: str, type_: CType) -> values.Address:
        """Room for an object of one thread: an array of its own, or a piece of the stack."""
        active: Any = self.activation
        return active.room(self, type_) if active else values.Address(self.storage(name, type_, Space.LOCAL))

    def storage(self, name: str, type_: CType, space: Space, alignment: int = 1) -> ArrayOperand:
        """An array in shared or local memory; a single object is an array of one."""
        shape, inner = list[int](), bare(type_)
        while isinstance(inner, Array):
            shape.append(inner.length or 0)
            inner = bare(inner.element)
        element = layout.element_of(inner)
        if isinstance(inner, Struct) and inner.is_union:
            shape.append(inner.size)
        aligned = max(alignment, type_.alignment)
        reserved = self.builder.reserve(name, element, tuple(shape) or (1,), space, aligned)
        return replace(reserved, pointer=True)

    # reading and writing ----------------------------------------------------------------------------------

    def read(self, result: values.Result, span: Span) -> values.Value:
        """The value of what may be a place. Arrays become pointers to their first element."""
        match result:
            case values.RegisterPlace(type_, variable):
                return self._read_variable(variable, bare(type_))
            case values.StructPlace(type_, parts):
                struct = bare(type_)
                assert isinstance(struct, Struct)
                return values.StructValue(struct, tuple(self._leaf(self.read(part, span)) for part in parts))
            case values.MemoryPlace(type_, address):
                inner = bare(type_)
                if isinstance(inner, Array):
                    element = types.constant(inner.element) if types.is_const(type_) else inner.element
                    return values.PointerValue(Pointer(element), address)
                return self.load(address, inner, span)
            case values.BitPlace(type_, bits, units):
                return values.NumberValue(bare(type_), taken(self.site(span), bits, self._units(units, span)))
        return result

    def _units(self, units: tuple[values.Place, ...], span: Span) -> list[Operand]:
        return [self.operand(self.read(unit, span), span) for unit in units]

    @staticmethod
    def _leaf(value: values.Value) -> values.LeafValue:
        assert isinstance(value, values.NumberValue | values.PointerValue)
        return value

    def _read_variable(self, variable: values.Variable, type_: CType) -> values.Value:
        assert variable.register is not None
        if not is_address(type_):
            return values.NumberValue(type_, variable.register)
        if variable.generic:
            return held_in(type_, variable.register)
        if variable.region is None:
            self.choose(variable.key, "generic")
        in_array = isinstance(variable.region, ArrayOperand)
        terms = ((variable.register, variable.unit),) if in_array else ()
        return values.PointerValue(type_, values.Address(variable.region, terms))

    def write(self, place: values.Place, value: values.Value, span: Span, among_last: int = 1) -> None:
        """Assign a value of the place's own type, that was made `among_last` instructions."""
        match place:
            case values.RegisterPlace(_, variable):
                if isinstance(value, values.PointerValue):
                    self._write_pointer(variable, value.address, span)
                elif isinstance(value, values.NumberValue):
                    assert variable.register is not None
                    self.move(value.operand, variable.register, span, among_last)
            case values.StructPlace(_, parts):
                assert isinstance(value, values.StructValue)
                given = [self._kept(leaf, parts) for leaf in value.leaves]
                numbers = Counter(leaf.operand for leaf in given if isinstance(leaf, values.NumberValue))
                self.builder.hold(*(number for number, times in numbers.items() if times > 1))
                for part, leaf in zip(parts, given, strict=True):
                    self.write(part, leaf, span, among_last=MEMBERS_AT_ONCE)
            case values.MemoryPlace(_, address):
                self.store(address, value, span)
            case values.BitPlace(_, bits, units):
                changed = put(self.site(span), bits, self._units(units, span), self.operand(value, span))
                for unit, number in zip(units, changed, strict=True):
                    self.write(unit, values.NumberValue(bare(unit.type), number), span)

    def _kept(self, leaf: values.LeafValue, parts: tuple[values.RegisterPlace, ...]) -> values.LeafValue:
        """`v = {v.y, v.x}`: what is still to be read must not be overwritten."""
        if len(parts) == 1 or not isinstance(leaf, values.NumberValue):
            return leaf
        overwritten = any(leaf.operand == part.variable.register for part in parts)
        return values.NumberValue(leaf.type, self.copied(leaf.operand)) if overwritten else leaf

    def _write_pointer(self, variable: values.Variable, address: values.Address, span: Span) -> None:
        assert variable.register is not None
        if not variable.generic and address.region is None and variable.region is None:
            self.choices[variable.key], variable.generic = "generic", True  # its first value is an address
            held = Register(variable.name, U64)
            self.registers[self.registers.index(variable.register)] = variable.register = held
        if variable.generic:
            self.move(self.as_number(address, span), variable.register, span)
            return
        variable.region = variable.region or address.region
        if address.region is None or variable.region != address.region:
            self.choose(variable.key, "generic")
        if not isinstance(address.region, ArrayOperand):
            if address.terms or address.shift:
                self.into_memory(address.region)
            return
        index = self.scaled(address, variable.unit, span)
        if index is None:
            self.choose(variable.key, "bytes")
        self.move(index, variable.register, span)

    # memory -----------------------------------------------------------------------------------------------

    def load(
        self, address: values.Address, type_: CType, span: Span, cache: CacheOperator | None = None
    ) -> values.Value:
        """What an object in memory holds. `cache` is a cache operator of PTX."""
        inner = bare(type_)
        if isinstance(address.region, values.RegisterPlace | values.StructPlace):
            return self._load_register(address, inner, span)
        if isinstance(inner, Struct):
            self.check_complete(inner)
            return values.StructValue(inner, tuple(self._load_parts(address, inner, span, cache)))
        scalar = scalar_of(inner)
        if scalar is None:
            hint = "cast the pointer to what it points to"
            raise self.wrong(f"a value of type {type_} cannot be read", hint)
        return held_in(inner, self._load(address, scalar, span, cache))

    def _load(
        self, address: values.Address, scalar: Scalar, span: Span, cache: CacheOperator | None
    ) -> Register:
        place = self.access(address, scalar, span)
        return self.builder.value(Opcode.LOAD, scalar, (), span, place=place, detail=cache)

    def check_complete(self, struct: Struct) -> None:
        """Refuse objects of a struct of which only the name is known."""
        if struct.fields is None:
            raise self.wrong(f"`{struct.name}` is declared, but not defined", "define its members first")

    def _load_parts(
        self, address: values.Address, struct: Struct, span: Span, cache: CacheOperator | None
    ) -> Iterator[values.LeafValue]:
        for offset, wide, members in chunks(struct):
            if wide is None:
                yield self._leaf(self.load(address.moved(offset), members[0].type, span, cache))
                continue
            whole = self._load(address.moved(offset), wide, span, cache)
            self.builder.hold(whole)
            for leaf in members:
                scalar, where = layout.register_of(leaf.type), Part(leaf.offset - offset)
                part = self.builder.value(Opcode.PART, scalar, (whole,), span, detail=where)
                yield held_in(bare(leaf.type), part)

    def _load_register(self, address: values.Address, type_: CType, span: Span) -> values.Value:
        """What a pointer to a variable in a register points to."""
        place = self.spot(address, type_)
        if place is not None:
            value = self.read(place, span)
            if types.without_const(value.type or types.VOID) == types.without_const(type_):
                return value
            scalar = scalar_of(type_)
            if isinstance(value, values.NumberValue) and scalar is not None:
                return values.NumberValue(type_, self.bits(value.operand, scalar, span))
        assert not isinstance(address.region, ArrayOperand)
        return self.into_memory(address.region)

    def store(
        self, address: values.Address, value: values.Value, span: Span, cache: CacheOperator | None = None
    ) -> None:
        """Write an object to memory."""
        self.check_writable(address, span)
        if isinstance(address.region, values.RegisterPlace | values.StructPlace):
            place = self.spot(address, value.type or types.VOID)
            if place is None:
                self.into_memory(address.region)
            if isinstance(value, values.NumberValue) and isinstance(place, values.RegisterPlace):
                operand = self.bits(value.operand, layout.register_of(place.type), span)
                value = values.NumberValue(bare(place.type), operand)
            self.write(place, value, span)
            return
        if isinstance(value, values.StructValue):
            self._store_parts(address, value, span, cache)
            return
        operand = self.operand(self.pointed(value), span)
        self.builder.store(self.access(address, operand.type, span), operand, span, cache)

    def pointed(self, value: values.Value) -> values.Value:
        """A text as a pointer to its letters."""
        return value

    def check_writable(self, address: values.Address, span: Span) -> None:
        """Refuse what a kernel must not write to."""
        if isinstance(address.region, ArrayOperand) and address.region.space is Space.CONSTANT:
            name = address.region.name
            if name == "texts":
                raise self.wrong("the letters of a text cannot be changed", 'copy it: char s[] = "…"')
            raise self.wrong(f"`{name}` is `__constant__`: kernels only read it", "write it from the host")

    def _store_parts(
        self, address: values.Address, value: values.StructValue, span: Span, cache: CacheOperator | None
    ) -> None:
        parts = iter(value.leaves)
        for offset, wide, members in chunks(value.type):
            given = [next(parts) for _ in members]
            if wide is None:
                self.store(address.moved(offset), given[0], span, cache)
                continue
            numbers = tuple(self.operand(part, span) for part in given)
            packed = self.builder.value(Opcode.PACK, wide, numbers, span)
            self.builder.store(self.access(address.moved(offset), wide, span), packed, span, cache)

    def operand(self, value: values.Value, span: Span) -> Operand:
        """A number, enumerator or pointer as one operand."""
        if isinstance(value, values.NumberValue):
            return value.operand
        if isinstance(value, values.PointerValue):
            return self.as_number(value.address, span)
        raise self.wrong(f"a value of type {value.type} where a number is needed")


def chunks(struct: Struct) -> list[tuple[int, Scalar | None, list[layout.Leaf]]]:
    """The accesses that move a struct: first byte, the width where several members share one, and members."""
    members = list(leaves(struct))
    width = min(struct.alignment, 16)
    if struct.vector_of is None or width not in WIDE:
        return [(leaf.offset, None, [leaf]) for leaf in members]
    found: list[tuple[int, Scalar | None, list[layout.Leaf]]] = []
    for start in range(0, struct.size, width):
        inside = [leaf for leaf in members if start <= leaf.offset < start + width]
        if len(inside) > 1 and sum(leaf.type.size for leaf in inside) == width:
            found.append((start, WIDE[width], inside))
        else:
            found += [(leaf.offset, None, [leaf]) for leaf in inside]
    return found


def held_in(type_: CType, operand: Operand) -> values.LeafValue:
    """A number, or a pointer whose address is this."""
    return (
        values.PointerValue(type_, values.Address(None, ((operand, 1),)))
        if is_address(type_)
        else values.NumberValue(type_, operand)
    )


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
