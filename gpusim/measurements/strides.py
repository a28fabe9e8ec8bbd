"""What does a stride cost? 32 lanes that load neighbouring floats touch 4 sectors, with stride 8 32."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpusim.errors import ReportError
from gpusim.measurements import coalescing
from gpusim.reports.stride import StrideReport, StrideVariant

WIDTHS = (4, 1, 2, 8, 16)
LANES, MOST, MOST_BYTES = 32, 32, 128  # the largest stride and offset: elements, or bytes


def sectors(width: int, stride: int, *, offset: int = 0) -> int:
    """Sectors that a warp touches whose lane t accesses x[offset + stride * t], elements of `width` bytes.

    >>> [sectors(4, stride) for stride in (0, 1, 2, 8, 32)], sectors(4, 1, offset=1)
    ([1, 4, 8, 32, 32], 5)
    """
    addresses = [(offset + stride * np.arange(LANES, dtype=np.int64)) * width]
    return int(coalescing.transactions(addresses, np.ones((1, LANES), bool), width).sectors[0])


def explore_strides(
    *,
    offset: int = 0,
    stride: int = 1,
    widths: Sequence[int] = WIDTHS,
    title: str = "A warp loads x[offset + stride * t]",
) -> StrideReport:
    """Which sectors move for a stride and an offset? A report for `views.stride_explorer`.

    widths: bytes of an element, to choose from; the first one is shown, with `offset` and `stride`. The rule
    is that of every device since compute capability 2.0.
    """
    if not widths or not set(widths) <= set(WIDTHS):
        raise ReportError(f"an element has 1, 2, 4, 8 or 16 bytes, not {list(widths)}")
    variants = tuple(
        StrideVariant(
            label=f"{width} byte{'s' * (width > 1)}",
            width=width,
            sectors=tuple(sectors(width, each) for each in range(min(MOST, MOST_BYTES // width) + 1)),
        )
        for width in widths
    )
    most = len(variants[0].sectors) - 1
    if not (0 <= offset <= most and 0 <= stride <= most):
        raise ReportError(f"elements of {widths[0]} bytes: offset and stride are from 0 to {most}")
    return StrideReport(title, variants, offset, stride)
