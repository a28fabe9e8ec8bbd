"""The launch tree in a real browser: at each step it shows what the report says of each grid, and no more."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

import gpusim
from gpusim.reports.tree_growth import DOING
from gpusim.views import embed, text
from tests.hunting import some
from tests.views import trees

STATES = list(DOING)
BOTH = gpusim.views.launch_tree(trees.waiting(1), trees.waiting(2), labels=["CDP1", "CDP2"]).report


@pytest.fixture
def open_view(open_fragments):
    """The view in a page of its own, from `file://`."""

    def open_view(report, **settings) -> Locator:
        fragment = embed.fragment("launch_tree", report, text.launch_tree(report))
        return open_fragments(fragment, **settings).locator(".launch-tree")

    return open_view


PLAYED = """(view) => {
    const part = ({ dataset, style }) => `${dataset.doing} ${style.width}`;
    const parts = (row) => [...row.querySelectorAll(".heap i")].map(part);
    const found = [];
    view.querySelector("button.first").click();
    for (;;) {
        const rows = view.querySelectorAll(".tree:not([hidden]) .grids > button:not([hidden])");
        found.push([...rows].map((row) => [
            Number(row.dataset.node),
            row.querySelector(".box")?.dataset.doing ?? parts(row),
            row.querySelector("small").textContent,
        ]));
        found.at(-1).unshift(view.querySelector(".event").textContent);
        const step = view.querySelector("button.step");
        if (step.disabled) return found;
        step.click();
    }
}"""


@pytest.mark.parametrize("run", [trees.four, trees.faulting, trees.refused, lambda: trees.of_streams(30)])
def test_at_each_step_every_grid_does_what_the_report_says(open_view, run):
    report = run().growth_report()
    (variant,) = report.variants
    now = [[0] * len(STATES) for _ in variant.nodes]
    played = open_view(report).evaluate(PLAYED)
    assert len(played) == len(variant.steps)
    for step, (said, *rows) in zip(variant.steps, played, strict=True):
        for node, *counts in step.changes:
            now[node] = counts
        assert said == step.says
        assert [row[0] for row in rows] == [node for node, counts in enumerate(now) if sum(counts)]
        for node, shown, _ in rows:
            count = variant.nodes[node].count
            if count == 1:
                assert shown == STATES[now[node].index(1)]
            else:
                parts = [part.split() for part in shown]
                found = {state: float(width.removesuffix("%")) for state, width in parts}
                expected = {s: 100 * n / count for s, n in zip(STATES, now[node], strict=True) if n}
                assert found == pytest.approx(expected, rel=1e-3)


def test_who_is_done_but_has_children_that_are_not_says_so(open_view):
    view = open_view(trees.four().growth_report())
    parent = view.locator("[data-node='0'] small")
    told = []
    view.get_by_role("button", name="First step").click()
    for _ in range(12):
        told.append(parent.inner_text())
        view.get_by_role("button", name="One step forward").click()
    assert told[2:4] == ["runs", "waits for its 4 children"]
    assert told[5:11:2] == ["waits for its 3 children", "waits for its 2 children", "waits for its child"]
    assert parent.inner_text() == "over"


def test_children_that_wait_for_their_own_are_waited_for_too(open_view):
    report = trees.recursive(2).growth_report()
    (variant,) = report.variants
    children = [node for node, one in enumerate(variant.nodes) if one.parent == 0]
    now, waited = [[0] * len(STATES) for _ in variant.nodes], 0
    for step, (_, root, *_rows) in zip(variant.steps, open_view(report).evaluate(PLAYED), strict=True):
        for node, *counts in step.changes:
            now[node] = counts
        if root[1] == "closes":
            does = [STATES[now[child].index(1)] for child in children]
            waiting = sum(each != "over" for each in does)
            few = {0: "its threads have left", 1: "waits for its child"}
            assert root[2] == few.get(waiting, f"waits for its {waiting} children")
            waited += "closes" in does
    assert waited


def test_what_a_grid_waits_for_follows_its_parent_and_its_children(open_view):
    """A child no longer waits for a parent whose threads have left; nobody waits for no children."""
    steps = open_view(trees.four().growth_report()).evaluate(PLAYED)
    told = [tuple(row[2] for row in rows[:2]) for _, *rows in steps]
    assert ("runs", "waits for its parent") in told
    assert ("waits for its 4 children", "waits") in told
    assert ("its threads have left", "over") in told


def test_a_grid_tells_who_launched_it_with_what_and_for_whom_it_waits(open_view):
    view = open_view(trees.four().growth_report())
    panel = view.locator(".verdict")
    assert "Choose a grid" in panel.inner_text()
    view.locator("[data-node='2']").click()
    for part in (
        "child<<<1, 8, 0 bytes, default stream>>>",
        "by thread (1, 0, 0) of block (0, 0, 0) of parent #0",
        "child[1, n](x[i * n : (i + 1) * n], 10 * i)",
        "x: float64[8], from parent's x + 8",
        "k = 10 (int64)",
        "child #1, before it in its stream, is over",
        "parent #0, which is not over before; child #3, behind it in its stream",
        "13 instructions",
    ):
        assert part in panel.inner_text()


def test_many_like_grids_are_opened_page_by_page(open_view):
    view = open_view(trees.many(300).growth_report())
    assert view.locator("[data-node]").count() == 2
    many = view.locator("[data-node='1']")
    assert "child × 300" in many.inner_text()
    many.click()
    panel = view.locator(".verdict")
    assert "child #1 by thread (0, 0, 0) of block (0, 0, 0)" in panel.inner_text()
    panel.get_by_role("button", name="Later").click()
    panel.get_by_role("button", name="#12").click()
    assert "child #12 by thread (0, 0, 0) of block (11, 0, 0)" in panel.inner_text()
    for _ in range(10):
        panel.get_by_role("button", name="Later").click()
    expect(panel.get_by_role("button", name="Later")).to_be_disabled()
    assert "and 204 like these" in panel.inner_text()


def test_two_runs_stand_side_by_side_and_one_alone(open_view):
    view = open_view(BOTH)
    view.get_by_role("button", name="First step").click()
    for step in range(max(len(variant.steps) for variant in BOTH.variants)):
        shown = view.locator(".event").all_inner_texts()
        assert shown == [each.steps[min(step, len(each.steps) - 1)].says for each in BOTH.variants]
        forward = view.get_by_role("button", name="One step forward")
        if forward.is_enabled():
            forward.click()
    view.get_by_role("checkbox", name="side by side").uncheck()
    expect(view.locator(".tree:visible")).to_have_count(1)
    view.get_by_role("combobox", name="Run").select_option("CDP2")
    assert "CDP2" in view.locator(".tree:visible .subtitle").inner_text()


def test_by_keys_and_what_a_screen_reader_hears(open_view):
    view = open_view(trees.four().growth_report())
    first, second = (view.locator(f"[data-node='{node}']") for node in (0, 1))
    first.focus()
    view.page.keyboard.press("ArrowDown")
    expect(second).to_be_focused()
    expect(second).to_have_attribute("aria-pressed", "true")
    assert second.get_attribute("aria-label") == "child #1: over"
    expect(view.locator(".verdict")).to_have_attribute("role", "status")
    assert view.locator("[data-node][tabindex='0']").count() == 1
    view.page.keyboard.press("Home")
    expect(view.locator(".tree-frame").first).to_be_focused()  # the grid is not there yet
    view.page.keyboard.press("ArrowRight")
    assert view.locator(".event").first.inner_text().startswith("parent #0 begins")


def test_colours_follow_the_kernel_or_the_stream(open_view):
    view = open_view(trees.with_tails().growth_report())
    colour = view.get_by_role("combobox", name="Colour by")
    legend = view.get_by_role("list", name="Colours")
    colour.select_option("stream")
    assert [line.strip() for line in legend.inner_text().splitlines()] == [
        "the host's", "default stream", "fire and forget", "tail launch",
    ]  # fmt: skip
    colour.select_option("kernel")
    assert legend.inner_text().split() == ["tails", "child"]


def test_two_thousand_grids_do_not_stall_the_page(open_view):
    report = trees.recursive(9).growth_report()
    assert len(report.variants[0].nodes) == 1023
    view = open_view(report)
    slowest = view.evaluate(
        """(view) => {
            const box = view.querySelector(".timeline input"), times = [];
            for (let step = 0; step <= box.max; step += 20) {
                const begun = performance.now();
                box.value = step;
                box.dispatchEvent(new Event("input", { bubbles: true }));
                times.push(performance.now() - begun);
            }
            return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
        }"""
    )
    assert slowest < 400, "milliseconds a step, on a busy computer"


@pytest.mark.parametrize("width", some([1280, 390], 2))
@pytest.mark.parametrize("which", ["both", "streams", "refused"])
def test_it_breaks_no_accessibility_rule_and_fits(open_view, violations, width, which):
    report = {
        "both": lambda: BOTH,
        "streams": lambda: trees.of_streams(60).growth_report(),
        "refused": lambda: trees.refused().growth_report(),
    }[which]()
    view = open_view(report, width=width)
    view.locator("[data-node='1']").first.click()
    view.page.mouse.move(0, 0)
    assert violations(view.page, ".launch-tree") == []
    assert view.page.evaluate("document.documentElement.scrollWidth") == width


def test_without_scripts_the_still_stands_there(open_view):
    page = open_view(trees.four().growth_report(), java_script_enabled=False).page
    expect(page.locator("pre")).to_contain_text(
        "child #2<<<1, 8, 0 bytes, default stream>>> by thread (1, 0, 0)"
    )
    expect(page.locator("pre")).to_contain_text("13. parent #0 is over: all that it launched is over.")
