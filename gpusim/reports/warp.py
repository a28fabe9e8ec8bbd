"""What does each warp do, step by step? For the warp player."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gpusim.reports.report import Drawn, Report
from gpusim.reports.source import SourceText


@dataclass(frozen=True, slots=True)
class Warp(Report):
    """A warp of the grid: its block, its number in that block, and how many threads it has."""

    block: tuple[int, ...]
    warp: int
    threads: int


@dataclass(frozen=True, slots=True)
class StackEntry(Report):
    """Lanes that run or wait together: `mask` in hexadecimal, the line where they are and where they join."""

    what: str
    mask: str
    line: int
    reconverges_at: int | None


@dataclass(frozen=True, slots=True)
class SoFar(Report):
    """What a warp has executed, up to a step."""

    instructions: int
    thread_instructions: int
    active_lanes_per_instruction: float


class Given(NamedTuple):
    """A variable, by its place in `WarpVariant.names`, has new values in the lanes that run.

    In their order, with blanks between; one value where all are given the same.
    """

    name: int
    values: str


class Touched(NamedTuple):
    """Elements of an array, by its place in `WarpVariant.arrays`: "0-7 12"; values written, as in `Given`."""

    array: int
    elements: str
    values: str


@dataclass(frozen=True, slots=True)
class Frame(Report):
    """One warp executes a source line. `states` has one letter a lane; of `stack` the last entry runs.

    `event` says what happened, why, and what comes next; of what kind that was, where it was more than a
    line, is in `happens`. `taken` is the mask of the lanes that found a condition true, where the line asks.
    The kernel's end is the line after its last.
    """

    warp: int
    line: int
    instructions: tuple[str, ...]
    states: str
    stack: tuple[StackEntry, ...]
    event: str
    active: int
    so_far: SoFar
    happens: str = ""
    taken: str = ""
    given: tuple[Given, ...] = ()
    reads: tuple[Touched, ...] = ()
    writes: tuple[Touched, ...] = ()


@dataclass(frozen=True, slots=True)
class WarpTotals(Report):
    """The launch's counters of execution."""

    instructions: int
    thread_instructions: int
    branches: int
    divergent_branches: int
    active_lanes_per_instruction: float


@dataclass(frozen=True, slots=True)
class ArrayBeside(Report):
    """An array that the kernel touches, from element `first` on, before; empty texts where nobody knows."""

    name: str
    space: str
    first: int
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WarpVariant(Report):
    """One launch; `error` is the kind of error that ended it. `Frame.warp` is a place in `warps`."""

    label: str
    device: str
    lanes: int
    scheduling: str
    error: str | None
    warps: tuple[Warp, ...]
    frames: tuple[Frame, ...]
    totals: WarpTotals
    names: tuple[str, ...] = ()
    arrays: tuple[ArrayBeside, ...] = ()


@dataclass(frozen=True, slots=True)
class WarpReport(Drawn):
    """Launches of one kernel; `compare` begins with the first two side by side, `shows` with a variable."""

    variants: tuple[WarpVariant, ...]
    source: SourceText
    compare: bool = False
    shows: str = ""
