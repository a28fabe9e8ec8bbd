"""Each page's published cells, in the Python of a browser: what says that it runs there does."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import needs_live

ROOT = Path(__file__).resolve().parents[2]
IN_NODE = Path(__file__).with_name("cells_in_node.mjs")
PAGES = [
    path.stem for path in sorted((ROOT / "book").glob("*.md")) if "{code-cell}" in path.read_text("utf-8")
]
QUICK = {"coalescing", "cooperative-groups"}


@pytest.fixture(scope="module")
def site(build, wheels, tmp_path_factory) -> Path:
    """What a browser loads, which is all that the cells have."""
    if shutil.which("node") is None:
        needs_live("cells run in node, which is not installed")
    folder: Path = tmp_path_factory.mktemp("cells") / "_live"
    build.loaded(folder, build.numpy_in(str(wheels)))
    return folder


def run_here(page: dict[str, Any]) -> list[int]:
    """The cells that a reader's clicks run: all in order, but each puzzle by itself, without its solution."""
    answers = {check + 1 for _, _, check in page["puzzles"].values()}
    return [
        number for number, cell in page["cells"].items() if not cell["elsewhere"] and number not in answers
    ]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.all_records) for name in PAGES]
)
def test_a_page_with_editors_runs_to_its_end(name, build, site):
    page = build.cells_of(ROOT / "book" / f"{name}.md")
    if not page["editors"]:
        return
    asked = [(number, page["cells"][number]["source"]) for number in run_here(page)]
    command = ["node", "--stack-size=4000", IN_NODE, site]
    run = subprocess.run(command, input=json.dumps(asked), capture_output=True, encoding="utf-8", check=False)
    assert run.returncode == 0, run.stderr
    ended = {number: outputs[-1] for number, outputs in json.loads(run.stdout) if outputs}
    assert {number: last["text"] for number, last in ended.items() if last["kind"] == "failed"} == {}
    away = {number: last["text"] for number, last in ended.items() if last["kind"] == "elsewhere"}
    assert {number: text for number, text in away.items() if page["cells"][number]["editor"]} == {}


@pytest.mark.parametrize("name", PAGES)
def test_a_puzzle_needs_no_cell_of_cpp(name, build):
    page = build.cells_of(ROOT / "book" / f"{name}.md")
    of_puzzles = [number for three in page["puzzles"].values() for number in three]
    assert not [number for number in of_puzzles if page["cells"][number]["elsewhere"]]
