"""What do operators do? Arithmetic and comparisons of numbers, and arithmetic of pointers."""

from __future__ import annotations

from dataclasses import replace

from gpusim.frontends import fold
from gpusim.frontends.cuda_cpp import types, values
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.types import BOOL, INT, LONG, Bits, FunctionType, Number, Pointer, Struct, bare
from gpusim.frontends.cuda_cpp.values import Address, NumberValue, Place, PointerValue, StructValue, Value
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import PRED, S64

ARITHMETIC = {
    "+": Opcode.ADD, "-": Opcode.SUB, "*": Opcode.MUL, "/": Opcode.DIV, "%": Opcode.MOD_TRUNC,
    "&": Opcode.AND, "|": Opcode.OR, "^": Opcode.XOR, "<<": Opcode.SHL, ">>": Opcode.SHR,
}  # fmt: skip
COMPARISONS = {
    "==": Opcode.EQ, "!=": Opcode.NE, "<": Opcode.LT, "<=": Opcode.LE, ">": Opcode.GT, ">=": Opcode.GE,
}  # fmt: skip


def binary(low: Lowering, sign: str, left: Value, right: Value, type_: Number) -> Value:
    """`left sign right` in `type_`, which both have been converted to; a shift has that of its left side."""
    if isinstance(left, PointerValue) or isinstance(right, PointerValue):
        return _pointers(low, sign, left, right)
    if not isinstance(left, NumberValue) or not isinstance(right, NumberValue):
        raise low.refused(f"`{sign}` of `{left.type}` and `{right.type}`")
    scalar = INT.scalar if type_ is BOOL and sign not in COMPARISONS else type_.scalar
    one, other = low.cast(left.operand, scalar), low.cast(right.operand, scalar)
    if sign in COMPARISONS:
        return NumberValue(BOOL, fold.compared(low.site, COMPARISONS[sign], one, other))
    # a distance of a shift that is negative or too far leaves 0, or the sign: what PTX says, and NumPy does
    return NumberValue(type_, low.cast(computed(low, sign, one, other), type_.scalar))


def computed(low: Lowering, sign: str, one: Operand, other: Operand) -> Operand:
    """One operator of two numbers of one type."""
    whole = sign == "/" and one.type.is_integer
    return fold.computed(low.site, Opcode.DIV_TRUNC if whole else ARITHMETIC[sign], one, other)


def unary(low: Lowering, sign: str, value: Value, type_: Number) -> Value:
    """`-x`, `+x` or `~x` of a number that was promoted already."""
    if isinstance(value, PointerValue | values.FunctionValue) or isinstance(bare(value.type), Pointer):
        return value
    assert isinstance(value, NumberValue)
    operand = low.cast(value.operand, type_.scalar)
    if sign != "+":
        operand = fold.computed(low.site, Opcode.NEG if sign == "-" else Opcode.NOT, operand)
    return NumberValue(type_, operand)


def _pointers(low: Lowering, sign: str, left: Value, right: Value) -> Value:
    if sign in COMPARISONS:
        return compared_pointers(low, sign, left, right)
    if sign == "-" and isinstance(left, PointerValue) and isinstance(right, PointerValue):
        size = left.type.target.size
        known = _distances(low, left, right, size)
        if known is not None:
            return NumberValue(LONG, computed(low, "-", *known))
        one, other = (low.cast(low.as_number(side.address), S64) for side in (left, right))
        bytes_ = computed(low, "-", one, other)
        return NumberValue(LONG, computed(low, "/", bytes_, fold.constant(size, S64)))
    if sign == "+" and isinstance(right, PointerValue):
        left, right = right, left
    if isinstance(left, PointerValue) and isinstance(right, NumberValue):
        index = right.operand
        if sign == "-":
            index = fold.computed(low.site, Opcode.NEG, low.cast(index, S64))
        return PointerValue(left.type, advanced(low, left, index))
    raise low.refused(f"`{sign}` of `{left.type}` and `{right.type}`")


def advanced(low: Lowering, pointer: PointerValue, index: Operand) -> Address:
    """The address of element `index` from a pointer."""
    address, target = pointer.address, pointer.type.target
    inner = bare(target)
    if isinstance(inner, FunctionType) or (isinstance(inner, Struct) and inner.fields is None):
        raise low.wrong(f"`{pointer.type}` cannot be indexed: it points to no object of a known size")
    if index.type is PRED:
        index = low.cast(index, INT.scalar)
    if isinstance(index, Constant):
        return address.moved(index.value * target.size)
    if isinstance(address.region, values.Variable):
        low.into_memory(address.region)
    return replace(address, terms=(*address.terms, (index, target.size)))


def _distances(
    low: Lowering, left: PointerValue, right: PointerValue, size: int
) -> tuple[Operand, Operand] | None:
    """How far are two pointers from the start of one array? None where these are two."""
    one, other = left.address, right.address
    if one.region is None or one.region is not other.region:
        return None
    first, second = (low.scaled(address, size) for address in (one, other))
    return None if first is None or second is None else (low.cast(first, S64), low.cast(second, S64))


def compared_pointers(low: Lowering, sign: str, left: Value, right: Value) -> NumberValue:
    opcode, one, other = COMPARISONS[sign], as_pointer(low, left), as_pointer(low, right)
    for side, rest in ((one, other), (other, one)):
        if rest.address.is_null and side.address.in_registers and sign in ("==", "!="):
            return NumberValue(BOOL, Constant(sign == "!=", PRED))  # a variable is somewhere
    for size in (one.type.target.size, 1):
        if distances := _distances(low, one, other, size):
            return NumberValue(BOOL, fold.compared(low.site, opcode, *distances))
    numbers = (low.as_number(side.address) for side in (one, other))
    return NumberValue(BOOL, fold.compared(low.site, opcode, *numbers))


def as_pointer(low: Lowering, value: Value) -> PointerValue:
    """A pointer, a null constant, or the number of a function."""
    if isinstance(value, PointerValue):
        return value
    if isinstance(value, NumberValue):
        return PointerValue(types.NULLPTR, values.at(value.operand))
    raise low.refused(f"a comparison of a pointer and `{value.type}`")


def selected(low: Lowering, flag: Operand, one: Value, other: Value) -> Value:
    """One of two values of one type, both computed."""
    if isinstance(one, NumberValue) and isinstance(other, NumberValue):
        return NumberValue(one.type, fold.select(low.site, flag, one.operand, other.operand))
    if isinstance(one, PointerValue) or isinstance(other, PointerValue):
        first, second = as_pointer(low, one), as_pointer(low, other)
        kind = second.type if first.address.is_null else first.type
        return PointerValue(kind, selected_address(low, flag, first, second))
    if not isinstance(one, StructValue) or not isinstance(other, StructValue):
        raise low.refused(f"`? :` of `{one.type}` and `{other.type}`")
    parts = (selected(low, flag, *pair) for pair in zip(one.leaves, other.leaves, strict=True))
    return StructValue(one.type, tuple(parts))  # type: ignore[arg-type]


def selected_address(low: Lowering, flag: Operand, one: PointerValue, other: PointerValue) -> Address:
    """One of two addresses: an index where both are of one array."""
    unit, address = one.type.target.size, one.address
    if not address.in_registers and (known := _distances(low, one, other, unit)):
        return Address(address.region, ((fold.select(low.site, flag, *known), unit),))
    first, second = (low.as_number(side.address) for side in (one, other))
    return Address(None, ((fold.select(low.site, flag, first, second), 1),))


def pointee(pointer: PointerValue) -> Place:
    return Place(pointer.type.target, pointer.address)


def address_of(low: Lowering, place: Place) -> PointerValue:
    if isinstance(place.type, Bits):
        raise low.wrong("a bit-field has no address", "copy it into a variable")
    return PointerValue(Pointer(place.type), place.address)
