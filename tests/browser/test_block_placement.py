"""The block placement in a real browser: each step in a sentence, what is pushed as the package has it."""

from __future__ import annotations

import random

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

import gpusim
from gpusim.reports.placement import PlacedBlock, Placement
from gpusim.timing.placement import placed
from gpusim.views import embed, text
from tests.hunting import some
from tests.views import real

REPORT = gpusim.explore_placement()
GRID, SIZE = "Blocks in the grid, and turns until all are over", "Threads per block, and blocks that fit on a"
PHONE = 390


@pytest.fixture
def open_placement(open_fragments):
    def open_placement(report=REPORT, **settings) -> Locator:
        fragment = embed.fragment("block_placement", report, text.block_placement(report))
        return open_fragments(fragment, **settings).locator(".block-placement")

    return open_placement


STEPS = """(view) => {
    const press = (name) => view.querySelector(`button.${name}`), said = [];
    const hear = () => said.push(view.querySelector(".event").textContent);
    press("first").click();
    for (hear(); !press("step").disabled; hear()) press("step").click();
    return said;
}"""
BLOCKS = """(view) => [...view.querySelectorAll(".floor > div")].flatMap((column, index) =>
    [...column.querySelectorAll("span")].map((block) => [+block.title.match(/\\d+/)[0], index,
        ...["top", "height", "left"].map((name) => parseFloat(block.style[name]) / 100)]))"""
PUSH = """(view, asked) => {
    const [sliders, boxes] = [".pushed input", ".choices select"].map((each) => view.querySelectorAll(each));
    const put = (control, name, to, type) => { control[name] = to; control.dispatchEvent(new Event(type)); };
    asked.slice(0, 2).forEach((to, at) => put(boxes[at], "selectedIndex", to, "change"));
    asked.slice(2).forEach((to, at) => put(sliders[at], "value", to, "input"));
}"""


def test_ten_blocks_on_four_multiprocessors_are_told_one_by_one(open_placement):
    said = open_placement(reduced_motion="reduce").evaluate(STEPS)
    assert len(said) == 11
    assert said[0] == (
        "At the start: Block 0 starts on multiprocessor 0, which has none yet. "
        "Each multiprocessor gets one before any gets a second."
    )
    assert said[3].endswith("Next is block 4, on multiprocessor 0: none has more room.")
    assert said[7].endswith(
        "Block 7 starts on multiprocessor 3, beside block 3. All 8 places are taken: blocks 8 and 9 wait."
    )
    assert said[8:] == [
        "After 1 turn: Block 8 starts on multiprocessor 0, where block 0 has left: "
        "2 blocks for 4 multiprocessors leave 2 idle.",
        "After 1 turn: Block 9 starts on multiprocessor 1, where block 1 has left: "
        "nobody waits any more, and multiprocessors 2 and 3 idle.",
        "After 2 turns: Blocks 8 and 9 leave multiprocessors 0 and 1: the grid is over. In the tail, the "
        "last 50 % of the time, multiprocessors had no block for 50 % of their time, and 75 % of the places "
        "were free.",
    ]


def test_two_blocks_on_four_multiprocessors_leave_two_idle(open_placement):
    view = open_placement(gpusim.explore_placement(blocks=2, threads=640, multiprocessors=[4]))
    assert view.evaluate(STEPS)[0].endswith(
        "which has none yet: 2 blocks for 4 multiprocessors leave 2 idle."
    )


def test_whatever_is_pushed_lies_where_the_package_puts_it(open_placement):
    view, chance = open_placement(reduced_motion="reduce"), random.Random(4)
    for _ in range(8):
        device, pattern = chance.randrange(2), chance.randrange(2)
        variant, (_, turns) = REPORT.variants[device], REPORT.turns[pattern]
        grid, size = chance.randrange(len(variant.grids)), chance.randrange(len(variant.sizes))
        view.evaluate(PUSH, [device, pattern, grid, size])
        threads, blocks = variant.sizes[size], variant.grids[grid]
        resident = gpusim.occupancy("H200", threads=threads, registers_per_thread=32).blocks
        times = np.array([turns[block % len(turns)] for block in range(blocks)])
        stays = placed(times, resident, 1.0, variant.placement.multiprocessors, resident)
        end, drawn = max(stay.end for stay in stays), sorted(view.evaluate(BLOCKS))
        assert [each[0] for each in drawn] == list(range(blocks))
        for (_, index, start, long, left), stay in zip(drawn, stays, strict=True):
            assert index == stay.multiprocessor
            assert [start, long] == pytest.approx([stay.start / end, (stay.end - stay.start) / end])
            assert 0 <= left < 1
        places = [(index, left, start) for _, index, start, _, left in drawn]
        assert len(set(places)) == blocks  # no two in one place at a time
        assert f"{blocks:,} block" in view.locator(".subtitle", has_text="at once").text_content()


def test_a_run_is_shown_as_it_was(open_placement):
    found = real.launched(4).placement()
    view = open_placement(gpusim.explore_placement({"a": found, "b": real.launched(1)}, title="Runs"))
    expect(view.get_by_role("slider", name=GRID)).to_be_hidden()
    (stay,) = found.placed
    assert view.evaluate(BLOCKS)[0] == [stay.block, stay.multiprocessor, 0, 1, 0]
    over = f"{stay.end:,.1f}".removesuffix(".0")
    assert view.evaluate(STEPS)[-1].startswith(
        f"After {over} clocks: Block 0 leaves multiprocessor 0: the grid"
    )


def test_a_kernel_that_reads_its_multiprocessor_waits_for_it(open_placement):
    """Blocks 0 to 2 of one place each: the third waits for multiprocessor 0 while 1 is free."""
    stays = (PlacedBlock(0, 0, 0, 3, 1), PlacedBlock(1, 1, 0, 1, 1), PlacedBlock(2, 0, 3, 4, 2))
    found = Placement("H200", 2, 1, 3, 32, 2, "clock", 4, 3, 0.5, 0.5, stays, (0, 1), in_turn=True)
    view = open_placement(gpusim.explore_placement({"reads": found}))
    expect(view.get_by_text("each block waits for its own multiprocessor")).to_be_visible()
    said = view.evaluate(STEPS)
    assert said[2] == (
        "After 1 clock: Block 1 leaves multiprocessor 1. Block 2 waits for multiprocessor 0, its own, "
        "which is full."
    )


def test_keys_play_it_and_push_it(open_placement):
    view = open_placement(reduced_motion="reduce")
    view.locator(".floors").click()
    view.press("ArrowRight")
    expect(view.locator(".counter")).to_have_text("step 2 of 11")
    view.press("End")
    expect(view.locator(".counter")).to_have_text("step 11 of 11")
    slider = view.get_by_role("slider", name=GRID)
    slider.press("ArrowLeft")
    slider.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", "8: 1")
    expect(view.locator(".event")).to_contain_text("All places were taken to the end: there was no tail.")
    view.get_by_role("slider", name=SIZE).press("Home")
    expect(view.get_by_role("slider", name=SIZE)).to_have_attribute("aria-valuetext", "256: 8")


# how many animations have begun, and may have ended by now
COUNTED = """() => { window.fallen = 0; const animate = Element.prototype.animate;
    Element.prototype.animate = function (...given) {
        window.fallen += 1; return animate.apply(this, given); } }"""


@pytest.mark.parametrize(("motion", "falling"), [("no-preference", 1), ("reduce", 0)])
def test_blocks_fall_unless_the_reader_asked_for_calm(open_placement, motion, falling):
    view = open_placement(reduced_motion=motion)
    view.evaluate(COUNTED)
    view.get_by_role("button", name="One step forward", exact=True).click()
    assert view.evaluate("() => window.fallen") == falling


@pytest.mark.parametrize("width", some([PHONE, 1280], 2))
def test_it_breaks_no_accessibility_rule_and_fits(open_placement, violations, width):
    view = open_placement(width=width, reduced_motion="reduce")
    for asked in ((0, 0, 9, 5), (1, 1, 6, 5)):
        view.evaluate(PUSH, asked)
        assert violations(view.page, ".block-placement") == []
        assert view.page.evaluate("document.documentElement.scrollWidth") == width
        assert width == PHONE or view.bounding_box()["height"] <= 600


def test_without_scripts_the_still_stands_there(open_placement):
    page = open_placement(java_script_enabled=False).page
    expect(page.locator("pre")).to_contain_text("0: blocks 0 (0–1), 4 (0–1), 8 (1–2)")
