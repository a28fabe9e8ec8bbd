"""Which warp does each thread of a block become part of? For the block mapper."""

from __future__ import annotations

from dataclasses import dataclass

from gpusim.reports.report import Drawn, Report

Place = tuple[int, int, int]  # (x, y, z)


@dataclass(frozen=True, slots=True)
class WarpThreads(Report):
    """How many threads a warp has, and which are its first and its last."""

    warp: int
    threads: int
    first: Place
    last: Place


@dataclass(frozen=True, slots=True)
class BlockVariant(Report):
    """One shape of a block, on a device with so many lanes a warp."""

    label: str
    device: str
    lanes: int
    block: Place
    warps: tuple[WarpThreads, ...]


@dataclass(frozen=True, slots=True)
class BlockReport(Drawn):
    """Blocks to choose among."""

    variants: tuple[BlockVariant, ...]
