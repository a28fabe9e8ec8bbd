"""How many sectors does a warp touch, for each stride? For the stride explorer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gpusim.reports.report import Drawn, Report


@dataclass(frozen=True, slots=True)
class StrideVariant(Report):
    """Elements of `width` bytes; `sectors` are those of 32 lanes, for strides 0, 1, 2, … and no offset."""

    label: str
    width: int
    sectors: tuple[int, ...]


@dataclass(frozen=True, slots=True, repr=False)
class StrideReport(Drawn):
    """Sizes of elements to choose among, and what is shown first: lane t accesses x[offset + stride * t]."""

    view: ClassVar[str] = "stride_explorer"
    variants: tuple[StrideVariant, ...]
    offset: int
    stride: int
