"""What does the chapter on wide loads show beside its kernels? Launches, records of an H200, a figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from textwrap import shorten
from typing import Any

import numpy as np
from IPython.display import HTML

import gpusim
from course import figures
from course.records import recorded
from gpusim import cuda
from gpusim.ir.control_flow import Block, successors
from gpusim.ir.instructions import Opcode
from gpusim.ir.program import Function
from gpusim.ir.scheduling import filled, waits
from gpusim.ir.types import F64
from gpusim.profile.run import Run
from gpusim.views.table import Table, table

K, POINTS, THREADS = 16, 8192, 1024
BIG = np.random.default_rng(7).standard_normal((K, POINTS))
SMALL = np.random.default_rng(8).standard_normal(K)
BEST = np.maximum((BIG + SMALL[:, None]).max(axis=0), 0.0)
FIELDS = np.random.default_rng(9).standard_normal((4, 16384))
WIDE = {"best_of_sums": "", "best_wide_small": "small", "best_wide_both": "both", "best_bounded": ""}
# what the chapter calls a kernel -> what the record does
RECORDED = {
    "best_of_sums": "baseline",
    "best_wide_small": "double2 small",
    "best_wide_both": "double2 both",
}
LANES, THREAD = "big[k*npt+pt]", "big[pt*K+k]"  # neighbours in memory: the points, or the sums of one point
UNBOUND, BOUND = "plain", "launch_bounds(1024,1)"
ISSUE = 6  # cycles from one load or addition of a warp to its next, about
# registers as the source reports them, on an A100: without bounds, and with them
REPORTED = {"best_of_sums": (40, 63), "best_wide_small": (36, 56), "best_wide_both": (44, 64)}


def _rows() -> dict[tuple[str, str, str, int], dict[str, Any]]:
    record = recorded("best_of_sums")
    rows = [dict(zip(record["header"]["fields"], row, strict=True)) for row in record["rows"]]
    keys = ("layout (index)", next(key for key in rows[0] if key.startswith("variant")))
    kernel = next(key for key in rows[0] if key.startswith("kernel"))
    return {(*(row[key] for key in keys), row[kernel], row["block"]): row for row in rows}


ON_H200 = _rows()
SPILLS = [
    dict(zip(recorded("launch_bounds")["header"]["fields"], row, strict=True))
    for row in recorded("launch_bounds")["rows"]
]


def h200(
    kernel: str, field: str = "ms, median of 7", layout: str = LANES, bounds: str = UNBOUND, block: int = 1024
) -> Any:
    """What was recorded of one variant."""
    return ON_H200[layout, RECORDED[kernel], bounds, block][field]


def faster(kernel: str, layout: str = LANES, bounds: str = UNBOUND, block: int = 1024) -> float:
    """How many times as fast as the baseline was it on an H200?"""
    return float(
        h200("best_of_sums", layout=layout) / h200(kernel, layout=layout, bounds=bounds, block=block)
    )


def bounded(kernel: Any, *bounds: int) -> Any:
    """The same kernel under a launch bound."""
    return cuda.jit(launch_bounds=bounds)(kernel.py_func)


def best_of(kernel: Any, threads: int = THREADS) -> Run:
    """The best sums of all points by this kernel on an H200; its result is right."""
    wide, final = WIDE[kernel.__name__], np.zeros(POINTS)
    big = BIG.view(complex) if wide == "both" else BIG
    small = SMALL.view(complex) if wide else SMALL
    with gpusim.profile("H200") as run:
        kernel[big.shape[1] // threads, threads](big, small, final.view(complex) if wide == "both" else final)
    assert np.array_equal(final, BEST)
    return run


def of_array(run: Run, array: str) -> tuple[int, int]:
    """Requests and sectors of the loads of an array."""
    lines = [
        line
        for line in run.kernels[0].lines
        if f"{array}[" in line["source"] and line["global_load_requests"]
    ]
    return (
        sum(line["global_load_requests"] for line in lines),
        sum(line["global_load_sectors"] for line in lines),
    )


def moments_of(kernel: Any) -> Run:
    """The moments of four arrays by two blocks of 1,024 threads."""
    out = np.zeros((14, 2 * THREADS))
    with gpusim.profile("H200") as run:
        kernel[2, THREADS](*FIELDS, out)
    products = [FIELDS[i] @ FIELDS[j] for i in range(4) for j in range(i, 4)]
    assert np.allclose(out.sum(axis=1), [*FIELDS.sum(axis=1), *products])
    return run


def waits_of(function: Function, rounds: int = 1) -> int:
    """How often does a thread wait for loads on its way? A loop runs so many rounds."""
    looping = {
        index
        for index, block in enumerate(function.blocks)
        if any(target <= index for target in successors(block.terminator))
    }
    return sum(
        waits(block) * (rounds if index in looping else 1) for index, block in enumerate(function.blocks)
    )


def at_work(kernel: Any, rounds: int) -> dict[int, int]:
    """How often does a thread wait, by the registers that it has? Only where one more changes it."""
    written, found = kernel.function, dict[int, int]()
    for registers in range(written.registers_per_thread, 64):
        times = waits_of(filled(written, registers), rounds)
        if times not in found.values():
            found[registers] = times
    return found


def order(kernel: Any, registers: int) -> str:
    """Loads and additions in the order of a compiler that has so many registers; `|` where the warp waits."""
    found, (block,) = list[str](), filled(kernel.function, registers).blocks
    for length, instruction in enumerate(block.instructions, start=1):
        if instruction.opcode is Opcode.LOAD or (
            instruction.opcode is Opcode.ADD and instruction.type is F64
        ):
            waiting = waits(Block(block.instructions[:length], block.terminator)) > found.count("|")
            found += ["|", instruction.opcode.mnemonic] if waiting else [instruction.opcode.mnemonic]
    return " ".join(found)


def order_figure(kernel: Any, places: Mapping[str, int | None], latency: float) -> HTML:
    """When is each load sent, and when does the warp wait? A row for each order; None: as it is written."""
    figure, axes = figures.new(height=2.2)
    for row, registers in enumerate(places.values()):
        words = ["ld", "add"] * 8 if registers is None else order(kernel, registers).replace("|", "").split()
        now, sent = 0.0, list[float]()
        for word in words:
            if word == "ld":
                sent.append(now)
                axes.vlines(now, row - 0.36, row + 0.36, color="#0072b2", linewidth=2)
            else:
                back = max(now, sent.pop(0) + latency)
                axes.broken_barh([(now, back - now)], (row - 0.22, 0.44), color="#d55e00", alpha=0.45)
                now = back
            now += ISSUE
    axes.set_yticks(range(len(places)), [*places])
    axes.invert_yaxis()
    axes.set(xlabel="cycles (lines: loads are sent; bars: the warp waits)", xlim=(-60, None))
    return figures.show(
        figure,
        "The same eight loads: where more numbers can land at a time, the warp waits less often.",
        alt="Three rows over time. As written, a load and a wait alternate, eight times. With room for three "
        "numbers there are three waits, with room for eight a single one.",
    )


def per_point(kernel: Any, registers: int | None = None) -> float:
    """How often does a thread wait for each point, with at most so many registers? None: as it is written."""
    wide = WIDE[kernel.__name__]
    function = kernel.function if registers is None else filled(kernel.function, registers)
    return waits_of(function, K // 2 if wide else K) / (2 if wide == "both" else 1)


def registers_table(kernels: Iterable[Any]) -> Table:
    """Registers per thread: reported, of nvcc for an H200, and ours, without bounds and with them."""
    rows = []
    for kernel in kernels:
        name = kernel.__name__
        nvcc = [h200(name, "registers per thread", bounds=bounds) for bounds in (UNBOUND, BOUND)]
        ours = [best_of(each).registers_per_thread for each in (kernel, bounded(kernel, 1024, 1))]
        assert ours[0] < ours[1]
        assert nvcc[0] < nvcc[1]
        rows.append((f"`{name}`", *(f"{before} → {after}" for before, after in (REPORTED[name], nvcc, ours))))
    return table(
        rows,
        ["kernel", "A100, reported", "H200, nvcc", "here"],
        "Registers per thread, without → with bounds (tests/hardware/best_of_sums.json)",
    )


def waits_figure(kernels: Iterable[Any]) -> HTML:
    """Waits per point over the registers that a thread may have."""
    figure, axes = figures.new(height=3.2)
    lines = (("-", "#000000"), ("--", "#0072b2"), (":", "#d55e00"))
    for kernel, (line, colour) in zip(kernels, lines, strict=True):
        allowed = range(kernel.function.registers_per_thread, 113)
        found = [per_point(kernel, each) for each in allowed]
        axes.step(allowed, found, line, color=colour, where="post", label=kernel.__name__)
    for bound in (32, 64):
        axes.axvline(bound, color="#b0b0b0", linewidth=1)
    axes.set_yscale("log", base=2)
    axes.set_yticks([1, 2, 4, 8, 16], ["1", "2", "4", "8", "16"])
    axes.set_xticks([16, 32, 48, 64, 80, 96, 112])
    axes.set(xlabel="registers that a thread may have", ylabel="waits per point")
    axes.legend()
    return figures.show(
        figure,
        "The more registers, the fewer waits, with ever less to gain. From 32 on (grey, like 64), wide loads "
        "of both arrays wait least; with fewer, few pairs have room, for each needs four at once.",
        alt="Waits per point over the registers that a thread may have, for three kernels. All fall steeply "
        "up to about 32 registers, then slowly. The kernel that loads both arrays wide waits least.",
    )


def spills_table(runs: Mapping[str, Run]) -> Table:
    """The moments under each bound: ours, and an H200's."""
    names = {"none": "unbounded", "(1024, 1)": "one_block", "(1024, 2)": "two_blocks"}
    rows = []
    for bound, run in runs.items():
        here, there = run.kernels[0], spilled(names[bound])
        ours = here.registers_per_thread, f"{4 * here.spilled_registers_per_thread} B"
        nvccs = there["registers per thread"], f"{there['local bytes per thread']} B"
        rows.append((bound.replace(" ", "\u00a0"), *ours, *nvccs, f"{there['ms, median of 15']:.2f}"))
    headings = ["bound", "registers here", "spilled here", "registers, nvcc", "spilled, nvcc", "H200, ms"]
    return table(rows, headings, "2²⁴ elements, blocks of 1,024 threads (tests/hardware/launch_bounds.json)")


def busiest_lines(run: Run, count: int = 5) -> list[tuple[Any, ...]]:
    """The lines with most traffic of local memory, in the order of the source."""
    lines = [(line["local_load_sectors"], line["local_store_sectors"], line) for line in run.kernels[0].lines]
    busiest = sorted(lines, key=lambda each: -each[0] - each[1])[:count]
    return [
        (
            line["line"],
            f"`{shorten(line['source'].strip(), 44, placeholder=' …')}`",
            f"{loaded:,}",
            f"{stored:,}",
        )
        for loaded, stored, line in sorted(busiest, key=lambda each: int(each[2]["line"]))
    ]


def spilled(kernel: str, n: int = 2**24, block: int = 1024) -> dict[str, Any]:
    """What an H200 took for the moments."""
    return next(row for row in SPILLS if (row["kernel"], row["n"], row["block"]) == (kernel, n, block))


@cuda.jit
def rows_of_sums(big, small, final):  # type: ignore[no-untyped-def]
    """The baseline where each thread's numbers lie in a row."""
    pt = cuda.grid(1)
    best = 0.0
    for k in range(K):
        best = max(big[pt, k] + small[k], best)
    final[pt] = best


@cuda.jit
def rows_wide_both(big, pairs, final):  # type: ignore[no-untyped-def]
    """The same by wide loads."""
    pt = cuda.grid(1)
    best = 0.0
    for k in range(K // 2):
        c = big[pt, k]
        pair = pairs[k]
        best = max(c.real + pair.real, best)
        best = max(c.imag + pair.imag, best)
    final[pt] = best


@cache
def modelled(kernel: Any, layout: str, points: int = 2**19) -> float:
    """How long does it take on an H200, by the model of time? In seconds."""
    wide = "both" in kernel.__name__
    big = np.zeros((K, points) if layout == LANES else (points, K), complex if wide else float)
    big = big[:, : big.shape[1] // 2].copy() if wide else big
    small, final = SMALL.view(complex) if wide else SMALL, np.zeros(points)
    threads = kernel.options.bounds[0] if kernel.options.bounds else THREADS
    side_by_side = wide and layout == LANES
    with gpusim.profile("H200") as run:
        kernel[points // (2 if side_by_side else 1) // threads, threads](
            big, small, final.view(complex) if side_by_side else final
        )
    return float(run.timing().seconds)


def by_model(kernels: tuple[Any, Any], layout: str, which: int, *bounds: int) -> float:
    """How many times as fast as the first of two kernels is one of them, by the model of time?"""
    kernel = bounded(kernels[which], *bounds) if bounds else kernels[which]
    return modelled(kernels[0], layout) / modelled(kernel, layout)


def speedups(best_of_sums: Any, best_wide_both: Any) -> Table:
    """How many times as fast as the baseline? Reported of an A100, on our H200, and by the model."""
    variants: list[tuple[str, str, int, tuple[int, ...]]] = [
        ("wide loads of both", "1.63 or 1.64", 1, ()),
        ("wide loads of both, bounds (1024, 1)", "1.76", 1, (1024, 1)),
        ("only bounds (1024, 1)", "1.77", 0, (1024, 1)),
        ("only bounds, two blocks of 512", "1.79", 0, (512, 2)),
    ]
    rows = []
    for name, reported, which, bounds in variants:
        recorded_as, how = ("best_of_sums", "best_wide_both")[which], BOUND if bounds else UNBOUND
        measured = faster(recorded_as, LANES, how, bounds[0] if bounds else 1024)
        model = by_model((best_of_sums, best_wide_both), LANES, which, *bounds)
        rows.append((name, reported, f"{measured:.2f}", f"{model:.2f}"))
    return table(
        rows,
        ["", "A100, reported", "H200", "the model"],
        "Times as fast as the baseline (tests/hardware/best_of_sums.json)",
    )


def by_rows() -> dict[str, str]:
    """The same of `big[pt, k]`: what the text says of an H200, and of its model."""
    variants = {"both": (1, ()), "both_bounds": (1, (1024, 1)), "bounds": (0, (1024, 1))}
    said = {}
    for name, (which, bounds) in variants.items():
        recorded_as, how = ("best_of_sums", "best_wide_both")[which], BOUND if bounds else UNBOUND
        said[f"row_{name}"] = f"{faster(recorded_as, THREAD, how):.2f}"
        said[f"row_{name}_model"] = f"{by_model((rows_of_sums, rows_wide_both), THREAD, which, *bounds):.2f}"
    return said
