"""Which warp did a scheduler issue in each clock, and what did the others wait for? For the timeline."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from gpusim.reports.report import Drawn, Report

# a character of `WarpTime.states` -> Nsight Compute's reason, and what a warp waits for; issues are capitals
WAITS: dict[str, tuple[str, str]] = {
    "m": ("stalled_long_scoreboard", "memory"),
    "s": ("stalled_short_scoreboard", "shared memory or special units"),
    "w": ("stalled_wait", "a result"),
    "b": ("stalled_barrier", "the barrier"),
    "p": ("stalled_math_pipe_throttle", "a busy pipe"),
    "g": ("stalled_lg_throttle", "the queue to memory"),
    "o": ("stalled_mio_throttle", "the queue to shared memory"),
    "n": ("stalled_not_selected", "its turn"),
    "j": ("stalled_branch_resolving", "a branch"),
}
NOTHING = "."  # no warp there: not yet, or no longer


def packed(text: str) -> str:
    """Runs of one character as that and their length, where it is not 1.

    >>> packed("FwwwF")
    'Fw3F'
    """
    lengths = ((each, sum(1 for _ in run)) for each, run in groupby(text))
    return "".join(each + (f"{length}" if length > 1 else "") for each, length in lengths)


def unpacked(text: str) -> str:
    """One character per clock again.

    >>> unpacked("Fw3F")
    'FwwwF'
    """
    return re.sub(r"(\D)(\d*)", lambda run: run[1] * int(run[2] or 1), text)


class Wait(NamedTuple):
    """A reason: its character, Nsight Compute's name for it, and what a warp waits for."""

    mark: str
    name: str
    waits_for: str


class PipeUnits(NamedTuple):
    """A pipe of every scheduler: how many lanes it takes in a clock, and so every how many clocks a warp.

    Without units it is not drawn: it only has a name.
    """

    mark: str
    name: str
    units: float
    interval: float


@dataclass(frozen=True, slots=True)
class Multiprocessor(Report):
    """What is drawn of one: its pipes, and its memories as texts."""

    schedulers: int
    pipes: tuple[PipeUnits, ...]
    registers: str
    memory: str


@dataclass(frozen=True, slots=True)
class TimelineLine(Report):
    """A source line: the character that stands for it. `function` is empty in the kernel itself."""

    mark: str
    line: int
    source: str
    function: str


@dataclass(frozen=True, slots=True)
class WarpTime(Report):
    """One warp of the multiprocessor, one character per clock in each text, `packed`.

    `states`: a pipe to which it issues, or why it does not (`WAITS`). `lines`: of what it issues, or wants
    to. `causes`: the line of the load, the barrier or the operation for which it waits. `block` is the number
    of its thread block among those of this multiprocessor.
    """

    warp: int
    block: int
    scheduler: int
    states: str
    lines: str
    causes: str


@dataclass(frozen=True, slots=True)
class TimelineVariant(Report):
    """One launch on one multiprocessor, from clock `first` on.

    `slots`: of each scheduler that is shown, from 0 on, per clock the pipe to which it issued, or what most
    of its warps waited for (`packed`). `used`: clocks of these schedulers in which one issued; `lost`: those
    in which it did not, by reason. `left_out` says which warps are not shown.
    """

    label: str
    device: str
    first: int
    clocks: int
    warps: tuple[WarpTime, ...]
    slots: tuple[str, ...]
    used: int
    lost: Mapping[str, int]
    lines: tuple[TimelineLine, ...]
    left_out: str
    multiprocessor: Multiprocessor


@dataclass(frozen=True, slots=True)
class Knob(Report):
    """A slider over runs, and what it can stand at."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Timeline(Drawn):
    """Launches to choose among; with `knobs` one for each combination of values, the last changing first.

    `start`: the place of the one that is shown first.
    """

    variants: tuple[TimelineVariant, ...]
    waits: tuple[Wait, ...] = field(default_factory=lambda: tuple(Wait(each, *WAITS[each]) for each in WAITS))
    knobs: tuple[Knob, ...] = ()
    start: int = 0
