"""What surrounds a lab in the browser? A page of all labs, and a bar above each notebook.

The bar leads back to the chapter, to all labs and to the next one; it gives the file to hand in and a fresh
copy. It belongs to the page and not to the notebook: what is handed in is the lab and nothing else.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent / "labs"
LOST = HERE.parent / "page" / "lost.js"  # says what a page that is opened as a file lacks
ROW = re.compile(
    r"^\| \[(?P<number>\d+)\]\((?P<name>[\w-]+)/[^)]+\) \| (?P<chapter>[^|]+?) \| (?P<will>[^|]+?) \| \d+ \| "
    r"(?P<minutes>\d+) \|$",
    re.MULTILINE,
)
APPS = ("notebooks", "tree")
AT_JUPYTERLAB = "the task in CUDA C++ runs in JupyterLab alone"
# links to JupyterLab, which earlier editions had, lead to the notebook
ELSEWHERE = (
    '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Labs</title>'
    '<script>location.replace("../notebooks/index.html" + location.search)</script></html>\n'
)


class Lab(NamedTuple):
    """A row of `labs/README.md`, and whether a task of it needs CUDA C++, which no browser runs."""

    number: int
    name: str
    chapter: str
    will: str
    minutes: int
    cpp: bool


def labs_of(folder: Path) -> list[Lab]:
    """All labs, in the order of the course."""
    found = []
    for row in ROW.finditer((folder / "README.md").read_text(encoding="utf-8")):
        name = row["name"]
        cpp = "RawModule" in (folder / name / f"{name}.ipynb").read_text(encoding="utf-8")
        found.append(Lab(int(row["number"]), name, row["chapter"], row["will"], int(row["minutes"]), cpp))
    if {lab.name for lab in found} != {notebook.stem for notebook in folder.glob("*/*.ipynb")}:
        sys.exit(f"{folder / 'README.md'} lists other labs than there are beside it")
    return found


def overview(labs: Sequence[Lab], book: str | None) -> str:
    """The page of all labs; `book` is where it sees the book's chapters."""
    rows = []
    for lab in labs:
        chapter = escape(lab.chapter)
        if book:
            chapter = f'<a href="{book}/{lab.name}.html">{chapter}</a>'
        note = f'<span class="lab-note">{AT_JUPYTERLAB}</span>' if lab.cpp else ""
        opens = f"notebooks/index.html?path={lab.name}.ipynb"
        rows.append(
            f'<tr><th scope="row"><a class="live-served" href="{opens}">Lab {lab.number}</a></th>'
            f"<td>{chapter}</td><td>{escape(lab.will)}{note}</td>"
            f'<td class="lab-minutes">{lab.minutes}<span class="lab-unit"> min</span></td></tr>'
        )
    page = (HERE / "overview.html").read_text(encoding="utf-8")
    back = f'<a href="{book}/introduction.html">The book</a> · ' if book else ""
    lost = LOST.read_text(encoding="utf-8")
    root = f"{book}/.." if book else "."
    for name, text in {"rows": "\n".join(rows), "book": back, "root": root, "lost": lost}.items():
        page = page.replace(f"{{{name}}}", text)
    return page


def surround(site: Path, labs: Sequence[Lab], book: Path | None) -> None:
    """Give a site of JupyterLite its first page, and its notebooks the bar."""
    seen = Path(os.path.relpath(book / "book", site)).as_posix() if book else None
    (site / "index.html").write_text(overview(labs, seen), encoding="utf-8")
    told = {"labs": [{"number": each.number, "name": each.name, "chapter": each.chapter} for each in labs]}
    data = json.dumps({**told, "book": seen}).replace("<", "\\u003c")
    root, lost = f"../{seen}/.." if seen else "..", LOST.read_text(encoding="utf-8")
    added = (
        f'<script id="labs" type="application/json">{data}</script>'
        '<link rel="stylesheet" href="../bar.css"><script type="module" src="../bar.js"></script>'
        f'<script data-root="{root}" data-lacks="run a lab">{lost}</script></html>'
    )
    for name in ("bar.css", "bar.js"):
        shutil.copy(HERE / name, site)
    shutil.copy(site / APPS[0] / "favicon.ico", site)
    for app in APPS:
        page = site / app / "index.html"
        text = page.read_text(encoding="utf-8")
        if text.count("</html>") != 1:
            sys.exit(f"this JupyterLite's {app}/index.html has no place for the bar: see around_labs.py")
        begins = "" if "<body" in text else "<body>"  # else what comes is of the head
        page.write_text(text.replace("</html>", f"{begins}{added}"), encoding="utf-8")
    (site / "lab").mkdir(exist_ok=True)
    shutil.copy(site / "favicon.ico", site / "lab")  # where pages of all apps look for it
    (site / "lab" / "index.html").write_text(ELSEWHERE, encoding="utf-8")
