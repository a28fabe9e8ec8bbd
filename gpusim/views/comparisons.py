"""How do two runs look side by side? A row a counter: before, after, and how many times as many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from gpusim.reports.comparison import Change, ComparisonReport, LineChange
from gpusim.views.tables import (
    HEADING,
    LEFT,
    RIGHT,
    TOPIC_TABLE,
    by_topic,
    group_html,
    name_html,
    number,
    scrolled_html,
)
from gpusim.views.timings import duration
from gpusim.whole import percent

Groups = Sequence[tuple[str, Sequence[Change]]]
SAME = "no counter differs"
TIME = "time, by the model"
OTHER_KERNELS = "The kernels are not the same: their lines are not matched."


def factor(change: Change) -> str:
    """`× 2` for twice as many, `÷ 8` for an eighth; `new` where there were none, `gone` where none are."""
    before, after, ratio = change.before, change.after, change.ratio
    if before is None or after is None:
        return ""
    if before == after:
        return "="
    if not ratio:
        return "new" if after else "gone"
    times = ratio if ratio >= 1 else 1 / ratio
    return f"{'×' if ratio >= 1 else '÷'} {times:,.2f}".removesuffix(".00")


def _value(value: float | None) -> str:
    return "differs" if value is None else number(value)


def _headline(report: ComparisonReport) -> str:
    sides = (
        f"{label} ({count:,} launches)" if count > 1 else label
        for label, count in zip(report.labels, report.launches, strict=True)
    )
    return " → ".join(sides)


def _groups(report: ComparisonReport) -> Groups:
    """The changes of the whole runs by topic, then those of each line."""
    changes = {change.counter: change for change in report.changes}
    return [(topic, [changes[name] for name in names]) for topic, names in by_topic(list(changes))]


def _line_groups(report: ComparisonReport) -> Groups:
    def place(row: LineChange) -> str:
        function = f" of {row.function}" if row.function else ""
        return f"line {row.line}{function}: {row.source}"

    return [(where, list(rows)) for where, rows in groupby(report.lines, place)]


def _cells(change: Change) -> list[str]:
    return [_value(change.before), _value(change.after), factor(change)]


def _times(report: ComparisonReport) -> list[tuple[str, list[str]]]:
    """What the model of time says, row by row."""
    if not report.times:
        return []
    before, after = report.times
    speed = Change("time", before.seconds, after.seconds, after.seconds / before.seconds)
    return [
        ("time", [duration(before.seconds), duration(after.seconds), factor(speed)]),
        ("bound by, part of that roof", [f"{t.bound_by}, {percent(t.of_roof)}" for t in report.times] + [""]),
        ("achieved occupancy", [percent(t.achieved_occupancy) for t in report.times] + [""]),
    ]


def comparison_text(report: ComparisonReport) -> str:
    """Two runs, for a terminal."""
    groups = [*_groups(report), *_line_groups(report)]
    if not groups:
        return f"{_headline(report)}: {SAME}"
    shown = [(where, [(c.counter, _cells(c)) for c in changes]) for where, changes in groups]
    shown = [*([(TIME, times)] if (times := _times(report)) else []), *shown]
    headings = [*report.labels, "change"]
    rows = [cells for _, changes in shown for _, cells in changes]
    widths = [max(len(row[k]) for row in [headings, *rows]) for k in range(3)]
    names = max(len(name) for _, changes in shown for name, _ in changes)

    def line(name: str, cells: Sequence[str]) -> str:
        padded = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
        return "  ".join([f"    {name:<{names}}", *padded]).rstrip()

    def body() -> Iterator[str]:
        for heading, changes in shown:
            yield f"  {heading}"
            yield from (line(*change) for change in changes)

    other = [] if report.same_kernels else [f"  {OTHER_KERNELS}"]
    return "\n".join([_headline(report), line("", headings), *body(), *other])


def comparison_html(report: ComparisonReport) -> str:
    """Two runs, for a notebook."""
    label = _headline(report)
    groups, lines = _groups(report), _line_groups(report)
    if not groups and not lines:
        return group_html(label, f"<p>{SAME}</p>")
    parts = [scrolled_html(label, _table_html(report, groups))] if groups else []
    if lines:
        parts.append(scrolled_html(f"{label} by source line", _table_html(report, lines, code=True)))
    if not report.same_kernels:
        parts.append(f"<p>{OTHER_KERNELS}</p>")
    return group_html(label, "".join(parts))


def _table_html(report: ComparisonReport, groups: Groups, code: bool = False) -> str:
    headings = (escape(label).replace("_", "_<wbr>") for label in (*report.labels, "change"))
    columns = "".join(f'<th scope="col" style="{HEADING}">{heading}</th>' for heading in headings)
    head = f'<th scope="col" style="{LEFT}">counter</th>{columns}'
    body = [] if code else [_row_html(name, cells) for name, cells in _times(report)]
    if body:
        body.insert(0, f'<tr><th scope="rowgroup" colspan="4" style="{LEFT}">{TIME}</th></tr>')
    for heading, changes in groups:
        shown = f"<code>{escape(heading)}</code>" if code else escape(heading)
        body.append(f'<tr><th scope="rowgroup" colspan="4" style="{LEFT}">{shown}</th></tr>')
        body += [_row_html(name_html(change.counter), _cells(change)) for change in changes]
    title = "by source line" if code else "the whole runs"
    caption = f'<caption style="{LEFT};caption-side:top;font-weight:bold">{title}</caption>'
    return (
        f'<table style="{TOPIC_TABLE};font-size:.9em">{caption}<thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table>"
    )


def _row_html(name: str, cells: Sequence[str]) -> str:
    shown = "".join(f'<td style="{RIGHT}">{escape(cell)}</td>' for cell in cells)
    return f'<tr><th scope="row" style="{LEFT};font-weight:normal">{name}</th>{shown}</tr>'
