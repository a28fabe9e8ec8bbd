"""Does a chapter say where it stands, and what comes next? A book of a few lines stands for the book."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOC = """format: jb-book
root: book/first
parts:
  - caption: I · Lanes & warps
    chapters:
      - file: book/lanes
      - file: book/warps
  - caption: Reference
    chapters:
      - file: book/words
"""
PAGES = {
    "first": "# The book\n",
    "lanes": "# 1 · Lanes\n\n:::{container} question\nWho *runs*\nat x < 2?\n:::\n\nText.\n",
    "warps": "# 2 · Warps\n",
    "words": "# Words\n",
}
CONF = """
import sys
sys.path.insert(0, {ext!r})
extensions = ["myst_parser", "sphinx_external_toc", "whereabouts"]
myst_enable_extensions = ["colon_fence"]
html_theme = "sphinx_book_theme"
html_theme_options = {{"article_header_end": []}}
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whereabouts")
    (folder / "book").mkdir()
    for name, text in PAGES.items():
        (folder / "book" / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / "_toc.yml").write_text(TOC, encoding="utf-8")
    (folder / "conf.py").write_text(CONF.format(ext=str(ROOT / "book" / "_ext")), encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", str(folder), str(folder / "html")]
    subprocess.run(command, check=True, capture_output=True)
    return {name: (folder / "html" / "book" / f"{name}.html").read_text(encoding="utf-8") for name in PAGES}


def test_a_chapter_names_its_part_and_links_the_chapters_beside_it(pages):
    (line,) = re.findall(r'<nav class="whereabouts".*?</nav>', pages["warps"])
    assert line == (
        '<nav class="whereabouts" aria-label="Part I · Lanes &amp; warps"><p>I · Lanes &amp; warps</p>'
        '<ul><li><a href="lanes.html">1 · Lanes</a></li>'
        '<li><span aria-current="page">2 · Warps</span></li></ul></nav>'
    )


def test_a_page_of_reference_and_the_first_page_belong_to_no_part(pages):
    assert [name for name in PAGES if 'class="whereabouts"' in pages[name]] == ["lanes", "warps"]


def test_a_link_to_the_next_page_says_what_it_asks(pages):
    titles = {name: re.findall(r'"prev-next-title">(.*?)</p>', pages[name]) for name in PAGES}
    asked = '1 · Lanes<span class="asked">Who runs at x &lt; 2?</span>'
    assert titles == {
        "first": [asked],
        "lanes": ["The book", "2 · Warps"],
        "warps": [asked, "Words"],
        "words": ["2 · Warps"],
    }
