"""Is a page of use where no script runs? Text, figures, code, questions with answers, and a way on."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.hunting import some

PAGES = ("introduction", "threads-warps-and-waves", "coalescing", "scaling", "memory-across-launches")
DEAD = "button:visible, [role=button]:visible, input[type=search]:visible"


@pytest.fixture
def unscripted(open_page, book):
    def unscripted(name: str, **settings: object) -> Page:
        address = book / "book" / f"{name}.html"
        return open_page(address, java_script_enabled=False, **settings).page

    return unscripted


@pytest.mark.parametrize("name", some(PAGES, 2))
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_hidden_and_nothing_waits_for_a_press(unscripted, name, width):
    page = unscripted(name, width=width)
    views = page.locator("[data-gpusim-view]:not(details *)")
    assert views.count() == page.locator("[data-gpusim-view]:not(details *) > pre:visible").count() > 0
    assert page.locator(".revealed:not(:visible)").count() == 0
    assert page.locator(DEAD).count() == 0
    expect(page.locator(".unscripted")).to_contain_text("stands as text")
    assert page.locator("html").get_attribute("data-theme") == "light"


def test_a_question_has_its_answer_below_it(unscripted):
    page = unscripted("coalescing")
    asked = page.locator('[data-gpusim-view="prediction"]')
    assert asked.count() == asked.locator("noscript details").count()
    first = asked.first
    expect(first.locator("pre")).to_contain_text("How many sectors does the load take at stride 2?")
    answer = first.locator("noscript p")
    expect(answer).to_be_hidden()
    first.get_by_text("Answer", exact=True).click()
    expect(answer).to_contain_text("8 sectors.")


def test_either_language_can_be_chosen(unscripted):
    page = unscripted("coalescing")
    kernel = page.get_by_text("__global__ void look")
    expect(kernel).to_be_hidden()
    page.locator(".languages").first.get_by_text("CUDA C++").click()
    expect(kernel).to_be_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_links_lead_on(unscripted, width):
    page = unscripted("coalescing", width=width)
    page.locator(".prev-next-area .right-next").click()
    expect(page.locator(".bd-article h1")).to_contain_text("Shared memory and banks")
    page.get_by_role("link", name="All chapters").click()
    expect(page.get_by_role("link", name="4 · Coalescing").first).to_be_attached()
    page.go_back()
    page.locator(".unscripted").get_by_role("link", name="Index of terms").click()
    page.get_by_role("link", name="bank conflict", exact=True).first.click()
    expect(page.locator("#term-bank-conflict")).to_be_in_viewport()


@pytest.mark.parametrize("name", ["glossary", "counters", "index-of-terms"])
def test_tables_of_reference_are_whole(unscripted, name):
    page = unscripted(name)
    rows = page.locator("tbody tr:not(details *)")
    assert rows.count() == page.locator("tbody tr:not(details *):visible").count()
    assert page.locator(DEAD).count() == 0
    assert page.locator("dt:visible, tbody tr:visible").count() > 40
