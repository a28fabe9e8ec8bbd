"""How does a run look? Views draw reports that measurements made; they compute no number of their own.

`warp_player`, `block_mapper`, `bank_view` and `sector_view` take runs, or reports of runs, and show them in
one view to choose from; `schedule_explorer` takes what `gpusim.explore_schedules` found, `carveout_explorer`
a run or what `gpusim.explore_carveouts` found.
Drawing needs anywidget (`pip install "gpusim[widgets]"`), which is imported on first use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpusim.views.widgets.bank_view import BankView
    from gpusim.views.widgets.block_mapper import BlockMapper
    from gpusim.views.widgets.carveout_explorer import CarveoutExplorer
    from gpusim.views.widgets.schedule_explorer import ScheduleExplorer
    from gpusim.views.widgets.sector_view import SectorView
    from gpusim.views.widgets.warp_player import WarpPlayer

__all__ = [
    "bank_view",
    "block_mapper",
    "carveout_explorer",
    "schedule_explorer",
    "sector_view",
    "warp_player",
]


def warp_player(
    *runs: Any, title: str | None = None, labels: Sequence[str] | None = None, compare: bool = False
) -> WarpPlayer:
    """Which lanes run which line, and which wait? Plays traced warps of one or more runs of a kernel.

    runs: profiled runs (anything with `warp_report()`), or such reports; labels: what to call each.
    compare: begin with the first two runs side by side.
    """
    report = _joined(
        [_report(run, "warp_report", "the warp player") for run in runs], title, labels, "the warp player"
    )
    if compare:
        if len(report["variants"]) < 2:
            raise ValueError("the warp player compares two runs: pass both")
        report["compare"] = True
    _check_traced(report)
    player: WarpPlayer = _widget("warp_player", "WarpPlayer")(report=report)
    return player


def block_mapper(*runs: Any, title: str | None = None, labels: Sequence[str] | None = None) -> BlockMapper:
    """Which warp and which lane does each thread of a block become? Shows block shapes and warp sizes.

    runs: profiled runs (anything with `block_report()`), or such reports; labels: what to call each.
    """
    report = _joined(
        [_report(run, "block_report", "the block mapper") for run in runs], title, labels, "the block mapper"
    )
    mapper: BlockMapper = _widget("block_mapper", "BlockMapper")(report=report)
    return mapper


def bank_view(*runs: Any, title: str | None = None, labels: Sequence[str] | None = None) -> BankView:
    """Which bank of shared memory serves which lane, and who waits? Plays requests wavefront by wavefront.

    runs: profiled runs (anything with `bank_report()`), or such reports, as `run.bank_report(line=12)` gives
    for one line; kernels may differ. labels: what to call each.
    """
    report = _joined(
        [_report(run, "bank_report", "the bank view") for run in runs], title, labels, "the bank view"
    )
    view: BankView = _widget("bank_view", "BankView")(report=report)
    return view


def sector_view(*runs: Any, title: str | None = None, labels: Sequence[str] | None = None) -> SectorView:
    """What of global memory moves for a request, and who wanted it? Shows the same addresses under 3 rules.

    runs: profiled runs (anything with `sector_report()`), or such reports, as `run.sector_report(line=12)`
    gives for one line; kernels may differ. labels: what to call each.
    """
    report = _joined(
        [_report(run, "sector_report", "the sector view") for run in runs], title, labels, "the sector view"
    )
    view: SectorView = _widget("sector_view", "SectorView")(report=report)
    return view


def schedule_explorer(exploration: Any, title: str | None = None) -> ScheduleExplorer:
    """Which order of the lanes made the outcomes different? Plays two schedules of a launch side by side.

    exploration: what `gpusim.explore_schedules` gave (anything with `schedule_report()`), or such a report.
    """
    report = _report(
        exploration, "schedule_report", "the schedule explorer", "what gpusim.explore_schedules gave"
    )
    report = {**report, "title": title or report["title"]}
    explorer: ScheduleExplorer = _widget("schedule_explorer", "ScheduleExplorer")(report=report)
    return explorer


def carveout_explorer(source: Any, title: str | None = None) -> CarveoutExplorer:
    """How is a multiprocessor's memory split into shared memory and L1, and why? For many requests.

    source: a profiled run (anything with `carveout_report()`), or what `gpusim.explore_carveouts` gave.
    """
    report = _report(source, "carveout_report", "the carve-out explorer")
    report = {**report, "title": title or report["title"]}
    explorer: CarveoutExplorer = _widget("carveout_explorer", "CarveoutExplorer")(report=report)
    return explorer


def _widget(module: str, name: str) -> Any:
    try:
        return getattr(import_module(f"gpusim.views.widgets.{module}"), name)
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            f"{missing.name} is not installed; views need it: pip install 'gpusim[widgets]'. "
            f"Without it, gpusim.views.text.{module}(report) draws the same report as text",
            name=missing.name,
        ) from missing


def _report(
    run: Any, method: str, view: str, source: str = "what `with gpusim.profile() as run` gave"
) -> Mapping[str, Any]:
    if isinstance(run, Mapping):
        return run
    if not hasattr(run, method):
        what = "profiled runs" if method != "schedule_report" else "explorations"
        raise TypeError(f"{view} draws {what} or their reports, not {type(run).__name__}: pass {source}")
    report: Mapping[str, Any] = getattr(run, method)()
    return report


def _joined(
    reports: list[Mapping[str, Any]], title: str | None, labels: Sequence[str] | None, view: str
) -> dict[str, Any]:
    """One report with the variants of all; they must be of one kernel, for the source is shown once."""
    if not reports:
        raise ValueError(f"{view} has nothing to draw: pass at least one run")
    first = reports[0]
    for other in reports[1:]:
        if other.get("source") != first.get("source"):
            raise ValueError(
                f"{view} shows one source, but {first['source']['name']} and {other['source']['name']} "
                "are different kernels: draw each in a view of its own"
            )
    variants = [variant for report in reports for variant in report["variants"]]
    if labels is not None:
        if len(labels) != len(variants):
            raise ValueError(
                f"{view} got {len(labels)} labels for {len(variants)} runs: give one label a run"
            )
        variants = [{**variant, "label": label} for variant, label in zip(variants, labels, strict=True)]
    titles = dict.fromkeys(report["title"] for report in reports)
    return {**first, "title": title or ", ".join(titles), "variants": variants}


def _check_traced(report: Mapping[str, Any]) -> None:
    for variant in report["variants"]:
        if not variant["frames"]:
            raise ValueError(
                f"the warp player has no step of {variant['label']!r} to show: "
                "the run was not traced; launch a grid of teaching size, a few blocks"
            )
