"""Is my kernel right? `with gpusim.sanitize() as report:` checks every launch inside it.

>>> import numpy as np, gpusim
>>> from gpusim import cuda
>>> @cuda.jit
... def neighbours(x):
...     i = cuda.threadIdx.x
...     x[i] = x[i + 1]
>>> with gpusim.sanitize("racecheck") as report:
...     neighbours[1, 64](np.arange(65))
>>> report.clean, report.findings[0].hazard
(False, 'WAR')
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from gpusim.checkers import endings
from gpusim.checkers.assignment import Assignment
from gpusim.checkers.deliveries import Deliveries
from gpusim.checkers.findings import Findings
from gpusim.checkers.initialization import Initialization
from gpusim.checkers.races import Trees
from gpusim.checkers.streams import StreamRaces
from gpusim.checkers.synchronization import Synchronization
from gpusim.checkers.visibility import Story, Teller
from gpusim.devices import Device
from gpusim.errors import GpuSimError, ReportError, absent, suggestion
from gpusim.events import GridLaunched, GridObserver
from gpusim.reports.findings import Finding, FindingsReport
from gpusim.reports.visibility import VisibilityReport
from gpusim.runtime import settings
from gpusim.runtime.settings import Schedule
from gpusim.views import findings as views
from gpusim.views import visibility

Tool = Callable[[Findings, GridLaunched], GridObserver]


@dataclass(frozen=True)
class _Checks:
    """Lets a tool follow every grid; what it finds is collected over all."""

    tool: Tool
    findings: Findings

    def watches(self, launched: GridLaunched) -> GridObserver:
        return self.tool(self.findings, launched)


STREAMCHECK = "streamcheck"
# tool -> who follows a grid for it; what memcheck looks for, the machine finds by itself, and streamcheck
# follows the host
TOOLS: dict[str, Callable[[Story], tuple[Tool, ...]]] = {
    "racecheck": lambda story: (partial(Teller, trees=Trees(), story=story), Deliveries),
    "synccheck": lambda _: (Synchronization,),
    "memcheck": lambda _: (),
    "initcheck": lambda _: (Initialization, Assignment),
    STREAMCHECK: lambda _: (),
}


class Visibility(VisibilityReport):
    """What a parent and its children see, which shows itself."""

    __slots__ = ()

    def __repr__(self) -> str:
        return visibility.visibility_text(self)

    def _repr_html_(self) -> str:
        return visibility.visibility_html(self)


class Report:
    """What the tools found in the launches of one `sanitize`, in the order in which they found it.

    One that nobody has looked at is printed when it goes away, if it has findings.
    """

    def __init__(self, tools: tuple[str, ...]) -> None:
        self.tools = tools
        self._collected, self._story = Findings(), Story()
        self._unseen = weakref.finalize(self, _print_faults, tools, self._collected)

    @property
    def findings(self) -> list[Finding]:
        """Faults: a kernel without any is `clean`."""
        self._unseen.detach()
        return self._collected.of("error")

    @property
    def warnings(self) -> list[Finding]:
        """What is undefined but may do no harm."""
        return self._collected.of("warning")

    @property
    def clean(self) -> bool:
        """Was no fault found?"""
        return not self.findings

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __bool__(self) -> bool:
        raise ReportError("a report is neither true nor false: ask report.clean, or len(report)")

    if not TYPE_CHECKING:  # to mypy, what has this has every attribute

        def __getattr__(self, name: str) -> Any:
            raise absent(self, name)

    def _report(self) -> FindingsReport:
        self._unseen.detach()
        return self._collected.report(self.tools)

    def visibility(self) -> Visibility:
        """What a parent and its children saw of each other's writes, of the first tree of grids: see
        `gpusim.views.visibility_view`. Threads beyond the first eight of a block are not told of.

        Raises `ReportError` where racecheck followed no kernel that launches kernels.
        """
        report = self._story.report()
        if report is None:
            raise ReportError("racecheck saw no kernel that launches kernels: there is nothing to tell")
        return Visibility(**{each.name: getattr(report, each.name) for each in fields(report)})

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return self._report().as_dict()

    def __repr__(self) -> str:
        return views.findings_text(self._report())

    def _repr_html_(self) -> str:
        return views.findings_html(self._report())


def _print_faults(tools: tuple[str, ...], collected: Findings) -> None:
    if collected.of("error"):
        print(views.findings_text(collected.report(tools)))


Entered = tuple[Callable[[GpuSimError], bool], AbstractContextManager[None], Callable[[], None]]


class sanitize(AbstractContextManager[Report], metaclass=settings.NeedsParentheses):
    """Check the launches of a `with` block with some of the five tools, or with all.

    Four tools are Compute Sanitizer's: "racecheck", "synccheck", "memcheck", "initcheck"; "streamcheck" is
    ours, and finds what no order of streams, events and the host keeps apart. An error that one of
    them stands for (an access outside its array, a deadlock, …) ends its launch and is a finding, and the
    block goes on; any other error passes. One that is entered again reports anew. A report with findings that
    nobody has looked at is printed. See `gpusim.use` for the other arguments.
    """

    def __init__(
        self,
        *tools: str,
        device: str | Device | None = None,
        scheduling: str | None = None,
        schedule: Schedule = None,
        step_budget: int | None = None,
        cdp: int | None = None,
    ) -> None:
        for tool in tools:
            if tool not in tuple(TOOLS):
                close = suggestion(tool, TOOLS)
                raise ReportError(f"there is no tool {tool!r}; the tools are {', '.join(TOOLS)}", hint=close)
        self._tools = tools or tuple(TOOLS)
        self._choice = partial(settings.changed, device, scheduling, schedule, step_budget, cdp=cdp)
        self._choice()  # what means nothing is refused where it is written
        self._entered: list[Entered] = []

    def __enter__(self) -> Report:
        report, chosen = Report(self._tools), self._choice()
        observers = [
            _Checks(tool, report._collected) for name in self._tools for tool in TOOLS[name](report._story)
        ]

        def take(error: GpuSimError) -> bool:
            found = endings.finding_of(error)
            if found is None or found.tool not in self._tools:
                return False
            key = found.tool, found.hazard, found.kernel, found.place, error.span
            if not report._collected.count(key, 1):
                report._collected.found[key] = found
            return True

        races = StreamRaces(report._collected)
        if STREAMCHECK in self._tools:
            chosen = settings.following(chosen, races.follow)
        calls = chosen.calls[-1:] if STREAMCHECK in self._tools else ()

        def tell() -> None:
            for one in calls:
                races.tell_left_out(len(one.made), one.left_out)

        during = settings.during(
            replace(
                chosen,
                observers=(*chosen.observers, *observers),
                takers=(*chosen.takers, take),
                sanitized=chosen.sanitized or "memcheck" in self._tools,
            )
        )
        during.__enter__()
        self._entered.append((take, during, tell))
        return report

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> bool:
        take, during, tell = self._entered.pop()
        during.__exit__(None, None, None)
        tell()
        return isinstance(error, GpuSimError) and take(error)
