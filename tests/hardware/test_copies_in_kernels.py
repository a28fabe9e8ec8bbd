"""Copies and questions in kernels against an H200: what it refuses with a code ends here, with its line."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda, cudart
from gpusim.cpp.program import HostCodeWarning
from gpusim.errors import GpuSimError

HERE = Path(__file__).parent
RECORD = json.loads((HERE / "copies_in_kernels.json").read_text(encoding="utf-8"))
TESTS = [row["test"] for row in RECORD["tests"]]


@pytest.fixture(scope="module")
def tried():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HostCodeWarning)  # its main() is what ran on the H200
        return gpusim.RawModule(path=HERE / "copies_in_kernels.cu").get_function("tried")


def run(tried, test):
    """What the call returned, and the array that is copied to."""
    device, other = cuda.to_device(np.zeros(8, np.int32)), np.arange(30, 38, dtype=np.int32)
    pinned, out = cuda.mapped_array(8, np.int32), np.zeros(16, np.int32)
    tried[1, 1](test, device, other, pinned, np.zeros(8, np.int32), out)
    return out, device.copy_to_host()


@pytest.mark.parametrize("test", range(len(TESTS)), ids=TESTS)
def test_what_an_h200_refuses_is_refused_with_its_line(tried, test):
    row = RECORD["tests"][test]
    if row["call"] == "cudaSuccess":
        out, device = run(tried, test)
        assert (out[0], device[0]) == (0, row["first_element"])
        return
    assert row["first_element"] == 0
    with pytest.raises(GpuSimError) as refused:
        run(tried, test)
    assert "cudaMemcpyAsync" in str(refused.value) or "cudaMemsetAsync" in str(refused.value)


def test_limits_are_those_of_an_h200_of_which_one_is_not_supported(tried):
    out, _ = run(tried, len(TESTS))
    for place, row in enumerate(RECORD["limits"][:-1]):  # of the L2 cache nothing is simulated
        assert out[2 + 2 * place] == (0 if row["error"] == "cudaSuccess" else 215)
        assert row["limit"] == cudart.cudaLimit(place).name
        if not out[2 + 2 * place]:
            assert out[3 + 2 * place] == row["value"]
