"""What does the field above a long table leave? Rows with all words, or like words; no script, all rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

STATIC = Path(__file__).resolve().parents[2] / "book" / "_static"
TABLE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Fruit</title><main>
<div class="listing" data-filter="Find fruit"><table>
<thead><tr><th>name<th>taste</thead>
<tbody><tr><th colspan="2" scope="rowgroup">Trees</th></tr>
<tr><td>apple<td>sweet</tr><tr><td>lemon<td>Sour</tr></tbody>
<tbody><tr><th colspan="2" scope="rowgroup">Bushes</th></tr><tr><td>currant<td>sour</tr></tbody>
</table></div></main><script src="words.js"></script><script src="filter.js"></script></html>"""


GLOSSARY = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Fruit</title><main>
<dl class="simple glossary"><dt>apple<dd>It grows on trees.
<dt>currant<dt>ribes<dd>It grows on bushes.</dl></main>
<script src="words.js"></script><script src="filter.js"></script></html>"""


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        ("", ["apple", "It grows on trees.", "currant", "ribes", "It grows on bushes."]),
        ("tree", ["apple", "It grows on trees."]),
        ("ribes", ["currant", "ribes", "It grows on bushes."]),
        ("curant", ["currant", "ribes", "It grows on bushes."]),
    ],
)
def test_entries_of_a_glossary_stay_whole(open_page, fruit, typed, left):
    fruit.write_text(GLOSSARY, encoding="utf-8")
    page = open_page(fruit).page
    page.get_by_role("searchbox", name="Find a term").fill(typed)
    assert page.locator("dl > :visible").all_inner_texts() == left


@pytest.fixture
def fruit(tmp_path):
    for script in ("words.js", "filter.js"):
        (tmp_path / script).write_text((STATIC / script).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "fruit.html").write_text(TABLE, encoding="utf-8")
    return tmp_path / "fruit.html"


@pytest.mark.parametrize(
    ("typed", "left", "said"),
    [
        ("", ["Trees", "apple", "lemon", "Bushes", "currant"], ""),
        ("sour", ["Trees", "lemon", "Bushes", "currant"], "2 of 3"),
        ("SOUR cur", ["Bushes", "currant"], "1 of 3"),
        ("trees", ["Trees", "apple", "lemon"], "2 of 3"),  # a heading's words are its rows'
        ("apples", ["Trees", "apple"], "1 of 3"),
        ("plum", [], "None of 3 fits: search the course"),
        ("sour apple", [], "None of 3 fits: search the course"),
        ("lemno", ["Trees", "lemon"], "1 of 3, with “lemon” for “lemno”"),
        ("sour curant", ["Bushes", "currant"], "1 of 3, with “currant” for “curant”"),
    ],
)
def test_words_leave_the_rows_that_hold_them_all(open_page, fruit, typed, left, said):
    page = open_page(fruit).page
    page.get_by_role("searchbox", name="Find fruit").fill(typed)
    assert page.locator("tbody tr:visible > :first-child").all_inner_texts() == left
    expect(page.locator("output")).to_have_text(said)


def test_where_no_row_is_left_the_search_of_the_course_is_asked(open_page, book):
    page = open_page(book / "book" / "counters.html").page
    page.locator(".filter input").fill("deadlock")
    page.locator(".filter output").get_by_role("link", name="search the course").click()
    expect(page.get_by_role("searchbox", name="Search the course")).to_have_value("deadlock")
    expect(page.locator(".found h2").first).to_have_text("10 · Independent thread scheduling")


@pytest.mark.parametrize(
    ("typed", "term"),
    [
        ("coalesing", "coalesced"),
        ("divergance", "divergence"),
        ("VRAM", "device memory"),
    ],
)
def test_what_is_misspelt_or_said_in_other_words_leaves_the_rows_that_are_meant(open_page, book, typed, term):
    page = open_page(book / "book" / "index-of-terms.html").page
    page.locator(".filter input").fill(typed)
    row = page.locator(f".listing tbody tr:visible:has(a:text-is('{term}'))")
    expect(row.first).to_be_visible()


def test_without_a_script_there_is_the_table_and_no_field(open_page, fruit):
    page = open_page(fruit, java_script_enabled=False).page
    assert page.locator("tbody tr:visible").count() == 5
    assert page.locator("input").count() == 0


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["index-of-terms", "counters"])
def test_the_field_stays_while_a_long_table_scrolls_and_leads_to_what_is_found(open_page, book, name, width):
    page = open_page(book / "book" / f"{name}.html", width=width).page
    page.evaluate("scrollTo({ top: document.documentElement.scrollHeight / 2, behavior: 'instant' })")
    field = page.locator(".filter input")
    expect(field).to_be_in_viewport(ratio=1)
    corner = field.bounding_box()
    on_top = "({ x, y }) => document.elementFromPoint(x + 5, y + 5).matches('.filter input')"
    assert page.evaluate(on_top, corner), "something lies over the field"
    field.fill("bank conflict")
    expect(page.locator(".listing tbody tr:visible:has(td)").first).to_be_in_viewport()
    expect(field).to_be_in_viewport(ratio=1)
