"""The visibility view in a real browser: reads see what the package says, whatever is removed."""

from __future__ import annotations

from itertools import chain, combinations

import pytest
from playwright.sync_api import Locator, expect

from gpusim.views import embed, text
from tests.views import real

CDP1, CDP2 = real.seen(1), real.seen()


@pytest.fixture
def open_view(open_fragments):
    """The view in a page of its own, from `file://`."""

    def open_view(report=CDP1, **settings) -> Locator:
        fragment = embed.fragment("visibility_view", report, text.visibility_view(report))
        return open_fragments(fragment, **settings).locator(".visibility")

    return open_view


def unsure(view: Locator) -> list[int]:
    return view.locator("[data-unsure]").evaluate_all("(all) => all.map((each) => +each.dataset.box)")


@pytest.mark.parametrize("report", [CDP1, CDP2], ids=["CDP1", "CDP2"])
def test_the_reads_that_lose_their_guarantee_are_those_of_the_package(open_view, report):
    view, numbers = open_view(report), range(len(report.guards))
    buttons, pressed = view.locator(".guards button"), set[int]()
    for some in chain.from_iterable(combinations(numbers, size) for size in (0, 1, 2)):
        for guard in pressed ^ set(some):
            buttons.nth(guard).click()
        pressed = set(some)
        assert unsure(view) == [read.box for read in report.without(*some) if not read.certain]


def test_a_barrier_taken_away_is_told_and_shown_and_comes_back(open_view):
    view = open_view()
    expect(view.locator(".verdict")).to_contain_text("Each read has its guarantee.")
    view.locator(".chip[data-kind=barrier]").first.click()
    childs, own = CDP1.rows[4].line, CDP1.rows[9].line
    expect(view.locator(".verdict")).to_contain_text(
        f"6 reads without a guarantee, in lines {childs}, {own}. Without the barrier at line"
    )
    expect(view.locator(".guards button").first).to_have_attribute("aria-pressed", "true")
    expect(view.locator(".event")).to_contain_text("may see the write of data[1] by thread 1 of whole")
    view.get_by_role("slider").fill("9")
    expect(view.locator(".event")).to_contain_text("nothing says which comes last")
    view.locator(".chip[data-kind=barrier]").first.click()
    expect(view.locator(".verdict")).to_contain_text("Each read has its guarantee.")


def test_what_is_taken_away_shows_the_first_read_that_loses_by_it(open_view):
    """The child's reads lose by the first barrier; by the second, only the parent's, later."""
    view = open_view()
    for barrier, step in ((0, 5), (-1, 10)):
        view.locator(".guards button").nth(barrier).click()
        expect(view.locator(".counter")).to_have_text(f"step {step} of {len(CDP1.rows)}")
    view.locator(".guards button").first.click()
    expect(view.locator(".counter")).to_have_text(f"step 10 of {len(CDP1.rows)}")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_verdict_is_never_cut_off(open_view, width):
    view = open_view(width=width)
    for button in view.locator(".guards button").all():
        button.click()
        assert view.locator(".verdict").evaluate("(box) => box.scrollHeight <= box.clientHeight")


def test_it_is_played_by_keyboard_and_each_step_says_what_and_what_next(open_view):
    view = open_view()
    view.locator("input[type=range]").focus()
    view.page.keyboard.press("Home")
    expect(view.locator(".moment[data-later]")).to_have_count(len(CDP1.rows) - 1)
    said = view.locator(".event")
    for row in CDP1.rows[:-1]:
        expect(said).to_contain_text(row.says)
        expect(said).to_contain_text("Next: ")
        view.page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("is over: the host sees all")


@pytest.mark.parametrize("width", [1280, 390])
def test_it_breaks_no_accessibility_rule_and_fits(open_view, violations, width):
    for report in (CDP1, CDP2):
        view = open_view(report, width=width)
        view.locator(".guards button").first.click()
        for step in ("First step", "Last step"):
            view.get_by_role("button", name=step).click()
            view.page.mouse.move(0, 0)
            assert violations(view.page, ".visibility") == []
        assert view.page.evaluate("document.documentElement.scrollWidth") == width
