"""How long does a launch of the recorded kernels take, by the model of time? Rows as in `probes/times.py`.

Nothing is counted here, so that a launch costs little more than running it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import gpusim
from gpusim.devices import get
from gpusim.events import GridLaunched, GridObserver, Observer
from gpusim.reports.timing import TimingReport
from gpusim.runtime import residency, settings
from gpusim.timing.model import Grid
from gpusim.timing.recording import Recorder
from gpusim.timing.telling import told
from tests.hardware.timed import argument


class Watcher(Observer):
    """Records the launches of a run, and nothing else."""

    def watches(self, launched: GridLaunched) -> GridObserver:
        """Record this one."""
        self.occupancy = residency.of(
            launched.function, math.prod(launched.block), launched.dynamic_shared_bytes, launched.carveout
        )
        self.recorder = Recorder(launched, self.occupancy.blocks)
        return self.recorder


@dataclass
class Replayer:
    """Runs and replays launches of the kernels of one file. `warm`: does L2 hold what was there before?"""

    path: Path
    warm: bool = True
    _found: dict[tuple[str, bool], TimingReport] = field(default_factory=dict)

    @cached_property
    def module(self) -> gpusim.RawModule:
        """The kernels."""
        return gpusim.RawModule(path=self.path)

    def clocks(self, row: str, alone: bool = False) -> float:
        """How many clocks a launch takes."""
        return self.report(row, alone).cycles

    def report(self, row: str, alone: bool = False) -> TimingReport:
        """What the model says about a launch. alone: only of the part that one multiprocessor has of it."""
        if (row, alone) not in self._found:
            self._found[row, alone] = self._replayed(row, alone)
        return self._found[row, alone]

    def _replayed(self, row: str, alone: bool) -> TimingReport:
        name, gx, gy, bx, by, dynamic, *rest = row.split()
        grid, device = (int(gx), int(gy)), get("H200")
        if alone:
            grid, device = (grid[0] // device.multiprocessors, 1), replace(device, multiprocessors=1)
        kernel = self.module.get_function(name)
        kernel.max_dynamic_shared_size_bytes = int(dynamic)
        arguments = tuple(map(argument, rest))
        watcher = Watcher()
        settings.current().grids.state.forget_carveouts()
        with settings.during(settings.changed(device, observer=watcher)):
            kernel(grid, (int(bx), int(by)), arguments, shared_mem=int(dynamic))
        return told(Grid(watcher.recorder, self.warm), watcher.occupancy.theoretical_occupancy)
