"""The roofline in a real browser: points where their numbers say, by mouse and keys, for all readers."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from gpusim.views import embed, text
from tests.hunting import some
from tests.views import handmade, real

PHONE = 360
# the points and roofs of the chart that is seen
CENTRES = """(view) => [...view.querySelectorAll(".chart")]
    .filter((each) => each.getBoundingClientRect().width)
    .flatMap((chart) => [...chart.querySelectorAll(".point")].map((each) => {
        const { left, right, top, bottom } = each.querySelector("circle").getBoundingClientRect();
        return [each.textContent, (left + right) / 2, (top + bottom) / 2];
    }).sort())"""


@pytest.fixture
def open_roofline(open_fragments):
    def open_roofline(report=None, **settings) -> Locator:
        report = report or handmade.roofline_report()
        fragment = embed.fragment("roofline", report, text.roofline(report))
        settings = {"reduced_motion": "reduce", **settings}
        return open_fragments(fragment, **settings).locator(".roofline")

    return open_roofline


def test_the_first_run_is_told_and_others_by_their_buttons_and_arrow_keys(open_roofline):
    view = open_roofline()
    expect(view.locator(".event")).to_have_text("1 kernel 0: 1e+12 of 4e+12 by DRAM.")
    expect(view.locator(".so-far")).to_have_text("Bound by latency.")
    view.get_by_role("button", name="2 kernel 1").click()
    expect(view.locator(".event")).to_have_text("2 kernel 1: It computes no floats; of DRAM it moves 1 TB/s.")
    view.page.keyboard.press("ArrowRight")
    expect(view.get_by_role("button", name="1 kernel 0")).to_be_focused()
    expect(view.get_by_role("button", name="1 kernel 0")).to_have_attribute("aria-pressed", "true")


def test_a_point_under_the_pointer_is_told(open_roofline):
    view = open_roofline(handmade.roofline_report(1e12, 3e12))
    view.locator(".wide .point", has_text="2").hover()
    expect(view.locator(".event")).to_contain_text("2 kernel 1")


def test_the_level_of_memory_is_chosen(open_roofline):
    view = open_roofline()
    view.get_by_role("combobox", name="Bytes of").select_option("L2")
    expect(view.locator(".event")).to_have_text("1 kernel 0: 1e+12 of 8e+12 by L2.")
    expect(view.locator(".wide .roofs .chosen .along")).to_have_text("L2 8")


def test_another_devices_roofs_are_drawn_beside(open_roofline):
    view = open_roofline()
    expect(view.locator(".wide .other")).to_have_count(0)
    view.get_by_role("combobox", name="Roofs beside").select_option("large")
    expect(view.locator(".wide .other text")).to_have_text(["large: 4", "large: FP32 64"])


@pytest.mark.parametrize("width", some([PHONE, 1280], 2))
def test_points_lie_by_powers_of_ten(open_roofline, width):
    """Of three kernels with one operation per byte, each computes ten times as much as the last."""
    view = open_roofline(handmade.roofline_report(1e11, 1e12, 1e13), width=width)
    (_, x0, y0), (_, x1, y1), (_, x2, y2) = view.evaluate(CENTRES)
    assert x0 == pytest.approx(x1) == pytest.approx(x2)
    assert y0 - y1 == pytest.approx(y1 - y2, abs=0.5)
    assert y0 > y1


@pytest.mark.parametrize("width", some([PHONE, 1280], 2))
def test_breaks_no_accessibility_rule_and_fits(open_roofline, violations, width):
    for report in real.reports()["roofline"]:
        view = open_roofline(report, width=width)
        assert violations(view.page, within=".roofline") == []
        assert view.page.evaluate("document.documentElement.scrollWidth") == width
        box = view.bounding_box()
        for _, x, y in view.evaluate(CENTRES):
            assert box["x"] < x < box["x"] + box["width"]
            assert box["y"] < y < box["y"] + box["height"]


def test_points_slide_unless_motion_is_unwanted(open_roofline):
    takes = "point => getComputedStyle(point).transitionDuration"
    for motion, duration in (("no-preference", "0.25s"), ("reduce", "0s")):
        view = open_roofline(reduced_motion=motion)
        assert view.locator(".wide .point").first.evaluate(takes) == duration
