"""Does a kernel with fewer registers than it needs do the same, with loads and stores of local memory?"""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from gpusim import cuda
from gpusim.ir import reference
from gpusim.ir.instructions import Opcode
from gpusim.ir.spilling import SPILLED, bounded
from gpusim.ir.types import Space
from tests.from_text import define
from tests.hunting import some
from tests.properties.kernels import Kernel, kernels

X = np.zeros(32, np.float32)
SUM = """
@cuda.jit
def kernel(x, y, n):
    i = cuda.grid(1)
    a = x[i]
    total = np.float32(0.0)
    for k in range(n):
        total += x[k]
    y[i] = total + a
"""


def compiled(text, *arguments):
    return define(text).compiled(*arguments)


def spilled(function):
    """What goes to local memory, in order: `st a`, `ld a`."""
    return [
        f"{i.opcode.mnemonic} {i.array.name.removeprefix('spill_')}"
        for i in function.instructions
        if i.array is not None and i.array.space is Space.LOCAL
    ]


def test_a_bound_that_fits_changes_no_instruction():
    function = compiled(SUM, X, X, 32)
    same = bounded(function, function.registers_per_thread)
    assert same.blocks is function.blocks
    assert same.spilled_registers_per_thread == 0
    assert bounded(function, None).blocks is function.blocks


def test_what_waits_outside_of_a_loop_goes_before_what_changes_in_it():
    function = compiled(SUM, X, X, 32)
    less = bounded(function, function.registers_per_thread - 1)
    assert less.registers_per_thread < function.registers_per_thread
    assert less.max_registers == function.registers_per_thread - 1
    went = {each.split()[1] for each in spilled(less)}
    assert went <= {"a", "i", "n"}
    assert less.local_bytes == 4 * less.spilled_registers_per_thread > 0


ALIKE = """
import numpy as np
from gpusim.ir.spilling import bounded
from tests.from_text import define

LINES = "\\n".join(f"        {each} += x[k]" for each in "abcdefgh")
KERNEL = f'''
@cuda.jit
def kernel(x, y, n):
    a = b = c = d = e = f = g = h = 0.0
    for k in range(n):
{LINES}
    y[0] = a + b + c + d + e + f + g + h
'''
print(bounded(define(KERNEL).compiled(np.zeros(9), np.zeros(9), 3), 16))
"""


def test_of_values_worth_the_same_the_same_go_in_every_process():
    found = {
        subprocess.run(
            [sys.executable, "-c", ALIKE],
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in some("0123", 2)
    }
    (only,) = found
    assert SPILLED in only


def test_a_threads_index_is_asked_for_again():
    """One more instruction, and no memory."""
    function = compiled(
        """
@cuda.jit
def kernel(x):
    t = cuda.threadIdx.x
    a, b, c = x[0], x[1], x[2]
    x[3] = a * b * c + a + b + c
    x[t] = 1
""",
        np.zeros(32, np.float32),
    )
    less = bounded(function, function.registers_per_thread - 1)
    assert less.registers_per_thread == function.registers_per_thread - 1
    assert spilled(less) == []
    assert less.spilled_registers_per_thread == 0


def test_a_value_that_was_just_loaded_is_not_loaded_again():
    function = compiled(
        """
@cuda.jit
def kernel(x):
    a = x[0]
    b = a * a
    c = x[1]
    d = c * x[2]
    x[3] = b * d + b
""",
        np.zeros(4),
    )
    less = bounded(function, function.registers_per_thread - 2)
    assert spilled(less) == ["st b", "ld b"]  # for b * d, and for what follows at once


def test_fewer_than_an_instruction_needs_cannot_be_had():
    function = compiled(SUM, X, X, 32)
    least = bounded(function, 1)
    assert 1 < least.registers_per_thread <= 4
    assert bounded(function, 2).registers_per_thread == least.registers_per_thread


def test_loads_and_stores_are_counted_at_the_lines_that_cause_them():
    """Line 4 makes `a`, and line 8 uses it, after the loop: 32 lanes × 4 bytes are four sectors."""
    kernel = cuda.jit(max_registers=8)(define(SUM).py_func)
    x, y = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    with gpusim.profile("H200") as run:
        kernel[1, 32](x, y, 32)
    assert (y == 496 + np.arange(32)).all()
    assert run.local_store_sectors == run.local_load_sectors > 0
    lines = {row["line"]: row for row in run.kernels[0].lines}
    by_line = {line: row["local_load_sectors"] for line, row in lines.items() if row["local_load_sectors"]}
    assert sum(by_line.values()) == run.local_load_sectors
    assert 6 not in by_line and 7 not in by_line  # noqa: PT018 - the loop has none


@pytest.mark.parametrize("most", [2, 6, 10])
def test_values_that_are_exchanged_and_parameters_may_go(machine, most):
    @cuda.jit(max_registers=most)
    def kernel(x, scale, shift):
        i = cuda.threadIdx.x
        mine = x[i]
        other = cuda.shfl_xor_sync(-1, mine, 1)
        cuda.syncthreads()
        x[i] = scale * other + shift * mine + i

    x = np.arange(64, dtype=np.float64)
    kernel[1, 64](x, 2.0, 3.0)
    i = np.arange(64)
    assert (x == 2.0 * (i ^ 1) + 3.0 * i + i).all()


def test_no_checker_finds_anything_in_spilled_values():
    kernel = cuda.jit(max_registers=4)(define(SUM).py_func)
    with gpusim.sanitize(device="H200") as report:
        kernel[1, 32](X, np.zeros(32, np.float32), 32)
    assert report.clean, report


@given(kernel=kernels(), most=st.integers(2, 12), seed=st.integers(0, 2**31))
def test_random_kernels_leave_the_same_with_fewer_registers(kernel: Kernel, most: int, seed: int) -> None:
    free, tight = kernel.arguments(40), kernel.arguments(40)
    with gpusim.use("H200"):
        function = kernel.function.compiled(*free)
        less = bounded(function, most)
        reference.run(function, (1, 1, 1), (40, 1, 1), free, 32)
        reference.run(less, (1, 1, 1), (40, 1, 1), tight, 32)
        on_the_machine = kernel.arguments(40)
        with gpusim.use(schedule=seed):
            cuda.jit(max_registers=most)(kernel.function.py_func)[1, 40](*on_the_machine)
    assert less.registers_per_thread <= function.registers_per_thread
    for first, second, third in zip(free, tight, on_the_machine, strict=True):
        assert np.asarray(first).tobytes() == np.asarray(second).tobytes() == np.asarray(third).tobytes()
    loads = [i for i in less.instructions if i.opcode is Opcode.LOAD and i.array.space is Space.LOCAL]
    assert bool(loads) <= bool(less.spilled_registers_per_thread or function.local_bytes)
