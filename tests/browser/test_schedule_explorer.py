"""The schedule explorer in a real browser: two schedules, step by step, and where they part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

import gpusim
from gpusim import cuda
from gpusim.views import embed, text
from tests.hunting import some
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
    instructions: [...[...stage.closest(".gpusim").querySelectorAll(".instructions")]
        .at([...stage.parentNode.children].indexOf(stage)).children].map((row) => row.textContent),
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
        "outcome 1 A 5 × x = [10, 20, 30, 0]",
        "outcome 2 B 2 × x[0]: -1, not 10; x[1]: -1, not 20; x[2]: -1, not 30",
        "outcome 3 1 × OutOfBounds: made up for the picture",
    ]
    choose(explorer, "A", 2)
    assert "A" in rows.nth(2).inner_text()


def test_both_sides_reach_the_first_difference_together(explorer):
    choose(explorer, "B", 2)
    assert shown(explorer, 0)["event"] == "Not yet begun."
    press(explorer, "Go to the first difference")
    first, second = shown(explorer, 0), shown(explorer, 1)
    assert first["event"] == "Lanes 0–3 run line 6."
    written = "which thread 2 wrote in step 1 (line 5)"
    assert first["found"] == f"First difference: thread 1 reads 20 from s[2], {written}."
    assert second["event"] == "Lane 1 runs line 6."
    assert second["found"] == "First difference: thread 1 reads -1 from s[2], where nobody had written."
    expect(explorer.locator(".counter")).to_have_text("A 2 of 2 · B 3 of 5")


def test_the_culprit_is_named_where_the_first_difference_is_found(explorer):
    """No sooner: finding it is what the explorer is for."""
    culprit = explorer.get_by_role("button", name="Go to the culprit")
    assert "before thread" not in explorer.inner_text()
    expect(culprit).to_be_hidden()
    press(explorer, "Go to the first difference")
    why = "thread 0 read s[1] in step 2, before thread 1 wrote it in step 3 (line 5)."
    expect(explorer.locator(".reason")).to_have_text(f"In B, {why}")
    cells = explorer.locator(".cells [data-culprit]")
    assert [cell.get_attribute("title") for cell in cells.all()] == ["s[1]", "s[1]"]
    writer = explorer.locator(".stage").first.locator(".recent [data-culprit]")
    assert writer.inner_text().split() == ["1", "line", "5"]
    culprit.click()
    assert shown(explorer, 1)["event"] == "Lane 1 runs line 5."
    assert shown(explorer, 1)["found"] == "Too late for thread 0: it read s[1] in step 2."
    assert explorer.locator(".stage").nth(1).locator(".cells [data-culprit]").get_attribute("title") == "s[1]"
    expect(explorer.locator(".strip path[data-state=b]")).to_have_count(2)


def test_swapped_sides_blame_the_same_schedule(explorer):
    choose(explorer, "A", 1)
    choose(explorer, "B", 0)
    press(explorer, "Go to the first difference")
    expect(explorer.locator(".reason")).to_contain_text("In A, thread 0 read s[1] in step 2, before thread 1")
    press(explorer, "Go to the culprit")
    assert shown(explorer, 0)["event"] == "Lane 1 runs line 5."


def test_a_side_that_is_shifted_says_why(explorer):
    choose(explorer, "B", 2)
    assert (
        shown(explorer, 0)["found"]
        == "Shifted by 1 step, so that the first difference of both stands in one column."
    )
    expect(explorer.locator(".controls .subtitle")).to_contain_text(
        "shifted so that the first difference stands"
    )


def test_wrong_bits_are_marked(open_explorer):
    found = gpusim.explore_schedules(
        rotate[1, 32], np.arange(32, dtype=np.int32), schedules=8, in_hexadecimal=["x"]
    )
    explorer = open_explorer(found.schedule_report())
    outcome = next(outcome for outcome in found.outcomes if outcome.differences)
    difference = outcome.differences[0]
    row = explorer.locator(".outcomes li", has=explorer.page.get_by_title("Shown as B"))
    value = row.locator("summary > span").first
    expect(value).to_contain_text(f"{difference.here[0]}, not {difference.there[0]}")
    wrong = "".join(h for h, t in zip(difference.here[0], difference.there[0], strict=True) if h != t)
    assert "".join(value.locator("mark").all_inner_texts()) == wrong


def test_no_outcome_is_cut(open_explorer):
    report = real_report()
    explorer = open_explorer(report)
    everything = explorer.locator(".outcomes li").all_text_contents()
    assert len(everything) == len(report.exploration.outcomes)
    for each in (each for outcome in report.exploration.outcomes for each in outcome.differences):
        for (element,), here, there in zip(each.elements, each.here, each.there, strict=True):
            assert any(f"{each.argument}[{element}]: {here}, not {there}" in row for row in everything)


def test_it_fits_a_screen(open_explorer):
    for report in (REPORT, real_report()):
        explorer = open_explorer(report)
        explorer.page.set_viewport_size({"width": 720, "height": 800})  # as wide as a page's column
        for _ in range(2):
            assert explorer.bounding_box()["height"] <= 700
            press(explorer, "Go to the first difference")


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
    assert shown(explorer, 0)["event"] == "Finished: outcome 1."


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
    for key, a, b in [("ArrowRight", 2, 2), ("End", 2, 8), ("ArrowLeft", 2, 7), ("Home", 1, 1)]:
        keyboard.press(key)
        expect(explorer.locator(".counter")).to_have_text(f"A {a} of 2 · B {b} of 8")
    explorer.get_by_role("combobox", name="Speed", exact=True).select_option("8×")
    press(explorer, "Play")
    expect(explorer.locator(".counter")).to_have_text("A 2 of 2 · B 8 of 8")


def test_one_schedule_alone_is_shown_alone(open_explorer):
    alone = replace(REPORT, variants=REPORT.variants[:1], differences=())
    explorer = open_explorer(alone)
    assert explorer.locator(".stage").count() == 1
    press(explorer, "Last step")
    expect(explorer.locator(".counter")).to_have_text("A 2 of 2")


@pytest.mark.parametrize("width", some([PHONE, 1280], 2))
def test_breaks_no_accessibility_rule(open_explorer, violations, width):
    for report in (REPORT, real_report()):
        explorer = open_explorer(report, width=width)
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
