"""Does `make bench` run, and do simulators, languages and NumPy agree? At toy size, in a fresh Python.

Numba's simulator must be chosen before Numba is imported, so it cannot run in the tests' own process.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from classroom.bubblewrap import Bubblewrap
from tests.benchmarks import kernels, problems

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def kernels_in_cpp():
    return problems.kernels_in_cpp()


def test_every_benchmark_runs_and_all_results_agree():
    result = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks", "--toy"], cwd=ROOT, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    for problem in (
        "saxpy",
        "256-thread block reduction",
        "Mandelbrot, 50 steps",
        "tiled matrix product",
        "histogram, shared atomics",
        "warp-shuffle reduction",
        "breadth-first search",
    ):
        assert f"| {problem} | gpusim, profiled | " in result.stdout
    assert result.stdout.count("cannot run it") == 1
    assert "| `import gpusim` beyond NumPy | " in result.stdout
    assert "| problem | C++ / Python | " in result.stdout
    assert "| problem | in Python | in CUDA C++ | expected |" in result.stdout
    assert "| block_sum | " in result.stdout
    assert "| launches in one profile | peak MiB |" in result.stdout
    assert "| compiling 50 lines of CUDA C++, as kernels.cu | " in result.stdout
    assert "| 16,384 | " in result.stdout
    for program in ("mandelbrot", "matrices", "histogram"):
        assert f"| {program}.py | 256 | " in result.stdout


def test_a_class_whose_grading_is_killed_gets_what_it_deserves():
    """Right, untouched, partly right and wrong; the benchmark itself compares."""
    if why := Bubblewrap().why_not():
        pytest.skip(f"nothing is graded here without bubblewrap: {why}")
    run = [sys.executable, "-W", "ignore", "-m", "tests.benchmarks.a_class", "--students", "4", "--labs", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "labs")}
    result = subprocess.run(run, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "| 4 | 1 | 4 | 0 | 4 | 0 |" in result.stdout


@pytest.mark.parametrize(
    ("make", "size"),
    [
        (problems.saxpy, 1 << 10),
        (problems.block_sum, 1 << 10),
        (problems.mandelbrot, 32 * 32),
        (problems.matrix_product, 32 * 32),
        (problems.histogram, 1 << 13),
        (problems.shuffle_sum, 1 << 10),
        (problems.breadth_first_search, 1 << 12),
    ],
)
def test_the_kernels_in_cpp_give_the_same_results(make, size, kernels_in_cpp):
    case = make(size)
    case.result[...] = 99
    case.launch_cpp(kernels_in_cpp)
    np.testing.assert_array_equal(case.result, case.by_hand())


def test_the_same_kernels_stand_in_both_languages(kernels_in_cpp):
    in_python = {name for name, kernel in vars(kernels).items() if hasattr(kernel, "inspect_ir")}
    assert vars(kernels_in_cpp).keys() - {"__name__"} == in_python - {"fill"}
