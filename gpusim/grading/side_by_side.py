"""What did the starter do, and what does my answer? A table that waits for the reader's prediction.

>>> import gpusim
>>> from gpusim.grading import side_by_side
>>> prediction = gpusim.predict("How many sectors?", unit="sectors")
>>> table = side_by_side(prediction, [("sectors per request", 32.0, 4.0, "at most 5")])
>>> table
Answer the question above and press Keep; then this cell shows what the starter does.
>>> prediction.value = 8  # what Keep does
>>> print(repr(table))
You predicted 8.
                     starter  yours  gate
sectors per request     32.0    4.0  at most 5
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from gpusim.views.tables import scrolled_html

if TYPE_CHECKING:
    from gpusim.views.waiting import Waiting
    from gpusim.views.widgets import Prediction

FIRST = "Answer the question above and press Keep; then this cell shows what the starter does."
HEADINGS = ("", "starter", "yours", "gate")
Row = tuple[str, float, float, str]


@dataclass(frozen=True)
class SideBySide:
    """Figures of the starter and of the reader's answer, one row each: (what, starter, yours, gate)."""

    prediction: Prediction
    rows: tuple[Row, ...]

    def _cells(self) -> list[tuple[str, ...]]:
        """With headings; without the last column where no row has a gate."""
        rows = [(what, _number(before), _number(after), gate) for what, before, after, gate in self.rows]
        columns = 4 if any(row[3] for row in rows) else 3
        return [row[:columns] for row in (HEADINGS, *rows)]

    def __repr__(self) -> str:
        cells = self._cells()
        widths = [max(len(row[k]) for row in cells) for k in range(3)]
        lines = [
            "  ".join([f"{row[0]:<{widths[0]}}", *map(str.rjust, row[1:3], widths[1:]), *row[3:]])
            for row in cells
        ]
        return "\n".join([f"You predicted {self.prediction.told()}.", *lines])

    def _repr_html_(self) -> str:
        headings, *cells = self._cells()
        heads = "".join(f'<th scope="col" style="text-align:right">{name}</th>' for name in headings)
        rows = "".join(
            f'<tr><th scope="row" style="text-align:left">{escape(row[0])}</th>'
            + "".join(f'<td style="text-align:right">{escape(cell)}</td>' for cell in row[1:])
            + "</tr>"
            for row in cells
        )
        table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
        told = f"You predicted {self.prediction.told()}."
        return f"<p>{escape(told)}</p>{scrolled_html('starter and yours', table)}"


def side_by_side(prediction: Prediction, rows: Iterable[Row]) -> Waiting:
    """The starter's figures beside those of the reader's answer; without a prediction nothing is measured."""
    return prediction.then(lambda: SideBySide(prediction, tuple(rows)), FIRST)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
