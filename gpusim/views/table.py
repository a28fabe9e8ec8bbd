"""How do rows of a measurement look? As a small HTML table in a notebook or page, as aligned text elsewhere.

gpusim.table([("in order", 4), ("every second", 8)], ["addresses", "sectors"])
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from gpusim.views.code import coded
from gpusim.views.tables import number, scrolled_html

NUMBERS = re.compile(r"[+−-]?[\d,.]*\d(\s?%)?( [→·×/] [\d,.]+(\s?%)?)*|–|")
PADDED = "padding:.2em .9em .2em 0"
LETTERS = "font-variant-ligatures:none"  # 0xffff has four letters
RULE = "border-bottom:1px solid rgba(127,127,127,.45)"
LEFT, RIGHT = f"text-align:left;{PADDED}", f"text-align:right;white-space:nowrap;{PADDED}"


class Table:
    """Rows of cells under headings; numbers stand at the right, and thousands are separated."""

    def __init__(self, headings: Sequence[str], rows: Sequence[Sequence[Any]], caption: str) -> None:
        self.headings, self.rows, self.caption = list(headings), [list(row) for row in rows], caption

    def _columns(self) -> list[bool]:
        """Which columns hold numbers, pairs of them, or a dash in place of one?"""
        shown = ([_shown(row[k]) for row in self.rows] for k in range(len(self.headings)))
        return [all(map(NUMBERS.fullmatch, column)) for column in shown]

    def __repr__(self) -> str:
        numeric = self._columns()
        lines = [self.headings, *([_shown(cell) for cell in row] for row in self.rows)]
        widths = [max(len(line[k]) for line in lines) for k in range(len(self.headings))]
        body = (
            "  ".join(
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(line, widths, numeric, strict=True)
            ).rstrip()
            for line in lines
        )
        return "\n".join([*([self.caption] if self.caption else []), *body])

    def _repr_html_(self) -> str:
        sides = [RIGHT if right else LEFT for right in self._columns()]
        over = f"white-space:normal;vertical-align:bottom;{RULE}"
        head = "".join(
            f'<th scope="col" style="{side};{over}">{coded(heading)}</th>'
            for heading, side in zip(self.headings, sides, strict=True)
        )
        body = "".join(f"<tr>{''.join(map(_cell, row, sides))}</tr>" for row in self.rows)
        caption = (
            self.caption and f'<caption style="{LEFT};caption-side:top">{escape(self.caption)}</caption>'
        )
        whole = (
            f'<table style="width:auto;margin:.4em 0;border-collapse:collapse;{LETTERS}">{caption}'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )
        return scrolled_html(self.caption or ", ".join(self.headings), whole)


def _cell(cell: Any, side: str) -> str:
    inside = cell._repr_html_() if hasattr(cell, "_repr_html_") else coded(_shown(cell))
    return f'<td style="{side}">{inside}</td>'


def _is_number(cell: Any) -> bool:
    return hasattr(cell, "__float__") and not isinstance(cell, str | bool)


def _shown(cell: Any) -> str:
    if not _is_number(cell):
        return str(cell)
    value = cell.item() if hasattr(cell, "item") else cell
    return number(value)


def table(
    rows: Iterable[Sequence[Any] | Mapping[str, Any]], headings: Sequence[str] = (), caption: str = ""
) -> Table:
    """Show rows as a table: each a sequence in the order of the headings, or a dict whose keys are these.

    Whole numbers are shown with thousands separated, others with two decimals: format a cell as a string to
    show it otherwise. What stands between backticks is code; a cell may be HTML by `_repr_html_`.
    Raises `ValueError` where a row has not as many cells as there are headings.
    """
    found = list(rows)
    if found and not headings and isinstance(found[0], Mapping):
        headings = list(found[0])
    cells = [
        [row.get(name, "") for name in headings] if isinstance(row, Mapping) else list(row) for row in found
    ]
    for place, row in enumerate(cells, start=1):
        if len(row) != len(headings):
            raise ValueError(f"row {place} has {len(row)} cells under {len(headings)} headings: {row}")
    return Table(headings, cells, caption)
