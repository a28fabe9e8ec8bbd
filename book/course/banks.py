"""What does the chapter on banks show beside its kernels? Launches, an H200's records, a figure, a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from IPython.display import HTML
from numpy.typing import ArrayLike

from course import figures
from course.records import recorded
from gpusim import cuda
from gpusim.measurements import banks
from gpusim.profile import profile
from gpusim.profile.run import Run
from gpusim.views.table import Table, table

MATRIX = np.arange(64 * 96, dtype=np.float32).reshape(64, 96)
EVERYONE = np.ones((1, 32), bool)
POWERS = (1, 2, 4, 8, 16, 32)
# some strides have another name among the recorded patterns
NAMED = {1: "unit stride", 8: "row pitch 32 B", 32: "column of 32x32 tile", 33: "column of 32x33 tile"}
# pattern, kind of access, bytes of each lane -> wavefronts, conflicts and cycles on the H200
ON_H200 = {(row[1], row[3], row[4]): (row[7], row[8], row[10]) for row in recorded("shared_patterns", "rows")}
COSTS = {row["degree"]: row for row in recorded("timing", "shared_conflict")}


def profiled(kernel: Any, *arguments: Any, device: str = "H200", threads: int = 32) -> Run:
    """One block runs: its counters."""
    with profile(device) as run:
        kernel[1, threads](*arguments)
    return run


@cuda.jit
def untiled(x: Any, out: Any) -> None:
    """Turns a matrix with no detour."""
    column = 32 * cuda.blockIdx.x + cuda.threadIdx.x
    for row in range(32 * cuda.blockIdx.y + cuda.threadIdx.y, 32 * cuda.blockIdx.y + 32, 8):
        out[column, row] = x[row, column]


def turned(kernel: Any, *first: Any) -> Run:
    """The matrix turned by 3 × 2 blocks: the counters, the caches among them."""
    out = np.zeros(MATRIX.shape[::-1], np.float32)
    with profile("H200", caches=True) as run:
        kernel[(3, 2), (32, 8)](*first, MATRIX, out)
    assert np.array_equal(out, MATRIX.T)
    return run


def loads(run: Run) -> int:
    """Wavefronts of a warp's load of shared memory."""
    return round(run.shared_load_wavefronts / run.shared_load_requests)


def stores(run: Run) -> int:
    """Wavefronts of a warp's store to shared memory."""
    return round(run.shared_store_wavefronts / run.shared_store_requests)


def lanes_at(bank: int, words: ArrayLike) -> list[int]:
    """Which lanes want this bank, when the lanes of a warp load these words?"""
    (phase,) = banks.phases([4 * np.asarray(words)], EVERYONE, 4)[0]
    return [lane for wavefront in phase.wavefronts if bank in wavefront for lane in wavefront[bank][1]]


def strides_figure(by_stride: Mapping[int, Run]) -> HTML:
    """Wavefronts over the stride: the division, and what an H200 counted and timed."""
    divided = [math.gcd(stride, 32) for stride in by_stride]
    patterns = {stride: (NAMED.get(stride, f"stride {stride} words"), "load", 4) for stride in by_stride}
    counted = {stride: ON_H200[pattern][0] for stride, pattern in patterns.items() if pattern in ON_H200}
    assert divided == [loads(run) for run in by_stride.values()]
    assert all(loads(by_stride[stride]) == wavefronts for stride, wavefronts in counted.items())
    timed = {row["stride_words"]: row["load_cyc_8warps"] for row in recorded("timing", "shared_stride")}
    timed = {stride: cycles for stride, cycles in timed.items() if stride in by_stride}
    figure, axes = figures.new(height=3.6)
    blue = figures.style("H200")["color"]
    ring: dict[str, Any] = {"color": "#000000", "mfc": "none", "ms": 8}
    axes.vlines(list(by_stride), 0.8, divided, color="#b0b0b0", lw=1)
    axes.plot(list(by_stride), divided, "o", **ring, label="gcd(stride, 32)")
    axes.plot(list(counted), list(counted.values()), ".", color=blue, label="wavefronts, H200")
    axes.plot(list(timed), list(timed.values()), "x", color=blue, label="cycles, H200, 8 warps")
    axes.set_yscale("log", base=2)
    axes.set_yticks(POWERS, POWERS)
    axes.set_xticks((1, *range(4, 33, 4)))
    axes.set(xlabel="stride in words", ylabel="per load of a warp")
    figure.legend(loc="outside upper left", ncols=3, frameon=False, fontsize=11)
    return figures.show(
        figure,
        f"Odd strides never conflict. All {len(counted)} strides recorded on an H200 fit the division; "
        "each wavefront takes about a cycle.",
        alt="Wavefronts of a load over strides from 1 to 34 words: 1 at odd ones, 2 at 2, 6, 10 and so on, "
        "4 at 4, 12, 20 and 28, 8 at 8 and 24, 16 at 16, 32 at 32. What an H200 counted lies on the same "
        "points, and its cycles are nearly equal.",
    )


def costs() -> Table:
    """What does an n-way conflict cost on the H200, one warp alone and many?"""
    rows = [(n, f"{COSTS[n]['latency']:.1f}", f"{COSTS[n]['load_cyc_32warps']:.1f}") for n in POWERS]
    headings = ["n-way", "cycles until the value is there, one warp", "cycles per load, 32 warps"]
    return table(rows, headings, "A load of shared memory on an H200 (tests/hardware/timing.json)")


def busy_grid() -> float:
    """Wavefronts beyond one per request that an H200 counted for a full grid with stride 3."""
    (row,) = [row for row in recorded("vec3_struct", "rows") if row[0].endswith("memory, 4-byte loads")]
    requests = 3 * (1 << 26) // 32
    assert row[11] - row[12] == requests
    return float(row[12] / requests)
