"""How long, how late, how much? The measurements; each returns numbers and prints nothing."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

import gpusim
from gpusim import cuda
from gpusim.runtime import settings
from gpusim.runtime.device_array import elements
from tests.benchmarks import kernels

IMPORT = """
import time, numpy
wall, cpu = time.perf_counter(), time.process_time()
import gpusim
print(time.perf_counter() - wall, time.process_time() - cpu)
"""


class Seconds(NamedTuple):
    """`cpu` is what the process computed; `wall` is what you wait, other programs' share included."""

    wall: float
    cpu: float

    def each_of(self, count: float) -> Seconds:
        """The share of one of `count` equal parts."""
        return Seconds(self.wall / count, self.cpu / count)


def timed(action: Callable[[], object]) -> Seconds:
    """One run of `action`."""
    wall, cpu = time.perf_counter(), time.process_time()
    action()
    return Seconds(time.perf_counter() - wall, time.process_time() - cpu)


def median(samples: Sequence[Seconds]) -> Seconds:
    """The middle wall time and the middle CPU time."""
    return Seconds(*(statistics.median(clock) for clock in zip(*samples, strict=True)))


def race(contestants: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, Seconds]:
    """The median of each, run in turn, forwards and backwards, so that a busy minute slows all of them."""
    samples: dict[str, list[Seconds]] = {name: [] for name in contestants}
    for number in range(rounds):
        for name in list(contestants)[:: -1 if number % 2 else 1]:
            samples[name].append(timed(contestants[name]))
    return {name: median(taken) for name, taken in samples.items()}


def best_of_pairs(one: Callable[[], object], other: Callable[[], object], rounds: int) -> float:
    """CPU time of `other` as a multiple of `one`'s: run in turn, the shortest of each."""
    samples: list[list[float]] = [[], []]
    for number in range(2 * rounds):
        for which in (0, 1) if number % 2 else (1, 0):
            samples[which].append(timed((one, other)[which]).cpu)
    return min(samples[1]) / min(samples[0])


def launch_latency(launches: int, rounds: int) -> tuple[Seconds, Seconds]:
    """Seconds a launch of 32 threads by a kernel that has run before: without and with a profile."""
    x = np.ones(32, np.float32)

    def launch() -> None:
        kernels.saxpy[1, 32](np.float32(2), x, x, x)

    def plain() -> None:
        for _ in range(launches):
            launch()

    def profiled() -> None:
        for _ in range(launches):
            with gpusim.profile():
                launch()

    plain()
    profiled()
    taken = race({"plain": plain, "profiled": profiled}, rounds)
    return taken["plain"].each_of(launches), taken["profiled"].each_of(launches)


def launches_together(kernel: Any, launches: int, rounds: int) -> tuple[Seconds, Seconds]:
    """Seconds a launch of one block: one by one, and all given to the device before it runs any.

    Each has its own part of two arrays on the device; both ways must leave the same in them.
    """
    numbers = np.arange(launches, dtype=np.float32)[:, None] + np.arange(kernels.THREADS, dtype=np.float32)
    source, target = cuda.to_device(numbers), cuda.to_device(np.zeros_like(numbers))
    now, left = settings.current(), []
    scalars = (np.float32(2),) if kernel is kernels.saxpy else ()
    parts = [(elements(source[number]), elements(target[number])) for number in range(launches)]
    arrays = [(x, x, y) if scalars else (x, y) for x, y in parts]
    function = kernel.compiled(*scalars, *arrays[0])

    def submit(one: tuple[np.ndarray, ...]) -> None:
        shape = (1, 1, 1), (kernels.THREADS, 1, 1)
        now.grids.submit(now.configuration(function, *shape, [*scalars, *one]))

    def one_by_one() -> None:
        for one in arrays:
            submit(one)
            now.grids.drain()

    def together() -> None:
        for one in arrays:
            submit(one)
        now.grids.drain()

    for way in (one_by_one, together):
        target[:] = np.zeros_like(numbers)
        way()
        left.append(target.copy_to_host())
    assert np.array_equal(*left)
    assert left[0].any()
    taken = race({"one by one": one_by_one, "together": together}, rounds)
    return taken["one by one"].each_of(launches), taken["together"].each_of(launches)


def import_time(rounds: int) -> Seconds:
    """What `import gpusim` takes in a fresh Python that has imported NumPy."""
    samples = []
    for _ in range(rounds):
        result = subprocess.run([sys.executable, "-c", IMPORT], check=True, capture_output=True, text=True)
        wall, cpu = result.stdout.split()
        samples.append(Seconds(float(wall), float(cpu)))
    return median(samples)


def peak_memory(threads: int, *, profiled: bool) -> int:
    """The most bytes that Python and NumPy hold during a launch of so many threads over 256 floats."""
    x = np.zeros(256, np.float32)

    def launch(blocks: int) -> None:
        kernels.fill[blocks, kernels.THREADS](x, np.float32(1))

    launch(1)
    tracemalloc.start()
    try:
        if profiled:
            with gpusim.profile():
                launch(threads // kernels.THREADS)
        else:
            launch(threads // kernels.THREADS)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def peak_memory_of_launches(launches: int) -> int:
    """The most bytes that Python and NumPy hold during one profile of so many launches of 8 warps."""
    x = np.zeros(256, np.float32)
    kernels.fill[1, kernels.THREADS](x, np.float32(1))
    tracemalloc.start()
    try:
        with gpusim.profile():
            for _ in range(launches):
                kernels.fill[1, kernels.THREADS](x, np.float32(1))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
