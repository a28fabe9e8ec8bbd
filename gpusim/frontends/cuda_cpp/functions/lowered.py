"""What do families of built-in functions share? The operands of a call, and single instructions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from gpusim.errors import UnsupportedConstruct
from gpusim.frontends.cuda_cpp import lowering, types
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.values import Address, NumberValue, PointerValue, StructValue, Value
from gpusim.frontends.site import Site
from gpusim.ir.details import Callee
from gpusim.ir.instructions import Constant, Kind, Opcode, Operand
from gpusim.ir.types import PRED, Scalar


class Call(NamedTuple):
    """A call of a built-in function, and its arguments, which have the types of its parameters already."""

    low: lowering.Lowering
    builtin: Builtin
    values: list[Value]

    @property
    def given(self) -> list[Operand]:
        """The registers and constants of the arguments that are numbers, or vectors of them."""
        leaves = (leaf for value in self.values for leaf in getattr(value, "leaves", (value,)))
        return [leaf.operand for leaf in leaves if isinstance(leaf, NumberValue)]

    @property
    def address(self) -> Address:
        return next(value.address for value in self.values if isinstance(value, PointerValue))

    @property
    def site(self) -> Site:
        return self.low.site

    @property
    def detail(self) -> Any:
        return self.builtin.detail

    @property
    def scalar(self) -> Scalar:
        return self.builtin.scalar

    def emit(self, opcode: Opcode, one: Operand, *others: Operand | int) -> Operand:
        """An instruction in the type of its first operand; an int is a constant of that type."""
        given = (Constant(other, one.type) if isinstance(other, int) else other for other in others)
        made = PRED if opcode.kind is Kind.COMPARE else one.type
        return self.low.emit(opcode, one.type, one, *given, result=made)

    def computed(
        self, what: Opcode | str | None, scalar: Scalar, given: Iterable[Operand], result: Scalar
    ) -> Operand:
        """An opcode in the type `scalar`, a library's function that gives a `result`, or a conversion."""
        operands = tuple(given)
        if isinstance(what, str):
            return self.low.emit(Opcode.CALL, result, *operands, detail=Callee(what))
        if what is None:
            return self.low.cast(operands[0], result)
        if what is Opcode.EXPONENT:
            return self.low.emit(what, result, *operands)
        made = PRED if what.kind is Kind.COMPARE else scalar
        value = self.low.emit(what, scalar, *operands, result=made)
        return value if made is result else self.low.cast(value, result)

    def require(self, what: str, since: tuple[int, int], instead: str = "") -> None:
        device, at = self.low.device, self.low.at
        if device.compute_capability is not None and device.compute_capability < since:
            hint = f"it needs compute capability {since[0]}.{since[1]}{instead}"
            raise UnsupportedConstruct(f"{what} on {device.name}", at, hint)


# gives the value, or the operand of a number, or None for `void`
Family = Callable[[Call], Value | Operand | None]


def vector(type_: types.CType, operands: Iterable[Operand]) -> StructValue:
    assert isinstance(type_, types.Struct)
    assert type_.vector_of
    return StructValue(type_, tuple(NumberValue(type_.vector_of, operand) for operand in operands))
