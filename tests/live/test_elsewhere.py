"""Which cells of a page run in JupyterLab alone: those of C++, and what needs a name of theirs."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from tests.live.conftest import forget

LIVE = Path(__file__).resolve().parents[2] / "book" / "live"


@pytest.fixture
def told(monkeypatch):
    """Which of these cells, counted from 1, run elsewhere?"""
    monkeypatch.syspath_prepend(LIVE)
    module = import_module("elsewhere")
    yield lambda *cells: [number for number, away in enumerate(module.elsewhere(cells), 1) if away]
    forget()


KERNELS = """%%cuda -DN=4
__constant__ float weights[4];
__device__ unsigned int hits = 0;
__global__ void __launch_bounds__(64) fill(float* x) { x[0] = 1; }
template <typename T>
__global__ void copy(const T* from, T* to) { to[0] = from[0]; }
"""


@pytest.mark.parametrize("name", ["weights", "hits", "fill", "copy"])
def test_a_kernel_and_a_variable_of_cpp_are_not_here(told, name):
    assert told(KERNELS, f"print({name})", "print(other)") == [1, 2]


def test_what_needs_such_a_cell_by_way_of_others_is_not_here_either(told):
    cells = (
        "%%cuda cpp\n__global__ void fill() {}",
        "def launched():\n    cpp.fill[1, 1]()\nn = 1",
        "launched()",
        "n + 1",  # of the second cell
        "n = 2",
        "n + 1",
    )
    assert told(*cells) == [1, 2, 3, 4]


def test_a_table_that_such_a_cell_fills_is_not_whole(told):
    assert told("rows = {}", "%%cuda cpp\n", "rows['C++'] = cpp.fill", "rows", "rows = {}", "rows") == [
        2,
        3,
        4,
    ]


def test_a_kernel_that_python_defined_stays_and_a_parameter_is_no_name_of_the_page(told):
    assert told("def fill(x): ...", KERNELS, "fill[1, 1](x)") == [2]
    assert told(KERNELS, "def other(fill):\n    weights = fill\n    return weights") == [1]
    assert told(KERNELS, "%load_ext gpusim\nfill = 1", "fill") == [1]


def test_modules_that_read_cpp(told):
    assert told("import gpusim", "module = gpusim.RawModule(code='')", "module", "gpusim") == [2, 3]
    assert told("from gpusim import RawModule", "RawModule") == [1, 2]
    assert told("from gpusim.frontends.cuda_cpp.types import Pointer") == [1]


def test_functions_of_the_course_that_read_cpp(told):
    """`copied` of course/occupancy.py compiles CUDA C++ when it is called; the module can be imported."""
    assert told("from course import occupancy as of", "of.copied()", "of.timed('copy', 4)") == [2]
    assert told("from course.occupancy import copied, timed", "timed", "copied()") == [1, 2, 3]
