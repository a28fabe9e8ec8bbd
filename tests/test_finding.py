"""What do the search and the index of terms know? Pages of a few lines stand for the book."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXT = Path(__file__).resolve().parent.parent / "book" / "_ext"
CHAPTER = """# 1 · Lanes

A **lane** has a number, see `cuda.laneid`.

## Second

Lanes again: lanes run `__syncwarp(mask)`. A *bank*.

```python
print(cuda.laneid)
```

## Third

A lane.

## Fourth

A lane.

## Fifth

A lane, a lane, a lane.

| Of lanes | is |
|---|---|
| the first | `0` |
| the last | `31` |

<div data-gpusim-view="prediction"><script>{"answer": 7}</script><pre>The answer is 7.</pre></div>
"""
GLOSSARY = '''# Glossary

```{glossary}
lane
  A place.

bank
slice
  Gives a word.
```

```
NAMES = """
lane | 通道 | lane |
bank | 存储体 | bank |
"""
EVERYDAY = """
core, place | lane
"""
```
'''
CONF = """
import sys
sys.path.insert(0, {ext!r})
extensions = ["myst_parser", "sphinx_external_toc", "explained", "searched", "index_of_terms"]
html_theme = "basic"
"""
TOC = """format: jb-book
root: book/first
parts:
  - caption: I · Lanes
    chapters:
      - file: book/lanes
      - file: book/banks
      - file: book/shuffles
  - caption: Reference
    chapters:
      - file: book/counters
      - file: book/glossary
      - file: book/index-of-terms
"""
PAGES = {
    "first": "# The book\n\nText.\n",
    "lanes": CHAPTER,
    "banks": "# 2 · Banks\n\nA bank.\n\n## Second\n\nLane, lanes, lane.\n",
    "shuffles": "# 3 · Shuffles\n\nA lane.\n\n## Second\n\nNone.\n",
    "counters": """# Counters

<table><tr id="counter-instructions"><td>instructions</td><td><a class="source" href="a.html#b">a</a></td>
<td><a href="banks.html#second">2</a></td></tr></table>
""",
    "glossary": GLOSSARY,
    "index-of-terms": "# Index of terms\n",
}


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finding")
    (folder / "book").mkdir()
    for name, text in PAGES.items():
        (folder / "book" / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / "_toc.yml").write_text(TOC, encoding="utf-8")
    (folder / "conf.py").write_text(CONF.format(ext=str(EXT)), encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", str(folder), str(folder / "html")]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "html"


@pytest.fixture(scope="module")
def searched(html):
    """Address -> title, weight, and its sections by their titles."""
    text = (html / "search-sections.js").read_text(encoding="utf-8")
    pages = json.loads(text.removeprefix("const PAGES = ").rstrip().removesuffix(";"))
    return {
        address: (title, weight, {section[1]: section for section in sections})
        for address, title, weight, sections in pages
    }


def test_a_chapter_weighs_more_than_a_page_of_reference(searched):
    assert searched["book/lanes.html"][:2] == ("1 · Lanes", 1)
    assert searched["book/counters.html"][:2] == ("Counters", 0.5)


def test_a_section_has_its_text_its_code_and_the_terms_that_it_explains(searched):
    sections = searched["book/lanes.html"][2]
    first, second = sections["1 · Lanes"], sections["Second"]
    assert first == [
        "",
        "1 · Lanes",
        "A lane has a number, see cuda.laneid.",
        "",
        [["lane", "通道", "core", "place"]],
        1,
    ]
    assert second[0] == "second"
    assert second[2:4] == ["Lanes again: lanes run __syncwarp(mask). A bank.", "print(cuda.laneid)"]
    assert second[4] == [["bank", "slice", "存储体"]]
    assert searched["book/glossary.html"][2]["bank, slice"][2] == "Gives a word."


def test_a_row_of_a_table_is_a_line_with_its_cells_apart(searched):
    prose = searched["book/lanes.html"][2]["Fifth"][2]
    assert prose.split("\n")[1:] == ["Of lanes · is", "the first · 0", "the last · 31"]


def test_rows_of_tables_in_html_are_lines(monkeypatch):
    monkeypatch.syspath_prepend(EXT)
    import sections

    heading = "<table><caption>Words</caption><tr><th>lane</th><th>bank</th></tr>"
    cells = f"{heading}<tr><td><code>0</code></td><td>1 &lt; 2</td></tr></table>"
    assert sections.read(cells) == "Words\nlane · bank\n0 · 1 < 2"


def test_nobody_finds_the_answer_to_a_prediction(searched):
    assert "7" not in "".join(searched["book/lanes.html"][2]["Fifth"][2:4])


@pytest.fixture(scope="module")
def rows(html):
    """The index's rows by their anchors: their HTML."""
    page = (html / "book" / "index-of-terms.html").read_text(encoding="utf-8")
    return dict(re.findall(r'<tr id="index-([\w.]+)"[^>]*>(.*?)</tr>', page, re.DOTALL))


def links(html: str) -> list[str]:
    return re.findall(r'href="([^"]*)"', html)


def test_a_term_has_its_names_the_section_that_introduces_it_and_those_that_use_it(rows):
    term, introduced, used = rows["lane"].split("</td>")[:3]
    assert "通道" in term
    assert links(term) == ["glossary.html#term-lane"]
    assert links(introduced) == ["lanes.html#lanes"]
    most, _, others = used.partition("also in ")
    assert links(most) == ["lanes.html#second", "lanes.html#fifth", "banks.html#second"]  # in order
    assert links(others) == ["shuffles.html#shuffles"]
    assert 'title="3 · Shuffles">3</a>' in others


def test_a_name_in_code_has_the_section_that_speaks_of_it_and_the_code_that_uses_it(rows):
    _, introduced, used = rows["cuda.laneid"].split("</td>")[:3]
    assert links(introduced) == ["lanes.html#lanes"]
    assert links(used) == ["lanes.html#second"]
    assert "__syncwarp" in rows
    assert links(rows["instructions"]) == ["counters.html#counter-instructions", "banks.html#second"]


def test_letters_lead_to_the_first_entry_of_the_glossary_with_each(html):
    page = (html / "book" / "glossary.html").read_text(encoding="utf-8")
    (jumps,) = re.findall(r'<nav class="jumps".*?</nav>', page, re.DOTALL)
    assert re.findall(r'href="#([\w-]+)">(\w)<', jumps) == [("term-bank", "B"), ("term-lane", "L")]


def test_a_chinese_name_leads_to_its_term(html):
    page = (html / "book" / "index-of-terms.html").read_text(encoding="utf-8")
    assert re.findall(r'<td lang="zh">(.*?)</td><td colspan="2"><a href="#(.*?)">', page) == [
        ("存储体", "index-bank"),
        ("通道", "index-lane"),
    ]
