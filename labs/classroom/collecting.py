"""How do notebooks get from a download to `handed-in/`? A folder or a zip, in the layouts that there are.

`ada/coalescing/coalescing.ipynb`, `ada/coalescing.ipynb`, `ada_coalescing.ipynb`, and what begins with a
student's id, as learning platforms name it. Links are refused: `handed-in/` holds copies of plain files only.
Who is not on the roster is named and left out.
"""

from __future__ import annotations

import os
import shutil
import stat
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO

from dateutil.parser import parse

from classroom.course import Course, CourseError

MOST_BYTES = 200_000_000
HELPERS = frozenset((".py", ".csv", ".txt", ".npy", ".json", ".cu", ".cuh"))


@dataclass(frozen=True)
class Found:
    """A file of the download: where it lay, when it was handed in, and how to read it."""

    place: PurePosixPath
    when: datetime
    content: bytes


def collect(course: Course, source: Path) -> list[str]:
    """Take over what is there; a line for each file that was taken, and for each that was not."""
    if not source.exists():
        raise CourseError(f"FROM={source}: there is no such folder or zip file")
    said: list[str] = []
    groups: dict[tuple[str, str], list[Found]] = {}
    for found in _files(source, said):
        owner = _owner(course, found.place)
        if owner is None:
            said.append(f"left out: {found.place}: it names no student of the roster, or no lab")
        else:
            groups.setdefault(owner, []).append(found)
    for (student, lab), files in sorted(groups.items()):
        said.append(f"{student}, {lab}: {_take(course, lab, student, files)}")
    return said


def _files(source: Path, said: list[str]) -> Iterator[Found]:
    """All files but links, hidden ones, and those that nobody hands in."""
    if source.is_dir():
        for folder, inner, names in os.walk(source):
            for name in sorted([*inner, *names]):
                file = Path(folder, name)
                place = PurePosixPath(file.relative_to(source).as_posix())
                kind = file.lstat()
                if stat.S_ISLNK(kind.st_mode):
                    said.append(f"left out: {place}: it is a link")
                elif stat.S_ISREG(kind.st_mode) and _is_wanted(place, kind.st_size, said):
                    when = datetime.fromtimestamp(kind.st_mtime, UTC)
                    yield Found(place, when, file.read_bytes())
        return
    try:
        with zipfile.ZipFile(source) as opened:
            for info in sorted(opened.infolist(), key=lambda each: each.filename):
                place = PurePosixPath(info.filename)
                if stat.S_ISLNK(info.external_attr >> 16):
                    said.append(f"left out: {place}: it is a link")
                elif not info.is_dir() and _is_wanted(place, info.file_size, said):
                    with opened.open(info) as file:
                        yield Found(place, datetime(*info.date_time, tzinfo=UTC), _bounded(file))
    except zipfile.BadZipFile as error:
        raise CourseError(f"FROM={source}: {error}") from None


def _bounded(file: IO[bytes]) -> bytes:
    """A zip may say less than it holds."""
    return file.read(MOST_BYTES)


def _is_wanted(place: PurePosixPath, size: int, said: list[str]) -> bool:
    if any(part.startswith((".", "__MACOSX")) and part != ".." for part in place.parts):
        return False
    if place.suffix.lower() != ".ipynb" and place.suffix not in HELPERS:
        said.append(f"left out: {place}: neither a notebook nor a helper ({', '.join(sorted(HELPERS))})")
        return False
    if size > MOST_BYTES:
        said.append(f"left out: {place}: it has {size:,} bytes")
        return False
    return True


def _owner(course: Course, place: PurePosixPath) -> tuple[str, str] | None:
    """Which student and which lab does this path name? The outermost part is no student's choice."""
    parts = [part.removesuffix(place.suffix) if part == place.name else part for part in place.parts]
    student = _first(parts, course.students, _begins)
    lab = _first(parts, course.due, lambda part, lab: _begins(part, lab) or part.endswith(f"_{lab}"))
    if lab is None and len(course.due) == 1:
        (lab,) = course.due
    return (student, lab) if student is not None and lab is not None else None


def _first(parts: list[str], names: Iterable[str], fits: Callable[[str, str], bool]) -> str | None:
    """The longest name that fits the first part that any fits."""
    known = [*names]
    found = ([name for name in known if fits(part, name)] for part in parts)
    return next((max(each, key=len) for each in found if each), None)


def _begins(part: str, name: str) -> bool:
    """`ada`, `ada_123_assignsubmission_file_` and `coalescing (1)` are ada's; `adam` is not."""
    return part.startswith(name) and (len(part) == len(name) or part[len(name)] in " _(.")


def _take(course: Course, lab: str, student: str, files: list[Found]) -> str:
    """Put these files in the place of what was there; a newer download replaces an older one as a whole."""
    there, new = course.handed_in(lab, student), course.root / "handed-in" / f".new-{student}-{lab}"
    notebooks = [each for each in files if each.place.suffix.lower() == ".ipynb"]
    if not notebooks:
        return "no notebook among its files, nothing taken"
    newest = max(notebooks, key=lambda each: each.when)
    said = next((each for each in files if each.place.name == "timestamp.txt"), None)
    when = _time(said.content.decode(errors="replace"), newest.when) if said else newest.when
    same = (there / "timestamp.txt").exists() and all(
        (there / each.place.name).exists() and (there / each.place.name).read_bytes() == each.content
        for each in files
        if each is not said
    )
    if same:
        return "as before"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    for each in files:
        (new / each.place.name).write_bytes(each.content)
    (new / "timestamp.txt").write_text(f"{when:%Y-%m-%d %H:%M:%S} UTC\n")
    again = there.exists()
    there.parent.mkdir(parents=True, exist_ok=True)
    if again:
        earlier = course.root / "earlier" / student / f"{lab} {datetime.now(UTC):%Y-%m-%d %H.%M.%S.%f}"
        earlier.parent.mkdir(parents=True, exist_ok=True)
        there.rename(earlier)
    new.rename(there)
    late = when > course.due[lab]
    return (
        f"{'replaced' if again else 'taken'}, handed in {when:%Y-%m-%d %H:%M} UTC{', late' if late else ''}"
    )


def _time(said: str, otherwise: datetime) -> datetime:
    """When, in UTC? nbgrader's own reader takes +0100 for a hundred seconds."""
    try:
        found: datetime = parse(said.strip())
    except (ValueError, OverflowError):
        return otherwise
    return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
