"""What does padding do to a column of a tile? 32 lanes read it in 32 wavefronts, with pitch 33 in 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpusim.errors import ReportError
from gpusim.measurements import banks
from gpusim.reports.tile import TileReport, TileVariant

BANKS, WORD_BYTES, ROWS = 32, 4, 32
WIDTHS = (4, 8, 16)
NARROWER, WIDER_WORDS = 2, 4  # pitches from two elements less than 32 banks to four words more


def wavefronts(width: int, pitch: int, *, column: int = 0, swizzle: bool = False) -> int:
    """Wavefronts of a warp whose lane r loads element [r][column] of a tile, `pitch` elements a row.

    >>> [wavefronts(4, pitch) for pitch in (32, 33, 34, 36)]
    [32, 1, 2, 4]
    >>> wavefronts(4, 32, swizzle=True)
    1
    """
    row = np.arange(ROWS, dtype=np.int64)
    within = column ^ (row * swizzle % (BANKS * WORD_BYTES // width))
    (count,) = banks.wavefronts([(row * pitch + within) * width], np.ones((1, ROWS), bool), width)
    return int(count)


def explore_tile(
    *,
    pitch: int | None = None,
    column: int = 5,
    swizzle: bool = False,
    widths: Sequence[int] = WIDTHS,
    title: str = "A tile in 32 banks",
) -> TileReport:
    """Which bank has which element of a tile in shared memory? A report for `views.tile_explorer`.

    widths: bytes of an element, to choose from; the first one is shown, with `pitch`, `column` and `swizzle`.
    The banks are those of every device since compute capability 2.0, the rule is an H200's.
    """
    if not widths or not set(widths) <= set(WIDTHS):
        raise ReportError(f"an element of a tile has 4, 8 or 16 bytes, not {list(widths)}")
    variants = tuple(map(_variant, widths))
    first = variants[0]
    pitches = range(first.first_pitch, first.first_pitch + len(first.wavefronts))
    pitch = first.columns if pitch is None else pitch
    swizzled_otherwise = swizzle and pitch != first.columns
    if pitch not in pitches or column not in range(pitches[0]) or swizzled_otherwise:
        raise ReportError(
            f"elements of {first.width} bytes: the pitch is from {pitches[0]} to {pitches[-1]}, "
            f"with a swizzle {first.columns}, and the column one of the first {pitches[0]}"
        )
    return TileReport(title, variants, pitch, column, swizzle)


def _variant(width: int) -> TileVariant:
    columns = BANKS * WORD_BYTES // width
    pitches = range(columns - NARROWER, columns + WIDER_WORDS * WORD_BYTES // width + 1)
    return TileVariant(
        label=f"{width} bytes",
        width=width,
        columns=columns,
        first_pitch=pitches[0],
        wavefronts=tuple(wavefronts(width, pitch) for pitch in pitches),
        swizzled=wavefronts(width, columns, swizzle=True),
    )
