"""How long does a program take from start to end, under Numba's simulator and under `python -m gpusim`?

The programs say `from numba import cuda`, and run unchanged under both. They check their own results.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

PROGRAMS = Path(__file__).with_name("programs")
HEADINGS = (
    "program",
    "threads or values",
    "gpusim, of the simulator's time",
    "more of them, in gpusim alone",
    "each, so many times faster",
)


def run(name: str, edge: int, simulator: bool) -> tuple[str, float]:
    """What one run prints, and how many seconds it takes."""
    module = () if simulator else ("-m", "gpusim")
    command = [sys.executable, *module, str(PROGRAMS / f"{name}.py"), str(edge)]
    began = time.perf_counter()
    said = subprocess.run(
        command,
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"NUMBA_ENABLE_CUDASIM": "1" if simulator else "0"},
    ).stdout
    return said, time.perf_counter() - began


def rows(edges: dict[str, tuple[int, int]], rounds: int) -> Iterable[tuple[str, ...]]:
    """For each program: both at one size, and gpusim at a larger one. Raises where they print others."""
    for name, (small, large) in edges.items():
        samples: dict[tuple[int, bool], list[float]] = {}
        for _ in range(rounds):
            said = {}
            for edge, simulator in ((small, True), (small, False), (large, False)):
                said[edge, simulator], taken = run(name, edge, simulator)
                samples.setdefault((edge, simulator), []).append(taken)
            if said[small, True] != said[small, False]:
                raise AssertionError(f"{name}.py prints something else under gpusim")
        slow, same, much = map(statistics.median, samples.values())
        yield (
            f"{name}.py",
            f"{small**2:,}",
            f"{same / slow:.3f}",
            f"{large**2:,}",
            f"{(slow / small**2) / (much / large**2):,.0f}×",
        )
