"""How is what was measured read and taken along? The same for one launch, and for all of a profile.

Columns of `to_csv` and `to_pandas`, in this order, the same for every run:

* ``by="kernel"``, a row a launch: `KERNEL`, then `RESOURCES`, then all counters and ratios by topic;
* ``by="line"``, a row a source line of a launch: `LINE`, then all counters and ratios by topic.

Those of the cache model are there if the profile has `caches=True`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from gpusim import views
from gpusim.errors import NotCounted, ReportError, suggestion
from gpusim.measurements import order_report
from gpusim.reports.launch import Advice, LaunchReport, RunReport
from gpusim.reports.launch_tree import LaunchTreeReport
from gpusim.reports.order import OrderReport
from gpusim.reports.streams import StreamsReport
from gpusim.reports.timing import TimingReport
from gpusim.reports.topics import RESOURCES, in_order
from gpusim.reports.tree_growth import DOING, GrowthReport
from gpusim.views import launch_trees, streams, tables, timings
from gpusim.views.export import Destination, Table

if TYPE_CHECKING:
    from gpusim.views import View

AXES = ("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z")
KERNEL = ("launch", "launches", "kernel", "device", "scheduling", *AXES)
LINE = ("launch", "kernel", "device", "function", "line", "source")


class AdviceList(list[Advice]):
    """Pieces of advice, which print as a line each."""

    def __repr__(self) -> str:
        return "\n".join(map(str, self)) or tables.FINE

    def _repr_html_(self) -> str:
        return tables.advice_html(self)


class Timing(TimingReport):
    """A time that shows itself."""

    __slots__ = ()

    @classmethod
    def of(cls, report: TimingReport) -> Timing:
        """The same report."""
        return cls(**{each.name: getattr(report, each.name) for each in fields(report)})

    def __repr__(self) -> str:
        return timings.timing_text(self)

    def _repr_html_(self) -> str:
        return timings.timing_html(self)


class Streams(StreamsReport):
    """Streams that show themselves."""

    __slots__ = ()

    @classmethod
    def of(cls, report: StreamsReport) -> Streams:
        """The same report."""
        return cls(**{each.name: getattr(report, each.name) for each in fields(report)})

    def order_report(self) -> OrderReport:
        """The calls and what orders them, for the happens-before view."""
        return order_report.of(self)

    def explore(self) -> View:
        """The happens-before view: choose two calls, and see what orders them."""
        return views.happens_before(self)

    def __repr__(self) -> str:
        return streams.streams_text(self)

    def _repr_html_(self) -> str:
        return streams.streams_html(self)


class LaunchTree(LaunchTreeReport):
    """A tree of launches that shows itself, as text, in a notebook, and step by step with `explore()`.

    `grids`, in the order in which they began, have counters, who launched them, and when, in clocks;
    `roots` are those of the host. `kernels`: counters in all, by kernel. `not_launched`: which launches
    failed, and with which error. `depth`: launches that lead to the deepest grid, after the host's.
    `launches`: how many grids in all. `cdp`: 1 or 2, the device runtime.
    """

    __slots__ = ()

    @classmethod
    def of(cls, report: LaunchTreeReport) -> LaunchTree:
        """The same report."""
        return cls(**{each.name: getattr(report, each.name) for each in fields(report)})

    def growth_report(self) -> GrowthReport:
        """How the tree grew, step by step, for the launch tree view."""
        return GrowthReport(self.title, (self.growth,), tuple(DOING.items()))

    def explore(self) -> View:
        """The launch tree view: the tree grows as it ran; click a grid to see who launched it, and how."""
        return views.launch_tree(self)

    def __repr__(self) -> str:
        return launch_trees.tree_text(self)

    def _repr_html_(self) -> str:
        return launch_trees.tree_html(self)


class Measured(ABC):
    """Tables, exports and advice of anything that has launches."""

    called = "a run"
    caches = False

    @abstractmethod
    def _launches(self) -> Sequence[Any]:
        """The kernel runs, in order."""

    @abstractmethod
    def report(self) -> RunReport | LaunchReport:
        """All that was measured."""

    def as_dict(self) -> dict[str, Any]:
        """All that was measured, ready for JSON."""
        return self.report().as_dict()

    @abstractmethod
    def counters(self) -> dict[str, float]:
        """All counters and ratios, over all launches."""

    def __getattr__(self, name: str) -> float:
        if name in in_order(caches=True):
            if name not in in_order(caches=self.caches):
                raise NotCounted(f"{name} is only counted in a profile with caches: profile(…, caches=True)")
            return self.counters()[name]
        public = [one for one in dir(self) if not one.startswith("_")]
        known = suggestion(name, in_order(caches=self.caches))
        known = known or suggestion(name, public, "counters() has all there are")
        raise NotCounted(f"{self.called} has no {name!r}", hint=known)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *in_order(caches=self.caches)]

    def to_csv(self, path_or_buffer: Destination = None, by: str = "kernel") -> str | None:
        """Write a row a launch (`by="kernel"`) or a row a source line (`by="line"`) as CSV.

        To a path or an open file; without one, return the text. See `gpusim.profile.tables` for the columns.
        """
        return self._table(by).to_csv(path_or_buffer)

    def to_pandas(self, by: str = "kernel") -> Any:
        """The same rows as a `pandas.DataFrame`."""
        return self._table(by).to_pandas()

    def advice(self) -> AdviceList:
        """What to look at, and the chapter about it; empty where no count is higher than it need be."""
        return AdviceList(one for kernel in self._some_launches("advise on") for one in kernel.advice())

    def _table(self, by: str) -> Table:
        columns = columns_by(by, caches=self.caches)
        rows = _kernel_rows if by == "kernel" else _line_rows
        return Table(columns, list(rows(self._some_launches("export"))))

    def _some_launches(self, what: str) -> Sequence[Any]:
        launches = self._launches()
        if not launches:
            raise ReportError(
                f"no kernel was launched inside this profile: there is nothing to {what}",
                hint="launch one inside the `with gpusim.profile()` block",
            )
        return launches

    def _shown(self) -> tuple[list[LaunchReport], int]:
        """The first launches, and how many there are."""
        launches = self._launches()
        shown = [kernel.report() for kernel in launches[: tables.LAUNCHES_SHOWN]]
        return shown, sum(kernel.launches for kernel in launches)

    def __repr__(self) -> str:
        return tables.counters_text(*self._shown())

    def _repr_html_(self) -> str:
        return tables.counters_html(*self._shown())


def columns_by(by: str, *, caches: bool = False) -> tuple[str, ...]:
    """The columns of an export by kernel or by line. Raises `ReportError` for anything else."""
    if by not in ("kernel", "line"):
        raise ReportError(f'by is "kernel" (a row a launch) or "line" (a row a source line), not {by!r}')
    return (*((*KERNEL, *RESOURCES) if by == "kernel" else LINE), *in_order(caches=caches))


def _kernel_rows(launches: Sequence[Any]) -> Iterator[dict[str, Any]]:
    for number, kernel in enumerate(launches, start=1):
        report = kernel.as_dict()
        yield {
            **report,
            "launch": number,
            **dict(zip(AXES, (*report["grid"], *report["block"]), strict=True)),
        }


def _line_rows(launches: Sequence[Any]) -> Iterator[dict[str, Any]]:
    for number, kernel in enumerate(launches, start=1):
        for line in kernel.lines:
            yield {"launch": number, "kernel": kernel.kernel, "device": kernel.device.name, **line}
