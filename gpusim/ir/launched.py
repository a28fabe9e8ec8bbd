"""Who launched a grid from a kernel? A chain of threads that ends with a launch of the host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpusim.source import Span

NULL, TAIL, FIRE_AND_FORGET = 0, 3, 4  # streams that nobody creates, by their handles
NAMED = {NULL: "default", TAIL: "tail launch", FIRE_AND_FORGET: "fire and forget"}
MOST_LAUNCHERS = 8  # that are told of, one after the other


@dataclass(frozen=True, slots=True, eq=False)
class LaunchedBy:
    """Which `thread` of which `block` of a kernel launched a grid, at which line, into which stream.

    `by` is who launched the grid of that thread, None for the host; `grid` is that grid's `GridLaunched`, if
    it is observed. `depth` counts the launches from the host's on: that of a grid of the host's is 0. It was
    launch number `turn` of its warp, which is number `warp` of its grid, and comes after the grids of
    `after`: what its stream was given before, and what events stood for. It was kept `in_heap` where the pool
    of pending launches was full.
    """

    kernel: str
    block: tuple[int, ...]
    thread: tuple[int, ...]
    span: Span
    stream: str
    depth: int
    by: LaunchedBy | None
    grid: object
    warp: int
    turn: int
    after: tuple[LaunchedBy, ...]
    in_heap: bool = False

    @property
    def is_tail(self) -> bool:
        """Is it a tail launch?"""
        return self.stream == NAMED[TAIL]

    @property
    def is_free(self) -> bool:
        """Was it launched to fire and forget?"""
        return self.stream == NAMED[FIRE_AND_FORGET]

    @property
    def all_after(self) -> Iterator[LaunchedBy]:
        """After which grids does it come by its stream and by events, directly or not? Each once."""
        found, queue = dict.fromkeys(self.after), list(self.after)
        while queue:
            one = queue.pop()
            yield one
            queue += [before for before in one.after if before not in found]
            found |= dict.fromkeys(one.after)

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
