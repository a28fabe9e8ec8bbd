"""How does a course begin? `make course` writes a `course.toml`; the next `make course` sets up what it says.

Each lab goes from `labs/instructor/` to `source/`, and nbgrader writes the students' copies into `release/`.
Students, due dates and labs go into the gradebook. Nothing that is graded is lost when it is repeated.
"""

from __future__ import annotations

import logging
import shlex
import shutil
from datetime import UTC
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI

import gpusim
from classroom.course import Course, CourseError
from classroom.mending import is_check, nbgrader_of
from classroom.roster import COLUMNS
from classroom.settings import CONFIG_FILE, config_of

TEMPLATES = Path(__file__).parent


def begin(root: Path) -> list[str]:
    """Write a `course.toml` and a roster to begin with, where there are none; which were written?"""
    root.mkdir(parents=True, exist_ok=True)
    if (root / "course.toml").exists():
        return []
    new = [name for name in ("course.toml", "roster.csv") if not (root / name).exists()]
    for name in reversed(new):  # the other one, which says that a course is there, comes last
        shutil.copy(TEMPLATES / name, root / name)
    return new


def set_up(course: Course) -> dict[str, list[str]]:
    """Make the course what its `course.toml` says.

    Which `labs` are `new`, or changed as well, who is `gone`, no longer on the roster, and which labs are
    `unassigned` by now, and still in `release/`?
    """
    package = Path(gpusim.__file__).resolve().parents[1]
    known = {"name": course.name, "zone": str(course.zone or "UTC")}
    written = CONFIG_FILE.format(labs=str(TEMPLATES.parent), package=str(package), **known)
    (course.root / "nbgrader_config.py").write_text(written, encoding="utf-8")
    (course.root / "tljh-users.sh").write_text(hub_users(course), encoding="utf-8")
    new = [lab for lab in course.due if not course.released(lab).exists()]
    changed = [lab for lab in course.due if _is_changed(course, lab)]
    for lab in changed:
        if wrong := _broken(_original(course, lab)):
            raise CourseError(f"{lab} cannot be released: {wrong}")
    release(course, changed)
    with Gradebook(course.database, course.name) as gradebook:
        for lab, due in course.due.items():
            gradebook.update_or_create_assignment(lab, duedate=due.astimezone(UTC).replace(tzinfo=None))
        for student, about in course.students.items():
            gradebook.update_or_create_student(student, **{name: about[name] for name in COLUMNS[1:]})
        gone = sorted({each.id for each in gradebook.students} - course.students.keys())
    unassigned = sorted(
        {each.parent.name for each in course.root.glob("release/*/*.ipynb")} - course.due.keys()
    )
    return {"labs": changed, "new": new, "gone": gone, "unassigned": unassigned}


def hub_users(course: Course) -> str:
    """What lets the students of the roster into The Littlest JupyterHub."""
    head = "#!/bin/sh\n# Written by `make course`: sudo sh tljh-users.sh; sudo tljh-config reload\nset -eu\n"
    return head + "".join(
        f"tljh-config add-item users.allowed {shlex.quote(each)}\n" for each in sorted(course.students)
    )


def _original(course: Course, lab: str) -> Path:
    return course.labs / "instructor" / lab / f"{lab}.ipynb"


def _is_changed(course: Course, lab: str) -> bool:
    """Is the instructor's notebook another one than the course has released?"""
    copy = course.source(lab)
    same = copy.exists() and copy.read_bytes() == _original(course, lab).read_bytes()
    return not same or not course.released(lab).exists()


def _broken(source: Path) -> str:
    """Which of the instructor's own checks, as they were saved, did not pass? "" if all did."""
    for cell in filter(is_check, nbformat.read(source, 4).cells):
        name = nbgrader_of(cell)["grade_id"]
        if not cell.outputs:
            place = f"labs/instructor/{source.parent.name}/{source.name}"
            return f"its check `{name}` has not run. Run all cells of {place}, and save"
        for each in cell.outputs:
            if each.output_type == "error":
                return f"its check `{name}` refuses its own solution: {each.ename}: {each.evalue}"
    return ""


def release(course: Course, labs: list[str]) -> None:
    """Write the students' copies of these labs."""
    api = NbGraderAPI(config=config_of(course))
    api.log.setLevel(logging.ERROR)
    for lab in labs:
        course.source(lab).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(_original(course, lab), course.source(lab))
        result = api.generate_assignment(lab)
        if not result["success"]:
            shutil.rmtree(course.source(lab).parent)  # so that the next time tries again
            raise CourseError(f"{lab} cannot be released:\n{result.get('error') or result['log']}")
