"""Who launched a grid from a kernel? A chain of threads that ends with a launch of the host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gpusim.source import Span

MOST_LAUNCHERS = 8  # that are told of, one after the other


@dataclass(frozen=True, slots=True, eq=False)
class LaunchedBy:
    """Which `thread` of which `block` of a kernel launched a grid, at which line, into which stream.

    `by` is who launched the grid of that thread, None for the host; `grid` is that grid's `GridLaunched`, if
    it is observed. `depth` counts the launches from the host's on: that of a grid of the host's is 0.
    """

    kernel: str
    block: tuple[int, ...]
    thread: tuple[int, ...]
    span: Span
    stream: str
    depth: int
    by: LaunchedBy | None
    grid: Any

    @property
    def tree(self) -> str:
        """`launched by thread (0, 0, 0) of block (1, 0, 0) of parent at line 12`, and so on, by line."""
        told, one = list[str](), self
        while True:
            who = f"thread {one.thread} of block {one.block} of {one.kernel}"
            told.append(f"launched by {who} at line {one.span.line}")
            if one.by is None or len(told) == MOST_LAUNCHERS:
                break
            one = one.by
        return "\n".join([*told, *([f"and so on, {one.depth - 1} more"] if one.by else [])])
