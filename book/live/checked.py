"""Does a reader's kernel race, or read what nobody wrote? Its launches are followed while that is cheap.

What a kernel computes does not show that a barrier is missing: in this order of the warps it may come out
right.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import gpusim
from gpusim.checkers.sanitize import sanitize
from gpusim.events import Event, GridLaunched, GridObserver, Observer
from gpusim.reports.findings import Finding
from gpusim.runtime import settings

TOOLS = "racecheck", "initcheck"
MOST_SECONDS = 1.0  # of a cell's run, while its grids are followed: their own time counts, too
MOST_THREADS = 1 << 14  # of a grid
TOO_LONG = f"checks take {MOST_SECONDS:g} s of a cell at most"
TOO_LARGE = f"no grid of more than {MOST_THREADS:,} threads is checked"


class Budget:
    """What is left of the time in which grids are followed, in seconds, and what was left out for lack of it.

    `left_out`: the file and the name of a kernel, and why it was not followed, or not to its end.
    """

    def __init__(self, left: float) -> None:
        self.left, self._mark = left, 0.0
        self.why = TOO_LONG
        self.left_out: dict[tuple[str, str], str] = {}

    def begin(self) -> None:
        """From here on time passes."""
        self._mark = time.perf_counter()

    @contextlib.contextmanager
    def spent(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # a checker must not end what it checks
            self.left, self.why = 0.0, f"a checker broke down, with {type(error).__name__}: {error}"
        finally:
            began = self._mark
            self.begin()
            self.left -= self._mark - began

    def leave_out(self, launched: GridLaunched, why: str) -> None:
        function = launched.function
        self.left_out.setdefault((function.source.filename, function.name), why)


class Follower(GridObserver):
    """Follows a grid for a checker until the budget is spent."""

    def __init__(self, inner: GridObserver, budget: Budget, launched: GridLaunched) -> None:
        self._inner, self._budget, self._launched = inner, budget, launched
        self.wants, self.notes_writes = inner.wants, inner.notes_writes

    def observe(self, event: Event) -> None:
        if self._budget.left > 0:
            with self._budget.spent():
                self._inner.observe(event)

    def ended(self, error: BaseException | None) -> None:
        if self._budget.left > 0:
            with self._budget.spent():
                return self._inner.ended(error)
        self._budget.leave_out(self._launched, self._budget.why)
        if self.notes_writes:  # who has not heard all writes must not call a byte unwritten
            for array in self._launched.arrays:
                if array.written is not None:
                    array.written[:] = True
        return None


@dataclass(frozen=True)
class Bounded:
    """Lets a checker follow the grids that are small, while there is time."""

    checker: Observer
    budget: Budget

    def watches(self, launched: GridLaunched) -> GridObserver | None:
        blocks, threads = (x * y * z for x, y, z in (launched.grid, launched.block))
        if blocks * threads > MOST_THREADS:
            self.budget.leave_out(launched, TOO_LARGE)
            return None
        if self.budget.left > 0:
            self.budget.begin()
            with self.budget.spent():
                inner = self.checker.watches(launched)
                return inner and Follower(inner, self.budget, launched)
        self.budget.leave_out(launched, self.budget.why)
        return None


@contextlib.contextmanager
def checked(found: list[str], left_out: list[str], seconds: float = MOST_SECONDS) -> Iterator[None]:
    """Put into `found` what racecheck and initcheck find in the launches meanwhile, a line each.

    Into `left_out` goes, a line each, which kernels were not looked at, or not to their end, and why.
    """
    before, budget = settings.current(), Budget(seconds)
    after = before
    try:
        with sanitize(*TOOLS) as report:
            inside = settings.current()
            own = [Bounded(each, budget) for each in inside.observers[len(before.observers) :]]
            try:
                with settings.during(replace(inside, observers=(*before.observers, *own))):
                    try:
                        yield
                    finally:
                        after = settings.current()
            finally:
                found += map(told, report.findings)
                left_out += [
                    f"Not all of the kernel {name}, {file}, was checked: {why}."
                    for (file, name), why in budget.left_out.items()
                ]
    finally:  # a device or a schedule that the cell chose lasts, as it does without checkers
        chosen = {name: getattr(after, name) for name in settings.DEFAULTS}
        if chosen != {name: getattr(before, name) for name in settings.DEFAULTS}:
            gpusim.use.defaults()
            gpusim.use(**chosen)


def told(finding: Finding) -> str:
    """A finding in one line, with its places: "racecheck finds: …, line 5 of In[4]"."""
    places = dict.fromkeys(f"line {access.line} of {access.at.file}" for access in finding.accesses)
    return f"{finding.tool} finds: {', '.join([finding.message, *places])}."
