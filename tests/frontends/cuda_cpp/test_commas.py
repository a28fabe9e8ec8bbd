"""Where does a comma separate a sequence, and where the arguments of a template?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim

TEXT = """
template <int A, int B> __global__ void both(int* out) { out[0] = A * 100 + B; }

__global__ void sequences(int* out) {
    int n = 0, m;
    out[0] = (n = 5, n + 1);
    out[1] = n > 4 ? (m = n * 2, m + 1) : (m = 7, 0);
    out[2] = (n = m + 1, n * 2);
    out[3] = (m *= 2, m);
}
"""


def run(name):
    out = np.zeros(4, np.int32)
    gpusim.RawModule(code=TEXT).get_function(name)((1,), (1,), (out,))
    return out.tolist()


def test_an_assignment_may_stand_before_a_comma():
    assert run("sequences") == [6, 11, 22, 20]


@pytest.mark.parametrize(("name", "result"), [("both<3, 4>", 304), ("both<(3 > 2), 4>", 104)])
def test_a_kernel_is_named_with_several_numbers(name, result):
    assert run(name)[0] == result
