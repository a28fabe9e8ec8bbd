"""How is a kernel timed in these tests? As a reader would: launched in a profile, whose run is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gpusim
from gpusim.cpp.kernel import RawKernel
from gpusim.reports.timing import TimingReport


def timed(
    kernel: Any, grid: Any, block: Any, *arguments: Any, device: str = "H200", warm: bool = True
) -> TimingReport:
    """The time of one launch, of a kernel in either language."""
    with gpusim.profile(device=device) as run:
        if isinstance(kernel, RawKernel):
            grid, block = ((each,) if isinstance(each, int) else each for each in (grid, block))
            kernel(grid, block, arguments)
        else:
            kernel[grid, block](*arguments)
    return run.timing(warm=warm)


def clocks_per_round(launch: Callable[[int], TimingReport], few: int, many: int) -> float:
    """What one round more takes: what is before and after the rounds falls out."""
    return (launch(many).cycles - launch(few).cycles) / (many - few)
