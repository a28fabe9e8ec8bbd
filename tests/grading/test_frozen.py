"""May a kernel bring its results along? Not in an array that its launch does not hand it."""

from __future__ import annotations

import numpy as np
import pytest

from gpusim import cuda, grading
from gpusim.grading import CheckFailed

STASH, X = np.zeros(64, np.int64), np.arange(64)


def keeps(x):
    STASH[: x.size] = 2 * x
    return x


@cuda.jit
def from_the_stash(x, out):
    i = cuda.grid(1)
    out[i] = STASH[i]


@cuda.jit
def from_a_part_of_it(x, out):
    stash = STASH[8:]
    out[cuda.grid(1)] = stash[cuda.grid(1) % 8]


def host(x, out):
    from_the_stash[1, 64](x, out)


@pytest.mark.parametrize("launch", [from_the_stash[1, 64], from_a_part_of_it[1, 64], host])
def test_what_the_host_has_stored_is_no_answer(launch) -> None:
    grading.answered(keeps, X)
    told = "here: the kernel reads `STASH`, which the launch does not hand it"
    with pytest.raises(CheckFailed, match=told):
        grading.launched(launch, X, np.zeros(64, int), device="H200", where="here")
    with pytest.raises(CheckFailed, match=told):
        grading.raceless(launch, X, np.zeros(64, int), device="H200", where="here")
    with pytest.raises(CheckFailed, match=told):
        grading.one_outcome(launch, X, np.zeros(64, int), device="H200", where="here", schedules=2)


def test_a_table_of_the_check_is_read() -> None:
    out = np.zeros(64, int)
    grading.launched(from_the_stash[1, 64], X, out, device="H200", where="here", tables=frozenset({"STASH"}))
    assert out.tolist() == STASH.tolist()
