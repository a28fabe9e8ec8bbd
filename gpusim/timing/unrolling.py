"""Which loops does a compiler unroll, and what does that save? Counting, and addresses that grow evenly.

It copies the body of an innermost loop four times, or as often as it runs if it can know: of all copies one
counts `i`, compares it with the end and jumps back, and `x[i]`, `x[i + 1]` are one address with offsets that
stand in the loads. Loops that end for another reason than a count keep all that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from gpusim.ir import control_flow
from gpusim.ir.control_flow import Block
from gpusim.ir.instructions import (
    Barrier,
    Branch,
    Constant,
    Exchange,
    Instruction,
    Kind,
    Opcode,
    Register,
)

TRIPS, ALL_TRIPS = (
    4,
    16,
)  # copies of a loop's body: usually, and where it is short or its trips a constant number
FEW = 6  # instructions of a short body, without its counting
STEPS = (Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.SHL, Opcode.SHR, Opcode.DIV_TRUNC, Opcode.FLOOR_DIV)
LINEAR = (Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.CONVERT, Opcode.MOVE, Opcode.SHL)


@dataclass(frozen=True)
class Loop:
    """An innermost loop, blocks `head` to `end`.

    `path`: the blocks that every trip passes, in order; empty where trips differ or wait for other lanes.
    `copies`: how many of its trips a compiler puts together. `counting`: what it then needs once for all of
    them, instructions and the addresses of accesses (`addresses`) and the ends of blocks (`ends`).
    """

    head: int
    end: int
    path: tuple[int, ...] = ()
    copies: tuple[int, ...] = ()
    constant: bool = False
    counting: frozenset[Instruction] = frozenset()
    addresses: frozenset[Instruction] = frozenset()
    ends: frozenset[int] = frozenset()
    known: frozenset[Register] = frozenset()

    @property
    def blocks(self) -> range:
        """All of its blocks."""
        return range(self.head, self.end + 1)


def loops(blocks: Sequence[Block]) -> list[Loop]:
    """The innermost loops of a kernel."""
    ends: dict[int, int] = {}
    for index, block in enumerate(blocks):
        for target in control_flow.successors(block.terminator):
            if target <= index:
                ends[target] = max(ends.get(target, 0), index)
    inner = [(head, end) for head, end in ends.items() if not any(head < other <= end for other in ends)]
    return [_Look(blocks, head, end).loop for head, end in inner]


@dataclass
class _Look:
    """Looks at one loop."""

    blocks: Sequence[Block]
    head: int
    end: int
    written: dict[Register, list[Instruction]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        inside = range(self.head, self.end + 1)
        self.body = [each for index in inside for each in self.blocks[index].instructions]
        for instruction in self.body:
            if instruction.destination is not None:
                self.written[instruction.destination].append(instruction)

    @property
    def loop(self) -> Loop:
        """What is found."""
        exits = [index for index in range(self.head, self.end + 1) if self._leaves(index)]
        linear, counting = self._linear()
        compared = [
            each
            for each in self.body
            if each.opcode.kind is Kind.COMPARE and self._steady(each.reads, linear)
        ]
        conditions = {each.destination for each in compared}
        path = self._path()
        counted = (
            len(exits) == 1 and getattr(self.blocks[exits[0]].terminator, "condition", None) in conditions
        )
        if not counted:
            return Loop(self.head, self.end, path, (TRIPS,) if path and len(exits) == 1 else ())
        constant = self._constant(linear, compared)
        addresses = {
            each
            for each in self.body
            if each.place is not None
            and (where := [r for r in each.place.operands if isinstance(r, Register)])
            and self._steady(where, linear)
        }
        few = sum(each not in counting and each not in compared for each in self.body) <= FEW
        many = (ALL_TRIPS, 8, TRIPS, 2) if constant else (ALL_TRIPS,) if few and not addresses else (TRIPS,)
        copies = many if path and self._steps_known(counting) else ()
        return Loop(
            self.head,
            self.end,
            path,
            copies,
            constant,
            frozenset(counting | set(compared)),
            frozenset(addresses),
            frozenset((self.end, *exits)),
            frozenset(linear) if constant else frozenset(),
        )

    def _leaves(self, index: int) -> bool:
        targets = control_flow.successors(self.blocks[index].terminator)
        return not targets or any(not self.head <= target <= self.end for target in targets)

    def _steady(self, registers: Sequence[Register], known: set[Register]) -> bool:
        return all(register in known or register not in self.written for register in registers)

    def _linear(self) -> tuple[set[Register], set[Instruction]]:
        """Registers that change by the same in every trip, or by a rule that a compiler follows."""
        linear: set[Register] = set()
        counting: set[Instruction] = set()
        for register, by in self.written.items():
            first = by[0]
            if len(by) == 1 and first.opcode in STEPS and register.type.is_integer:
                before = self._moved_from(register)
                if before in first.reads and self._steady(first.reads, {before}):
                    linear |= {register, before}
                    counting.add(first)
        seen = -1
        while seen != len(linear) + len(counting):
            seen = len(linear) + len(counting)
            for instruction in self.body:
                made = instruction.destination
                if made is None or len(self.written[made]) != 1 or instruction.opcode not in LINEAR:
                    continue
                if made.type.is_integer and self._steady(instruction.reads, linear):
                    linear.add(made)
                    counting.add(instruction)
        return linear, counting

    def _moved_from(self, register: Register) -> Register:
        """`i` for `t = i + 1; i = t`: the variable that a step is moved to, else the register itself."""
        for other, by in self.written.items():
            if len(by) == 1 and by[0].opcode is Opcode.MOVE and by[0].reads == (register,):
                return other
        return register

    def _constant(self, linear: set[Register], compared: Sequence[Instruction]) -> bool:
        """Is the number of trips known when the kernel is compiled?"""
        counters = {register for each in compared for register in each.reads if register in linear}
        bounds = [operand for each in compared for operand in each.operands if operand not in counters]
        if len(counters) != 1 or not all(isinstance(bound, Constant) for bound in bounds):
            return False
        before = [
            instruction
            for index, block in enumerate(self.blocks)
            for instruction in block.instructions
            if not self.head <= index <= self.end and instruction.destination in counters
        ]
        return bool(before) and all(
            isinstance(each.operands[0], Constant) for each in before if each.opcode is Opcode.MOVE
        )

    def _steps_known(self, counting: set[Instruction]) -> bool:
        """Does the loop count by a constant? Else a compiler does not know how many trips are left."""
        return any(
            any(isinstance(operand, Constant) for operand in each.operands)
            for each in counting
            if each.opcode in STEPS and each.destination is not None and self._counts(each)
        )

    def _counts(self, instruction: Instruction) -> bool:
        made = instruction.destination
        return made is not None and self._moved_from(made) in instruction.reads

    def _path(self) -> tuple[int, ...]:
        """The blocks of a trip, if there is one way only and nobody waits for other lanes on it."""
        path, index = [], self.head
        while index not in path:
            path.append(index)
            end = self.blocks[index].terminator
            if isinstance(end, Barrier | Exchange):
                return ()
            inside = {t for t in control_flow.successors(end) if self.head <= t <= self.end}
            if len(inside) != 1 or (isinstance(end, Branch) and end.then == end.otherwise):
                return ()
            index = inside.pop()
        return tuple(path) if index == self.head else ()
