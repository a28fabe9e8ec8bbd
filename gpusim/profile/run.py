"""What did the kernels of a profile do? Counters by their names, tables, and pictures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from gpusim import views
from gpusim.devices import Device
from gpusim.errors import NotCounted, ReportError
from gpusim.events import GridLaunched, GridObserver
from gpusim.machine.device_state import DeviceState
from gpusim.measurements import (
    bank_report,
    block_report,
    carveouts,
    memory_chart,
    sector_report,
    warp_report,
)
from gpusim.measurements.caches import of_device
from gpusim.measurements.ledger import summary
from gpusim.measurements.trace import Step
from gpusim.profile.families import Family
from gpusim.profile.kernel_run import KernelRun
from gpusim.profile.tables import LaunchTree, Measured, Streams, Timing
from gpusim.profile.tree_times import TreeTimes
from gpusim.reports.bank import BankReport
from gpusim.reports.block import BlockReport
from gpusim.reports.carveout import CarveoutReport
from gpusim.reports.launch import RunReport
from gpusim.reports.memory import MemoryChart
from gpusim.reports.placement import Placement
from gpusim.reports.roofline import RooflineReport
from gpusim.reports.sector import SectorReport
from gpusim.reports.timeline import Timeline
from gpusim.reports.topics import RESOURCES
from gpusim.reports.tree_growth import GrowthReport
from gpusim.reports.warp import WarpReport
from gpusim.runtime import settings
from gpusim.runtime.calls import Calls
from gpusim.sharing import Sharing
from gpusim.source import Source
from gpusim.timing import overlap, placements, roofline, telling
from gpusim.timing.flight import Flight
from gpusim.tree_events import Moment, TreeObserver

if TYPE_CHECKING:
    from gpusim.views import View

MOST_TRACED = 16
MOST_RECORDED = 64
MOST_LAUNCHES = 256
MOST_CALLS = 1024


class Run(Measured, TreeObserver):
    """Everything that launched inside one `profile`: counters by their names, tables, and pictures.

    reconfigurations: how often was the split of shared memory and L1 changed for one of its launches?
    """

    def __init__(self, state: DeviceState, caches: bool = False) -> None:
        self.kernels: list[KernelRun] = []
        self.caches = caches
        self.reconfigurations = 0
        self.calls = Calls(Sharing().note, most=MOST_CALLS, all_streams=False)
        self.calls.clock = self._between
        self._state = state
        self._launched: dict[int, KernelRun] = {}
        self._family = Family()
        self._times = TreeTimes(self._family)
        self._of_many: dict[tuple[str, Source, str], KernelRun] = {}

    def watches(self, launched: GridLaunched) -> GridObserver:
        """Count what a grid does: for its own `KernelRun`, or after very many for that of its kernel."""
        self.reconfigurations += launched.carveout.reconfigures
        shared = of_device(launched.device, self._state.caches) if self.caches else None
        kernel = self._kernel_run(launched)
        self._family.counts(launched, kernel)
        if self.calls.running and launched.launched_by is None:
            self._launched[self.calls.running[-1]] = kernel
        return kernel.watches(launched, shared)

    def told(self, moment: Moment) -> None:
        """Keep what becomes of each grid."""
        self._family.told(moment)

    def _kernel_run(self, launched: GridLaunched) -> KernelRun:
        which = launched.function.name, launched.function.source, launched.device.name
        if which in self._of_many:
            return self._of_many[which]
        traced = len(self.kernels) < MOST_TRACED
        untraced = "" if traced else f"traces are kept of the first {MOST_TRACED} launches of a profile"
        kernels = ((one.kernel, one.source) for one in self.kernels if one.recording is not None)
        recorded = len(self.kernels) < MOST_RECORDED or (launched.launched_by and which[:2] not in kernels)
        unrecorded = "" if recorded else f"the first {MOST_RECORDED} launches of a profile are recorded"
        found = KernelRun(launched, self._times.timing, self.caches, untraced, unrecorded)
        if len(self.kernels) >= MOST_LAUNCHES:
            self._of_many[which] = found
        self.kernels.append(found)
        return found

    def counters(self) -> dict[str, float]:
        """All counters and ratios, over all launches."""
        total: Counter[str] = Counter()
        for kernel in self.kernels:
            total.update(kernel.ledger.total())
        return summary(total, caches=self.caches)

    def report(self) -> RunReport:
        """Totals and every launch."""
        return RunReport(
            counters=self.counters(),
            launches=sum(kernel.launches for kernel in self.kernels),
            reconfigurations=self.reconfigurations,
            kernels=tuple(kernel.report() for kernel in self.kernels),
        )

    def __getattr__(self, name: str) -> float:
        if name in RESOURCES:
            return self._resource(name)
        return super().__getattr__(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *RESOURCES]

    def _resource(self, name: str) -> float:
        """What all launches have in common."""
        values: set[float] = {getattr(kernel, name) for kernel in self.kernels}
        if len(values) != 1:
            what = "differs between the launches" if values else "is known of launches only"
            raise NotCounted(
                f"{name} {what} of this run: look at those in kernels, there are {len(self.kernels)}"
            )
        return values.pop()

    def _launches(self) -> list[KernelRun]:
        return self.kernels

    def timing(self, *, warm: bool = True) -> Timing:
        """How long did the launches take, one after the other, and what did their warps wait for?

        By the model of `gpusim.timing`, which replays what one multiprocessor did: good for comparing kernels
        and for seeing what bounds one, not for grading. warm: does L2 hold what an earlier launch of the same
        kernel left, as when a kernel is timed over and over? With a seed as `schedule` it is the time of what
        that seed drew. A launch that leads to others takes until all of them are over. Raises `ReportError`
        where nothing was launched, a launch failed or waited for its whole grid, or the host made very many.
        """
        if not self.kernels:
            raise ReportError("nothing was launched in this profile: there is no time to tell")
        of_host = [kernel for kernel in self.kernels if kernel.launched_by is None]
        return Timing.of(telling.together([kernel.timing(warm=warm) for kernel in of_host]))

    def launch_tree(self) -> LaunchTree:
        """Which grid launched which: who (thread and line), how, into which stream, and what it counted.

        Where the model of time can tell, also when, in clocks. After `MOST_LAUNCHES` grids all others of one
        kernel are counted as one. Raises `ReportError` where nothing was launched, or on several devices.
        """
        return self._family.tree(self.kernels, self._times.clocks(), caches=self.caches)

    def growth_report(self) -> GrowthReport:
        """How the tree of launches grew, step by step, for the launch tree view. Raises as `launch_tree`."""
        return self.launch_tree().growth_report()

    def streams(self, *, warm: bool = True) -> Streams:
        """What did the host ask for, when would a GPU do it, and what orders two of its calls?

        By the model of time, for launches as in `timing`; `gpusim.timing.overlap` says how streams, copies
        and the host share the device. Of launches that were not recorded it takes the time of one alike;
        one that an error ended takes none.
        Raises `ReportError` where there is none, and where nothing was asked for.
        """
        if not self.calls.made:
            raise ReportError("the host asked for nothing in this profile: there are no streams to show")
        devices = {kernel.device for kernel in self.kernels} or {settings.current().device}
        if len(devices) > 1:
            raise ReportError("launches were on several devices: their streams have nothing in common")
        needs = {number: self._need(kernel, warm) for number, kernel in self._launched.items()}
        return Streams.of(overlap.told(self.calls.made, self.calls.left_out, devices.pop(), needs))

    def _need(self, kernel: KernelRun, warm: bool) -> overlap.Need:
        if kernel.error is not None:
            return overlap.Need(0.0, 0.0)

        def kind(one: KernelRun) -> tuple[Any, ...]:
            return one.kernel, one.source, one.grid, one.block

        recorded = (one for one in self.kernels if one.recording is not None and one.error is None)
        timed = kernel
        if kernel.recording is None:
            timed = next((one for one in recorded if kind(one) == kind(kernel)), kernel)
        room = max(kernel.blocks_per_multiprocessor, 1) * kernel.device.multiprocessors
        seconds = timed.timing(warm=warm).cycles / (kernel.device.clock_mhz * 1e6)
        return overlap.Need(seconds, min(1.0, math.prod(kernel.grid) / room))

    def _between(self, start: int, end: int) -> float:
        """Seconds between the ends of two calls."""
        found = self.streams().calls
        return (found[end].end - found[start].end) * 1e-6

    def roofline_report(self, devices: Sequence[str | Device] = (), *, warm: bool = False) -> RooflineReport:
        """What all launches compute for each byte that they move, by the model of time, under the roofs.

        devices: others whose roofs are there to compare with. warm: as in `timing`; unless it is asked for,
        caches are empty when a launch begins, as where Nsight Compute draws its roofline.
        """
        return roofline.of(self.timing(warm=warm), devices)

    def flight(self) -> Flight:
        """How many loads has a warp under way at once, how often does it wait for memory, on which pipes?

        Counted from the order of the instructions, without a clock, on the warps of one multiprocessor.
        """
        return self._only().flight()

    # pictures ---------------------------------------------------------------------------------------------

    def _only(self) -> KernelRun:
        if len(self.kernels) != 1:
            which = ": ask one of them, run.kernels[0]" if self.kernels else ""
            raise ReportError(f"a picture shows one launch; this run has {len(self.kernels)}{which}")
        return self.kernels[0]

    def warp_report(
        self, values: Sequence[str] | None = None, in_hexadecimal: Collection[str] = ()
    ) -> WarpReport:
        """The run's one launch, step by step, for the warp player. Raises `ReportError` if untraced.

        values: the variables that the lanes may show, all by default; the first is shown first.
        in_hexadecimal: variables and arrays that hold bit patterns.
        """
        kernel = self._only()
        return warp_report.of(kernel, kernel.trace, kernel.ledger.total(), values, in_hexadecimal)

    def masks(self, line: int) -> list[str]:
        """Which lanes ran this line, each time? Active masks in hexadecimal, lane 0 in the last digit.

        Raises `ReportError` if the launch was not traced.
        """
        return [step.mask for step in self.steps() if step.line == line]

    def steps(self) -> list[Step]:
        """What each warp of the run's one launch did, line by line. Raises `ReportError` if untraced."""
        kernel = self._only()
        return warp_report.traced(kernel, kernel.trace)

    def block_report(self) -> BlockReport:
        """How the launch's thread blocks are cut into warps, for the block mapper."""
        return block_report.of(self._only())

    def carveout_report(self, **choices: Any) -> CarveoutReport:
        """The splits of on-chip memory that the run's one launch could have, for the carve-out explorer.

        choices: what `gpusim.explore_carveouts` takes, such as `devices`, beside what the launch gives.
        """
        kernel = self._only()
        others = [name for name in carveouts.DEVICES if name != kernel.device.name]
        given = {
            "devices": [kernel.device, *others],
            "registers_per_thread": kernel.registers_per_thread,
            "title": kernel.kernel,
            "start": kernel.carveout_request,
        }
        return carveouts.explore_carveouts(**{**given, **choices})

    def show_carveouts(self) -> View:
        """The carve-out explorer for this run."""
        return views.carveout_explorer(self)

    def bank_report(self, line: int | None = None) -> BankReport:
        """Which banks served the accesses to shared memory, of one source line or all; for the bank view.

        Raises `ReportError` for a grid too large to be recorded, or a line without such accesses.
        """
        kernel = self._only()
        return bank_report.of(kernel.kernel, kernel.device, kernel.accesses, line)

    def sector_report(self, line: int | None = None) -> SectorReport:
        """What moved for the loads and stores of global memory, under each rule; for the sector view.

        Raises `ReportError` for a grid too large to be recorded, or a line without such accesses.
        """
        kernel = self._only()
        return sector_report.of(kernel.kernel, kernel.device, kernel.accesses, line)

    def memory_chart(self) -> MemoryChart:
        """What all launches moved between kernel, memories, caches and DRAM, for the memory chart.

        Raises `ReportError` without `caches=True`, or where the launches were on different devices.
        """
        devices = {kernel.device for kernel in self.kernels}
        if not self.caches:
            raise ReportError("a memory chart needs the caches: profile(…, caches=True)")
        if len(devices) != 1:
            raise ReportError(f"a memory chart shows launches on one device; this run has {len(devices)}")
        title = ", ".join(dict.fromkeys(kernel.kernel for kernel in self.kernels))
        return memory_chart.of(title, devices.pop(), self.counters())

    def timeline(self, **window: Any) -> Timeline:
        """Which warp did each scheduler of one multiprocessor issue in each clock, and who waited for what?

        By the model of time, for the run's one launch, from clock `first` (0) on, for `clocks` (400) clocks;
        of more than `warps` (32) warps those of the first schedulers are shown. warm: as in `timing`.
        """
        return self._only().timeline(**window)

    def show_timeline(self, **window: Any) -> View:
        """The timeline of this run; see `timeline`."""
        return views.timeline(self.timeline(**window))

    def placement(self, *, warm: bool = True) -> Placement:
        """Which multiprocessor had which thread block, from when to when, and what was free at the end?

        By the model of time, for the run's one launch: blocks take as long as what they issued, whoever has
        room takes the next, and a kernel that reads `%smid` finds there what this says. warm: as in `timing`.
        """
        return self._only().placement(warm=warm)

    def show_placement(self, *, warm: bool = True) -> View:
        """The blocks of this run's launch, as they fall into the multiprocessors; see `placement`."""
        found = placements.explore_placement({self._only().kernel: self.placement(warm=warm)})
        return views.block_placement(found, title=self._only().kernel)

    def animate(self, values: Sequence[str] | None = None, in_hexadecimal: Collection[str] = ()) -> View:
        """The warp player for this run: `run.animate(values=("i", "total"))`; see `warp_report`."""
        return views.warp_player(self, values=values, in_hexadecimal=in_hexadecimal)

    def map_blocks(self) -> View:
        """The block-to-warp mapper for this run."""
        return views.block_mapper(self)

    def show_memory(self) -> View:
        """The memory chart of this run."""
        return views.memory_chart(self)

    def show_roofline(self, devices: Sequence[str] = ()) -> View:
        """The roofline of this run; beside the roofs of its device those of others, such as `("V100",)`."""
        return views.roofline(self, devices=devices)

    def show_banks(self, line: int | None = None) -> View:
        """The bank view of this run's accesses to shared memory, of one source line or all."""
        return views.bank_view(self.bank_report(line))

    def show_sectors(self, line: int | None = None) -> View:
        """The sector view of this run's accesses to global memory, of one source line or all."""
        return views.sector_view(self.sector_report(line))
