"""How do streams look? A lane for each, for the host and for what copies; below, every call in order."""

from __future__ import annotations

from html import escape

from gpusim.reports.streams import StreamsReport
from gpusim.views.table import Table, table
from gpusim.views.tables import group_html
from gpusim.views.timings import SAYS, duration

WIDTH = 72  # characters of a lane
MARKS = {"launch": "█", "copy": "▒", "memset": "▓", "host function": "f"}
WAITS, ASKS = "·", "'"
LEGEND = (
    "█ a kernel runs, ▒ a copy, ▓ memory is set, f the host calls a function, ' asks for something, · waits"
)
HEADINGS = ("", "call", "where", "line", "begins, µs", "ends, µs", "directly after")


def headline(report: StreamsReport) -> str:
    """`scale on H200: 1.20 ms in all, by the model of time`."""
    return f"{report.title} on {report.device}: {duration(report.microseconds * 1e-6)} in all, {SAYS}"


def _lane(report: StreamsReport, lane: str) -> str:
    """`  ▒▒▒███████▒▒  `: what happens in a lane, in as many parts of the time as there are characters."""
    cells = [" "] * WIDTH
    scale = WIDTH / (report.microseconds or 1.0)
    if lane == "host":
        for call in report.calls:
            cells[min(int(call.issued * scale), WIDTH - 1)] = ASKS
    for call in report.in_lane(lane):
        begin, mark = call.start, MARKS.get(call.what, "")
        if call.what == "synchronise" or (lane == "host" and call.engine != "host"):
            begin, mark = call.issued, WAITS
        if mark and (call.end > begin or mark == "f"):
            first = min(int(begin * scale), WIDTH - 1)
            for place in range(first, min(max(round(call.end * scale), first + 1), WIDTH)):
                cells[place] = mark
    return "".join(cells).rstrip()


def _calls(report: StreamsReport) -> Table:
    rows = []
    for call in report.calls:
        after = ", ".join(f"{each.call} ({each.why})" for each in call.after)
        where = call.stream or "host"
        called = f"{call.what} of {call.text}" if call.what == "launch" else f"{call.what}: {call.text}"
        called = call.what if call.text in (call.what, "synchronize") else called
        begins, ends = f"{call.start:,.1f}", f"{call.end:,.1f}"
        rows.append((call.number, called, where, str(call.at.line), begins, ends, after))
    return table(rows, HEADINGS)


def _lanes(report: StreamsReport) -> str:
    width = max(map(len, report.lanes))
    end = duration(report.microseconds * 1e-6)
    axis = f"{'':<{width}} 0{end:>{WIDTH}}"
    return "\n".join([*(f"{lane:<{width}} |{_lane(report, lane)}" for lane in report.lanes), axis])


def _notes(report: StreamsReport) -> list[str]:
    left_out = [f"{report.left_out:,} more calls are left out."] if report.left_out else []
    return [*left_out, report.rules, f"{report.source}."]


def streams_text(report: StreamsReport) -> str:
    """For a terminal."""
    shown = repr(_calls(report))
    return "\n".join([headline(report), _lanes(report), LEGEND, "", shown, "", *_notes(report)])


def streams_html(report: StreamsReport) -> str:
    """For a notebook."""
    lanes = f'<pre role="img" aria-label="{escape(headline(report))}">{escape(_lanes(report))}</pre>'
    notes = "".join(f"<p>{escape(line)}</p>" for line in [LEGEND, *_notes(report)])
    return group_html(headline(report), f"{lanes}{notes}{_calls(report)._repr_html_()}")
