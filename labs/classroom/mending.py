"""Which notebook is graded? The released one, with what the student wrote in its cells for answers.

Locked cells, points and the order of cells are always the released ones, so copied, deleted, reordered,
renamed or stripped cells do no harm. Where it is not certain which text is an answer, the submission is to
be looked at by hand, and the reason is written down.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode, v4

from classroom.names import bound, defined, python_of
from classroom.reading import Handed

KEY = "classroom"  # of the metadata in which the kit notes what it knows


@dataclass
class Mended:
    """A notebook that can be graded. `repaired` is for information; `look` says why a person has to look."""

    notebook: NotebookNode
    repaired: list[str] = field(default_factory=list)
    look: list[str] = field(default_factory=list)


def nbgrader_of(cell: NotebookNode) -> dict[str, Any]:
    found: dict[str, Any] = cell.metadata.get("nbgrader", {})
    return found


def is_answer(cell: NotebookNode) -> bool:
    return bool(nbgrader_of(cell).get("solution"))


def is_check(cell: NotebookNode) -> bool:
    """A cell whose points a machine gives."""
    return bool(nbgrader_of(cell).get("grade")) and not is_answer(cell)


def is_students(cell: NotebookNode) -> bool:
    """Code that a student wrote: in a cell for answers, or in a cell of their own."""
    return cell.cell_type == "code" and (is_answer(cell) or bool(cell.metadata.get(KEY, {}).get("own")))


def mend(handed: list[Handed], released: NotebookNode) -> Mended:
    """The released notebook with the answers of these cells; cells of their own stay where they were."""
    mended = Mended(copy.deepcopy(released))
    cells = mended.notebook.cells
    names = {cell.id: cell for cell in cells} | {
        str(nbgrader_of(cell).get("grade_id")): cell for cell in cells if nbgrader_of(cell)
    }
    place: dict[int, NotebookNode] = {}  # which released cell is handed[k]?
    for k, each in enumerate(handed):
        cell = names.get(each.grade_id) or names.get(each.id)
        if cell is not None:
            place[k] = cell
    by_name = len(place)
    _by_content(handed, cells, place)
    if len(place) > by_name:
        mended.repaired.append(f"{len(place) - by_name} cells have lost their names and are known by content")
    for cell in cells:
        if is_answer(cell):
            _answer(cell, [handed[k] for k in place if place[k] is cell], mended)
    order = [cells.index(place[k]) for k in sorted(place)]
    if order != sorted(order):
        mended.repaired.append("the cells were in another order")
    missing = sum(all(place[k] is not cell for k in place) for cell in cells if is_check(cell))
    if missing:
        mended.repaired.append(f"{missing} checks were missing")
    _insert_own(handed, place, mended)
    return mended


def _by_content(handed: list[Handed], cells: list[NotebookNode], place: dict[int, NotebookNode]) -> None:
    """Find cells without names: by their text, by the names that they define, or as the only ones left."""
    free = [cell for cell in cells if all(found is not cell for found in place.values())]
    rest = [k for k in range(len(handed)) if k not in place]
    for k in [*rest]:
        same = next((cell for cell in free if cell.source.strip() == handed[k].source.strip()), None)
        if same is not None and not is_answer(same):
            place[k] = same
            rest.remove(k)
    free = [cell for cell in free if all(found is not cell for found in place.values())]
    for cell in (cell for cell in free if cell.cell_type == "code"):
        wanted = defined(cell.source) or (bound(cell.source) if is_answer(cell) else set())
        for k in [*rest]:
            if wanted and handed[k].kind == "code" and wanted <= bound(python_of(handed[k].source)):
                place[k] = cell
                rest.remove(k)
    written = [cell for cell in free if is_answer(cell) and cell.cell_type == "markdown"]
    text = [k for k in rest if handed[k].kind == "markdown"]
    if len(written) == 1 and len(text) == 1:
        place[text[0]] = written[0]


def _answer(cell: NotebookNode, given: list[Handed], mended: Mended) -> None:
    """Put an answer into its cell; without one the starter stays, of several the last counts."""
    name, starter = nbgrader_of(cell)["grade_id"], cell.source
    if not given:
        mended.look.append(f"the answer `{name}` is not in the notebook")
        return
    changed = list(dict.fromkeys(each.source for each in given if each.source.strip() != starter.strip()))
    if len(changed) > 1:
        mended.look.append(
            f"the answer `{name}` is there {len(changed)} times, with different text; the last one is graded"
        )
    elif len(given) > 1:
        mended.repaired.append(f"the answer `{name}` was there {len(given)} times")
    cell.source = changed[-1] if changed else starter
    if pictures := next((each.attachments for each in given if each.source == cell.source), {}):
        cell.attachments = pictures


def _insert_own(handed: list[Handed], place: dict[int, NotebookNode], mended: Mended) -> None:
    """Cells that students added come behind the released cell that they stood behind."""
    cells, after = mended.notebook.cells, None
    own = 0
    for k, each in enumerate(handed):
        if k in place:
            after = place[k]
            continue
        if not each.source.strip():
            continue
        own += 1
        make = v4.new_code_cell if each.kind == "code" else v4.new_markdown_cell
        cell = make(each.source, id=f"own-{own}", metadata={KEY: {"own": True}})
        position = next((n for n, known in enumerate(cells) if known is after), -1)
        cells.insert(position + 1, cell)
        after = cell
