"""What does an instructor say about a course? One `course.toml`, read and checked, and where everything lies.

A mistake in it is a sentence: course.toml: [labs] knows no `coalesing`. Is `coalescing` meant?
"""

from __future__ import annotations

import csv
import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any

LABS = Path(__file__).resolve().parents[1]
NAMES = sorted(path.name for path in (LABS / "instructor").iterdir())
# A student's name is a folder's name, and stands in patterns: nothing that means something there
FORBIDDEN = re.compile(r"[/\\*?\[\]{}\x00-\x1f]|^\.|^\s|\s$")
COLUMNS = ("id", "first_name", "last_name", "email")


class CourseError(Exception):
    """Something that the instructor can put right; its text says where and how."""


@dataclass(frozen=True)
class Late:
    """What a late submission costs: so many percent of its points for each day that has begun."""

    percent_per_day: float = 0.0
    most_percent: float = 100.0

    def percent(self, seconds: float) -> float:
        return min(self.most_percent, self.percent_per_day * -(-seconds // 86400)) if seconds > 0 else 0.0


@dataclass(frozen=True)
class Limits:
    """What a submission may take: seconds of a cell and of a run, memory, processes, files, output."""

    seconds_per_cell: int = 60
    seconds: int = 600
    memory_mb: int = 4096
    processes: int = 64
    files_mb: int = 256
    output_kb: int = 200


@dataclass(frozen=True)
class Course:
    """A folder with a `course.toml`. `due`: lab, and when it is due."""

    root: Path
    name: str
    due: Mapping[str, datetime]
    students: Mapping[str, Mapping[str, str]]
    late: Late = field(default_factory=Late)
    limits: Limits = field(default_factory=Limits)
    labs: Path = LABS  # where `instructor/<lab>/` is

    @property
    def database(self) -> str:
        """SQLite waits a minute for whoever writes; several processes grade."""
        return f"sqlite:///{self.root / 'gradebook.db'}?timeout=60"

    def released(self, lab: str) -> Path:
        return self.root / "release" / lab / f"{lab}.ipynb"

    def source(self, lab: str) -> Path:
        return self.root / "source" / lab / f"{lab}.ipynb"

    def handed_in(self, lab: str, student: str) -> Path:
        return self.root / "handed-in" / student / lab

    def submitted(self, lab: str, student: str) -> Path:
        return self.root / "submitted" / student / lab

    def autograded(self, lab: str, student: str) -> Path:
        return self.root / "autograded" / student / lab / f"{lab}.ipynb"

    def record(self, lab: str, student: str) -> Path:
        return self.root / "records" / lab / f"{student}.json"


def read(root: Path, labs: Path = LABS) -> Course:
    """The course in this folder. Raises `CourseError` with every mistake at once."""
    file = root / "course.toml"
    if not file.exists():
        raise CourseError(f"{file} is not there. `make course` writes one to begin with.")
    try:
        told = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CourseError(f"{file.name}: {error}") from None
    wrong = [*_unknown("", told, ("name", "roster", "late", "limits", "labs"))]
    name = told.get("name", "")
    if not re.fullmatch(r"[A-Za-z0-9_-]+", str(name)):
        wrong.append(f"`name` is made of letters, digits, - and _, not {name!r}")
    late, limits = (
        _numbers(kind, part, told.get(part, {}), wrong) for kind, part in ((Late, "late"), (Limits, "limits"))
    )
    students = _roster(root / str(told.get("roster", "roster.csv")), wrong)
    due = told.get("labs", {})
    known = sorted(path.name for path in (labs / "instructor").iterdir())
    wrong += _unknown("[labs] ", due, known)
    for lab, when in due.items():
        if not isinstance(when, datetime) or when.tzinfo is None:
            wrong.append(
                f"[labs] `{lab}` is due at a time such as 2027-01-11T23:59:00+01:00 (without quotes), "
                f"not {when!r}"
            )
    if not due:
        wrong.append("[labs] assigns no lab, such as: coalescing = 2027-01-25T23:59:00+01:00")
    if wrong:
        raise CourseError(
            "\n".join(
                f"{file.name}: {each.removesuffix('?')}{'?' if each.endswith('?') else '.'}" for each in wrong
            )
        )
    return Course(root.resolve(), str(name), due, students, late, limits, labs)


def _unknown(where: str, told: Mapping[str, Any], known: Any) -> list[str]:
    found = []
    for name in told:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            meant = f"Is `{near[0]}` meant?" if near else f"There are: {', '.join(known)}"
            found.append(f"{where}knows no `{name}`. {meant}".removesuffix("."))
    return found


def _numbers(kind: type, part: str, told: Mapping[str, Any], wrong: list[str]) -> Any:
    """One of the tables of numbers; what is wrong with it is appended to `wrong`."""
    names = [each.name for each in fields(kind)]
    wrong += _unknown(f"[{part}] ", told, names)
    least = {"percent_per_day": 0, "most_percent": 0}
    for name, value in told.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if name in names and not (number and value >= least.get(name, 1)):
            wrong.append(f"[{part}] `{name}` is a number from {least.get(name, 1)} on, not {value!r}")
        elif name in least and value > 100:
            wrong.append(f"[{part}] `{name}` is at most 100, not {value}")
    return kind(**{name: value for name, value in told.items() if name in names})


def _roster(file: Path, wrong: list[str]) -> dict[str, dict[str, str]]:
    if not file.exists():
        wrong.append(f"`roster` names {file.name}, which is not there: a table with {','.join(COLUMNS)}")
        return {}
    students: dict[str, dict[str, str]] = {}
    with file.open(encoding="utf-8-sig", newline="") as opened:
        rows = csv.DictReader(opened)
        if "id" not in (rows.fieldnames or ()):
            wrong.append(f"{file.name} has no column `id` in its first line")
            return {}
        for row in rows:
            student = (row["id"] or "").strip()
            where = f"{file.name}, line {rows.line_num}"
            if not student or FORBIDDEN.search(student):
                wrong.append(f"{where}: {student!r} is no id; it names a folder (no / * ? [ ] {{ }})")
            elif student in students:
                wrong.append(f"{where}: `{student}` is there twice")
            students[student] = {name: (row.get(name) or "").strip() for name in COLUMNS[1:]}
    return students
