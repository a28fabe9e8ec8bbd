"""Do the kernels whose times are on record run here, and does as much of each fit on a multiprocessor?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gpusim
from tests.hardware.memory import recording
from tests.hardware.probes.times import launches
from tests.hardware.timed import argument

ROWS = recording("kernels")["rows"]


@pytest.fixture(scope="module")
def module():
    return gpusim.RawModule(path=Path(__file__).with_name("kernels.cu"))


def test_the_record_is_of_these_launches():
    assert [row[0] for row in ROWS] == list(launches())


def test_as_many_blocks_fit_as_the_driver_says(module):
    for text, _microseconds, registers, blocks, *_ in ROWS:
        name, _, _, x, y, dynamic, *_ = text.split()
        shared = module.get_function(name).shared_size_bytes + int(dynamic)
        threads = int(x) * int(y)
        found = gpusim.occupancy("H200", threads=threads, registers_per_thread=registers, shared_bytes=shared)
        assert found.blocks == blocks, text


def smallest():
    """The first launch of each kernel with at most 2^16 threads."""
    seen = set()
    for text in launches():
        name, gx, gy, bx, by, *_ = text.split()
        if name not in seen and int(gx) * int(gy) * int(bx) * int(by) <= 1 << 16 and "67108864" not in text:
            seen.add(name)
            yield text


@pytest.mark.parametrize("text", list(smallest()), ids=lambda text: text.split()[0])
def test_it_runs(module, text):
    """As on a GPU: within its arrays, and something comes of it."""
    name, gx, gy, bx, by, dynamic, *rest = text.split()
    numbers = ("i:8192", "i:4096", "i:1024")  # of rounds
    arguments = [argument("i:8" if part in numbers and "chain" in name else part) for part in rest]
    before = arguments[0].copy()
    kernel = module.get_function(name)
    kernel.max_dynamic_shared_size_bytes = int(dynamic)
    with gpusim.use("H200"):
        kernel((int(gx), int(gy)), (int(bx), int(by)), tuple(arguments), shared_mem=int(dynamic))
    assert (before != arguments[0]).any()
    assert np.isfinite(arguments[0]).all()
