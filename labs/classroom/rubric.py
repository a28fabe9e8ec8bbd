"""What does the marker read above a written answer? What earns points, and what to say."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, v4

from classroom.courses_own import SOLUTION
from classroom.mending import KEY, is_answer, nbgrader_of

MARKING = Path(__file__).parent / "marking.toml"


def rubric(lab: str, cell: NotebookNode) -> NotebookNode:
    """A cell with the full answer, from this cell of the instructor's notebook, and what others earn."""
    found = SOLUTION.search(cell.source)
    full = re.split(r"\n\s*\n", (found[1] if found else cell.source).strip())
    parts, lines = _parts(lab), ["**For the marker: what earns the points**"]
    if len(full) != len(parts):
        lines += ["", *full]
    for number, part in enumerate(parts, 1):
        whole = [f"| 1 | {' '.join(full[number - 1].split())} |"] if len(full) == len(parts) else []
        rows = [*whole, f"| ½ | {part['half']} |", f"| 0 | {part['none']} |"]
        lines += ["", f"| {number} | An answer |", "|---|---|", *rows, "", f"*To say at ½:* {part['say']}"]
    made: NotebookNode = v4.new_markdown_cell("\n".join(lines), id=f"rubric-{nbgrader_of(cell)['grade_id']}")
    made.metadata[KEY] = {"note": True}
    return made


def with_rubrics(nb: NotebookNode, lab: str, source: NotebookNode) -> None:
    """Set one before each written answer of this notebook."""
    asked = {
        nbgrader_of(each)["grade_id"]: each
        for each in source.cells
        if is_answer(each) and nbgrader_of(each).get("grade")
    }
    for name, cell in asked.items():
        places = [place for place, each in enumerate(nb.cells) if nbgrader_of(each).get("grade_id") == name]
        for place in places[:1]:
            nb.cells.insert(place, rubric(lab, cell))


@cache
def _marking() -> dict[str, Any]:
    return tomllib.loads(MARKING.read_text(encoding="utf-8"))


def _parts(lab: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = _marking().get(lab, {}).get("parts", [])
    return found
