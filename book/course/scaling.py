"""What do the records, runs and figures of "Scaling" share? Its kernels are passed to them."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import replace
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np
from IPython.display import HTML

import gpusim
from course import figures
from course.records import recorded
from course.said import percent
from gpusim.devices import Device
from gpusim.reports.timeline import unpacked
from gpusim.views.table import Table, table

H200 = gpusim.devices.get("H200")
WAVES = {row["blocks"]: row["ms"] for row in recorded("scaling", "waves")}  # blocks -> milliseconds
PLACES = recorded("scaling")["places"]  # of two launches: the multiprocessor of each block
PRINTED = recorded("scaling")["printed_warps"]  # (block, warp), in the order in which they printed
FLOOD = recorded("scaling", "flood")
SWITCH_NS = median(recorded("scaling")["switch_ns"])
LIMITS = {row["name"]: row["value"] for row in recorded("occupancy")["limits"]}
FIFO_BYTES, STACK_BYTES = LIMITS["PrintfFifoSize"], LIMITS["StackSize"]
IN_FLIGHT = H200.max_threads_per_multiprocessor * H200.multiprocessors
# What an x86-64 CPU with AVX-512 keeps for a thread: 16 registers of 8 bytes, the instruction pointer, the
# flags, 32 vector registers of 64 bytes, 8 masks of 8 bytes.
CPU_STATE_BYTES = 16 * 8 + 8 + 8 + 32 * 64 + 8 * 8


def gpu(multiprocessors: int) -> Device:
    """An H200 that nobody has built: all as it is, but with so many multiprocessors."""
    return replace(H200, name=f"a GPU of {multiprocessors} multiprocessors", multiprocessors=multiprocessors)


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


def waves(runs: Mapping[str, Any], caption: str, heading: str = "multiprocessors") -> Table:
    """Waves and tail of each run."""
    rows = []
    for label, run in runs.items():
        found = run.placement()
        room = found.multiprocessors * found.resident
        last = found.blocks - (found.waves - 1) * room
        rows.append((label, found.resident, room, found.waves, f"{last} of {room}", percent(1 - last / room)))
    headings = [heading, "blocks on each", "places", "waves", "blocks in the last", "places it leaves empty"]
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


def trips(kernel: Any, blocks: int, threads: int, count: int) -> list[int]:
    """How many elements did each thread of a grid take? The kernel writes its number into each."""
    who = np.full(count, -1, np.int32)
    with gpusim.use("H200"):
        kernel[blocks, threads](who)
    return list(map(int, np.bincount(who, minlength=blocks * threads)))


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


def rounds(kernel: Any, *more: Any, least: int = 10) -> tuple[Any, list[int]]:
    """Four blocks do sixteen jobs, of 16 · `least` rounds down to `least`: the run, and each one's rounds.

    Each of the four multiprocessors has room for one block.
    """
    lengths = least * np.arange(16, 0, -1, dtype=np.int32)
    sums, who = np.zeros(16, np.int32), np.zeros(16, np.int32)
    with gpusim.profile(replace(gpu(4), max_blocks_per_multiprocessor=1)) as run:
        kernel[4, 32](lengths, sums, who, *(each.copy() for each in more))
    expected, total = [0], 0
    for _ in range(16 * least):
        total = (5 * total + 1) & 1023
        expected.append(total)
    if sums.tolist() != [expected[length] for length in lengths]:
        raise AssertionError("a job was lost, or taken twice")
    return run, np.bincount(who, weights=lengths, minlength=4).astype(int).tolist()


def shares(found: Mapping[str, list[int]]) -> Table:
    """How many rounds each block worked, and the longest beside an equal share."""
    rows = [(how, *each, f"{max(each) / (sum(each) / len(each)):.2f}") for how, each in found.items()]
    headings = ["", *(f"block {block}" for block in range(4)), "longest / mean"]
    return table(rows, headings, "Rounds of each block, of 1,360, as the simulator orders them")


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


def changes(run: Any) -> tuple[int, int, int]:
    """What does a scheduler lose when it goes from one warp to another? The fewest clocks between the two.

    And: at how many pairs of clocks, one right after the other, did it issue, and how many of them went to
    another warp than the one before?
    """
    warps = [warp for warp in run.timeline().variants[0].warps if warp.scheduler == 0]
    issued = sorted(
        (clock, warp.warp)
        for warp in warps
        for clock, state in enumerate(unpacked(warp.states))
        if state.isupper()
    )
    between = [(then - at - 1, a != b) for (at, a), (then, b) in pairwise(issued)]
    lost = min(clocks for clocks, other in between if other)
    following = [other for clocks, other in between if not clocks]
    return lost, len(following), sum(following)


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
            f"{schedulers * lanes} per multiprocessor: {schedulers} warps of {lanes}",
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
        ("may call", "every function of the system", "device functions, printf, malloc"),
        (
            "waits for others by",
            "locks, conditions, files, sockets",
            "barriers of its warp or block, atomics",
        ),
    ]
    return table(rows, ["", "CPU thread", "GPU thread"], "Two things called thread")
