"""How does a parameter buffer look? A row a parameter, then its bytes, 16 a line, dots where nothing lies."""

from __future__ import annotations

from html import escape

from gpusim.reports.parameter_buffer import PackedParameter, ParameterBufferReport
from gpusim.views.table import Table, table
from gpusim.views.tables import group_html
from gpusim.whole import number_of

HEADINGS = ("parameter", "type", "first byte", "bytes", "alignment", "padding before", "value")
LINE, MOST_LINES, MOST_VALUES = 16, 64, 4


def headline(report: ParameterBufferReport) -> str:
    """`child, 64-bit addresses: 20 bytes of at most 4,096 under CDP1, 7 of them padding`."""
    text = (
        f"{report.title}, {report.address_bits}-bit addresses: {number_of(report.size, 'byte')} of at most "
    )
    return f"{text}{report.most_bytes:,} under CDP{report.cdp}, {report.padding} of them padding"


def _value(parameter: PackedParameter) -> str:
    shown = [f"{one.name} {one.value}".strip() for one in parameter.numbers[:MOST_VALUES]]
    return ", ".join(shown) + ", …" * (len(parameter.numbers) > MOST_VALUES)


def _rows(report: ParameterBufferReport) -> Table:
    rows = [
        (one.name, one.type, one.offset, one.size, one.alignment, one.padding, _value(one))
        for one in report.parameters
    ]
    return table(rows, HEADINGS)


def _dump(report: ParameterBufferReport) -> str:
    octets = [".." if one is None else f"{one:02x}" for one in report.octets]
    lines = [f"{at:5}  {' '.join(octets[at : at + LINE])}" for at in range(0, len(octets), LINE)]
    left = len(lines) - MOST_LINES
    return "\n".join(lines if left <= 0 else [*lines[:MOST_LINES], f"… and {number_of(left, 'line')} more"])


def buffer_text(report: ParameterBufferReport) -> str:
    """For a terminal."""
    return "\n".join([headline(report), repr(_rows(report)), "", _dump(report)])


def buffer_html(report: ParameterBufferReport) -> str:
    """For a notebook."""
    return group_html(headline(report), f"{_rows(report)._repr_html_()}<pre>{escape(_dump(report))}</pre>")
