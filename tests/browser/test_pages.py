"""Every page of the book: with no network, over http and from the file system, light and dark, on a phone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from sphinx_external_toc.parsing import parse_toc_yaml

from tests.browser.conftest import ANSWER
from tests.hunting import some
from tests.test_book import IN_BOTH_LANGUAGES

TOC = Path(__file__).resolve().parents[2] / "_toc.yml"
PAGES = [f"{document}.html" for document in parse_toc_yaml(TOC)]

PAGES_AND_SEARCH = [*PAGES, "search.html"]
# they have sliders or arrows, which their own tests move and meet
# broken by the theme and by tables, never seriously
NOT_OF_VIEWS = ("region (moderate)", "landmark-unique (moderate)", "empty-table-header (minor)")
NOT_PLAYED = (
    "carveout_explorer",
    "limits_explorer",
    "memory_chart",
    "occupancy_explorer",
    "roofline",
    "prediction",
    "stride_explorer",
    "tile_explorer",
)
# a view in a folded solution is there when a reader opens it
UNFOLD = "for (const each of document.querySelectorAll('details:has([data-gpusim-view])')) each.open = true"


def play(page: Page) -> None:
    """Every view of the page is drawn; those that play make a step."""
    page.evaluate(ANSWER)
    page.evaluate(UNFOLD)
    for place in page.locator("[data-gpusim-view]").all():
        view = place.locator(".gpusim")
        expect(view).to_be_visible()
        if place.get_attribute("data-gpusim-view") in NOT_PLAYED:
            continue
        if view.locator(".counter").text_content() == "step 1 of 1":  # what moves at once
            continue
        to_start = view.get_by_role("button", name="First step", exact=True)
        if to_start.is_enabled():  # an order is shown whole at first
            to_start.click()
        view.get_by_role("button", name="One step forward", exact=True).click()
        expect(view.locator(".counter")).to_contain_text(re.compile(r"\b2 of"))  # of A or of B


@pytest.mark.parametrize("path", some(PAGES_AND_SEARCH, 6))
def test_plays_with_no_error_and_no_outside_request_and_breaks_no_accessibility_rule(
    open_page, violations, site, path
):
    visit = open_page(f"{site}/{path}", reduced_motion="reduce")
    assert visit.page.locator("main").first.inner_text().strip()
    play(visit.page)
    assert visit.outside_requests == []
    assert visit.console_errors == []
    found = violations(visit.page)
    assert [each for each in found if not any(rule in each for rule in NOT_OF_VIEWS)] == []


@pytest.mark.parametrize("path", some(PAGES_AND_SEARCH, 3, first=1))
def test_plays_from_a_file_and_fits_a_phone(open_page, book, path):
    visit = open_page(book / path, width=360, height=740)
    assert visit.page.locator("main").first.inner_text().strip()
    play(visit.page)
    assert visit.outside_requests == []
    assert visit.console_errors == []
    wide = visit.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"the page is {wide} pixels wider than the screen"


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_follows_the_readers_colour_scheme(open_page, site, color_scheme):
    page = open_page(f"{site}/book/introduction.html", color_scheme=color_scheme).page
    assert page.locator("html").get_attribute("data-theme") == color_scheme


def test_a_chapter_has_slides_that_hold_its_views_and_figures(open_page, site):
    page = open_page(f"{site}/book/scaling.html").page
    whole = page.locator("[data-gpusim-view]:not(details *), figure:not(details *)").count()
    page.get_by_role("link", name="Show as slides").click()
    number = page.locator(".slides-bar > [aria-hidden]")
    last = int(number.inner_text().removeprefix("1 / "))
    shown = 0
    for _ in range(last):
        shown += page.locator(".slide [data-gpusim-view], .slide figure").count()
        expect(page.locator(".output:visible")).to_have_count(1)
        page.keyboard.press("PageDown")
    assert shown == whole
    page.keyboard.press("Escape")
    expect(page.locator(".slides-bar")).to_have_count(0)


CUT_OFF = """() => [document.documentElement, ...document.querySelectorAll('.slide :is([role=region], pre)')]
    .filter((each) => each.scrollWidth > each.clientWidth + 1 || document.body.scrollHeight > innerHeight)
    .map((each) => `${location.hash} ${each.tagName} ${each.textContent.slice(0, 40)}`)"""


@pytest.mark.parametrize("chapter", some(IN_BOTH_LANGUAGES, 5, 3))
def test_nothing_of_a_chapters_slides_is_cut_off(open_page, site, chapter):
    page = open_page(f"{site}/book/{chapter}.html#slides", height=720).page
    number = page.locator(".slides-bar > [aria-hidden]")
    cut = []
    for _ in range(int(number.inner_text().removeprefix("1 / "))):
        cut += page.evaluate(CUT_OFF)
        page.keyboard.press("PageDown")
    assert cut == []


def test_a_language_is_chosen_once_for_all_kernels_of_all_chapters(open_page, site):
    page = open_page(f"{site}/book/threads-warps-and-waves.html").page
    page.evaluate(ANSWER)
    chosen = page.locator(".languages > input:checked + label")
    kernels = page.locator(".languages").count()
    assert chosen.all_inner_texts() == ["Python"] * kernels
    page.locator(".languages").nth(3).get_by_text("CUDA C++").click()
    assert chosen.all_inner_texts() == ["CUDA C++"] * kernels
    assert page.get_by_text("__global__ void countdown").is_visible()
    page.goto(f"{site}/book/divergence-and-masks.html")
    page.evaluate(ANSWER)
    assert set(chosen.all_inner_texts()) == {"CUDA C++"}
    page.locator(".languages > input:checked").first.press("ArrowLeft")
    assert set(chosen.all_inner_texts()) == {"Python"}


def test_five_minutes_hide_the_answer_and_no_more(open_page, book):
    page = open_page(book / "book" / "five-minutes.html").page
    expect(page.get_by_text("Let an adversary choose.", exact=True)).not_to_be_visible()
    for stays in ("Watch one order.", "Count.", "Ask a checker.", "Mend it"):
        expect(page.get_by_text(stays, exact=True)).to_be_visible()
    page.get_by_label("1, always").check()
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".prediction .said")).to_contain_text("Who says that they do?")
    page.get_by_label("one of several numbers").check()
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".prediction .said")).to_contain_text("Sixteen orders gave 8 results, from 1 to 8.")
    expect(page.get_by_text("Let an adversary choose.", exact=True)).to_be_visible()


def test_on_a_phone_what_a_program_printed_keeps_its_columns_and_scrolls(open_page, book, violations):
    page = open_page(book / "book" / "on-a-real-gpu.html", width=390).page
    printed = page.locator("#its-counters .highlight-console pre").first
    assert printed.evaluate("(each) => each.scrollWidth > each.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert violations(page, within="#its-counters") == []
