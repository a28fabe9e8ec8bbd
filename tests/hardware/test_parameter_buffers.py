"""Kernels that make the two calls of a launch themselves: what is as on an H200 here, and what is not?"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim.errors import StreamMisused
from gpusim.runtime.grids import DeviceLaunchWarning

HERE = Path(__file__).parent
RECORD = json.loads((HERE / "parameter_buffers.json").read_text())
LEFT = {case: x for case, _, x in RECORD["kernels"]}
MANY = [dict(zip(RECORD["many"][0][1:], row, strict=True)) for row in RECORD["many"][1:]]


@pytest.fixture(scope="module")
def kernel():
    source = (HERE / "probes" / "parameter_buffers.cu").read_text()
    kernels = source.partition("typedef unsigned long long word;\n")[2].partition("// clocks of one warp")[0]
    code = "typedef unsigned long long word;\n" + kernels
    return gpusim.RawModule(code=code, options=("-rdc=true",)).get_function


@pytest.mark.parametrize("case", LEFT)
def test_what_is_left_of_x(kernel, case):
    name, *size = case.split()
    table = name in ("by_table", "by_pointer")
    x = np.array([3, 4, 5, 6] if table else [0] * 4, np.int32)
    codes = [np.array([0, 1, 1, 0], np.int32)] if table else []
    launch = kernel(name)[1, 4 if table else 1]
    if size and int(size[0]) < 12:  # an H200 does not look at the size
        with pytest.raises(StreamMisused, match=rf"of {size[0]} bytes"):
            launch(x, *codes, *map(int, size))
        return
    launch(x, *codes, *map(int, size))
    assert x.tolist()[: len(LEFT[case])] == LEFT[case]


def test_the_launch_says_no_and_not_the_buffer(kernel):
    (row,) = (each for each in MANY if (each["launched from every"], each["pair"]) == (2, "older"))
    x, said = np.zeros(1, np.int32), np.zeros(6, np.int32)
    with pytest.warns(DeviceLaunchWarning, match="cudaErrorLaunchPendingCountExceeded"):
        kernel("many")[1, 1](x, said, row["buffers"], 2, 1)
    given, first_null, _, launched, failed, error = said.tolist()
    assert (given, first_null) == (row["given"], row["first null"])
    assert (launched, failed, error) == (row["launched"], row["first that failed"], row["its error"])
    assert x.tolist() == [row["children that ran"]]


@pytest.mark.parametrize("number", range(8))
def test_every_mistake_is_told_here(kernel, number):
    with pytest.raises(StreamMisused):
        kernel("wrong")[1, 1](np.zeros(32, np.int32), np.zeros(8, np.int32), number)


def test_an_h200_gives_a_buffer_of_any_size_16_bytes_behind_a_multiple_of_64(kernel):
    """Here it begins where the guide says, and what is too large for a kernel gives null."""
    for alignment, sizes, there in RECORD["asked"]:
        got, said = np.zeros(8, np.uint64), np.zeros(8, np.int32)
        kernel("ask")[1, 8](np.array(sizes, np.int32), got, alignment, said)
        assert {address % 64 for address in there} == {16}
        assert [int(address) % 64 for address in got] == [0] * 8
        assert [bool(address) for address in got] == [size <= 32764 for size in sizes]
