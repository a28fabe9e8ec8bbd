"""When did each grid of a run begin and end, and how long did a launch take with all that it led to?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from gpusim.devices.launching import launching
from gpusim.devices.speeds import speeds
from gpusim.errors import ReportError
from gpusim.measurements.launch_tree import Times
from gpusim.profile.families import Family
from gpusim.profile.kernel_run import KernelRun
from gpusim.reports.timing import TimingReport
from gpusim.timing import telling
from gpusim.timing.launches import Own, TimedGrid, Tree, computing

Timed = dict[int, TimedGrid]  # grids of a tree by their numbers, parents before their children


class TreeTimes:
    """The times of the grids of a run.

    A grid that was not recorded, of very many, takes what the recorded ones of its kernel take in the mean,
    those of its size if there are any.
    """

    def __init__(self, family: Family) -> None:
        self._family = family
        self._trees: dict[tuple[int, bool, int], tuple[Timed, float]] = {}
        self._like: dict[tuple[object, ...], list[KernelRun]] = {}

    def clocks(self) -> dict[KernelRun, Times]:
        """`times`, or none where the model cannot tell one."""
        with suppress(ReportError):
            return self.times()
        return {}

    def timing(self, kernel: KernelRun, warm: bool) -> TimingReport:
        """The time of a grid, from its begin until all that it led to is over. Raises `ReportError`."""
        number = self._family.firsts[kernel]
        tree, whole = self._tree(number, warm)
        alike = [self._alike(place)[0] for place in tree]
        timings = {one: one.own_timing(warm=warm) for one in dict.fromkeys(alike)}
        idle = 1 - computing(list(tree.values())) / whole
        return telling.of_tree([timings[one] for one in alike], whole, idle)

    def times(self, *, warm: bool = True) -> dict[KernelRun, Times]:
        """When does what a kernel run counts begin, when have its threads left, when is all of it over?

        In clocks, the host's launches one after the other; of several grids from the first begin to the last
        end. Raises `ReportError` where the model cannot time one of them.
        """
        found: dict[KernelRun, Times] = {}
        start = 0.0
        for number, root in enumerate(self._family.grids):
            if root.by is not None:
                continue
            tree, whole = self._tree(number, warm)
            begin = start + speeds(root.kernel.device).grid_start
            for place, one in tree.items():
                kernel = self._family.grids[place].kernel
                first, left, end = found.get(kernel, (math.inf, 0.0, 0.0))
                own = begin + one.begin, begin + one.left, begin + one.end
                found[kernel] = Times(min(first, own[0]), max(left, own[1]), max(end, own[2]))
            start += whole * (1 + self._family.more[number])
        return found

    def _tree(self, number: int, warm: bool) -> tuple[Timed, float]:
        """A grid with all that it led to, each with its times; and how many clocks all that takes."""
        key = number, warm, len(self._family.grids)
        if key not in self._trees:
            device = self._family.grids[number].kernel.device
            owns: dict[object, Own] = {}
            places: dict[int | None, int] = {number: 0}
            tree = {number: self._launched(number, None, warm, owns)}
            for place in range(number + 1, len(self._family.grids)):
                parent = places.get(self._family.grids[place].parent)
                if parent is not None:
                    places[place] = len(tree)
                    tree[place] = self._launched(place, parent, warm, owns)
            end = Tree(list(tree.values()), launching(device)).run() + speeds(device).grid_start
            self._trees[key] = tree, end + (launching(device).host if len(tree) > 1 else 0.0)
        return self._trees[key]

    def _launched(self, number: int, parent: int | None, warm: bool, owns: dict[object, Own]) -> TimedGrid:
        kernel, grid, block, by, _parent = self._family.grids[number]
        if kernel.error is not None:
            raise ReportError(f"{kernel.kernel} cannot be timed: an error ended it")
        exact = self._is_recorded(number)
        key = kernel if exact else (kernel.kernel, kernel.source, grid, block)
        if key not in owns:
            owns[key] = self._mean(self._alike(number), warm)
        room = max(kernel.blocks_per_multiprocessor, 1) * kernel.device.multiprocessors
        blocks = math.prod(grid)
        return TimedGrid(parent, by, blocks, blocks / room, owns[key], kernel.warps_per_block)

    def _mean(self, kernels: Sequence[KernelRun], warm: bool) -> Own:
        """What the threads of grids take, in the mean."""
        found = [kernel.own(warm=warm) for kernel in kernels]
        return replace(found[0], clocks=math.fsum(one.clocks for one in found) / len(found))

    def _is_recorded(self, number: int) -> bool:
        kernel = self._family.grids[number].kernel
        return kernel.recording is not None and self._family.firsts[kernel] == number

    def _alike(self, number: int) -> list[KernelRun]:
        """The kernel run that recorded a grid, or else those that recorded one like it."""
        kernel, grid, block, *_ = self._family.grids[number]
        if self._is_recorded(number):
            return [kernel]
        key = kernel.kernel, kernel.source, grid, block, len(self._family.grids)
        if key not in self._like:
            recorded = [one for one in self._family.firsts if one.recording is not None and one.error is None]
            named = [one for one in recorded if (one.kernel, one.source) == key[:2]]
            sized = [one for one in named if (one.grid, one.block) == (grid, block)]
            self._like[key] = sized or named or [kernel]
        return self._like[key]
