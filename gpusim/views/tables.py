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
    """Headings and rows, without the columns that have nothing to say. Rows of one cell name a function."""
    columns = {
        heading: names
        for heading, names in LINE_COLUMNS.items()
        if any(line[name] for line in kernel["lines"] for name in names)
    }
    rows, shown = [], ""
    for line in kernel["lines"]:
        if line["function"] != shown:
            shown = line["function"]
            rows.append([f"called: {shown}"])
        cells = (
            (" → " if "→" in heading else " / ").join(number(line[name]) for name in names)
            if any(line[name] for name in names)
            else ""
            for heading, names in columns.items()
        )
        rows.append([str(line["line"]), line["source"], *cells])
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
        full = [row for row in [headings, *lines] if len(row) > 1]
        widths = [max(len(row[k]) for row in full) for k in range(len(headings))]
        for row in [headings, *lines]:
            if len(row) == 1:
                parts.append(f"  {row[0]}")
                continue
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
    body = "".join(_line_html(row, len(headings)) for row in lines)
    return (
        f'<div class="gpusim-counters" style="overflow-x:auto" tabindex="0" role="group" '
        f'aria-label="{escape(_headline(kernel))}">'
        f"<table><caption>{escape(_headline(kernel))}</caption><tbody>{counters}</tbody></table>"
        f"<table><caption>By source line</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def _line_html(row: list[str], columns: int) -> str:
    if len(row) == 1:
        return (
            f'<tr><th scope="rowgroup" colspan="{columns}" style="text-align:left">{escape(row[0])}</th></tr>'
        )
    cells = (
        f'<td style="text-align:left"><code>{escape(cell)}</code></td>' if k == 1 else f"<td>{cell}</td>"
        for k, cell in enumerate(row)
    )
    return f"<tr>{''.join(cells)}</tr>"


OUTCOMES_SHOWN = 6


def _exploration_headline(report: Report) -> str:
    outcomes = len(report["outcomes"])
    ending = "the same outcome every time" if outcomes == 1 else f"{outcomes} different outcomes"
    return (
        f"{report['kernel']}: {report['schedules']} schedules, {ending}, {report['device']} "
        f"({report['scheduling']})"
    )


def _tried(outcome: Report, shown: int = 4) -> str:
    """`friendly, serial, seed 0, …`."""
    names = [str(s) if isinstance(s, str) else f"seed {s}" for s in outcome["schedules"][:shown]]
    return ", ".join(names) + (", …" if outcome["count"] > shown else "")


def exploration_text(report: Report) -> str:
    """The outcomes of a launch under many schedules, for a terminal."""
    rows = [_exploration_headline(report)]
    for number, outcome in enumerate(report["outcomes"][:OUTCOMES_SHOWN], start=1):
        rows.append(f"  {number}. {outcome['count']} × {outcome['description']}")
        rows.append(f"     {outcome['replay']}  # {_tried(outcome)}")
    return "\n".join([*rows, *([f"  {more}"] if (more := _more(report)) else [])])


def _more(report: Report) -> str:
    more = len(report["outcomes"]) - OUTCOMES_SHOWN
    return f"… and {more} more outcomes" if more > 0 else ""


def exploration_html(report: Report) -> str:
    """The outcomes of a launch under many schedules, for a notebook."""
    left = ' style="text-align:left;padding-right:1.5em"'
    rows = "".join(
        f"<tr><td>{outcome['count']} ×</td><td{left}>{escape(outcome['description'])}</td>"
        f'<td style="text-align:left;white-space:nowrap">{escape(_tried(outcome, 2))}</td></tr>'
        for outcome in report["outcomes"][:OUTCOMES_SHOWN]
    )
    if more := _more(report):
        rows += f'<tr><td></td><td{left} colspan="2">{more}</td></tr>'
    head = "".join(f'<th scope="col"{left}>{heading}</th>' for heading in ("times", "outcome", "schedules"))
    headline, replay = escape(_exploration_headline(report)), ""
    if len(report["outcomes"]) > 1:
        last = report["outcomes"][:OUTCOMES_SHOWN][-1]
        replay = f"<p>Replay the last one shown: <code>{escape(last['replay'])}</code></p>"
    return (
        f'<div class="gpusim-counters" style="overflow-x:auto" tabindex="0" role="group" '
        f'aria-label="{headline}"><table><caption>{headline}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>{replay}</div>"
    )
