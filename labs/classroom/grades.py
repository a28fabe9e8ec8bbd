"""What did everyone get? One row for each student and lab; failed, missing, late, unmarked and zero differ.

A score stands only where nothing is left to do. `state` says what there is: `graded`, `to be marked` (the
written answer), `look by hand` (with the reason), `not graded`, `missing`, or `not due yet`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nbgrader.api import Grade, Gradebook, MissingEntry, SubmittedAssignment

from classroom.course import Course
from classroom.grading import is_of_another, record
from classroom.roster import COLUMNS

IMPORT = "grades-for-import.csv"
MOST = 5  # reasons that a table has room for


@dataclass(frozen=True)
class Row:
    """`score`: the points, less what lateness costs, or None; `checks` and `written` are its parts so far."""

    lab: str
    student: str
    last_name: str
    first_name: str
    email: str
    state: str
    score: float | None
    of: float
    hours_late: float | None
    late_penalty: float | None
    checks: float | None
    written: float | None
    look: str
    isolated: bool | None  # False: graded with `--unsafe`


def rows(course: Course, gradebook: Gradebook) -> list[Row]:
    """All rows, by lab and student. What lateness costs is brought up to date in the gradebook as well."""
    return [
        _row(course, gradebook, lab, student) for lab in course.due for student in sorted(course.students)
    ]


def export(course: Course) -> tuple[Path, list[Row]]:
    """Write `grades.csv`, and its scores alone with a column for each lab, as platforms import them."""
    with Gradebook(course.database, course.name) as gradebook:
        found = rows(course, gradebook)
    file = course.root / "grades.csv"
    _write(file, [each.name for each in fields(Row)], [asdict(row) for row in found])
    people = [
        {"id": student, **{name: about[name] for name in COLUMNS[1:]}}
        for student, about in sorted(course.students.items())
    ]
    scores = {(row.student, row.lab): row.score for row in found}
    wide = [{**each, **{lab: scores[each["id"], lab] for lab in course.due}} for each in people]
    _write(course.root / IMPORT, [*COLUMNS, *course.due], wide)
    return file, found


def _write(file: Path, columns: Sequence[str], table: Iterable[Mapping[str, object]]) -> None:
    """In one step. With a byte order mark: without it Excel takes UTF-8 for something else."""
    new = file.with_suffix(".new")
    with new.open("w", encoding="utf-8-sig", newline="") as opened:
        written = csv.DictWriter(opened, columns)
        written.writeheader()
        written.writerows({name: _cell(value) for name, value in row.items()} for row in table)
    new.replace(file)


def _row(course: Course, gradebook: Gradebook, lab: str, student: str) -> Row:
    about = course.students[student]
    names = (about["last_name"], about["first_name"], about["email"])
    most = float(gradebook.find_assignment(lab).max_score)
    if not course.handed_in(lab, student).is_dir():
        state = "missing" if datetime.now(UTC) > course.due_of(lab, student) else "not due yet"
        return Row(lab, student, *names, state, None, most, None, None, None, None, "", None)
    known = record(course, lab, student)
    submission = _submission(gradebook, lab, student) if known else None
    if submission is None:
        state, look = ("look by hand", known["look"]) if known else ("not graded", [])
        isolated = known.get("isolated")
        return Row(lab, student, *names, state, None, most, None, None, None, None, _told(look), isolated)
    (notebook,) = submission.notebooks
    checks, written = parts(notebook.grades)
    again = [each for each in notebook.grades if is_of_another(each)]
    state, asked = state_of(known, notebook.grades)
    late = seconds_late(course, lab, student, submission)
    earned = float(notebook.score) - sum(each.score - (each.auto_score or 0) for each in again)
    penalty = round(earned * course.late.percent(late) / 100, 2)
    if (notebook.late_submission_penalty or 0.0) != penalty:
        notebook.late_submission_penalty = penalty or None
        gradebook.db.commit()
    return Row(
        lab,
        student,
        *names,
        state,
        score=round(earned - penalty, 2) if state == "graded" else None,
        of=most,
        hours_late=round(late / 3600, 1),
        late_penalty=penalty,
        checks=checks,
        written=written,
        look=_told([*asked, *known["look"]]),
        isolated=known["isolated"],
    )


def seconds_late(course: Course, lab: str, student: str, submission: SubmittedAssignment) -> float:
    """After it was due for this student; 0.0 in time."""
    if submission.timestamp is None:
        return 0.0
    handed_in = submission.timestamp.replace(tzinfo=UTC)
    return max(0.0, float((handed_in - course.due_of(lab, student)).total_seconds()))


def state_of(known: dict[str, Any], grades: Iterable[Grade]) -> tuple[str, list[str]]:
    """What is left to do, and which points are to be typed again: for the table and the marking page."""
    checks = [each for each in grades if each.cell.cell_type == "code"]
    asked = [
        f"`{each.name}`: marked before, and changed since: type its points again"
        for each in grades
        if is_of_another(each)
    ]
    if _undecided(known, checks):
        return "look by hand", asked
    return "to be marked" if any(each.needs_manual_grade for each in grades) else "graded", asked


def _undecided(known: dict[str, Any], checks: list[Grade]) -> bool:
    """What a machine does not decide stays open until somebody has typed points."""
    typed = [each.manual_score is not None for each in checks]
    decided = all(typed) if known.get("unread") else any(typed) or not known["look"]
    return any(each.needs_manual_grade for each in checks) or not decided


def parts(grades: Iterable[Grade]) -> tuple[float | None, float | None]:
    """The points of the checks, and of what is written; None where one of them has none yet."""
    of = [[each for each in grades if (each.cell.cell_type == "code") == code] for code in (True, False)]
    return _sum(of[0]), _sum(of[1])


def _sum(grades: list[Grade]) -> float | None:
    given = [
        each.auto_score if each.manual_score is None or is_of_another(each) else each.manual_score
        for each in grades
    ]
    extra = (each.extra_credit or 0.0 for each in grades if not is_of_another(each))
    return None if None in given else float(sum(given) + sum(extra))


def _told(look: list[str]) -> str:
    """The first reasons; the marking page has them all."""
    more = [f"and {len(look) - MOST} more on the marking page"] if len(look) > MOST else []
    return "; ".join([*look[:MOST], *more])


def _submission(gradebook: Gradebook, lab: str, student: str) -> SubmittedAssignment | None:
    try:
        return gradebook.find_submission(lab, student)
    except MissingEntry:
        return None


def _cell(value: object) -> object:
    """What a table program would take for a formula is text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@")) else value
