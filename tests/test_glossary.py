"""Does the glossary say where a term is explained? Pages of a few lines stand for chapters."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXT = Path(__file__).resolve().parent.parent / "book" / "_ext"
CHAPTER = """# 1 · Shuffles

## First

A lane, and a *mask*.

## Second

Each **lane** has a number, and `spin_locks` wait. Banks.

## Exercises

Find a **bank**.
"""
GLOSSARY = """# Glossary

```{glossary}
lanes
  Places.

mask
  Bits.

spin lock
  Asks again.

bank
  A slice.

nowhere
  Is nothing.
```
"""
INDEX = "# Book\n\n```{toctree}\nbook/chapter\nbook/glossary\n```\n"
CONF = """
import sys
sys.path.insert(0, {ext!r})
extensions = ["myst_parser", "explained"]
root_doc = "index"
"""


@pytest.fixture(scope="module")
def links(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explained")
    (folder / "book").mkdir()
    for name, text in (("chapter", CHAPTER), ("glossary", GLOSSARY)):
        (folder / "book" / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / "index.md").write_text(
        "# I\n\n```{toctree}\nbook/chapter\nbook/glossary\n```\n", encoding="utf-8"
    )
    (folder / "conf.py").write_text(CONF.format(ext=str(EXT)), encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", str(folder), str(folder / "html")]
    subprocess.run(command, check=True, capture_output=True)
    page = (folder / "html" / "book" / "glossary.html").read_text(encoding="utf-8")
    entries = re.findall(r"<dt[^>]*>(\w[\w ]*).*?<dd>(.*?)</dd>", page, re.DOTALL)
    return {term: re.findall(r'href="([^"]*)"', definition) for term, definition in entries}


@pytest.mark.parametrize(
    ("term", "place"),
    [
        ("lanes", ["chapter.html#second"]),  # in bold, in the singular
        ("mask", ["chapter.html#first"]),
        ("spin lock", ["chapter.html#second"]),  # in code
        ("bank", ["chapter.html#second"]),  # exercises explain nothing
        ("nowhere", []),
    ],
)
def test_a_term_is_linked_to_the_section_that_explains_it(links, term, place):
    assert links[term] == place
