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

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gpusim import context, views
from gpusim.context import Settings
from gpusim.devices import Device
from gpusim.errors import GpuSimError, LaunchError, NoProgress, ReportError
from gpusim.events import Event, GridLaunched
from gpusim.measurements import interleaving
from gpusim.measurements.interleaving import Interleaving
from gpusim.views import tables

if TYPE_CHECKING:
    from gpusim.views.widgets.schedule_explorer import ScheduleExplorer

Report = dict[str, Any]
Schedule = str | int
NAMED_SCHEDULES: tuple[Schedule, ...] = ("friendly", "serial")
MOST_TRACED = 6


@dataclass(frozen=True)
class Difference:
    """Elements of one argument that are not as in the outcome compared with. `elements`: int64 (n, axes)."""

    argument: str
    elements: npt.NDArray[np.int64]
    here: npt.NDArray[Any]
    there: npt.NDArray[Any]

    def describe(self, shown: int = 3) -> str:
        """`out[3]: 7, not 4` for the first few elements."""
        named = [
            f"{self.argument}[{', '.join(map(str, element))}]: {_text(here)}, not {_text(there)}"
            for element, here, there in zip(
                self.elements[:shown].tolist(), self.here[:shown], self.there[:shown], strict=True
            )
        ]
        more = len(self.elements) - len(named)
        return "; ".join(named) + (f"; and {more} more" if more > 0 else "")


@dataclass
class Outcome:
    """One way in which the launch can end: what it left in its arrays, or the error.

    `arguments` are the arrays by name after the first schedule that ended so, as far as an error let it come;
    `changed` names those that are not as they were before the launch;
    `differences` compare them with the outcome of the first schedule that was tried and met no error.
    """

    arguments: dict[str, npt.NDArray[Any]]
    changed: list[str]
    error: GpuSimError | None
    schedules: list[Schedule]
    differences: list[Difference]

    @property
    def count(self) -> int:
        """How many schedules ended so?"""
        return len(self.schedules)

    @property
    def replay(self) -> str:
        """The line that makes a launch end so again."""
        return f"with gpusim.use(schedule={self.schedules[0]!r}):"

    def describe(self) -> str:
        """What came out, in a sentence."""
        if self.error is not None:
            return f"{type(self.error).__name__}: {self.error.message}"
        if self.differences:
            return "; ".join(difference.describe() for difference in self.differences)
        values = [f"{name} = {_excerpt(self.arguments[name])}" for name in self.changed]
        return "; ".join(values) or "nothing has changed"

    def as_dict(self) -> Report:
        """Ready for JSON; values as texts, for NaN is no number there."""
        return {
            "count": self.count,
            "schedules": self.schedules,
            "replay": self.replay,
            "error": None if self.error is None else type(self.error).__name__,
            "description": self.describe(),
            "differences": [
                {
                    "argument": difference.argument,
                    "elements": difference.elements.tolist(),
                    "here": [_text(value) for value in difference.here],
                    "there": [_text(value) for value in difference.there],
                }
                for difference in self.differences
            ],
        }


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

    def as_dict(self) -> Report:
        """All of it, ready for JSON."""
        return {
            "kernel": self.kernel,
            "device": self.device.name,
            "scheduling": self.scheduling,
            "schedules": self.schedules,
            "deterministic": self.deterministic,
            "outcomes": [outcome.as_dict() for outcome in self.outcomes],
        }

    def __repr__(self) -> str:
        return tables.exploration_text(self.as_dict())

    def _repr_html_(self) -> str:
        return tables.exploration_html(self.as_dict())

    def schedule_report(self) -> Report:
        """Who ran which line when, under schedules that ended differently: for the schedule explorer.

        The first schedule of each outcome is run again, up to six, beginning with the first that was tried;
        if all ended alike, the first two are. Raises `ReportError` where the grid is too large to be traced.
        """
        chosen = [(outcome.schedules[0], number) for number, outcome in enumerate(self.outcomes)]
        chosen.sort(key=lambda choice: choice[0] != self.tried[0])
        chosen += [(schedule, 0) for schedule in self.tried[1:2] if self.deterministic]
        traces = []
        for schedule, number in chosen[:MOST_TRACED]:
            trace = Interleaving(schedule, number)
            _run(self.launch, self.arguments, self.settings, schedule, trace)
            traces.append(trace)
        return interleaving.report(traces, self.as_dict())

    def explore(self) -> ScheduleExplorer:
        """The schedule explorer for these outcomes."""
        return views.schedule_explorer(self)


def explore_schedules(
    launch: Callable[..., None],
    *arguments: Any,
    schedules: int | Iterable[Schedule] = 64,
    key: Callable[..., Any] | None = None,
    device: str | Device | None = None,
    scheduling: str | None = None,
    step_budget: int | None = None,
) -> Exploration:
    """Which outcomes can `launch(*arguments)` have? Each schedule works on copies of the arrays.

    launch: a kernel with its grid and block, `kernel[4, 64]`. schedules: how many (the friendly order,
    "serial", then seeds from 0), or which. An outcome is what all array arguments hold at the end, bit for
    bit, any NaN being equal to any other; or the kind of error and its line. key: `key(*arguments)` after the
    launch gives what counts instead. The other settings are those of `gpusim.use`.
    """
    if callable(launch) and hasattr(launch, "__getitem__"):  # a kernel without its [grid, block]
        name = getattr(launch, "__name__", "the kernel")
        raise LaunchError(
            f"give {name} a grid and a block: gpusim.explore_schedules({name}[blocks, threads_per_block], …)"
        )
    if not callable(launch):
        raise LaunchError(f"explore_schedules takes a launch such as kernel[4, 64], not {launch!r}")
    for position, argument in enumerate(arguments, start=1):
        if hasattr(argument, "copy_to_host"):  # every launch would go on with what the one before left there
            raise LaunchError(
                f"argument {position} lies in device memory, of which no copies are made; "
                "pass argument.copy_to_host()"
            )
    if not any(isinstance(argument, np.ndarray) for argument in arguments):
        raise LaunchError("a launch without an array leaves nothing to compare; pass the kernel's arrays too")
    settings = context.changed(device, scheduling, None, step_budget)
    found: dict[Any, Outcome] = {}
    launched: GridLaunched | None = None
    tried = _schedules(schedules)
    for schedule in tried:
        first = _First()
        after, error = _run(launch, arguments, settings, schedule, first)
        launched = first.event
        names = _names(launched, arguments)
        arrays = {
            name: array for name, array in zip(names, after, strict=True) if isinstance(array, np.ndarray)
        }
        identity = _identity(key(*after) if key and error is None else arrays, error)
        if identity not in found:
            before = dict(zip(names, arguments, strict=True))
            changed = [name for name in arrays if _identity(arrays[name]) != _identity(before[name])]
            found[identity] = Outcome(arrays, changed, error, [], [])
        found[identity].schedules.append(schedule)
    if launched is None:
        raise LaunchError("explore_schedules was given no schedule; pass how many, or a list of seeds")
    outcomes = sorted(found.values(), key=lambda outcome: -outcome.count)
    usual = next((outcome for outcome in found.values() if outcome.error is None), None)
    for outcome in outcomes:
        if usual is not None and outcome is not usual and outcome.error is None:
            outcome.differences = _differences(outcome.arguments, usual.arguments)
    return Exploration(
        launched.function.name,
        launched.device,
        launched.scheduling,
        outcomes,
        tried,
        launch,
        _copies(arguments),
        settings,
    )


class _First:
    """Keeps the first launch that it sees."""

    wants = frozenset[type]({GridLaunched})

    def __init__(self) -> None:
        self.event: GridLaunched | None = None

    def observe(self, event: Event) -> None:
        if self.event is None and isinstance(event, GridLaunched):
            self.event = event


def _schedules(given: int | Iterable[Schedule]) -> list[Schedule]:
    """The schedules to try. Raises `LaunchError` for what is none."""
    if isinstance(given, str):
        raise LaunchError(f"schedules is a number or a list of seeds: [{given!r}], for one schedule")
    if isinstance(given, int):
        if isinstance(given, bool) or given < 1:
            raise LaunchError(f"schedules is a positive number of schedules or a list of seeds, not {given}")
        return [*NAMED_SCHEDULES, *range(given - len(NAMED_SCHEDULES))][:given]
    chosen = list(given)
    for schedule in chosen:
        if schedule is None:
            raise LaunchError('the fair order is called "friendly" in a list of schedules')
        context.changed(schedule=schedule)
    return chosen


def _run(
    launch: Callable[..., None],
    arguments: Sequence[Any],
    settings: Settings,
    schedule: Schedule,
    observer: _First | Interleaving,
) -> tuple[list[Any], GpuSimError | None]:
    """Launch on copies: the arguments afterwards, and the error that ended it.

    What is wrong before any thread has run is no outcome, and is raised.
    """
    copies = _copies(arguments)
    with context.during(settings), context.during(context.changed(schedule=schedule, observer=observer)):
        try:
            launch(*copies)
        except GpuSimError as error:
            if observer.event is None or isinstance(error, ReportError):
                raise
            return copies, error
    if observer.event is None:
        raise LaunchError(f"{launch!r} launched no kernel; pass kernel[blocks, threads_per_block]")
    return copies, None


def _copies(arguments: Sequence[Any]) -> list[Any]:
    """Copies of the arrays; views of one array become views of one copy."""
    owners: dict[int, npt.NDArray[Any]] = {}
    copies: list[Any] = []
    for argument in arguments:
        if not isinstance(argument, np.ndarray):
            copies.append(argument)
            continue
        owner = argument
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        memory = owners.setdefault(id(owner), owner.copy(order="K"))
        offset = argument.ctypes.data - owner.ctypes.data
        copy = np.ndarray(argument.shape, argument.dtype, memory.ravel(order="K"), offset, argument.strides)
        copy.flags.writeable = argument.flags.writeable
        copies.append(copy)
    return copies


def _names(launched: GridLaunched | None, arguments: Sequence[Any]) -> list[str]:
    """The parameters' names, where the launch is of one kernel with just these arguments."""
    parameters = launched.function.parameters if launched else ()
    if len(parameters) == len(arguments):
        return [parameter.name for parameter in parameters]
    return [f"argument {position + 1}" for position in range(len(arguments))]


def _bits(value: Any) -> npt.NDArray[Any]:
    """An array with equal bits where values are equal: every NaN becomes the same one."""
    array = np.array(value)
    if array.dtype.names:
        for name in array.dtype.names:
            array[name] = _bits(array[name])
    elif array.dtype.kind == "c":
        array.real, array.imag = _bits(array.real), _bits(array.imag)
    elif array.dtype.kind == "f":
        array[np.isnan(array)] = np.nan
    return array


def _identity(result: Any, error: GpuSimError | None = None) -> Any:
    """Equal for results that count as the same outcome."""
    if error is not None:
        # lanes that never finish may be seen anywhere in their loop
        return type(error), None if isinstance(error, NoProgress) else error.span
    if isinstance(result, Mapping):
        return tuple((name, _identity(value)) for name, value in result.items())
    if isinstance(result, list | tuple):
        return tuple(_identity(value) for value in result)
    if isinstance(result, np.ndarray | np.generic | float | complex):
        array = _bits(result)
        return array.dtype.str, array.shape, array.tobytes()
    return result


def _differences(
    arguments: Mapping[str, npt.NDArray[Any]], usual: Mapping[str, npt.NDArray[Any]]
) -> list[Difference]:
    """The arguments that are not as usual, with their elements."""
    differences = []
    for name, here in arguments.items():
        there = usual[name]
        octets = [
            np.ascontiguousarray(_bits(array)).reshape(-1).view(np.uint8).reshape(array.size, -1)
            for array in (here, there)
        ]
        where = np.flatnonzero((octets[0] != octets[1]).any(axis=1))
        if where.size:
            elements = np.stack(np.unravel_index(where, here.shape), axis=1)
            differences.append(Difference(name, elements, here.ravel()[where], there.ravel()[where]))
    return differences


def _text(value: Any) -> str:
    """A value as the page shows it."""
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)


def _excerpt(array: npt.NDArray[Any], shown: int = 8) -> str:
    """`[0, 1, 2, …]`."""
    values = [_text(value) for value in array.ravel()[:shown]]
    return f"[{', '.join(values)}{', …' if array.size > shown else ''}]"
