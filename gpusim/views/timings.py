"""How does a time look? What bounds the launches and how far they are from it, why warps stood, and where."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from textwrap import wrap

from gpusim.reports.timing import MOVED_BY, STALLS, TimingReport, stall_metric
from gpusim.views.table import Table, table
from gpusim.views.tables import group_html
from gpusim.whole import percent, quantity

LINES_SHOWN, ROOFS_SHOWN = 5, 4
WIDTH = 100  # of sentences in a terminal
SMALL = 0.005  # of what warps waited for: less is not shown
SAYS = "by the model of time"


def duration(seconds: float) -> str:
    """`17.2 µs`, `3.08 ms`."""
    return f"{seconds * 1e6:,.1f} µs" if seconds < 1e-3 else f"{seconds * 1e3:,.2f} ms"


def headline(report: TimingReport) -> str:
    """`saxpy on H200: 17.2 µs, 25,740 cycles, by the model of time`."""
    many = f", {report.launches:,} launches" if report.launches > 1 else ""
    took = f"{duration(report.seconds)}, {report.cycles:,.0f} cycles"
    return f"{report.kernel} on {report.device}{many}: {took}, {SAYS}"


def bound(report: TimingReport) -> str:
    """What bounds it, how far is it from that roof, and what would make it faster?"""
    roof = report.roofs[0]
    faster = f"What makes it faster: {MOVED_BY[report.bound_by]}."
    if report.bound_by != "latency":
        amounts = f"{quantity(roof.amount, roof.unit)} of {quantity(roof.most, roof.unit)}"
        return f"Bound by {roof.name}: {percent(roof.used)} of that roof, {amounts}. {faster}"
    reason, share = longest(report)
    near = f"The nearest roof, {roof.name}, is used to {percent(roof.used)}."
    return f"Bound by latency: {percent(share)} of their time, warps wait {STALLS[reason]}. {near} {faster}"


def longest(report: TimingReport) -> tuple[str, float]:
    """What did warps wait for longest, and for which part of their time?"""
    waits = {name: clocks for name, clocks in report.stalls.items() if name != "selected"}
    reason = max(waits, key=lambda name: waits[name])
    return reason, waits[reason] / (sum(report.stalls.values()) or 1.0)


def occupancy(report: TimingReport) -> str:
    """How many warps were there, and how often did one issue?"""
    return (
        f"Of a multiprocessor's warps {percent(report.achieved_occupancy)} were resident "
        f"(theoretical occupancy {percent(report.theoretical_occupancy)}); in {percent(report.issue_slots)} "
        "of the clocks a scheduler issued."
    )


def _stalls(report: TimingReport) -> Table:
    total = sum(report.stalls.values()) or 1.0
    found = sorted(report.stalls.items(), key=lambda stall: -stall[1])
    rows = [
        (STALLS[name], percent(clocks / total), clocks, f"`{name}`")
        for name, clocks in found
        if clocks / total >= SMALL
    ]
    return table(rows, ("a warp waits", "of its time", "clocks per instruction", "Nsight's name"))


def _lines(report: TimingReport) -> Table:
    found = sorted(report.lines, key=lambda line: -line.share)[:LINES_SHOWN]
    rows = []
    for line in found:
        if line.share < SMALL:
            continue
        waits = {name: share for name, share in line.stalls.items() if name != "selected"} or line.stalls
        most = max(waits, key=lambda name: waits[name])
        of = f" of {line.function}" if line.function else ""
        rows.append((f"{line.line}{of}", f"`{line.source}`", percent(line.share), STALLS[most]))
    return table(rows, ("line", "source", "of the warps' time", "mostly"))


def _roofs(report: TimingReport) -> Table:
    rows = [
        (roof.name, percent(roof.used), quantity(roof.amount, roof.unit), quantity(roof.most, roof.unit))
        for roof in report.roofs[:ROOFS_SHOWN]
    ]
    return table(rows, ("roof", "used", "here", "at most"))


def _tables(report: TimingReport) -> Iterator[Table]:
    yield _stalls(report)
    yield _lines(report)
    yield _roofs(report)


def timing_text(report: TimingReport) -> str:
    """For a terminal."""
    rows = [headline(report), *wrap(bound(report), WIDTH), *wrap(occupancy(report), WIDTH)]
    for each in _tables(report):
        rows += ["", *(f"  {line}" for line in repr(each).replace("`", "").splitlines())]
    return "\n".join(rows)


def timing_html(report: TimingReport) -> str:
    """For a notebook; at the end, folded, what Nsight Compute calls all that."""
    parts = [f"<p>{escape(bound(report))} {escape(occupancy(report))}</p>"]
    parts += [each._repr_html_() for each in _tables(report)]
    names = "".join(
        f"<dt>{escape(meaning)}</dt><dd><code>{stall_metric(name)}</code></dd>"
        for name, meaning in STALLS.items()
        if report.stalls.get(name)
    )
    parts.append(f"<details><summary>Their metrics in Nsight Compute</summary><dl>{names}</dl></details>")
    return group_html(headline(report), "".join(parts))
