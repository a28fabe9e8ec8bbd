"""Views draw reports: what they make of runs, of several runs, and of what is no run."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

import gpusim
from gpusim import views
from tests.views import handmade, real, trees

OF_RUNS = [
    views.warp_player,
    views.block_mapper,
    views.bank_view,
    views.sector_view,
    views.memory_chart,
    views.timeline,
]


class Run:
    """What a profiled run is to a view."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes

    def warp_report(self):
        return handmade.warp_report(self.lanes)

    def block_report(self):
        return handmade.block_report(((16, 4, 1), self.lanes))

    def bank_report(self):
        return handmade.bank_report(4)

    def sector_report(self):
        return handmade.sector_report(4)

    def memory_chart(self):
        return handmade.memory_chart()

    def schedule_report(self):
        return handmade.schedule_report()

    def timeline(self):
        return real.launched(2).timeline(clocks=40)

    def carveout_report(self):
        return gpusim.explore_carveouts(["V100"])


def outputs(view) -> dict[str, object]:
    return view._repr_mimebundle_()[0]


def test_two_runs_become_two_variants_of_one_player():
    player = views.warp_player(Run(32), Run(64), title="Both widths")
    assert player.report.title == "Both widths"
    assert [variant.lanes for variant in player.report.variants] == [32, 64]


def test_a_run_and_its_report_draw_the_same():
    assert views.block_mapper(Run(32)).report == views.block_mapper(Run(32).block_report()).report


def test_labels_name_the_runs():
    player = views.warp_player(Run(32), Run(32), labels=["sorted", "shuffled"])
    assert [variant.label for variant in player.report.variants] == ["sorted", "shuffled"]


def test_labels_must_be_as_many_as_runs():
    with pytest.raises(ValueError, match="1 labels for 2 runs"):
        views.warp_player(Run(32), Run(64), labels=["only one"])


def test_different_kernels_do_not_share_a_player():
    other = handmade.warp_report()
    other = replace(other, source=replace(other.source, name="double"))
    with pytest.raises(ValueError, match="halve and double are different kernels"):
        views.warp_player(Run(32), other)


@pytest.mark.parametrize("view", OF_RUNS)
def test_nothing_to_draw_is_refused(view):
    with pytest.raises(ValueError, match="pass at least one run"):
        view()


@pytest.mark.parametrize(
    ("view", "report"),
    [(views.bank_view, handmade.bank_report), (views.sector_view, handmade.sector_report)],
)
def test_memory_views_take_runs_and_reports_of_different_kernels(view, report):
    view = view(Run(32), report(1, 2), title="Three strides", labels=["a", "b", "c"])
    assert [variant.label for variant in view.report.variants] == ["a", "b", "c"]
    assert view.report.variants[2].totals == report(2).variants[0].totals
    assert view.report.title == "Three strides"


def test_without_a_title_all_kernels_are_named():
    other = replace(handmade.bank_report(2), title="padded")
    assert views.bank_view(handmade.bank_report(1), handmade.bank_report(4), other).report.title == (
        "Strides, padded"
    )


def test_two_runs_can_open_side_by_side():
    assert views.warp_player(Run(32), Run(32), compare=True).report.compare
    assert views.warp_player(views.warp_player(Run(32), Run(32), compare=True).report).report.compare
    assert "compare" not in views.warp_player(Run(32), Run(32)).report.as_dict()
    with pytest.raises(ValueError, match="compares two runs"):
        views.warp_player(Run(32), compare=True)


def test_an_exploration_and_its_report_draw_the_same():
    explorer = views.schedule_explorer(Run(32), title="Too early")
    assert explorer.report == replace(handmade.schedule_report(), title="Too early")
    assert repr(explorer) == "<schedule_explorer 'Too early': 3 variants>"


def test_a_run_and_a_sweep_draw_the_same_carve_outs():
    explorer = views.carveout_explorer(Run(32), title="One device")
    assert explorer.report == replace(gpusim.explore_carveouts(["V100"]), title="One device")
    assert repr(explorer) == "<carveout_explorer 'One device': 1 variant>"
    with pytest.raises(
        TypeError, match=r"the carve-out explorer draws .* not int: pass what `with gpusim\.profile"
    ):
        views.carveout_explorer(7)


def test_streams_and_what_explore_order_gave_draw_the_happens_before_view():
    streams, accesses = real.streams(events=True), real.accesses()
    assert streams.explore().report == streams.order_report()
    both = views.happens_before(streams, accesses, title="Both levels", labels=["calls", "accesses"])
    assert repr(both) == "<happens_before 'Both levels': 2 variants>"
    with pytest.raises(TypeError, match=r"not int: pass what `run.streams\(\)` gave"):
        views.happens_before(7)


def test_runs_and_their_trees_draw_the_launch_tree():
    run = trees.waiting(1)
    assert views.launch_tree(run).report == run.launch_tree().explore().report == run.growth_report()
    both = views.launch_tree(run, trees.waiting(2).launch_tree(), labels=["CDP1", "CDP2"])
    assert repr(both) == "<launch_tree 'waits, goes_on': 2 variants>"
    with pytest.raises(TypeError, match=r"the launch tree draws profiled runs or their reports, not int"):
        views.launch_tree(7)


def test_what_is_no_exploration_is_refused():
    with pytest.raises(TypeError, match=r"not list: pass what gpusim\.explore_schedules gave"):
        views.schedule_explorer([1])


@pytest.mark.parametrize("view", OF_RUNS)
def test_what_is_no_run_is_refused(view):
    with pytest.raises(TypeError, match=r"not list: pass what `with gpusim\.profile"):
        view([1, 2, 3])


def test_a_run_without_a_trace_is_refused():
    report = handmade.first_changed(handmade.warp_report(), frames=())
    with pytest.raises(ValueError, match="not traced; launch a grid of teaching size"):
        views.warp_player(report)


@pytest.mark.parametrize("view", [*OF_RUNS, views.schedule_explorer, views.carveout_explorer])
def test_the_same_run_gives_the_same_page_every_time(view):
    pytest.importorskip("anywidget")
    first, second = (outputs(view(Run(32))) for _ in range(2))
    assert first["text/html"] == second["text/html"]
    assert first["text/plain"] == second["text/plain"]
    assert "application/vnd.jupyter.widget-view+json" in first


def test_the_representation_holds_no_address():
    assert repr(views.warp_player(Run(32), Run(64))) == "<warp_player 'halve, 40 threads': 2 variants>"


def test_importing_views_loads_nothing_that_draws():
    drawing = {"anywidget", "ipywidgets", "matplotlib", "traitlets"}
    code = f"import sys; from gpusim.views import embed, text; print(sorted({drawing} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


@pytest.mark.skipif(sys.platform == "emscripten", reason="a live page draws widgets of its own")
def test_without_anywidget_the_error_says_what_to_install(monkeypatch):
    for module in [name for name in sys.modules if name.startswith("gpusim.views.widgets")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'gpusim\[widgets\]'.*text\.warp_player"):
        views.warp_player(Run(32))
