"""What does the chapter on threads and warps show beside its kernels? Launches, lanes, three figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from IPython.display import HTML
from matplotlib.patches import Rectangle

from course import figures
from course.records import recorded
from gpusim import cuda
from gpusim.devices import Device
from gpusim.profile import profile
from gpusim.profile.run import Run

INK, RULE = "#000000", "#b0b0b0"  # of the page, light or dark
LANES = 8  # as many as fit into a drawing
TINTS = (1.0, 0.55, 0.2)  # warp 0, 1, 2: how dark
FAR_BYTES = 512 * 1024 * 1024  # more than L2 holds


def launch(kernel: Any, blocks: int, threads: Any, *arguments: Any, **settings: Any) -> Run:
    """The run of one launch, on an H200 if no device is named. The settings are those of `gpusim.profile`."""
    with profile(**{"device": "H200", **settings}) as run:
        kernel[blocks, threads](*arguments)
    return run


@cuda.jit
def place(lane):  # type: ignore[no-untyped-def]
    """Each thread of a flat block notes its lane."""
    lane[cuda.threadIdx.y, cuda.threadIdx.x] = cuda.laneid


def take_places(width: int, height: int) -> Run:
    """A run of one block, for the mapper."""
    return launch(place, 1, (width, height), np.zeros((height, width), np.int32))


def sizes_of_warps(roll_call: Any, threads: int, device: str) -> list[int]:
    """How many threads are in each warp of a block? The launch says so, whatever the kernel writes."""
    return sizes_of(launch(roll_call, 1, threads, np.zeros(threads, np.int32), device=device))


def sizes_of(run: Run) -> list[int]:
    """How many threads are in each warp of its first launch?"""
    return [warp.threads for warp in run.kernels[0].warps()]


@cuda.jit
def _one_stays(trips):  # type: ignore[no-untyped-def]
    """Thread 5 goes round as often as it is told, and each other thread once."""
    left = 1
    if cuda.threadIdx.x == 5:
        left = trips[5]
    while left > 0:
        left -= 1
    trips[cuda.threadIdx.x] = left


def trips_of_a_warp(most: int) -> int:
    """How often does a warp execute the body of a loop that one of its threads takes most often?"""
    run = launch(_one_stays, 1, 32, np.full(32, most, np.int32))
    return len(run.masks(_one_stays.py_func.__code__.co_firstlineno + 7))  # left -= 1


def placed(place: Any, block: tuple[int, int, int], device: Device | None = None) -> Any:
    """The warp and the lane of each thread, both [z, y, x], and the run: of the launch, not of its array."""
    shape = block[::-1]
    run = launch(place, 1, block, np.zeros(shape, np.int32), device=device.name if device else "H200")
    sizes = sizes_of(run)
    warp, lane = np.repeat(np.arange(len(sizes)), sizes), np.concatenate([*map(np.arange, sizes)])
    return warp.reshape(shape), lane.reshape(shape), run


def clocked(clock_in: Any, schedule: Any) -> tuple[str, list[int]]:
    """The log of four warps under a schedule, and what they computed."""
    x, log = np.arange(128, dtype=np.int32), np.zeros(8, np.int32)
    launch(clock_in, 1, 128, x, np.zeros(1, np.int32), log, schedule=schedule)
    assert np.array_equal(x, 2 * np.arange(128) + 1)
    return " ".join(map(str, log)), x.tolist()


def remembered(remember: Any) -> tuple[int, ...]:
    """What a second launch finds in shared, private and global memory."""
    seen, notebook = np.zeros(3, np.int32), np.zeros(1, np.int32)
    for write in (True, False):
        launch(remember, 1, 1, write, seen, notebook)
    return tuple(seen.tolist())


def idle_lanes(run: Run) -> int:
    """The lanes of all warps of a launch that have no thread."""
    kernel = run.kernels[0]
    return sum(kernel.device.warp_size - warp.threads for warp in kernel.warps())


def utilisation(run: Run) -> float:
    """The share of the lanes that work, over all instructions."""
    return run.thread_instructions / (run.instructions * run.kernels[0].device.warp_size)


def cycles() -> dict[str, float]:
    """How long does a load take on a real H200, by where its value lies? Global loads ask the caches."""
    chase = {row["bytes"]: row for row in recorded("timing", "chase")}
    (near, *_), far = chase.values(), chase[FAR_BYTES]
    shared = next(row for row in recorded("timing", "shared_stride") if row["stride_words"] == 1)
    found = {"shared": shared["latency"], "L1": near["ca_latency"], "L2": near["cg_latency"]}
    return {**found, "HBM": far["cg_latency"]}


def _canvas(height: float, width: float, tall: float) -> Any:
    figure, axes = figures.new(height=height)
    axes.set(xlim=(0, width), ylim=(0, tall))
    axes.set_axis_off()
    return figure, axes


def _frame(axes: Any, place: Sequence[float], name: str, note: str = "", **look: Any) -> None:
    """A box at (x, y, width, height) with its name at the top left, and a note under it."""
    x, y, width, height = place
    axes.add_patch(Rectangle((x, y), width, height, **{"fc": "none", "ec": INK, "lw": 1, **look}))
    axes.text(x + 0.25, y + height - 0.2, name, va="top")
    if note:
        axes.text(x + 0.25, y + height - 1.15, note, va="top", fontsize=10.5)


def _thread(axes: Any, x: float, y: float, warp: int | None) -> None:
    look = {"fc": "none", "ls": ":"} if warp is None else {"fc": (RULE, TINTS[warp])}
    axes.add_patch(Rectangle((x, y), 0.82, 0.82, ec=INK, lw=0.6, **look))
    if warp is not None:
        axes.text(x + 0.41, y + 0.36, warp, ha="center", va="center", fontsize=9)


def two_views(threads: int = 20) -> HTML:
    """Two blocks as the program numbers their threads, and as the hardware runs them, 8 lanes wide."""
    figure, axes = _canvas(3.5, 27, 14)
    _frame(axes, (0, 0, 11.6, 14), "You write: a grid")
    _frame(axes, (13.6, 0, 13.2, 14), "The GPU runs")
    warps = -(-threads // LANES)
    for block in range(2):
        bottom = 6.6 - 6.1 * block
        _frame(axes, (0.5, bottom, 10.6, 5.6), f"block {block}")
        _frame(axes, (14.1, bottom, 12.2, 5.6), f"a multiprocessor (SM, AP): block {block}")
        axes.annotate(
            "", (14.1, bottom + 2.2), (11.1, bottom + 2.2), arrowprops={"arrowstyle": "->", "color": INK}
        )
        for n in range(threads):
            _thread(axes, 0.9 + n % 10, bottom + 2.5 - n // 10, n // LANES)
        for n in range(warps * LANES):
            warp = n // LANES
            _thread(axes, 17.9 + n % LANES, bottom + 2.9 - 1.2 * warp, warp if n < threads else None)
        for warp in range(warps):
            axes.text(14.5, bottom + 3.3 - 1.2 * warp, f"warp {warp}", va="center", fontsize=10.5)
    return figures.show(
        figure,
        "You choose grid and block; the warps follow. Each thread shows its warp, drawn 8 lanes wide.",
        alt="On the left a grid of two blocks of 20 threads each. On the right the GPU with two "
        "multiprocessors: "
        "each runs one of the blocks as three warps of 8 lanes. The last warp has four threads, and four "
        "lanes without one.",
    )


def where_things_are() -> HTML:
    """What a warp works with, and how many cycles away each is."""
    far = {name: f"{count:.0f} cycles" for name, count in cycles().items()}
    figure, axes = _canvas(2.7, 27, 10.4)
    _frame(axes, (0, 0, 11.4, 10.4), "in the multiprocessor")
    _frame(
        axes,
        (0.5, 6.4, 10.4, 2.5),
        "program counter, registers",
        "each thread’s · need no load",
        fc=(RULE, 0.25),
    )
    _frame(axes, (0.5, 3.45, 10.4, 2.5), "shared memory", f"each block’s · {far['shared']}", fc=(RULE, 0.25))
    _frame(axes, (0.5, 0.5, 10.4, 2.5), "L1 cache", far["L1"], ls="--")
    _frame(axes, (12.7, 0.5, 4.6, 2.5), "L2 cache", far["L2"], ls="--")
    _frame(axes, (18.6, 0, 8.3, 10.4), "HBM, off chip", far["HBM"])
    for row, (name, owner) in enumerate(PIECES.items()):
        _frame(axes, (19.1, 5.6 - 2.55 * row, 7.3, 2.35), name, owner, fc=(RULE, 0.25))
    for start, end in ((10.9, 12.7), (17.3, 18.6)):
        axes.annotate("", (end, 1.7), (start, 1.7), arrowprops={"arrowstyle": "<->", "color": INK})
    return figures.show(
        figure,
        f"Shared memory is {far['shared']} away. Private memory is off chip: {far['HBM']}, unless a cache "
        "has it.",
        alt="In the multiprocessor: program counter and registers of each thread, with no load; shared "
        f"memory of each block, {far['shared']}; L1, {far['L1']}. Behind it the L2 cache, {far['L2']}, and "
        f"off chip the HBM, {far['HBM']}, with private memory of each thread and global and constant memory.",
    )


PIECES = {
    "private memory": "each thread’s",
    "global memory": "everyone’s",
    "constant memory": "everyone’s, read only",
}


def lanes_used(used: Mapping[str, Sequence[float]]) -> HTML:
    """The share of the lanes that blocks of 1, 2, 3 … threads use, on each device."""
    figure, axes = figures.new(height=2.9)
    for device, shares in used.items():
        look = {**figures.style(device), "marker": ""}
        axes.plot(range(1, len(shares) + 1), shares, **look, label=device)
    axes.set(xlabel="threads in the block", ylabel="lanes in use", xlim=(1, 256), ylim=(0, 1.05))
    axes.set_xticks(range(32, 257, 32))
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    return figures.show(
        figure,
        "Only multiples of the warp size use every lane; one thread more costs a whole warp.",
        alt="Lanes in use over the block size, 1 to 256 threads. With 32 lanes a sawtooth with 100 % at each "
        "multiple of 32; with 64 lanes at multiples of 64 only. Larger blocks drop less behind each peak.",
    )
