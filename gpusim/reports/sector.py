"""Which memory moves for a warp, under each rule, and who wanted it? For the sector view.

All bytes of an access count from a boundary of 256 bytes at or before its array: so a page does not depend on
where the arrays of a run happened to lie.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gpusim.devices.device import MemoryRule
from gpusim.reports.report import SPREAD, Drawn, Report
from gpusim.reports.source import AccessMade


@dataclass(frozen=True, slots=True)
class RuleName(Report):
    """What a rule is called, and the piece of memory that it moves."""

    key: MemoryRule
    name: str
    piece: str


class Move(NamedTuple):
    """So many bytes move for these lanes, and so many have moved then for the request."""

    first_byte: int
    bytes: int
    lanes: tuple[int, ...]
    bytes_so_far: int


class Want(NamedTuple):
    """An active lane, and the first of the bytes that it wants."""

    lane: int
    first_byte: int


@dataclass(frozen=True, slots=True)
class Moved(Report):
    """What a request moves under one rule."""

    moves: tuple[Move, ...]
    transfers: int
    bytes_moved: int
    percent_wanted: float


@dataclass(frozen=True, slots=True)
class SectorAccess(Report):
    """An access to global memory, whose array begins at `array_byte`."""

    made: AccessMade = field(metadata=SPREAD)
    array_byte: int
    wants: tuple[Want, ...]
    bytes_wanted: int
    rules: Mapping[MemoryRule, Moved]


@dataclass(frozen=True, slots=True)
class RuleTotals(Report):
    """What all accesses need under one rule."""

    transfers: int
    bytes_moved: int


@dataclass(frozen=True, slots=True)
class SectorTotals(Report):
    """Each picture's numbers, times how often it was made."""

    requests: int
    rules: Mapping[MemoryRule, RuleTotals] = field(metadata=SPREAD)


@dataclass(frozen=True, slots=True)
class SectorVariant(Report):
    """One launch; `rule` is the device's own. `left_out` accesses are in `totals`, but not drawn."""

    label: str
    device: str
    lanes: int
    rule: MemoryRule
    accesses: tuple[SectorAccess, ...]
    left_out: int
    totals: SectorTotals


@dataclass(frozen=True, slots=True)
class SectorReport(Drawn):
    """Launches to choose among, under rules to choose among; `sweep` as in `BankReport`."""

    variants: tuple[SectorVariant, ...]
    rules: tuple[RuleName, ...]
    sweep: str = ""
