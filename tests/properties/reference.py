"""What would a kernel do if threads ran one at a time? The IR's meaning without warps, masks or schedules.

Each thread is a Python generator over NumPy scalars. It runs on until a block barrier or an exchange, where
it yields what it brings. Lanes of a warp that name just each other get what the exchange gives them; when
every thread of the block that has not left stands at the barrier, all go on. The machine must leave the same
bits in memory, and execute the same instructions for each thread, whatever its model, width and schedule.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from gpusim.ir.control_flow import Block
from gpusim.ir.details import Received
from gpusim.ir.instructions import (
    ArrayOperand,
    Barrier,
    Branch,
    Constant,
    Exchange,
    Instruction,
    Jump,
    Kind,
    Opcode,
    Register,
    Return,
)
from gpusim.ir.program import Function
from gpusim.ir.types import Space

Lines = Counter[int]  # source line -> instructions that threads executed there

SCALAR = {
    Opcode.ADD: operator.add,
    Opcode.SUB: operator.sub,
    Opcode.MUL: operator.mul,
    Opcode.DIV: operator.truediv,
    Opcode.FLOOR_DIV: operator.floordiv,
    Opcode.FLOOR_MOD: operator.mod,
    Opcode.MIN: lambda a, b: b if a != a or b < a else a,  # a NaN loses
    Opcode.MAX: lambda a, b: b if a != a or b > a else a,
    Opcode.AND: operator.and_,
    Opcode.OR: operator.or_,
    Opcode.XOR: operator.xor,
    Opcode.SHL: operator.lshift,
    Opcode.SHR: operator.rshift,
    Opcode.NEG: operator.neg,
    Opcode.NOT: operator.invert,
    Opcode.ABS: abs,
    Opcode.SQRT: np.sqrt,
    Opcode.FLOOR: np.floor,
    Opcode.CEIL: np.ceil,
    Opcode.MOVE: lambda a: a,
    Opcode.EQ: operator.eq,
    Opcode.NE: operator.ne,
    Opcode.LT: operator.lt,
    Opcode.LE: operator.le,
    Opcode.GT: operator.gt,
    Opcode.GE: operator.ge,
    Opcode.SELECT: lambda flag, a, b: a if flag else b,
    Opcode.POPC: lambda a: bits_of(a).count("1"),
    Opcode.BREV: lambda a: np.array(int(bits_of(a)[::-1], 2), f"u{a.itemsize}").astype(a.dtype),
    Opcode.CLZ: lambda a: (bits_of(a) + "1").index("1"),
    Opcode.FFS: lambda a: ("0" + bits_of(a)[::-1]).find("1") if a else 0,
}
# from the old value and what the thread gives to the new one
ATOMIC = {
    Opcode.ATOMIC_ADD: operator.add,
    Opcode.ATOMIC_SUB: operator.sub,
    Opcode.ATOMIC_AND: operator.and_,
    Opcode.ATOMIC_OR: operator.or_,
    Opcode.ATOMIC_XOR: operator.xor,
    Opcode.ATOMIC_MIN: min,
    Opcode.ATOMIC_MAX: max,
    Opcode.ATOMIC_NANMIN: min,
    Opcode.ATOMIC_NANMAX: max,
    Opcode.ATOMIC_INC: lambda old, limit: 0 if old >= limit else old + 1,
    Opcode.ATOMIC_DEC: lambda old, limit: limit if old == 0 or old > limit else old - 1,
    Opcode.ATOMIC_EXCHANGE: lambda _old, new: new,
    Opcode.ATOMIC_CAS: lambda old, compare, new: new if old == compare else old,
}


@dataclass
class Arrival:
    """A thread waits: at which block's end, for which operation, and the values it brings, a mask first."""

    block: int
    opcode: Opcode
    values: list[Any]
    site: Any


Lane = int
Warp = dict[Lane, Arrival]


def read_from(source: Callable[[Lane, int], int]) -> Callable[[Warp, Lane, int], tuple[Any, ...]]:
    """A shuffle: the value of the source lane, 0 if it takes no part, one's own if there is no such lane."""

    def rule(warp: Warp, lane: Lane, lanes: int) -> tuple[Any, ...]:
        _mask, own, argument = warp[lane].values
        other = source(lane, int(argument) % lanes)
        if not 0 <= other < lanes:
            return (own,)
        return (warp[other].values[1] if other in warp else own.dtype.type(0),)

    return rule


def vote(decide: Callable[[dict[Lane, bool]], int]) -> Callable[[Warp, Lane, int], tuple[Any, ...]]:
    """One answer about the predicates of all."""
    return lambda warp, _lane, _lanes: (decide({k: bool(a.values[1]) for k, a in warp.items()}),)


def equal_to(lane: Lane, warp: Warp) -> int:
    """The mask of the lanes that bring the same bits."""
    own = warp[lane].values[1].tobytes()
    return sum(1 << other for other, arrival in warp.items() if arrival.values[1].tobytes() == own)


EXCHANGE: dict[Opcode, Callable[[Warp, Lane, int], tuple[Any, ...]]] = {
    Opcode.SHFL_IDX: read_from(lambda _lane, argument: argument),
    Opcode.SHFL_UP: read_from(lambda lane, argument: lane - argument),
    Opcode.SHFL_DOWN: read_from(lambda lane, argument: lane + argument),
    Opcode.SHFL_XOR: read_from(lambda lane, argument: lane ^ argument),
    Opcode.BALLOT: vote(lambda flags: sum(1 << lane for lane, flag in flags.items() if flag)),
    Opcode.VOTE_ALL: vote(lambda flags: all(flags.values())),
    Opcode.VOTE_ANY: vote(lambda flags: any(flags.values())),
    Opcode.VOTE_EQ: vote(lambda flags: len(set(flags.values())) == 1),
    Opcode.MATCH_ANY: lambda warp, lane, _lanes: (equal_to(lane, warp),),
    Opcode.MATCH_ALL: lambda warp, lane, _lanes: (
        (members, True) if (members := equal_to(lane, warp)) == sum(1 << k for k in warp) else (0, False)
    ),
    Opcode.SYNC_WARP: lambda _warp, _lane, _lanes: (),
}
BARRIER: dict[Opcode, Callable[[list[bool]], tuple[Any, ...]]] = {
    Opcode.BARRIER: lambda _flags: (),
    Opcode.BARRIER_COUNT: lambda flags: (sum(flags),),
    Opcode.BARRIER_AND: lambda flags: (all(flags),),
    Opcode.BARRIER_OR: lambda flags: (any(flags),),
}


def bits_of(number: Any) -> str:
    """An integer's binary digits, the highest first, as many as its type has."""
    width = number.itemsize * 8
    return f"{int(number) % (1 << width):0{width}b}"


def converted(number: Any, dtype: np.dtype[Any]) -> Any:
    """A float as an integer: toward zero, clamped to 32 or 64 bits, of which the lower ones are kept."""
    if dtype.kind in "iu" and isinstance(number, np.floating):
        wide = np.iinfo(f"{dtype.kind}{max(4, dtype.itemsize)}")
        if math.isnan(number):
            whole = 2 ** (wide.bits - 1) if 8 in (number.itemsize, dtype.itemsize) else 0
        else:
            whole = wide.max if number > wide.max else wide.min if number < wide.min else int(number)
        return np.array(whole % 2**64, np.uint64).astype(dtype)[()]
    return np.asarray(number).astype(dtype)[()]


def executed_lines(block: Block, number: int) -> list[int]:
    """The line of each instruction of a block; to fall through to the next block is none."""
    end = block.terminator
    falls_through = isinstance(end, Jump) and end.target == number + 1
    return [i.span.line for i in block.instructions] + ([] if falls_through else [end.span.line])


class Thread:
    """One thread: its registers, its place, and the arrays it can reach."""

    def __init__(
        self,
        function: Function,
        special: dict[str, int],
        arguments: dict[Any, Any],
        shared: dict[ArrayOperand, Any],
        lines: Lines,
    ) -> None:
        self.function, self.special, self.shared, self.lines = function, special, shared, lines
        self.arguments = arguments
        self.registers = {r: r.type.dtype.type(v) for r, v in arguments.items() if isinstance(r, Register)}
        self.local: dict[ArrayOperand, Any] = {}
        self.received: tuple[Any, ...] = ()

    def run(self) -> Generator[Arrival, tuple[Any, ...], None]:
        """Execute block after block; yield at barriers and exchanges, to be sent what they give."""
        number = 0
        while True:
            block = self.function.blocks[number]
            for instruction in block.instructions:
                self.step(instruction)
            self.lines.update(executed_lines(block, number))
            match block.terminator:
                case Return():
                    return
                case Jump(target=target):
                    number = target
                case Branch(condition=condition, then=then, otherwise=otherwise):
                    number = then if self.registers[condition] else otherwise
                case Barrier(target=target) | Exchange(target=target) as end:
                    values = [self.value(operand) for operand in end.operands]
                    self.received = yield Arrival(number, end.opcode, values, end)
                    number = target

    def step(self, instruction: Instruction) -> None:
        """Execute one instruction."""
        opcode, dtype = instruction.opcode, instruction.type.dtype
        values = [self.value(operand) for operand in instruction.operands]
        match opcode.kind:
            case Kind.SPECIAL:
                result = self.special[instruction.detail.value]
            case Kind.EXTENT:
                result = self.array(instruction).shape[instruction.detail.number]
            case Kind.CONVERT:
                result = converted(values[0], dtype)
            case Kind.MEMORY | Kind.ATOMIC:
                array = self.array(instruction)
                place = tuple(int(self.value(index)) for index in instruction.place.indices)
                result = array[place]
                if opcode is Opcode.STORE:
                    array[place] = values[-1]
                elif opcode.kind is Kind.ATOMIC:
                    array[place] = ATOMIC[opcode](result, *values)
            case Kind.RECEIVE:
                result = self.received[instruction.detail is Received.AGREED]
                if isinstance(result, int):  # a mask may have the highest bit of its type
                    result = np.array(result % (1 << 64), np.uint64).astype(dtype)[()]
            case Kind.EFFECT:
                return  # memory is the same for all threads at all times
            case _:
                result = SCALAR[opcode](*values)
        if instruction.destination is not None:
            kept = np.bool_ if opcode.kind is Kind.COMPARE else dtype.type
            self.registers[instruction.destination] = kept(result)

    def value(self, operand: Register | Constant) -> Any:
        """A register that no path has written is a KeyError: kernels of these tests never read one."""
        if isinstance(operand, Constant):
            return operand.type.dtype.type(operand.value)
        return self.registers[operand]

    def array(self, instruction: Instruction) -> Any:
        """The argument, the block's own copy or the thread's own copy."""
        operand = instruction.array
        assert operand is not None
        if operand.space is Space.GLOBAL:
            return self.arguments[operand]
        copies = self.shared if operand.space is Space.SHARED else self.local
        return copies.setdefault(operand, np.zeros(operand.shape, operand.element.dtype))


def run(
    function: Function,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    arguments: Sequence[Any],
    lanes: int = 32,
) -> Lines:
    """Run a grid, one block after the other; return the instructions that its threads executed, by line."""
    lines: Lines = Counter()
    named = dict(zip(function.parameters, arguments, strict=True))
    with np.errstate(all="ignore"):
        for z, y, x in product(*map(range, reversed(grid))):
            shared: dict[ArrayOperand, Any] = {}
            threads = [
                Thread(function, special(grid, block, (x, y, z), thread, lanes), named, shared, lines)
                for thread in range(math.prod(block))
            ]
            run_block([thread.run() for thread in threads], lanes)
    return lines


def special(
    grid: tuple[int, ...], block: tuple[int, ...], place: tuple[int, ...], thread: int, lanes: int
) -> dict[str, int]:
    """The special registers of thread number `thread` of the block at `place`."""
    of_thread = (thread % block[0], thread // block[0] % block[1], thread // (block[0] * block[1]))
    triples = {"tid": of_thread, "ctaid": place, "ntid": block, "nctaid": grid}
    registers = {f"{name}.{axis}": t["xyz".index(axis)] for name, t in triples.items() for axis in "xyz"}
    lane = thread % lanes
    return {**registers, "laneid": lane, "warpsize": lanes, "lanemask_lt": (1 << lane) - 1}


def run_block(threads: list[Generator[Arrival, tuple[Any, ...], None]], lanes: int) -> None:
    """Let all threads run to where they wait, and those go on who have met, until all have left."""
    waiting = {number: arrival for number, thread in enumerate(threads) if (arrival := next(thread, None))}
    while waiting:
        given = exchanged(waiting, lanes) or passed(waiting)
        assert given, "threads wait for ever"
        for number, result in given.items():
            del waiting[number]
            try:
                waiting[number] = threads[number].send(result)
            except StopIteration:
                continue


def exchanged(waiting: dict[int, Arrival], lanes: int) -> dict[int, tuple[Any, ...]]:
    """What threads get whose lanes named just each other, for the same operation."""
    given: dict[int, tuple[Any, ...]] = {}
    warps: dict[tuple[int, int, Opcode], Warp] = {}
    alive: Counter[int] = Counter()
    for number, arrival in waiting.items():
        warp, lane = divmod(number, lanes)
        alive[warp] |= 1 << lane
        if isinstance(arrival.site, Exchange):
            named = int(arrival.values[0]) % (1 << lanes)
            assert named >> lane & 1, "a lane does not name itself"
            warps.setdefault((warp, named, arrival.opcode), {})[lane] = arrival
    for (warp, named, opcode), members in warps.items():
        if named & alive[warp] == sum(1 << lane for lane in members):
            for lane in members:
                given[warp * lanes + lane] = EXCHANGE[opcode](members, lane, lanes)
    return given


def passed(waiting: dict[int, Arrival]) -> dict[int, tuple[Any, ...]]:
    """What threads get at a barrier that all of the block have reached."""
    sites = {arrival.block: arrival.site for arrival in waiting.values()}
    if len(sites) != 1 or not isinstance(*sites.values(), Barrier):
        return {}
    opcode = next(iter(waiting.values())).opcode
    flags = [bool(arrival.values[0]) for arrival in waiting.values() if arrival.values]
    return dict.fromkeys(waiting, BARRIER[opcode](flags))
