"""Where did the bytes go, from the kernel through the caches to DRAM? For the memory chart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gpusim.reports.report import Drawn, Report

Place = Literal["kernel", "global", "local", "shared", "constant", "l1", "l2", "dram"]


@dataclass(frozen=True, slots=True)
class Box(Report):
    """A memory or a cache, and in a few words how it served; `column` counts from the kernel's, 0."""

    place: Place
    name: str
    column: int
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Arrow(Report):
    """What went between two boxes: the value of a counter, in its unit, and how many bytes that moves."""

    source: Place
    target: Place
    kind: Literal["load", "store", "atomic"]
    counter: str
    count: int
    unit: Literal["request", "sector"]
    bytes: int


@dataclass(frozen=True, slots=True)
class MemoryVariant(Report):
    """What all launches of a run did; boxes and arrows that nothing used are left out."""

    label: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


@dataclass(frozen=True, slots=True)
class MemoryChart(Drawn):
    """Runs to choose among."""

    variants: tuple[MemoryVariant, ...]
