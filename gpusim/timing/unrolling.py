"""Which loops does a compiler unroll, and what does that save? Counting, and addresses that grow evenly.

It computes what is the same in every trip once, before the loop. It copies the body of an innermost loop four
times, or as often as it runs if it can know: of all copies one counts `i`, compares it with the end and jumps
back, and `x[i]`, `x[i + 1]` are one address with offsets that stand in the loads. A loop that ends for
another reason than a count stays as it is. Where the number of trips is a constant, what it counts is one,
too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpusim.ir import control_flow
from gpusim.ir.control_flow import Block
from gpusim.ir.instructions import Constant, Instruction, Kind, Opcode, Operand, Register
from gpusim.ir.terminators import Barrier, Branch, Exchange

TRIPS, ALL_TRIPS = 4, 16  # copies of a loop's body: usually, and where it is short or its trips are constant
FEW = 6  # instructions of a short body, without its counting
MOST_TRIPS = 64  # of a loop that a compiler writes out
STEPS = (Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.SHL, Opcode.SHR, Opcode.DIV_TRUNC, Opcode.FLOOR_DIV)
LINEAR = (Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.CONVERT, Opcode.MOVE, Opcode.SHL, Opcode.SHR)
EVENLY = (
    Opcode.ADD,
    Opcode.SUB,
    Opcode.CONVERT,
    Opcode.MOVE,
)  # by which a number grows by the same each time
PURE = (Kind.ARITHMETIC, Kind.COMPARE, Kind.SELECT, Kind.CONVERT, Kind.SPECIAL, Kind.EXTENT)


@dataclass(frozen=True)
class Loop:
    """A loop, blocks `head` to `end`.

    `path`: the blocks that every trip of an innermost loop passes, in order; empty where trips differ, or
    wait for other lanes. `copies`: how many of its trips a compiler puts together, the most first.
    `counting`: what it needs once for all of them, and `addresses` and `ends`, the accesses whose addresses
    and the blocks whose ends it does. With a `constant` number of trips it needs them not at all; `known` are
    then constants.
    """

    head: int
    end: int
    path: tuple[int, ...]
    copies: tuple[int, ...]
    constant: bool
    counting: frozenset[Instruction]
    addresses: frozenset[Instruction]
    ends: frozenset[int]
    known: frozenset[Register]

    @property
    def blocks(self) -> range:
        """All of its blocks."""
        return range(self.head, self.end + 1)


def loops(blocks: Sequence[Block]) -> list[Loop]:
    """The innermost loops of a kernel, and those around others whose trips are constant, in source order."""
    ends: dict[int, int] = {}
    for index, block in enumerate(blocks):
        for target in control_flow.successors(block.terminator):
            if target <= index:
                ends[target] = max(ends.get(target, 0), index)
    found = []
    for head, end in sorted(ends.items()):
        inner = not any(head < other <= end for other in ends)
        loop = _Look(blocks, head, end).loop(inner=inner)
        if inner or loop.constant:
            found.append(loop)
    return found


class _Look:
    """Looks at one loop."""

    def __init__(self, blocks: Sequence[Block], head: int, end: int) -> None:
        self._blocks, self._head, self._end = blocks, head, end
        self._inside = range(head, end + 1)
        self._body = [each for index in self._inside for each in blocks[index].instructions]
        self._written: defaultdict[Register, list[Instruction]] = defaultdict(list)
        for instruction in self._body:
            if instruction.destination is not None:
                self._written[instruction.destination].append(instruction)
        ends = [blocks[index].terminator for index in self._inside]
        writes = any(each.opcode.writes_memory or each.opcode.kind is Kind.EFFECT for each in self._body)
        self._reads_only = not writes and not any(map(_orders_memory, ends))
        self._same: set[Register] = set()  # what is the same in every trip
        self._same = self._grown(set(), PURE, ())
        self._exits = [index for index in self._inside if self._leaves(index)]
        tested = {register for each in self._tests() for register in each.reads}
        self._chains = {
            register: chain
            for register in self._written
            if (chain := self._chain(register))
            and (register in tested or all(each.opcode in EVENLY for each in chain))
        }

    def loop(self, *, inner: bool) -> Loop:
        """What is found."""
        chained = {register for chain in self._chains.values() for register in _made(chain)}
        linear = self._grown(chained | self._same, (), LINEAR) - self._same
        compared = [e for e in self._body if e.opcode.kind is Kind.COMPARE and self._steady(e.reads, linear)]
        by = next((each for each in compared if each in self._tests()), None)
        once = {each for register in self._same for each in self._written[register]}
        if by is None or len(self._exits) != 1:
            return self._found(inner, once=once)
        converted = [e for e in self._body if e.opcode is Opcode.CONVERT and e.destination in by.reads]
        told = {register for each in (by, *converted) for register in each.reads}
        counter = next((register for register in self._chains if register in told), None)
        constant = counter is not None and self._constant(by, counter)
        addresses = {
            each
            for each in self._body
            if each.place is not None
            and (where := [register for register in each.place.operands if isinstance(register, Register)])
            and self._steady(where, linear)
        }
        counting = {each for register in linear for each in self._written[register]}
        counting = counting if constant else self._folded(counting, {by})
        few = len(self._body) - len(once | counting | {by}) <= FEW and not addresses
        steps_known = counter is not None and all(
            isinstance(operand, Constant) or operand in chained
            for each in self._chains[counter]
            for operand in each.operands
        )
        copies = (ALL_TRIPS, 8, TRIPS, 2) if constant else (ALL_TRIPS if few else TRIPS,)
        return self._found(
            inner,
            copies=copies if inner and steps_known else (),
            constant=constant,
            once=once | counting | {by},
            addresses=addresses,
            ends={self._end, *self._exits},
            known=linear if constant else set(),
        )

    def _tests(self) -> list[Instruction]:
        """The comparisons by which it ends."""
        ends = [self._blocks[index].terminator for index in self._exits]
        conditions = {end.condition for end in ends if isinstance(end, Branch)}
        return [each for each in self._body if each.destination in conditions]

    def _found(
        self,
        inner: bool,
        *,
        copies: tuple[int, ...] = (),
        constant: bool = False,
        once: Iterable[Instruction] = (),
        addresses: Iterable[Instruction] = (),
        ends: Iterable[int] = (),
        known: Iterable[Register] = (),
    ) -> Loop:
        path = self._path() if inner else ()
        return Loop(
            self._head,
            self._end,
            path,
            copies if path else (),
            constant,
            frozenset(once),
            frozenset(addresses),
            frozenset(ends),
            frozenset(known),
        )

    def _steady(self, operands: Iterable[Operand], known: set[Register]) -> bool:
        return all(
            not isinstance(each, Register) or each in known or each in self._same or each not in self._written
            for each in operands
        )

    def _grown(
        self, known: set[Register], kinds: tuple[Kind, ...], opcodes: tuple[Opcode, ...]
    ) -> set[Register]:
        """The same, with all that follows from it by such instructions alone."""
        known = set(known)
        more = True
        while more:
            more = False
            for register, by in self._written.items():
                if register in known or len(by) != 1:
                    continue
                first = by[0]
                fits = first.opcode.kind in kinds or (first.opcode in opcodes and first.type.is_integer)
                fits = fits or (bool(kinds) and first.opcode is Opcode.LOAD and self._reads_only)
                if fits and self._steady(first.reads, known):
                    known.add(register)
                    more = True
        return known

    def _chain(self, register: Register) -> list[Instruction]:
        """By which instructions does it go on from trip to trip, `i = i + 1`? None if it does not."""
        chain: list[Instruction] = []
        at = register
        while len(self._written[at]) == 1 and len(chain) < FEW:
            by = self._written[at][0]
            carried = [each for each in by.reads if each in self._written and each not in self._same]
            if len(carried) != 1 or by.opcode not in (*STEPS, *LINEAR) or not by.type.is_integer:
                return []
            chain.append(by)
            at = carried[0]
            if at is register:
                return chain if any(each.opcode in STEPS for each in chain) else []
        return []

    def _folded(self, counting: set[Instruction], compared: set[Instruction]) -> set[Instruction]:
        """Those of which nothing but counting, the loop's end and addresses makes use."""
        while True:
            kept = set(counting)
            for instruction in self._body:
                if instruction in counting or instruction in compared:
                    continue
                for operand in instruction.operands:
                    if isinstance(operand, Register):
                        kept -= set(self._written.get(operand, ()))
            if kept == counting:
                return kept
            counting = kept

    def _leaves(self, index: int) -> bool:
        targets = control_flow.successors(self._blocks[index].terminator)
        return not targets or any(target not in self._inside for target in targets)

    def _constant(self, compared: Instruction, counter: Register) -> bool:
        """Is the number of trips known when the kernel is compiled, and small?"""
        bounds = [each.value for each in compared.operands if isinstance(each, Constant)]
        steps = [each for each in self._chains[counter] if each.opcode in STEPS]
        given = [
            operand.value for each in steps for operand in each.operands if isinstance(operand, Constant)
        ]
        begins = [
            (index, each.operands[0] if each.operands else None)
            for index, block in enumerate(self._blocks)
            for each in block.instructions
            if index not in self._inside and each.destination is counter and index < self._head
        ]
        if len(bounds) != 1 or not given or not begins:
            return False
        where, begin = begins[-1]
        sometimes = self._head in control_flow.reachable_from(self._blocks, 0, where)
        if sometimes or not isinstance(begin, Constant):
            return False
        if steps[0].opcode in (Opcode.ADD, Opcode.SUB):
            return bool(abs(bounds[0] - begin.value) <= MOST_TRIPS * abs(given[0]))
        return True

    def _path(self) -> tuple[int, ...]:
        """The blocks of a trip, if there is one way only and nobody waits for other lanes on it."""
        path: list[int] = []
        index = self._head
        while index not in path:
            path.append(index)
            end = self._blocks[index].terminator
            inside = {target for target in control_flow.successors(end) if target in self._inside}
            if isinstance(end, Barrier | Exchange) or len(inside) != 1:
                return ()
            if isinstance(end, Branch) and not self._leaves(index):
                return ()
            index = inside.pop()
        return tuple(path) if index == self._head else ()


def _orders_memory(end: object) -> bool:
    """Might other lanes have written what is read after it, as after `__syncwarp()`?"""
    return isinstance(end, Barrier) or (isinstance(end, Exchange) and end.opcode is Opcode.SYNC_WARP)


def _made(instructions: Iterable[Instruction]) -> set[Register]:
    return {each.destination for each in instructions if each.destination is not None}
