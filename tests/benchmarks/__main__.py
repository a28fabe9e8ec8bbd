"""How fast is gpusim on this machine? `make bench` prints it as Markdown, beside what is expected.

Nothing passes or fails by time; a wrong result ends the run. `--toy` runs everything at toy size.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np

import gpusim
from tests.benchmarks import clocks, kernels, problems, whole_programs
from tests.benchmarks.clocks import Seconds
from tests.benchmarks.problems import Case

Row = Sequence[str]

UNKNOWN = "–"
NUMBA, GPUSIM, PROFILED, BY_HAND = "Numba's simulator", "gpusim", "gpusim, profiled", "NumPy by hand"


@dataclass(frozen=True)
class Problem:
    """A problem's title, its unit of work, how it is made, and what is expected against Numba's simulator.

    `in_numba` is false where Numba's simulator lacks what the kernel uses.
    """

    title: str
    unit: str
    make: Callable[[int], Case]
    expected: dict[str, str]
    in_numba: bool = True
    profile_costs: str = UNKNOWN  # at most, as a multiple of the run without one


PROBLEMS = (
    Problem("saxpy", "thread", problems.saxpy, {GPUSIM: "5,000×", PROFILED: "2,000×"}, profile_costs="≤ 8"),
    Problem("256-thread block reduction", "thread", problems.block_sum, {GPUSIM: "1,000×", PROFILED: "300×"}),
    Problem("Mandelbrot, 50 steps", "thread", problems.mandelbrot, {GPUSIM: "500×"}),
    Problem(
        "tiled matrix product",
        "multiply-add",
        problems.matrix_product,
        {GPUSIM: "1,000×", PROFILED: "300×"},
        profile_costs="≤ 8",
    ),
    Problem("histogram, shared atomics", "value", problems.histogram, {}),
    Problem("warp-shuffle reduction", "thread", problems.shuffle_sum, {}, in_numba=False),
    Problem("breadth-first search", "edge", problems.breadth_first_search, {}),
)
SCALED = (problems.saxpy, problems.block_sum, problems.shuffle_sum)
STARTED = 1 << 16  # threads from which on a launch's start no longer counts


@dataclass(frozen=True)
class Sizes:
    """How much is run: for each problem, its size in gpusim and NumPy, and its size in Numba's simulator."""

    problems: tuple[tuple[int, int], ...]
    scales: tuple[int, ...]
    grids: tuple[int, ...]
    rounds: int
    launches: int
    submitted: int
    profiled_launches: tuple[int, ...]
    programs: dict[str, tuple[int, int]]  # the edge of what each works on: for both simulators, for gpusim


FULL = Sizes(
    problems=(
        (1 << 20, 1 << 12),
        (1 << 20, 1 << 11),
        (512 * 512, 32 * 32),
        (256 * 256, 16 * 16),
        (1 << 20, 1 << 14),
        (1 << 20, 1 << 10),
        (1 << 20, 1 << 14),
    ),
    scales=tuple(1 << power for power in range(10, 23, 2)),
    grids=(1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24),
    rounds=5,
    launches=100,
    submitted=1_000,
    profiled_launches=(300, 1_000, 3_000),
    programs={"mandelbrot": (128, 2048), "matrices": (64, 512), "histogram": (256, 4096)},
)
TOY = Sizes(
    problems=(
        (1 << 10, 1 << 8),
        (1 << 10, 1 << 8),
        (32 * 32, 16 * 16),
        (32 * 32, 16 * 16),
        (1 << 13, 1 << 12),
        (1 << 10, 1 << 8),
        (1 << 9, 1 << 8),
    ),
    scales=(1 << 10, 1 << 12),
    grids=(1 << 12, 1 << 14),
    rounds=1,
    launches=2,
    submitted=20,
    profiled_launches=(2, 4),
    programs={"mandelbrot": (16, 32), "matrices": (16, 32), "histogram": (16, 32)},
)


def main(sizes: Sizes) -> None:
    """Print the machine and eleven tables."""
    numba, cpp = problems.kernels_in_numba(), problems.kernels_in_cpp()
    print(machine(), end="\n\n")
    times, ratios, rates, costs, languages = [], [], [], [], []
    for problem, (size, small) in zip(PROBLEMS, sizes.problems, strict=True):
        case, tried = problem.make(size), problem.make(small)
        per_unit = speed(case, tried, sizes.rounds, numba if problem.in_numba else None)
        nanoseconds = [
            f"{per_unit[name].cpu * 1e9:,.1f}" if name in per_unit else "cannot run it"
            for name in (NUMBA, GPUSIM, PROFILED, BY_HAND)
        ]
        works = f"{case.work:,}", f"{tried.work:,}" if problem.in_numba else UNKNOWN
        times.append((problem.title, problem.unit, *works, *nanoseconds))
        ratios += compared(problem, per_unit)
        rates.append((problem.title, *instructions(case, per_unit[GPUSIM])))
        costs.append((problem.title, *cost_of_profile(case, cpp, sizes.rounds), problem.profile_costs))
        languages.append((problem.title, *against_python(case, cpp, sizes.rounds)))
    print(f"Nanoseconds of CPU time a unit of work (runs in turn; rounds: {sizes.rounds}; medians):\n")
    show(("problem", "unit", "units", f"units in {NUMBA}", NUMBA, GPUSIM, PROFILED, BY_HAND), times)
    print(f"So many times faster than {NUMBA} (wall time: busy machines stretch it), slower than NumPy:\n")
    show(("problem", "", "faster, CPU time", "faster, wall time", "expected", "slower than NumPy"), ratios)
    print("Instructions of the IR, counted by threads, in gpusim without a profile:\n")
    show(("problem", "thread-instructions", "a second of CPU time"), rates)
    print("With a profile, as a multiple of the run without one (runs in turn; shortest of each):\n")
    show(("problem", "in Python", "in CUDA C++", "expected"), costs)
    print("The same kernel in CUDA C++, as a multiple of the Python form (runs in turn; shortest of each):\n")
    show(("problem", "C++ / Python", "C++ / Python, profiled", "thread-instructions", "expected"), languages)
    print(
        f"Nanoseconds of CPU time a thread. The constant is the median from {STARTED:,} threads on, where a "
        "launch's start no longer counts; the deviation from it is the largest there:\n"
    )
    counts = [f"{threads:,} threads" for threads in sizes.scales]
    show(("kernel", *counts, "constant", "deviation"), map(partial(scaling, sizes), SCALED))
    show(("quantity", "CPU time", "wall time", "expected"), delays(sizes))
    print(f"{sizes.submitted:,} launches of one block of one kernel, each with its own part of the arrays:\n")
    show(("kernel", "one by one, each", "together, each", "times faster", "expected"), small_launches(sizes))
    show(("threads in the grid", "peak MiB", "peak MiB, profiled"), memory(sizes.grids))
    show(("launches in one profile", "peak MiB"), memory_of_launches(sizes.profiled_launches))
    print(f"Whole programs, start included, wall time (rounds: {sizes.rounds}; medians):\n")
    show(whole_programs.HEADINGS, whole_programs.rows(sizes.programs, sizes.rounds))


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


def speed(case: Case, small: Case, rounds: int, numba: ModuleType | None) -> dict[str, Seconds]:
    """Seconds a unit of work of each contestant, after all of them were seen to give the same result.

    Numba's simulator, where it can run the kernel, runs the `small` case.
    """

    def profiled() -> None:
        with gpusim.profile():
            case.launch(kernels)

    check(case, kernels)
    contestants = {GPUSIM: lambda: case.launch(kernels), PROFILED: profiled, BY_HAND: case.by_hand}
    works = dict.fromkeys(contestants, case.work)
    if numba:
        check(small, numba)
        check(small, kernels)
        contestants[NUMBA], works[NUMBA] = lambda: small.launch(numba), small.work
    taken = clocks.race(contestants, rounds)
    return {name: seconds.each_of(works[name]) for name, seconds in taken.items()}


def check(case: Case, simulator: ModuleType) -> None:
    """Raises `AssertionError` where a simulator and NumPy differ in a single bit."""
    case.result[...] = 0
    case.launch(simulator)
    where = f"{case.kernel} of {simulator.__name__}"
    np.testing.assert_array_equal(case.result, case.by_hand(), err_msg=where)


def compared(problem: Problem, per_unit: dict[str, Seconds]) -> Iterable[Row]:
    """How many times faster than Numba's simulator, and how many times slower than NumPy by hand."""
    slow, fast = per_unit.get(NUMBA), per_unit[BY_HAND]
    for name in (GPUSIM, PROFILED):
        seconds = per_unit[name]
        faster = [f"{one / other:,.0f}×" for one, other in zip(slow, seconds, strict=True)] if slow else []
        yield (
            problem.title,
            name,
            *(reversed(faster) if faster else (UNKNOWN, UNKNOWN)),
            problem.expected.get(name, UNKNOWN),
            f"{seconds.cpu / fast.cpu:,.1f}×",
        )


def instructions(case: Case, per_unit: Seconds) -> Row:
    """How many thread-instructions does the case execute, and how many a second?"""
    with gpusim.profile() as run:
        case.launch(kernels)
    count = int(run.thread_instructions)
    return f"{count:,}", f"{count / (per_unit.cpu * case.work):.2e}"


def cost_of_profile(case: Case, cpp: SimpleNamespace, rounds: int) -> Row:
    """How many times longer does a launch take that is measured? In Python, and in CUDA C++."""

    def times(launch: Callable[[], None]) -> str:
        def profiled() -> None:
            with gpusim.profile():
                launch()

        launch()
        return f"{clocks.best_of_pairs(launch, profiled, rounds):.2f}"

    return times(partial(case.launch, kernels)), times(partial(case.launch_cpp, cpp))


def against_python(case: Case, cpp: SimpleNamespace, rounds: int) -> Row:
    """What does the kernel cost in CUDA C++, when the Python form costs 1?"""
    check(case, kernels)
    case.result[...] = 0
    case.launch_cpp(cpp)
    np.testing.assert_array_equal(case.result, case.by_hand(), err_msg=f"{case.kernel} of {cpp.__name__}")
    launches: list[Callable[[], None]] = [lambda: case.launch(kernels), lambda: case.launch_cpp(cpp)]
    counts = []

    def under_profile(launch: Callable[[], None]) -> Callable[[], None]:
        def profiled() -> None:
            with gpusim.profile() as run:
                launch()
            counts.append(int(run.thread_instructions))

        return profiled

    profiled = [under_profile(launch) for launch in launches]
    plain = clocks.best_of_pairs(*launches, rounds)
    watched = clocks.best_of_pairs(*profiled, rounds)
    counts.clear()
    for action in profiled:
        action()
    return f"{plain:.2f}", f"{watched:.2f}", f"{counts[1] / counts[0]:.2f}", "≤ 1.10"


def scaling(sizes: Sizes, make: Callable[[int], Case]) -> Row:
    """Is the time linear in the threads, with one constant? Sizes run in turn, small ones often."""
    cases = {threads: make(threads) for threads in sizes.scales}
    times = {threads: max(1, STARTED // threads) for threads in cases}

    def again(threads: int) -> Callable[[], None]:
        def launches() -> None:
            for _ in range(times[threads]):
                cases[threads].launch(kernels)

        return launches

    for threads in cases:
        again(threads)()
    taken = clocks.race({str(threads): again(threads) for threads in cases}, sizes.rounds)
    per_thread = {
        threads: taken[str(threads)].cpu / times[threads] / threads * 1e9 for threads in sizes.scales
    }
    started = min(STARTED, sizes.scales[-1])
    linear = [seconds for threads, seconds in per_thread.items() if threads >= started]
    constant = statistics.median(linear)
    deviation = max(abs(seconds / constant - 1) for seconds in linear)
    name = next(iter(cases.values())).kernel
    return name, *(f"{value:,.1f}" for value in per_thread.values()), f"{constant:,.1f}", f"{deviation:.0%}"


def delays(sizes: Sizes) -> Iterable[Row]:
    """Launch latency, import time, and how long CUDA C++ takes to compile."""
    plain, profiled = clocks.launch_latency(sizes.launches, sizes.rounds)
    lines = len(problems.CPP.read_text(encoding="utf-8").splitlines())
    compiled = clocks.median([clocks.timed(problems.kernels_in_cpp) for _ in range(sizes.rounds)])
    imported = clocks.import_time(sizes.rounds)
    for title, seconds, expected in (
        ("warm launch of one warp", plain, "< 1 ms"),
        ("warm launch of one warp, profiled", profiled, UNKNOWN),
        ("`import gpusim` beyond NumPy", imported, "< 300 ms"),
        (f"compiling 50 lines of CUDA C++, as {problems.CPP.name}", compiled.each_of(lines / 50), "< 100 ms"),
    ):
        yield title, f"{seconds.cpu * 1e3:.2f} ms", f"{seconds.wall * 1e3:.2f} ms", expected


def small_launches(sizes: Sizes) -> Iterable[Row]:
    """What is gained where launches are given to the device before it runs any of them."""
    for kernel, expected in ((kernels.saxpy, UNKNOWN), (kernels.block_sum, "≥ 20")):
        alone, together = clocks.launches_together(kernel, sizes.submitted, sizes.rounds)
        times = (f"{seconds.cpu * 1e6:.1f} µs" for seconds in (alone, together))
        yield kernel.__name__, *times, f"{alone.cpu / together.cpu:.1f}", expected


def memory(grids: Iterable[int]) -> Iterable[Row]:
    """Peaks that are expected to be the same in every row: no more than a batch of blocks is ever held."""
    for threads in grids:
        peaks = [clocks.peak_memory(threads, profiled=profiled) for profiled in (False, True)]
        yield f"{threads:,}", *(f"{peak / 2**20:.1f}" for peak in peaks)


def memory_of_launches(numbers: Iterable[int]) -> Iterable[Row]:
    """Peaks that are expected to be the same in every row: launches beyond the first few are added up."""
    for launches in numbers:
        yield f"{launches:,}", f"{clocks.peak_memory_of_launches(launches) / 2**20:.1f}"


def show(header: Row, rows: Iterable[Row]) -> None:
    """Print a Markdown table."""
    for cells in (header, ["---"] * len(header), *rows):
        print(f"| {' | '.join(cells)} |")
    print()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--toy", action="store_true", help="everything at toy size, in seconds")
    main(TOY if parser.parse_args().toy else FULL)
