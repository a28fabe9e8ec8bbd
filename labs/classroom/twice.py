"""How does a submission get its points? It runs twice, in boxes: as students run it, and as it is checked.

First the notebook runs with the checks that students have: what they see is what feedback shows. Then two
fresh interpreters, in boxes of their own, get what crosses of the student's cells (carrying.py), and none of
the files beside the notebook. One has the student's functions. The other runs the whole checks, hidden tests
included, and none of the student's Python: it asks the first one for each answer. Only these checks give
points, and nobody but the marker sees what they say. Where a prediction may come
from a run, the cells run once more without the simulator (predicted.py).
"""

from __future__ import annotations

import copy
import re
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import nbformat
from nbformat import NotebookNode, v4

from classroom.alone import alone
from classroom.audit import findings
from classroom.box import Way, box
from classroom.carrying import Names, carried
from classroom.course import Isolation, Limits
from classroom.isolation import chosen
from classroom.likeness import are_alike
from classroom.mending import KEY, is_answer, is_check, is_students, mend, nbgrader_of
from classroom.names import bound, held, magic_over, needed, python_of
from classroom.pages import Harmless
from classroom.predicted import Cell, found, questions
from classroom.reading import HALF, Unreadable, cells_of, is_notebook, notebook_in
from classroom.running import Ran, begun, judged, run
from gpusim.grading.answers import QUARTERS

BEGINS_HIDDEN = re.compile(r"^### BEGIN HIDDEN TESTS$", re.MULTILINE)
REACHED = "application/x-hidden-tests"  # a check says that it came so far
SAYS_SO = f"__import__('IPython').display.display({{{REACHED!r}: ''}}, raw=True)"
APART = "it gives less here than in the student's own run, already where students see it"
TAKEN = "cell `{cell}`: `{name}` stays what locked cells define, so what this cell makes of it is not checked"
HUNG = "without it the cell `{}` did not end in its time"
NOTES = "Notes: points are as they would be without them, and nothing is left to do"
NOTHING = "*Nothing to look at beside the written answer.*"
DRAW = "__import__('gpusim.grading.draws').grading.draws.draw_from({})"


@dataclass(frozen=True)
class Job:
    """All that is needed of a course to run one submission, wherever that is done.

    `released` is the students' notebook as text, `locked` the whole source of its locked cells, by their id;
    `isolation`: None for none, as `--unsafe` asks for; `drawn`: what the inputs of checks follow from.
    """

    lab: str
    released: str
    locked: Mapping[str, str]
    files: Mapping[str, bytes]
    limits: Limits
    isolation: Isolation | None
    drawn: int = 0


def twice(job: Job) -> str:
    """The notebook of this submission as text: mended, run, and with what is known in its metadata."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name, content in job.files.items():
            (folder / name).write_bytes(content)
        notebook = released = nbformat.reads(job.released, 4)
        look: list[str] = []
        nothing = False
        try:
            cells, done = cells_of(notebook_in(folder, job.lab))
            mended = mend(cells, released)
            notebook = mended.notebook
            halves = [each for each in done if each == HALF]
            notebook.metadata[KEY] = {
                "look": [*mended.look, *halves],
                "repaired": [*done, *mended.repaired],
            }
            _Twice(job, folder).run(notebook)
            _clean(notebook, job.limits)
        except Unreadable as error:
            look, nothing = [str(error)], True
        except (RecursionError, MemoryError) as error:
            look = [f"its Python is nested too deeply, or too long, to be read ({type(error).__name__})"]
        if look:
            notebook.metadata[KEY] = {"look": look, "unread": True, "nothing": nothing}
            notebook.cells.insert(0, note_on(look, []))
    text: str = nbformat.writes(notebook)
    return text


def _clean(nb: NotebookNode, limits: Limits) -> None:
    """What cells show, here where time and memory are bounded; pages clean it again."""
    clean = Harmless(most_characters=limits.output_kb * 1024)
    for cell in (each for each in nb.cells if each.cell_type == "code"):
        clean.preprocess_cell(cell, {}, 0)
        if seen := cell.metadata.get(KEY, {}).get("seen"):
            shown = v4.new_code_cell("", outputs=seen)
            clean.preprocess_cell(shown, {}, 0)
            cell.metadata[KEY]["seen"] = shown.outputs


@dataclass(frozen=True)
class _Twice:
    """Runs a mended notebook, and leaves in each cell's metadata what is known about it."""

    job: Job
    folder: Path

    def run(self, nb: NotebookNode) -> None:
        own = copy.deepcopy(nb)  # as students have it
        for cell in nb.cells:
            cell.source = self.job.locked.get(cell.id, cell.source)
        locked = [each.source for each in nb.cells if each.cell_type == "code" and not is_students(each)]
        kept = held(locked)
        seen = self._seen(own)
        names = Names.of([each.source for each in nb.cells if each.cell_type == "code"], kept)
        fresh, left, odd = self._fresh(nb, seen, names)
        known = nb.metadata[KEY]
        look, notes, taken = [*known["look"], *odd], list(known["repaired"]), list[str]()
        if seen.ended:
            notes.append(f"as the student runs it: {seen.ended}")
        total = most = 0.0
        released = nbformat.reads(self.job.released, 4)
        untouched = _untouched(nb, released)
        for cell, first, second in zip(nb.cells, seen.notebook.cells, fresh.notebook.cells, strict=True):
            if cell.cell_type != "code":
                continue
            cell.outputs = first.outputs
            if is_check(cell):
                points = float(nbgrader_of(cell)["points"])
                reached = [each for each in second.outputs if REACHED in each.get("data", ())]
                cell.outputs = [each for each in second.outputs if each not in reached]
                score, why = score_of(cell, fresh.status.get(cell.id, ""), points)
                before, _ = score_of(first, seen.status.get(cell.id, ""), points)
                apart = score is not None and score < (before or 0.0) and not reached
                known_of = {"seen": first.outputs, "released": first.source, "score": score, "apart": apart}
                cell.metadata[KEY] = known_of
                look += [f"{cell.id}: {APART}"] if apart else []
                total, most = total + (score or 0.0), most + points
                look += [f"{cell.id}: {why}"] if why else []
                if cell.id in fresh.cut:
                    look.append(f"{cell.id}: it shows more than a check does, and is cut")
                if score and cell.id in untouched:
                    look.append(f"{cell.id}: {score:g} points, and its answer is as it was released")
            elif is_students(cell):
                for found in findings(cell.source, names):
                    (look if found.look else notes).append(f"cell `{cell.id}`, {found}")
                if is_answer(cell) and (magic := magic_over(cell.source)):
                    look.append(f"cell `{cell.id}` begins with `{magic}`: none of it is checked")
                own_names = sorted(bound(python_of(cell.source)) & kept)
                taken += [
                    TAKEN.format(cell=cell.id, name=each) for each in own_names if not names.roots.root(each)
                ]
        look += self._not_own(nb, seen, [_starter(each) for each in released.cells], names)
        if fresh.ended:
            look.append(f"the checks did not come to their end: {fresh.ended}")
        if left and total < most:
            look += [
                f"`{name}` cannot be handed to the checks: {where}" for name, where in sorted(left.items())
            ]
        look += taken if total < most else []
        known.update(look=look, notes=notes)
        nb.cells.insert(0, note_on(look, notes))

    def _seen(self, own: NotebookNode) -> Ran:
        """The run that the student sees, with the released checks."""
        asked: dict[str, set[str]] = {}
        names: set[str] = set()
        for cell in own.cells:
            if is_students(cell):
                names = names | bound(python_of(cell.source))
                asked[cell.id] = names
        helpers = [each for each in self.job.files if not is_notebook(each) and each != "timestamp.txt"]

        def attempt() -> Ran:
            with box(self.job.limits, self._way(), tuple(self.folder / each for each in helpers)) as made:
                return run(own, made, asked)

        return begun(attempt)

    def _fresh(self, nb: NotebookNode, seen: Ran, names: Names) -> tuple[Ran, dict[str, str], list[str]]:
        """The run that is checked; names that checks need of the student, with where they stay behind; and
        cells of which nothing crosses.
        """
        own, theirs = copy.deepcopy(nb), copy.deepcopy(nb)
        bind, need, left = set[str](), set[str](), dict[str, str]()
        before: dict[str, Any] = {}
        odd = []
        for cell, answers in zip(own.cells, theirs.cells, strict=True):
            if cell.cell_type != "code":
                continue
            if is_students(cell):
                values = seen.values.get(cell.id, {})
                own_names = bound(python_of(cell.source))
                new = {
                    name: each
                    for name, each in values.items()
                    if name in own_names or each != before.get(name)
                }
                before = values
                crossed = carried(cell.source, new, names)
                odd += [f"cell `{cell.id}`: {crossed.odd}"] if crossed.odd else []
                there = bound(crossed.judged) - crossed.left
                left = {name: where for name, where in left.items() if name not in there}
                left |= dict.fromkeys(
                    crossed.left, f"what the cell `{cell.id}` binds it to is neither defined nor plain"
                )
                need |= needed(crossed.source)
                cell.source, answers.source = crossed.judged, crossed.source
            else:
                bind |= bound(cell.source)
                need |= needed(cell.source)
                if is_check(cell):
                    answers.source, cell.source = "", BEGINS_HIDDEN.sub(SAYS_SO, cell.source)
        first = next(cell for cell in own.cells if cell.cell_type == "code")
        # the empty line: IPython looks for prompts in the first two lines, and `...` may be one
        first.source = f"{DRAW.format(self.job.drawn)}\n\n{first.source}"

        def attempt() -> Ran:
            with box(self.job.limits, self._way()) as made, box(self.job.limits, self._way()) as their:
                return judged(own, made, theirs, their)

        return begun(attempt), {name: left[name] for name in left.keys() & need - bind}, odd

    def _not_own(self, nb: NotebookNode, seen: Ran, starters: list[str], names: Names) -> list[str]:
        """What a run has told: values that the statements do not give without the simulator."""
        code = [Cell(each.id, each.source, _kind(each)) for each in nb.cells if each.cell_type == "code"]
        asked = questions(code, starters, names)
        if not asked:
            return []

        def attempt() -> Ran:
            with box(self.job.limits, self._way(), simulator=False) as made:
                return run(alone(nb), made, asked)

        ran = begun(attempt)
        return found(asked, seen.values, ran.values, ran.ended or "".join(map(HUNG.format, ran.hung[:1])))

    def _way(self) -> Way:
        return Way() if self.job.isolation is None else chosen(self.job.isolation)


def _starter(cell: NotebookNode) -> str:
    return cell.source if cell.cell_type == "code" and is_answer(cell) else ""


def _kind(cell: NotebookNode) -> Literal["own", "check", "course"]:
    return "own" if is_students(cell) else "check" if is_check(cell) else "course"


def _untouched(nb: NotebookNode, released: NotebookNode) -> set[str]:
    """The checks whose answers, which stand before them, are still what every student gets."""
    starters = {each.id: each.source for each in released.cells}
    found, answers = set(), list[NotebookNode]()
    for cell in nb.cells:
        if is_check(cell):
            if answers and all(are_alike(each.source, starters.get(each.id, "")) for each in answers):
                found.add(cell.id)
            answers = []
        elif cell.cell_type == "code" and is_answer(cell):
            answers.append(cell)
    return found


def score_of(cell: NotebookNode, status: str, points: float) -> tuple[float | None, str]:
    """None for an error, all, or a number as the only result of a check; and what is odd about it."""
    if not status:
        return None, ""
    if status == "error" or any(each.output_type == "error" for each in cell.outputs):
        return 0.0, ""
    results = [each for each in cell.outputs if each.output_type == "execute_result"]
    if len(results) > 1:
        return None, f"it shows {len(results)} results"
    if not results:
        return points, ""
    told = str(results[0].data.get("text/plain"))
    with suppress(ValueError):
        if 0 <= (score := float(told)) <= points and score * QUARTERS % 1 == 0:
            return score, ""
    return None, f"its result is no number of points that there is: {told[:60]}"


def is_of_nothing(cell: NotebookNode) -> bool:
    """Is this the note that there is nothing to look at?"""
    return bool(cell.metadata.get(KEY, {}).get("note")) and cell.source == NOTHING


def note_on(look: list[str], notes: list[str], head: str = "Look by hand") -> NotebookNode:
    """What the marker reads above the notebook. Set in, it is text, whatever it holds."""
    parts = [(head, look), (NOTES, notes)]
    told = [f"**{head}**\n\n" + "\n".join(f"    {line}" for line in lines) for head, lines in parts if lines]
    text = "\n\n".join(told) or NOTHING
    made: NotebookNode = v4.new_markdown_cell(text, id="for-the-marker", metadata={KEY: {"note": True}})
    return made
