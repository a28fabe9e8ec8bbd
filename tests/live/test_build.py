"""What is put beside the built book: cells by name, links to labs, and what is said where something lacks."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIVE = ROOT / "book" / "live"
OWN = ("build", "lite", "wheels", "_ext", "_ext.fresh_runs")


@pytest.fixture
def live(monkeypatch):
    """Gives a module that lies in `book/live`, by its name."""
    monkeypatch.syspath_prepend(LIVE)
    yield import_module
    for name in OWN:
        sys.modules.pop(name, None)


CELL = "```{{code-cell}}\n:tags: [{}]\n\n{}\n```\n"
HEAD = "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n# Title\n\n"


def page(folder: Path, *cells: tuple[str, str]) -> Path:
    path = folder / "page.md"
    path.write_text(HEAD + "\nText.\n\n".join(CELL.format(*cell) for cell in cells), encoding="utf-8")
    return path


def test_a_cell_keeps_its_name_where_others_are_inserted_and_no_two_have_one(live, tmp_path):
    build = live("build")
    before = build.cells_of(page(tmp_path, ("", "x = 1"), ("", "x + 1")))["cells"]
    after = build.cells_of(page(tmp_path, ("", "import numpy"), ("", "x = 1"), ("", "x + 1")))["cells"]
    assert [before[1]["name"], before[2]["name"]] == [after[2]["name"], after[3]["name"]]
    assert [after[number]["source"] for number in (1, 2, 3)] == ["import numpy", "x = 1", "x + 1"]
    assert [after[number]["place"] for number in (1, 2, 3)] == [1, 3, 5]  # of text, too
    changed = build.cells_of(page(tmp_path, ("", "x = 2"), ("", "x + 1")))["cells"]
    assert changed[1]["name"] not in {cell["name"] for cell in after.values()}
    first, second = build.names_of(["x", "x"])
    assert second == f"{first}-2"


def test_a_puzzle_is_three_cells_by_their_numbers(live, tmp_path):
    parts = ("", "x"), ("puzzle-setup", "s"), ("puzzle", "k"), ("puzzle-check", "c"), ("puzzle-answer", "a")
    assert live("build").cells_of(page(tmp_path, *parts))["puzzles"] == {3: [2, 3, 4]}


def test_a_book_of_other_sources_is_no_live_book(live, tmp_path):
    """A book says what it was built from; one that says nothing was built from something else."""
    fresh_runs = import_module("_ext.fresh_runs")
    root, book = tmp_path / "root", tmp_path / "html"
    for name in ("gpusim/ir/kernel.py", "book/chapter.md", "book/_static/course.css"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("as it was", encoding="utf-8")
    book.mkdir()
    assert fresh_runs.changed_since(book, root) == [*fresh_runs.BUILT_FROM]
    sources = fresh_runs.BUILT_FROM.items()
    known = {what: fresh_runs.fingerprint(root, patterns) for what, patterns in sources}
    (book / fresh_runs.NOTE).write_text(json.dumps(known), encoding="utf-8")
    assert fresh_runs.changed_since(book, root) == []
    (root / "gpusim" / "ir" / "kernel.py").write_text("another", encoding="utf-8")
    assert fresh_runs.changed_since(book, root) == ["gpusim, or what else its pages run,"]
    (root / "book" / "another.md").write_text("new", encoding="utf-8")
    assert len(fresh_runs.changed_since(book, root)) == 2
    (book / fresh_runs.NOTE).unlink()
    with pytest.raises(SystemExit, match=r"was built before its pages and gpusim.* changed: make book"):
        live("build").main(tmp_path, book, tmp_path / "site")
    assert not (tmp_path / "site").exists()


CHAPTER = "<p>Lab 2 · needs</p><p>Then.</p>\n<p><strong>Lab 2</strong>, then <em>on</em>.</p><p>End.</p>"


def test_a_chapter_has_one_link_to_its_lab_however_often_it_gets_it(live):
    lite = live("lite")
    once = lite.with_link(CHAPTER, "../lab/", "masks", "")
    assert once.count("<a ") == 1
    assert "on</em>.</p>\n<p class=" in once  # a paragraph of its own
    assert 'href="../lab/lab/index.html?path=masks.ipynb" target="_blank"' in once
    assert ">Do Lab 2 in your browser</a>" in once
    assert lite.with_link(once, "../lab/", "masks", "") == once
    assert lite.with_link(once, "../labs/", "masks", "").count("<a ") == 1
    with pytest.raises(SystemExit, match="names no lab"):
        lite.with_link("<p>No lab.</p>", "../lab/", "masks", "")


@pytest.fixture
def alone(tmp_path):
    """`wheels.py` as it lies in a fresh copy of the repository; `installed` puts Pyodide there."""
    place = tmp_path / "book" / "live" / "wheels.py"
    place.parent.mkdir(parents=True)
    shutil.copy(LIVE / "wheels.py", place)

    def alone(*told: str, installed: bool = True) -> str:
        lock = place.parent / "node_modules" / "pyodide" / "pyodide-lock.json"
        if installed:
            lock.parent.mkdir(parents=True, exist_ok=True)
            lock.write_text("{}")
        command = [sys.executable, place, *told]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert bool(run.returncode) == bool(run.stderr)
        return run.stderr

    return alone


def test_what_lacks_is_named_with_what_to_do(alone, tmp_path):
    assert "npm ci --prefix book/live" in alone("", installed=False)
    assert "npm ci --prefix book/live" in alone("wheels", "numpy", installed=False)
    nothing = alone("")
    assert "no folder was named" in nothing
    assert "python book/live/wheels.py wheels numpy\n    make live WHEELS=wheels" in nothing
    assert "elsewhere has no numpy-….whl" in alone("elsewhere")
    (tmp_path / "numpy-2.whl").touch()
    assert "no folder was named" in alone("")  # not the folder that one happens to be in
    assert alone(".") == ""
