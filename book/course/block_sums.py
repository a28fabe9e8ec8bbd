"""What do five sums of an array take, here and on a real H200? Those of "Cooperative groups".

`block_sums.json` holds what an H200 counted and how long it took; the shown kernels are passed, two are here.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple

import numpy as np
from IPython.display import HTML

import gpusim
from course import figures, listed
from course.chapters import Kernels
from course.kept import kept
from course.records import recorded
from course.said import percent, say
from gpusim import cuda
from gpusim.views.table import Table, table

cg = cuda.cg
DEVICES = ("H200", "MetaX C500")
SUMS = Path(__file__).with_suffix(".cu")
CPP = gpusim.RawModule(path=SUMS)  # more of the sums in C++
BLOCKS, THREADS, FLOATS = 64, 256, 1 << 18  # of the sums: eight pairs for each thread
NUMBERS = (np.arange(FLOATS) % 7).astype(np.float32)  # sums of them are exact, in any order


def summed(kernel: Any, device: str) -> Any:
    """A profiled run of one of the sums, which has the right total."""
    total = np.zeros(1, np.float32)
    with gpusim.profile(device) as run:
        kernel[BLOCKS, THREADS](NUMBERS.view(np.complex64), total)
    if total[0] != NUMBERS.sum():
        raise AssertionError(f"{kernel.__name__} on {device}: {total[0]}")
    return run


# column of the table -> what it counts, of a run
COUNTED: dict[str, Callable[[Any], int]] = {
    "shared requests": lambda run: run.shared_load_requests + run.shared_store_requests,
    "barriers": lambda run: run.barriers,
    "atomics": lambda run: run.atomics,
    "instructions": lambda run: run.instructions,
}


def fours(pairs: Any) -> dict[str, str]:
    """What do loads of four floats take, and those of `pairs`, a run with the same elements?"""
    kernel, total = CPP.get_function("by_fours"), np.zeros(1, np.float32)
    with gpusim.profile("H200") as run:
        kernel[BLOCKS, THREADS](NUMBERS, total, FLOATS // 4)
    if total[0] != NUMBERS.sum() or run.global_load_sectors != pairs.global_load_sectors:
        raise AssertionError("the text says that the sum and the sectors are the same")
    requests = {"by_four": run.global_load_requests, "by_two": pairs.global_load_requests}
    return {name: f"{n:,}" for name, n in (requests | {"by_any": run.global_load_sectors}).items()}


def compared(sums: Mapping[tuple[str, str], Any]) -> Table:
    """What does each of the sums take? Both widths in one cell; and what the text says of it."""
    rows = []
    for name in dict.fromkeys(name for name, _ in sums):
        runs = [sums[name, device] for device in DEVICES]
        counts = [" · ".join(f"{of(run) // BLOCKS:,}" for run in runs) for of in COUNTED.values()]
        rows.append((f"`{name}`", *counts))
    h200 = {name: run for (name, device), run in sums.items() if device == "H200"}
    say(**fours(h200["by_memory"]))
    shared = {name: COUNTED["shared requests"](run) for name, run in h200.items()}
    say(
        few_shared=shared["by_shuffles"] // BLOCKS,
        many_shared=shared["by_memory"] // BLOCKS,
        many_atomics=h200["by_atomics"].atomics // BLOCKS,
    )
    size = f"{FLOATS:,} floats, {BLOCKS} blocks of {THREADS} threads"
    caption = (
        f"Of each block, H200 · MetaX C500 ({size}). A barrier counts once for each warp that comes to it."
    )
    return table(rows, ["kernel", *COUNTED], caption)


def listing() -> HTML:
    """The kernel that is compared without being shown, folded, in both languages."""
    in_cpp = SUMS.read_text(encoding="utf-8").partition("__global__ void by_copies")
    python = re.sub(r": Any| -> None", "", dedent(inspect.getsource(by_copies.py_func)))
    cpp = "".join(in_cpp[1:]).partition("\n}\n")[0] + "\n}"
    rows = [(listed.Lines(python),), (listed.Lines(cpp),)]
    return listed.folded("The kernel by_copies", table(rows, ["in Python, and in CUDA C++"]))


class Timed(NamedTuple):
    """One of the sums: what a real H200 took, and the model; requests, sectors and atomics of both."""

    kernel: str
    blocks: int
    floats: int
    microseconds: float
    modelled: float
    recorded: tuple[int, int, int]
    counted: tuple[int, int, int]


@kept
def timed() -> tuple[Timed, ...]:
    """Each launch on record, and the same kernel in C++ here, as the page shows it."""
    cpp, found = Kernels("cooperative-groups").cpp, []
    for kernel, blocks, floats, took, _, _, requests, sectors, atomics, *_ in recorded("block_sums", "rows"):
        numbers, total = (np.arange(floats) % 7).astype(np.float32), np.zeros(1, np.float32)
        function = CPP.get_function(kernel) if kernel in ("by_atomics", "by_copies") else getattr(cpp, kernel)
        with gpusim.profile("H200") as run:
            function[blocks, THREADS](numbers, total, floats // 2)
        if not np.isclose(total[0], numbers.sum(dtype=np.float64), rtol=1e-5):
            raise AssertionError(f"{kernel}, {floats} floats: {total[0]}")
        modelled = 1e6 * run.timing().seconds
        counted = int(run.global_load_requests), int(run.global_load_sectors), int(run.atomics)
        found.append(Timed(kernel, blocks, floats, took, modelled, (requests, sectors, atomics), counted))
    return tuple(found)


def power(number: int) -> str:
    """1024 is 2¹⁰."""
    return "2" + str(number.bit_length() - 1).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def by_size(rows: Iterable[Timed]) -> dict[tuple[int, int], dict[str, Timed]]:
    """(blocks, floats) -> {kernel: what it took}."""
    found: dict[tuple[int, int], dict[str, Timed]] = {}
    for row in rows:
        found.setdefault((row.blocks, row.floats), {})[row.kernel] = row
    return found


def times(sums: Mapping[tuple[str, str], Any], taken: Iterable[Timed]) -> Table:
    """How long do the sums take on a real H200, and by the model? And what the text says of it."""
    sizes = by_size(taken)
    few, many, long = sizes.values()
    quickest = min(row.microseconds for row in long.values())
    others = [row for name, row in many.items() if name != "by_atomics"]
    off = [row.modelled / row.microseconds - 1 for row in taken]
    say(
        slow_atomics=f"{many['by_atomics'].microseconds / min(row.microseconds for row in others):.1f}",
        few_fastest=f"{min(row.microseconds for row in few.values()):.1f}",
        few_slowest=f"{max(row.microseconds for row in few.values()):.1f}",
        long_fastest=f"{quickest:.1f}",
        long_others=f"{max(row.microseconds for name, row in long.items() if name != 'by_atomics'):.1f}",
        terabytes=f"{4e-6 * long['by_shuffles'].floats / quickest:.1f}",
        copied=f"{recorded('timing', 'memcpy_d2d')[0]['GBps_read_plus_write'] / 1e3:.1f}",
        adds=f"{many['by_atomics'].recorded[2]:,}",
        nearest=percent(max(map(abs, off))),
        sums_mean=percent(sum(map(abs, off)) / len(off)),
    )
    rows = [
        (
            f"`{name}`",
            *(f"{of[name].microseconds:.1f} · {of[name].modelled:.1f}" for of in sizes.values()),
            f"{1e6 * sums[name, 'MetaX C500'].timing().seconds:.1f}",
        )
        for name in few
    ]
    headings = [f"{blocks:,} blocks, {power(floats)} floats" for blocks, floats in sizes]
    caption = "Microseconds: a real H200 · the model of it. Last, the model of a C500."
    return table(rows, ["kernel", *headings, f"C500, {BLOCKS} blocks"], caption)


def figure(taken: Iterable[Timed]) -> HTML:
    """How long do the sums take at each size, on a real H200 and by the model?"""
    sizes = by_size(taken)
    drawn, axes = figures.new(1, len(sizes), height=2.7, sharey=True)
    for place, ((blocks, floats), rows) in zip(axes, sizes.items(), strict=True):
        where = np.arange(len(rows))
        color = figures.style("H200")["color"]
        real, model = (
            [getattr(row, which) for row in rows.values()] for which in ("microseconds", "modelled")
        )
        place.barh(where - 0.2, real, height=0.38, color=color, label="real H200")
        place.barh(where + 0.2, model, height=0.38, fill=False, edgecolor=color, label="model")
        place.set_yticks(where, list(rows))
        place.set_title(f"{blocks:,} blocks\n{power(floats)} floats", fontsize=11)
        place.set_xlabel("µs")
    axes[0].invert_yaxis()
    drawn.legend(
        *axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=10, frameon=False
    )
    many = list(sizes.values())[1]
    ratio = many["by_atomics"].microseconds / many["by_shuffles"].microseconds
    return figures.show(
        drawn,
        f"Four ways take the time of loading. One atomic for each warp takes {ratio:.1f} times as long where "
        "blocks are many and each has little to load.",
        alt="Bars of microseconds for five sums in three sizes, real and modelled. They are as long as each "
        "other, but for by_atomics at 1,024 blocks with 4 Mi floats, which is twice as long.",
    )


def shared_requests(sums: Mapping[tuple[str, str], Any]) -> int:
    """How many requests does a block of `by_shuffles` send there? Nobody with one atomic sends fewer."""
    one = {name: run for (name, device), run in sums.items() if device == "H200" and run.atomics == BLOCKS}
    found = {name: COUNTED["shared requests"](run) // BLOCKS for name, run in one.items()}
    if min(found, key=found.__getitem__) != "by_shuffles":
        raise AssertionError(found)
    return found["by_shuffles"]


def longest(taken: Iterable[Timed]) -> dict[str, float]:
    """How many microseconds did each of the sums take of the most floats, on a real H200?"""
    *_, long = by_size(taken).values()
    return {name: row.microseconds for name, row in long.items()}


def as_long(took: Mapping[str, float]) -> str:
    """How long is the tree in memory under way, if the tree of shuffles takes 1? In words."""
    ratio = took["by_memory"] / took["by_shuffles"]
    if abs(ratio - 1) > 0.05:
        raise AssertionError(f"the page says that both take about as long, not {ratio}")
    return "about as long"


@cuda.jit(device=True)
def thread_sum(pairs: Any) -> Any:
    total = np.float32(0)
    for i in range(cuda.grid(1), pairs.size, cuda.gridsize(1)):
        pair = pairs[i]
        total += pair.real + pair.imag
    return total


@cuda.jit
def by_atomics(pairs: Any, total: Any) -> None:
    tile = cg.tiled_partition(cg.this_thread_block(), 32)
    found = cg.reduce(tile, thread_sum(pairs), cg.plus())
    if tile.thread_rank() == 0:
        cuda.atomic.add(total, 0, found)


@cuda.jit
def by_copies(pairs: Any, total: Any) -> None:
    s = cuda.shared.array((2, THREADS), np.complex64)
    block = cg.this_thread_block()
    t = block.thread_rank()
    mine = np.float32(0)
    rounds = pairs.size // cuda.gridsize(1)
    cg.memcpy_async(block, s[0], pairs[cuda.blockIdx.x * THREADS :], THREADS)
    for k in range(1, rounds + 1):
        if k < rounds:
            cg.memcpy_async(
                block, s[k % 2], pairs[(k * cuda.gridDim.x + cuda.blockIdx.x) * THREADS :], THREADS
            )
            cg.wait_prior(block, 1)
        else:
            cg.wait(block)
        pair = s[(k - 1) % 2, t]
        mine += pair.real + pair.imag
        block.sync()
    tile = cg.tiled_partition(block, THREADS)
    found = cg.reduce(tile, mine, cg.plus())
    if t == 0:
        cuda.atomic.add(total, 0, found)
