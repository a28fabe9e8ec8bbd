"""Whose kernels does the reader's kernel launch? Those of locked cells, or others of the same name."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest

from gpusim import cuda, cudart, grading
from gpusim.grading import CheckFailed


@cuda.jit
def child(x):
    x[0] = 1


locked = child


@cuda.jit
def child(x):  # another kernel of that name
    x[0] = 2


another = child


@cuda.jit
def launches_the_locked_one(x):
    locked[1, 1](x)
    cudart.cudaMemsetAsync(x, 0, 8)


@cuda.jit
def launches_another(x):
    another[1, 1](x)


@cuda.jit
def launches_itself(x):
    if x[0] == 0:
        x[0] = 1
        launches_itself[1, 1](x)


def ran_only(kernel: Any, *of_locked_cells: Any) -> None:
    run = grading.launched(grading.launch(kernel, 1, 1), np.zeros(1), device="H200", where="here")
    grading.ran_only(run, kernel.__name__, *of_locked_cells, where="here")


def test_a_kernel_of_a_locked_cell_may_run_and_so_may_the_runtimes_own() -> None:
    ran_only(launches_the_locked_one, locked)


@pytest.mark.parametrize(
    ("kernel", "of_locked_cells"),
    [
        (launches_the_locked_one, ()),
        (launches_another, (locked,)),  # the same name, another line
        (launches_itself, (locked,)),
    ],
)
def test_other_kernels_are_named(kernel: Any, of_locked_cells: tuple[Any, ...]) -> None:
    with pytest.raises(CheckFailed, match=r"here: a kernel `\w+` ran that no locked cell"):
        ran_only(kernel, *of_locked_cells)


@cuda.jit(device=True)
def twice(x):
    return 2 * x


def test_a_device_function_of_a_locked_cell_stays_as_it_is() -> None:
    grading.unchanged(twice, zlib.crc32(b"@cuda.jit(device=True)\ndef twice(x):\n    return 2 * x"))
    with pytest.raises(CheckFailed, match="`twice` is not the kernel of its locked cell"):
        grading.unchanged(twice, 7)
