"""Does `sanitize` tell of an integer divided by zero, which a GPU passes over?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda


@cuda.jit
def quotients(x, y, out):
    i = cuda.grid(1)
    out[0] += x[i] // y[i]


@cuda.jit
def rests(x, y, out):
    i = cuda.grid(1)
    out[0] += x[i] % y[i]


@cuda.jit
def both(x, y, out):
    i = cuda.grid(1)
    out[0] += divmod(x[i], y[i])[1]


@cuda.jit
def of_floats(x, y, out):
    i = cuda.grid(1)
    out[i] = x[i] / y[i]


@cuda.jit
def guarded(x, y, out):
    i = cuda.grid(1)
    out[i] = x[i] // y[i] if y[i] != 0 else 0
    if y[i] != 0 and x[i] % y[i] == 1:
        out[i] += 1


def given(zero):
    y = np.ones(4, np.int32)
    y[zero] = 0
    return np.full(4, 7, np.int32), y, np.zeros(4)


@pytest.mark.parametrize("kernel", [quotients, rests, both], ids=lambda kernel: kernel.__name__)
def test_an_integer_divided_by_zero_is_a_finding_with_its_thread_and_line(kernel):
    kernel[1, 4](*given(2))  # compiled without, and run
    with gpusim.sanitize("memcheck") as report:
        kernel[1, 4](*given(2))
    (finding,) = report.findings
    assert (finding.tool, finding.hazard) == ("memcheck", "division by zero")
    assert "thread (2, 0, 0)" in repr(report)
    assert "out[0] += " in repr(report)
    kernel[1, 4](*given(2))  # and outside, as before


@pytest.mark.parametrize("kernel", [of_floats, guarded], ids=lambda kernel: kernel.__name__)
def test_a_float_is_divided_and_a_guard_holds(kernel):
    with gpusim.sanitize("memcheck") as report:
        kernel[1, 4](*given(1))
    assert report.clean


def test_other_tools_do_not_look_for_it():
    with gpusim.sanitize("racecheck") as report:
        quotients[1, 1](*given(0))
    assert report.clean


def test_with_debug_it_is_pythons_error():
    with pytest.raises(ZeroDivisionError), gpusim.sanitize("memcheck"):
        cuda.jit(quotients.py_func, debug=True)[1, 4](*given(3))
