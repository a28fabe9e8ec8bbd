"""Which threads of a block form groups, and what do they pick them by? For the group map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from gpusim.reports.report import Drawn, Report

Kind = Literal["tiles", "coalesced", "binary", "labeled"]
Collective = Literal["shfl_down", "shfl_xor", "reduce", "inclusive_scan", "ballot", "sync"]


@dataclass(frozen=True, slots=True)
class GroupVariant(Report):
    """A width of warps, and in words the groups that are shown first."""

    label: str
    lanes: int
    says: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Picked(Report):
    """A condition or a label in words, and what it is for each thread of the block."""

    text: str
    of_threads: tuple[int, ...]


@dataclass(frozen=True, slots=True, repr=False)
class GroupExploration(Drawn):
    """A block of `threads`, and what is shown first: a kind of groups, the tile and the tile of that (0 for
    none), a collective, whose shuffles go `by` so many ranks, and the thread that is clicked.
    """

    view: ClassVar[str] = "group_map"
    variants: tuple[GroupVariant, ...]
    threads: int
    kind: Kind
    tile: int
    inner: int
    conditions: tuple[Picked, ...]
    labels: tuple[Picked, ...]
    collective: Collective
    by: int
    thread: int
