"""Which kernels do those of a text launch? Others of the same text, compiled when they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpusim.ir.details import Launch
from gpusim.ir.instructions import Instruction, Opcode
from gpusim.ir.program import Function
from gpusim.machine.attributes import UNASKED, Attributes
from gpusim.runtime import settings
from gpusim.runtime.device_array import elements
from gpusim.runtime.device_launch import ChildKernel

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


def of_program(function: Function, program: Program) -> Function:
    """The same, with kernels of the program where those of its text are launched."""
    if not function.launches:
        return function

    def known(one: Instruction) -> Instruction:
        if one.opcode is not Opcode.LAUNCH:
            return one
        launch = one.the(Launch)
        return replace(one, detail=replace(launch, child=Child(program, launch.name)))

    blocks = (replace(block, instructions=tuple(map(known, block.instructions))) for block in function.blocks)
    return replace(function, blocks=tuple(blocks))
