"""What do students get back? A page for each lab that is graded to its end, made anew when a mark changes."""

from __future__ import annotations

import hashlib
import html
import json
import logging
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI

from classroom.course import Course
from classroom.grades import Row, rows, seconds_late
from classroom.grading import record
from classroom.mending import is_answer, nbgrader_of
from classroom.settings import config_of
from gpusim.grading.so_far import HEAD

NOT_GRADED = (
    "This file was not graded by the machine: {}. Below is the lab with what of the file fits into it."
)


def feedback(course: Course, *, unmarked: bool = False) -> tuple[list[Path], list[Row]]:
    """Write the pages that are new; and the rows that have none yet. `unmarked`: before marking.

    No page stays that shows what holds no more, nor one of who is not on the roster.
    """
    ready = ("graded", "to be marked") if unmarked else ("graded",)
    api = NbGraderAPI(config=config_of(course))
    api.log.setLevel(logging.CRITICAL)
    written, waiting = [], []
    with Gradebook(course.database, course.name) as gradebook:
        known = [
            (row, _marks(course, gradebook, row), _late(course, gradebook, row))
            for row in rows(course, gradebook)
        ]
    for folder in (course.root / "feedback").glob("*"):
        if folder.is_dir() and folder.name not in course.students:
            shutil.rmtree(folder)
    for row, marks, late in known:
        page = course.root / "feedback" / row.student / row.lab / f"{row.lab}.html"
        out = _given_out(course, row.lab, row.student)
        if page.parent.exists() and out.get("of") != marks:
            shutil.rmtree(page.parent)  # of what is graded or marked no more
        if row.state not in ready:
            waiting.append(row)
        elif not page.exists():
            made = _made(course, row.lab, row.student)
            made.unlink(missing_ok=True)
            result = api.generate_feedback(row.lab, row.student, force=True)
            if not result["success"]:
                *_, error = "", *str(result.get("error") or result.get("log")).strip().splitlines()
                waiting.append(replace(row, state=f"that could not be written ({error})"))
                continue
            text = page.read_text(encoding="utf-8")
            page.write_text(
                addressed(text, _name(course, row), titles(course, row.lab), late, _unread(course, row)),
                encoding="utf-8",
            )
            made.write_text(json.dumps({"of": marks, "score": row.score, "before": out.get("score")}))
            written.append(page)
    return written, waiting


def _made(course: Course, lab: str, student: str) -> Path:
    """Of what the page was made: its marks, its score, and that of the page before it."""
    return course.record(lab, student).with_suffix(".page")


def _given_out(course: Course, lab: str, student: str) -> dict[str, Any]:
    """The last page that there was; {} if there was none."""
    try:
        found = json.loads(_made(course, lab, student).read_text())
    except (FileNotFoundError, ValueError):  # none, or one of an earlier edition of the kit
        return {}
    return found if isinstance(found, dict) else {}


def moved(course: Course, rows: Iterable[Row]) -> list[str]:
    """Whose score is another one than on the page that went out, as a late rule or a mark has changed?"""
    outs = ((row, _given_out(course, row.lab, row.student).get("score")) for row in rows)
    return [
        f"{row.student}, {row.lab}: {out:g}, now {row.score:g}"
        for row, out in outs
        if row.score is not None and out is not None and out != row.score
    ]


def moved_by(course: Course, pages: Iterable[Path]) -> list[str]:
    """The same of pages that are written."""
    found = [(page.stem, page.parent.parent.name) for page in pages]
    outs = ((student, lab, _given_out(course, lab, student)) for lab, student in found)
    return [
        f"{student}, {lab}: {out['before']:g}, now {out['score']:g}"
        for student, lab, out in outs
        if None not in (out["before"], out["score"]) and out["before"] != out["score"]
    ]


def addressed(page: str, student: str, titles: Mapping[str, str], late: str, unread: str = "") -> str:
    """nbgrader's page with the student's name, what its cells are about, and why points are taken off.

    `unread`: why the file was not graded.

    >>> head = '<h4>lab</h4><a href="#check-it">Test cell</a> <a href="#comment-it">Comment</a>'
    >>> addressed(head, "Ada & Co", {"check-it": "warps"}, "")[12:]
    '<p>Ada &amp; Co</p><a href="#check-it">warps</a> <a href="#comment-it">Comment on warps</a>'
    """

    def title(name: str) -> str:
        return html.escape(titles.get(name) or titles.get(f"check-{name}", name))

    why = f"<p><b>{html.escape(NOT_GRADED.format(unread))}</b></p>" if unread else ""
    page = page.replace("</h4>", f"</h4><p>{html.escape(student)}</p>{why}", 1)
    page = re.sub(
        r'<a href="#([\w-]+)">Test cell</a>', lambda at: f'<a href="#{at[1]}">{title(at[1])}</a>', page
    )
    page = re.sub(
        r'<a href="#comment-([\w-]+)">Comment</a>',
        lambda at: f'<a href="#comment-{at[1]}">Comment on {title(at[1])}</a>',
        page,
    )
    page = page.replace("Written response</a>", "The written answer</a>")
    page = page.replace("Late submission penalty (", f"{html.escape(late)} (", 1)
    return re.sub(r'</span>\s*<span class="pull-right">', '</span> <span class="pull-right">', page)


def titles(course: Course, lab: str) -> dict[str, str]:
    """What each graded cell is about, by its name: a check's first line says it."""
    cells = [each for each in nbformat.read(course.released(lab), 4).cells if nbgrader_of(each).get("grade")]
    heads = {nbgrader_of(each)["grade_id"]: HEAD.match(each.source) for each in cells}
    written = [name for each in cells if is_answer(each) for name in [nbgrader_of(each)["grade_id"]]]
    return {name: head["title"] for name, head in heads.items() if head} | dict.fromkeys(
        written, "the written answer"
    )


def _name(course: Course, row: Row) -> str:
    about = course.students[row.student]
    return f"{about['first_name']} {about['last_name']}".strip() or row.student


def _unread(course: Course, row: Row) -> str:
    known = record(course, row.lab, row.student)
    return "; ".join(known["look"]) if known.get("unread") else ""


def _late(course: Course, gradebook: Gradebook, row: Row) -> str:
    """How late, and what that costs: 33 h, 2 days, 20 %."""
    if not row.late_penalty:
        return ""
    seconds = seconds_late(course, row.lab, row.student, gradebook.find_submission(row.lab, row.student))
    days = -(-seconds // 86400)
    begun = f"{days:.0f} day{'' if days == 1 else 's'} begun"
    return f"Handed in {seconds / 3600:.0f} h late, {begun}: {course.late.percent(seconds):g} % less"


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
