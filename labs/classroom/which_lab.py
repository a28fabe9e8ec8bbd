"""Of which lab is a notebook? Its cells say it, whatever its file is called: they have a `grade_id`.

Labs share names such as `setup` and `explain`, so half of a lab's names are asked for.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path

from classroom.reading import Handed, Unreadable, cells_in


def lab_of(content: bytes, labs: Path) -> str:
    """The lab whose notebook this is, of those under `labs/instructor`; "" where it cannot be told."""
    try:
        cells, _ = cells_in(content)
    except Unreadable:
        return ""
    found = _names(cells)
    shares = {lab: len(found & names) / len(names) for lab, names in _labs(labs).items() if names}
    best = max(shares, key=lambda lab: shares[lab], default="")
    return best if shares.get(best, 0.0) >= 0.5 else ""


def _names(cells: list[Handed]) -> set[str]:
    return {name for each in cells for name in (each.id, each.grade_id) if name}


@functools.cache
def _labs(labs: Path) -> dict[str, set[str]]:
    """The names of each lab's cells for nbgrader."""
    found = dict[str, set[str]]()
    for file in sorted((labs / "instructor").glob("*/*.ipynb")):
        cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
        told = (each["metadata"].get("nbgrader", {}) for each in cells)
        found[file.parent.name] = {each["grade_id"] for each in told if "grade_id" in each}
    return found
