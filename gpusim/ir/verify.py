"""Is a function well formed? Checked once, when it is built, so that the machine need not ask."""

from __future__ import annotations

from gpusim.ir import control_flow
from gpusim.ir.details import Part
from gpusim.ir.instructions import Instruction, Kind, Opcode, Place
from gpusim.ir.program import Function
from gpusim.ir.terminators import Barrier, Branch, Exchange
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
            try:
                _check_instruction(instruction)
            except AssertionError:
                malformed = f"malformed {instruction.opcode.name}"
                raise AssertionError(instruction.span.describe(malformed)) from None


def _check_instruction(instruction: Instruction) -> None:
    opcode, operands = instruction.opcode, instruction.operands
    assert opcode.values is None or len(operands) == opcode.values
    assert isinstance(instruction.detail, opcode.detail)
    assert (instruction.place is not None) == (opcode.accesses_memory or opcode.kind is Kind.EXTENT)
    if instruction.place is not None:
        assert (_leads_somewhere if opcode.accesses_memory else _is_an_array)(instruction.place)
    if opcode is Opcode.PACK:
        assert sum(operand.type.bytes for operand in operands) == instruction.type.bytes
    if opcode is Opcode.PART:
        behind = operands[0].type.bytes - instruction.type.bytes
        assert 0 <= instruction.the(Part).first_byte <= behind
    if opcode is Opcode.SELECT:
        assert operands[0].type is PRED
        operands = operands[1:]
    if opcode.kind not in (Kind.CONVERT, Kind.EFFECT, Kind.TEXTURE, Kind.RUNTIME):
        assert all(operand.type is instruction.type for operand in operands)
    if opcode not in (Opcode.STORE, Opcode.SUST) and opcode.kind is not Kind.EFFECT:
        result = PRED if opcode.kind is Kind.COMPARE else instruction.type
        assert instruction.destination is not None
        assert instruction.destination.type is result


def _leads_somewhere(place: Place) -> bool:
    """Has it an address, where its array is anywhere, or an index an axis, and what a part has besides?"""
    array, axes, geometry, address = place.array, place.array.dimensions, place.geometry, place.address
    if array.space is Space.GENERIC and geometry is None:
        return address is not None and address.type is U64 and not place.indices
    counts = [len(place.indices)]
    if geometry is not None:
        counts += [len(geometry.strides_bytes), axes if array.pointer else len(geometry.extents)]
    whole = (geometry is None) == (array.root is None) and address is None
    return whole and counts.count(axes) == len(counts) and all(o.type.is_integer for o in place.operands)


def _is_an_array(place: Place) -> bool:
    """Is it no access, but a whole array that may be asked about?"""
    return place.array.space is not Space.GENERIC and not place.operands
