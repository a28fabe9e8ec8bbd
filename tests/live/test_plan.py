"""Is what live pages leave out of a run left out rightly? The cells of the book, read another way and run."""

from __future__ import annotations

import dis
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

BOOK = Path(__file__).resolve().parents[2] / "book"
PAGES = [path.stem for path in sorted(BOOK.glob("*.md")) if "{code-cell}" in path.read_text("utf-8")]
QUICK = {"introduction", "launching-from-ptx"}
STORES, LOADS = {"STORE_NAME", "STORE_GLOBAL"}, {"LOAD_NAME", "LOAD_GLOBAL"}


@pytest.fixture(scope="module")
def pages(build: Any) -> dict[str, dict[int, Any]]:
    """The cells of each page that run one after the other, by their numbers."""
    return {name: in_order(build.cells_of(BOOK / f"{name}.md")) for name in PAGES}


def in_order(page: dict[str, Any]) -> dict[int, Any]:
    return {number: cell for number, cell in page["cells"].items() if cell["needs"]}


def names(code: CodeType) -> Iterator[tuple[str, str]]:
    """How the Python that runs a cell meets the names of its module: "STORE_NAME", "x"."""
    for step in dis.get_instructions(code):
        if step.opname in STORES | LOADS:
            yield step.opname, step.argval
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from names(inner)


def test_a_cell_needs_the_last_that_gives_a_name_which_it_loads(build, pages):
    """Found by Python's own compiler, which reads no text of ours."""
    without_magics = import_module("session").without_magics
    for page, cells in pages.items():
        givers: dict[str, int] = {}
        for number, cell in cells.items():
            met = [*names(compile(without_magics(cell["source"]), page, "exec"))]
            first = {name: how for how, name in reversed(met)}
            wanted = {givers[name] for name, how in first.items() if how in LOADS and name in givers}
            assert wanted <= {*cell["needs"]}, f"{page}, In[{number}]"
            givers |= {name: number for how, name in met if how in STORES}


def test_what_is_left_out_is_most(pages):
    """A cell needs its kernel, its numbers and the imports: an edit that it does not use leaves it alone."""
    needed = sum(len(cell["needs"]) for cells in pages.values() for cell in cells.values())
    before = sum(len(cells) * (len(cells) + 1) // 2 for cells in pages.values())
    assert needed < 0.35 * before


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.all_records) for name in PAGES]
)
def test_a_cell_shows_after_those_that_it_needs_what_it_shows_after_all(name, pages):
    command = [sys.executable, Path(__file__).with_name("alone.py")]
    run = subprocess.run(
        command, input=json.dumps(pages[name]), capture_output=True, encoding="utf-8", check=False
    )
    assert run.returncode == 0, run.stderr
    assert [line for line in run.stdout.splitlines() if line.startswith("differ")] == ["differ: []"]
