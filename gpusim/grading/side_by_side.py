"""What did the starter do, and what does my answer? A table that waits for the reader's prediction.

>>> from gpusim.grading import side_by_side
>>> side_by_side(None, [("sectors per request", 32.0, 32.0, "at most 5")])
Write down your prediction first (`prediction = …`); then this cell shows what the starter does.
>>> print(repr(side_by_side(8, [("sectors per request", 32.0, 4.0, "at most 5")])))
You predicted 8.
                     starter  yours  gate
sectors per request     32.0    4.0  at most 5
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from gpusim.views.tables import scrolled_html

FIRST = "Write down your prediction first (`prediction = …`); then this cell shows what the starter does."
HEADINGS = ("", "starter", "yours", "gate")
Row = tuple[str, float, float, str]


@dataclass(frozen=True)
class SideBySide:
    """Figures of the starter and of the reader's answer, one row each: (what, starter, yours, gate)."""

    prediction: Any
    rows: tuple[Row, ...]

    def _cells(self) -> list[tuple[str, ...]]:
        return [(what, _number(before), _number(after), gate) for what, before, after, gate in self.rows]

    def __repr__(self) -> str:
        if self.prediction is None:
            return FIRST
        cells = [HEADINGS, *self._cells()]
        widths = [max(len(row[k]) for row in cells) for k in range(3)]
        lines = [
            f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}" for row in cells
        ]
        return "\n".join([f"You predicted {self.prediction}.", *lines])

    def _repr_html_(self) -> str:
        if self.prediction is None:
            return f"<p>{escape(FIRST)}</p>"
        heads = "".join(f'<th scope="col" style="text-align:right">{name}</th>' for name in HEADINGS)
        rows = "".join(
            f'<tr><th scope="row" style="text-align:left">{escape(row[0])}</th>'
            + "".join(f'<td style="text-align:right">{escape(cell)}</td>' for cell in row[1:])
            + "</tr>"
            for row in self._cells()
        )
        table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
        return (
            f"<p>You predicted {escape(str(self.prediction))}.</p>{scrolled_html('starter and yours', table)}"
        )


def side_by_side(prediction: Any, rows: Iterable[Row]) -> SideBySide:
    """The starter's figures beside those of the reader's answer; without a prediction nothing is measured."""
    return SideBySide(prediction, () if prediction is None else tuple(rows))


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
