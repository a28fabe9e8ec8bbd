"""What does a family of functions get to lower a call? The function, its arguments, and where it stands."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from gpusim.errors import KernelTypeError
from gpusim.frontends.python.builtins.intrinsics import Intrinsic
from gpusim.frontends.python.builtins.taken import BY_NAME, OPTIONAL, UNTAKEN
from gpusim.frontends.python.lowering import Lowering
from gpusim.frontends.python.values import MaybeValue, Value, described
from gpusim.frontends.site import Site
from gpusim.ir.details import Callee
from gpusim.ir.instructions import Constant, Opcode, Operand, Register
from gpusim.ir.types import Scalar


def _type_of(argument: Value) -> str:
    """A number's type as the table of what is not taken has it; "" for what is no number."""
    if isinstance(argument, MaybeValue):
        return OPTIONAL
    return str(argument.type.dtype) if isinstance(argument, Register | Constant) else ""


@dataclass
class Call:
    """One call of an intrinsic."""

    lowering: Lowering
    called: Intrinsic
    arguments: list[Value]
    node: ast.Call

    @property
    def site(self) -> Site:
        """Where its instructions go."""
        return self.lowering.site(self.node)

    def wrong(self, message: str, hint: str) -> KernelTypeError:
        """What does not fit, pointing at the call."""
        return self.lowering.wrong(message, self.node, hint)

    def here_only(self, what: str, hint: str) -> None:
        """Warn of what Numba refuses."""
        self.lowering.here_only(what, self.node, hint)

    def mark_arguments(self) -> None:
        """Warn of keywords and of types of arguments that Numba does not take."""
        shown = f"{self.called.home}{self.called.name}()"
        if self.node.keywords and BY_NAME.isdisjoint((self.called.family, self.called.name)):
            self.here_only(f"{shown} with keywords", "write the arguments in order, without their names")
        untaken = UNTAKEN.get(self.called.name)
        if untaken is None:
            return
        parameters = list(self.called.parameters)
        for place, argument in enumerate(self.arguments):
            named = untaken.parameter in ("*", parameters[min(place, len(parameters) - 1)])
            type_ = _type_of(argument)
            if named and type_ in untaken.types.split():
                what = described(argument) if type_ == OPTIONAL else type_
                self.here_only(f"{shown} of {what}", untaken.hint)

    def numbers(self, count: int | None = None) -> list[Operand]:
        """The first arguments, or all, which must be numbers."""
        return [self.lowering.number(argument, self.node) for argument in self.arguments[:count]]

    def convert(self, value: Value, type_: Scalar) -> Operand:
        """A number in another type."""
        return self.lowering.number_as(value, type_, self.node)

    def by_name(self, name: str, result: Scalar, *operands: Operand) -> Register:
        """Call a function of the machine's library."""
        builder, span = self.lowering.builder, self.lowering.span(self.node)
        return builder.value(Opcode.CALL, result, operands, span, detail=Callee(name))

    def compute(
        self, opcode: Opcode, type_: Scalar, *operands: Operand, result: Scalar | None = None
    ) -> Register:
        """Add an instruction on numbers of one type."""
        return self.lowering.compute(opcode, type_, operands, self.node, result=result)
