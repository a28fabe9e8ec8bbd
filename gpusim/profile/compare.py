"""What did my change do? Two runs side by side: counters before and after, and how many times as many.

>>> import numpy as np, gpusim
>>> from gpusim import cuda
>>> @cuda.jit
... def double(x, stride):
...     x[cuda.grid(1) * stride] *= 2
>>> with gpusim.profile() as before:
...     double[1, 32](np.ones(256, np.float32), 8)
>>> with gpusim.profile() as after:
...     double[1, 32](np.ones(256, np.float32), 1)
>>> gpusim.compare(before, after)["global_load_sectors"]
Change(counter='global_load_sectors', before=32, after=4, ratio=0.125)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from gpusim.errors import ReportError, lacking
from gpusim.measurements.ledger import summary
from gpusim.profile.kernel_run import KernelRun
from gpusim.profile.run import Run
from gpusim.profile.tables import columns_by
from gpusim.reports.comparison import Change, ComparisonReport, LineChange, TimeOf
from gpusim.reports.topics import RESOURCES, in_order
from gpusim.timing import telling
from gpusim.views import comparisons
from gpusim.views.export import Destination, Table

CHANGE = ("counter", "before", "after", "ratio")
LINE = ("kernel", "function", "line", "source")  # `line` as before; as after for what ran only then
COLUMNS = {"kernel": CHANGE, "line": (*LINE, *CHANGE)}
Place = tuple[str, str, int]  # kernel, device function or "", lines from the first one on
Lines = dict[Place, tuple[dict[str, Any], Counter[str]]]


class Comparison:
    """Counters and resources of two runs; and of each line, where both runs are of the same kernels."""

    def __init__(
        self, before: list[KernelRun], after: list[KernelRun], labels: tuple[str, str], unchanged: bool
    ) -> None:
        self.labels, self._sides, self._unchanged = labels, (before, after), unchanged

    @property
    def changes(self) -> list[Change]:
        """Of each counter that differs, or of all; in the order of every export."""
        here, there = map(_totals, self._sides)
        return self._between(here, there)

    @property
    def same_kernels(self) -> bool:
        """Do both runs execute the same source text? Only then can lines be matched."""
        before, after = ({(kernel.kernel, kernel.source.lines) for kernel in side} for side in self._sides)
        return before == after

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The same of each source line that both runs have; empty where the kernels are not the same."""
        if not self.same_kernels:
            return []
        here, there = map(_by_line, self._sides)
        none: Counter[str] = Counter()
        caches = all(kernel.caches for side in self._sides for kernel in side)
        return [
            {**(here.get(place) or there[place])[0], **change.as_dict()}
            for place in sorted({**here, **there})
            for change in self._between(
                *(_in_order(side[place][1] if place in side else none, caches) for side in (here, there))
            )
        ]

    @property
    def times(self) -> tuple[TimeOf, ...]:
        """What the model of time says of both; empty where a launch cannot be timed, or both are brief."""
        sides = []
        for side in self._sides:
            launches = [kernel.timing_or_none() for kernel in side]
            timed = [one for one in launches if one is not None]
            if len(timed) < len(side):
                return ()
            sides.append(telling.together(timed))
        if all(side.brief for side in sides):
            return ()
        return tuple(TimeOf(s.seconds, s.bound_by, s.of_roof, s.achieved_occupancy) for s in sides)

    def __getitem__(self, counter: str) -> Change:
        here, there = map(_totals, self._sides)
        if counter not in here or counter not in there:
            raise lacking(counter, here)
        return _change(counter, here[counter], there[counter])

    def _between(self, here: Mapping[str, float | None], there: Mapping[str, float | None]) -> list[Change]:
        changes = (_change(name, here[name], there[name]) for name in here if name in there)
        return [change for change in changes if self._unchanged or change.before != change.after]

    def report(self) -> ComparisonReport:
        """The two sides as they are drawn."""
        before, after = self._sides
        return ComparisonReport(
            labels=self.labels,
            launches=(_launches(before), _launches(after)),
            same_kernels=self.same_kernels,
            changes=tuple(self.changes),
            lines=tuple(LineChange(**row) for row in self.lines),
            times=self.times,
        )

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return self.report().as_dict()

    def to_csv(self, path_or_buffer: Destination = None, by: str = "kernel") -> str | None:
        """Write a row a counter, or a row a source line and counter, as CSV: `COLUMNS` says which columns."""
        return self._table(by).to_csv(path_or_buffer)

    def to_pandas(self, by: str = "kernel") -> Any:
        """The same rows as a `pandas.DataFrame`."""
        return self._table(by).to_pandas()

    def _table(self, by: str) -> Table:
        columns_by(by)  # refuses anything else
        if by == "line" and not self.same_kernels:
            raise ReportError(
                "lines are matched where both runs are of the same kernels; these are "
                f"{' and '.join(map(_names, self._sides))}",
                hint='use by="kernel"',
            )
        rows = [change.as_dict() for change in self.changes] if by == "kernel" else self.lines
        return Table(COLUMNS[by], rows)

    def __repr__(self) -> str:
        return comparisons.comparison_text(self.report())

    def _repr_html_(self) -> str:
        return comparisons.comparison_html(self.report())


def compare(
    before: Run | KernelRun,
    after: Run | KernelRun,
    *,
    labels: tuple[str, str] | None = None,
    unchanged: bool = False,
) -> Comparison:
    """What is different between two runs, or two launches of runs: of one kernel, of two, or on two devices?

    labels: what to call the two; unless given, what differs between them: their kernels, their devices, or
    else before and after. unchanged: also show the counters that are equal. Raises `ReportError` for what is
    no run, and for a run in which nothing was launched.
    """
    sides = _kernels(before, "before"), _kernels(after, "after")
    if labels is None:
        labels = _labels(*sides)
    elif isinstance(labels, str) or len(labels) != 2:
        raise ReportError(f"labels are two names, for the run before and the run after, not {labels!r}")
    return Comparison(*sides, (str(labels[0]), str(labels[1])), unchanged)


def _kernels(run: Any, which: str) -> list[KernelRun]:
    kernels = [run] if isinstance(run, KernelRun) else run.kernels if isinstance(run, Run) else None
    if kernels is None:
        raise ReportError(
            f"compare takes two runs, and {which} is of type {type(run).__name__}",
            hint="a run is what `with gpusim.profile() as run` gives; a launch of it is run.kernels[0]",
        )
    if not kernels:
        raise ReportError(
            f"no kernel was launched in the run {which}: there is nothing to compare",
            hint="launch one inside the `with gpusim.profile()` block",
        )
    return kernels


def _names(side: list[KernelRun]) -> str:
    return ", ".join(dict.fromkeys(kernel.kernel for kernel in side))


def _devices(side: list[KernelRun]) -> str:
    return ", ".join(dict.fromkeys(kernel.device.name for kernel in side))


def _launches(side: list[KernelRun]) -> int:
    return sum(kernel.launches for kernel in side)


def _labels(before: list[KernelRun], after: list[KernelRun]) -> tuple[str, str]:
    """By what differs: `naive` and `tiled`, or `H200` and `G80`, or both; else `before` and `after`."""
    differing = [(a, b) for of in (_names, _devices) if (a := of(before)) != (b := of(after))]
    if not differing:
        return "before", "after"
    first, second = (" on ".join(side) for side in zip(*differing, strict=True))
    return first, second


def _change(counter: str, before: float | None, after: float | None) -> Change:
    ratio = after / before if before and after is not None else None
    return Change(counter, before, after, ratio)


def _totals(side: list[KernelRun]) -> dict[str, float | None]:
    """Resources that all launches share, and the sums of their counters."""
    total: Counter[str] = Counter()
    for kernel in side:
        total.update(kernel.ledger.total())
    resources = {name: {getattr(kernel, name) for kernel in side} for name in RESOURCES}
    shared = {name: next(iter(found)) if len(found) == 1 else None for name, found in resources.items()}
    return {**shared, **_in_order(total, all(kernel.caches for kernel in side))}


def _in_order(counts: Mapping[str, int], caches: bool) -> dict[str, float]:
    totals = summary(counts, caches=caches)
    return {name: totals[name] for name in in_order(caches=caches)}


def _by_line(side: list[KernelRun]) -> Lines:
    """The counts of each source line, over all launches."""
    lines: Lines = {}
    for kernel in side:
        for (source, line), counts in kernel.ledger.lines.items():
            function = "" if source == kernel.source else source.name
            row = {
                "kernel": kernel.kernel,
                "function": function,
                "line": line,
                "source": source.line(line).strip(),
            }
            place = kernel.kernel, function, line - source.first_line
            lines.setdefault(place, (row, Counter()))[1].update(counts)
    return lines
