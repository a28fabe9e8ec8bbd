"""Does a term have a card where it is first used? Pages of a few lines stand for the book."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CHAPTER = """# 1 · A lane

:::{container} facts
5 minutes · needs a warp
:::

Planes. A ``lane`` and a [lane](glossary.md) are no prose; this lane, and other lanes, are.

A bank conflict is in a bank.

A warp waits; the sm of some SMs. This side is no side of a branch, but the **sides** of one are.

| mask |
|---|
| mask |

## On masks

Two caches, SMs, and an active
mask.
"""
GLOSSARY = '''# Glossary

```{glossary}
lane
  A place in its *warp*, `laneid`.

warp
wave
  Lanes.

SM
  A part.

side
  Lanes of a branch.

mask
  Bits.

active mask
  Those bits that are `1`.

cache
  Copies.

bank
  A slice.

bank conflict
  A wait.
```

```
NAMES = """
lane | 通道 | lane |
wave | 线程束 | warp, `warpSize` | =
"""
```
'''
CONF = """
import sys
sys.path.insert(0, {ext!r})
extensions = ["myst_parser", "term_cards"]
myst_enable_extensions = ["colon_fence"]
root_doc = "index"
html_static_path = [{static!r}]
html_css_files = ["course.css"]
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cards")
    (folder / "book").mkdir()
    other = CHAPTER.replace("5 minutes", "no minute")
    for name, text in (("chapter", CHAPTER), ("other", other), ("glossary", GLOSSARY)):
        (folder / "book" / f"{name}.md").write_text(text, encoding="utf-8")
    toc = "# I\n\n```{toctree}\nbook/chapter\nbook/other\nbook/glossary\n```\n"
    (folder / "index.md").write_text(toc, encoding="utf-8")
    ext, static = str(ROOT / "book" / "_ext"), str(ROOT / "book" / "_static")
    (folder / "conf.py").write_text(CONF.format(ext=ext, static=static), encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", str(folder), str(folder / "html")]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "html" / "book"


@pytest.fixture(scope="module")
def cards(pages):
    """Anchor in the glossary -> the word that is a link, and what its card says."""
    page = (pages / "chapter.html").read_text(encoding="utf-8")
    each = re.compile(
        r'<span class="term"><a href="glossary.html#term-([\w-]+)" aria-describedby="card-\1">([^<]*)</a>'
        r'<span class="term-card" role="tooltip" id="card-\1">(.*?)</span></span>(?=[ .,;]|</strong>)'
    )
    return {anchor: (word, card) for anchor, word, card in each.findall(page)}


def test_the_first_use_in_prose_is_a_link_and_each_term_one(cards):
    assert {anchor: word for anchor, (word, _) in cards.items()} == {
        "lane": "lane",  # not in "Planes"
        "bank-conflict": "bank conflict",  # the longer one first
        "bank": "bank",
        "warp": "warp",
        "SM": "SMs",  # not the other one, in small letters
        "side": "sides",  # an everyday word, where it is in bold
        "cache": "caches",
        "active-mask": "active\nmask",  # the longer one
    }


def test_a_card_has_the_definition_and_the_names_in_other_languages(cards):
    assert cards["lane"][1] == (
        "A place in its <em>warp</em>, <code>laneid</code>."
        '<span><b>中文</b> <span lang="zh">通道</span></span><span><b>CUDA</b> <span>lane</span></span>'
    )
    assert "<b>MXMACA</b> <span>warp, <code>warpSize</code></span>" in cards["warp"][1], "by its other name"
    assert cards["side"][1] == "Lanes of a branch."


def test_links_lead_to_the_term_and_pages_that_only_refer_have_none(pages, cards):
    glossary = (pages / "glossary.html").read_text(encoding="utf-8")
    assert all(f'id="term-{anchor}"' in glossary for anchor in cards)
    assert 'class="term"' not in glossary + (pages / "other.html").read_text(encoding="utf-8")
