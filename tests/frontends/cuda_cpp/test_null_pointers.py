"""What type has `?:` with a null pointer on one side? That of the other side."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim


@pytest.mark.parametrize(
    "choice", ["n ? nullptr : out", "n ? 0 : out", "n ? NULL : out", "!n ? out : nullptr"]
)
def test_a_choice_between_a_pointer_and_null(choice):
    code = f"""
    __global__ void chosen(int n, int* out) {{
        int* p = {choice};
        if (p) *p = 1;
        else out[1] = 2;
    }}"""
    out = np.zeros(2, np.int32)
    kernel = gpusim.RawKernel(code, "chosen")
    kernel((1,), (1,), (0, out))
    assert out.tolist() == [1, 0]
    kernel((1,), (1,), (1, out))
    assert out.tolist() == [1, 2]


def test_a_pointer_to_void_takes_the_other_side_in():
    code = """
    __global__ void chosen(void* anything, int* out) {
        const void* p = *out ? anything : out;
        const void* q = *out ? out : anything;
        out[1] = p == out;
        out[2] = q == out;
    }"""
    out = np.zeros(3, np.int32)
    gpusim.RawKernel(code, "chosen")((1,), (1,), (np.zeros(1, np.int8), out))
    assert out.tolist() == [0, 1, 0]
