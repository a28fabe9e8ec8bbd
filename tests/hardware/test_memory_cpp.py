"""Do structs and wide types in CUDA C++ count as Nsight Compute counted on an H200?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from tests.hardware.memory import structs

# record -> bank conflicts of the H200's loads of shared memory, where the rule has none
STAGED = "12-byte struct staged through shared memory, "
CONFLICTS = {STAGED + "4-byte loads": 188_525, STAGED + "16-byte loads": 181_807}


def test_structs_count_as_on_an_h200():
    counts = structs()
    assert len(counts) == 9 * 6
    others = {count for count in counts if count.recorded != count.simulated}
    assert {count.name for count in others} == set(CONFLICTS)
    assert {count.field for count in others} == {"shared load wavefronts", "shared load bank conflicts"}
    for count in others:
        assert count.recorded - count.simulated == CONFLICTS[count.name]


@pytest.mark.parametrize(("type_", "width"), [("float", 4), ("float2", 8), ("float4", 16), ("double2", 16)])
def test_a_wide_load_is_one_request_and_as_many_sectors_as_its_bytes(type_, width):
    """32 lanes × 4, 8 or 16 bytes side by side: 4, 8 or 16 sectors."""
    code = f"""
    __global__ void copy(const {type_}* x, {type_}* y) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        y[i] = x[i];
    }}"""
    dtype = np.float64 if type_ == "double2" else np.float32
    x = np.arange(64 * width // np.dtype(dtype).itemsize, dtype=dtype)
    y = np.zeros_like(x)
    with gpusim.profile("H200") as run:
        gpusim.RawKernel(code, "copy")((2,), (32,), (x, y))
    assert (y == x).all()
    assert (run.global_load_requests, run.global_load_sectors) == (2, 2 * width)
    assert (run.global_store_requests, run.global_store_sectors) == (2, 2 * width)
