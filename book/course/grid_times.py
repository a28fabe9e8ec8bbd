"""When did the grids of a tree begin and end on a real H200? As dynamic_parallelism.json has it."""

from __future__ import annotations

import itertools
from typing import Any

from course import figures
from course.records import recorded

RECORDS = {one["test"]: one for one in recorded("dynamic_parallelism")["tests"]}
TWO_CHILDREN = "host launches parent (child 30 us in default stream) then kernel 7 in the same host stream"
TAILS = (
    "tail launches 8 and 9 issued first, then child 1 (30 us, default stream), child 2 (60 us, "
    "fire-and-forget), parent works 10 us"
)
TWO_STREAMS = (
    "two non-blocking streams: child 1 (50 us) in a, 2 (50 us) in b, 3 in a, 4 in the default stream"
)
EIGHT = "8 threads of a block each launch one child (3 us) into the default stream"


def _times(test: str) -> dict[int, float]:
    """When each event was, in microseconds: 1 and 2 begin and end the parent, 10 k + 1 and + 2 kernel k."""
    return {tag: ns / 1000 for tag, ns in RECORDS[test]["events_tag_ns"]}


def early() -> dict[str, str]:
    """When did a child begin on a real H200, and when had its parent's thread ended?"""
    at = _times(TWO_CHILDREN)
    if not at[11] < at[2]:
        raise AssertionError("the page says that the child began first")
    return {"began": f"{at[11]:.1f}", "parent_end": f"{at[2]:.1f}"}


def in_a_row() -> dict[str, str]:
    """How far apart did the children of a block's default stream begin, in microseconds?"""
    overlap = _times(TWO_STREAMS)
    if not overlap[21] < overlap[12]:
        raise AssertionError("the page says that two named streams ran side by side")
    at = _times(EIGHT)
    begins = [at[1001 + 10 * child] for child in range(8)]
    ends = [at[1002 + 10 * child] for child in range(8)]
    if any(end > begin for end, begin in zip(ends, begins[1:], strict=False)):
        raise AssertionError("the page says that they ran one after the other")
    gaps = [after - before for before, after in itertools.pairwise(begins)]
    return {"apart": f"{min(gaps):.0f} to {max(gaps):.0f}"}


def _timeline(test: str, names: dict[int, str], caption: str, alt: str) -> Any:
    """Who ran when on a real H200? A bar for each grid; the parent's is as long as its threads ran."""
    at = _times(test)
    figure, axes = figures.new(height=2.4)
    for place, kernel in enumerate(names):
        first, end = (at[1], at[2]) if kernel == 0 else (at[10 * kernel + 1], at[10 * kernel + 2])
        axes.barh(place, max(end - first, 0.5), left=first, color=figures.style("H200")["color"], height=0.5)
    axes.set_yticks(range(len(names)), names.values())
    axes.invert_yaxis()
    axes.set_xlabel("microseconds on an H200")
    last_child = max(when for tag, when in at.items() if tag // 10 in (1, 2) and tag > 9)
    axes.axvline(last_child, color="#000000", linewidth=0.8, linestyle=":")
    return figures.show(figure, caption, alt)


def nested_figure() -> Any:
    """A parent with two children, and what the host launched behind it."""
    at = _times(TWO_CHILDREN)
    return _timeline(
        TWO_CHILDREN,
        {0: "parent's thread", 1: "child 1", 2: "child 2", 7: "the host's next"},
        f"What follows in the host's stream begins after the last child: {at[71] - at[2]:.0f} µs after the "
        "parent's thread had ended. (Recorded; dotted: the last child ends.)",
        f"A time line of four bars. The parent's thread runs from 0 to {at[2]:.0f} µs, child 1 from "
        f"{at[11]:.0f} to {at[12]:.0f}, child 2 from {at[21]:.0f} to {at[22]:.0f}, and the host's next "
        f"kernel begins at {at[71]:.0f}.",
    )


def tails_figure() -> Any:
    """Two tail launches that were launched first, and two children."""
    at = _times(TAILS)
    return _timeline(
        TAILS,
        {0: "parent's thread", 1: "1, default stream", 2: "2, fire and forget", 8: "8, tail", 9: "9, tail"},
        "Tail launches begin when the last child is over, although they were launched before any child. "
        "(Recorded; dotted: the last child ends.)",
        f"A time line of five bars. The parent's thread runs to {at[2]:.0f} µs, child 1 from {at[11]:.0f} to "
        f"{at[12]:.0f}, child 2 from {at[21]:.0f} to {at[22]:.0f}, tail 8 begins at {at[81]:.0f} and tail 9 "
        f"at {at[91]:.0f}.",
    )
