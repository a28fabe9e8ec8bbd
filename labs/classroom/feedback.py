"""What do students get back? A page for each lab that is graded to its end, made anew when a mark changes."""

from __future__ import annotations

import hashlib
import html
import logging
import re
from dataclasses import replace
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI

from classroom.course import Course
from classroom.grades import Row, rows
from classroom.grading import record
from classroom.settings import config_of

MADE = ".made-of"


def feedback(course: Course, *, unmarked: bool = False) -> tuple[list[Path], list[Row]]:
    """Write the pages that are new; and the rows that have none yet. `unmarked`: before marking."""
    ready = ("graded", "to be marked") if unmarked else ("graded",)
    api = NbGraderAPI(config=config_of(course))
    api.log.setLevel(logging.CRITICAL)
    written, waiting = [], []
    with Gradebook(course.database, course.name) as gradebook:
        known = [(row, _marks(course, gradebook, row)) for row in rows(course, gradebook)]
    for row, marks in known:
        page = course.root / "feedback" / row.student / row.lab / f"{row.lab}.html"
        made = page.parent / MADE
        if row.state not in ready:
            waiting.append(row)
        elif not made.exists() or made.read_text() != marks:
            result = api.generate_feedback(row.lab, row.student, force=True)
            if not result["success"]:
                *_, error = "", *str(result.get("error") or result.get("log")).strip().splitlines()
                waiting.append(replace(row, state=f"that could not be written ({error})"))
                continue
            about = course.students[row.student]
            name = f"{about['first_name']} {about['last_name']}".strip() or row.student
            page.write_text(addressed(page.read_text(encoding="utf-8"), name), encoding="utf-8")
            made.write_text(marks)
            written.append(page)
    return written, waiting


def addressed(page: str, student: str) -> str:
    """nbgrader's page with the student's name, those of checks, and a space before points.

    >>> addressed('<h4>lab (Score: 1 / 2)</h4><a href="#check-it">Test cell</a>', "Ada & Co")
    '<h4>lab (Score: 1 / 2)</h4><p>Ada &amp; Co</p><a href="#check-it">check-it</a>'
    """
    page = page.replace("</h4>", f"</h4><p>{html.escape(student)}</p>", 1)
    page = re.sub(r'<a href="#([\w-]+)">Test cell</a>', r'<a href="#\1">\1</a>', page)
    return re.sub(r'</span>\s*<span class="pull-right">', '</span> <span class="pull-right">', page)


def _marks(course: Course, gradebook: Gradebook, row: Row) -> str:
    """It changes with everything that the page shows."""
    if row.checks is None:
        return ""
    (notebook,) = gradebook.find_submission(row.lab, row.student).notebooks
    told = (
        record(course, row.lab, row.student).get("digest"),
        row.late_penalty,
        sorted((each.name, each.score, each.needs_manual_grade) for each in notebook.grades),
        sorted((each.name, each.comment or "") for each in notebook.comments),
    )
    return hashlib.sha256(repr(told).encode()).hexdigest()
