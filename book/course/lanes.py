"""Which lane gets a value from which? Rows of lanes, with an arrow for each value that changes hands.

For example:

    lanes.exchange([["0", "10"], ["10", "0"]], [[(1,), (0,)]], ["x[i]", "out[i]"])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from course import figures

INK, RULE, FOLLOWED = "#000000", "#b0b0b0", "#0072b2"  # the figures' ink and rule, and the H200's blue


def exchange(
    rows: Sequence[Sequence[str]],
    rounds: Sequence[Sequence[Sequence[int]]],
    names: Sequence[str],
    follow: int | None = None,
) -> Any:
    """A figure. rows: what each lane holds, before and after each round; rounds: whose values each lane gets.

    names: of the rows. follow: a lane whose value in the last row is traced back, in colour.
    """
    lanes, gap = len(rows[0]), 1.3
    figure, axes = figures.new(height=0.8 * len(rows) + 0.5)
    axes.set_axis_off()
    axes.set_xlim(-1.9, lanes - 0.55)
    axes.set_ylim(-gap * (len(rows) - 1) - 0.45, 0.85)
    traced = [set[int]() for _ in rows]
    if follow is not None:
        traced[-1] = {follow}
        for k in reversed(range(len(rounds))):
            traced[k] = {source for lane in traced[k + 1] for source in rounds[k][lane]}
    for lane in range(lanes):
        axes.text(lane, 0.65, str(lane), ha="center", va="center", color=INK, fontsize=14)
    axes.text(-0.6, 0.65, "lane", ha="right", va="center", color=INK, fontsize=14)
    for k, row in enumerate(rows):
        axes.text(-0.6, -gap * k, names[k], ha="right", va="center", color=INK, fontsize=14)
        for lane, text in enumerate(row):
            colour = FOLLOWED if lane in traced[k] else INK
            box = {"boxstyle": "round,pad=0.25", "facecolor": "none", "edgecolor": colour}
            axes.text(lane, -gap * k, text, ha="center", va="center", color=colour, fontsize=16, bbox=box)
    for k, sources in enumerate(rounds):
        for lane, froms in enumerate(sources):
            for source in froms:
                colour = FOLLOWED if lane in traced[k + 1] else RULE if follow is not None else INK
                arrow = {"arrowstyle": "-|>", "color": colour, "shrinkA": 0, "shrinkB": 0, "linewidth": 1.4}
                ends = (lane, -gap * (k + 1) + 0.36), (source, -gap * k - 0.36)
                axes.annotate("", *ends, arrowprops=arrow)
    return figure


def butterfly(values: Sequence[int], distances: Sequence[int], follow: int | None = None) -> Any:
    """A figure: in each round every lane adds the value of the lane at that distance (lane ^ distance)."""
    rounds = [[(lane, lane ^ distance) for lane in range(len(values))] for distance in distances]
    held = [list(values)]
    for sources in rounds:
        held.append([sum(held[-1][source] for source in pair) for pair in sources])
    names = ["value", *(f"after ^ {distance}" for distance in distances)]
    return exchange([list(map(str, row)) for row in held], rounds, names, follow)
