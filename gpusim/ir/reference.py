"""What does the IR mean? What threads do that run one at a time: no warps, no masks, no schedules.

This is the living definition: whatever its model, width and schedule, the machine must leave the same bits in
memory, and execute the same instructions for each thread (`tests/properties`). A thread is a Python generator
over NumPy scalars. It runs on until a barrier or an exchange, where it yields what it brings. Lanes of a warp
that name just each other get what the exchange gives them; when every thread of a block, or of the grid, that
has not left stands at the barrier, all go on. Memory is bytes: what the host has lies at its own addresses.

Left open: what the functions of the library compute, what becomes of text that is printed, and which accesses
are refused because their address is no multiple of their size.
"""

from __future__ import annotations

import ctypes
import math
from collections import Counter, defaultdict
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.devices.device import Dim3
from gpusim.ir import details
from gpusim.ir.control_flow import Block
from gpusim.ir.details import Axis, Callee, Message, Part, Received, SpecialRegister
from gpusim.ir.instructions import ArrayOperand, Constant, Instruction, Kind, Opcode, Operand, Place, Register
from gpusim.ir.operations import ATOMIC, BARRIER, COMPUTE, EXCHANGE, Brought, converted
from gpusim.ir.program import Function
from gpusim.ir.terminators import ARRIVES, Barrier, Branch, Exchange, Jump, Return
from gpusim.ir.types import Space

Bytes = npt.NDArray[np.uint8]
Lines = Counter[int]  # source line -> instructions that threads executed there
Result = tuple[Any, ...]
WINDOW_UNIT_BYTES = 16
SHARED_FROM, LOCAL_FROM = 0x7E00_0000_0000, 0x7D00_0000_0000  # the same in every block, and in every thread


@dataclass(eq=False)
class Launch:
    """What all threads of a grid have in common. `memory`: bytes, each piece from an address on."""

    function: Function
    grid: Dim3
    block: Dim3
    arguments: dict[Any, Any]
    lanes: int
    dynamic_shared_bytes: int
    memory: list[tuple[int, Bytes]]
    lines: Lines

    @property
    def dynamic_from(self) -> int:
        """Where in a block's shared memory what the launch adds begins."""
        return -(-self.function.shared_bytes // WINDOW_UNIT_BYTES) * WINDOW_UNIT_BYTES


@dataclass
class Arrival:
    """A thread waits at a barrier or an exchange, with the values that it brings."""

    end: Barrier | Exchange
    values: list[Any]


@dataclass(frozen=True)
class Extended:
    """An array as a thread sees it: the address of element [0, …, 0], and how far it extends."""

    address: int
    shape: tuple[int, ...]
    strides_bytes: tuple[int, ...]


class Thread:
    """One thread: its registers, and the memory it can reach."""

    def __init__(self, launch: Launch, block: Dim3, number: int, shared: Bytes) -> None:
        self.launch, self.block = launch, block
        self.warp, self.lane = divmod(number, launch.lanes)
        self.special = special_registers(launch, block, number)
        local = np.zeros(launch.function.local_bytes, np.uint8)
        self.memory = [*launch.memory, (SHARED_FROM, shared), (LOCAL_FROM, local)]
        self.registers = {
            r: r.type.dtype.type(v) for r, v in launch.arguments.items() if isinstance(r, Register)
        }
        self.arrays: dict[ArrayOperand, Extended] = {}
        self.received: Result = ()
        self.clock = 0  # what it counts is up to the machine

    def run(self) -> Generator[Arrival, Result, None]:
        """Execute block after block; yield at barriers and exchanges, to be sent what they give."""
        number = 0
        while True:
            block = self.launch.function.blocks[number]
            for instruction in block.instructions:
                self.step(instruction)
            self.launch.lines.update(executed_lines(block, number))
            match block.terminator:
                case Return():
                    return
                case Jump(target=target):
                    number = target
                case Branch(condition=condition, then=then, otherwise=otherwise):
                    number = then if self.registers[condition] else otherwise
                case Barrier(target=target) | Exchange(target=target) as end:
                    self.received = yield Arrival(end, [self.value(operand) for operand in end.operands])
                    number = target

    def step(self, instruction: Instruction) -> None:
        """Execute one instruction."""
        values = [self.value(operand) for operand in instruction.operands]
        result = self.result(instruction, instruction.opcode, instruction.type.dtype, *values)
        if instruction.destination is not None:
            self.registers[instruction.destination] = typed(result, instruction.destination.type.dtype)

    def result(self, instruction: Instruction, opcode: Opcode, dtype: np.dtype[Any], *values: Any) -> Any:
        """What an instruction gives, and does, with the values of its operands."""
        if opcode in COMPUTE:
            return COMPUTE[opcode](*values)
        match instruction.detail:
            case SpecialRegister() as register:
                return self.special[register]
            case Received() as received:
                return self.received[received is Received.AGREED]
            case Part(first_byte):
                return np.frombuffer(values[0].tobytes(), dtype, 1, first_byte)[0]
            case Axis(number) if instruction.place is not None:
                array = self.array(instruction.place.array)
                return (array.shape if opcode is Opcode.EXTENT else array.strides_bytes)[number]
            case Message(text):
                raise RuntimeError(text)
            case Callee(name) | details.Launch(name=name):
                raise NotImplementedError(f"what {name} does is the library's")
        match opcode:
            case Opcode.CONVERT:
                return converted(values[0], dtype)
            case Opcode.REINTERPRET | Opcode.PACK:
                return np.frombuffer(b"".join(value.tobytes() for value in values), dtype)[0]
            case Opcode.CLOCK:
                self.clock += 1
                return dtype.type(self.clock)
            case _ if opcode.kind is Kind.EFFECT:
                return None  # memory is the same for all threads at all times
        assert instruction.place is not None
        address = self.address(instruction.place)
        if opcode is Opcode.ADDRESS:
            return address
        element = self.at(address, dtype)
        old = element[0]
        if opcode is Opcode.STORE:
            element[0] = values[0]
        elif opcode.kind is Kind.ATOMIC:
            element[0] = ATOMIC[opcode](old, *values)
        return old

    def value(self, operand: Operand) -> Any:
        """A register that no path has written is a KeyError."""
        if isinstance(operand, Constant):
            return operand.type.dtype.type(operand.value)
        return self.registers[operand]

    def address(self, place: Place) -> int:
        """Where an element begins. Indices of Numba's arrays may count from the end; those of C count on."""
        if place.address is not None:
            return int(self.value(place.address))
        anywhere = place.array.space is Space.GENERIC  # its geometry begins at an address
        array = Extended(0, (), ()) if anywhere else self.array(place.array.memory)
        address, shape, strides = array.address, array.shape, array.strides_bytes
        if place.geometry is not None:
            address += int(self.value(place.geometry.first_byte))
            shape = tuple(int(self.value(extent)) for extent in place.geometry.extents)
            strides = tuple(int(self.value(stride)) for stride in place.geometry.strides_bytes)
        for axis, index in enumerate(place.indices):
            number = int(self.value(index))
            address += (number if place.array.pointer else range(shape[axis])[number]) * strides[axis]
        return address % (1 << 64)

    def at(self, address: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        """The one element at an address."""
        for first, piece in self.memory:
            if first <= address <= first + len(piece) - dtype.itemsize:
                return piece[address - first :][: dtype.itemsize].view(dtype)
        raise IndexError(f"nothing is at address {address:#x}")

    def array(self, operand: ArrayOperand) -> Extended:
        """The argument, the frozen constant, or the place in the block's or the thread's own memory."""
        if operand not in self.arrays:
            self.arrays[operand] = self._extended(operand)
        return self.arrays[operand]

    def _extended(self, operand: ArrayOperand) -> Extended:
        width = operand.element.bytes
        data = self.launch.arguments.get(operand, operand.data)
        if operand in self.launch.arguments and data is None:
            return Extended(0, (0,), (width,))  # a null pointer
        if data is not None:
            strides = (width,) if operand.pointer else data.strides
            return Extended(address_of(data), data.shape, strides)
        shape, offset = operand.shape, operand.offset
        if len(shape) != operand.dimensions:
            shape, offset = (self.launch.dynamic_shared_bytes // width,), self.launch.dynamic_from
        window = SHARED_FROM if operand.space is Space.SHARED else LOCAL_FROM
        strides = tuple(math.prod(shape[axis + 1 :]) * width for axis in range(len(shape)))
        return Extended(window + offset, shape, strides)


def run(
    function: Function,
    grid: Dim3,
    block: Dim3,
    arguments: Sequence[Any],
    lanes: int = 32,
    dynamic_shared_bytes: int = 0,
) -> Lines:
    """Run a grid, one block after the other; return the instructions that its threads executed, by line."""
    named = dict(zip(function.parameters, arguments, strict=True))
    constants = [i.array.memory.data for i in function.instructions if i.array is not None]
    arrays = [a for a in (*arguments, *constants) if isinstance(a, np.ndarray) and a.size]
    memory = [memory_of(array) for array in arrays]
    launch = Launch(function, grid, block, named, lanes, dynamic_shared_bytes, memory, Counter())
    blocks = []
    for z, y, x in product(*map(range, reversed(grid))):
        shared = np.zeros(launch.dynamic_from + dynamic_shared_bytes, np.uint8)
        blocks.append([Thread(launch, (x, y, z), number, shared) for number in range(math.prod(block))])
    with np.errstate(all="ignore"):
        for together in [[t for b in blocks for t in b]] if function.cooperative else blocks:
            run_together(together)
    return launch.lines


def run_together(threads: Sequence[Thread]) -> None:
    """Let all run to where they wait, and those go on who have met, until all have left."""
    running = {thread: thread.run() for thread in threads}
    waiting = {thread: arrival for thread in threads if (arrival := next(running[thread], None))}
    barriers: dict[tuple[Dim3, int], NamedBarrier] = defaultdict(NamedBarrier)
    while waiting:
        given = exchanged(waiting) or shared_by_some(waiting, barriers)
        given = given or shared_by_some(waiting, barriers) or passed(waiting)  # who came last may be all
        assert given, "threads wait for ever"
        for thread, result in given.items():
            del waiting[thread]
            try:
                waiting[thread] = running[thread].send(result)
            except StopIteration:
                continue


def exchanged(waiting: dict[Thread, Arrival]) -> dict[Thread, Result]:
    """What threads get whose lanes named just each other, for the same operation."""
    given: dict[Thread, Result] = {}
    warps: dict[tuple[Dim3, int, int, Opcode], list[Thread]] = {}
    alive: Counter[tuple[Dim3, int]] = Counter()
    for thread, arrival in waiting.items():
        alive[thread.block, thread.warp] |= 1 << thread.lane
        if isinstance(arrival.end, Exchange):
            named = int(arrival.values[0]) % (1 << thread.launch.lanes)
            assert named >> thread.lane & 1, "a lane does not name itself"
            warps.setdefault((thread.block, thread.warp, named, arrival.end.opcode), []).append(thread)
    for (block, warp, named, opcode), members in warps.items():
        brought: Brought = {thread.lane: waiting[thread].values for thread in members}
        if named & alive[block, warp] == sum(1 << lane for lane in brought):
            rule = EXCHANGE[opcode]
            given.update((thread, rule(brought, thread.lane, thread.launch.lanes)) for thread in members)
    return given


def passed(waiting: dict[Thread, Arrival]) -> dict[Thread, Result]:
    """What threads get at a barrier that all of their block have reached, or all of the grid."""
    given: dict[Thread, Result] = {}
    of_grid = {arrival.end.opcode for arrival in waiting.values()} == {Opcode.GRID_BARRIER}
    groups: dict[Dim3 | None, dict[Thread, Arrival]] = {}
    for thread, arrival in waiting.items():
        groups.setdefault(None if of_grid else thread.block, {})[thread] = arrival
    for group in groups.values():
        end, *others = {arrival.end for arrival in group.values()}
        if others or not isinstance(end, Barrier) or end.named:
            continue
        if of_grid or end.opcode is not Opcode.GRID_BARRIER:
            flags = [bool(arrival.values[0]) for arrival in group.values() if arrival.values]
            given.update(dict.fromkeys(group, (BARRIER[end.opcode](flags),) if flags else ()))
    return given


@dataclass
class NamedBarrier:
    """A barrier that a part of a block uses: who `came` in this phase, who waits, whose phase is `over`."""

    came: set[Thread] = field(default_factory=set)
    waits: set[Thread] = field(default_factory=set)
    over: set[Thread] = field(default_factory=set)
    dropped: set[Thread] = field(default_factory=set)
    needs: int = 0

    def opens(self) -> None:
        """The next phase begins."""
        self.over |= self.came
        self.came = {*self.dropped}


def shared_by_some(
    waiting: dict[Thread, Arrival], barriers: dict[tuple[Dim3, int], NamedBarrier]
) -> dict[Thread, Result]:
    """Who goes on from barriers with a number: those of a phase to which all have come that it counts."""
    given: dict[Thread, Result] = {}
    for (block, _), barrier in barriers.items():
        if barrier.came and not barrier.needs and barrier.came >= {t for t in waiting if t.block == block}:
            barrier.opens()
    for thread, arrival in waiting.items():
        end = arrival.end
        if not isinstance(end, Barrier) or not end.named:
            continue
        barrier = barriers[thread.block, int(arrival.values[0])]
        if end.opcode is not Opcode.NAMED_WAIT and thread not in barrier.waits:
            barrier.came.add(thread)
            barrier.over.discard(thread)
            if end.opcode is Opcode.NAMED_SYNC:
                barrier.waits.add(thread)
            elif end.opcode is Opcode.NAMED_DROP:
                barrier.dropped.add(thread)
            barrier.needs = int(arrival.values[1])
            if len(barrier.came) == barrier.needs:
                barrier.opens()
        if end.opcode in ARRIVES or thread in barrier.over:
            if end.opcode not in ARRIVES:
                barrier.over.discard(thread)
                barrier.waits.discard(thread)
            given[thread] = ()
    return given


def special_registers(launch: Launch, block: Dim3, number: int) -> dict[SpecialRegister, int]:
    """The special registers of thread `number` of a block. It is sure of no other lane's being active."""
    x, y, _z = launch.block
    thread, lane = (number % x, number // x % y, number // (x * y)), number % launch.lanes
    columns, rows, _layers = launch.grid
    triples = {"tid": thread, "ctaid": block, "ntid": launch.block, "nctaid": launch.grid}
    return {
        SpecialRegister(f"{name}.{axis}"): triple["xyz".index(axis)]
        for name, triple in triples.items()
        for axis in "xyz"
    } | {
        SpecialRegister.CTAID_LINEAR: block[0] + columns * (block[1] + rows * block[2]),
        SpecialRegister.LANEID: lane,
        SpecialRegister.WARPSIZE: launch.lanes,
        SpecialRegister.LANEMASK_LT: (1 << lane) - 1,
        SpecialRegister.ACTIVEMASK: 1 << lane,
    }


def typed(result: Any, dtype: np.dtype[Any]) -> Any:
    """A result in its register; of a whole number, the bits that fit."""
    if isinstance(result, int):
        return np.array(result % (1 << 64), np.uint64).astype(dtype)[()]
    return result if dtype.kind == "V" else dtype.type(result)


def executed_lines(block: Block, number: int) -> list[int]:
    """The line of each instruction of a block; to fall through to the next block is none."""
    end = block.terminator
    falls_through = isinstance(end, Jump) and end.target == number + 1
    return [i.span.line for i in block.instructions] + ([] if falls_through else [end.span.line])


def address_of(array: npt.NDArray[Any]) -> int:
    """Where the host has element [0, …, 0]."""
    address: int = array.__array_interface__["data"][0]
    return address


def memory_of(array: npt.NDArray[Any]) -> tuple[int, Bytes]:
    """The address of an array's first byte, and all bytes of the host's memory up to its last."""
    low, high = np.lib.array_utils.byte_bounds(array)
    return low, np.ctypeslib.as_array((ctypes.c_uint8 * (high - low)).from_address(low))
