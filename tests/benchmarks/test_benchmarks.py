"""Does `make bench` run, and do both simulators and NumPy agree? Everything at toy size, in a fresh Python.

Numba's simulator must be chosen before Numba is imported, so it cannot run in the tests' own process.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


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
    assert "| 16,384 | " in result.stdout
