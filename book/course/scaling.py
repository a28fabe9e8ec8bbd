"""What do the records, runs and figures of "Scaling" share? Its kernels are passed to them."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np
from IPython.display import HTML
from matplotlib.patches import Rectangle

import gpusim
from course import figures
from course.records import recorded
from course.said import percent
from gpusim.devices import Device
from gpusim.errors import Livelock
from gpusim.views.table import Table, table

H200 = gpusim.devices.get("H200")
WAVES = {row["blocks"]: row["ms"] for row in recorded("scaling", "waves")}  # blocks -> milliseconds
PLACES = recorded("scaling")["places"]  # of two launches: the multiprocessor of each block
PRINTED = recorded("scaling")["printed_warps"]  # (block, warp), in the order in which they printed
FLOOD = recorded("scaling", "flood")
# Of 16 jobs for four blocks: the rounds of the longest, and the clocks of the slowest block.
JOBS = {row.pop("longest"): row for row in recorded("scaling", "jobs") if row["longest"] >= 160}
FASTER = recorded("scaling", "faster")  # milliseconds of two kernels, on so many multiprocessors
# What `smooth` moved there in a second, in terabytes: 2**27 numbers in, and as many out.
MOVED = 2 * 4 * 2**27 / FASTER[-1]["smooth_ms"] / 1e9
CHAIN = {row["warps"]: row["clocks"] for row in recorded("scaling", "chain")}  # warps of four schedulers
SWITCH_NS = median(recorded("scaling")["switch_ns"])
LIMITS = {row["name"]: row["value"] for row in recorded("occupancy")["limits"]}
FIFO_BYTES, STACK_BYTES = LIMITS["PrintfFifoSize"], LIMITS["StackSize"]
IN_FLIGHT = H200.max_threads_per_multiprocessor * H200.multiprocessors
# What an x86-64 CPU with AVX-512 keeps for a thread: 16 registers of 8 bytes, the instruction pointer, the
# flags, 32 vector registers of 64 bytes, 8 masks of 8 bytes.
CPU_STATE_BYTES = 16 * 8 + 8 + 8 + 32 * 64 + 8 * 8


def gpu(multiprocessors: int, **more: Any) -> Device:
    """An H200 that nobody has built: all as it is, but with so many multiprocessors, and what `more` says."""
    name = f"a GPU of {multiprocessors} multiprocessors"
    return replace(H200, name=name, multiprocessors=multiprocessors, **more)


def numbers(count: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """So many noisy numbers, and room for as many: whole ones, whose means are exact in every language."""
    return np.random.default_rng(9).integers(0, 256, count).astype(np.float32), np.zeros(count, np.float32)


def launched(launch: Any, *arguments: Any, device: str | Device) -> Any:
    """A profiled launch."""
    with gpusim.profile(device) as run:
        launch(*arguments)
    return run


def idle(run: Any) -> int:
    """How many multiprocessors never had a block?"""
    found = run.placement()
    return int(found.multiprocessors - len({each.multiprocessor for each in found.placed}))


def waves(runs: Mapping[str, Any], caption: str) -> Table:
    """Waves and tail of each run."""
    rows = []
    for label, run in runs.items():
        found = run.placement()
        room = found.multiprocessors * found.resident
        last = found.blocks - (found.waves - 1) * room
        rows.append((label, found.resident, room, found.waves, f"{last} of {room}", percent(1 - last / room)))
    headings = [
        "multiprocessors",
        "blocks on each",
        "places",
        "waves",
        "blocks in the last",
        "places it leaves empty",
    ]
    return table(rows, headings, caption)


def staircase() -> HTML:
    """The time of a grid over its blocks, on an H200 whose multiprocessors hold one block each."""
    figure, axes = figures.new(height=3.2)
    look = {**figures.style("H200"), "linestyle": ""}
    axes.plot(list(WAVES), list(WAVES.values()), label="measured", **look)
    steps = np.arange(1, 662)
    further = (WAVES[660] - WAVES[132]) / 4
    stairs = WAVES[132] + further * (np.ceil(steps / 132) - 1)
    label = f"{WAVES[132]:.3f} ms, and {further:.3f} for each further wave"
    axes.plot(steps, stairs, color="#000000", linewidth=1, label=label)
    axes.set(xlabel="blocks in the grid", ylabel="milliseconds", xlim=(0, 670), ylim=(0, 0.9))
    axes.set_xticks(range(0, 661, 132))
    axes.legend(loc="upper left")
    return figures.show(
        figure,
        "Up to a multiple of 132, further blocks cost nothing; the next one costs a whole wave.",
        alt="Milliseconds on an H200 over the number of blocks, 33 to 661, where 132 run at once. The points "
        "lie on a staircase: 0.14 up to 132 blocks, 0.28 up to 264, 0.41 up to 396, and so on.",
    )


def fewest_that_hang(kernel: Any) -> int:
    """How many blocks of 1,024 threads wait for the last one for ever, on four multiprocessors?"""
    for blocks in range(1, 16):
        try:
            with gpusim.use(gpu(4), step_budget=2000):
                kernel[blocks, 1024](np.zeros(1, np.int32), np.zeros(blocks, np.int32))
        except Livelock:
            return blocks
    raise AssertionError("all end")


def stuck(run: Any, blocks: int) -> HTML:
    """Who waits for whom, when a grid has one block more than `run`, whose blocks fill the GPU?"""
    found = run.placement()
    figure, axes = figures.new(height=3.4)
    many, top = found.multiprocessors, found.resident + 0.6
    line: dict[str, Any] = {"facecolor": "none", "linewidth": 1.5}
    centred: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 11}
    middle = many / 2
    used = [0] * many
    for each in found.placed:
        at = each.multiprocessor
        low, used[at] = used[at], used[at] + 1
        axes.add_patch(
            Rectangle((at + 0.04, low), 0.92, 0.9, edgecolor=figures.style("H200")["color"], **line)
        )
        axes.text(at + 0.5, low + 0.45, f"block {each.block}\nwaits for {blocks - 1}", **centred)
    for at in range(many):
        axes.text(at + 0.5, -0.25, f"multiprocessor {at}", **centred)
    axes.add_patch(Rectangle((middle - 0.7, top), 1.4, 0.9, edgecolor="#000000", linestyle="--", **line))
    axes.text(middle, top + 0.45, f"block {blocks - 1}\nwaits for a place", **centred)
    axes.annotate("", (middle, found.resident), (middle, top), arrowprops={"arrowstyle": "->"})
    axes.set(xlim=(0, many), ylim=(-0.5, top + 1))
    axes.axis("off")
    return figures.show(
        figure,
        f"Block {blocks - 1} waits for a place, and all who have one wait for block {blocks - 1}.",
        alt=f"{found.multiprocessors} multiprocessors with blocks 0 to {blocks - 2}, which all wait for "
        f"block {blocks - 1}. Block {blocks - 1} stands outside and waits until one of them leaves.",
    )


def asked(host: Callable[..., None], names: Iterable[str | Device], count: int) -> Table:
    """What one host function launches on each GPU, and whether the result is right."""
    rows = []
    x, _ = numbers(count)
    right = x.copy()
    right[1:-1] = (x[:-2] + 2 * x[1:-1] + x[2:]) / 4
    for name in names:
        y = x.copy()
        run = launched(host, x, y, device=name)
        if not np.allclose(y, right):
            raise AssertionError(f"{name} computes something else")
        found, kernel = run.placement(), run.kernels[0]
        rows.append(
            (found.device, found.multiprocessors, math.prod(kernel.grid), found.resident, found.waves)
        )
    return table(
        rows,
        ["GPU", "multiprocessors", "blocks", "fit on each", "waves"],
        f"What smoothed launches for {count:,} numbers, in blocks of 256 threads",
    )


def rounds(kernel: Any, *more: Any) -> tuple[Any, list[list[int]]]:
    """Four blocks do sixteen jobs, of 160 rounds down to 10: the run, and the jobs of each block, in rounds.

    Each of the four multiprocessors has room for one block.
    """
    lengths = 10 * np.arange(16, 0, -1, dtype=np.int32)
    sums, who = np.zeros(16, np.int32), np.zeros(16, np.int32)
    with gpusim.profile(gpu(4, max_blocks_per_multiprocessor=1)) as run:
        kernel[4, 32](lengths, sums, who, *(each.copy() for each in more))
    expected, total = [0], 0
    for _ in range(160):
        total = (5 * total + 1) & 1023
        expected.append(total)
    if sums.tolist() != [expected[length] for length in lengths]:
        raise AssertionError("a job was lost, or taken twice")
    return run, [lengths[who == block].tolist() for block in range(4)]


def ways(from_queue: Any) -> int:
    """In how many ways do eight schedules share out the jobs of a queue? Each does every job once."""
    lengths = np.arange(16, 0, -1, dtype=np.int32)

    def outcomes(kept: int) -> int:
        arrays = (lengths, *(np.zeros(size, np.int32) for size in (16, 16, 1)))
        found = gpusim.explore_schedules(
            from_queue[4, 32], *arrays, schedules=8, key=lambda *after: after[kept].tolist()
        )
        return len(found.outcomes)

    if outcomes(1) != 1:
        raise AssertionError("the sums depend on the schedule")
    return outcomes(2)


def shares(found: Mapping[str, list[list[int]]]) -> HTML:
    """Which jobs did each block do, one after the other, and who is over last?"""
    figure, all_axes = figures.new(rows=len(found), height=4.6, sharex=True)
    colour = figures.style("H200")["color"]
    told = []
    for axes, (how, blocks) in zip(all_axes, found.items(), strict=True):
        sums = [sum(jobs) for jobs in blocks]
        equal = sum(sums) / len(sums)
        for block, jobs in enumerate(blocks):
            start = 0
            for job in jobs:
                axes.barh(block, job - 2, left=start, height=0.7, color=colour, alpha=0.25 + 0.75 * job / 160)
                start += job
            axes.text(max(start, equal) + 6, block, f"{start}", va="center", fontsize=10)
        axes.axvline(equal, color="#000000", linewidth=1, linestyle="--")
        axes.set(
            title=how, yticks=range(4), yticklabels=[f"block {block}" for block in range(4)], xlim=(0, 640)
        )
        axes.invert_yaxis()
        told.append(f"{how}, {', '.join(map(str, sums))}")
    all_axes[-1].set(xlabel="rounds (dashed: an equal share)")
    return figures.show(
        figure,
        "Four jobs each are not equal work: the grid ends with the longest bar.",
        alt=f"The jobs of four blocks as bars, end to end. Rounds of blocks 0 to 3: {'; '.join(told)}.",
    )


def on_h200() -> Table:
    """How many clocks did a real H200 need for such jobs?"""
    rows = [(f"{longest:,}", *(f"{clocks:,}" for clocks in row.values())) for longest, row in JOBS.items()]
    headings = ["longest job, in rounds", *next(iter(JOBS.values()))]
    return table(rows, headings, "Clocks of the slowest of four blocks, on an H200")


def gain(kernel: str, before: int = 33) -> float:
    """How many times as fast was a kernel, a field of the record, on 132 multiprocessors as `before`?"""
    took = {row["multiprocessors"]: row[kernel] for row in FASTER}
    return float(took[before] / took[132])


def faster() -> HTML:
    """How many times as fast as on one multiprocessor were two kernels on an H200?"""
    figure, axes = figures.new(height=3.2)
    many = [row["multiprocessors"] for row in FASTER]
    look = figures.style("H200")
    for kernel, name, line, where in (
        ("sums_ms", "2,048 multiply-adds", "-", {"xytext": (-8, 4), "ha": "right"}),
        ("smooth_ms", "smooth", ":", {"xytext": (8, -16), "ha": "left"}),
    ):
        times = [FASTER[0][kernel] / row[kernel] for row in FASTER]
        axes.plot(many, times, **{**look, "linestyle": line})
        axes.annotate(name, (77, times[many.index(77)]), textcoords="offset points", **where)
    axes.plot([0, 132], [0, 132], color="#000000", linewidth=0.8, linestyle="--")
    axes.set(xlabel="multiprocessors that work", ylabel="times as fast as one", xlim=(0, 137), ylim=(0, 140))
    axes.set_xticks(range(0, 133, 33))
    last = {kernel: FASTER[0][kernel] / FASTER[-1][kernel] for kernel in ("smooth_ms", "sums_ms")}
    return figures.show(
        figure,
        "More multiprocessors, more arithmetic; but they all share one memory (dashed: as many times as "
        "multiprocessors).",
        alt="Times as fast as on one multiprocessor of an H200, over 1 to 132 that work. The kernel that "
        f"computes follows the diagonal and ends at {last['sums_ms']:.0f}; smooth leaves it and ends at "
        f"{last['smooth_ms']:.0f}.",
    )


def heard(launch: Any, *arguments: Any, schedule: Any = None) -> list[str]:
    """The lines that a launch prints, in the order in which they come."""
    out = io.StringIO()
    with redirect_stdout(out), gpusim.use("H200", schedule=schedule):
        launch(*arguments)
    return out.getvalue().splitlines()


def warps_heard(lines: Iterable[str]) -> str:
    """Which warps printed, as block.warp, in the order of their first lines?"""
    # a line is "block 1 thread 33"
    words = (line.split() for line in lines)
    by_warp = dict.fromkeys((int(block), int(thread) // 32) for _, block, _, thread in words)
    return " ".join(f"{block}.{warp}" for block, warp in by_warp)


def printing(kernel: Any) -> Table:
    """Who printed when, under four schedules and on an H200."""
    rows = []
    for name, schedule in (("the default, fair", None), ("seed 2", 2), ("seed 3", 3)):
        rows.append((name, warps_heard(heard(kernel[3, 96], schedule=schedule))))
    rows.append(("a real H200, six blocks", " ".join(f"{b}.{w}" for b, w in PRINTED[:9]) + " …"))
    return table(rows, ["schedule", "warps, as block.warp"], "Whose lines come first")


def threads_compared(cycles: int) -> Table:
    """A CPU's thread beside a GPU's, in numbers."""
    held = H200.max_threads_per_multiprocessor
    registers = 4 * H200.registers_per_multiprocessor
    schedulers, lanes = H200.schedulers_per_multiprocessor, H200.warp_size
    rows = [
        ("held in registers", "one or two per core", f"{held:,} per multiprocessor, {IN_FLIGHT:,} in all"),
        (
            "get an instruction in one clock",
            "those one or two",
            f"{schedulers} warps of {lanes} per multiprocessor, "
            f"{schedulers * lanes * H200.multiprocessors:,} in all",
        ),
        ("who schedules, and what", "the operating system, a thread", "hardware, a warp"),
        ("a switch takes", f"about {SWITCH_NS:,.0f} ns: {cycles:,} clocks of an H200", "0 clocks"),
        ("a switch moves", f"about {CPU_STATE_BYTES:,} bytes out, as many in", "nothing"),
        (
            "registers of a thread",
            f"about {CPU_STATE_BYTES:,} bytes",
            f"{registers // held} bytes, with all places taken",
        ),
        ("stack", "8 MB of addresses (Linux)", f"{STACK_BYTES:,} bytes, or more if the kernel needs it"),
        ("may call", "every function of the system", "device functions, printf, malloc; may launch grids"),
        (
            "waits for others by",
            "locks, conditions, files, sockets",
            "barriers of its warp or block, atomics",
        ),
    ]
    return table(rows, ["", "CPU thread", "GPU thread"], "Two things called thread")
