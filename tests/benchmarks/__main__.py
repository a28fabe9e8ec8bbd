"""How fast is gpusim on this machine? `make bench` prints it as Markdown, beside what is expected.

Nothing passes or fails by time; a wrong result ends the run. `--toy` runs everything at toy size.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np

import gpusim
from tests.benchmarks import clocks, kernels, problems
from tests.benchmarks.clocks import Seconds
from tests.benchmarks.problems import Case

Row = Sequence[str]

UNKNOWN = "–"
NUMBA, GPUSIM, PROFILED, BY_HAND = "Numba's simulator", "gpusim", "gpusim, profiled", "NumPy by hand"


@dataclass(frozen=True)
class Problem:
    """A problem's title, how it is made, and how many times faster than Numba's simulator it is expected."""

    title: str
    make: Callable[[int], Case]
    expected: dict[str, str]


PROBLEMS = (
    Problem("saxpy", problems.saxpy, {GPUSIM: "5,000×", PROFILED: "2,000×"}),
    Problem("256-thread block reduction", problems.block_sum, {}),
    Problem("Mandelbrot, 50 steps", problems.mandelbrot, {GPUSIM: "500×"}),
)


@dataclass(frozen=True)
class Sizes:
    """How much is run: for each problem, threads in gpusim and NumPy, and threads in Numba's simulator."""

    threads: tuple[tuple[int, int], ...]
    grids: tuple[int, ...]
    rounds: int
    launches: int


FULL = Sizes(
    threads=((1 << 20, 1 << 12), (1 << 20, 1 << 11), (512 * 512, 32 * 32)),
    grids=(1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24),
    rounds=5,
    launches=100,
)
TOY = Sizes(
    threads=((1 << 10, 1 << 8), (1 << 10, 1 << 8), (32 * 32, 16 * 16)),
    grids=(1 << 12, 1 << 14),
    rounds=1,
    launches=2,
)


def main(sizes: Sizes) -> None:
    """Print the machine and four tables."""
    numba = problems.kernels_in_numba()
    print(machine(), end="\n\n")
    times, ratios = [], []
    for problem, (threads, numba_threads) in zip(PROBLEMS, sizes.threads, strict=True):
        per_thread = speed(problem, threads, numba_threads, sizes.rounds, numba)
        nanoseconds = [f"{seconds.cpu * 1e9:,.1f}" for seconds in per_thread.values()]
        times.append((problem.title, f"{threads:,}", f"{numba_threads:,}", *nanoseconds))
        ratios += compared(problem, per_thread)
    print(f"Nanoseconds of CPU time a thread (runs in turn; rounds: {sizes.rounds}; medians):\n")
    show(("problem", "threads", f"threads in {NUMBA}", NUMBA, GPUSIM, PROFILED, BY_HAND), times)
    print(f"So many times faster than {NUMBA} (wall time: busy machines stretch it), slower than NumPy:\n")
    show(("problem", "", "faster, CPU time", "faster, wall time", "expected", "slower than NumPy"), ratios)
    show(("quantity", "CPU time", "wall time", "expected"), delays(sizes))
    show(("threads in the grid", "peak MiB", "peak MiB, profiled"), memory(sizes.grids))


def machine() -> str:
    """What does this run on?"""
    import numba  # not at the top: the simulator must have been chosen before

    model = platform.processor() or platform.machine()
    described = Path("/proc/cpuinfo")
    if described.exists():
        lines = described.read_text(encoding="utf-8").splitlines()
        names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
        model = next(names, model)
    return (
        f"{os.cpu_count()} CPUs ({model}), {platform.system()}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, Numba {numba.__version__}, gpusim {gpusim.__version__}"
    )


def speed(
    problem: Problem, threads: int, numba_threads: int, rounds: int, numba: ModuleType
) -> dict[str, Seconds]:
    """Seconds a thread of each contestant, after all of them were seen to give the same result."""
    case, small = problem.make(threads), problem.make(numba_threads)
    for simulator, tried in ((numba, small), (kernels, small), (kernels, case)):
        check(tried, simulator)

    def profiled() -> None:
        with gpusim.profile():
            case.launch(kernels)

    taken = clocks.race(
        {
            NUMBA: lambda: small.launch(numba),
            GPUSIM: lambda: case.launch(kernels),
            PROFILED: profiled,
            BY_HAND: case.by_hand,
        },
        rounds,
    )
    return {
        name: seconds.each_of(numba_threads if name == NUMBA else threads) for name, seconds in taken.items()
    }


def check(case: Case, simulator: ModuleType) -> None:
    """Raises `AssertionError` where a simulator and NumPy differ in a single bit."""
    case.result[...] = 0
    case.launch(simulator)
    where = f"{case.kernel} of {simulator.__name__}"
    np.testing.assert_array_equal(case.result, case.by_hand(), err_msg=where)


def compared(problem: Problem, per_thread: dict[str, Seconds]) -> Iterable[Row]:
    """How many times faster than Numba's simulator, and how many times slower than NumPy by hand."""
    slow, fast = per_thread[NUMBA], per_thread[BY_HAND]
    for name in (GPUSIM, PROFILED):
        seconds = per_thread[name]
        yield (
            problem.title,
            name,
            f"{slow.cpu / seconds.cpu:,.0f}×",
            f"{slow.wall / seconds.wall:,.0f}×",
            problem.expected.get(name, UNKNOWN),
            f"{seconds.cpu / fast.cpu:,.1f}×",
        )


def delays(sizes: Sizes) -> Iterable[Row]:
    """Launch latency and import time."""
    plain, profiled = clocks.launch_latency(sizes.launches, sizes.rounds)
    imported = clocks.import_time(sizes.rounds)
    for title, seconds, expected in (
        ("warm launch of one warp", plain, "< 1 ms"),
        ("warm launch of one warp, profiled", profiled, UNKNOWN),
        ("`import gpusim` beyond NumPy", imported, "< 300 ms"),
    ):
        yield title, f"{seconds.cpu * 1e3:.2f} ms", f"{seconds.wall * 1e3:.2f} ms", expected


def memory(grids: Iterable[int]) -> Iterable[Row]:
    """Peaks that are expected to be the same in every row: no more than a batch of blocks is ever held."""
    for threads in grids:
        peaks = [clocks.peak_memory(threads, profiled=profiled) for profiled in (False, True)]
        yield f"{threads:,}", *(f"{peak / 2**20:.1f}" for peak in peaks)


def show(header: Row, rows: Iterable[Row]) -> None:
    """Print a Markdown table."""
    for cells in (header, ["---"] * len(header), *rows):
        print(f"| {' | '.join(cells)} |")
    print()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--toy", action="store_true", help="everything at toy size, in seconds")
    main(TOY if parser.parse_args().toy else FULL)
