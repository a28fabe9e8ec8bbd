"""Which kernels do those of a text launch? Others of the same text, compiled when they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpusim.ir.details import Callee, Launch
from gpusim.ir.instructions import Instruction, Opcode
from gpusim.ir.program import Function
from gpusim.machine.attributes import UNASKED, Attributes
from gpusim.runtime import settings
from gpusim.runtime.device_array import elements
from gpusim.runtime.device_thread import ChildKernel

if TYPE_CHECKING:
    from gpusim.cpp.program import Program


@dataclass(frozen=True, eq=False)
class Child(ChildKernel):
    """A kernel of the text as others launch it."""

    program: Program
    name: str

    @property
    def function(self) -> Function:
        """For the device in force."""
        return self.program.compiled(self.name).function

    @property
    def attributes(self) -> Attributes:
        """What was set last for a kernel of that name."""
        return self.program.attributes.get(self.name.replace(" ", ""), UNASKED)

    @property
    def constant_bytes(self) -> int:
        """The `__constant__` variables of its text."""
        return self.program.constant_bytes

    def added(self) -> Sequence[Any]:
        """Its variables, and the heap."""
        return added(self.program, self.name)


def added(program: Program, name: str) -> list[Any]:
    """What the machine is passed behind the arguments of a kernel: its variables, and the heap."""
    compiled, chosen = program.compiled(name), settings.current()
    values = [elements(program.variable(symbol)) for symbol in compiled.symbols]
    if compiled.takes_heap:
        values.append(chosen.grids.state.heap(chosen.device).data)
    return values


def below(program: Program, name: str) -> Iterable[str]:
    """It, and every kernel that it may lead to."""
    found, ahead = dict[str, None](), [name]
    while ahead:
        one = ahead.pop()
        if one not in found:
            found[one] = None
            ahead += [
                child.name for child in program.compiled(one).function.children if isinstance(child, Child)
            ]
    return found


def of_program(function: Function, program: Program) -> Function:
    """The same, with kernels of the program where those of its text are launched."""
    if not function.asks_runtime:
        return function

    def own(launch: Launch) -> Launch:
        return replace(launch, child=Child(program, launch.name))

    def known(one: Instruction) -> Instruction:
        if one.opcode is Opcode.LAUNCH:
            return replace(one, detail=own(one.the(Launch)))
        if one.opcode is Opcode.RUNTIME and (asked := one.the(Callee)).kernel is not None:
            return replace(one, detail=Callee(asked.name, own(asked.kernel)))
        return one

    blocks = (replace(block, instructions=tuple(map(known, block.instructions))) for block in function.blocks)
    return replace(function, blocks=tuple(blocks))
