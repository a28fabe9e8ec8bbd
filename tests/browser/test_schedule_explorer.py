"""The schedule explorer in a real browser: two schedules, step by step, and where they part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

import gpusim
from gpusim import cuda
from gpusim.views import embed, text
from tests.views import handmade

REPORT = handmade.schedule_report()
PHONE = 360


@cuda.jit
def rotate(x):
    s = cuda.shared.array(32, np.int32)
    i = cuda.threadIdx.x
    s[i] = x[i]
    following = s[(i + 1) % 32]
    s[i] = following
    x[i] = s[i]


@pytest.fixture
def open_explorer(open_fragments):
    def open_explorer(report=REPORT, **settings) -> Locator:
        fragment = embed.fragment("schedule_explorer", report, text.schedule_explorer(report))
        return open_fragments(fragment, **settings).locator(".schedule-explorer")

    return open_explorer


@pytest.fixture
def explorer(open_explorer) -> Locator:
    return open_explorer()


def press(view: Locator, name: str) -> None:
    view.get_by_role("button", name=name, exact=True).click()


def choose(view: Locator, side: str, index: int) -> None:
    view.get_by_role("combobox", name=f"Schedule {side}", exact=True).select_option(index=index)


SHOWN = """(stage) => ({
    event: stage.querySelector(".event").textContent,
    found: stage.querySelector(".so-far").textContent,
    memory: [...stage.querySelectorAll(".arrays > div")].map((array) => [
        array.querySelector("b").textContent,
        [...array.querySelectorAll(".cells > :not(.number)")].map((cell) => cell.textContent),
    ]),
    instructions: [...stage.querySelectorAll(".instructions li")].map((row) => row.textContent),
})"""


def shown(explorer: Locator, side: int):
    """What a side shows now."""
    return explorer.locator(".stage").nth(side).evaluate(SHOWN)


def memory_after(variant, steps: int):
    """The arrays' contents after so many steps, as the report tells them."""
    arrays = {array["name"]: list(array["initial"]) for array in variant["memory"]}
    for step in variant["steps"][:steps]:
        for name, pairs in step["writes"].items():
            for element, value in pairs:
                arrays[name][element] = value
    return [[name, [value or "·" for value in values]] for name, values in arrays.items()]


def real_report():
    found = gpusim.explore_schedules(rotate[1, 32], np.arange(32, dtype=np.int32), schedules=8)
    return found.schedule_report()


@pytest.mark.parametrize("make_report", [lambda: REPORT, real_report], ids=["handmade", "real runs"])
def test_every_step_shows_what_the_report_says(open_explorer, make_report):
    report = make_report()
    explorer, report = open_explorer(report), report.as_dict()
    choose(explorer, "A", 1)
    choose(explorer, "B", 1)  # the same on both sides: nothing differs, and both begin at once
    variant = report["variants"][1]
    for number, step in enumerate(variant["steps"]):
        part = report["parts"][step["part"]]
        for side in range(2):
            now = shown(explorer, side)
            assert now["event"].endswith(f"line {part['line']}.")
            assert now["instructions"] == part["instructions"]
            assert now["memory"] == memory_after(variant, number + 1)
        if number < len(variant["steps"]) - 1:
            press(explorer, "One step forward")
    expect(explorer.get_by_role("button", name="One step forward")).to_be_disabled()


def test_outcomes_are_listed_with_their_counts_and_sides(explorer):
    rows = explorer.locator(".outcomes li")
    assert [" ".join(row.split()) for row in rows.all_inner_texts()] == [
        "1 A 5 × x = [10, 20, 30, 0]",
        "2 B 2 × x[0]: -1, not 10; x[1]: -1, not 20; x[2]: -1, not 30",
        "3 1 × OutOfBounds: made up for the picture",
    ]
    choose(explorer, "A", 2)
    assert "A" in rows.nth(2).inner_text()


def test_both_sides_reach_the_first_difference_together(explorer):
    choose(explorer, "B", 2)
    assert shown(explorer, 0)["event"] == "Not yet begun."
    press(explorer, "Go to the first difference")
    first, second = shown(explorer, 0), shown(explorer, 1)
    assert first["event"] == "Lanes 0–3 run line 6."
    assert first["found"] == "First difference: thread 1 reads 20 from s[2]."
    assert second["event"] == "Lane 1 runs line 6."
    assert second["found"] == "First difference: thread 1 reads -1 from s[2]."
    expect(explorer.locator(".counter")).to_have_text("step 3 of 5")


@pytest.mark.parametrize("late", [1, 2, 4])
def test_a_side_that_has_not_begun_shows_how_it_begins(open_explorer, late):
    """The quicker side waits for `late` steps: nobody has run, and memory holds what it held at first."""
    first = replace(REPORT.differences[0], steps=(1, 1 + late))
    explorer = open_explorer(replace(REPORT, differences=(first, *REPORT.differences[1:])))
    side, variant = shown(explorer, 0), REPORT.as_dict()["variants"][0]
    assert side["event"] == "Not yet begun."
    assert side["memory"] == memory_after(variant, 0)
    assert side["instructions"] == []
    assert explorer.locator(".stage").first.locator(".recent li").count() == 0
    for _ in range(late):
        press(explorer, "One step forward")
    assert shown(explorer, 0)["memory"] == memory_after(variant, 1)


def test_swapped_sides_show_the_same_difference(explorer):
    choose(explorer, "A", 1)
    choose(explorer, "B", 0)
    press(explorer, "Go to the first difference")
    assert "reads -1 from s[1]" in shown(explorer, 0)["found"]
    assert "reads 10 from s[1]" in shown(explorer, 1)["found"]


def test_equal_sides_have_no_difference_to_go_to(explorer):
    choose(explorer, "B", 0)
    expect(explorer.get_by_role("button", name="Go to the first difference")).to_be_hidden()
    expect(explorer.get_by_text("No thread saw anything different.")).to_be_visible()


def test_after_the_last_step_the_outcome_is_told(explorer):
    press(explorer, "Last step")
    assert shown(explorer, 0)["event"] == "Finished; outcome 1: x = [10, 20, 30, 0]."


def test_memory_is_read_out_and_marked(explorer):
    press(explorer, "Go to the first difference")
    shared = explorer.locator(".stage").nth(1).get_by_role("img").nth(1)
    expect(shared).to_have_attribute(
        "aria-label",
        "s holds 0, nothing yet, nothing yet, nothing yet; elements read now: 1; written now: none",
    )
    assert shared.locator("[data-read]").count() == 1
    assert explorer.locator(".stage").nth(0).locator("[data-written]").count() == 4


def test_the_source_shows_both_sides(explorer):
    press(explorer, "Go to the first difference")
    marks = explorer.locator(".source li:has(.lane)")
    assert [" ".join(mark.split()) for mark in marks.all_inner_texts()] == ["4 1 6 x[i] = s[(i + 1) % 4]"]


def test_it_plays_and_obeys_the_keyboard(explorer):
    explorer.get_by_role("slider").focus()
    keyboard = explorer.page.keyboard
    for key, step in [("ArrowRight", 2), ("End", 8), ("ArrowLeft", 7), ("Home", 1)]:
        keyboard.press(key)
        expect(explorer.locator(".counter")).to_have_text(f"step {step} of 8")
    explorer.get_by_role("combobox", name="Speed", exact=True).select_option("8×")
    press(explorer, "Play")
    expect(explorer.locator(".counter")).to_have_text("step 8 of 8")


def test_one_schedule_alone_is_shown_alone(open_explorer):
    alone = replace(REPORT, variants=REPORT.variants[:1], differences=())
    explorer = open_explorer(alone)
    assert explorer.locator(".stage").count() == 1
    press(explorer, "Last step")
    expect(explorer.locator(".counter")).to_have_text("step 2 of 2")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, 1280])
def test_breaks_no_accessibility_rule(open_explorer, violations, theme, width):
    for report in (REPORT, real_report()):
        explorer = open_explorer(report, theme=theme, width=width)
        assert violations(explorer.page, within=".schedule-explorer") == []
        press(explorer, "Go to the first difference")
        assert violations(explorer.page, within=".schedule-explorer") == []


def test_fits_a_phone(open_explorer):
    for report in (REPORT, real_report()):
        page = open_explorer(report, width=PHONE).page
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE


def test_without_scripts_the_still_is_there(open_fragments):
    page = open_fragments(
        embed.fragment("schedule_explorer", REPORT, text.schedule_explorer(REPORT)), java_script_enabled=False
    )
    expect(page.locator("pre")).to_contain_text("thread 0 reads 10 from s[1]")
