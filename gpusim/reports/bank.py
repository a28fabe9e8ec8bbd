"""Which bank serves which lanes, and who waits? For the bank view.

The words of shared memory count from the start of the block's window, so that `word mod banks` is the bank.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from gpusim.reports.report import SPREAD, Drawn, Report
from gpusim.reports.source import AccessMade


class Served(NamedTuple):
    """A bank gives or takes one word, for these lanes."""

    bank: int
    word: int
    lanes: tuple[int, ...]


Wavefront = tuple[Served, ...]


@dataclass(frozen=True, slots=True)
class Phase(Report):
    """What the lanes from the first to the last of `lanes` take. `conflicts` are numbers of its wavefronts.

    Those wavefronts, counted from 0, begin an item for which the bank was not free.
    """

    lanes: tuple[int, int]
    name: str
    wavefronts: tuple[Wavefront, ...]
    conflicts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BankAccess(Report):
    """An access to shared memory; `wavefronts` and `conflicts` count over its phases."""

    made: AccessMade = field(metadata=SPREAD)
    phases: tuple[Phase, ...]
    wavefronts: int
    conflicts: int


@dataclass(frozen=True, slots=True)
class BankTotals(Report):
    """The run's counters for these accesses: each picture's numbers, times how often it was made."""

    requests: int
    wavefronts: int
    conflicts: int


@dataclass(frozen=True, slots=True)
class BankVariant(Report):
    """One launch; `left_out` of its accesses are counted in `totals`, but not drawn."""

    label: str
    device: str
    lanes: int
    banks: int
    bank_bytes: int
    accesses: tuple[BankAccess, ...]
    left_out: int
    totals: BankTotals


@dataclass(frozen=True, slots=True)
class BankReport(Drawn):
    """Launches to choose among; `sweep` is what their labels are values of, for a slider."""

    variants: tuple[BankVariant, ...]
    sweep: str = ""
