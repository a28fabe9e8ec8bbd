"""Which loops need no counter? Those whose rounds are known: they are written one behind the other.

    for k in range(4):          total += x[0]
        total += x[k]           total += x[1]
                                total += x[2]
                                total += x[3]

No test, no jump and no `k` are left, and what one round loads need not wait for the round before it
(`gpusim.ir.scheduling`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from gpusim.ir import control_flow
from gpusim.ir.builder import simplified
from gpusim.ir.control_flow import Block, predecessors
from gpusim.ir.instructions import Constant, Instruction, Kind, Opcode, Operand, Register
from gpusim.ir.operations import OPERATORS
from gpusim.ir.program import Function
from gpusim.ir.renaming import reading
from gpusim.ir.terminators import Branch, Jump
from gpusim.ir.types import Scalar

MOST_INSTRUCTIONS = 4096  # of all rounds of a loop; one with more stays a loop
FOLDED = (Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.FLOOR_DIV, Opcode.MOVE, Opcode.CONVERT)


def unrolled(function: Function) -> Function:
    """The kernel without its loops from one known number to another, the inner ones first.

    A loop with a branch, a barrier or an exchange in it stays as it is.
    """
    written = function
    while (loop := _first_loop(function)) is not None:
        blocks = dict(enumerate(function.blocks))
        body = blocks[loop.body]
        blocks[loop.head] = Block((), Jump(loop.body, body.span))
        blocks[loop.body] = Block(body.instructions * loop.rounds, Jump(loop.after, body.terminator.span))
        function = replace(function, blocks=simplified(blocks))
    return written if function is written else replace(function, blocks=tuple(_computed(function)))


@dataclass(frozen=True)
class _Loop:
    """A test, block `head`, which leads to `body` and back again so many times, then to `after`."""

    head: int
    body: int
    after: int
    rounds: int


def _first_loop(function: Function) -> _Loop | None:
    blocks, comes_from = function.blocks, predecessors(function.blocks)
    for head, block in enumerate(blocks):
        end = block.terminator
        if not isinstance(end, Branch) or comes_from[end.then] != [head] or len(block.instructions) != 1:
            continue
        body, (test,) = end.then, block.instructions
        outside = [each for each in comes_from[head] if each not in (body, head)]
        if len(comes_from[head]) != 2 or len(outside) != 1:
            continue
        before = outside[0]
        straight = all(isinstance(blocks[each].terminator, Jump) for each in (before, body))
        alone = test.destination is end.condition and end.condition not in function.live_in[end.otherwise]
        if straight and alone and blocks[body].terminator.target == head:  # type: ignore[union-attr]
            rounds = _rounds(blocks[before], test, blocks[body])
            if 0 < rounds * len(blocks[body].instructions) <= MOST_INSTRUCTIONS:
                return _Loop(head, body, end.otherwise, rounds)
    return None


def _rounds(before: Block, test: Instruction, body: Block) -> int:
    """How often does the loop run? 0 if nobody can say."""
    if test.opcode.kind is not Kind.COMPARE or test.opcode not in OPERATORS:
        return 0
    counter, limit = test.operands
    if not isinstance(counter, Register) or not isinstance(limit, Constant) or not counter.type.is_integer:
        return 0
    start, steps = _last_write(before, counter), [i for i in body.instructions if i.destination is counter]
    if start is None or start.opcode is not Opcode.MOVE or len(steps) != 1:
        return 0
    (first,), (step, *_) = start.operands, steps[0].operands[1:] or (None,)
    if steps[0].opcode is not Opcode.ADD or steps[0].operands[0] is not counter:
        return 0
    if not isinstance(first, Constant) or not isinstance(step, Constant):
        return 0
    value, rounds = first.value, 0
    while OPERATORS[test.opcode](value, limit.value):
        value, rounds = value + step.value, rounds + 1
        if rounds > MOST_INSTRUCTIONS or not _fits(value, counter.type):
            return 0
    return rounds


def _computed(function: Function) -> Iterator[Block]:
    """The blocks with what is known put in its place, and without what nobody needs then."""
    for index, block in enumerate(function.blocks):
        known: dict[Register, Operand] = {}
        found: list[Instruction] = []
        for each in block.instructions:
            instruction, made = reading(each, known), each.destination
            if made is not None:
                known.pop(made, None)
                if (number := _folded(instruction)) is not None:
                    known[made] = number
                    instruction = replace(instruction, opcode=Opcode.MOVE, operands=(number,))
            found.append(instruction)
        needed = control_flow.live_after(function.blocks, function.live_in, index)
        needed |= control_flow.read_by(block.terminator)
        kept: list[Instruction] = []
        for instruction in reversed(found):
            made = instruction.destination
            if made is None or made in needed or instruction.opcode is not Opcode.MOVE:
                needed = (needed - {made}) | set(instruction.reads)
                kept.append(instruction)
        yield Block(tuple(reversed(kept)), block.terminator)


def _last_write(block: Block, register: Register) -> Instruction | None:
    """What gives it its value at the end of the block, if nothing reads it there."""
    for instruction in reversed(block.instructions):
        if register in instruction.reads:
            return None
        if instruction.destination is register:
            return instruction
    return None


def _folded(instruction: Instruction) -> Constant | None:
    """What it computes, if that is known and fits its type: 3 × 4096."""
    values = [each.value for each in instruction.operands if isinstance(each, Constant)]
    if instruction.opcode not in FOLDED or len(values) < len(instruction.operands):
        return None
    if not instruction.type.is_integer or not all(isinstance(value, int) for value in values):
        return None
    if instruction.opcode is Opcode.FLOOR_DIV and values[1] == 0:
        return None
    number = values[0] if instruction.opcode is Opcode.CONVERT else OPERATORS[instruction.opcode](*values)
    return Constant(number, instruction.type) if _fits(number, instruction.type) else None


def _fits(number: int, type_: Scalar) -> bool:
    low = -(1 << (type_.bits - 1)) if type_.kind == "i" else 0
    return low <= number < low + (1 << type_.bits)
