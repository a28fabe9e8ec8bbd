"""Who ran which line when, and what did it find in memory? For the schedule explorer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gpusim.reports.exploration import ExplorationReport
from gpusim.reports.report import Drawn, Report
from gpusim.reports.source import SourceText
from gpusim.reports.warp import Warp


class Written(NamedTuple):
    """An element of an array, and the value that it has from now on."""

    element: int
    value: str


@dataclass(frozen=True, slots=True)
class Step(Report):
    """Lanes of one warp run a part of a line; what they read and write, by array."""

    warp: int
    part: int
    mask: str
    reads: Mapping[str, tuple[int, ...]]
    writes: Mapping[str, tuple[Written, ...]]


@dataclass(frozen=True, slots=True)
class ArrayReport(Report):
    """An array that somebody writes to, as it was before; empty texts where nobody knows."""

    name: str
    space: str
    initial: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScheduleVariant(Report):
    """One schedule, and the number of its outcome; `cut` where it has more steps than are kept."""

    label: str
    outcome: int
    cut: bool
    steps: tuple[Step, ...]
    memory: tuple[ArrayReport, ...]


@dataclass(frozen=True, slots=True)
class Part(Report):
    """A source line with the instructions of it that run together: `Step.part` is a place among them."""

    line: int
    instructions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cause(Report):
    """Where did what a thread saw come from? To be said behind it; a step, and the element in question."""

    says: str
    step: int | None
    place: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class FirstDifference(Report):
    """Where, in two of the variants, a thread first sees what it does not see in the other.

    `why`: what happened in the second variant that made it see something else, where that is known.
    """

    pair: tuple[int, int]
    steps: tuple[int, int]
    thread: str
    here: str
    there: str
    causes: tuple[Cause | None, Cause | None] = (None, None)
    why: Cause | None = None


@dataclass(frozen=True, slots=True)
class ScheduleReport(Drawn):
    """Schedules of one launch to choose among, two at a time."""

    variants: tuple[ScheduleVariant, ...]
    source: SourceText
    exploration: ExplorationReport
    lanes: int
    warps: tuple[Warp, ...]
    parts: tuple[Part, ...]
    differences: tuple[FirstDifference, ...]
