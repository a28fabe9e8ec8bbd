"""How often do the banks work for a column of a tile, for each of its pitches? For the tile explorer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gpusim.reports.report import Drawn, Report


@dataclass(frozen=True, slots=True)
class TileVariant(Report):
    """A tile of 32 rows, whose `columns` elements of `width` bytes fill the 32 banks once.

    `wavefronts` are those of one column, for every pitch from `first_pitch` on; `swizzled` is that of a tile
    without padding whose element (row, column) lies in column ^ (row mod columns).
    """

    label: str
    width: int
    columns: int
    first_pitch: int
    wavefronts: tuple[int, ...]
    swizzled: int


@dataclass(frozen=True, slots=True, repr=False)
class TileReport(Drawn):
    """Sizes of elements to choose among, and what is shown first."""

    view: ClassVar[str] = "tile_explorer"
    variants: tuple[TileVariant, ...]
    pitch: int
    column: int
    swizzle: bool
