"""What became of each grid of a run? Its launch, its beginning and its end, from what the runtime told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpusim.reports.source import SourceLine
from gpusim.tree_events import Began, Failed, Launched, Moment, Over, ThreadsLeft


@dataclass(eq=False)
class Life:
    """A grid, in the order of launches. `number`: in the order in which grids began, then those that did not.

    `moments`, by kind: when, in the order of what happened; what happened at once has the same.
    `counts`: what it counted, where it was counted by itself.
    """

    launched: Launched
    parent: Life | None
    number: int = 0
    moments: dict[type[Moment], int] = field(default_factory=dict)
    error: str = ""
    children: list[Life] = field(default_factory=list)
    counts: Mapping[str, int] | None = None

    @property
    def name(self) -> str:
        """`child #3`."""
        return f"{self.launched.kernel} #{self.number}"

    @property
    def depth(self) -> int:
        """How many launches led to it, after the host's?"""
        return 0 if self.launched.by is None else self.launched.by.depth

    @property
    def stream(self) -> str:
        """Into which of its block's streams did it go? "" for the host's."""
        return "" if self.launched.by is None else self.launched.by.stream

    @property
    def at(self) -> SourceLine | None:
        """Where was it launched?"""
        by = self.launched.by
        return None if by is None else SourceLine.of(by.span)

    @property
    def exists(self) -> bool:
        """Did its launch come about?"""
        return not self.launched.error


def lives_of(moments: Sequence[Moment]) -> dict[int, Life]:
    """All grids, by the number that the runtime gave each."""
    found, ticks, begun = dict[int, Life](), dict[int, int](), dict[int, None]()
    for moment in moments:
        when = ticks.setdefault(moment.tick, len(ticks))
        if isinstance(moment, Launched):
            parent = None if moment.parent is None else found[moment.parent]
            life = found[moment.grid] = Life(moment, parent, error=moment.error)
            if parent is not None:
                parent.children.append(life)
        if isinstance(moment, Began):
            begun[moment.grid] = None
        if isinstance(moment, Failed):
            found[moment.grid].error = in_a_line(moment.error)
        if isinstance(moment, Launched | Began | ThreadsLeft | Over):
            found[moment.grid].moments[type(moment)] = when
    rest = sorted((grid for grid in found if grid not in begun), key=lambda grid: not found[grid].exists)
    for number, grid in enumerate([*begun, *rest]):
        found[grid].number = number
    return found


def in_a_line(error: BaseException) -> str:
    """`OutOfBounds: saxpy.py:4: thread (5, 0, 0) of block …`."""
    return ": ".join([type(error).__name__, *str(error).splitlines()[:1]])
