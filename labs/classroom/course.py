"""What does an instructor say about a course? One `course.toml`, read and checked, and where everything lies.

A mistake in it is a sentence: course.toml: [labs] knows no `coalesing`. Is `coalescing` meant?
"""

from __future__ import annotations

import difflib
import functools
import os
import re
import secrets
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from math import isfinite
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from classroom.roster import and_of, decoded, namesakes, read_roster

LABS = Path(__file__).resolve().parents[1]
NAMES = sorted(path.name for path in (LABS / "instructor").iterdir())
IMAGE = re.compile(r"[a-z0-9][\w.:/@-]*")  # it stands in a command line
BOXES = ("bubblewrap", "podman", "docker")
KEYS = ("name", "roster", "timezone", "late", "limits", "isolation", "labs", "extensions")
TABLES = ("late", "limits", "isolation", "labs", "extensions")
TIME = "a time such as 2027-01-11T23:59:00+01:00 (without quotes)"
NO_TIME = (  # what a line looks like, and what is wrong with it
    (r"=\s*\d{1,2}[./-]\d{1,2}[./-]\d{2,4}", "year first"),
    (r"[T ]24:", "where midnight is 00:00:00 of the next day"),
    (r"(?<![:\d+-])\d\d:\d\d(?!:?\d)", "with seconds"),
    (r"\d\d:\d\d:\d\d.*[+-]\d{4}\b", "with a colon in the offset"),
    (r"\d\d:\d\d:\d\d\s*[A-Za-z]+", "where the offset is a number, or Z"),
    (r"=\s*\d{4}[./-]\d", "in this form"),
)
LEAST = {"percent_per_day": 0, "most_percent": 0, "memory_mb": 256}  # of a limit else 1
YEAR = timedelta(days=365)
AGO = ("from now", "ago")


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
class Isolation:
    """What makes the box of a submission, "" for the first that works; the image that containers take."""

    by: str = ""
    image: str = "gpusim-course"


@dataclass(frozen=True)
class Course:
    """A folder with a `course.toml`. `due`: lab, and when; `extensions`: for whom else when."""

    root: Path
    name: str
    due: Mapping[str, datetime]
    students: Mapping[str, Mapping[str, str]]
    late: Late = field(default_factory=Late)
    limits: Limits = field(default_factory=Limits)
    isolation: Isolation = field(default_factory=Isolation)
    zone: ZoneInfo | None = None  # in which times are told and zip files are read; None: this computer's
    extensions: Mapping[tuple[str, str], datetime] = field(default_factory=dict)  # by lab and student
    labs: Path = LABS  # where `instructor/<lab>/` is

    @property
    def database(self) -> str:
        """SQLite waits a minute for whoever writes; several processes grade."""
        return f"sqlite:///{self.root / 'gradebook.db'}?timeout=60"

    @functools.cached_property
    def drawn(self) -> int:
        """What the inputs of checks follow from: drawn once, and kept: what is graded again gets the same."""
        file, new = self.root / "drawn-for-checks.txt", self.root / f".drawn-{os.getpid()}"
        if not file.exists():
            new.touch(0o600)
            new.write_text(str(1 + secrets.randbits(62)))
            with suppress(FileExistsError):  # another process was first
                os.link(new, file)
            new.unlink()
        return int(file.read_text())

    def due_of(self, lab: str, student: str) -> datetime:
        return self.extensions.get((lab, student), self.due[lab])

    def told(self, when: datetime) -> str:
        """A time in the course's zone, with its name."""
        return f"{when.astimezone(self.zone):%Y-%m-%d %H:%M %Z}"

    def doubts(self) -> list[str]:
        """What may be meant, and is odd."""
        said = [] if self.students else ["the roster has no student yet"]
        if {*self.students} == {*read_roster(Path(__file__).with_name("roster.csv"), [])}:
            said.append("the roster is the one to begin with, of Ada and Grace")
        for name, two in namesakes(self.students).items():
            said.append(f"{and_of(two)} are both called {name}; a column `platform_name` tells them apart")
        for what, when in {
            **self.due,
            **{f"{lab}.{who}": at for (lab, who), at in self.extensions.items()},
        }.items():
            away = when - datetime.now(UTC)
            if not -YEAR < away < 2 * YEAR:
                said.append(
                    f"`{what}` is due {self.told(when)}, {round(abs(away) / YEAR)} years {AGO[away < YEAR]}"
                )
        if self.late.most_percent < self.late.percent_per_day:
            said.append(
                f"[late] `most_percent` is {self.late.most_percent:g}, less than one day's "
                f"{self.late.percent_per_day:g}: each late submission costs {self.late.most_percent:g} %"
            )
        if self.limits.seconds < self.limits.seconds_per_cell:
            said.append(
                f"[limits] `seconds` is {self.limits.seconds:g}, less than `seconds_per_cell`: "
                f"no cell gets {self.limits.seconds_per_cell:g} s"
            )
        for (lab, student), when in self.extensions.items():
            if when < self.due[lab]:
                said.append(f"[extensions] `{lab}.{student}` is earlier than the lab is due for all")
        return said

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
    told = _toml(file)
    wrong = [*_unknown("", told, KEYS)]
    for part in TABLES:
        if not isinstance(told.get(part, {}), dict):
            wrong.append(f"`{part}` is a table: a line [{part}], and what belongs to it below")
            told[part] = {}
    name = told.get("name", "")
    if not re.fullmatch(r"[A-Za-z0-9_-]+", str(name)):
        wrong.append(f"`name` is made of letters, digits, - and _, not {typed(name)}")
    late, limits = (
        _numbers(kind, part, told.get(part, {}), wrong) for kind, part in ((Late, "late"), (Limits, "limits"))
    )
    isolation = _isolation(told.get("isolation", {}), wrong)
    of_roster: list[str] = []
    students = read_roster(root / str(told.get("roster", "roster.csv")), of_roster)
    zone = _zone(told.get("timezone"), wrong)
    due = {lab: _at(at, zone) for lab, at in told.get("labs", {}).items()}
    known = sorted(path.name for path in (labs / "instructor").iterdir())
    wrong += _unknown("[labs] ", due, known)
    wrong += [
        f"[labs] `{lab}`: {skipped}"
        for lab, at in told.get("labs", {}).items()
        if (skipped := _skipped(at, zone))
    ]
    wrong += [
        f"[labs] `{lab}` is due at {TIME}, not {typed(at)}" for lab, at in due.items() if not _is_time(at)
    ]
    if not due:
        wrong.append("[labs] assigns no lab, such as: coalescing = 2027-01-25T23:59:00+01:00")
    extensions = _extensions(told.get("extensions", {}), due, students, zone, wrong)
    if wrong or of_roster:
        lines = [*(f"{file.name}: {each}" for each in wrong), *of_roster]
        raise CourseError("\n".join(each if each.endswith("?") else f"{each}." for each in lines))
    return Course(root.resolve(), str(name), due, students, late, limits, isolation, zone, extensions, labs)


def assigned(root: Path) -> list[str]:
    """The labs under `[labs]`, as the file says them now."""
    return [*_toml(root / "course.toml").get("labs", {})]


def _toml(file: Path) -> dict[str, Any]:
    """What the file says. A mistake of form comes with its line."""
    text = decoded(file.read_bytes())
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        lines = text.rstrip().splitlines()
        number = int(place[1]) if place else len(lines)
        twice = "Cannot overwrite" in str(error) or "Cannot declare" in str(error)
        why = "this is there twice" if twice else str(error).partition(" (at")[0]
        line = lines[number - 1].partition("#")[0]
        what = next((what for looks, what in NO_TIME if re.search(looks, line)), "")
        if what and not twice:
            why = f"here stands {TIME}, {what}"
        raise CourseError(f"{file.name}, line {number}: {why}: {lines[number - 1].strip()}") from None


def typed(value: object) -> str:
    """A value as it stands in the file."""
    if isinstance(value, datetime):
        return value.isoformat() + ("" if value.tzinfo else ": its offset is missing, or `timezone` above")
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def _at(value: Any, zone: ZoneInfo | None) -> Any:
    """A time without an offset is local, where `timezone` says of what place."""
    if isinstance(value, datetime) and value.tzinfo is None and zone is not None:
        return value.replace(tzinfo=zone).astimezone(UTC)
    return value


def _skipped(value: Any, zone: ZoneInfo | None) -> str:
    """Is this a local time that no clock shows, as summer time begins? "" if there is such a time."""
    at = _at(value, zone)
    if at is value or (shown := at.astimezone(zone)).replace(tzinfo=None) == value:
        return ""
    return (
        f"{value:%Y-%m-%d %H:%M} does not exist in {zone}, where clocks go forward. Is {shown:%H:%M} meant?"
    )


def _is_time(value: object) -> bool:
    return isinstance(value, datetime) and value.tzinfo is not None


def _zone(name: object, wrong: list[str]) -> ZoneInfo | None:
    try:
        return None if name is None else ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        wrong.append(f"`timezone` is a name such as Europe/Berlin, not {typed(name)}")
        return None


def _extensions(
    told: Any, due: Any, students: Any, zone: ZoneInfo | None, wrong: list[str]
) -> dict[tuple[str, str], datetime]:
    """`coalescing.ada = …`: the time that holds for one student."""
    found = {}
    unassigned = [lab for lab in told if lab in NAMES and lab not in due]
    wrong += [f"[extensions] `{lab}` is not assigned: it has no line under [labs]" for lab in unassigned]
    wrong += _unknown(
        "[extensions] ", {lab: each for lab, each in told.items() if lab not in unassigned}, due
    )
    for lab, given in told.items():
        if not isinstance(given, dict):
            wrong.append(f"[extensions] `{lab}` is for a student: {lab}.ada = 2027-02-01T23:59:00+01:00")
            continue
        dotted = [
            f'{lab}."{name}.{rest}"' for name, at in given.items() if isinstance(at, dict) for rest in at
        ]
        wrong += [f"[extensions] an id with a dot stands in quotes: {each} = 2027-02-01T…" for each in dotted]
        wrong += [
            f"[extensions] `{lab}.{student}`: {skipped}"
            for student, at in given.items()
            if (skipped := _skipped(at, zone))
        ]
        given = {student: _at(at, zone) for student, at in given.items() if not isinstance(at, dict)}
        wrong += _unknown(f"[extensions] `{lab}` ", given, students)
        for student, at in given.items():
            if _is_time(at):
                found[lab, student] = at
            else:
                wrong.append(f"[extensions] `{lab}.{student}` is {TIME}, not {typed(at)}")
    return found


def _unknown(where: str, told: Mapping[str, Any], known: Any) -> list[str]:
    found = []
    for name in told:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            some = ", ".join([*known][:20]) + (", …" if len(known) > 20 else "")
            near += [each for each in known if name.lower().replace("-", "") == _numbered(each)]
            meant = f"Is `{near[0]}` meant?" if near else f"There are: {some}"
            found.append(f"{where}knows no `{name}`. {meant}".removesuffix("."))
    return found


@functools.cache
def _numbered(lab: str) -> str:
    """`lab4`, as its notebook's first line and the plans call it; "" for other names."""
    file = LABS / "instructor" / lab / f"{lab}.ipynb"
    head = re.search(r'"# Lab (\d+)', file.read_text(encoding="utf-8")) if file.is_file() else None
    return f"lab{head[1]}" if head else ""


def _numbers(kind: type, part: str, told: Mapping[str, Any], wrong: list[str]) -> Any:
    """One of the tables of numbers; what is wrong with it is appended to `wrong`."""
    names = [each.name for each in fields(kind)]
    wrong += _unknown(f"[{part}] ", told, names)
    for name, value in told.items():
        number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
        if name in names and not (number and value >= LEAST.get(name, 1)):
            wrong.append(f"[{part}] `{name}` is a number from {LEAST.get(name, 1)} on, not {typed(value)}")
        elif part == "late" and name in names and value > 100:
            wrong.append(f"[{part}] `{name}` is at most 100, not {value}")
    return kind(**{name: value for name, value in told.items() if name in names})


def _isolation(told: Mapping[str, Any], wrong: list[str]) -> Isolation:
    wrong += _unknown("[isolation] ", told, [each.name for each in fields(Isolation)])
    by, image = told.get("by", ""), told.get("image", Isolation.image)
    if by not in ("", *BOXES):
        wrong.append(f"[isolation] `by` is one of {', '.join(BOXES)}, not {typed(by)}")
    if not isinstance(image, str) or not IMAGE.fullmatch(image):
        wrong.append(
            f"[isolation] `image` is the name of an image, such as gpusim-course, not {typed(image)}"
        )
    return Isolation(by, image)
