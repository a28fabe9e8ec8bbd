"""What did one launch do? Its configuration and resources, its counters in all and by source line."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gpusim.devices.launching import launching
from gpusim.errors import ReportError
from gpusim.events import GridLaunched, GridObserver
from gpusim.ir.instructions import Opcode
from gpusim.machine.audience import Audience
from gpusim.measurements import advice, warp_report
from gpusim.measurements.accesses import Accesses
from gpusim.measurements.banks import Banks
from gpusim.measurements.caches import DeviceCaches
from gpusim.measurements.coalescing import Coalescing
from gpusim.measurements.constants import Constants
from gpusim.measurements.divergence import Divergence, forks
from gpusim.measurements.launch_tree import Ran, Times
from gpusim.measurements.ledger import Ledger, summary
from gpusim.measurements.lives import in_a_line
from gpusim.measurements.trace import Trace
from gpusim.profile.tables import AdviceList, Measured, Timing
from gpusim.reports.carveout import Request
from gpusim.reports.launch import LaunchReport, LineReport
from gpusim.reports.placement import Placement
from gpusim.reports.report import Figures
from gpusim.reports.timeline import Timeline
from gpusim.reports.timing import TimingReport
from gpusim.reports.topics import RESOURCES
from gpusim.reports.warp import Warp
from gpusim.runtime import residency
from gpusim.source import Source
from gpusim.timing import placements, telling, timeline
from gpusim.timing.flight import Flight, flight
from gpusim.timing.launches import Own, own
from gpusim.timing.model import Grid
from gpusim.timing.recording import Recorder


class KernelRun(Measured):
    """One launch: its configuration and resources, its counters by name, and by source line in `lines`.

    `error` is what ended it, where something did. `launches` is 1; of a profile with very many launches, the
    last `KernelRun` of a kernel counts all that are left, and its configuration is that of their first.
    `of_tree` times it with all that it launches.
    """

    called = "a launch"

    def __init__(
        self,
        event: GridLaunched,
        of_tree: Callable[[KernelRun, bool], TimingReport],
        caches: bool = False,
        untraced: str = "",
        unrecorded: str = "",
    ) -> None:
        self._of_tree, self.launches_others = of_tree, bool(event.function.launches)
        self.launches, self.caches = 0, caches
        self.kernel, self.device, self.scheduling = event.function.name, event.device, event.scheduling
        self.grid, self.block, self.warps_per_block = event.grid, event.block, event.warps_per_block
        self.launched_by = event.launched_by
        self.registers_per_thread = event.function.registers_per_thread
        self.spilled_registers_per_thread = event.function.spilled_registers_per_thread
        self.shared_bytes_per_block = event.function.shared_bytes + event.dynamic_shared_bytes
        carveout = event.carveout
        self.carveout_bytes, self.l1_bytes = carveout.capacity_bytes, carveout.l1_bytes
        self.carveout_reason = carveout.why
        self.occupancy = residency.of(
            event.function, math.prod(event.block), event.dynamic_shared_bytes, carveout
        )
        self.carveout_request: Request = {
            "shared_bytes": self.shared_bytes_per_block,
            "threads": math.prod(event.block),
            "percent": carveout.percent,
            "cache_config": carveout.cache_config,
        }
        self.source = event.function.source
        self._blocks = event.blocks, event.reconvergence
        self.error: BaseException | None = None
        unrecorded = self._unrecorded = unrecorded or _waits_for_others(event)
        self.ledger = Ledger()
        self.trace, self.accesses = Trace(event, untraced), Accesses(event, untraced)
        self._timings: dict[tuple[bool, int], tuple[Timing, Own]] = {}
        self.recording = None if unrecorded else Recorder(event, self.occupancy.blocks)

    def watches(self, launched: GridLaunched, shared: DeviceCaches | None) -> GridObserver:
        """Count a launch of the kernel; the first one, which is the only one unless there are very many, is
        traced.
        """
        self.launches += 1
        self.l1_bytes = launched.carveout.l1_bytes
        observers: list[GridObserver] = [
            _Ending(self),
            Divergence(self.ledger, launched),
            Coalescing(self.ledger, self.device),
            Banks(self.ledger, self.device, launched.warps_per_block),
            Constants(self.ledger, self.device),
        ]
        if shared is not None:
            observers += shared.follow(launched, self.ledger)
        if self.launches == 1:
            observers += [self.trace, self.accesses]
            observers += [] if self.recording is None else [self.recording]
        return Audience(observers)

    def timing(self, *, warm: bool = True) -> Timing:
        """How long did the launch take, with all that it led to? See `gpusim.Run.timing`."""
        if not self.launches_others:
            return self.own_timing(warm=warm)
        return Timing.of(self._of_tree(self, warm))

    def own_timing(self, *, warm: bool = True) -> Timing:
        """How long did its own threads take, until they had left?"""
        return self._timed(warm)[0]

    def own(self, *, warm: bool = True) -> Own:
        """What its own threads take, and when they ask the device runtime."""
        return self._timed(warm)[1]

    def _timed(self, warm: bool) -> tuple[Timing, Own]:
        recording = self.recorded()
        which = warm, recording.recorded
        if which not in self._timings:
            grid = Grid(recording, warm)
            timing = Timing.of(telling.told(grid, self.theoretical_occupancy))
            self._timings[which] = timing, own(grid, launching(self.device))
        return self._timings[which]

    def timing_or_none(self) -> Timing | None:
        """The time of the threads of a launch that went well and was recorded."""
        return None if self.recording is None or self.error is not None else self.own_timing()

    def placement(self, *, warm: bool = True) -> Placement:
        """Where was each block of the launch, and when? See `gpusim.Run.placement`."""
        return placements.placement(self.recorded(), warm=warm)

    def timeline(
        self, *, first: int = 0, clocks: int = 400, warps: int = timeline.MOST_WARPS, warm: bool = True
    ) -> Timeline:
        """Which warp did each scheduler issue in each clock? See `gpusim.Run.timeline`."""
        return timeline.timeline(self.recorded(), first=first, clocks=clocks, warps=warps, warm=warm)

    def recorded(self) -> Recorder:
        """What the model of time replays. Raises `ReportError` where there is nothing."""
        if self.recording is None:
            raise ReportError(f"{self.kernel} cannot be timed: {self._unrecorded}")
        if self.error is not None:
            raise ReportError(f"{self.kernel} cannot be timed: an error ended it")
        return self.recording

    def flight(self) -> Flight:
        """How many loads has a warp of the launch under way at once? See `gpusim.Run.flight`."""
        return flight(self.recorded())

    @property
    def blocks_per_multiprocessor(self) -> int:
        """How many blocks like these fit on a multiprocessor at once?"""
        return self.occupancy.blocks

    @property
    def theoretical_occupancy(self) -> float:
        """Their warps, over the most that the multiprocessor holds: 1 is all."""
        return self.occupancy.theoretical_occupancy

    @property
    def lines(self) -> list[dict[str, Any]]:
        """One row a source line that executed, those of the kernel first: see `reports.launch.LineReport`."""
        return [Figures(line.as_dict()) for line in self._lines()]

    def _lines(self) -> tuple[LineReport, ...]:

        def order(key: tuple[Source, int]) -> tuple[Any, ...]:
            source, line = key
            return source != self.source, source.filename, source.first_line, source.name, line

        both_sides_work = forks(*self._blocks)
        return tuple(
            LineReport(
                line=line,
                source=source.line(line).strip(),
                function="" if source == self.source else source.name,
                counters=summary(self.ledger.lines[source, line], caches=self.caches),
                both_sides_work=(source, line) in both_sides_work,
                examples=dict(self.ledger.examples.get((source, line), {})),
            )
            for source, line in sorted(self.ledger.lines, key=order)
        )

    def counters(self) -> dict[str, float]:
        """All counters and ratios of the launch."""
        return summary(self.ledger.total(), caches=self.caches)

    def report(self) -> LaunchReport:
        """Configuration, resources, counters, lines and advice."""
        report = LaunchReport(
            kernel=self.kernel,
            launches=self.launches,
            device=self.device.name,
            scheduling=self.scheduling,
            grid=self.grid,
            block=self.block,
            resources={name: getattr(self, name) for name in RESOURCES},
            occupancy=self.occupancy,
            counters=self.counters(),
            lines=self._lines(),
            advice=(),
            error=None if self.error is None else in_a_line(self.error),
        )
        return replace(report, advice=advice.about(report, self.device))

    def ran(self, parent: int | None, known_as: int, times: Times | None) -> Ran:
        """As a part of a tree of launches, where grid number `parent` launched it."""
        counts, error = self.ledger.total(), None if self.error is None else in_a_line(self.error)
        by = self.launched_by
        shape = self.kernel, self.launches, self.grid, self.block
        return Ran(*shape, by, parent, counts, error, known_as, times)

    def advice(self) -> AdviceList:
        """What to look at, and the chapter about it; empty where no count is higher than it need be.

        Also asks the model of time, where it can time the launch.
        """
        report, found = self.report(), self.timing_or_none()
        if found is None:
            return AdviceList(report.advice)
        return AdviceList(advice.with_time(report.advice, report, found, self.device))

    def _launches(self) -> list[KernelRun]:
        return [self]

    def warps(self) -> tuple[Warp, ...]:
        """The warps of the grid in order, with the block they belong to and their threads."""
        return warp_report.warps_of(self)


def _waits_for_others(event: GridLaunched) -> str:
    """Why can the model of time, which replays one multiprocessor, not tell how long a grid takes?"""
    ends = (block.terminator for block in event.blocks)
    at = next((end.span for end in ends if getattr(end, "opcode", None) is Opcode.GRID_BARRIER), None)
    return "" if at is None else f"at line {at.line} it waits for blocks on other multiprocessors"


class _Ending(GridObserver):
    """Tells a `KernelRun` what ended its grid."""

    def __init__(self, kernel: KernelRun) -> None:
        self._kernel = kernel

    def ended(self, error: BaseException | None) -> None:
        if error is not None:
            self._kernel.error = error
