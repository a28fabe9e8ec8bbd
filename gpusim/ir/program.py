"""What is a kernel to the machine? Basic blocks, parameters and the memory its arrays need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from gpusim.ir import control_flow, uniformity, waiting
from gpusim.ir.control_flow import Block
from gpusim.ir.details import Callee, Child, Launch
from gpusim.ir.instructions import ArrayOperand, Instruction, Kind, Opcode, Register
from gpusim.ir.registers import pressure
from gpusim.ir.terminators import Barrier, Branch
from gpusim.ir.types import Space
from gpusim.source import Source, Span


@dataclass(frozen=True, eq=False)
class Function:
    """A compiled kernel: `blocks[0]` is the entry, and blocks stand in source order.

    `parameters` are registers (scalars) and array operands, in the order of the arguments. `shared_bytes` is
    what one thread block declares of shared memory, `local_bytes` what one thread needs of local memory,
    `constant_bytes` what the arrays take that were frozen when it was compiled. `max_registers` and
    `max_threads` are PTX's directives `.maxnreg` and `.maxntid`: bounds on the registers of a thread and on
    the threads of a block; because of the first, `spilled_registers_per_thread` are in local memory
    (`gpusim.ir.spilling`). `tiles` says where the text cuts its thread block, and into how many threads each:
    no instruction, but a rule that a launch must keep. How it is to be launched is not part of it
    (`gpusim.machine.attributes`).
    """

    name: str
    source: Source
    parameters: tuple[Register | ArrayOperand, ...]
    blocks: tuple[Block, ...]
    shared_bytes: int = 0
    local_bytes: int = 0
    constant_bytes: int = 0
    max_registers: int | None = None
    max_threads: int | None = None
    spilled_registers_per_thread: int = 0
    tiles: tuple[tuple[Span, int], ...] = ()

    @property
    def instructions(self) -> Iterator[Instruction]:
        """Those of all blocks."""
        return (instruction for block in self.blocks for instruction in block.instructions)

    @cached_property
    def cooperative(self) -> bool:
        """Do its blocks wait for each other, at a barrier of the whole grid? Then all must be resident."""
        return any(
            isinstance(block.terminator, Barrier) and block.terminator.opcode is Opcode.GRID_BARRIER
            for block in self.blocks
        )

    @cached_property
    def reconvergence(self) -> tuple[int | None, ...]:
        """For each block, where do lanes that part at its end meet again? Its immediate post-dominator."""
        return control_flow.immediate_post_dominators(self.blocks)

    @cached_property
    def live_in(self) -> tuple[frozenset[Register], ...]:
        """Which registers does each block still need when it starts?"""
        return control_flow.live_registers(self.blocks)

    @cached_property
    def divergent(self) -> frozenset[Register]:
        """Which registers may differ between the lanes of a warp? All others are computed once per warp."""
        return uniformity.divergent_registers(self.blocks, self.reconvergence, self.live_in)

    @cached_property
    def needed_elsewhere(self) -> tuple[frozenset[Register], ...]:
        """Which registers must each block write under the mask, for lanes that stand elsewhere?"""
        return uniformity.needed_elsewhere(self.blocks, self.reconvergence, self.live_in, self.divergent)

    @cached_property
    def unreconverged(self) -> frozenset[int]:
        """After which branches do independent lanes not wait for each other?

        Those with a block barrier, a `nanosleep` or a spinning loop on one of their sides: the H200 was seen
        not to reconverge there, and a lane that waited could keep the others from ever coming.
        """
        apart = set()
        for index, block in enumerate(self.blocks):
            if isinstance(block.terminator, Branch):
                then, otherwise = control_flow.sides(self.blocks, index, self.reconvergence[index])
                barriers = {b for b in then | otherwise if isinstance(self.blocks[b].terminator, Barrier)}
                if barriers or self.standing_back & (then | otherwise):
                    apart.add(index)
        return frozenset(apart)

    @cached_property
    def standing_back(self) -> frozenset[int]:
        """At which blocks do lanes let all others go first? Where they sleep, or wait for another's write."""
        return waiting.sleeping(self.blocks) | waiting.waiting(self.blocks, self.reconvergence, spinning=True)

    @cached_property
    def written(self) -> frozenset[ArrayOperand]:
        """In the memory of which arrays does it write?"""
        return frozenset(
            i.array.memory for i in self.instructions if i.array is not None and i.opcode.writes_memory
        )

    @cached_property
    def goes_anywhere(self) -> bool:
        """Does it follow addresses that may lead to any memory?"""
        return any(i.array is not None and i.array.space is Space.GENERIC for i in self.instructions)

    @cached_property
    def may_wait(self) -> bool:
        """Can a lane wait in a loop for what another lane writes? Only then must fairness be enforced."""
        return bool(self.standing_back or waiting.waiting(self.blocks, self.reconvergence))

    @cached_property
    def launches(self) -> tuple[Instruction, ...]:
        """Where does it launch kernels, its own or the runtime's?"""
        return tuple(i for i in self.instructions if i.launches)

    @property
    def children(self) -> tuple[Child, ...]:
        """Which kernels of the program does it launch?"""
        return tuple(i.the(Launch).child for i in self.instructions if i.opcode is Opcode.LAUNCH)

    @cached_property
    def takes_buffers(self) -> bool:
        """Does it ask for buffers of parameters?"""
        asked = (i.the(Callee).name for i in self.instructions if i.opcode is Opcode.RUNTIME)
        return "cudaGetParameterBuffer" in asked

    @cached_property
    def asks_runtime(self) -> bool:
        """Does it launch kernels, or ask the device runtime for anything else?"""
        return self.awaits is not None or any(i.opcode.kind is Kind.RUNTIME for i in self.instructions)

    @cached_property
    def awaits(self) -> Span | None:
        """Where does a thread wait for the grids that its block launched, in the middle of the kernel?"""
        ends = (block.terminator for block in self.blocks)
        return next((e.span for e in ends if isinstance(e, Barrier) and e.opcode is Opcode.CHILDREN), None)

    @cached_property
    def registers_per_thread(self) -> int:
        """How many 32-bit registers does a thread use? 64-bit values take two."""
        return pressure(self.blocks, self.live_in)
