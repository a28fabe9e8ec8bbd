"""How does a run look? Views draw reports that measurements made; they compute no number of their own.

`warp_player`, `block_mapper`, `bank_view` and `sector_view` take runs, or reports of runs, and show them in
one view to choose from; `schedule_explorer` takes what `gpusim.explore_schedules` found, `carveout_explorer`
a run or what `gpusim.explore_carveouts` found.
Drawing needs anywidget (`pip install "gpusim[widgets]"`), which is imported on first use.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gpusim.reports.report import Drawn
from gpusim.reports.warp import WarpReport
from gpusim.views.embed import REPORTS

if TYPE_CHECKING:
    from gpusim.views.widgets import View

__all__ = [
    "bank_view",
    "block_mapper",
    "carveout_explorer",
    "schedule_explorer",
    "sector_view",
    "warp_player",
]
RUNS = "profiled runs", "what `with gpusim.profile() as run` gave"
# view -> what it is called, the method that gives its report, what has that method, and where it comes from
VIEWS = {
    "warp_player": ("the warp player", "warp_report", *RUNS),
    "block_mapper": ("the block mapper", "block_report", *RUNS),
    "bank_view": ("the bank view", "bank_report", *RUNS),
    "sector_view": ("the sector view", "sector_report", *RUNS),
    "schedule_explorer": (
        "the schedule explorer",
        "schedule_report",
        "explorations",
        "what gpusim.explore_schedules gave",
    ),
    "carveout_explorer": ("the carve-out explorer", "carveout_report", *RUNS),
}


def warp_player(
    *runs: Any,
    title: str | None = None,
    labels: Sequence[str] | None = None,
    compare: bool = False,
    values: Sequence[str] | None = None,
    in_hexadecimal: Collection[str] = (),
) -> View:
    """Which lanes run which line, and which wait? Plays traced warps of one or more runs of a kernel.

    runs: profiled runs (anything with `warp_report()`), or such reports; labels: what to call each.
    compare: begin with the first two runs side by side.
    values: the variables that the lanes of runs may show, all by default; the first is shown first.
    in_hexadecimal: variables and arrays that hold bit patterns.
    """
    chosen = values is not None or in_hexadecimal
    how = {"values": values, "in_hexadecimal": in_hexadecimal} if chosen else {}
    reports: list[WarpReport] = _reports("warp_player", runs, **how)
    sources = list(dict.fromkeys(report.source for report in reports))
    if len(sources) > 1:
        raise ValueError(
            f"the warp player shows one source, but {sources[0].name} and {sources[1].name} are different "
            "kernels: draw each in a view of its own"
        )
    report: WarpReport = _joined("warp_player", reports, title, labels)
    if compare and len(report.variants) < 2:
        raise ValueError("the warp player compares two runs: pass both")
    for variant in report.variants:
        if not variant.frames:
            raise ValueError(
                f"the warp player has no step of {variant.label!r} to show: "
                "the run was not traced; launch a grid of teaching size, a few blocks"
            )
    report = replace(report, compare=compare or report.compare)
    return _widget("warp_player", report)


def block_mapper(*runs: Any, title: str | None = None, labels: Sequence[str] | None = None) -> View:
    """Which warp and which lane does each thread of a block become? Shows block shapes and warp sizes.

    runs: profiled runs (anything with `block_report()`), or such reports; labels: what to call each.
    """
    return _drawn("block_mapper", runs, title, labels)


def bank_view(*runs: Any, title: str | None = None, labels: Sequence[str] | None = None) -> View:
    """Which bank of shared memory serves which lane, and who waits? Plays requests wavefront by wavefront.

    runs: profiled runs (anything with `bank_report()`), or such reports, as `run.bank_report(line=12)` gives
    for one line; kernels may differ. labels: what to call each.
    """
    return _drawn("bank_view", runs, title, labels)


def sector_view(*runs: Any, title: str | None = None, labels: Sequence[str] | None = None) -> View:
    """What of global memory moves for a request, and who wanted it? Shows the same addresses under 3 rules.

    runs: profiled runs (anything with `sector_report()`), or such reports, as `run.sector_report(line=12)`
    gives for one line; kernels may differ. labels: what to call each.
    """
    return _drawn("sector_view", runs, title, labels)


def schedule_explorer(exploration: Any, title: str | None = None) -> View:
    """Which order of the lanes made the outcomes different? Plays two schedules of a launch side by side.

    exploration: what `gpusim.explore_schedules` gave (anything with `schedule_report()`), or such a report.
    """
    return _drawn("schedule_explorer", [exploration], title)


def carveout_explorer(source: Any, title: str | None = None) -> View:
    """How is a multiprocessor's memory split into shared memory and L1, and why? For many requests.

    source: a profiled run (anything with `carveout_report()`), or what `gpusim.explore_carveouts` gave.
    """
    return _drawn("carveout_explorer", [source], title)


def _drawn(view: str, runs: Sequence[Any], title: str | None, labels: Sequence[str] | None = None) -> View:
    return _widget(view, _joined(view, _reports(view, runs), title, labels))


def _widget(view: str, report: Drawn) -> View:
    try:
        widgets = import_module("gpusim.views.widgets")
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            f"{missing.name} is not installed; views need it: pip install 'gpusim[widgets]'. Without it, "
            f"`from gpusim.views import text` and `print(text.{view}(….{VIEWS[view][1]}()))` draw it as text",
            name=missing.name,
        ) from missing
    widget: View = widgets.VIEWS[view](report=report)
    return widget


def _report(view: str, run: Any, **how: Any) -> Any:
    called, method, what, source = VIEWS[view]
    if isinstance(run, REPORTS[view]):
        return run
    if not hasattr(run, method):
        raise TypeError(f"{called} draws {what} or their reports, not {type(run).__name__}: pass {source}")
    return getattr(run, method)(**how)


def _reports(view: str, runs: Sequence[Any], **how: Any) -> list[Any]:
    if not runs:
        raise ValueError(f"{VIEWS[view][0]} has nothing to draw: pass at least one run")
    return [_report(view, run, **how) for run in runs]


def _joined(view: str, reports: Sequence[Any], title: str | None, labels: Sequence[str] | None) -> Any:
    """One report with the variants of all."""
    variants = [variant for report in reports for variant in report.variants]
    if labels is not None:
        if len(labels) != len(variants):
            raise ValueError(
                f"{VIEWS[view][0]} got {len(labels)} labels for {len(variants)} runs: give one label a run"
            )
        variants = [replace(variant, label=label) for variant, label in zip(variants, labels, strict=True)]
    titles = dict.fromkeys(report.title for report in reports)
    return replace(reports[0], title=title or ", ".join(titles), variants=tuple(variants))
