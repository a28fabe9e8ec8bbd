"""How does a run look? Views draw reports that measurements made; they compute no number of their own.

`warp_player`, `block_mapper`, `bank_view`, `sector_view`, `memory_chart`, `roofline`, `timeline` take runs,
or reports of runs, and show them in one view to choose from; `happens_before` what `run.streams()` gave,
`launch_tree` runs whose kernels launch kernels.
The explorers take what `gpusim.explore_schedules`, `explore_carveouts`, `explore_groups`, `explore_limits`,
`explore_occupancy`, `explore_parameters`, `explore_placement`, `explore_strides` and `explore_tile` found;
`carveout_explorer` takes a run, too.
`predict` asks the reader before the run is shown.
Drawing needs anywidget (`pip install "gpusim[widgets]"`), which is imported on first use.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from gpusim.reports.group import GroupExploration
from gpusim.reports.limits import LimitsReport
from gpusim.reports.occupancy import OccupancyExploration
from gpusim.reports.parameter_packing import ParameterPacking
from gpusim.reports.placement import PlacementExploration
from gpusim.reports.report import Titled
from gpusim.reports.roofline import RooflineReport
from gpusim.reports.stride import StrideReport
from gpusim.reports.tile import TileReport
from gpusim.reports.warp import WarpReport
from gpusim.views import predictions
from gpusim.views.embed import REPORTS
from gpusim.views.shown import Shown

if TYPE_CHECKING:
    from gpusim.views import widgets

    View = widgets.View | Shown

__all__ = [
    "bank_view",
    "block_mapper",
    "block_placement",
    "carveout_explorer",
    "group_map",
    "happens_before",
    "launch_tree",
    "limits_explorer",
    "memory_chart",
    "occupancy_explorer",
    "parameter_packer",
    "predict",
    "roofline",
    "schedule_explorer",
    "sector_view",
    "stride_explorer",
    "tile_explorer",
    "timeline",
    "visibility_view",
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
    "memory_chart": ("the memory chart", "memory_chart", *RUNS),
    "stride_explorer": (
        "the stride explorer",
        "stride_report",
        "strides",
        "what gpusim.explore_strides gave",
    ),
    "occupancy_explorer": (
        "the occupancy explorer",
        "occupancy_exploration",
        "explorations",
        "what gpusim.explore_occupancy gave",
    ),
    "roofline": ("the roofline", "roofline_report", *RUNS),
    "tile_explorer": ("the tile explorer", "tile_report", "tiles", "what gpusim.explore_tile gave"),
    "timeline": ("the timeline", "timeline", *RUNS),
    "happens_before": ("the happens-before view", "order_report", "streams", "what `run.streams()` gave"),
    "block_placement": (
        "the block placement",
        "placement_exploration",
        "explorations",
        "what gpusim.explore_placement gave",
    ),
    "launch_tree": ("the launch tree", "growth_report", *RUNS),
    "limits_explorer": (
        "the limits explorer",
        "limits_report",
        "explorations",
        "what gpusim.explore_limits gave",
    ),
    "visibility_view": ("the visibility view", "visibility", "trees of grids", "what gpusim.sanitize() gave"),
    "group_map": ("the group map", "group_report", "groups", "what gpusim.explore_groups gave"),
    "parameter_packer": (
        "the parameter packer",
        "parameter_packing",
        "parameters",
        "what gpusim.explore_parameters gave",
    ),
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


def bank_view(
    *runs: Any, title: str | None = None, labels: Sequence[str] | None = None, sweep: str = ""
) -> View:
    """Which bank of shared memory serves which lane, and who waits? Plays requests wavefront by wavefront.

    runs: profiled runs (anything with `bank_report()`), or such reports, as `run.bank_report(line=12)` gives
    for one line; kernels may differ. labels: what to call each. sweep: what the labels are values of, such
    as "stride": a slider goes through the runs.
    """
    return _widget(
        "bank_view", replace(_joined("bank_view", _reports("bank_view", runs), title, labels), sweep=sweep)
    )


def sector_view(
    *runs: Any, title: str | None = None, labels: Sequence[str] | None = None, sweep: str = ""
) -> View:
    """What of global memory moves for a request, and who wanted it? Shows the same addresses under 3 rules.

    runs: profiled runs (anything with `sector_report()`), or such reports, as `run.sector_report(line=12)`
    gives for one line; kernels may differ. labels: what to call each; sweep: as in `bank_view`.
    """
    return _widget(
        "sector_view",
        replace(_joined("sector_view", _reports("sector_view", runs), title, labels), sweep=sweep),
    )


def memory_chart(*runs: Any, title: str | None = None, labels: Sequence[str] | None = None) -> View:
    """Where did the bytes go? The kernel, its memories, L1, L2 and DRAM, with arrows as thick as the traffic.

    runs: runs profiled with `caches=True` (anything with `memory_chart()`), or such reports; all are drawn on
    one scale. labels: what to call each.
    """
    return _drawn("memory_chart", runs, title, labels)


def roofline(
    *runs: Any,
    title: str | None = None,
    labels: Sequence[str] | None = None,
    devices: Sequence[str] = (),
) -> View:
    """Is it arithmetic or memory that a kernel could be limited by, and how far is it from that roof?

    runs: profiled runs (anything with `roofline_report()`), or such reports; labels: what to call each.
    devices: whose roofs are there to compare with, beside those on which the runs were.
    """
    reports: list[RooflineReport] = _reports("roofline", runs, devices=devices)
    known = {device.name: device for report in reports for device in report.devices}
    joined = _joined("roofline", reports, title, labels)
    return _widget("roofline", replace(joined, devices=tuple(known.values())))


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


def predict(question: str, answer: Any = None, **asked: Any) -> View:
    """What will the run show? Asks the reader, who answers before the page goes on.

    answer: the right one, from a run: a number; several as {label: number}; one of `choices`; or, with
    `lanes=32`, the lanes that are on, as their numbers, a mask, or one truth a lane. None: nobody knows yet.
    unit, tolerance: of numbers; without a tolerance, fractions may be 1 % off.
    mask: lanes are drawn as a mask, four over their hexadecimal digit.
    wrong: what is said to typical wrong answers, {6: "…"}; "less", "more" and "else" are keys as well. A key
    may be a tuple or a range of answers. Of several numbers, {label: {6: "…"}}.
    why: said once the answer is known. id: by which it is remembered; by default made of the question.

    In a notebook, `value` of what this returns is the reader's answer, and `.then(make)` shows what `make`
    gives once there is one. The page hides what follows the cell up to the next heading, or to a line
    `<!-- revealed -->`.
    """
    return _widget("prediction", predictions.report(question, answer, **asked))


def stride_explorer(report: StrideReport, title: str | None = None) -> View:
    """Which sectors move for a warp's request? Lines from lanes to memory; offset and stride are pushed.

    report: what `gpusim.explore_strides` gave.
    """
    return _drawn("stride_explorer", [report], title)


def tile_explorer(report: TileReport, title: str | None = None) -> View:
    """Which bank has which element of a tile? Rows slide as the pitch is pushed; queues grow at the banks.

    report: what `gpusim.explore_tile` gave.
    """
    return _drawn("tile_explorer", [report], title)


def occupancy_explorer(report: OccupancyExploration, title: str | None = None) -> View:
    """What fits on a multiprocessor? Blocks fall in until a resource lets no more in; all sizes are pushed.

    report: what `gpusim.explore_occupancy` gave.
    """
    return _drawn("occupancy_explorer", [report], title)


def limits_explorer(report: LimitsReport, title: str | None = None) -> View:
    """What may kernels launch, and what does it cost? Depth, launches and limits are pushed; calls answer.

    report: what `gpusim.explore_limits` gave.
    """
    return _drawn("limits_explorer", [report], title)


def block_placement(report: PlacementExploration, title: str | None = None) -> View:
    """Which multiprocessor gets which block, and when? Blocks fall in; grid and block size are pushed.

    report: what `gpusim.explore_placement` gave.
    """
    return _drawn("block_placement", [report], title)


def group_map(report: GroupExploration, title: str | None = None) -> View:
    """Which groups is a thread in, with which rank and mask? Groups are pushed and clicked, collectives fly.

    report: what `gpusim.explore_groups` gave.
    """
    return _drawn("group_map", [report], title)


def parameter_packer(report: ParameterPacking, title: str | None = None) -> View:
    """Which byte of a buffer holds what? Parameters fly in; order, types and addresses are pushed.

    report: what `gpusim.explore_parameters` gave.
    """
    drawn = _report("parameter_packer", report)
    return _widget("parameter_packer", replace(drawn, title=title or drawn.title))


def timeline(*runs: Any, title: str | None = None, labels: Sequence[str] | None = None) -> View:
    """Which warp does each scheduler issue in each clock, and what do the others wait for? Plays it.

    runs: profiled runs (anything with `timeline()`), or such reports; labels: what to call each. For sliders
    over many runs, one report: what `gpusim.explore_timeline` gave.
    """
    return _drawn("timeline", runs, title, labels)


def happens_before(*runs: Any, title: str | None = None, labels: Sequence[str] | None = None) -> View:
    """What orders two calls, or two accesses: which chain, or nothing? The reader chooses two.

    runs: what `run.streams()` or `gpusim.explore_order` gave; labels: what to call each.
    """
    return _drawn("happens_before", runs, title, labels)


def launch_tree(*runs: Any, title: str | None = None, labels: Sequence[str] | None = None) -> View:
    """Who launched which grid, when did it begin, and for whom did it wait? The tree grows as it ran.

    runs: profiled runs (anything with `growth_report()`, as what `run.launch_tree()` gave), or such reports;
    labels: what to call each. Two stand side by side, such as one with `cdp=1` and one with `cdp=2`.
    """
    return _drawn("launch_tree", runs, title, labels)


def visibility_view(run: Any, title: str | None = None) -> View:
    """What do a parent and its children see of each other's writes? Grids are lanes, guards are taken away.

    run: what `gpusim.sanitize()` gave, or what its `visibility()` gave.
    """
    report = _report("visibility_view", run)
    return _widget("visibility_view", report if title is None else replace(report, title=title))


def _drawn(view: str, runs: Sequence[Any], title: str | None, labels: Sequence[str] | None = None) -> View:
    return _widget(view, _joined(view, _reports(view, runs), title, labels))


def _widget(view: str, report: Titled) -> View:
    if sys.platform == "emscripten" and not find_spec("anywidget"):  # a page's script draws
        return Shown(view, report)
    try:
        drawing = import_module("gpusim.views.widgets")
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            f"{missing.name} is not installed; views need it: pip install 'gpusim[widgets]'. Without it, "
            f"`from gpusim.views import text` and `print(text.{view}({_given(view)}))` draw it as text",
            name=missing.name,
        ) from missing
    widget: View = drawing.VIEWS[view](report=report)
    return widget


def _given(view: str) -> str:
    """How is the report of a view made?"""
    return f"….{VIEWS[view][1]}()" if view in VIEWS else "gpusim.views.predictions.report(…)"


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
