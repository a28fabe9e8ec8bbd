"""Is a function well formed? Checked once, when it is built, so that the machine need not ask."""

from __future__ import annotations

from gpusim.ir import control_flow
from gpusim.ir.instructions import Barrier, Branch, Exchange, Instruction, Kind, Opcode
from gpusim.ir.program import Function
from gpusim.ir.types import PRED, U64, Space


def check(function: Function) -> None:
    """Raise `AssertionError` with the place where a front-end built something wrong."""
    for index, block in enumerate(function.blocks):
        for target in control_flow.successors(block.terminator):
            assert 0 <= target < len(function.blocks), f"block {index} goes to {target}, which does not exist"
        if isinstance(block.terminator, Branch):
            assert block.terminator.condition.type is PRED, f"block {index} branches on a number"
        if isinstance(block.terminator, Exchange | Barrier):
            assert len(block.terminator.operands) == block.terminator.opcode.values
        for instruction in block.instructions:
            _check_instruction(instruction)


def _check_instruction(instruction: Instruction) -> None:
    opcode, operands = instruction.opcode, instruction.operands
    where = instruction.span.describe(f"malformed {opcode.name}")
    indices = instruction.array.place_operands if opcode.accesses_memory and instruction.array else 0
    assert opcode.values is None or len(operands) == indices + opcode.values, where
    assert (instruction.array is not None) == (opcode.accesses_memory or opcode.kind is Kind.EXTENT), where
    assert all(operand.type.is_integer for operand in operands[:indices]), where
    if instruction.array is not None and instruction.array.space is Space.GENERIC:
        assert opcode.accesses_memory, where
        assert operands[0].type is U64, where
    if opcode is Opcode.PACK:
        assert sum(operand.type.bytes for operand in operands) == instruction.type.bytes, where
    if opcode is Opcode.PART:
        assert 0 <= instruction.axis <= operands[0].type.bytes - instruction.type.bytes, where
    if opcode is Opcode.SELECT:
        assert operands[0].type is PRED, where
        operands = operands[1:]
    if opcode.kind not in (Kind.CONVERT, Kind.EFFECT):
        assert all(operand.type is instruction.type for operand in operands[indices:]), where
    if opcode is not Opcode.STORE and opcode.kind is not Kind.EFFECT:
        result = PRED if opcode.kind is Kind.COMPARE else instruction.type
        assert instruction.destination is not None, where
        assert instruction.destination.type is result, where
