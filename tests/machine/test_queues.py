"""Blocks that take jobs from a counter, until none is left: with a stack of masks and without."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda


@cuda.jit
def from_queue(done, drawn):
    mine = cuda.shared.array(1, np.int32)
    while True:
        if cuda.threadIdx.x == 0:
            mine[0] = cuda.atomic.add(drawn, 0, 1)
        cuda.syncthreads()
        job = mine[0]
        cuda.syncthreads()
        if job >= done.size:
            return
        if cuda.threadIdx.x == 0:
            done[job] += 1


@pytest.mark.parametrize("device", ["P100", "MetaX C500", "H200"])
def test_every_job_is_done_once_and_every_block_draws_once_in_vain(device):
    done, drawn = np.zeros(16, np.int32), np.zeros(1, np.int32)
    with gpusim.use(device):
        from_queue[4, 64](done, drawn)
    assert done.tolist() == [1] * 16
    assert drawn[0] == 16 + 4
