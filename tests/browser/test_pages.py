"""Every page of the book: with no network, over http and from the file system, light and dark, on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest
from sphinx_external_toc.parsing import parse_toc_yaml

from tests.browser.conftest import ANSWER

TOC = Path(__file__).resolve().parents[2] / "_toc.yml"
PAGES = [f"{document}.html" for document in parse_toc_yaml(TOC)]

every_page = pytest.mark.parametrize("path", [*PAGES, "search.html"])


@every_page
def test_opens_with_no_error_and_no_outside_request(open_page, site, path):
    visit = open_page(f"{site}/{path}")
    assert visit.page.locator("main").first.inner_text().strip()
    assert visit.outside_requests == []
    assert visit.console_errors == []


@every_page
def test_opens_from_a_file_and_fits_a_phone(open_page, book, path):
    visit = open_page(book / path, width=360, height=740)
    assert visit.page.locator("main").first.inner_text().strip()
    assert visit.outside_requests == []
    assert visit.console_errors == []
    visit.page.evaluate(ANSWER)
    wide = visit.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"the page is {wide} pixels wider than the screen"


# theme -> the rules that it decides: all, and in the dark those about colours again
RULES = {"light": (), "dark": ("color-contrast", "link-in-text-block")}


@every_page
@pytest.mark.parametrize("color_scheme", RULES)
def test_breaks_no_serious_accessibility_rule(open_page, violations, site, path, color_scheme):
    page = open_page(f"{site}/{path}", color_scheme=color_scheme, reduced_motion="reduce").page
    assert page.locator("html").get_attribute("data-theme") == color_scheme
    page.evaluate(ANSWER)
    assert violations(page, impacts=("serious", "critical"), only=RULES[color_scheme]) == []


@pytest.mark.parametrize("over", ["http", "file"])
def test_search_finds_a_word(open_page, site, book, over):
    address = f"{site}/search.html" if over == "http" else (book / "search.html").as_uri()
    page = open_page(f"{address}?q=warp").page
    page.locator("#search-results li a").first.wait_for()


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
