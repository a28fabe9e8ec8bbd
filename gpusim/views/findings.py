"""How do findings look? As Compute Sanitizer prints them, and as a table with the lines of the source."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import PurePath
from typing import Any

Report = Mapping[str, Any]
BAR = "========="


def findings_text(report: Report) -> str:
    """The report of a `sanitize`, for a terminal."""
    rows = [f"GPUSIM SANITIZER ({', '.join(report['tools'])})"]
    for finding in report["findings"]:
        rows += [f"{finding['severity'].capitalize()}: {_headline(finding)}", f"    {finding['message']}"]
        for access in finding["accesses"]:
            rows.append(f"    {_who(access)} at {_where(access)}")
            rows += [f"        {line}" for line in _excerpt(access)]
        rows += [f"    {finding['hint']}", ""]
    rows.append(_summary(report))
    return "\n".join(f"{BAR} {row}".rstrip() for row in rows)


def _headline(finding: Report) -> str:
    place = f" on {finding['place']}" if finding["place"] else ""
    if finding["address"] is not None:
        place += f" ({finding['address']:#x})"
    times = f" [seen {finding['count']:,} times]" if finding["count"] > 1 else ""
    return f"{finding['tool']}: {finding['hazard']}{place} in {finding['kernel']}{times}"


def _who(access: Report) -> str:
    if access["thread"] is None:
        return str(access["kind"])
    return f"{access['kind']} by thread {_triple(access['thread'])} in block {_triple(access['block'])}"


def _triple(position: Any) -> str:
    return f"({','.join(map(str, position))})"


def _where(access: Report) -> str:
    return f"{PurePath(access['file']).name}:{access['line']}"


def _excerpt(access: Report) -> list[str]:
    """The source line, and a caret under the place."""
    text = access["source"].strip()
    shift = len(access["source"]) - len(access["source"].lstrip())
    return [text, " " * max(access["column"] - shift, 0) + "^"] if text else []


def _summary(report: Report) -> str:
    counts = {
        severity: sum(finding["severity"] == severity for finding in report["findings"])
        for severity in ("error", "warning")
    }
    parts = (f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts.items())
    return f"SUMMARY: {', '.join(parts)}"


def findings_html(report: Report) -> str:
    """The report of a `sanitize`, for a notebook."""
    checked = ", ".join(report["tools"])
    if not report["findings"]:
        return f"<p>No fault found ({escape(checked)}).</p>"
    rows = "".join(_row(finding) for finding in report["findings"])
    caption = f"{_summary(report)} ({checked})"
    head = "".join(
        f'<th scope="col" style="text-align:left">{heading}</th>'
        for heading in ("tool", "what", "where", "seen", "what to do")
    )
    return (
        f'<div class="gpusim-findings" style="overflow-x:auto" tabindex="0" role="group" '
        f'aria-label="{escape(caption)}"><table><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(finding: Report) -> str:
    where = "".join(
        f"<p>{escape(_who(access))}, {escape(_where(access))}</p>"
        f"<pre>{escape(chr(10).join(_excerpt(access)))}</pre>"
        for access in finding["accesses"]
    )
    what = f"<b>{escape(finding['hazard'])}</b> {escape(finding['place'])}<br>{escape(finding['message'])}"
    cells = (what, where, f"{finding['count']:,}", escape(finding["hint"]))
    return (
        f'<tr><th scope="row" style="text-align:left">{finding["tool"]}</th>'
        + "".join(f'<td style="text-align:left">{cell}</td>' for cell in cells)
        + "</tr>"
    )
