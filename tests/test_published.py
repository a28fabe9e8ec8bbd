"""What does a published book tell search engines? A book of two pages stands for the book."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CONF = """
import sys
sys.path.insert(0, {ext!r})
project = "The book"
root_doc = "first"
extensions = ["myst_parser", "published"]
myst_enable_extensions = ["colon_fence"]
"""
FIRST = "# The book\n\n```{toctree}\nlanes\n```\n"
LANES = "# 1 · Lanes\n\n:::{container} question\nWho *runs* at x < 2?\n:::\n\nA lane is a place.\n"
ADDRESS = "https://example.org/course"


def built(folder: Path, **environment: str) -> Path:
    for name, text in (("first", FIRST), ("lanes", LANES)):
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / "conf.py").write_text(CONF.format(ext=str(ROOT / "book" / "_ext")), encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", str(folder), str(folder / "html")]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **environment})
    return folder / "html"


def properties(page: Path) -> dict[str, str]:
    found = re.findall(
        r'<meta (?:property|name)="([^"]*)" content="([^"]*)"', page.read_text(encoding="utf-8")
    )
    return dict(found)


@pytest.mark.parametrize("address", [ADDRESS, f"{ADDRESS}/"])
def test_where_the_address_is_known_there_are_a_sitemap_descriptions_and_pictures(tmp_path, address):
    html = built(tmp_path, BOOK_ADDRESS=address)
    listed = re.findall("<loc>(.*?)</loc>", (html / "sitemap.xml").read_text(encoding="utf-8"))
    assert listed == [f"{ADDRESS}/first.html", f"{ADDRESS}/lanes.html"]
    told = properties(html / "lanes.html")
    assert told["description"] == "Who runs at x &lt; 2? A lane is a place."
    assert (html / told["og:image"].removeprefix(f"{ADDRESS}/")).stat().st_size > 10_000


def test_else_a_page_names_no_other_place(tmp_path):
    html = built(tmp_path, BOOK_ADDRESS="")
    assert not (html / "sitemap.xml").exists()
    assert "description" not in properties(html / "lanes.html")
