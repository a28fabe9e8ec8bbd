"""The memory chart in a real browser: thickness by bytes, numbers by counters, and no label over another."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from gpusim.views import embed, text
from tests.hunting import some
from tests.views import handmade, real

PHONE = 360
BOXES_OF_LABELS = """(view) => {
    const chart = [...view.querySelectorAll(".chart")].find((each) => each.getBoundingClientRect().width);
    return [...chart.querySelectorAll("text")].map((each) => {
        const { left, right, top, bottom } = each.getBoundingClientRect();
        return [each.textContent, left, right, top, bottom];
    });
}"""


@pytest.fixture
def open_chart(open_fragments):
    def open_chart(report=None, **settings) -> Locator:
        report = report or handmade.memory_chart(1, 8)
        fragment = embed.fragment("memory_chart", report, text.memory_chart(report))
        return open_fragments(fragment, **settings).locator(".memory-chart")

    return open_chart


def test_arrows_are_as_thick_as_their_bytes_on_one_scale_for_all_runs(open_chart):
    view = open_chart()
    thickness = """paths => paths.map((path) => {
        const [, top, bottom] = path.getAttribute("d").match(/^M\\S+ (\\S+?)L.*?L.*? (\\S+?)L/);
        return Math.round(10 * (bottom - top)) / 10;
    })"""
    arrows = view.locator(".chart.wide path[data-kind=load]")
    assert set(arrows.evaluate_all(thickness)) == {20 / 8}
    view.get_by_role("combobox", name="Run").select_option(index=1)
    assert set(arrows.evaluate_all(thickness)) == {20}
    assert set(view.locator(".chart.wide path[data-kind=store]").evaluate_all(thickness)) == {1.5}


def test_an_arrow_under_the_pointer_says_what_it_counts(open_chart):
    view = open_chart()
    expect(view.locator(".event")).to_contain_text("The thickest arrow of all runs is 1,024 bytes.")
    view.locator(".chart.wide [data-arrow='4'] text").hover()
    told = "L2, loads: 4 sectors, 128 bytes (l2_load_sectors)"
    expect(view.locator(".event")).to_have_text(f"L1 ← {told}.")
    view.locator(".heading").hover()
    expect(view.locator(".event")).to_contain_text("The thickest arrow")
    assert f"L1 ← {told}" in view.locator(".chart.wide").get_attribute("aria-label")


@pytest.mark.parametrize("width", some([PHONE, 720], 2))
def test_no_label_lies_over_another_or_outside(open_chart, width):
    for report in (handmade.memory_chart(8), *real.reports()["memory_chart"]):
        view = open_chart(report, width=width)
        labels = view.evaluate(BOXES_OF_LABELS)
        assert len(labels) > 8
        for index, (name, left, right, top, bottom) in enumerate(labels):
            assert 0 <= left < right <= width, name
            for other, from_x, to_x, from_y, to_y in labels[:index]:
                apart = right <= from_x or to_x <= left or bottom - 2 <= from_y or to_y <= top + 2
                assert apart, (name, other)


@pytest.mark.parametrize("width", some([PHONE, 1280], 2))
def test_breaks_no_accessibility_rule_and_fits(open_chart, violations, width):
    view = open_chart(real.reports()["memory_chart"][0], width=width)
    assert violations(view.page, within=".memory-chart") == []
    assert view.page.evaluate("document.documentElement.scrollWidth") == width
