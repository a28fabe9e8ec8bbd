"""How do findings look? As Compute Sanitizer prints them, and one block each with the lines of the source."""

from __future__ import annotations

import re
from html import escape
from pathlib import PurePath

from gpusim.reports.findings import Access, Finding, FindingsReport
from gpusim.reports.source import SourceLine
from gpusim.whole import number_of

BAR = "========="


def findings_text(report: FindingsReport) -> str:
    """The report of a `sanitize`, for a terminal."""
    rows = [f"GPUSIM SANITIZER ({', '.join(report.tools)})"]
    for finding in report.findings:
        rows += [f"{finding.severity.capitalize()}: {_headline(finding)}", f"    {finding.message}"]
        for access in finding.accesses:
            rows.append(f"    {_who(access)} at {_where(access.at)}")
            rows += [f"        {line}" for line in _excerpt(access)]
            rows += [f"      called from {_where(c)}: {c.source.strip()}" for c in access.called_from]
            rows += [f"      {line}" for line in access.launched.splitlines()]
        rows += [f"    {finding.hint}", ""]
    rows.append(_summary(report))
    return "\n".join(f"{BAR} {row}".rstrip() for row in rows)


def _headline(finding: Finding) -> str:
    place = f" on {finding.place}" if finding.place else ""
    if finding.address is not None:
        place += f" ({finding.address:#x})"
    times = f" [seen {finding.count:,} times]" if finding.count > 1 else ""
    return f"{finding.tool}: {finding.hazard}{place} in {finding.kernel}{times}"


def _who(access: Access) -> str:
    if access.thread is None or access.block is None:
        return access.kind
    return f"{access.kind} by thread {_triple(access.thread)} in block {_triple(access.block)}"


def _triple(position: tuple[int, ...]) -> str:
    return f"({','.join(map(str, position))})"


def _where(at: SourceLine) -> str:
    return f"{PurePath(at.file).name}:{at.line}"


def _excerpt(access: Access) -> list[str]:
    """The source line, and a caret under the place."""
    text = access.at.source.strip()
    shift = len(access.at.source) - len(access.at.source.lstrip())
    return [text, " " * max(access.column - shift, 0) + "^"] if text else []


def _summary(report: FindingsReport) -> str:
    counts = {
        severity: sum(finding.severity == severity for finding in report.findings)
        for severity in ("error", "warning")
    }
    return f"SUMMARY: {', '.join(number_of(count, name) for name, count in counts.items())}"


# A notebook has no style sheet of ours: colours are the page's own, or seen on light and on dark ground.
EDGE = {"error": "4px solid #d55e00", "warning": "4px dashed #d55e00"}
BLOCK = "margin:1em 0;padding-left:.9em;border-left:"
MESSAGE = "margin:0;white-space:pre-line"
ACCESSES = "display:flex;flex-wrap:wrap;gap:.5em;margin:.5em 0;overflow-wrap:anywhere"
ACCESS = "flex:1 1 18em;min-width:0;padding:.4em .8em;border-radius:4px;background:rgba(127,127,127,.12)"
CODE = "display:block;padding:0;border:0;background:none;color:inherit;white-space:pre-wrap"
PLACE = "text-decoration:underline wavy #d55e00;text-underline-offset:.2em"


def findings_html(report: FindingsReport) -> str:
    """The report of a `sanitize`, for a notebook. Accesses stand side by side where there is room."""
    checked = ", ".join(report.tools)
    if not report.findings:
        return f"<p>No fault found ({escape(checked)}).</p>"
    summary = escape(f"{_summary(report)} ({checked})")
    blocks = "".join(map(_block, report.findings))
    return f'<div class="gpusim-findings" role="group" aria-label="{summary}"><p>{summary}</p>{blocks}</div>'


def _block(finding: Finding) -> str:
    """Tool, hazard and message; who did what where; what to do."""
    headline = f"{finding.severity.capitalize()}: {_headline(finding)}"
    hint = f'<p style="{MESSAGE}">What to do: {escape(finding.hint)}</p>' if finding.hint else ""
    return (
        f'<div style="{BLOCK}{EDGE[finding.severity]}"><p style="margin:0"><b>{escape(headline)}</b></p>'
        f'<p style="{MESSAGE}">{escape(finding.message)}</p>'
        f'<div style="{ACCESSES}">{"".join(map(_access, finding.accesses))}</div>{hint}</div>'
    )


def _access(access: Access) -> str:
    """Who, and the source line; the name at the place is underlined."""
    text, column = access.at.source, access.column
    name = re.compile(r"[\w.]+|.|$").match(text, column)
    end = name.end() if name else column
    marked = f'<b style="{PLACE}">{escape(text[column:end])}</b>'
    code = f"{escape(text[:column].lstrip())}{marked}{escape(text[end:].rstrip())}" if text.strip() else ""
    who = escape(f"{_who(access)} at {_where(access.at)}")
    callers = "".join(
        f'called from {escape(_where(caller))}<code style="{CODE}">{escape(caller.source.strip())}</code>'
        for caller in access.called_from
    ) + "".join(f"<br>{escape(line)}" for line in access.launched.splitlines())
    return f'<div style="{ACCESS}">{who}<code style="{CODE}">{code}</code>{callers}</div>'
