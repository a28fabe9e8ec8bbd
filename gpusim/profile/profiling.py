"""What did my kernel do? `with gpusim.profile() as run:` counts every launch inside it.

>>> import numpy as np, gpusim
>>> from gpusim import cuda
>>> @cuda.jit
... def double(x):
...     i = cuda.grid(1)
...     x[i] *= 2
>>> with gpusim.profile(device="H200") as run:
...     double[1, 32](np.ones(32, np.float32))
>>> run.sectors_per_request
4.0
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from gpusim.devices import Device
from gpusim.profile.run import Run
from gpusim.runtime import settings
from gpusim.runtime.settings import Schedule


class profile(AbstractContextManager[Run], metaclass=settings.NeedsParentheses):
    """Measure the launches of a `with` block, on the device and in the order given here.

    See `gpusim.use` for the arguments. With `caches=True` L1, L2 and the constant cache are modelled, which
    takes longer; on compute capability 1.x, where global memory has no cache, all goes to DRAM. Profiles
    nest: each counts what launches inside it; one entered again counts anew.

    The outermost one begins with a GPU on which nothing ran before, so that a cell that is run again counts
    the same: no split of shared memory and L1 is left from earlier launches, and L2 is empty. A profile
    inside it finds what the launches before it have left.
    """

    def __init__(
        self,
        device: str | Device | None = None,
        *,
        scheduling: str | None = None,
        schedule: Schedule = None,
        step_budget: int | None = None,
        cdp: int | None = None,
        caches: bool = False,
    ) -> None:
        self._choice = partial(settings.changed, device, scheduling, schedule, step_budget, cdp=cdp)
        self._choice()  # what means nothing is refused where it is written
        self._caches = caches
        self._entered: list[AbstractContextManager[None]] = []

    def __enter__(self) -> Run:
        around = settings.current()
        state, profiles = around.grids.state, [run for run in around.observers if isinstance(run, Run)]
        run = Run(state, self._caches)
        during = settings.during(self._choice(run, run.calls))
        if not profiles:
            state.forget_carveouts()
        if not any(profile.caches for profile in profiles):
            state.caches.clear()
        during.__enter__()
        self._entered.append(during)
        return run

    def __exit__(self, *exception: Any) -> None:
        self._entered.pop().__exit__(*exception)
