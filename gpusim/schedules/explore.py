"""Does my kernel's result depend on who runs first? Run it under many schedules and compare what comes out.

>>> import numpy as np, gpusim
>>> from gpusim import cuda
>>> @cuda.jit
... def count(total):
...     total[0] += 1
>>> found = gpusim.explore_schedules(count[1, 32], np.zeros(1, np.int32), schedules=8)
>>> found.deterministic
False
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpusim import views
from gpusim.devices import Device
from gpusim.errors import GpuSimError, LaunchError, ReportError, absent, without_traceback
from gpusim.events import GridLaunched, GridObserver
from gpusim.reports.exploration import ExplorationReport
from gpusim.reports.schedule import ScheduleReport
from gpusim.runtime import settings
from gpusim.runtime.device_array import DeviceNDArray
from gpusim.runtime.launching import LaunchConfiguration
from gpusim.runtime.settings import Settings
from gpusim.schedules import differences
from gpusim.schedules.interleaving import Interleaving
from gpusim.schedules.outcomes import (
    Outcome,
    Schedule,
    arrays_in,
    copies_of,
    differences_between,
    fingerprint,
    parts,
)
from gpusim.views import explorations
from gpusim.whole import is_whole, whole

if TYPE_CHECKING:
    from gpusim.views import View

NAMED_SCHEDULES: tuple[Schedule, ...] = ("friendly", "serial")
MOST_TRACED = 6
OWN = "gpusim_"  # parameters that no host program passes: the heap


@dataclass
class Exploration:
    """The distinct outcomes of a launch under many schedules, the most frequent first."""

    kernel: str
    device: Device
    scheduling: str
    outcomes: list[Outcome]
    tried: list[Schedule]
    launch: Callable[..., None]
    arguments: Sequence[Any]
    settings: Settings
    in_hexadecimal: Collection[str]

    @property
    def deterministic(self) -> bool:
        """Did every schedule give the same?"""
        return len(self.outcomes) == 1

    @property
    def schedules(self) -> int:
        """How many schedules were tried?"""
        return len(self.tried)

    def __len__(self) -> int:
        return len(self.outcomes)

    if not TYPE_CHECKING:  # to mypy, what has this has every attribute

        def __getattr__(self, name: str) -> Any:
            raise absent(self, name)

    def report(self) -> ExplorationReport:
        """The outcomes as they are drawn."""
        return ExplorationReport(
            kernel=self.kernel,
            device=self.device.name,
            scheduling=self.scheduling,
            schedules=self.schedules,
            deterministic=self.deterministic,
            outcomes=tuple(outcome.report() for outcome in self.outcomes),
        )

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return self.report().as_dict()

    def __repr__(self) -> str:
        return explorations.exploration_text(self.report())

    def _repr_html_(self) -> str:
        return explorations.exploration_html(self.report())

    def schedule_report(self) -> ScheduleReport:
        """Who ran which line when, under schedules that ended differently: for the schedule explorer.

        The first schedule of each outcome is run again, up to six, beginning with the first that was tried;
        if all ended alike, the first two are. Raises `ReportError` where the grid is too large to be traced.
        """
        chosen = [(outcome.schedules[0], number) for number, outcome in enumerate(self.outcomes)]
        chosen.sort(key=lambda choice: choice[0] != self.tried[0])
        chosen += [(schedule, 0) for schedule in self.tried[1:2] if self.deterministic]
        traces = []
        for schedule, number in chosen[:MOST_TRACED]:
            traced = Traced(schedule, number, self.in_hexadecimal)
            _run(self.launch, self.arguments, self.settings, schedule, traced)
            traces += traced.traces
        return differences.report(traces, self.report())

    def explore(self) -> View:
        """The schedule explorer for these outcomes."""
        return views.schedule_explorer(self)


@without_traceback
def explore_schedules(
    launch: Callable[..., None],
    *arguments: Any,
    schedules: int | Iterable[Schedule] = 64,
    key: Callable[..., Any] | None = None,
    device: str | Device | None = None,
    scheduling: str | None = None,
    step_budget: int | None = None,
    cdp: int | None = None,
    in_hexadecimal: Collection[str] = (),
) -> Exploration:
    """Which outcomes can `launch(*arguments)` have? Each schedule works on copies of the arrays.

    A sample of all orders: several outcomes prove a race, a single one does not prove that there is none.
    launch: a kernel with its grid and block, `kernel[4, 64]`. schedules: how many (the friendly order,
    "serial", then seeds from 0), or which. An outcome is what all array arguments hold at the end, bit for
    bit, any NaN being equal to any other; or the kind of error and its line. key: `key(*arguments)` after the
    launch gives what counts instead. in_hexadecimal: names of arrays that hold bit patterns.
    The other settings are those of `gpusim.use`.
    """
    if callable(launch) and hasattr(launch, "__getitem__"):  # a kernel without its [grid, block]
        name = getattr(launch, "__name__", "the kernel")
        raise LaunchError(
            f"give {name} a grid and a block: gpusim.explore_schedules({name}[blocks, threads_per_block], …)"
        )
    if not callable(launch):
        raise LaunchError(f"explore_schedules takes a launch such as kernel[4, 64], not {launch!r}")
    if not (key is None or callable(key)):
        raise LaunchError(f"key is a function of the arguments as the launch leaves them, not {key!r}")
    for name, part in parts(_positions(arguments), arguments):
        if hasattr(part, "copy_to_host"):  # every launch would go on with what the one before left there
            raise LaunchError(
                f"{name} lies in device memory, of which no copies are made; pass its copy_to_host()"
            )
    chosen = settings.changed(device, scheduling, None, step_budget, cdp=cdp)
    chosen = replace(chosen, takers=())  # errors are outcomes
    with settings.during(chosen):
        initial = [*arguments, *(variable.copy_to_host() for variable in _variables(launch).values())]
    if not arrays_in(range(len(initial)), initial):
        raise LaunchError("a launch without an array leaves nothing to compare; pass the kernel's arrays too")
    found: dict[Any, Outcome] = {}
    launched: GridLaunched | None = None
    tried = _schedules(schedules)
    for schedule in tried:
        first = _First()
        after, error = _run(launch, arguments, chosen, schedule, first)
        launched = first.launched
        names = _names(launched, launch, arguments)
        arrays = arrays_in(names, after)
        ended_as = fingerprint(key(*after[: len(arguments)]) if key and error is None else arrays, error)
        if not isinstance(ended_as, Hashable):
            raise LaunchError(f"key gives what can be compared, such as a number, not {ended_as!r}")
        if ended_as not in found:
            before = arrays_in(names, initial)
            changed = [name for name in arrays if fingerprint(arrays[name]) != fingerprint(before[name])]
            found[ended_as] = Outcome(arrays, changed, error, [], [], in_hexadecimal)
        found[ended_as].schedules.append(schedule)
    if launched is None:
        raise LaunchError("explore_schedules was given no schedule; pass how many, or a list of seeds")
    known = {array.name for array in launched.arrays}.union(names)
    if unknown := sorted({*in_hexadecimal} - known):
        raise LaunchError(f"in_hexadecimal names no array of {launched.function.name}: {', '.join(unknown)}")
    outcomes = sorted(found.values(), key=lambda outcome: -outcome.count)
    usual = next((outcome for outcome in found.values() if outcome.error is None), None)
    for outcome in outcomes:
        if usual is not None and outcome is not usual and outcome.error is None:
            outcome.differences = differences_between(outcome.arguments, usual.arguments, in_hexadecimal)
    return Exploration(
        launched.function.name,
        launched.device,
        launched.scheduling,
        outcomes,
        tried,
        launch,
        copies_of(arguments),
        replace(chosen, observers=()),  # a picture launches once more, for itself alone
        in_hexadecimal,
    )


class _First:
    """Keeps the first launch that it sees."""

    launched: GridLaunched | None = None

    def watches(self, launched: GridLaunched) -> GridObserver | None:
        self.launched = self.launched or launched
        return None


class Traced(_First):
    """Records the one launch that there is."""

    def __init__(self, schedule: Schedule, outcome: int, in_hexadecimal: Collection[str] = ()) -> None:
        self.schedule, self.outcome, self.in_hexadecimal = schedule, outcome, in_hexadecimal
        self.traces: list[Interleaving] = []

    def watches(self, launched: GridLaunched) -> GridObserver:
        if self.traces:
            raise ReportError("the schedule explorer shows one launch; explore each kernel by itself")
        super().watches(launched)
        self.traces.append(Interleaving(launched, self.schedule, self.outcome, self.in_hexadecimal))
        return self.traces[0]


def _schedules(given: int | Iterable[Schedule]) -> list[Schedule]:
    """The schedules to try. Raises `LaunchError` for what is none."""
    if isinstance(given, str):
        raise LaunchError(f"schedules is a number or a list of seeds: [{given!r}], for one schedule")
    if not isinstance(given, Iterable):
        count = whole(given, "schedules is a positive number of schedules or a list of seeds", least=1)
        return [*NAMED_SCHEDULES, *range(count - len(NAMED_SCHEDULES))][:count]
    chosen = [int(schedule) if is_whole(schedule) else schedule for schedule in given]
    for schedule in chosen:
        if schedule is None:
            raise LaunchError('the fair order is called "friendly" in a list of schedules')
        settings.changed(schedule=schedule)
    return chosen


def _run(
    launch: Callable[..., None],
    arguments: Sequence[Any],
    chosen: Settings,
    schedule: Schedule,
    observer: _First,
) -> tuple[list[Any], GpuSimError | None]:
    """Launch on copies: the arguments and variables afterwards, and the error that ended it.

    What is wrong before any thread has run is no outcome, and is raised.
    """
    copies, ended = copies_of(arguments), None
    with (
        settings.during(chosen),
        settings.during(settings.changed(schedule=schedule, observer=observer)),
        chosen.grids.state.keeping_heap(),
    ):
        variables = _variables(launch).values()
        held = [(each, each.data.copy()) for each in chosen.grids.state.memory.live()]
        try:
            launch(*copies)
        except GpuSimError as error:
            if observer.launched is None or isinstance(error, ReportError):
                raise
            ended = error.bare()
        finally:
            after = [variable.copy_to_host() for variable in variables]
            for allocation, contents in held:
                allocation.data[...] = contents
    if observer.launched is None:
        raise LaunchError(f"{launch!r} launched no kernel; pass kernel[blocks, threads_per_block]")
    return [*copies, *after], ended


def _variables(launch: Callable[..., None]) -> Mapping[str, DeviceNDArray]:
    """The variables of the kernel's module, or the arrays of the device that it names from outside."""
    return launch.kernel.variables if isinstance(launch, LaunchConfiguration) else {}


def _names(launched: GridLaunched | None, launch: Callable[..., None], arguments: Sequence[Any]) -> list[str]:
    """The parameters' names, where the launch is of one kernel with just these; then those of variables."""
    variables = list(_variables(launch))
    parameters = [p for p in launched.function.parameters if not p.name.startswith(OWN)] if launched else []
    if len(parameters) == len(arguments) + len(
        variables
    ):  # those of a module are passed behind the arguments
        return [parameter.name for parameter in parameters]
    if len(parameters) == len(arguments):
        return [*(parameter.name for parameter in parameters), *variables]
    return [*_positions(arguments), *variables]


def _positions(arguments: Sequence[Any]) -> list[str]:
    return [f"argument {position + 1}" for position in range(len(arguments))]
