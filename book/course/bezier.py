"""Points of Bézier curves in four ways: how much room, how many grids and instructions does each take?"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import gpusim
from course import figures
from course.records import recorded
from course.said import percent
from gpusim import cuda
from gpusim.devices import launching
from gpusim.views.table import Table, table

MOST = 256  # segments of a curve
POINT_BYTES = 8
EXACT = gpusim.RawModule(path=Path(__file__).with_suffix(".cu"))


def curves_of(count: int, seed: int = 1) -> Any:
    """Curves of a drawing, float32 (count, 3, 2): most are nearly straight, a few are not."""
    random = np.random.default_rng(seed)
    points = random.uniform(0, 100, (count, 3, 2))
    points[:, 1] += random.pareto(1.0, count)[:, None] * 60 * random.choice([-1, 1], (count, 2))
    return points.astype(np.float32)


CURVES = curves_of(64)
COUNT = len(CURVES)


def points_of(curves: Any) -> Any:
    """How many points does each curve need? One more than it has segments."""
    bends = np.hypot(*(curves[:, 0] - 2 * curves[:, 1] + curves[:, 2]).T)
    return np.minimum(MOST, 1 + np.sqrt(bends).astype(int)) + 1


class Way(NamedTuple):
    """One way to draw: its run, how many bytes of points had room."""

    run: Any
    room_bytes: int

    @property
    def points(self) -> int:
        """How many points had room?"""
        return self.room_bytes // POINT_BYTES

    @property
    def launches(self) -> int:
        """Grids that ran."""
        return sum(kernel.launches for kernel in self.run.launch_tree().kernels)

    @property
    def micros(self) -> float:
        """How long does it take in the model, in microseconds, without gaps between the host's launches?"""
        return float(self.run.timing().cycles / self.run.kernels[0].device.clock_mhz)


def drawn(way: str, lines: list[Any], counts: Any) -> None:
    """Are these the points of the curves? `AssertionError` names the way where they are not."""
    expected = points_of(CURVES)
    if counts.tolist() != expected.tolist():
        raise AssertionError(f"{way}: {counts} points, not {expected}")
    for p, line, points in zip(CURVES, lines, expected, strict=True):
        t = (np.arange(points) / (points - 1))[:, None]
        right = (1 - t) ** 2 * p[0] + 2 * t * (1 - t) * p[1] + t**2 * p[2]
        if not np.allclose(line[:points], right, rtol=1e-4, atol=1e-2):
            raise AssertionError(way)


def ways(cpp: Any) -> dict[str, Way]:
    """Draw all curves in each way on an H200, by kernels in C++, and compare the points with NumPy's."""
    counts, wanted = np.zeros(COUNT, np.int32), points_of(CURVES)
    found = {}
    lines = np.zeros((COUNT, MOST + 1, 2), np.float32)
    with gpusim.profile("H200") as run:
        cpp.flat[COUNT, 32](CURVES, lines, counts)
    drawn("flat", list(lines), counts)
    found["flat"] = Way(run, lines.nbytes)

    pool, used, first = np.zeros((wanted.sum(), 2), np.float32), np.zeros(1, np.int32), counts.copy()
    with gpusim.profile("H200") as run:
        cpp.by_pool[COUNT // 32, 32](CURVES, pool, used, first, counts, len(pool))
    drawn("by_pool", [pool[at:] for at in first], counts)
    found["by_pool"] = Way(run, pool.nbytes)

    cuda.current_context().reset()  # a heap as at first: what others gave back would be searched
    addresses = np.zeros(COUNT, np.uint64)
    with gpusim.profile("H200") as run:
        cpp.by_heap[COUNT // 32, 32](CURVES, addresses, counts)
    if counts.tolist() != wanted.tolist() or len({*addresses.tolist()}) != COUNT:
        raise AssertionError("by_heap")
    with gpusim.use("H200"):
        cpp.give_back[COUNT // 32, 32](addresses, counts)
    found["by_heap"] = Way(run, int(wanted.sum()) * POINT_BYTES)

    exact = np.zeros((wanted.sum(), 2), np.float32)
    with gpusim.profile("H200") as run:
        EXACT.get_function("count_points")[COUNT // 32, 32](CURVES, counts)
        first = (np.cumsum(counts) - counts).astype(np.int32)
        EXACT.get_function("write_points")[COUNT, 32](CURVES, first, counts, exact)
    drawn("exact", [exact[at:] for at in first], counts)
    found["exact"] = Way(run, exact.nbytes)
    return found


def told() -> dict[str, str]:
    """What did launches cost on a real H200, in microseconds?"""
    tests = recorded("dynamic_parallelism")["tests"]
    (free,) = (one for one in tests if one["test"].startswith("launch latency fire-and-forget"))
    issue, begin = free["issue_cost_in_parent"], free["parent_issue_to_child_start"]
    return {
        "issue_fastest": f"{min(issue) / 1000:.1f}",
        "issue_slowest": f"{max(issue) / 1000:.1f}",
        "begin_fastest": f"{min(begin) / 1000:.1f}",
        "begin_slowest": f"{max(begin) / 1000:.1f}",
    }


def modelled(found: dict[str, Way]) -> dict[str, str]:
    """Where do the microseconds of `by_pool` go in the model, and what does `by_heap` need more?"""
    pool, heap = found["by_pool"], found["by_heap"]
    children = pool.run.launch_tree().grids[1:]
    clocks_a_micro = pool.run.kernels[0].device.clock_mhz
    first, last = (edge(one.begin for one in children) / clocks_a_micro for edge in (min, max))
    return {
        "pool_micros": f"{pool.micros:.1f}",
        "flat_micros": f"{found['flat'].micros:.1f}",
        "interval": f"{launching.MICROSECONDS['interval']:.1f}",
        "first": f"{first:.0f}",
        "chain": f"{last - first:.0f}",
        "rest": f"{pool.micros - last:.0f}",
        "heap_instructions": f"{heap.run.instructions - pool.run.instructions}",
        "heap_more": f"{heap.micros - pool.micros:.1f}",
    }


def compared(found: dict[str, Way]) -> str:
    """Has `by_heap` fewer instructions than `flat`?"""
    ratio = found["by_heap"].run.instructions / found["flat"].run.instructions
    return "as many, to 5 %" if 0.95 <= ratio <= 1.05 else "fewer" if ratio < 1 else "more"


def table_of(found: dict[str, Way]) -> Table:
    rows = [
        (f"`{name}`", f"{way.room_bytes / 1024:.1f}", way.launches, way.run.instructions, f"{way.micros:.1f}")
        for name, way in found.items()
    ]
    return table(rows, ["way", "KB of points", "grids", "instructions", "µs in the model"])


def figure() -> Any:
    """How many points does each curve need, of those that `flat` has room for?"""
    points = np.sort(points_of(CURVES))[::-1]
    drawing, axes = figures.new(height=2.6)
    axes.bar(range(COUNT), points, width=0.8, color=figures.style("H200")["color"])
    axes.axhline(MOST + 1, color="#000000", linewidth=1)
    axes.text(COUNT - 1, MOST - 8, "room of each line in flat", ha="right", va="top")
    axes.set(xlabel="curves, the longest first", ylabel="points", xlim=(-1, COUNT), ylim=(0, 275))
    share = points.sum() / (COUNT * (MOST + 1))
    return figures.show(
        drawing,
        f"The worst case is rare: {COUNT} curves fill {percent(share)} of the room that flat needs.",
        alt=f"Points of {COUNT} curves, the longest first: {points[0]}, {points[1]}, {points[2]}, falling to "
        f"{points[-1]}. A line at {MOST + 1} is the room of each in flat.",
    )
