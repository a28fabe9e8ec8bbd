"""How does the card of a term come and go? By the pointer and the keyboard's focus; Escape puts it away."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

STATIC = Path(__file__).resolve().parents[2] / "book" / "_static"
TERM = """A <span class="term"><a href="#there" aria-describedby="{card}">{word}</a><span
class="term-card" role="tooltip" id="{card}">{says}</span></span> runs."""
PAGE = (
    '<!doctype html><html lang="en"><title>Cards</title><link rel="stylesheet" href="course.css">'
    '<main class="bd-article"><p style="margin: 50px">'
    + TERM.format(card="card", word="warp", says="Lanes that run together.")
    + TERM.format(card="other", word="mask", says="Who runs.")
    + '</p><p id="there">There.</p></main><script src="cards.js" defer></script></html>'
)


@pytest.fixture
def place(tmp_path):
    for name in ("course.css", "cards.js"):
        (tmp_path / name).write_text((STATIC / name).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    return tmp_path / "page.html"


def test_a_card_is_there_for_pointer_and_keyboard_and_escape_puts_it_away(open_page, place):
    page = open_page(place).page
    card, link = page.get_by_text("Lanes that run together."), page.get_by_role("link", name="warp")
    expect(card).to_be_hidden()
    link.hover()
    expect(card).to_be_visible()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    page.mouse.move(0, 0)
    page.keyboard.press("Tab")
    expect(link).to_be_focused()
    expect(card).to_be_visible()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()


def test_the_first_tap_opens_the_card_and_the_next_follows_the_link(open_page, place):
    page = open_page(place, width=390, has_touch=True, is_mobile=True).page
    card, link = page.get_by_text("Lanes that run together."), page.get_by_role("link", name="warp")
    link.tap()
    expect(card).to_be_visible()
    assert not page.url.endswith("#there")
    page.get_by_text("There.", exact=True).tap()
    expect(card).to_be_hidden()
    link.tap()
    link.tap()
    page.wait_for_url("**#there")


def test_paper_has_no_card_and_without_a_script_there_still_is_one(open_page, place):
    page = open_page(place, java_script_enabled=False).page
    page.get_by_role("link", name="warp").hover()
    card = page.get_by_text("Lanes that run together.")
    expect(card).to_be_visible()
    page.emulate_media(media="print")
    expect(card).to_be_hidden()
    page.emulate_media(media="null")


@pytest.mark.parametrize("width", [390, 1280])
def test_a_card_stays_within_the_width_of_its_paragraph(open_page, place, width):
    page = open_page(place, width=width).page
    page.get_by_role("link", name="warp").focus()
    inside, card = page.locator("p").first.bounding_box(), page.locator("#card").bounding_box()
    assert inside["x"] <= card["x"]
    assert card["x"] + card["width"] <= inside["x"] + inside["width"]


@pytest.mark.parametrize("width", [390, 1280])
def test_a_card_low_on_the_screen_lies_above_its_word(open_page, place, width):
    page = open_page(place, width=width, height=300).page
    card, link = page.locator("#card"), page.get_by_role("link", name="warp")
    link.hover()
    assert card.bounding_box()["y"] > link.bounding_box()["y"], "there is room below"
    page.mouse.move(0, 0)
    page.locator("main").evaluate("(main) => (main.style.paddingTop = '195px')")
    link.hover()
    inside, word = card.bounding_box(), link.bounding_box()
    assert 0 <= inside["y"] < inside["y"] + inside["height"] < word["y"]
    page.mouse.move(word["x"] + 2, word["y"] - 2)
    page.mouse.move(word["x"] + 2, inside["y"] + 5)
    expect(card).to_be_visible()


def test_one_tap_opens_the_card_of_another_term(open_page, place):
    page = open_page(place, width=390, has_touch=True, is_mobile=True).page
    page.get_by_role("link", name="warp").tap()
    other = page.get_by_role("link", name="mask")
    other.tap(position={"x": 9, "y": other.bounding_box()["height"] - 6}, force=True)
    expect(page.get_by_text("Who runs.")).to_be_visible()
    expect(page.get_by_text("Lanes that run together.")).to_be_hidden()
    assert "#there" not in page.url


def test_a_finger_finds_a_term(open_page, place):
    page = open_page(place, width=390).page
    assert page.get_by_role("link", name="warp").bounding_box()["height"] >= 24
