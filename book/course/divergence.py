"""What does the chapter on divergence show beside its kernels? Launches, their counters, two figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from IPython.display import HTML

from course import figures
from course.records import recorded
from course.said import percent
from gpusim.profile import profile
from gpusim.profile.run import Run
from gpusim.views.table import Table, table

INK = "#000000"  # the ink of the page, light or dark
WAYS = (1, 2, 4, 8, 16, 32)
GROUPS = (1, 2, 4, 8, 16, 32, 64)
DEVICES = ("H200", "MetaX C500")
# block and its lines -> where it is drawn, and the blocks that follow it
NESTED = {
    "B0\nlines 3–5": (0.0, 0.0, "B1 B2"),
    "B1\nline 6": (2.0, 1.0, "B5"),
    "B2\nlines 8–9": (1.25, -1.0, "B3 B4"),
    "B3\nline 10": (2.0, -0.15, "B4"),
    "B4\nline 11": (3.0, -1.0, "B5"),
    "B5\nline 13": (4.0, 0.0, ""),
}


def launch(kernel: Any, threads: int, *arguments: Any, blocks: int = 1, **settings: Any) -> Run:
    """The run of one launch on copies of the arrays, on an H200 if no device is named.

    The settings are those of `gpusim.profile`.
    """
    own = [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
    with profile(**{"device": "H200", **settings}) as run:
        kernel[blocks, threads](*own)
    return run


def efficiency(run: Run) -> str:
    """The share of the lanes that work, as a text."""
    return percent(run.active_lanes_per_instruction / run.kernels[0].device.warp_size)


def by_line(run: Run) -> dict[int, Any]:
    """The counters of each source line."""
    return {row["line"]: row for row in run.kernels[0].lines}


def lines_beside(runs: Mapping[str, Run]) -> Table:
    """One row a line of their kernel, and how many lanes run it in each of the runs."""
    lines = {name: by_line(run) for name, run in runs.items()}
    rows = [
        (
            line,
            row["source"].strip(),
            row["instructions"],
            *(int(each[line]["active_lanes_per_instruction"]) for each in lines.values()),
        )
        for line, row in next(iter(lines.values())).items()
    ]
    return table(rows, ("line", "source", "instructions", *(f"lanes with {name}" for name in lines)))


def compared(runs: Mapping[str, Run], first: str) -> Table:
    """One row a run: how full its instructions were, how many there were, and how many branches split."""
    rows = [
        (name, efficiency(run), run.instructions, f"{run.divergent_branches:,} of {run.branches:,}")
        for name, run in runs.items()
    ]
    return table(rows, (first, "efficiency", "instructions", "branches that split"))


def beside_h200(run: Run, line: int, name: str, point: int) -> Table:
    """The mask of each trip at a line, and what a real H200 wrote down at this point of the same kernel."""
    events = next(each["events"] for each in recorded("divergence")["scenarios"] if each["name"] == name)
    pairs = zip(run.masks(line), [event[2] for event in events if event[1] == point], strict=True)
    rows = [(trip, f"0x{here}", f"0x{there}") for trip, (here, there) in enumerate(pairs, start=1)]
    return table(rows, ("trip", f"mask at line {line}, simulated", "recorded on an H200"))


def meeting_points() -> HTML:
    """The blocks of `nested` and the ways between them."""
    figure, axes = figures.new(height=2.1)
    at = {name[:2]: place[:2] for name, place in NESTED.items()}
    for name, (x, y, following) in NESTED.items():
        box = {"boxstyle": "round,pad=0.35", "fc": "none", "ec": INK}
        axes.text(x, y, name, ha="center", va="center", bbox=box)
        for end in following.split():
            arrow = {"arrowstyle": "->", "shrinkA": 26, "shrinkB": 28, "color": INK}
            axes.annotate("", at[end], (x, y), arrowprops=arrow)
    axes.set(xlim=(-0.5, 4.5), ylim=(-1.5, 1.5))
    axes.set_axis_off()
    return figures.show(
        figure,
        "Every way from B0 to the end leads through B5, and every way from B2 leads through B4.",
        alt="Six blocks. B0, lines 3 to 5, leads to B1, line 6, and to B2, lines 8 and 9. B1 leads to B5, "
        "line 13. B2 leads to B3, line 10, and to B4, line 11. B3 leads to B4, and B4 to B5.",
    )


def grouped(ways: Any) -> dict[tuple[int, str], Run]:
    """Two ways, which groups of neighbours take in turn: a run for each size of group and device."""
    return {
        (group, device): launch(ways, 256, np.zeros(256), 2, group, device=device)
        for group in GROUPS
        for device in DEVICES
    }


def whole_from(runs: Mapping[tuple[int, str], Run], device: str) -> int:
    """The smallest group with which no warp splits."""
    return min(group for group in GROUPS if not runs[group, device].divergent_branches)


def side_by_side(runs: Mapping[tuple[int, str], Run], groups: tuple[int, ...]) -> Table:
    """One row a size of group: how full the instructions were on each device, and how many branches split."""
    rows = []
    for group in groups:
        some = [runs[group, device] for device in DEVICES]
        split = [f"{run.divergent_branches} of {run.branches:,}" for run in some]
        rows.append(
            (
                group,
                *(cell for run, text in zip(some, split, strict=True) for cell in (efficiency(run), text)),
            )
        )
    named = (
        f"{device}: {what}" for device in ("H200", "C500") for what in ("efficiency", "branches that split")
    )
    return table(rows, ("group", *named))


def growth(counts: list[float]) -> list[float]:
    """Relative to the first."""
    return [count / counts[0] for count in counts]


def _recorded(kernel: str, threads: int, column: int) -> list[float]:
    """The growth that an H200 recorded over `WAYS`: of cycles (column 3) or of instructions (4)."""
    rows = {tuple(row[:3]): row for row in recorded("divergence")["counts"]}
    return growth([rows[kernel, k, threads][column] for k in WAYS])


def growth_of_ways(ways: Any) -> dict[tuple[str, str], list[float]]:
    """What do k ways cost, lane by lane and warp by warp, relative to one? Simulated, and on a real H200."""

    def simulated(threads: int, group: int) -> list[float]:
        return growth([launch(ways, threads, np.zeros(threads), k, group).instructions for k in WAYS])

    return {
        ("by lane", "simulated"): simulated(32, 1),
        ("by lane", "instructions"): _recorded("c_kway", 32, 4),
        ("by lane", "cycles"): _recorded("c_kway", 32, 3),
        ("by warp", "simulated"): simulated(1024, 32),
        ("by warp", "instructions"): _recorded("c_warpway", 1024, 4),
    }


def ends(curves: Mapping[tuple[str, str], list[float]]) -> dict[str, str]:
    """What 32 ways cost, for the prose: each under a name such as `by-lane-simulated`."""
    return {
        f"{ways}-{what}".replace(" ", "-"): f"{counts[-1]:.1f}" if counts[-1] > 2 else f"{counts[-1]:.2f}"
        for (ways, what), counts in curves.items()
    }


def cost_of_ways(curves: Mapping[tuple[str, str], list[float]]) -> HTML:
    """The growth over the ways: simulated as a line, measured as marks."""
    figure, axes = figures.new(height=3.4)
    marks = {**figures.style("H200"), "linestyle": "none", "fillstyle": "none"}
    looks = {
        "simulated": {"color": INK, "label": "instructions, simulated"},
        "instructions": {**marks, "markersize": 9, "label": "instructions, H200"},
        "cycles": {**marks, "marker": "x", "label": "cycles, H200"},
    }
    for (ways, what), counts in curves.items():
        axes.plot(WAYS, counts, **looks[what] | ({} if ways == "by lane" else {"label": None}))
    axes.annotate("lane by lane", (8, 8), (-12, 0), textcoords="offset points", ha="right")
    axes.annotate("warp by warp", (8, 1), (0, 10), textcoords="offset points", ha="center")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set(xlabel="ways k", ylabel="cost, relative to one way")
    axes.set_xticks(WAYS, WAYS)
    axes.set_yticks(WAYS, WAYS)
    axes.legend(fontsize=10, frameon=False)
    return figures.show(
        figure,
        "Ways that lanes take cost one after the other, up to the width of the warp; ways that whole warps "
        "take cost nothing.",
        alt="Cost relative to one way, over 1 to 32 ways. Lane by lane, instructions simulated and on the "
        "H200, and cycles on the H200, grow in proportion. Warp by warp, instructions stay close to 1.",
    )
