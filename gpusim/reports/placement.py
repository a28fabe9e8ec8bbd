"""Which thread block is on which multiprocessor, from when to when? For the view of block placement."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from gpusim.reports.occupancy import DeviceLimits
from gpusim.reports.report import Drawn, Report
from gpusim.whole import number_of, percent

ROWS = 8  # multiprocessors in a text, and blocks of each


class PlacedBlock(NamedTuple):
    """A block, the multiprocessor that has it, from when to when, and its wave, from 1 on."""

    block: int
    multiprocessor: int
    start: float
    end: float
    wave: int


@dataclass(frozen=True, slots=True, repr=False)
class Placement(Report):
    """The thread blocks of a grid on the multiprocessors of a device, in the order in which they start.

    `resident` fit on a multiprocessor at once, and so many on all of them are a wave; `blocks` of `threads`
    threads are in the grid, of which `placed` has those on `shown` multiprocessors. Times are in `unit`s,
    clocks or turns, and begin with the first block: a launch takes a while before. At `end` all are over.
    From `tail` on, places are free for which no block is left: until the end, `idle` is the part of the
    multiprocessors' time in which one has no block, `empty` the part of the places' time. `in_turn`: the
    kernel reads `%smid`, so block b waits for multiprocessor b mod their number, where else it would go to
    whoever has room first.
    """

    device: str
    multiprocessors: int
    resident: int
    blocks: int
    threads: int
    waves: int
    unit: str
    end: float
    tail: float
    idle: float
    empty: float
    placed: tuple[PlacedBlock, ...]
    shown: tuple[int, ...]
    in_turn: bool = False

    @property
    def says(self) -> str:
        """`10 blocks on 4 multiprocessors, 2 at once on each: 2 waves, 2 blocks in the last. …`."""
        last = self.blocks - (self.waves - 1) * self.multiprocessors * self.resident
        waves = number_of(self.waves, "wave") + f", {number_of(last, 'block')} in the last" * (self.waves > 1)
        over = f"{self.end:,.6g} {self.unit}{'s' * (self.end != 1)}"
        found = (
            f"{number_of(self.blocks, 'block')} on {number_of(self.multiprocessors, 'multiprocessor')}, "
            f"{self.resident} at once on each: {waves}, over after {over}."
        )
        if not self.empty:
            return f"{found} All places are taken to the end."
        return (
            f"{found} For the last {percent(1 - self.tail / self.end)} of the time nobody waits: "
            f"{percent(self.idle)} of the multiprocessors' time and {percent(self.empty)} of the places' "
            "are free."
        )

    def rows(self) -> list[str]:
        """One a multiprocessor, of the first few: `  0: blocks 0 (0–1), 4 (0–1), 8 (1–2)`."""
        found = []
        for index in self.shown[:ROWS]:
            there = [f"{each[0]} ({each[2]:,.5g}–{each[3]:,.5g})" for each in self.placed if each[1] == index]
            more = ", …" if len(there) > ROWS else ""
            found += [f"{index:5}: blocks {', '.join(there[:ROWS])}{more}"] if there else []
        return found + ["    …"] * (len(self.shown) > ROWS)

    def __str__(self) -> str:
        return "\n".join([f"{self.device}: {self.says}", *self.rows()])

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class PlacementVariant(Report):
    """A grid on a device. With `limits` it is made anew when `grids`, numbers of blocks, and `sizes`, threads
    of one, are pushed: every block takes the time that the report gives it, whoever is beside it.
    """

    label: str
    placement: Placement
    limits: DeviceLimits | None = None
    grids: tuple[int, ...] = ()
    sizes: tuple[int, ...] = ()


class Turns(NamedTuple):
    """How many turns blocks take: those of a label one after the other, over and over."""

    label: str
    turns: tuple[float, ...]


@dataclass(frozen=True, slots=True, repr=False)
class PlacementExploration(Drawn):
    """Grids, or devices and how long blocks take, to choose among; what a block asks for when pushed."""

    variants: tuple[PlacementVariant, ...]
    turns: tuple[Turns, ...] = ()
    registers_per_thread: int = 0
    shared_bytes: int = 0

    def __str__(self) -> str:
        told = ([f"{one.label}: {one.placement.says}", *one.placement.rows()] for one in self.variants)
        return "\n".join([self.title, *chain.from_iterable(told)])

    __repr__ = __str__
