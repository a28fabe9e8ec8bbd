"""Where in a program is a front-end? What it writes instructions with, for which place, and the ways out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from gpusim.ir.builder import Builder
from gpusim.source import Span


@dataclass
class Exits:
    """Where do lanes go that leave a part of a function? A kernel has its own, and so has each inlined call.

    `leave` is the label behind the call; None in a kernel. Of `joins`, where lanes that parted meet again,
    the innermost is the last; so of `loops`, the targets of `break` and of `continue`.
    """

    leave: int | None = None
    joins: list[int] = field(default_factory=list)
    loops: list[tuple[int, int | None]] = field(default_factory=list)

    @contextmanager
    def joining(self, join: int) -> Iterator[None]:
        """Lanes have parted; they meet again at `join`."""
        self.joins.append(join)
        try:
            yield
        finally:
            self.joins.pop()

    @contextmanager
    def looping(self, after: int, again: int | None, join: int) -> Iterator[None]:
        """The same, and `break` and `continue` have targets."""
        self.loops.append((after, again))
        try:
            with self.joining(join):
                yield
        finally:
            self.loops.pop()


class Site(NamedTuple):
    """Instructions go to `builder`, and come from the place `span` in the reader's text."""

    builder: Builder
    span: Span
    exits: Exits
