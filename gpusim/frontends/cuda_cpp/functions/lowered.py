"""What do families of built-in functions share? The operands of their arguments, and single instructions."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gpusim.errors import UnsupportedConstruct
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.types import CType, Struct
from gpusim.frontends.cuda_cpp.values import Address, NumberValue, PointerValue, StructValue, Value
from gpusim.ir.details import Callee
from gpusim.ir.instructions import Constant, Kind, Opcode, Operand
from gpusim.ir.types import PRED, Scalar

# gives the value, or the operand of a number, or None for `void`
Family = Callable[[Lowering, Builtin, list[Value]], Value | Operand | None]


def operand_of(value: Value) -> Operand:
    """The register or constant of a number."""
    assert isinstance(value, NumberValue), value
    return value.operand


def operands_of(values: Iterable[Value]) -> list[Operand]:
    """The registers and constants of all numbers, also of those in vectors."""
    return [operand_of(leaf) for value in values for leaf in getattr(value, "leaves", (value,))]


def address_of(value: Value) -> Address:
    """Where a pointer points to."""
    assert isinstance(value, PointerValue), value
    return value.address


def vector(type_: CType, operands: Iterable[Operand]) -> StructValue:
    """A vector of these numbers."""
    assert isinstance(type_, Struct)
    assert type_.vector_of
    return StructValue(type_, tuple(NumberValue(type_.vector_of, operand) for operand in operands))


def emit(low: Lowering, opcode: Opcode, one: Operand, *others: Operand | int) -> Operand:
    """An instruction in the type of its first operand; an int is a constant of that type."""
    given = (Constant(other, one.type) if isinstance(other, int) else other for other in others)
    made = PRED if opcode.kind is Kind.COMPARE else one.type
    return low.builder.value(opcode, one.type, (one, *given), low.at, result=made)


def computed(
    low: Lowering, what: Opcode | str | None, scalar: Scalar, given: list[Operand], result: Scalar
) -> Operand:
    """An opcode in the type `scalar`, a function of the library that gives a `result`, or a conversion."""
    if isinstance(what, str):
        return low.builder.value(Opcode.CALL, result, tuple(given), low.at, detail=Callee(what))
    if what is None:
        return low.cast(given[0], result, low.at)
    if what is Opcode.EXPONENT:
        return low.builder.value(what, result, tuple(given), low.at)
    made = PRED if what.kind is Kind.COMPARE else scalar
    value = low.builder.value(what, scalar, tuple(given), low.at, result=made)
    return value if made is result else low.cast(value, result, low.at)


def require(low: Lowering, what: str, since: tuple[int, int], instead: str = "") -> None:
    """Refuse what the device is too old for."""
    capability = low.device.compute_capability
    if capability is not None and capability < since:
        hint = f"it needs compute capability {since[0]}.{since[1]}{instead}"
        raise UnsupportedConstruct(f"{what} on {low.device.name}", low.at, hint)
