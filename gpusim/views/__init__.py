"""How does a run look? Views draw reports that measurements made; they compute no number of their own.

`warp_player`, `block_mapper`, `bank_view` and `sector_view` take runs, or reports of runs, and show them in
one view to choose from; `schedule_explorer` takes what `gpusim.explore_schedules` found, `carveout_explorer`
a run or what `gpusim.explore_carveouts` found.
Drawing needs anywidget (`pip install "gpusim[widgets]"`), which is imported on first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from gpusim.reports.bank import BankReport
from gpusim.reports.block import BlockReport
from gpusim.reports.carveout import CarveoutReport
from gpusim.reports.report import Drawn
from gpusim.reports.schedule import ScheduleReport
from gpusim.reports.sector import SectorReport
from gpusim.reports.warp import WarpReport

if TYPE_CHECKING:
    from gpusim.views.widgets import (
        BankView,
        BlockMapper,
        CarveoutExplorer,
        ScheduleExplorer,
        SectorView,
        WarpPlayer,
    )

__all__ = [
    "bank_view",
    "block_mapper",
    "carveout_explorer",
    "schedule_explorer",
    "sector_view",
    "warp_player",
]
Single = TypeVar("Single", bound=Drawn)
Joined = TypeVar("Joined", WarpReport, BlockReport, BankReport, SectorReport)
# kind of report -> the method of runs that gives it
METHODS: dict[type[Drawn], str] = {
    WarpReport: "warp_report",
    BlockReport: "block_report",
    BankReport: "bank_report",
    SectorReport: "sector_report",
    ScheduleReport: "schedule_report",
    CarveoutReport: "carveout_report",
}
A_RUN = "what `with gpusim.profile() as run` gave"


def warp_player(
    *runs: Any, title: str | None = None, labels: Sequence[str] | None = None, compare: bool = False
) -> WarpPlayer:
    """Which lanes run which line, and which wait? Plays traced warps of one or more runs of a kernel.

    runs: profiled runs (anything with `warp_report()`), or such reports; labels: what to call each.
    compare: begin with the first two runs side by side.
    """
    reports = _reports(WarpReport, runs, "the warp player")
    sources = list(dict.fromkeys(report.source for report in reports))
    if len(sources) > 1:
        raise ValueError(
            f"the warp player shows one source, but {sources[0].name} and {sources[1].name} are different "
            "kernels: draw each in a view of its own"
        )
    report = _joined(reports, title, labels, "the warp player")
    if compare and len(report.variants) < 2:
        raise ValueError("the warp player compares two runs: pass both")
    for variant in report.variants:
        if not variant.frames:
            raise ValueError(
                f"the warp player has no step of {variant.label!r} to show: "
                "the run was not traced; launch a grid of teaching size, a few blocks"
            )
    report = replace(report, compare=compare or report.compare)
    player: WarpPlayer = _widget("WarpPlayer", "warp_player", report)
    return player


def block_mapper(*runs: Any, title: str | None = None, labels: Sequence[str] | None = None) -> BlockMapper:
    """Which warp and which lane does each thread of a block become? Shows block shapes and warp sizes.

    runs: profiled runs (anything with `block_report()`), or such reports; labels: what to call each.
    """
    report = _joined(_reports(BlockReport, runs, "the block mapper"), title, labels, "the block mapper")
    mapper: BlockMapper = _widget("BlockMapper", "block_mapper", report)
    return mapper


def bank_view(*runs: Any, title: str | None = None, labels: Sequence[str] | None = None) -> BankView:
    """Which bank of shared memory serves which lane, and who waits? Plays requests wavefront by wavefront.

    runs: profiled runs (anything with `bank_report()`), or such reports, as `run.bank_report(line=12)` gives
    for one line; kernels may differ. labels: what to call each.
    """
    report = _joined(_reports(BankReport, runs, "the bank view"), title, labels, "the bank view")
    view: BankView = _widget("BankView", "bank_view", report)
    return view


def sector_view(*runs: Any, title: str | None = None, labels: Sequence[str] | None = None) -> SectorView:
    """What of global memory moves for a request, and who wanted it? Shows the same addresses under 3 rules.

    runs: profiled runs (anything with `sector_report()`), or such reports, as `run.sector_report(line=12)`
    gives for one line; kernels may differ. labels: what to call each.
    """
    report = _joined(_reports(SectorReport, runs, "the sector view"), title, labels, "the sector view")
    view: SectorView = _widget("SectorView", "sector_view", report)
    return view


def schedule_explorer(exploration: Any, title: str | None = None) -> ScheduleExplorer:
    """Which order of the lanes made the outcomes different? Plays two schedules of a launch side by side.

    exploration: what `gpusim.explore_schedules` gave (anything with `schedule_report()`), or such a report.
    """
    explored = "what gpusim.explore_schedules gave"
    report = _report(ScheduleReport, exploration, "the schedule explorer", "explorations", explored)
    report = replace(report, title=title or report.title)
    explorer: ScheduleExplorer = _widget("ScheduleExplorer", "schedule_explorer", report)
    return explorer


def carveout_explorer(source: Any, title: str | None = None) -> CarveoutExplorer:
    """How is a multiprocessor's memory split into shared memory and L1, and why? For many requests.

    source: a profiled run (anything with `carveout_report()`), or what `gpusim.explore_carveouts` gave.
    """
    report = _report(CarveoutReport, source, "the carve-out explorer")
    report = replace(report, title=title or report.title)
    explorer: CarveoutExplorer = _widget("CarveoutExplorer", "carveout_explorer", report)
    return explorer


def _widget(name: str, view: str, report: Drawn) -> Any:
    try:
        return getattr(import_module("gpusim.views.widgets"), name)(report=report)
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            f"{missing.name} is not installed; views need it: pip install 'gpusim[widgets]'. "
            f"Without it, gpusim.views.text.{view}(report) draws the same report as text",
            name=missing.name,
        ) from missing


def _report(
    kind: type[Single], run: Any, view: str, what: str = "profiled runs", source: str = A_RUN
) -> Single:
    if isinstance(run, kind):
        return run
    if not hasattr(run, METHODS[kind]):
        raise TypeError(f"{view} draws {what} or their reports, not {type(run).__name__}: pass {source}")
    report: Single = getattr(run, METHODS[kind])()
    return report


def _reports(kind: type[Single], runs: Sequence[Any], view: str) -> list[Single]:
    if not runs:
        raise ValueError(f"{view} has nothing to draw: pass at least one run")
    return [_report(kind, run, view) for run in runs]


def _joined(reports: Sequence[Joined], title: str | None, labels: Sequence[str] | None, view: str) -> Joined:
    """One report with the variants of all."""
    variants = [variant for report in reports for variant in report.variants]
    if labels is not None:
        if len(labels) != len(variants):
            raise ValueError(
                f"{view} got {len(labels)} labels for {len(variants)} runs: give one label a run"
            )
        variants = [replace(variant, label=label) for variant, label in zip(variants, labels, strict=True)]
    titles = dict.fromkeys(report.title for report in reports)
    return replace(reports[0], title=title or ", ".join(titles), variants=tuple(variants))
