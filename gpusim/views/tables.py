"""How do counters look? Tables by kernel and by source line, as text and as HTML."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

Report = Mapping[str, Any]

# heading, the counters it shows as one cell
LINE_COLUMNS = {
    "instructions": ("instructions",),
    "active lanes": ("active_lanes_per_instruction",),
    "divergent / branches": ("divergent_branches", "branches"),
    "load requests → sectors": ("global_load_requests", "global_load_sectors"),
    "store requests → sectors": ("global_store_requests", "global_store_sectors"),
    "atomics": ("atomics",),
    "barriers": ("barriers",),
}
ALWAYS = ("instructions", "active_lanes_per_instruction", "branches", "divergent_branches")


def number(value: float) -> str:
    """Whole counts with thousands separated, ratios with two decimals."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def _headline(kernel: Report) -> str:
    grid, block = (" × ".join(map(str, kernel[name])) for name in ("grid", "block"))
    return f"{kernel['kernel']}: grid {grid}, block {block}, {kernel['device']} ({kernel['scheduling']})"


def _kernel_rows(kernel: Report) -> list[tuple[str, str]]:
    """(counter, value), without the counters that stayed at zero."""
    rows = [
        (name, number(value))
        for name, value in kernel.items()
        if isinstance(value, int | float) and (value or name in ALWAYS)
    ]
    return sorted(rows, key=lambda row: row[0].endswith(("_per_thread", "_per_block")))


def _line_rows(kernel: Report) -> tuple[list[str], list[list[str]]]:
    """Headings and rows, without the columns that have nothing to say."""
    columns = {
        heading: names
        for heading, names in LINE_COLUMNS.items()
        if any(line[name] for line in kernel["lines"] for name in names)
    }
    rows = [
        [
            str(line["line"]),
            line["source"],
            *(
                (" → " if "→" in heading else " / ").join(number(line[name]) for name in names)
                if any(line[name] for name in names)
                else ""
                for heading, names in columns.items()
            ),
        ]
        for line in kernel["lines"]
    ]
    return ["line", "source", *columns], rows


def counters_text(report: Report) -> str:
    """The counters of a run, for a terminal."""
    if not report["kernels"]:
        return "no kernel was launched"
    parts = []
    for kernel in report["kernels"]:
        rows = _kernel_rows(kernel)
        width = max(len(name) for name, _ in rows)
        parts.append("\n".join([_headline(kernel), *(f"  {n:<{width}}  {v:>12}" for n, v in rows)]))
        headings, lines = _line_rows(kernel)
        widths = [max(len(row[k]) for row in [headings, *lines]) for k in range(len(headings))]
        for row in [headings, *lines]:
            cells = (
                c.ljust(w) if k == 1 else c.rjust(w) for k, (c, w) in enumerate(zip(row, widths, strict=True))
            )
            parts.append("  " + "  ".join(cells).rstrip())
    return "\n".join(parts)


def counters_html(report: Report) -> str:
    """The counters of a run, for a notebook."""
    if not report["kernels"]:
        return "<p>no kernel was launched</p>"
    return "".join(_kernel_html(kernel) for kernel in report["kernels"])


def _kernel_html(kernel: Report) -> str:
    counters = "".join(
        f'<tr><th scope="row" style="text-align:left">{name}</th><td>{value}</td></tr>'
        for name, value in _kernel_rows(kernel)
    )
    headings, lines = _line_rows(kernel)
    head = "".join(f'<th scope="col" style="text-align:left">{escape(heading)}</th>' for heading in headings)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="text-align:left"><code>{escape(cell)}</code></td>' if k == 1 else f"<td>{cell}</td>"
            for k, cell in enumerate(row)
        )
        + "</tr>"
        for row in lines
    )
    return (
        f'<div class="gpusim-counters" style="overflow-x:auto" tabindex="0" role="group" '
        f'aria-label="{escape(_headline(kernel))}">'
        f"<table><caption>{escape(_headline(kernel))}</caption><tbody>{counters}</tbody></table>"
        f"<table><caption>By source line</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )
