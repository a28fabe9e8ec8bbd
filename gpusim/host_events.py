"""What did the host ask for, and which bytes did it touch? The runtime tells it of each call."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gpusim.events import Numbers, Placement
from gpusim.reports.source import SourceLine


@dataclass(eq=False)
class Piece:
    """Memory that calls of the host share: an allocation, or an array of the host; and how it is known."""

    bytes: int
    layout: Placement | None = None

    def part(self, first: int, end: int) -> str:
        """What lies in bytes `first` to `end`? `x[256:512]`, `m[1, 0] to m[3, 7]`."""
        known = self.layout
        if known is None or first < known.first or end > known.first + known.bytes:
            of = "" if known is None else f" that {known.name} lies in"
            return f"bytes {first:,} to {end - 1:,} of the {self.bytes:,}{of}"
        if not known.shape:
            return known.name
        low, high = zip(*(axis.tolist() for axis in known.index(np.array([first, end - 1]))[0]), strict=True)
        if len(low) == 1 and low[0] < high[0]:
            return f"{known.name}[{low[0]}:{high[0] + 1}]"
        ends = [f"{known.name}[{', '.join(map(str, index))}]" for index in (low, high)]
        return " to ".join(dict.fromkeys(ends))


@dataclass(frozen=True, slots=True, eq=False)
class Touched:
    """Bytes of a piece of memory that a call reads, writes, or updates atomically: `kind` as of accesses.

    starts, ends: int64 (ranges,), in order and apart.
    """

    piece: Piece
    kind: str
    starts: Numbers
    ends: Numbers

    def in_all(self) -> TouchedInAll:
        """From the first byte to the last."""
        sizes = self.ends - self.starts
        return TouchedInAll(self.piece, self.kind, int(self.starts[0]), int(self.ends[-1]), int(sizes.sum()))

    def shared_with(self, other: Touched) -> tuple[int, int] | None:
        """The first bytes of both that are next to each other, and where they end."""
        if self.piece is not other.piece or not len(self.starts) or not len(other.starts):
            return None
        place = np.searchsorted(other.ends, self.starts, side="right")
        within = place < len(other.starts)
        place = np.minimum(place, len(other.starts) - 1)
        meet = np.flatnonzero(within & (other.starts[place] < self.ends))
        if not meet.size:
            return None
        mine, theirs = int(meet[0]), int(place[meet[0]])
        first = max(int(self.starts[mine]), int(other.starts[theirs]))
        return first, min(int(self.ends[mine]), int(other.ends[theirs]))


class TouchedInAll(NamedTuple):
    """So many `bytes` of a piece of memory, the first and the end behind the last."""

    piece: Piece
    kind: str
    first: int
    end: int
    bytes: int


@dataclass(slots=True, eq=False)
class HostCall:
    """Something that the host asked of the device, or did with memory that both see.

    `stream`: in which it is done; "" where the host does it. `after`: what it comes directly after, and why
    (`reports.streams.ORDERED_BY`); `before`: a bit for every call, by number, that is over when it begins.
    `waits`: does the host go on only when it is done? `engine` does it, and moves so many `bytes`,
    from or to memory of the host that is `pinned`, or not. `met`: earlier calls, by number, that nothing
    orders with this one though both touch a place and one writes; in words, and what would order them.
    """

    number: int
    what: str
    text: str
    stream: str
    at: SourceLine
    after: tuple[tuple[int, str], ...]
    before: int
    waits: bool
    engine: str
    bytes: int
    pinned: bool
    touched: list[TouchedInAll] = field(default_factory=list)
    met: list[tuple[int, str, str, str]] = field(default_factory=list)

    def follows(self, other: HostCall) -> bool:
        """Does that one happen before this one?"""
        return bool(self.before >> other.number & 1)
