"""What would a kernel do if threads ran one at a time? The IR's meaning without warps, masks or schedules.

Each thread is a Python generator over NumPy scalars. It runs on until a block barrier, where it yields; when
every thread of the block that has not left stands at the barrier, all go on. The machine must leave the same
bits in memory, and execute the same instructions for each thread, whatever its model, width and schedule.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from gpusim.ir.control_flow import Block
from gpusim.ir.instructions import (
    ArrayOperand,
    Barrier,
    Branch,
    Constant,
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
}


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

    def run(self) -> Iterator[int]:
        """Execute block after block; yield the number of the block that ends at a barrier."""
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
                case Barrier(target=target):
                    yield number
                    number = target

    def step(self, instruction: Instruction) -> None:
        """Execute one instruction."""
        opcode, dtype = instruction.opcode, instruction.type.dtype
        values = [self.value(operand) for operand in instruction.operands]
        match opcode.kind:
            case Kind.SPECIAL:
                result = self.special[instruction.name]
            case Kind.EXTENT:
                result = self.array(instruction).shape[instruction.axis]
            case Kind.CONVERT:
                result = converted(values[0], dtype)
            case Kind.MEMORY | Kind.ATOMIC:
                array = self.array(instruction)
                place = tuple(int(index) for index in values[: array.ndim])
                result = array[place]
                if opcode is Opcode.STORE:
                    array[place] = values[-1]
                elif opcode is Opcode.ATOMIC_ADD:
                    array[place] = result + values[-1]
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
            run_block([thread.run() for thread in threads])
    return lines


def special(
    grid: tuple[int, ...], block: tuple[int, ...], place: tuple[int, ...], thread: int, lanes: int
) -> dict[str, int]:
    """The special registers of thread number `thread` of the block at `place`."""
    of_thread = (thread % block[0], thread // block[0] % block[1], thread // (block[0] * block[1]))
    triples = {"tid": of_thread, "ctaid": place, "ntid": block, "nctaid": grid}
    registers = {f"{name}.{axis}": t["xyz".index(axis)] for name, t in triples.items() for axis in "xyz"}
    return {**registers, "laneid": thread % lanes, "warpsize": lanes}


def run_block(threads: list[Iterator[int]]) -> None:
    """Let all threads run to the barrier, again and again, until all have left."""
    while threads:
        barriers = [(thread, next(thread, None)) for thread in threads]
        threads = [thread for thread, barrier in barriers if barrier is not None]
        assert len({barrier for _, barrier in barriers if barrier is not None}) <= 1, (
            "threads at two barriers"
        )
