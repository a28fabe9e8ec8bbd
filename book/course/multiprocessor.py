"""What does the chapter on the multiprocessor show beside its kernels? Parts, figures, an H200's records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from IPython.display import HTML

import gpusim
from course import figures
from course.records import recorded
from gpusim.devices.speeds import speeds
from gpusim.profile import profile
from gpusim.profile.run import Run
from gpusim.reports.timing import TimingReport
from gpusim.timing.pipes import Pipe, intervals
from gpusim.views.table import Table, table

KB = 1024
H200 = gpusim.devices.get("H200")
SHOWN = ("P100", "GTX 1080", "V100", "T4", "H200")
PARTS = {
    "warp schedulers": "schedulers_per_multiprocessor",
    "FP32 cores": "fp32_units",
    "INT32 cores": "int32_units",
    "FP64 cores": "fp64_units",
    "special function units": "sfu_units",
    "load/store units": "load_store_units",
    "tensor cores": "tensor_units",
}
# (chains in a thread, warps on a multiprocessor) -> lanes' FMAs per clock, on an H200
FMAS = {
    (row["ilp"], row["warps_per_sm"]): row["thread_ops_per_clk_per_sm"]
    for row in recorded("timing", "alu")
    if row["op"] == "FFMA"
}
CLOCKS = {row["op"]: row["cycles"] for row in recorded("timing", "dependent_op_latency")}
READS = {row["warps"]: row for row in recorded("timing", "warps_per_sm")}
# column of the record -> bytes a lane has under way
UNDER_WAY = {
    "GBps_4B": 4,
    "GBps_8B": 8,
    "GBps_16B": 16,
    "GBps_16B_2_in_flight": 32,
    "GBps_16B_4_in_flight": 64,
}
CHASE = recorded("timing", "chase")
((CONSTANT,),) = (row.values() for row in recorded("timing", "const_chase"))
# what Nsight Compute calls a stall -> what the warp waits for, and what helps
REMEDIES = {
    "long_scoreboard": ("global or local memory", "more under way, fewer bytes, a nearer cache"),
    "short_scoreboard": ("shared memory, SFU", "fewer bank conflicts, more ILP"),
    "wait": ("a result, a fixed time", "ILP, more warps"),
    "barrier": ("other warps of its block", "fewer barriers, smaller blocks, equal work"),
    "math_pipe_throttle": ("a pipe that is taken", "another pipe: floats for doubles"),
    "not_selected": ("its turn", "nothing: the slots are used"),
}
ROUNDS, MORE_ROUNDS = 64, 192


def parts() -> Table:
    """The parts of a multiprocessor by generation, as the catalogue has them."""
    chips = [gpusim.devices.get(name) for name in SHOWN]
    rows: list[tuple[Any, ...]] = [
        (what, *(getattr(chip, field) for chip in chips)) for what, field in PARTS.items()
    ]
    for chip, row in zip(chips, range(len(chips)), strict=True):
        if chip.architecture == "Pascal":
            rows[2] = (*rows[2][: row + 1], "on FP32", *rows[2][row + 2 :])
    fixed = [len(chip.carveouts_bytes) == 1 for chip in chips]
    shared = [chip.shared_bytes_per_multiprocessor // KB for chip in chips]
    both = [chip.l1_and_shared_bytes // KB for chip in chips]
    l1 = [
        of_both - of_shared if apart else "rest"
        for of_both, of_shared, apart in zip(both, shared, fixed, strict=True)
    ]
    most = [of_shared if apart else f"≤{of_shared}" for of_shared, apart in zip(shared, fixed, strict=True)]
    rows += [("shared memory, KB", *most), ("L1 and textures, KB", *l1), ("both together, KB", *both)]
    capabilities = (".".join(map(str, chip.compute_capability or ())) for chip in chips)
    rows.insert(0, ("compute capability", *capabilities))
    return table(rows, ["", *SHOWN], "Parts of a multiprocessor")


def per_round(kernel: Any, warps: int, device: str = "H200", dtype: Any = np.float32) -> tuple[float, Run]:
    """Clocks of a round of one of the chapter's chains with so many warps, by the model; and a run."""
    gpu, took = gpusim.devices.get(device), []
    for rounds in (ROUNDS, MORE_ROUNDS):
        threads = gpu.warp_size * warps
        with profile(gpu) as run:
            kernel[1, threads](np.zeros(threads, dtype), rounds)
        took.append(run.timing().cycles)
    return (took[1] - took[0]) / (MORE_ROUNDS - ROUNDS), run


def sawtooth(one_chain: Any, four_chains: Any) -> HTML:
    """FMAs per clock over the number of warps: an H200's, and the model's."""
    figure, axes = figures.new(height=3.4)
    colour = figures.style("H200")["color"]
    for kernel, chains, mark, line in ((one_chain, 1, "o", "-"), (four_chains, 4, "s", "--")):
        warps = range(1, 25)
        model = [chains * H200.warp_size * each / per_round(kernel, each)[0] for each in warps]
        name = f"{chains} chain{'s' * (chains > 1)} in a thread"
        axes.plot(warps, [FMAS[chains, each] for each in warps], mark, color=colour, label=f"{name}, H200")
        axes.plot(warps, model, line, color="#000000", linewidth=1, label=f"{name}, model")
    axes.set_xticks(range(4, 25, 4))
    axes.set(xlabel="warps on a multiprocessor", ylabel="lanes that compute, per clock", ylim=(0, 128))
    axes.legend(loc="lower right", fontsize=10)
    return figures.show(
        figure,
        "A fifth warp makes it slower: one scheduler has two of them, and the three others soon have none.",
        alt="Lanes that compute per clock over 1 to 24 warps. With one chain in a thread it rises to 118 at "
        "16 warps, and falls at 17. With four chains it reaches 113 at four warps, falls to 77 at five, "
        "and rises to 123 at eight: a saw with a tooth every four warps. The model's lines have the same"
        " teeth and end at 108.",
    )


def latencies() -> HTML:
    """Clocks of a load over the bytes that are walked through, on an H200."""
    figure, axes = figures.new(height=3.2)
    colour = figures.style("H200")["color"]
    through = [(row["bytes"], row["ca_latency"]) for row in CHASE if row["ca_latency"] > 0]
    axes.plot(*zip(*through, strict=True), "o-", color=colour, label="through L1")
    axes.plot(
        [row["bytes"] for row in CHASE],
        [row["cg_latency"] for row in CHASE],
        "s--",
        color=colour,
        label="past L1",
    )
    for name, size in (("L1", H200.l1_and_shared_bytes), ("L2", H200.l2_bytes)):
        axes.axvline(size, color="#b0b0b0", zorder=0)
        axes.text(
            size,
            610,
            f" {name}: {size // KB if name == 'L1' else size // KB**2} {'KB' if name == 'L1' else 'MB'}",
            ha="left",
        )
    axes.set_xscale("log", base=2)
    axes.set_xticks(
        [2**power for power in (12, 16, 20, 24, 28)], ["4 KB", "64 KB", "1 MB", "16 MB", "256 MB"]
    )
    axes.set(
        xlabel="bytes that one thread walks through, over and over", ylabel="clocks per load", ylim=(0, 700)
    )
    axes.legend(loc="center left", fontsize=10)
    return figures.show(
        figure,
        "What fits L1 answers after 40 clocks, what fits L2 after 290, and the rest after more than 600.",
        alt="Clocks per dependent load on an H200 over the bytes walked through, 4 KB to 1 GB. Through L1: "
        "40 clocks up to 192 KB, 200 at 256 KB. Past L1: 284 to 289 up to 48 MB, then rising to 657 at 1"
        " GB. Lines mark the sizes of L1, 256 KB, and of L2, 60 MB.",
    )


def reading(kernel: Any, warps: int) -> tuple[float, Run]:
    """GB/s that a whole H200 reads with so many warps on each multiprocessor, by the model; and a run."""
    threads = min(H200.warp_size * warps, 1024)
    blocks, took = H200.multiprocessors * (H200.warp_size * warps // threads), []
    for rounds in (8, 16):
        x = np.ones(blocks * threads * rounds, np.float32)
        with profile(H200) as run:
            kernel[blocks, threads](x, np.zeros(blocks * threads, np.float32), rounds)
        took.append(run.timing(warm=False).cycles)
    return x.nbytes / 2 / ((took[1] - took[0]) / (H200.clock_mhz * 1e6)) / 1e9, run


def in_flight(kernels: Iterable[Any]) -> HTML:
    """GB/s over the bytes that a multiprocessor has under way: what was measured, and what the model says."""
    figure, axes = figures.new(height=3.6)
    colour = figures.style("H200")["color"]
    names = ("4 bytes a lane", "8", "16", "2 × 16", "4 × 16")
    for (column, width), mark, name in zip(UNDER_WAY.items(), "ovs^D", names, strict=True):
        bytes_ = [warps * H200.warp_size * width for warps in READS]
        axes.plot(
            bytes_, [row[column] for row in READS.values()], mark, color=colour, label=name, fillstyle="none"
        )
    model = {}
    for kernel in kernels:
        for warps in (1, 2, 4, 8, 16, 32, 64):
            speed, run = reading(kernel, warps)
            model[warps * H200.warp_size * 4 * run.flight().loads_in_flight] = speed
    axes.plot(*zip(*sorted(model.items()), strict=True), "-", color="#000000", label="the model")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xticks(
        [2**power for power in range(7, 18, 2)], ["128 B", "512 B", "2 KB", "8 KB", "32 KB", "128 KB"]
    )
    axes.set_yticks([2**power for power in range(5, 13)], [f"{2**power:,}" for power in range(5, 13)])
    axes.set(xlabel="bytes under way for each multiprocessor", ylabel="GB/s read")
    axes.legend(fontsize=10, title="an H200, with")
    return figures.show(
        figure,
        "Warps, wide loads or several loads at once: what counts is how many bytes are under way.",
        alt="GB/s over the bytes that each multiprocessor has under way, both axes logarithmic. Five series "
        "of an H200, with 4, 8 and 16 bytes a lane and with 2 and 4 loads of 16 bytes at once, lie on "
        "one curve: a line from 43 GB/s at 128 bytes to 2,500 at 8 KB, then flat at 4,500. The model's "
        "line passes through them.",
    )


def stalls(run: Run, least: float = 0.05) -> dict[str, float]:
    """Clocks that a warp stood for each reason, for an instruction issued, by the model; most first."""
    found = {
        name: clocks for name, clocks in run.timing().stalls.items() if clocks >= least and name != "selected"
    }
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def worst(smooth: Any, waits: Mapping[str, str]) -> str:
    """What do the warps of the kernel `smooth` wait for most, of these reasons?"""
    x = np.ones(8 * 256 * H200.multiprocessors, np.float32)
    with profile(H200) as run:
        smooth[x.size // 256, 256](x, np.zeros_like(x))
    found = (reason.removeprefix("stalled_") for reason in stalls(run))
    return next(waits[reason] for reason in found if reason in waits)


def by_line(time: TimingReport, most: int = 5) -> Table:
    """At which lines do warps stand, and why? The lines with most of their time."""
    rows = []
    for line in sorted(time.lines, key=lambda line: -line.share)[:most]:
        waits = {name: share for name, share in line.stalls.items() if name != "selected" and share >= 0.05}
        reasons = sorted(waits.items(), key=lambda pair: -pair[1])[:2]
        told = ", ".join(f"{name.removeprefix('stalled_')} {share:.0%}" for name, share in reasons)
        told = told.replace("%", "\N{NO-BREAK SPACE}%")
        rows.append((line.line, f"`{line.source}`", f"{line.share:.0%}", told))
    headings = ["line", "source", "share", "of that, mostly"]
    return table(rows, headings, "Where all warps spend their time, by the model")


def remedies() -> Table:
    """What helps against each stall?"""
    rows = [(f"`{name}`", *told) for name, told in REMEDIES.items()]
    return table(rows, ["Nsight Compute says", "the warp waits for", "what helps"])


def widths(kernel: Any) -> list[tuple[str, ...]]:
    """A chain of floats and one of doubles on three GPUs: lanes per clock, and what warps wait for."""
    rows: list[tuple[str, ...]] = []
    for name in ("V100", "T4", "H200"):
        for dtype in (np.float32, np.float64):
            clocks, run = per_round(kernel, 32, name, dtype)
            (reason, waited), *_ = stalls(run).items()
            lanes = f"{32 * 32 / clocks:.0f}"
            rows.append(
                (name, dtype.__name__, lanes, f"`{reason.removeprefix('stalled_')}`", f"{waited:.0f}")
            )
    return rows


def latency_of_fma(device: str) -> int:
    """Clocks from an FMA to one that needs it."""
    return speeds(device).arithmetic_latency


def busy(pipes: Mapping[str, tuple[str, str]]) -> dict[str, int]:
    """For how many clocks does a warp's instruction keep a scheduler's pipe busy? name -> (device, pipe)"""
    return {
        name: int(intervals(gpusim.devices.get(device))[Pipe[pipe]]) for name, (device, pipe) in pipes.items()
    }


def chains(kernels: Mapping[int, Any], warps: Iterable[int]) -> dict[tuple[int, int], Run]:
    """Each kernel, named by its chains in a thread, with each number of warps."""
    return {(each, number): launched(kernels[number], each) for number in kernels for each in warps}


def launched(kernel: Any, warps: int, rounds: int = 64) -> Run:
    """One block of so many warps, on an H200."""
    with profile(H200) as run:
        kernel[1, 32 * warps](np.zeros(32 * warps, np.float32), rounds)
    return run
