"""What do the records and figures of "Occupancy" share? Its kernels are passed to them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from IPython.display import HTML

import gpusim
from course import figures
from course.records import RECORDS, recorded
from course.said import percent
from gpusim.views.table import Table, table

WARPS = 64  # that an H200's multiprocessor holds
MULTIPROCESSORS = 132
# what a thread does -> (block size, occupancy, GB/s) of y = a x + y
AXPY = {
    part: [(row["block"], row["occupancy"], row["GBps"]) for row in recorded("timing", name)]
    for part, name in (("one element", "axpy_occupancy"), ("a loop", "axpy_grid_stride_occupancy"))
}
SIZES = {row["block"]: row for row in recorded("timing", "axpy_block_size")}
ELEMENTS = 134_217_728  # of each array of these three
READS = {row["warps"]: row for row in recorded("timing", "warps_per_sm")}
# column of READS -> bytes that a thread has under way
WAYS = {
    "GBps_4B": 4,
    "GBps_8B": 8,
    "GBps_16B": 16,
    "GBps_16B_2_in_flight": 32,
    "GBps_16B_4_in_flight": 64,
}
PRODUCTS = {
    (row["warps_per_sm"], row["ilp"]): row["thread_ops_per_clk_per_sm"]
    for row in recorded("timing", "alu")
    if row["op"] == "FFMA"
}

# kernel, block size, dynamic bytes -> its row
ATTRACT = {(row["kernel"], row["block"], row["dyn"]): row for row in recorded("attract", "rows")}
ACHIEVED, LOCAL = (recorded("attract", part) for part in ("achieved", "local"))


class Timed(NamedTuple):
    """A launch of tests/hardware/kernels.json, as an H200 timed and Nsight Compute counted it."""

    blocks: int
    threads: int
    shared_bytes: int
    microseconds: float
    resident: int  # blocks on a multiprocessor that its calculator promised
    achieved: float  # share of the places for warps

    @property
    def theoretical(self) -> float:
        return self.resident * -(-self.threads // 32) / WARPS


def timed(kernel: str, elements: int | None = None) -> list[Timed]:
    """All recorded launches of a kernel, of those whose first array has so many elements."""
    found = []
    for launch, microseconds, _, resident, *counted in recorded("kernels")["rows"]:
        name, *numbers = launch.split()[:6]
        first = int(launch.split()[6].split(":")[1])
        if name == kernel and elements in (None, first):
            x, y, threads, rows, shared = map(int, numbers)
            found.append(Timed(x * y, threads * rows, shared, microseconds, resident, counted[4] / 100))
    return found


def by_size(found: Mapping[int, Any], caption: str) -> Table:
    """How many blocks and warps fit, by block size."""
    rows = [
        (threads, each.blocks, f"{each.warps} of {each.max_warps}", share(each), limiting(each))
        for threads, each in found.items()
    ]
    return table(rows, ["threads per block", "blocks", "warps", "occupancy", "limited by"], caption)


def limiting(found: Any) -> str:
    """Every resource that lets no more in; there may be two."""
    return " and ".join(limit.resource for limit in found.limits if limit.blocks == found.blocks)


def share(found: Any) -> str:
    """The theoretical occupancy of a report or a run."""
    return percent(found.theoretical_occupancy)


def limits(found: Any) -> Table:
    """What each resource lets in, and what must go."""
    return table(
        [
            (
                limit.resource,
                limit.blocks,
                f"{limit.per_block:,}",
                f"{limit.taken:,} of {limit.capacity:,}",
                f"{limit.must_go} fewer per thread" if limit.must_go else "",
            )
            for limit in found.limits
        ],
        ["resource", "lets in", "a block takes", "taken", "one block more"],
        f"What the report says of blocks of {found.threads} threads on an {found.device}",
    )


def five_gpus(kernel: Any, threads: int, shared_bytes: int) -> Table:
    """How many blocks each resource lets in, on five GPUs."""
    rows = []
    for name in ("P100", "V100", "T4", "H200", "MetaX C500"):
        found = kernel.occupancy(threads, shared_bytes, device=name)
        by = (found[resource].blocks for resource in ("warps", "registers", "shared memory"))
        rows.append((name, *by, found.blocks, share(found)))
    caption = f"How many blocks of {threads} threads of {kernel.__name__} does each resource let in?"
    return table(rows, ["GPU", "warps", "registers", "shared memory", "so many fit", "occupancy"], caption)


def launched(host: Callable[..., None], name: str) -> Any:
    """What host code launches on this GPU to compute 2 · 1 + 1, five thousand times."""
    x = np.ones(5000, np.float32)
    with gpusim.profile(name) as run:
        host(np.float32(2), x, x)
    if not (x == 3).all():
        raise AssertionError(f"{name} computes something else")
    return run.kernels[0]


def launches(kernels: Mapping[str, Any]) -> Table:
    """What was launched on each GPU."""
    return table(
        [
            (
                name,
                kernel.device.multiprocessors,
                math.prod(kernel.grid),
                math.prod(kernel.block),
                kernel.blocks_per_multiprocessor,
                share(kernel),
            )
            for name, kernel in kernels.items()
        ],
        ["GPU", "multiprocessors", "blocks", "threads per block", "blocks on each", "occupancy"],
    )


def copied() -> dict[int, Any]:
    """What the model of time says of a copy, by block size."""
    copy, runs = gpusim.RawModule(path=RECORDS / "kernels.cu").get_function("copy"), {}
    source = np.zeros(1 << 22, np.float32)
    for each in timed("copy", source.size):
        with gpusim.profile("H200") as run:
            copy[each.blocks, each.threads](np.zeros_like(source), source, source.size)
        runs[each.threads] = run.timing()
    return runs


def arrivals(threads: int) -> float:
    """How many blocks of so many threads began on the H200 per nanosecond, one element per thread?"""
    return float(ELEMENTS / threads / SIZES[threads]["ms"] / 1e6)


def by_block_size(model: Mapping[int, Any]) -> Table:
    """One copy under all block sizes: what fits, what was there, and how long it took."""
    return table(
        [
            (
                each.threads,
                percent(each.theoretical),
                percent(each.achieved),
                percent(model[each.threads].achieved_occupancy),
                f"{each.microseconds:.0f}",
                f"{1e6 * model[each.threads].seconds:.0f}",
            )
            for each in sorted(timed("copy", 1 << 22), key=lambda each: each.threads)
        ],
        ["threads", "theoretical", "achieved, H200", "achieved, model", "µs, H200", "µs, model"],
        "Copying 4,194,304 floats, one per thread (tests/hardware/kernels.json)",
    )


def spilled() -> Table:
    """`attract` with the registers that nvcc wants, and with 32: what fits, what was there, the time."""
    rows = [
        (
            row["registers"],
            percent(8 * row["blocks_per_sm"] / WARPS),
            percent(ACHIEVED[kernel] / 100),
            row["local_bytes"],
            f"{row['ms']:.1f}",
        )
        for kernel, row in ((kernel, ATTRACT[kernel, 256, 8192]) for kernel in ("plain", "bounded"))
    ]
    return table(
        rows,
        ["registers", "theoretical", "achieved", "bytes spilled", "ms"],
        "attract by nvcc on an H200: 811,008 stars pulled by 6,144 (tests/hardware/attract.json)",
    )


def knee() -> HTML:
    """How long `attract` takes over its occupancy, with 50 registers and with 32."""
    figure, axes = figures.new(height=3.2)
    colour = figures.style("H200")["color"]
    for kernel, registers, mark, line in (
        ("bounded", "32 registers, spilled", "s", "--"),
        ("plain", "50 registers", "o", "-"),
    ):
        found = [row for (name, threads, _), row in ATTRACT.items() if (name, threads) == (kernel, 128)]
        points = sorted({400 * row["blocks_per_sm"] / WARPS: row["ms"] for row in found}.items())
        axes.plot(*zip(*points, strict=True), color=colour, marker=mark, linestyle=line, label=registers)
    axes.set(xlabel="theoretical occupancy, %", ylabel="milliseconds", xlim=(0, 104), ylim=(0, 52))
    axes.legend(loc="lower right")
    return figures.show(
        figure,
        "With 50 registers all is gained at 38 %. With 32 registers no occupancy is as fast.",
        alt="Time of attract on an H200 over theoretical occupancy, blocks of 128 threads. With 50 registers "
        "it falls from 36 milliseconds at 6 percent to 11 at 38 and stays there up to 56, where registers "
        "end. With 32 registers it falls from 48 at 6 percent to 37 at 38, and stays near 38 up to 100.",
    )


def climbing() -> HTML:
    """Bandwidth over theoretical occupancy, with blocks that end soon and blocks that stay."""
    figure, axes = figures.new(height=3.4)
    colour = figures.style("H200")["color"]
    for part, threads, line, mark in (
        ("a loop", 128, "-", "o"),
        ("one element", 256, "--", "s"),
        ("one element", 128, ":", "v"),
    ):
        points = [(100 * share, rate) for block, share, rate in AXPY[part] if block == threads]
        label = f"{threads} threads, {part} each"
        axes.plot(*zip(*points, strict=True), color=colour, linestyle=line, marker=mark, label=label)
    axes.set(xlabel="theoretical occupancy, %", ylabel="GB/s", xlim=(0, 104), ylim=(0, 4000))
    axes.legend(loc="upper left")
    return figures.show(
        figure,
        "The same sum at the same occupancy runs at three speeds. With short blocks of 128 threads nothing "
        "is gained beyond 62 %.",
        alt="Bandwidth of y = a x + y on an H200 over theoretical occupancy, from 6 to 100 percent. Three "
        "curves rise together at first. Blocks of 128 threads with one element each become flat at 62 "
        "percent and 2,500 GB/s. Blocks of 256 threads rise to 3,450, blocks that stay and loop to 3,630.",
    )


def in_flight() -> HTML:
    """Read bandwidth over warps, and over the bytes that all threads of a multiprocessor have under way."""
    figure, (left, right) = figures.new(columns=2, height=3.4, sharey=True)
    colour = figures.style("H200")["color"]
    looks = zip(WAYS.items(), "ovsD^", (":", "-.", "--", (0, (5, 1)), "-"), strict=True)
    for (column, size), mark, line in looks:
        rates = [row[column] for row in READS.values()]
        look: dict[str, Any] = {"color": colour, "marker": mark, "linestyle": line, "label": f"{size} bytes"}
        left.plot(list(READS), rates, **look)
        right.plot([32 * warps * size / 1024 for warps in READS], rates, **look)
    left.set(xlabel="warps on a multiprocessor", ylabel="GB/s", xticks=range(0, 65, 16), ylim=(0, 4700))
    right.set_xscale("log", base=2)
    right.set_xticks([0.125, 0.5, 2, 8, 32, 128], ["⅛", "½", "2", "8", "32", "128"])
    right.set(xlabel="KB under way on a multiprocessor")
    right.legend(title="per thread")
    return figures.show(
        figure,
        "Over the warps there are five curves; over the bytes under way there is almost one.",
        alt="Read bandwidth of an H200. On the left over warps per multiprocessor, 1 to 64: five separate "
        "rising curves for 4, 8, 16, 32 and 64 bytes under way in each thread, the last one flat from 16 "
        "warps on. On the right the same points over kilobytes under way: they fall nearly on one curve, "
        "which reaches 4,000 GB/s at about 24 KB.",
    )


def stars(count: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """x, y, z and mass of so many stars, one row each, and room for the forces."""
    return np.random.default_rng(8).uniform(0.1, 1, (4, count)), np.zeros((3, count))
