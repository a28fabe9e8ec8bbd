"""Rows of very different lengths are summed up, with launches in kernels and without: what does it take?"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

import gpusim
from course import figures
from course.grid_times import RECORDS
from course.nesting import zeros
from course.records import recorded
from gpusim import cuda

cg = cuda.cg
LONGEST, LONGER = 4096, 65536
NEVER, BY_BLOCKS = 1 << 30, -1
MOST = (4, 64, 256, 1024, NEVER)
SIZES, MODELLED = (2048, 8192, 32768, 131072), (2048, 8192)
NESTED = {LONGEST: 1024, LONGER: 4096}  # which rows get a launch where the figure has one line for nesting
TIMES = {tuple(row[1:4]): tuple(row[4:]) for row in recorded("nesting", "rows") if row[0] == "sums"}


def lengths(longest: int, rows: int) -> list[int]:
    """Those of the record: longest / k, rounded down, one at least, for k = 1, 2, 3, …, in mixed order."""
    return Random(13).sample([max(longest // k, 1) for k in range(1, rows + 1)], rows)


@cuda.jit
def block_for_each(values, start, sums):  # type: ignore[no-untyped-def]
    i = cuda.blockIdx.x
    tile = cg.tiled_partition(cg.this_thread_block(), 32)
    part = 0
    for k in range(start[i] + cuda.threadIdx.x, start[i + 1], 256):
        part += values[k]
    part = cg.reduce(tile, part, cg.plus())
    if tile.thread_rank() == 0:
        cuda.atomic.add(sums, i, part)


@dataclass(frozen=True)
class Way:
    """One way to sum up all rows: what it took, all grids together; `micros` by the model of time.

    `recorded`: microseconds of an H200: the median of 20, the least, the most.
    """

    name: str
    run: Any
    micros: float
    recorded: tuple[float, float, float]

    @property
    def launches(self) -> int:
        """How many grids did threads launch?"""
        return int(self.run.launch_tree().launches) - 1

    def row(self) -> tuple[str, ...]:
        """Its row in the table."""
        run = self.run
        median, least, most = self.recorded
        shown = f"{median:.0f} ({least:.0f}–{most:.0f})"
        return (
            self.name,
            f"{self.launches:,}",
            f"{run.instructions:,}",
            f"{run.active_lanes_per_instruction:.1f}",
            shown,
            f"{self.micros:.0f}",
        )


class Rows:
    """Rows of 4096 / k numbers, one at least, in mixed order, and ways to sum them up."""

    def __init__(self, kernel: Any, rows: int) -> None:
        random = np.random.default_rng(13)
        self._kernel, self.count = kernel, rows
        self.length = lengths(LONGEST, rows)
        self.start = np.concatenate([[0], np.cumsum(self.length)]).astype(np.int32)
        self.values = random.integers(0, 100, self.start[-1]).astype(np.int32)

    def by_threads(self, most: int) -> Way:
        """A thread takes a row, and launches a grid for more than `most` numbers."""
        name = "never launch" if most == NEVER else f"rows of more than {most:,}"
        return self._way(name, self._kernel[self.count // 256, 256], most, most)

    def by_blocks(self) -> Way:
        """A block for each row."""
        return self._way("a block for each row", block_for_each[self.count, 256], BY_BLOCKS)

    def _way(self, name: str, launched: Any, knob: int, *most: int) -> Way:
        sums = zeros(self.count)
        with gpusim.profile("H200") as run:
            launched(self.values, self.start, sums, *most)
        if sums.tolist() != np.add.reduceat(self.values, self.start[:-1]).tolist():
            raise AssertionError(name)
        return Way(name, run, run.timing().seconds * 1e6, TIMES[LONGEST, self.count, knob])


def _lines(longest: int) -> dict[int, tuple[str, str, str]]:
    """What the figure shows for each knob of the record: name, line and mark."""
    return {
        BY_BLOCKS: ("a block for each row", "--", "s"),
        NESTED[longest]: ("launch for long rows", "-", "o"),
        NEVER: ("never launch", ":", "^"),
    }


def _medians(longest: int, knob: int) -> str:
    return ", ".join(f"{TIMES[longest, size, knob][0]:.0f}" for size in SIZES)


class RowSums:
    """All ways to sum up 2,048 rows, run and recorded, and some for more rows."""

    def __init__(self, kernel: Any) -> None:
        self._kernel, self.rows = kernel, Rows(kernel, SIZES[0])
        self.ways = {most: self.rows.by_threads(most) for most in MOST}
        self.each = self.rows.by_blocks()

    @property
    def best(self) -> int:
        """The `most` with the fewest instructions."""
        return min(MOST, key=lambda most: self.ways[most].run.instructions)

    @property
    def fastest(self) -> str:
        """Which way took an H200 the least time?"""
        return min((*self.ways.values(), self.each), key=lambda way: way.recorded).name

    @property
    def fastest_of_many(self) -> str:
        """Which of the figure's ways took an H200 the least time for the most rows?"""
        names = {
            BY_BLOCKS: "a block for each row",
            1024: "launching for three rows",
            NEVER: "never launching",
        }
        return names[min(names, key=lambda knob: TIMES[LONGEST, SIZES[-1], knob])]

    def table(self) -> Any:
        """Every way beside the others."""
        headings = (
            "who gets a launch",
            "launches",
            "instructions",
            "active lanes",
            "µs, H200 (least to most)",
            "µs, model",
        )
        return gpusim.table([way.row() for way in (*self.ways.values(), self.each)], headings)

    def _modelled(self) -> dict[int, list[float]]:
        """Microseconds by the model, for the numbers of rows that were run, by the record's knob."""
        more = [Rows(self._kernel, size) for size in MODELLED[1:]]
        knobs = (NESTED[LONGEST], NEVER)
        found = {
            knob: [way.micros for way in (self.ways[knob], *(rows.by_threads(knob) for rows in more))]
            for knob in knobs
        }
        return found | {BY_BLOCKS: [way.micros for way in (self.each, *(rows.by_blocks() for rows in more))]}

    def scaled(self) -> Any:
        """The recorded times of three ways over the number of rows; the model's where it was run."""
        modelled = self._modelled()
        figure, panels = figures.new(columns=2, height=3.4, sharey=True)
        for axes, longest in zip(panels, NESTED, strict=True):
            for knob, (name, line, mark) in _lines(longest).items():
                median, least, most = zip(*(TIMES[longest, size, knob] for size in SIZES), strict=True)
                colour = figures.style("H200")["color"]
                axes.plot(SIZES, median, color=colour, linestyle=line, marker=mark, markersize=4, label=name)
                axes.fill_between(SIZES, least, most, color=colour, alpha=0.15, linewidth=0)
                if longest == LONGEST:
                    axes.plot(
                        MODELLED,
                        modelled[knob],
                        color="#000000",
                        linestyle="",
                        marker=mark,
                        markerfacecolor="none",
                        markersize=7,
                    )
            axes.set_xscale("log", base=2)
            axes.set_xticks(SIZES, [f"{size // 1024} K" for size in SIZES])
            axes.set_yscale("log")
            axes.set_yticks((10, 30, 100, 300, 1000), ("10", "30", "100", "300", "1,000"))
            axes.minorticks_off()
            axes.set_xlabel("rows")
            axes.set_title(f"longest row {longest:,}", fontsize=10)
        panels[0].set_ylabel("microseconds")
        panels[0].legend()
        return figures.show(
            figure,
            "Nesting wins only with very many rows: its time hardly depends on them. "
            "(Lines: recorded on an H200, least to most shaded; hollow marks: the model.)",
            "Microseconds over 2,048, 8,192, 32,768 and 131,072 rows, recorded. "
            + " ".join(
                f"Longest row {longest:,}, {name}: {_medians(longest, knob)}."
                for longest in NESTED
                for knob, (name, *_) in _lines(longest).items()
            ),
        )

    def facts(self) -> dict[str, Any]:
        """Numbers for the text; times are those of the records, but for those by the model."""
        best, flat = self.ways[self.best], self.ways[NEVER]
        issue, start = (
            sorted(one / 1000 for one in RECORDS["launch latency fire-and-forget, ns"][key][1:])
            for key in ("issue_cost_in_parent", "parent_issue_to_child_start")
        )  # the first of each is slower: it warms up
        return {
            "row_count": f"{self.rows.count:,}",
            "longest_row": f"{LONGEST:,}",
            "longer_row": f"{LONGER:,}",
            "half_below": int(np.median(self.rows.length)) + 1,
            "flat_lanes": f"{flat.run.active_lanes_per_instruction:.1f}",
            "block_times": f"{self.each.run.instructions / best.run.instructions:.0f}",
            "best_launches": best.launches,
            "many_launches": f"{self.ways[MOST[0]].launches:,}",
            "issue_low": f"{issue[0]:.1f}",
            "issue_high": f"{issue[-1]:.1f}",
            "start_median": f"{start[len(start) // 2]:.1f}",
            "three_levels": f"{3 * start[len(start) // 2]:.0f}",
            **_recorded_facts(),
            "best_model": f"{best.micros:.0f}",
            "flat_model": f"{flat.micros:.0f}",
        }


def _recorded_facts() -> dict[str, str]:
    """What the records say, and that the page's sentences are true of them."""
    few, many, third = SIZES[0], SIZES[-1], SIZES[2]
    median = {how: micros[0] for how, micros in TIMES.items()}
    if not (
        all(
            median[longest, size, BY_BLOCKS] < median[longest, size, nested]
            for longest, nested in NESTED.items()
            for size in SIZES[:2]
        )
        and all(
            median[longest, many, nested] < median[longest, many, BY_BLOCKS] / 2
            for longest, nested in NESTED.items()
        )
        and median[LONGEST, third, 1024] < median[LONGEST, third, BY_BLOCKS]
        and median[LONGER, third, BY_BLOCKS] < median[LONGER, third, 4096]
        and median[LONGEST, few, NEVER] < median[LONGEST, few, 256]
    ):
        raise AssertionError("the page says when nesting wins")
    nested = [TIMES[LONGER, size, 4096][0] for size in SIZES]
    never = [TIMES[LONGER, size, NEVER][0] for size in SIZES]
    least, most = TIMES[LONGEST, few, 1024][1:]
    return {
        "best_micros": f"{median[LONGEST, few, 256]:.0f}",
        "flat_micros": f"{median[LONGEST, few, NEVER]:.0f}",
        "block_micros": f"{median[LONGEST, few, BY_BLOCKS]:.0f}",
        "fewer_micros": f"{least:.0f} and {most:.0f}",
        "longer_launches": f"{sum(length > NESTED[LONGER] for length in lengths(LONGER, many))}",
        "rows_many": f"{many:,}",
        "rows_third": f"{third:,}",
        "each_third": f"{median[LONGEST, third, BY_BLOCKS]:.0f}",
        "nested_third": f"{median[LONGEST, third, 1024]:.0f}",
        "each_many": f"{median[LONGEST, many, BY_BLOCKS]:.0f}",
        "nested_many": f"{median[LONGEST, many, 1024]:.0f}",
        "longer_nested": f"{min(nested):.0f} to {max(nested):.0f}",
        "longer_never": f"{min(never):.0f} to {max(never):.0f}",
        "longer_each_third": f"{median[LONGER, third, BY_BLOCKS]:.0f}",
    }
