"""Which grid of a profile launched which, what counted each, and what became of it, as the runtime says?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gpusim.devices.device import Dim3
from gpusim.errors import ReportError
from gpusim.events import GridLaunched
from gpusim.ir.launched import LaunchedBy
from gpusim.measurements import launch_tree
from gpusim.measurements.launch_tree import Times
from gpusim.profile.kernel_run import KernelRun
from gpusim.profile.tables import LaunchTree
from gpusim.tree_events import Began, Launched, Moment, Over, TreeObserver

MOST_MOMENTS = 100_000


class GridOfRun(NamedTuple):
    """One grid, which `kernel` counts, perhaps with others; `parent` is the place of its parent."""

    kernel: KernelRun
    grid: Dim3
    block: Dim3
    by: LaunchedBy | None
    parent: int | None


class Family(TreeObserver):
    """All grids of a profile, in the order in which they began.

    `grids`: all but launches of the host that lead to nothing and are counted with another before them, of
    which there are so many `more`, by the place of that one. `firsts`: the place of the first grid that each
    kernel run counts. What the runtime told of the host's launches that bring nothing new is forgotten: of
    one grid that counts with others of its kernel, and where very much is known, of all whose grids count so.
    """

    def __init__(self) -> None:
        self.grids: list[GridOfRun] = []
        self.more = Counter[int]()
        self.firsts: dict[KernelRun, int] = {}
        self._places: dict[object, int] = {}  # of those that may launch others
        self._moments: list[Moment] = []
        self._begins: dict[GridLaunched, KernelRun] = {}  # first ones of which the runtime is about to tell
        self._numbers: dict[KernelRun, int] = {}  # that the runtime gave the first
        self._last = 0, 0  # the last launch of the host, and how many moments were before it
        self._is_new = False  # does somebody count the first of its kind in it?

    def counts(self, launched: GridLaunched, kernel: KernelRun) -> None:
        """A grid begins that this kernel run counts."""
        by, place, launches = launched.launched_by, len(self.grids), launched.function.launches
        if kernel not in self.firsts:
            self.firsts[kernel], self._begins[launched] = place, kernel
        elif by is None and not launches:
            self.more[self.firsts[kernel]] += 1
            return
        if launches:
            self._places[launched] = place
        parent = None if by is None else self._places[by.grid]
        self.grids.append(GridOfRun(kernel, launched.grid, launched.block, by, parent))

    def told(self, moment: Moment) -> None:
        if isinstance(moment, Launched) and moment.parent is None:
            self._last, self._is_new = (moment.grid, len(self._moments)), False
        self._moments.append(moment)
        if isinstance(moment, Began) and moment.told in self._begins:
            self._numbers[self._begins.pop(moment.told)], self._is_new = moment.grid, True
        if isinstance(moment, Over) and moment.grid == self._last[0] and not self._is_new:
            self._forget(self._last[1])

    def _forget(self, start: int) -> None:
        """What was told from there on, if it is of one launch of the host."""
        told = self._moments[start:]
        launches = {moment.grid: moment for moment in told if isinstance(moment, Launched)}
        roots = sum(moment.parent is None for moment in launches.values())
        alone = roots == 1 and all(moment.grid in launches for moment in told)
        if alone and (len(launches) == 1 or start > MOST_MOMENTS):
            del self._moments[start:]

    def tree(
        self, kernels: Sequence[KernelRun], times: Mapping[KernelRun, Times], *, caches: bool
    ) -> LaunchTree:
        """The tree of these. Raises `ReportError` where nothing began, or grids of several devices did."""
        ran = [kernel for kernel in kernels if kernel in self._numbers]
        devices = {kernel.device.name for kernel in ran}
        if len(devices) != 1:
            what = "launches were on several devices" if devices else "nothing was launched in this profile"
            raise ReportError(f"{what}: there is no tree of launches to show")
        places = {kernel: place for place, kernel in enumerate(ran)}
        found = []
        for kernel in ran:
            above = self.grids[self.firsts[kernel]].parent
            parent = None if above is None else places[self.grids[above].kernel]
            found.append(kernel.ran(parent, self._numbers[kernel], times.get(kernel)))
        roots = dict.fromkeys(one.kernel for one in found if one.by is None)
        title, device = ", ".join(roots), devices.pop()
        by = [one.by for one in self.grids if one.by is not None]
        tree = launch_tree.of(title, device, found, self._moments, caches=caches, launched_by=by)
        return LaunchTree.of(tree)
