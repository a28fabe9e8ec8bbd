"""The tile explorer in a real browser: pushed, it shows what the package counts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

import gpusim
from gpusim.views import embed, text
from tests.hunting import some

REPORT = gpusim.explore_tile()
PHONE = 360


@pytest.fixture
def open_tile(open_fragments):
    def open_tile(report=REPORT, **settings) -> Locator:
        fragment = embed.fragment("tile_explorer", report, text.tile_explorer(report))
        return open_fragments(fragment, **settings).locator(".tile-explorer")

    return open_tile


@pytest.fixture
def tile(open_tile) -> Locator:
    return open_tile()


def push(view: Locator, pitch: str) -> None:
    view.locator(".places span").filter(has_text=re.compile(rf"^{pitch}\d")).click()


PUSHED = """(view) => {
    const box = view.querySelector(".timeline input");
    const number = (bar, name) => Number(bar.style.getPropertyValue(name));
    const text = (selector, place = 0) => view.querySelectorAll(selector)[place].textContent;
    return Array.from({ length: Number(box.max) + 1 }, (_, place) => {
        box.value = place;
        box.dispatchEvent(new Event("input"));
        const bars = [...view.querySelectorAll(".queues > :not(.most)")];
        const highest = Math.max(...bars.map((bar) => number(bar, "--below") + number(bar, "--size")));
        const [said, level] = [".event b", ".most"].map((part) => parseInt(text(part)));
        return [said, level, Number(text(".places small", place)), highest];
    });
}"""


def test_every_pitch_and_the_swizzle_show_what_the_package_counts(tile):
    for index, variant in enumerate(REPORT.variants):
        tile.get_by_role("combobox", name="Element").select_option(index=index)
        counted = [*variant.wavefronts, variant.swizzled]
        assert tile.evaluate(PUSHED) == [[count] * 4 for count in counted]
        tile.get_by_role("combobox", name="A warp reads").select_option(label="a row")
        assert tile.evaluate(PUSHED) == [[variant.width // 4] * 4 for _ in counted]
        tile.get_by_role("combobox", name="A warp reads").select_option(label="a column")


def test_a_conflict_names_two_lanes_and_their_words(tile):
    expect(tile.locator(".event")).to_have_text(
        "32 wavefronts for column 5. Lanes 0–31 want different words of bank 5: "
        "lanes 0 and 1 want words 5 and 37."
    )
    push(tile, "36")
    expect(tile.locator(".event")).to_have_text(
        "4 wavefronts for column 5. Lanes 0, 8, 16, 24 want different words of bank 5: "
        "lanes 0 and 8 want words 5 and 293."
    )
    push(tile, "swizzle")
    expect(tile.locator(".event")).to_have_text("1 wavefront for column 5. No bank is wanted twice.")


def test_the_cells_of_the_column_hold_their_banks(tile):
    cells = tile.locator(".tile .lane")
    assert set(cells.all_inner_texts()) == {"5"}
    push(tile, "33")
    assert cells.all_inner_texts() == [str((5 + row) % 32) for row in range(32)]
    push(tile, "swizzle")
    assert cells.all_inner_texts() == [str(5 ^ row) for row in range(32)]


def test_an_element_under_the_pointer_or_the_cursor_says_who_conflicts(open_tile):
    tile = open_tile(reduced_motion="reduce")  # nothing slides on while it is measured
    grid = tile.get_by_role("slider", name="Element of the tile")
    push(tile, "36")
    box = grid.bounding_box()
    grid.hover(position={"x": box["width"] * 5.5 / 36, "y": box["height"] * 8.5 / 32})
    told = (
        "row 8, column 5: word 293, bank 5; "
        "lane 8 reads it, and so do lanes 0, 16, 24 another word of bank 5: a conflict"
    )
    expect(tile.locator(".event")).to_have_text(f"R{told[1:]}.")
    expect(grid).to_have_attribute("aria-valuetext", told)
    grid.focus()
    tile.page.keyboard.press("ArrowRight")
    expect(grid).to_have_attribute(
        "aria-valuetext", re.compile("column 6: word 294, bank 6; no lane reads it")
    )
    tile.page.keyboard.press("Enter")
    expect(tile.locator(".event b + *, .event")).to_have_text(re.compile("^4 wavefronts for column 6"))
    grid.hover(position={"x": box["width"] * 34.5 / 36, "y": 3})
    expect(grid).to_have_attribute("aria-valuetext", "row 0, column 34: padding, nobody reads it")


def test_rows_slide_and_stand_still_for_readers_who_asked_for_calm(open_tile):
    slides = """(view) => getComputedStyle(view.querySelector(".sliding")).transitionDuration"""
    assert open_tile().evaluate(slides) == "0.25s"
    assert open_tile(reduced_motion="reduce").evaluate(slides) == "0s"


def test_begins_where_the_report_says(open_tile):
    view = open_tile(gpusim.explore_tile(pitch=34, column=7))
    expect(view.locator(".event")).to_contain_text("2 wavefronts for column 7")
    view = open_tile(gpusim.explore_tile(widths=(8,), swizzle=True))
    expect(view.locator(".event")).to_contain_text("2 wavefronts for column 5")
    expect(view.locator(".places [data-now]")).to_have_text(re.compile("^swizzle"))


@pytest.mark.parametrize("width", some([PHONE, 1280], 2))
def test_breaks_no_accessibility_rule_and_fits(open_tile, violations, width):
    view = open_tile(width=width)
    for pitch in ("33", "swizzle"):
        push(view, pitch)
        assert violations(view.page, within=".tile-explorer") == []
    assert view.page.evaluate("document.documentElement.scrollWidth") == width
