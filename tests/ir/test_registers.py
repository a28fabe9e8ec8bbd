"""How many registers does a thread need at once? Counted by hand: 64-bit values take two, predicates none."""

from __future__ import annotations

import numpy as np
import pytest

from gpusim.ir.control_flow import Block, live_registers
from gpusim.ir.instructions import Instruction, Opcode, Register
from gpusim.ir.registers import pressure, words
from gpusim.ir.types import F32, F64, PRED, S8, S32, S64
from tests.from_text import define
from tests.ir.handmade import SPAN, leave


@pytest.mark.parametrize(
    ("types", "expected"),
    [([], 0), ([PRED], 0), ([S8], 1), ([S32, F32], 2), ([S64], 2), ([F64, S64, F32, PRED], 5)],
)
def test_words(types, expected):
    assert words(Register(str(i), type_) for i, type_ in enumerate(types)) == expected


def test_the_busiest_point_counts():
    a, b, c, d = (Register(name, F32) for name in "abcd")

    def instruction(destination, *operands):
        return Instruction(Opcode.ADD, F32, destination, operands, SPAN)

    one_by_one = [instruction(a), instruction(b, a, a), instruction(c, b, b), instruction(d, c, c)]
    all_at_once = [instruction(a), instruction(b), instruction(c), instruction(d, a, b), instruction(d, d, c)]
    for instructions, most in ((one_by_one, 1), (all_at_once, 3)):
        blocks = (Block(tuple(instructions), leave()),)
        assert pressure(blocks, live_registers(blocks)) == most


@pytest.mark.parametrize(
    ("body", "registers"),
    [
        ("x[0] = 1.0", 0),  # a constant at a constant place
        ("x[cuda.threadIdx.x] = 1.0", 1),  # s32
        ("i = cuda.grid(1)\n    x[i] = 1.0", 6),  # tid, ntid and ctaid as s64
        ("a = x[0]\n    b = x[1]\n    x[2] = a * b", 4),  # two f64
    ],
)
def test_kernels_by_hand(body, registers):
    kernel = define(f"@cuda.jit\ndef kernel(x):\n    {body}\n")
    assert kernel.compiled(np.zeros(3)).registers_per_thread == registers


def test_single_precision_halves_them():
    kernel = define("@cuda.jit\ndef kernel(x):\n    a = x[0]\n    b = x[1]\n    x[2] = a * b\n")
    assert kernel.compiled(np.zeros(3, np.float32)).registers_per_thread == 2


def test_parts_of_a_wide_value_are_registers_of_the_whole():
    """`a` takes four registers, and taking it apart takes none more."""
    text = """
@cuda.jit
def kernel(x, y):
    a = x[0]
    y[0] = a.real * a.imag
"""
    assert define(text).compiled(np.zeros(1, complex), np.zeros(1)).registers_per_thread == 4
