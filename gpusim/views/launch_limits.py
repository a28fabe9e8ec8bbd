"""How do limits of launches look? What is asked, the memory that is reserved, and what each call says."""

from __future__ import annotations

from gpusim.reports.limits import LimitsReport, LimitsVariant
from gpusim.views.table import Table, table
from gpusim.views.tables import group_html


def headline(report: LimitsReport) -> str:
    """`Limits of launches in kernels under CDP1: depth 3, 10 launched at once`."""
    at_once = f"{report.launches:,} launched at once"
    return f"{report.title} under CDP{report.cdp}: depth {report.depth}, {at_once}"


def memory(variant: LimitsVariant) -> Table:
    """A row for each thing that memory is reserved for, and what is left."""
    rows = [(row.name, row.bytes, row.how) for row in variant.reserved]
    rows.append(("left", variant.free_bytes, f"of {variant.memory_bytes:,} bytes"))
    return table(rows, (f"{variant.label} reserves", "bytes", "worked out"))


def calls(variant: LimitsVariant) -> Table:
    """A row for each call."""
    rows = [(call.call, call.error or "cudaSuccess", call.says) for call in variant.calls]
    return table(rows, (f"on {variant.label}", "answer", "why"))


def limits_text(report: LimitsReport) -> str:
    """For a terminal, and in place of the explorer."""
    parts = [f"{memory(one)!r}\n\n{calls(one)!r}" for one in report.variants]
    return "\n\n".join([headline(report), *parts])


def limits_html(report: LimitsReport) -> str:
    """For a notebook."""
    tables = "".join(memory(one)._repr_html_() + calls(one)._repr_html_() for one in report.variants)
    return group_html(headline(report), tables)
