"""What does a scheduler see of a kernel? Its basic blocks as machine operations: pipe, clocks, registers.

The IR's instructions are not the GPU's. A product that is added to something becomes one operation, an
address is one more, moves are none; `gpusim.timing.unrolling` says what loops save, `operations.arranged` in
which order a compiler puts what is left.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from gpusim.devices.launching import launching
from gpusim.devices.speeds import Speeds
from gpusim.events import GridLaunched
from gpusim.ir import control_flow
from gpusim.ir.control_flow import Block
from gpusim.ir.instructions import ArrayOperand, Constant, Instruction, Kind, Opcode, Operand, Register
from gpusim.ir.launched import FIRE_AND_FORGET
from gpusim.ir.spilling import SPILLED
from gpusim.ir.terminators import Barrier, Branch, Exchange, Jump, Return, Terminator
from gpusim.ir.types import Space
from gpusim.source import Source, Span
from gpusim.timing.operations import FIRST_SLOT, MET, THERE, Code, Operation, Stall, arranged, slots_needed
from gpusim.timing.pipes import FREE, QUOTIENTS, Cost, Pipe, cost, intervals
from gpusim.timing.unrolling import Loop, loops

Line = tuple[Source, int]
STREAM = 7  # its place among the operands of a launch
MOST_TOGETHER = 700  # operations of trips that are arranged together
EXCHANGES = {
    **dict.fromkeys((Opcode.VOTE_ALL, Opcode.VOTE_ANY, Opcode.VOTE_EQ, Opcode.BALLOT), 13),
    **dict.fromkeys((Opcode.MATCH_ANY, Opcode.MATCH_ALL), 368),
    Opcode.SYNC_WARP: 6,
}
REDUCTION = 44
ACCESS_KINDS = {
    **dict.fromkeys((Opcode.LOAD, Opcode.TEX, Opcode.SULD), "load"),
    **dict.fromkeys((Opcode.STORE, Opcode.SUST), "store"),
}


@dataclass
class Program:
    """A kernel as operations.

    `blocks[b]`: those of basic block b, in full and as an unrolled trip has them; `together[b]`: runs of
    blocks that begin with b, longest first, whose operations were arranged together; `counted`: the blocks of
    loops of which trips save something. `memory[b]`: the instructions of block b that go to memory, and its
    end if it is a barrier of a part of a thread block. `registers`: the slots of a scoreboard; `lines`: what
    operations' line numbers stand for; `intervals[pipe]`: every how many clocks it takes one.
    """

    blocks: list[tuple[list[Operation], list[Operation]]] = field(default_factory=list)
    together: dict[int, list[tuple[list[int], list[Operation]]]] = field(default_factory=dict)
    memory: list[list[Instruction | Terminator]] = field(default_factory=list)
    counted: set[int] = field(default_factory=set)
    lines: list[Line] = field(default_factory=list)
    registers: int = 1
    intervals: tuple[float, ...] = ()


def program(launched: GridLaunched, speeds: Speeds) -> Program:
    """The kernel of a launch, as its multiprocessors execute it."""
    return _Writer(launched, speeds).written()


class _Writer:
    """Writes the operations of a kernel, block by block."""

    def __init__(self, launched: GridLaunched, speeds: Speeds) -> None:
        self._blocks = launched.blocks
        self._speeds, self._intervals = speeds, intervals(launched.device)
        self._launching = launching(launched.device)
        self._slots: dict[object, int] = {}
        self._lines: dict[Line, int] = {}
        self._uses = Counter(register for block in launched.blocks for register in _read(block))
        self._live = control_flow.live_registers(launched.blocks)
        self._loops = loops(launched.blocks)
        constant = [loop for loop in self._loops if loop.constant]
        self._once = {each for loop in self._loops for each in loop.counting}
        self._never = {each for loop in constant for each in loop.counting}
        self._addresses = {each for loop in self._loops for each in loop.addresses}
        self._ends = {index for loop in self._loops for index in loop.ends}
        self._no_ends = {index for loop in constant for index in loop.ends}
        self._known = {register for loop in constant for register in loop.known}
        self._registers = self._arrays_in_registers()

    def written(self) -> Program:
        """All of it."""
        raw = [self._block(index, block) for index, block in enumerate(self._blocks)]
        self._fresh = len(self._slots) + FIRST_SLOT
        found = Program(intervals=self._intervals)
        found.memory = [
            [each for each in (*block.instructions, block.terminator) if _is_recorded(each)]
            for block in self._blocks
        ]
        for index, block in enumerate(self._blocks):
            after = control_flow.successors(block.terminator)
            full, trip = (arranged(each, self._lasting(after), self._fresh) for each in raw[index])
            found.blocks.append((full, trip))
        for loop in self._loops:
            found.counted.update(loop.blocks if loop.counting else ())
            for copies in loop.copies:
                self._put_together(loop, copies, raw, found)
        found.lines = list(self._lines)
        everything = [each for pair in found.blocks for each in pair]
        everything += [run for runs in found.together.values() for _, run in runs]
        found.registers = max((slots_needed(each) for each in everything), default=FIRST_SLOT)
        return found

    def _put_together(
        self, loop: Loop, copies: int, raw: list[tuple[list[Operation], list[Operation]]], found: Program
    ) -> None:
        together: list[Operation] = []
        accesses = 0
        for copy in range(copies):
            for index in loop.path:
                full, trip = raw[index]
                chosen = full if copy == copies - 1 else trip
                last = copy == copies - 1 and index == loop.path[-1]
                together += [
                    each._replace(access=each.access + accesses)
                    for each in chosen
                    if last or each.code is not Code.BRANCH
                ]
                accesses += len(found.memory[index])
        if len(together) <= MOST_TOGETHER:
            after = {
                t for index in loop.path for t in control_flow.successors(self._blocks[index].terminator)
            }
            run = arranged(together, self._lasting(tuple(after)), self._fresh)
            found.together.setdefault(loop.head, []).append((list(loop.path) * copies, run))

    def _lasting(self, after: Sequence[int]) -> set[int]:
        """The slots of what these blocks still need."""
        needed = {register for index in after for register in self._live[index]}
        return {self._slots[register] for register in needed if register in self._slots}

    # one instruction after the other ------------------------------------------------------------------------

    def _slot(self, what: object) -> int:
        return self._slots.setdefault(what, len(self._slots) + FIRST_SLOT)

    def _sources(self, operands: Sequence[Operand]) -> tuple[int, ...]:
        return tuple(self._slot(each) for each in operands if isinstance(each, Register))

    def _operation(
        self,
        code: Code,
        price: Cost,
        destination: int,
        sources: tuple[int, ...],
        span: Span,
        waits: Stall = Stall.WAIT,
    ) -> Operation:
        interval = self._intervals[price.pipe] if price.slots else 0.0
        line = self._lines.setdefault((span.source, span.line), len(self._lines))
        pipe, waits_for = int(price.pipe), int(waits)
        return Operation(
            code, pipe, price.slots, interval, price.latency, destination, sources, line, waits_for
        )

    def _block(self, index: int, block: Block) -> tuple[list[Operation], list[Operation]]:
        full: list[Operation] = []
        trip: list[Operation] = []
        fused = self._fused(block)
        accesses = 0
        for instruction in block.instructions:
            never = instruction in self._never and not instruction.opcode.accesses_memory
            for operation, once in [] if never else self._operations(instruction, fused):
                if operation.code in (Code.MEMORY, Code.LAUNCH):
                    operation = operation._replace(access=accesses)
                full.append(operation)
                if not once:
                    trip.append(operation)
            accesses += _is_recorded(instruction)
        end = self._end(index, block)
        if end is not None and index not in self._no_ends:
            full.append(end)
            if index not in self._ends:
                trip.append(end)
        return full, trip

    def _arrays_in_registers(self) -> dict[ArrayOperand, bool]:
        """Local arrays whose indices are known when the kernel is compiled: `float sum[4]` is four registers.

        With whether one is read in the basic block that writes it.
        """
        unknown: set[ArrayOperand] = set()
        read: defaultdict[ArrayOperand, set[int]] = defaultdict(set)
        written: defaultdict[ArrayOperand, set[int]] = defaultdict(set)
        for index, block in enumerate(self._blocks):
            for instruction in block.instructions:
                place = instruction.place
                if place is None or place.array.space is not Space.LOCAL:
                    continue
                array = place.array.memory
                if any(isinstance(each, Register) and each not in self._known for each in place.operands):
                    unknown.add(array)
                (written if instruction.opcode.writes_memory else read)[array].add(index)
        spilled = {array for array in {*read, *written} if array.name.startswith(SPILLED)}
        return {array: bool(read[array] & written[array]) for array in {*read, *written} - unknown - spilled}

    def _fused(self, block: Block) -> dict[Register, Instruction]:
        """Products that only an addition of the same block needs."""
        products: dict[Register, Instruction] = {}
        added: dict[Register, Instruction] = {}
        for instruction in block.instructions:
            opcode, made = instruction.opcode, instruction.destination
            if opcode in (Opcode.ADD, Opcode.SUB):
                known = [each for each in instruction.reads if each in products]
                if known:
                    added[known[0]] = products.pop(known[0])
            if opcode is Opcode.MUL and made is not None and made.is_temporary and self._uses[made] == 1:
                products[made] = instruction
        return added

    def _operations(
        self, instruction: Instruction, fused: dict[Register, Instruction]
    ) -> list[tuple[Operation, bool]]:
        """What becomes of an instruction, and is it needed once for several trips of a loop?"""
        opcode, span, made = instruction.opcode, instruction.span, instruction.destination
        if made in fused:
            return []
        destination = -1 if made is None else self._slot(made)
        if opcode.accesses_memory:
            return self._access(instruction, destination)
        if instruction.launches:
            price = Cost(Pipe.CONTROL, 1, self._asking(instruction))
            sources = self._sources(instruction.operands)
            return [(self._operation(Code.LAUNCH, price, destination, sources, span), False)]
        if opcode.kind is Kind.EFFECT:
            sources = self._sources(instruction.operands)
            return [(self._operation(Code.COMPUTE, Cost(Pipe.LSU, 1, 1), -1, sources, span), False)]
        if opcode.kind is Kind.RECEIVE:
            return [
                (self._operation(Code.RENAME, Cost(Pipe.CONTROL, 0, 0), destination, (MET,), span), False)
            ]
        operands: list[Operand] = list(instruction.operands)
        for each in instruction.reads:
            if each in fused:
                operands.remove(each)
                operands.extend(fused[each].operands)
        price = cost(instruction, self._speeds)
        if any(each in fused for each in instruction.reads) and instruction.type.is_integer:
            price = price._replace(pipe=Pipe.IMAD)
        if opcode in QUOTIENTS and instruction.type.is_integer and self._divides_by_known(instruction):
            price = Cost(Pipe.INT32, 1, self._speeds.arithmetic_latency)
        code = Code.COMPUTE if price.slots else Code.RENAME
        waits = Stall.SHORT_SCOREBOARD if price.pipe in (Pipe.SFU, Pipe.LSU) else Stall.WAIT
        operation = self._operation(code, price, destination, self._sources(operands), span, waits)
        return [(operation, instruction in self._once)]

    def _asking(self, launch: Instruction) -> int:
        """For how many clocks does a launch keep its warp?"""
        given = launch.operands[STREAM] if launch.opcode is Opcode.LAUNCH else None
        free = isinstance(given, Constant) and given.value == FIRE_AND_FORGET
        return round(self._launching.free if free else self._launching.issue)

    def _divides_by_known(self, instruction: Instruction) -> bool:
        """In a loop whose trips a compiler writes out, what it counts is a constant."""
        divisor = instruction.operands[1]
        return not isinstance(divisor, Constant) and divisor in self._known

    def _access(self, instruction: Instruction, destination: int) -> list[tuple[Operation, bool]]:
        place, span, speeds = instruction.place, instruction.span, self._speeds
        assert place is not None
        if place.array.memory in self._registers:
            return self._in_registers(instruction, destination)
        found: list[tuple[Operation, bool]] = []
        space = place.array.space
        where = self._sources(place.operands)
        if where and space is not Space.SHARED:
            address = self._slot(("address", where))
            price = Cost(Pipe.IMAD, 1, speeds.arithmetic_latency)
            operation = self._operation(Code.COMPUTE, price, address, where, span)
            found.append((operation, instruction in self._addresses))
            where = (address,)
        near = space in (Space.SHARED, Space.CONSTANT)
        operation = self._operation(
            Code.MEMORY,
            Cost(Pipe.LSU, 1, 0),
            destination,
            (*where, *self._sources(instruction.operands)),
            span,
            Stall.SHORT_SCOREBOARD if near else Stall.LONG_SCOREBOARD,
        )
        kind = ACCESS_KINDS.get(instruction.opcode, "atomic")
        found.append((operation._replace(space=space, kind=kind), instruction in self._once))
        return found

    def _in_registers(self, instruction: Instruction, destination: int) -> list[tuple[Operation, bool]]:
        """A load or store of an array that has become registers: a move, which is none."""
        assert instruction.array is not None
        array = instruction.array.memory
        slot = THERE if self._registers[array] else self._slot(("registers of", array))
        sources = (slot,) if destination >= 0 else self._sources(instruction.operands)
        target = destination if destination >= 0 else slot
        if target == THERE:
            return []
        return [(self._operation(Code.RENAME, FREE, target, sources, instruction.span), False)]

    def _end(self, index: int, block: Block) -> Operation | None:
        end, control = block.terminator, Cost(Pipe.CONTROL, 1, 0)
        if isinstance(end, Branch):
            return self._operation(Code.BRANCH, control, -1, self._sources((end.condition,)), end.span)
        if isinstance(end, Jump):
            if end.target == index + 1:
                return None
            return self._operation(Code.BRANCH, control, -1, (), end.span)
        if isinstance(end, Barrier) and end.opcode is Opcode.CHILDREN:
            return self._operation(Code.CHILDREN, control, -1, (), end.span)
        if isinstance(end, Barrier):
            code = Code.NAMED if end.named else Code.BARRIER
            barrier = self._operation(code, control, MET, self._sources(end.operands), end.span)
            access = sum(map(_is_recorded, block.instructions))
            return barrier._replace(kind=end.opcode.mnemonic, access=access)
        if isinstance(end, Exchange):
            latency = EXCHANGES.get(end.opcode, self._speeds.shuffle_latency)
            if end.opcode.mnemonic.startswith("redux"):
                latency = REDUCTION
            price, sources = Cost(Pipe.LSU, 1, latency), self._sources(end.operands)
            return self._operation(Code.COMPUTE, price, MET, sources, end.span, Stall.SHORT_SCOREBOARD)
        assert isinstance(end, Return)
        return self._operation(Code.EXIT, control, -1, (), end.span)


def _is_recorded(part: Instruction | Terminator) -> bool:
    """Does a recording say what a warp did with it: where it went, whom it met?"""
    if isinstance(part, Instruction):
        return part.opcode.accesses_memory or part.launches
    return isinstance(part, Barrier) and part.named


def _read(block: Block) -> list[Register]:
    instructions = [register for instruction in block.instructions for register in instruction.reads]
    return [*instructions, *control_flow.read_by(block.terminator)]
