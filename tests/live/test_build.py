"""What is put beside the built book: cells by name, links to labs, and what is said where something lacks."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from tests.live.conftest import forget

ROOT = Path(__file__).resolve().parents[2]
LIVE = ROOT / "book" / "live"


@pytest.fixture
def live(monkeypatch):
    """Gives a module that lies in `book/live`, by its name."""
    monkeypatch.syspath_prepend(LIVE)
    yield import_module
    forget()


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


def test_a_page_names_the_cells_that_can_be_changed_before_it_runs(live, tmp_path):
    build = live("build")
    cells = build.cells_of(page(tmp_path, ("", "x = 1"), ("remove-input", "x"), ("", "x + 1")))["cells"]
    assert build.places_of(cells) == {cells[1]["name"]: (1, 1), cells[3]["name"]: (3, 5)}


def test_a_puzzle_is_three_cells_by_their_numbers(live, tmp_path):
    parts = ("", "x"), ("puzzle-setup", "s"), ("puzzle", "k"), ("puzzle-check", "c"), ("puzzle-answer", "a")
    assert live("build").cells_of(page(tmp_path, *parts))["puzzles"] == {3: [2, 3, 4]}


CPP = "%%cuda cpp\n__global__ void nothing() {}"


def test_what_needs_cpp_has_no_editor_and_a_page_without_editors_no_offer(live, tmp_path):
    def of(*cells: tuple[str, str]) -> tuple[list[bool], bool]:
        found = live("build").cells_of(page(tmp_path, *cells))
        return [cell["editor"] for cell in found["cells"].values()], found["editors"]

    assert of(("", "x = 1"), ("", CPP), ("", "cpp.nothing[1, 1]()"), ("", "x")) == (
        [True, False, False, True],
        True,
    )
    assert of(("remove-input", "x = 1"), ("remove-cell", "x"), ("puzzle-answer", "x")) == ([False] * 3, False)
    assert of(("", CPP), ("", "x = 1")) == (
        [False, True],
        False,
    )  # what the first cell prepares all others need
    assert of() == ([], False)


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


@pytest.mark.parametrize("site", ["html", ".", "html/live"])
def test_a_book_is_not_deleted_for_its_site(live, tmp_path, monkeypatch, site):
    build = live("build")
    monkeypatch.setattr(build, "changed_since", lambda *_: [])
    (tmp_path / "html").mkdir()
    (tmp_path / "html" / "page.html").write_text("kept", encoding="utf-8")
    with pytest.raises(SystemExit, match="a folder apart from"):
        build.main(tmp_path, tmp_path / "html", tmp_path / site)
    assert (tmp_path / "html" / "page.html").read_text(encoding="utf-8") == "kept"


@pytest.mark.parametrize("module", ["build", "lite"])
def test_a_folder_with_something_else_in_it_is_not_emptied_for_a_site(live, tmp_path, monkeypatch, module):
    made, site = live(module), tmp_path / "site"
    monkeypatch.setattr(made, "changed_since", lambda *_: [], raising=False)
    monkeypatch.setattr(made, "find_spec", lambda _: True, raising=False)
    (tmp_path / "html").mkdir()
    site.mkdir()
    (site / "thesis.txt").write_text("kept", encoding="utf-8")
    arguments = {"build": (tmp_path / "html", site), "lite": (site,)}
    with pytest.raises(SystemExit, match=r"site is no site that was made by this, .* empty it"):
        made.main(tmp_path, *arguments[module])
    assert (site / "thesis.txt").read_text(encoding="utf-8") == "kept"


def test_what_an_earlier_run_made_and_an_empty_folder_make_room(live, tmp_path):
    emptied = live("build").emptied
    (tmp_path / "site" / "_live").mkdir(parents=True)
    (tmp_path / "none").mkdir()
    for name in ("site", "none", "new"):
        assert not emptied(tmp_path / name, "_live").exists()


def test_a_cell_that_python_does_not_read_is_named_with_its_page(live, tmp_path):
    with pytest.raises(SystemExit, match=r"\.md, In\[2\], line 2: '\(' was never closed"):
        live("build").cells_of(page(tmp_path, ("", "x = 1"), ("", "x\n(1")))


SAYS = '<html><head><meta charset="utf-8" /></head><body><h1>Title</h1></body></html>'


def test_pages_of_one_name_and_one_that_is_named_as_a_file_have_their_own_cells(live, tmp_path, monkeypatch):
    build, book, site = live("build"), tmp_path / "html", tmp_path / "site"
    cells = {"editors": True, "cells": {}}
    given = {
        "changed_since": lambda *_: [],
        "loaded": lambda at, _: at.mkdir() or {},
        "scripts": lambda _: None,
        "parse_toc_yaml": lambda _: ["files", "a/same", "b/same"],
        "cells_of": lambda path: {**cells, "of": str(path.relative_to(build.ROOT))},
    }
    for name, stands_in in given.items():
        monkeypatch.setattr(build, name, stands_in)
    for name in ("files", "a/same", "b/same"):
        (book / f"{name}.html").parent.mkdir(parents=True, exist_ok=True)
        (book / f"{name}.html").write_text(SAYS, encoding="utf-8")
    build.main(tmp_path, book, site)
    for name in ("files", "a/same", "b/same"):
        text = (site / f"{name}.html").read_text(encoding="utf-8")
        at, script = (re.search(f'{what}="([^"]*)"', text)[1] for what in ("data-cells", 'module" src'))
        found = json.loads(((site / f"{name}.html").parent / script).with_name(at).read_text())
        assert found["of"] == f"{name}.md"
    (files,) = site.glob("_live/*/files.json")
    assert json.loads(files.read_text()) == {}


CHAPTER = "<p>Lab 2 · needs</p><p>Then.</p>\n<p><strong>Lab 2</strong>, then <em>on</em>.</p><p>End.</p>"


def test_a_chapter_has_one_link_to_its_lab_however_often_it_gets_it(live):
    lite = live("lite")
    once = lite.with_link(CHAPTER, "../lab/", "masks", "")
    assert once.count("<a ") == 2
    assert 'href="../lab/index.html"' in once  # all labs
    assert "on</em>.</p>\n<p class=" in once  # a paragraph of its own
    assert 'href="../lab/notebooks/index.html?path=masks.ipynb" target="_blank"' in once
    assert ">Do Lab 2 in your browser</a>" in once
    assert lite.with_link(once, "../lab/", "masks", "") == once
    assert lite.with_link(once, "../labs/", "masks", "").count("<a ") == 2
    with pytest.raises(SystemExit, match="names no lab"):
        lite.with_link("<p>No lab.</p>", "../lab/", "masks", "")


NUMPY = "numpy-2-cp313-wasm32.whl"


def packed(wheel: Path) -> Path:
    wheel.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("numpy/__init__.py", "import math\n" * 99)
    return wheel


def test_what_the_kernel_imports_is_fetched_again_unless_each_file_is_the_pinned_one(
    live, tmp_path, monkeypatch
):
    lite, folder, asked = live("lite"), tmp_path / "fetched", []
    contents = {"decorator-5.whl": b"decorator", "comm-1.whl": b"comm"}

    def fetch(command: list[str], **_: object) -> None:
        asked.append(command)
        for name, content in contents.items():
            (folder / name).write_bytes(content)

    pins = tmp_path / "kernel.txt"
    hashes = [hashlib.sha256(content).hexdigest() for content in contents.values()]
    pins.write_text("\n".join(f"one==1 --hash=sha256:{each}" for each in hashes))
    for name, value in {"PINS": pins, "FETCHED": folder, "subprocess": SimpleNamespace(run=fetch)}.items():
        monkeypatch.setattr(lite, name, value)
    changes = (
        lambda: None,  # nothing is there
        lambda: (folder / "comm-1.whl").write_bytes(b"co"),
        lambda: (folder / "comm-1.whl").unlink(),
        lambda: (folder / "another-1.whl").write_bytes(b"another"),
    )
    for times, change in enumerate(changes, 1):
        change()
        for _ in range(2):  # the second time all is there
            assert [path.name for path in lite.fetched()] == sorted(contents)
            assert len(asked) == times


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
            lock.write_text(
                json.dumps({"packages": {"numpy": {"file_name": NUMPY, "sha256": "of the release"}}})
            )
        command = [sys.executable, place, *told]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert bool(run.returncode) == bool(run.stderr)
        return run.stdout + run.stderr

    return alone


def test_what_lacks_is_named_with_what_to_do(alone, tmp_path):
    assert "npm ci --prefix book/live" in alone("", installed=False)
    assert "npm ci --prefix book/live" in alone("wheels", "numpy", installed=False)
    nothing = alone("")
    assert "no folder was named" in nothing
    assert "python book/live/wheels.py wheels numpy\n    make live WHEELS=wheels" in nothing
    assert "elsewhere has no numpy-….whl" in alone("elsewhere")
    packed(tmp_path / NUMPY)
    assert "no folder was named" in alone("")  # not the folder that one happens to be in
    assert f"{NUMPY} is not the file of Pyodide's release, and is taken as it is" in alone(".")


def test_a_wheel_that_pyodide_cannot_load_is_named_before_anything_is_written(alone, tmp_path):
    other = packed(tmp_path / "linux" / "numpy-2-cp313-manylinux_x86_64.whl")
    assert f"{other.name} is not for the Pyodide that is installed, which loads {NUMPY}" in alone("linux")
    for name in (NUMPY, "numpy-1-cp312-wasm32.whl"):
        packed(tmp_path / "two" / name)
    assert f"two has 2 wheels of NumPy: leave {NUMPY} alone there" in alone("two")
    whole = packed(tmp_path / "cut" / NUMPY)
    content = whole.read_bytes()
    for damaged in (content[: len(content) // 2], content.replace(b"import", b"export", 1), b""):
        whole.write_bytes(damaged)
        assert f"{NUMPY} is cut off or damaged: remove it, and fetch it once more" in alone("cut")
    assert "Traceback" not in alone("cut")


def test_what_is_published_has_passed_its_tests():
    """By the name of the workflow; `on` is a truth value in YAML 1.1."""
    workflows = LIVE.parents[1] / ".github" / "workflows"
    publish, test = (
        yaml.safe_load((workflows / f"{name}.yml").read_text(encoding="utf-8"))
        for name in ("publish", "test")
    )
    assert publish[True].keys() == {"workflow_run", "workflow_dispatch"}
    assert publish[True]["workflow_run"]["workflows"] == [test["name"]]
    (job,) = publish["jobs"].values()
    assert "workflow_run.conclusion == 'success'" in job["if"]
    assert "workflow_run.head_sha" in job["steps"][0]["with"]["ref"]


def test_modules_are_compiled_by_the_python_that_imports_them(live, wheels, tmp_path):
    """Each .pyc says that it is not to be compared with its text, and what no page imports has none."""
    archive = tmp_path / "course.zip"
    with zipfile.ZipFile(archive, "w") as out:
        out.writestr("book/a.py", "x = 1")
        out.writestr("tests/b.py", "x = 1")
    live("build").compiled([archive])
    with zipfile.ZipFile(archive) as compiled:
        names = compiled.namelist()
        made = [name for name in names if name.endswith(".pyc")]
        assert names == ["book/a.py", "tests/b.py", *made]
        assert [name.partition(".")[0] for name in made] == ["book/__pycache__/a"]
        assert compiled.read(made[0])[4:8] == bytes([1, 0, 0, 0])
