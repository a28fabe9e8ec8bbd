"""What do the cards of the landing page say about the chapters that a reader has begun?"""

from __future__ import annotations

from pathlib import Path

import pytest

from gpusim.views.predictions import report
from gpusim.views.widgets import Prediction

SCRIPT = (Path(__file__).parents[2] / "book/_static/progress.js").read_text(encoding="utf-8")
CARD = (
    '<div class="sd-card"><p>A chapter</p><div class="sd-card-footer"><p>35 min</p></div>'
    '<a href="page.html" data-predictions="one two">chapter</a></div>'
)


@pytest.fixture
def chapter(open_fragments, tmp_path):
    """A chapter with two predictions; beside it, from `file://`, a page with its card."""
    (tmp_path / "cards.html").write_text(
        f'<!doctype html><html lang="en"><title>Cards</title>{CARD}<script>{SCRIPT}</script></html>',
        encoding="utf-8",
    )
    asked = (report("One?", 1, id="one"), report("Two?", 2, id="two"))
    return open_fragments(*(Prediction(report=each)._repr_mimebundle_()[0]["text/html"] for each in asked))


def on_the_card(page, tmp_path):
    page.goto((tmp_path / "cards.html").as_uri())
    marks = page.locator(".sd-card-footer .answered").all_inner_texts()
    page.goto((tmp_path / "page.html").as_uri())
    return marks


def test_a_card_counts_what_was_answered_and_says_nothing_before(chapter, tmp_path):
    one, two = (chapter.locator(".prediction").nth(place) for place in (0, 1))
    assert on_the_card(chapter, tmp_path) == []
    two.get_by_role("button", name="show me").click()
    one.get_by_role("textbox").fill("7")
    one.get_by_role("button", name="Check").click()
    assert on_the_card(chapter, tmp_path) == [], "one was shown, the other is still open"
    one.get_by_role("textbox").fill("1")
    one.get_by_role("button", name="Check").click()
    assert on_the_card(chapter, tmp_path) == ["1 of 2 answered"]
    two.get_by_role("button", name="ask me again").click()
    two.get_by_role("textbox").fill("2")
    two.get_by_role("button", name="Check").click()
    assert on_the_card(chapter, tmp_path) == ["✓ 2 of 2 answered"]


def test_a_card_counts_anew_when_the_reader_comes_back(chapter, tmp_path):
    chapter.goto((tmp_path / "cards.html").as_uri())
    chapter.evaluate(
        """() => {
        const { pathname } = new URL("page.html", location.href);
        localStorage.setItem(`gpusim prediction ${pathname} one`, '{"tries": 1, "end": "right"}');
        localStorage.setItem(`gpusim prediction ${pathname} two`, "broken");
        dispatchEvent(new Event("pageshow"));
        dispatchEvent(new Event("pageshow"));
        }"""
    )
    assert chapter.locator(".answered").all_inner_texts() == ["1 of 2 answered"]
