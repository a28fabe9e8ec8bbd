"""What orders the accesses of a few threads? One launch, for the happens-before view.

>>> import numpy as np, gpusim
>>> from gpusim import cuda
>>> @cuda.jit
... def shift(x):
...     i = cuda.threadIdx.x
...     x[i] = x[i + 1]
>>> found = gpusim.explore_order(shift[1, 4], np.arange(5))
>>> [pair.boxes for pair in found.variants[0].pairs if pair.race]
[(0, 5), (1, 6), (2, 7)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gpusim.checkers.order import Order
from gpusim.devices import Device
from gpusim.errors import ReportError
from gpusim.events import GridLaunched, GridObserver
from gpusim.reports.order import OrderReport
from gpusim.runtime import settings
from gpusim.runtime.settings import Schedule
from gpusim.whole import whole

MOST_THREADS, SHOWN = 1024, 8


def explore_order(
    launch: Callable[..., Any],
    *arguments: Any,
    array: str | None = None,
    threads: Iterable[int] = range(SHOWN),
    device: str | Device | None = None,
    scheduling: str | None = None,
    schedule: Schedule = None,
    title: str = "",
) -> OrderReport:
    """Run `launch(*arguments)`, and tell of any two accesses of some threads what orders them.

    launch: a kernel with its grid and block, `kernel[1, 8]`, of teaching size. array: name of the one whose
    accesses are kept, beside all atomics; by default every one that the kernel writes. threads: up to eight,
    by their numbers in the grid. `gpusim.views.happens_before` shows it. Other settings: see `gpusim.use`.
    """
    first = _First(array, list(threads))
    with settings.during(settings.changed(device, scheduling, schedule, observer=first)):
        launch(*arguments)
    if first.order is None:
        raise ReportError("explore_order saw no launch: pass a kernel with its grid and block, kernel[1, 8]")
    if not first.order.boxes:
        raise ReportError(
            f"threads {first.threads} touch nothing that the kernel writes: there is nothing to show"
        )
    return first.order.report(title)


class _First:
    """Follows the first launch."""

    def __init__(self, array: str | None, threads: list[int]) -> None:
        self.array, self.threads = array, threads
        self.order: Order | None = None

    def watches(self, launched: GridLaunched) -> GridObserver | None:
        if self.order is not None:
            return None
        count = 1
        for extent in (*launched.grid, *launched.block):
            count *= extent
        if count > MOST_THREADS:
            raise ReportError(
                f"explore_order shows launches of teaching size, up to {MOST_THREADS:,} threads"
            )
        names = sorted({one.name for one in launched.arrays})
        if self.array is not None and self.array not in names:
            raise ReportError(
                f"{launched.function.name} has no array {self.array!r}: it has {', '.join(names)}"
            )
        if len(self.threads) > SHOWN:
            raise ReportError(f"explore_order shows up to {SHOWN} threads, not {len(self.threads)}")
        for thread in self.threads:
            whole(thread, "threads are their numbers in the grid, from 0 on", least=0, error=ReportError)
        if self.threads and min(self.threads) >= count:
            raise ReportError(f"the launch has threads 0 to {count - 1}, and not {self.threads[0]}")
        self.threads = [thread for thread in dict.fromkeys(self.threads) if thread < count]
        self.order = Order(launched, self.threads, self.array)
        return self.order
