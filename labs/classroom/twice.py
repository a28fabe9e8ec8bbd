"""How does a submission get its points? It runs twice, in boxes: as students run it, and as it is checked.

First the notebook runs with the checks that students have: what they see is what feedback shows. Then a fresh
interpreter gets the definitions and plain values of the student's cells (carrying.py) and runs the whole
checks, hidden tests included: only these give points, and nobody but the marker sees what they say.
"""

from __future__ import annotations

import copy
from typing import Any

import nbformat
from nbformat import NotebookNode, v4
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import get_partial_grade
from traitlets import Bool, Instance

from classroom.audit import findings
from classroom.box import box
from classroom.carrying import carried
from classroom.course import Course
from classroom.mending import KEY, is_check, is_students, nbgrader_of
from classroom.names import bound, defined, needed, python_of
from classroom.reading import files_in
from classroom.running import Ran, run


class Twice(NbGraderPreprocessor):
    """Runs a mended notebook, and leaves in each cell's metadata what is known about it."""

    course = Instance(Course).tag(config=True)
    isolated = Bool(True).tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        if nb.metadata.get(KEY, {}).get("unread"):
            return nb, resources
        lab, student = (resources["nbgrader"][name] for name in ("assignment", "student"))
        locked = [each.source for each in nb.cells if each.cell_type == "code" and not is_students(each)]
        kept = frozenset[str]().union(*map(defined, locked))
        seen = self._seen(nb, lab, student)
        fresh, left = self._fresh(nb, seen, kept, lab, student)
        known = nb.metadata.setdefault(KEY, {})
        look, notes = list(known.get("look", ())), list(known.get("repaired", ()))
        if seen.ended:
            notes.append(f"as the student runs it: {seen.ended}")
        total = most = 0.0
        for cell, first, second in zip(nb.cells, seen.notebook.cells, fresh.notebook.cells, strict=True):
            if cell.cell_type != "code":
                continue
            cell.outputs = second.outputs if is_check(cell) else first.outputs
            if is_check(cell):
                points = float(nbgrader_of(cell)["points"])
                score, why = score_of(second, fresh.status.get(cell.id, ""), points)
                cell.metadata[KEY] = {"seen": first.outputs, "released": first.source, "score": score}
                total, most = total + (score or 0.0), most + points
                look += [f"{cell.id}: {why}"] if why else []
            elif is_students(cell):
                for found in findings(cell.source, kept):
                    (look if found.inside else notes).append(f"cell `{cell.id}`, {found}")
        if fresh.ended:
            look.append(f"the checks did not come to their end: {fresh.ended}")
        if left and total < most:
            look += [
                f"`{name}` cannot be handed to the checks: {where}" for name, where in sorted(left.items())
            ]
        known.update(look=look, notes=notes)
        nb.cells.insert(0, note_on(look, notes))
        return nb, resources

    def _seen(self, nb: NotebookNode, lab: str, student: str) -> Ran:
        """The run that the student sees, with the released checks."""
        released = {each.id: each.source for each in nbformat.read(self.course.released(lab), 4).cells}
        own = copy.deepcopy(nb)
        asked: dict[str, set[str]] = {}
        names: set[str] = set()
        for cell in own.cells:
            if is_students(cell):
                names = names | bound(python_of(cell.source))
                asked[cell.id] = names
            else:
                cell.source = released.get(cell.id, cell.source)
        return self._run(own, lab, student, asked)

    def _fresh(
        self, nb: NotebookNode, seen: Ran, kept: frozenset[str], lab: str, student: str
    ) -> tuple[Ran, dict[str, str]]:
        """The run that is checked; and names that checks need of the student, with where they stay behind."""
        own = copy.deepcopy(nb)
        bind, need, left = set[str](), set[str](), dict[str, str]()
        before: dict[str, Any] = {}
        for cell in (each for each in own.cells if each.cell_type == "code"):
            if is_students(cell):
                values = seen.values.get(cell.id, {})
                own_names = bound(python_of(cell.source))
                new = {
                    name: each
                    for name, each in values.items()
                    if name in own_names or each != before.get(name)
                }
                before = values
                crossed = carried(cell.source, new, kept)
                there = bound(crossed.source)
                left = {name: where for name, where in left.items() if name not in there}
                left |= dict.fromkeys(
                    crossed.left, f"what the cell `{cell.id}` binds it to is neither defined nor plain"
                )
                cell.source = crossed.source
            else:
                bind |= bound(cell.source)
            need |= needed(cell.source)
        return self._run(own, lab, student, {}), {name: left[name] for name in left.keys() & need - bind}

    def _run(self, nb: NotebookNode, lab: str, student: str, asked: dict[str, set[str]]) -> Ran:
        files = files_in(self.course.handed_in(lab, student))
        helpers = tuple(each for each in files if each.suffix != ".ipynb" and each.name != "timestamp.txt")
        with box(self.course.limits, isolated=self.isolated, helpers=helpers) as made:
            return run(nb, made, asked)


def score_of(cell: NotebookNode, status: str, points: float) -> tuple[float | None, str]:
    """None for an error, all, or a number as the only result of a check; and what is odd about it."""
    if not status:
        return None, ""
    if status == "error" or any(each.output_type == "error" for each in cell.outputs):
        return 0.0, ""
    results = [each for each in cell.outputs if each.output_type == "execute_result"]
    if len(results) > 1:
        return None, f"it shows {len(results)} results"
    try:
        return (float(get_partial_grade(results[0], points)) if results else points), ""
    except (ValueError, KeyError) as error:
        return None, f"its result is no number of points ({error})"


def note_on(look: list[str], notes: list[str]) -> NotebookNode:
    """What the marker reads above the notebook. Set in, it is text, whatever it holds."""
    parts = [("Look by hand", look), ("Notes", notes)]
    told = [f"**{head}**\n\n" + "\n".join(f"    {line}" for line in lines) for head, lines in parts if lines]
    text = "\n\n".join(told) or "*Nothing to look at beside the written answer.*"
    return v4.new_markdown_cell(text, id="for-the-marker", metadata={KEY: {"note": True}})
