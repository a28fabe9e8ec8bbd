"""Slides in a real browser: one figure, widget, table or question at a time, as large as the screen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from gpusim import table
from gpusim.views import embed
from gpusim.views.predictions import report
from gpusim.views.widgets import Prediction
from tests.views import handmade

STATIC = Path(__file__).parents[2] / "book" / "_static"
KERNEL = (
    '<div class="cell"><div class="cell_input"><div class="highlight"><pre><span class="linenos">1</span>'
    '@cuda.jit\n<span class="linenos">2</span>def {name}(x):\n    x[0] = 1</pre></div></div></div>'
)
FIGURE = (
    '<figure class="course-figure"><svg class="plot" role="img" viewBox="0 0 475 230"><title>A line</title>'
    '<path d="M0 0L475 230" style="stroke: #0072b2"></path></svg><figcaption>It falls.</figcaption></figure>'
)
SCREENS = [(1280, 720), (1920, 1080)]
NUMBER, TITLE = ".slides-bar > [aria-hidden]", ".slides-bar h1"


def output(view: object) -> str:
    """A cell's output, as the book has it."""
    if isinstance(view, str):
        html = view
    elif hasattr(view, "_repr_html_"):
        html = view._repr_html_()
    else:
        html = view._repr_mimebundle_()[0]["text/html"]
    return (
        f'<div class="cell"><div class="cell_output"><div class="output text_html">{html}</div></div></div>'
    )


def chapter() -> str:
    """A chapter of four slides: a widget, a question about `first`, its answer, a table. One is folded."""
    asked = report("What does `first` do?", 7, unit="warps", id="warps")
    return "".join(
        (
            '<article class="bd-article"><section><h2>One</h2><p>Text.</p>',
            KERNEL.format(name="first"),
            output(embed.fragment("block_mapper", handmade.block_report(((20, 10, 1), 32)), "a still")),
            KERNEL.format(name="second"),
            '</section><section><h2>Two</h2><p style="height: 2000px">More.</p>',
            output(Prediction(report=asked)),
            f'<div class="revealed" data-revealed-by="warps"><p>So it is.</p>{output(FIGURE)}</div>',
            "</section><section><h2>Three</h2>",
            f"<details><summary>Solution</summary>{output(FIGURE)}</details>",
            output(f"<details><summary>The other figure</summary>{FIGURE}</details>"),
            output(table([(1, 32), (2, 64)], ("warps", "threads"))),
            "</section></article>",
        )
    )


@pytest.fixture
def open_chapter(open_fragments):
    def open_chapter(address: str = "#slides", **settings: object) -> Page:
        style, script = ((STATIC / name).read_text(encoding="utf-8") for name in ("course.css", "slides.js"))
        marked = "document.documentElement.dataset.mode = 'auto'"
        page = open_fragments(
            f"<style>{style}</style><script>{marked};{script}</script>", chapter(), **settings
        )
        page.evaluate("(address) => (location.hash = address)", address)
        return page

    return open_chapter


def at(page: Page) -> str:
    return f"{page.locator(NUMBER).inner_text()} {page.locator(TITLE).inner_text()}"


def test_one_at_a_time_under_its_heading_and_the_question_comes_before_its_answer(open_chapter):
    page = open_chapter()
    seen = []
    for _ in range(5):
        seen.append((at(page), page.evaluate("location.hash")))
        assert page.locator(".output:visible").count() == 1
        assert not page.get_by_text("Text.", exact=True).is_visible()
        page.keyboard.press("PageDown")
    headings = ["1 / 4 One", "2 / 4 Two", "3 / 4 Two", "4 / 4 Three", "4 / 4 Three"]
    assert seen == [(heading, f"#slides-{heading[0]}") for heading in headings]
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.locator(".slide .prediction").is_visible()
    assert page.locator(".slide pre:visible").all_inner_texts()[0].startswith("1@cuda.jit\n2def first(x)")


def test_an_answer_that_is_shown_stays_hidden_in_the_page(open_chapter):
    page = open_chapter("#slides-3")
    assert page.locator(".slide figure").is_visible()
    page.keyboard.press("Escape")
    assert page.evaluate("location.hash") == ""
    assert page.locator(".slide, .slides-bar, [data-slide-path]").count() == 0
    assert not page.get_by_text("So it is.").is_visible()
    # the reader is where the chapter goes on when the question is answered
    expect(page.locator(".revealed")).to_be_focused()
    expect(page.locator(".revealed")).to_be_in_viewport()


def test_a_widget_goes_on_where_it_was_and_keeps_its_keys(open_chapter):
    page = open_chapter()
    page.get_by_role("button", name="One step forward").click()
    page.keyboard.press("ArrowRight")
    assert at(page) == "1 / 4 One"
    counter = page.locator(".counter")
    assert counter.inner_text().startswith("step 3 of")
    page.keyboard.press("PageDown")  # a clicker's
    assert at(page) == "2 / 4 Two"
    page.keyboard.press("Escape")
    assert counter.inner_text().startswith("step 3 of")


@pytest.mark.parametrize(("by", "number"), [("mouse", "2 / 4"), ("keyboard", "1 / 4")])
def test_a_clicker_leads_on_unless_a_slider_was_reached_by_keyboard(open_chapter, by, number):
    page = open_chapter()
    slider = page.get_by_role("slider", name="Step")
    if by == "mouse":
        slider.click()
    else:
        page.get_by_role("button", name="One step forward").focus()
        while page.evaluate("document.activeElement.type") != "range":
            page.keyboard.press("Shift+Tab")
    page.keyboard.press("PageDown")
    assert page.locator(NUMBER).inner_text() == number


def test_typing_an_answer_turns_no_slide_and_after_it_arrows_do(open_chapter):
    page = open_chapter("#slides-2")
    page.get_by_role("textbox").fill("6")
    for key in ("ArrowLeft", "Home", "7", "Delete", "Enter"):
        page.keyboard.press(key)
    assert at(page) == "2 / 4 Two"
    expect(page.locator(".said")).to_contain_text("Right")
    page.keyboard.press("ArrowRight")
    assert at(page) == "3 / 4 Two"


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_each_slide_fills_the_screen_and_none_of_it_is_cut_off(open_chapter, width, height):
    page = open_chapter(width=width, height=height)
    for _ in range(4):
        assert page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        ) <= [
            width,
            height,
        ]
        zoom = float(page.locator(".slide-inside").evaluate("(inside) => inside.style.zoom"))
        assert zoom >= width / 1280, "as large in the room, whatever the projector"
        page.keyboard.press("PageDown")


def test_a_line_of_a_kernel_stays_one(open_chapter):
    page = open_chapter("#slides-2", width=1280, height=720)
    code = page.locator(".slide-inside > .highlight > pre")
    code.evaluate("(code) => { code.append('#'.repeat(90)); dispatchEvent(new Event('resize')) }")
    assert code.evaluate("(code) => code.scrollWidth - code.clientWidth") <= 1
    assert code.evaluate("(code) => getComputedStyle(code).whiteSpace") == "pre"


def test_what_grows_is_fitted_again(open_chapter):
    page = open_chapter("#slides-2", width=1280, height=720)
    page.evaluate("document.querySelector('.slide .said').style.height = '400px'")
    page.wait_for_function("document.documentElement.scrollHeight <= innerHeight")


def test_paper_has_a_slide_on_each_page(open_chapter):
    page = open_chapter("#slides-2")
    paper = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", paper)) == 4
    assert at(page) == "2 / 4 Two"


def test_without_a_script_the_address_changes_nothing(open_chapter):
    page = open_chapter(java_script_enabled=False)
    assert page.get_by_text("Text.", exact=True).is_visible()
    assert page.locator("figure").first.is_visible()


@pytest.mark.parametrize(
    ("address", "number"), [("#slides-3", "3 / 4"), ("#slides-99", "4 / 4"), ("#slides-0", "1 / 4")]
)
def test_an_address_leads_to_a_slide(open_chapter, address, number):
    assert open_chapter(address).locator(NUMBER).inner_text() == number


def test_buttons_and_the_way_back(open_chapter):
    page = open_chapter()
    following = page.get_by_role("button", name="Next slide")
    following.click()
    expect(following).to_be_focused()
    expect(page.locator(".slides-bar [role=status]")).to_have_text("Slide 2 of 4")
    page.get_by_role("button", name="Previous slide").click()
    assert at(page) == "1 / 4 One"
    page.go_back()
    page.locator(".slides-bar").wait_for(state="detached")


def test_slides_break_no_accessibility_rule_and_fit_a_phone(open_chapter, violations):
    page = open_chapter(width=390, height=740)
    for number in range(1, 5):
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        if number == 2:  # with a kernel; each widget has a test of its own
            assert violations(page) == []
        page.keyboard.press("PageDown")
