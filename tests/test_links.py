"""Does each link of the built book lead somewhere: of pages, of the source, of the search, of the index?"""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.test_book import every_page, page_at


def broken(book: Path, path: str, links: list[str]) -> list[str]:
    """Which links of a page lead to no page of the book, or to no place on it?"""
    found = []
    for link in links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (book / path).parent / unquote(parts.path) if parts.path else book / path
        leads = target.exists() and (
            not parts.fragment
            or target.suffix != ".html"
            or (parts.fragment == "slides" and page_at(target.resolve()).has_slides)
            or unquote(parts.fragment) in page_at(target.resolve()).anchors
        )
        if not leads:
            found.append(link)
    return found


@every_page
def test_links_within_the_book_lead_somewhere(book, path):
    page = page_at(book / path)
    assert broken(book, path, page.links + page.loads) == []


def test_links_of_the_source_lead_to_what_is_described(book):
    pages = [page.relative_to(book).as_posix() for page in (book / "_modules").rglob("*.html")]
    assert [link for path in pages for link in broken(book, path, page_at(book / path).links)] == []


def test_what_the_search_finds_is_there(book):
    text = (book / "search-sections.js").read_text(encoding="utf-8")
    pages = json.loads(text.removeprefix("const PAGES = ").rstrip().removesuffix(";"))
    found = [f"{page}#{section[0]}" for page, _, _, sections in pages for section in sections]
    assert broken(book, "search.html", found) == []


def test_each_entry_of_the_index_leads_to_a_section_of_a_chapter(book):
    """In its second column or, where no chapter explains a name of code, in the third."""
    page = (book / "book" / "index-of-terms.html").read_text(encoding="utf-8")
    rows = re.findall(r'<tr id="([^"]*)" data-words=[^>]*>(.*?)</tr>', page, re.DOTALL)
    assert len(rows) > 200
    assert [name for name, row in rows if "href" not in row.partition("</td>")[2]] == []
