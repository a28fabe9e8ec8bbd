"""What do operators do? Arithmetic and comparisons of numbers, and arithmetic of pointers."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpusim.frontends import fold
from gpusim.frontends.cuda_cpp import layout, types, values
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.types import BOOL, INT, LONG, FunctionType, Number, Pointer, Struct, bare
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.operations import OPERATORS
from gpusim.ir.types import PRED, S64, Scalar

ARITHMETIC = {
    "+": Opcode.ADD, "-": Opcode.SUB, "*": Opcode.MUL, "/": Opcode.DIV, "%": Opcode.MOD_TRUNC,
    "&": Opcode.AND, "|": Opcode.OR, "^": Opcode.XOR, "<<": Opcode.SHL, ">>": Opcode.SHR,
}  # fmt: skip
COMPARISONS = {
    "==": Opcode.EQ, "!=": Opcode.NE, "<": Opcode.LT, "<=": Opcode.LE, ">": Opcode.GT, ">=": Opcode.GE,
}  # fmt: skip


def binary(low: Lowering, sign: str, left: values.Value, right: values.Value, type_: Number) -> values.Value:
    """`left sign right` in `type_`, which both have been converted to; a shift has that of its left side."""
    if isinstance(left, values.PointerValue) or isinstance(right, values.PointerValue):
        return _pointers(low, sign, left, right)
    if not isinstance(left, values.NumberValue) or not isinstance(right, values.NumberValue):
        raise low.refused(f"`{sign}` of `{left.type}` and `{right.type}`")
    scalar, span = type_.scalar, low.at
    if sign in ("<<", ">>"):
        return _shift(low, sign, left, right, type_)
    if scalar is PRED and sign not in COMPARISONS:
        scalar = INT.scalar
    one, other = low.cast(left.operand, scalar, span), low.cast(right.operand, scalar, span)
    if sign in COMPARISONS:
        return values.NumberValue(BOOL, fold.compared(low.site(span), COMPARISONS[sign], one, other))
    return values.NumberValue(type_, low.cast(computed(low, sign, scalar, one, other), type_.scalar, span))


def computed(low: Lowering, sign: str, scalar: Scalar, one: Operand, other: Operand) -> Operand:
    """One operator in one type; constants are folded."""
    if isinstance(one, Constant) and isinstance(other, Constant):
        known = folded(sign, one.value, other.value, scalar)
        if known is not None:
            return known
    opcode = Opcode.DIV_TRUNC if sign == "/" and scalar.is_integer else ARITHMETIC[sign]
    return low.builder.value(opcode, scalar, (one, other), low.at)


def _shift(
    low: Lowering, sign: str, left: values.NumberValue, right: values.NumberValue, type_: Number
) -> values.NumberValue:
    one = low.cast(left.operand, type_.scalar, low.at)
    # a distance that is negative or too far leaves 0, or the sign: what PTX says, and NumPy does
    other = low.cast(right.operand, type_.scalar, low.at)
    if isinstance(one, Constant) and isinstance(other, Constant) and other.value >= 0:
        distance = min(other.value, type_.scalar.bits)
        number = one.value << distance if sign == "<<" else one.value >> distance
        return values.NumberValue(type_, fold.constant(number, type_.scalar))
    return values.NumberValue(type_, low.builder.value(ARITHMETIC[sign], type_.scalar, (one, other), low.at))


def unary(low: Lowering, sign: str, value: values.Value, type_: Number) -> values.Value:
    """`-x`, `+x` or `~x` of a number that was promoted already."""
    if isinstance(value, values.PointerValue | values.FunctionValue) or isinstance(bare(value.type), Pointer):
        return value
    assert isinstance(value, values.NumberValue)
    operand = low.cast(value.operand, type_.scalar, low.at)
    if sign == "+":
        return values.NumberValue(type_, operand)
    return values.NumberValue(type_, _negated(low, Opcode.NEG if sign == "-" else Opcode.NOT, operand))


def _negated(low: Lowering, opcode: Opcode, operand: Operand) -> Operand:
    if isinstance(operand, Constant):
        known = -operand.value if opcode is Opcode.NEG else ~operand.value
        return fold.constant(known, operand.type)
    return low.builder.value(opcode, operand.type, (operand,), low.at)


def folded(sign: str, one: Any, other: Any, scalar: Scalar) -> Constant | None:
    """The result of constants, wrapped around or rounded; None to leave it to the machine."""
    if scalar.is_float:
        kind = scalar.dtype.type
        with np.errstate(all="ignore"):
            pair = kind(one), kind(other)
            if sign == "/":
                return Constant(np.divide(*pair).item(), scalar)
            known = OPERATORS.get(ARITHMETIC[sign])
            return Constant(known(*pair).item(), scalar) if known else None
    if sign in ("/", "%"):
        if other == 0:
            return None
        quotient = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)
        return fold.constant(quotient if sign == "/" else one - quotient * other, scalar)
    return fold.constant(OPERATORS[ARITHMETIC[sign]](int(one), int(other)), scalar)


# pointers ---------------------------------------------------------------------------------------------------


def _pointers(low: Lowering, sign: str, left: values.Value, right: values.Value) -> values.Value:
    if sign in COMPARISONS:
        return compared_pointers(low, sign, left, right)
    if sign == "-" and isinstance(left, values.PointerValue) and isinstance(right, values.PointerValue):
        size = left.type.target.size
        known = _distances(low, left, right, size)
        if known is not None:
            return values.NumberValue(LONG, computed(low, "-", S64, *known))
        one, other = (low.cast(low.as_number(side.address, low.at), S64, low.at) for side in (left, right))
        bytes_ = computed(low, "-", S64, one, other)
        return values.NumberValue(LONG, computed(low, "/", S64, bytes_, fold.constant(size, S64)))
    if sign == "+" and isinstance(right, values.PointerValue):
        left, right = right, left
    if isinstance(left, values.PointerValue) and isinstance(right, values.NumberValue):
        index = right.operand
        if sign == "-":
            index = _negated(low, Opcode.NEG, low.cast(index, S64, low.at))
        return values.PointerValue(left.type, advanced(low, left, index))
    raise low.refused(f"`{sign}` of `{left.type}` and `{right.type}`")


def advanced(low: Lowering, pointer: values.PointerValue, index: Operand) -> values.Address:
    """The address of element `index` from a pointer."""
    address, target = pointer.address, pointer.type.target
    inner = bare(target)
    if isinstance(inner, FunctionType) or (isinstance(inner, Struct) and inner.fields is None):
        raise low.wrong(f"`{pointer.type}` cannot be indexed: it points to no object of a known size")
    if index.type is PRED:
        index = low.cast(index, INT.scalar, low.at)
    if isinstance(index, Constant):
        return address.moved(index.value * target.size)
    if isinstance(address.region, values.RegisterPlace | values.StructPlace):
        low.into_memory(address.region)
    return values.Address(address.region, (*address.terms, (index, target.size)), address.shift)


def _distances(
    low: Lowering, left: values.PointerValue, right: values.PointerValue, size: int
) -> tuple[Operand, Operand] | None:
    """How far are two pointers from the start of one array? None where these are two."""
    one, other = left.address, right.address
    if one.region is None or one.region is not other.region:
        return None
    first, second = (low.scaled(address, size, low.at) for address in (one, other))
    if first is None or second is None:
        return None
    return low.cast(first, S64, low.at), low.cast(second, S64, low.at)


def compared_pointers(
    low: Lowering, sign: str, left: values.Value, right: values.Value
) -> values.NumberValue:
    """`p == q`, `p < q`, `p != nullptr`."""
    span, opcode = low.at, COMPARISONS[sign]
    one, other = as_pointer(low, left), as_pointer(low, right)
    for side, rest in ((one, other), (other, one)):
        held = isinstance(side.address.region, values.RegisterPlace | values.StructPlace)
        if rest.address.is_null and held and sign in ("==", "!="):
            return values.NumberValue(BOOL, Constant(sign == "!=", PRED))  # a variable is somewhere
    for size in (one.type.target.size, 1):
        distances = _distances(low, one, other, size)
        if distances is not None:
            return values.NumberValue(BOOL, fold.compared(low.site(span), opcode, *distances))
    first, second = (low.as_number(side.address, span) for side in (one, other))
    return values.NumberValue(BOOL, fold.compared(low.site(span), opcode, first, second))


def as_pointer(low: Lowering, value: values.Value) -> values.PointerValue:
    """A pointer, a null constant, or the number of a function."""
    if isinstance(value, values.PointerValue):
        return value
    if isinstance(value, values.NumberValue):
        null = value.operand == Constant(0, value.operand.type)
        return values.PointerValue(
            types.NULLPTR, values.NULL if null else values.Address(None, ((value.operand, 1),))
        )
    raise low.refused(f"a comparison of a pointer and `{value.type}`")


def selected(low: Lowering, flag: Operand, one: values.Value, other: values.Value) -> values.Value:
    """One of two values of one type, both computed."""
    if isinstance(one, values.NumberValue) and isinstance(other, values.NumberValue):
        return values.NumberValue(one.type, fold.select(low.site(low.at), flag, one.operand, other.operand))
    if isinstance(one, values.PointerValue) or isinstance(other, values.PointerValue):
        first, second = as_pointer(low, one), as_pointer(low, other)
        kind = second.type if first.address.is_null else first.type
        return values.PointerValue(kind, selected_address(low, flag, first, second))
    leaves, rest = getattr(one, "leaves", None), getattr(other, "leaves", None)
    if leaves is None or rest is None:
        raise low.refused(f"`? :` of `{one.type}` and `{other.type}`")
    parts = (selected(low, flag, *pair) for pair in zip(leaves, rest, strict=True))
    return type(one)(one.type, tuple(parts))  # type: ignore[call-arg, arg-type]


def selected_address(
    low: Lowering, flag: Operand, one: values.PointerValue, other: values.PointerValue
) -> values.Address:
    """One of two addresses: an index where both are of one array."""
    unit, span, region = one.type.target.size, low.at, one.address.region
    known = (
        None
        if isinstance(region, values.RegisterPlace | values.StructPlace)
        else _distances(low, one, other, unit)
    )
    if known is not None:
        return values.Address(region, ((fold.select(low.site(span), flag, *known), unit),))
    first, second = (low.as_number(side.address, span) for side in (one, other))
    return values.Address(None, ((fold.select(low.site(span), flag, first, second), 1),))


def pointee(low: Lowering, pointer: values.PointerValue) -> values.Place:
    """The object that a pointer points to."""
    target, address = pointer.type.target, pointer.address
    if isinstance(address.region, values.RegisterPlace | values.StructPlace):
        found = low.spot(address, target)
        if found is not None and types.same_apart_from_const(bare(found.type), bare(target)):
            return found
    return values.MemoryPlace(target, address)


def address_of(low: Lowering, place: values.Place) -> values.PointerValue:
    """A pointer to an object."""
    if isinstance(place, values.MemoryPlace):
        return values.PointerValue(Pointer(place.type), place.address)
    if isinstance(place, values.RegisterPlace) and place.variable.owner is not place.variable.key:
        # a member of a struct: the address is that of the struct, and some bytes
        whole = low.structs.get(place.variable.owner)
        if whole is not None:
            pairs = zip(whole.leaves, layout.leaves(whole.type), strict=True)
            offset = next(leaf.offset for part, leaf in pairs if part.variable is place.variable)
            return values.PointerValue(Pointer(place.type), values.Address(whole, (), offset))
    if isinstance(place, values.BitPlace):
        raise low.wrong("a bit-field has no address", "copy it into a variable")
    return values.PointerValue(Pointer(place.type), values.Address(place))
