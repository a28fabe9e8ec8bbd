"""What becomes of the blocks a front-end writes, and what is refused?"""

from __future__ import annotations

import numpy as np
import pytest

from gpusim.ir.builder import Builder
from gpusim.ir.instructions import Constant, Opcode
from gpusim.ir.terminators import Barrier, Branch, Jump, Return
from gpusim.ir.types import F32, F64, PRED, S32, S64, Space
from tests.from_text import define
from tests.ir.handmade import SOURCE, SPAN

ZERO = Constant(0, S64)


def compiled(body):
    text = "@cuda.jit\ndef kernel(x):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    return define(text).compiled(np.zeros(4))


def ends(body):
    """The kinds of terminator, in order."""
    return [type(block.terminator) for block in compiled(body).blocks]


def test_a_straight_line_is_one_block():
    assert ends("x[0] = 1\nx[1] = 2") == [Return]


def test_code_that_cannot_be_reached_is_dropped():
    assert ends("return\nx[0] = 1") == [Return]
    function = compiled("while True:\n    x[0] = 1\n    break\n    x[1] = 2\nx[2] = 3")
    stores = [i for block in function.blocks for i in block.instructions if i.opcode is Opcode.STORE]
    assert len(stores) == 2


def test_a_circle_of_empty_blocks_stays_a_circle():
    (block,) = compiled("while True:\n    pass").blocks
    assert (block.instructions, block.terminator.target) == ((), 0)


def test_a_barrier_ends_a_block():
    assert ends("x[0] = 1\ncuda.syncthreads()\nx[1] = 2") == [Barrier, Return]


def test_a_branch_that_decides_nothing_is_no_branch():
    assert Branch not in ends("if x[0] > 1:\n    pass\nx[0] = 1")
    assert Branch not in ends("if 3 > 1:\n    x[0] = 1\nelse:\n    x[0] = 2")


def test_blocks_stand_in_the_order_of_the_source():
    function = compiled("if x[0] > 1:\n    x[0] = 1\nelse:\n    x[0] = 2\nx[0] = 3")
    assert [type(block.terminator) for block in function.blocks] == [Branch, Jump, Jump, Return]
    assert [block.instructions[0].span.line for block in function.blocks] == [3, 4, 6, 7]
    assert function.reconvergence == (3, 3, 3, None)


def test_arrays_in_a_window_are_aligned_to_16_bytes():
    builder = Builder("kernel", SOURCE)
    offsets = [
        builder.reserve(name, type_, shape, Space.SHARED).offset
        for name, type_, shape in (("a", F32, (3,)), ("b", F64, (2, 2)), ("c", F32, (1,)))
    ]
    assert offsets == [0, 16, 48]
    assert (builder.bytes_used[Space.SHARED], builder.bytes_used[Space.LOCAL]) == (52, 0)


def test_a_branch_on_a_number_is_refused():
    builder = Builder("kernel", SOURCE)
    number = builder.value(Opcode.ADD, S64, (ZERO, ZERO), SPAN)
    with pytest.raises(AssertionError):
        builder.branch(number, builder.label(), builder.label(), SPAN)


@pytest.mark.parametrize(
    ("opcode", "type_", "operands", "result"),
    [
        (Opcode.ADD, S64, (ZERO,), None),  # one operand too few
        (Opcode.ADD, S64, (ZERO, Constant(0, S32)), None),  # of another type
        (Opcode.LT, S64, (ZERO, ZERO), S64),  # a comparison gives a predicate
        (Opcode.SELECT, S64, (ZERO, ZERO, ZERO), None),  # and select takes one
        (Opcode.LOAD, S64, (ZERO,), None),  # from no array
    ],
)
def test_a_malformed_instruction_is_refused_with_its_place(opcode, type_, operands, result):
    builder = Builder("kernel", SOURCE)
    builder.value(opcode, type_, operands, SPAN, result=result)
    with pytest.raises(AssertionError, match=rf"kernel.py:2: malformed {opcode.name}"):
        builder.finish(SPAN)


def test_a_predicate_is_one_bit_and_one_byte_in_memory():
    assert (PRED.bits, PRED.bytes, PRED.dtype) == (1, 1, np.dtype(bool))
