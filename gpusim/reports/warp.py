"""What does each warp do, step by step? For the warp player."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Frame(Report):
    """One warp executes a source line. `states` has one letter a lane; of `stack` the last entry runs."""

    warp: int
    line: int
    instructions: tuple[str, ...]
    states: str
    stack: tuple[StackEntry, ...]
    event: str
    active: int
    so_far: SoFar


@dataclass(frozen=True, slots=True)
class WarpTotals(Report):
    """The launch's counters of execution."""

    instructions: int
    thread_instructions: int
    branches: int
    divergent_branches: int
    active_lanes_per_instruction: float


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


@dataclass(frozen=True, slots=True)
class WarpReport(Drawn):
    """Launches of one kernel; `compare` begins with the first two side by side."""

    variants: tuple[WarpVariant, ...]
    source: SourceText
    compare: bool = False
