"""Do kernels in CUDA C++ have the limits that an H200's runtime reported?"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim.errors import LaunchError

HERE = Path(__file__).parent
RECORDED = {row[0]: row[1:] for row in json.loads((HERE / "occupancy.json").read_text())["kernels"]}
BOUNDS = [name for name in RECORDED if name.startswith("klb")]
STATIC = [name for name in RECORDED if name.startswith("kstat")]


@pytest.fixture(scope="module")
def module():
    return gpusim.RawModule(path=HERE / "occupancy.cu")


@pytest.mark.parametrize("name", STATIC)
def test_static_shared_memory(module, name):
    size = int(name.removeprefix("kstat"))
    kernel = module.get_function(f"kstat<{size}>")
    _registers, shared, _local, most_threads = RECORDED[name]
    with gpusim.use("H200"):
        assert (kernel.shared_size_bytes, kernel.max_threads_per_block) == (shared, most_threads)
        x = np.arange(64, dtype=np.float32)
        kernel((1,), (64,), (x,))
    assert x[:63].tolist() == list(range(1, 64))


@pytest.mark.parametrize("name", BOUNDS)
def test_launch_bounds(module, name):
    threads, blocks = map(int, name.removeprefix("klb").split("_"))
    kernel = module.get_function(f"klb<{threads}, {blocks}>")
    registers, _shared, _local, most_threads = RECORDED[name]
    with gpusim.use("H200"):
        assert kernel.max_threads_per_block == most_threads
        assert kernel.num_regs <= max(registers, 65536 // (threads * blocks))
        with pytest.raises(LaunchError, match=str(threads)):
            kernel((1,), (threads + 32,), (np.zeros(122 * 1024 + 1024, np.float32), 1))
