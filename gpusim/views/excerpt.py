"""Where in my cell is the mistake? The lines around it, the wrong one marked, in light and in dark."""

from __future__ import annotations

import re
from html import escape

from gpusim.reports.source import ExcerptReport

LINES_AROUND = 2
# translucent, so that the page's own colours of text and background stay
MARKED = "display:block;background:rgba(235,64,52,.18);box-shadow:inset 3px 0 rgb(235,64,52)"
WAVE = "text-decoration:underline wavy rgb(235,64,52);text-underline-offset:.2em"


def excerpt_html(report: ExcerptReport) -> str:
    """`lines` from number `first_line` on, around `line`; the word at `column` (from 0) is underlined."""
    first, wrong, end = report.first_line, report.line, report.first_line + len(report.lines)
    shown = range(max(first, wrong - LINES_AROUND), min(end, wrong + LINES_AROUND + 1))
    rows = "".join(_row(number, report.lines[number - first], report) for number in shown)
    return (
        f'<div class="gpusim-excerpt" role="group" aria-label="line {wrong} of the cell" '
        f'style="overflow-x:auto" tabindex="0"><pre style="margin:0">{rows}</pre></div>'
    )


def _row(number: int, text: str, report: ExcerptReport) -> str:
    if number != report.line:
        return f'<span style="display:block">{number:4}  {escape(text)}</span>'
    before, rest = text[: report.column], text[report.column :]
    word = re.match(r"\w+|.?", rest)
    length = word.end() if word else 0
    marked = f'<span style="{WAVE}">{escape(rest[:length] or " ")}</span>'
    return f'<span style="{MARKED}">{number:4}  {escape(before)}{marked}{escape(rest[length:])}</span>'
