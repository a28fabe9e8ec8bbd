"""What if a thread needs more registers than it may have? Values move to local memory: they are spilled.

Such a value is stored where it is made and loaded again before each use, as in "Linear Scan Register
Allocation" of Poletto and Sarkar (1999), section 4.3, and as `ptxas` does it. What a thread can ask for again
at no cost, its index or a constant, is asked for again instead. Which value goes first: the one whose loads
and stores are fewest, counted ten times for each loop around them, for what its absence gains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from gpusim.ir import control_flow, verify
from gpusim.ir.control_flow import Block
from gpusim.ir.instructions import ArrayOperand, Constant, Instruction, Kind, Opcode, Place, Register
from gpusim.ir.program import Function
from gpusim.ir.registers import parts_of, words
from gpusim.ir.renaming import reading, renamed
from gpusim.ir.terminators import Barrier, Exchange, Terminator
from gpusim.ir.types import S64, Space
from gpusim.source import Span

SPILLED = "spill_"  # how the arrays are called that hold what registers did not
ROUNDS_OF_A_LOOP = 10  # as compilers guess
FIRST = Constant(0, S64)


def bounded(function: Function, most: int | None) -> Function:
    """The same kernel, with at most so many registers in use at once; None: as many as it needs.

    Fewer than its widest instruction needs cannot be had: then as few as can be.
    """
    function = replace(function, max_registers=most)
    if most is None or function.registers_per_thread <= most:
        return function
    spilling = _Spilling(function)
    while (register := spilling.choice(most)) is not None:
        spilling.spill(register)
    verify.check(spilling.function)
    return spilling.function


@dataclass
class _Spilling:
    """A kernel, of which one value after the other goes."""

    function: Function
    reloaded: set[Register] = field(default_factory=set)  # they live for a moment only: nothing is gained

    def choice(self, most: int) -> Register | None:
        """Which value should go next? None if what is left fits, or nothing can go any more."""
        gain, cost = Counter[Register](), Counter[Register]()
        parts = parts_of(self.function.blocks)
        depths = _loop_depths(self.function.blocks)
        parameters = {each for each in self.function.parameters if isinstance(each, Register)}
        cost.update(parameters)
        for index, block in enumerate(self.function.blocks):
            rounds = ROUNDS_OF_A_LOOP ** depths[index]
            for live, touched in _points(self.function, index, block):
                if words(live, parts) > most:
                    inside = {each for each in live if each in parts and parts[each][0] in live}
                    gain.update(live - touched - self.reloaded - inside)
            for instruction in block.instructions:
                for register in _touched(instruction):
                    cost[register] += rounds
            for register in control_flow.read_by(block.terminator):
                cost[register] += rounds
        worth = [(words([register]) * gained / cost[register], register) for register, gained in gain.items()]
        able = [(each, register) for each, register in worth if register.type.bits > 1]
        able.sort(key=lambda pair: pair[1].name, reverse=True)  # of like values the same one in every process
        return max(able, key=lambda pair: pair[0], default=(0, None))[1]

    def spill(self, register: Register) -> None:
        """Store it wherever it is made, and load it before each use."""
        function = self.function
        self.reloaded.add(register)
        made = [i for i in function.instructions if i.destination is register]
        again = made[0] if len(made) == 1 and _costs_nothing(made[0]) else None
        offset = -(-function.local_bytes // register.type.bytes) * register.type.bytes
        home = ArrayOperand(f"{SPILLED}{register.name}", register.type, 1, Space.LOCAL, (1,), offset)
        rewriting = _Rewriting(register, Place(home, (FIRST,)), again, self.reloaded)
        blocks = [rewriting.block(block) for block in function.blocks]
        if again is None:
            if register in function.parameters:  # it comes with the launch
                store = rewriting.store(function.blocks[0].span)
                blocks[0] = Block((store, *blocks[0].instructions), blocks[0].terminator)
            function = replace(
                function,
                local_bytes=offset + register.type.bytes,
                spilled_registers_per_thread=function.spilled_registers_per_thread + words([register]),
            )
        self.function = replace(function, blocks=tuple(blocks))


@dataclass(frozen=True)
class _Rewriting:
    """How the code around a value changes when it goes: it lives at `home`, or is made `again`."""

    register: Register
    home: Place
    again: Instruction | None
    reloaded: set[Register]

    def block(self, block: Block) -> Block:
        """The block with loads and stores. What was just loaded or made needs no load right behind it."""
        found: list[Instruction] = []
        held: Register | None = None
        for instruction in block.instructions:
            if instruction is self.again:
                continue
            if self.register in instruction.reads:
                held = held or self._load(found, instruction.span)
                instruction = reading(instruction, {self.register: held})
            else:
                held = None
            found.append(instruction)
            if instruction.destination is self.register:
                found.append(self.store(instruction.span))
                held = self.register
        end = block.terminator
        if self.register in control_flow.read_by(end):
            end = _ending_with(end, self.register, held or self._load(found, end.span))
        return Block(tuple(found), end)

    def store(self, span: Span) -> Instruction:
        """To where it lives."""
        return Instruction(Opcode.STORE, self.register.type, None, (self.register,), span, self.home)

    def _load(self, found: list[Instruction], span: Span) -> Register:
        loaded = Register(f"{self.register.name}.{len(self.reloaded)}", self.register.type)
        self.reloaded.add(loaded)
        if self.again is not None:
            found.append(replace(self.again, destination=loaded))
        else:
            found.append(Instruction(Opcode.LOAD, loaded.type, loaded, (), span, self.home))
        return loaded


def _points(function: Function, index: int, block: Block) -> Iterator[tuple[set[Register], set[Register]]]:
    """What is live at each point of a block, and what the instructions beside it hold there in any case."""
    live = control_flow.live_after(function.blocks, function.live_in, index)
    touched = control_flow.read_by(block.terminator)
    live |= touched
    for instruction in reversed(block.instructions):
        made = set() if instruction.destination is None else {instruction.destination}
        yield set(live), touched | made
        live = (live - made) | set(instruction.reads)
        touched = set(instruction.reads)
    yield live, touched


def _touched(instruction: Instruction) -> Iterator[Register]:
    yield from set(instruction.reads)
    if instruction.destination is not None:
        yield instruction.destination


def _costs_nothing(made: Instruction) -> bool:
    constant = made.opcode is Opcode.MOVE and isinstance(made.operands[0], Constant)
    return constant or made.opcode.kind is Kind.SPECIAL


def _loop_depths(blocks: tuple[Block, ...]) -> list[int]:
    """In how many loops is each block? Blocks stand in source order: a loop goes from a target back to it."""
    depths = [0] * len(blocks)
    back = {
        (target, index)
        for index, block in enumerate(blocks)
        for target in control_flow.successors(block.terminator)
        if target <= index
    }
    for first in {target for target, _ in back}:
        for index in range(first, max(last for target, last in back if target == first) + 1):
            depths[index] += 1
    return depths


def _ending_with(end: Terminator, old: Register, new: Register) -> Terminator:
    assert isinstance(
        end, Barrier | Exchange
    )  # a branch decides by a predicate, and those have their own file
    return replace(end, operands=renamed(end.operands, {old: new}))
