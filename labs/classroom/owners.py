r"""Whose is a file of a download, and of which lab? Its path says it, in the layouts of learning platforms.

Behind a student's name comes nothing, the lab's name, or what a platform writes: `ada_smith` is not ada.

>>> labs = ("coalescing",)
>>> [fits(each, "ada", labs) for each in ("ada", "ada_coalescing", "ada_4711_x", "ada_smith_coalescing")]
[True, True, True, False]
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from classroom.course import Course
from classroom.exchange import TLJH
from classroom.roster import and_of, namesakes, plain

COPY = r"[ _]*\(\d+\)|[-_ ]+(?:copy)?[ _-]?\d*"  # of a browser, of Jupyter, of Canvas
PLATFORM = r"(?:_late)?(?:_\d+)+(?:_.*)?|_assignsubmission_.*"  # of Canvas, of Moodle
CANVAS = re.compile(r"(_late)?_\d+_(\d+)_.*?(?:-(\d+))?")  # late, the number of the upload, of the attempt
# Somebody's upload, on the roster or not
OF_PLATFORM = re.compile(r".+_assignsubmission_.*|[^_]+(?:_late)?_\d+_\d+_.+")
NOBODY = "it names no student of the roster"
NO_LAB = "it names no lab of this course"


@dataclass(frozen=True)
class Owners:
    """Who is on the roster, under which names."""

    course: Course

    @cached_property
    def names(self) -> dict[str, str]:
        """Each name that a path may give, and the student's id: what two students share is nobody's."""
        known = {plain(student): student for student in self.course.students}
        shared = set[str]()
        for student, about in self.course.students.items():
            first, last = about["first_name"], about["last_name"]
            joined = re.sub(r"[\W_]", "", f"{last}{first}")
            for name in {plain(each) for each in (about["platform_name"], f"{first} {last}", joined)}:
                if len(name) > 1 and known.setdefault(name, student) != student:
                    shared.add(name)
        ids = {plain(student) for student in self.course.students}
        return {name: student for name, student in known.items() if name not in shared or name in ids}

    def student(self, parts: list[str]) -> tuple[str, str]:
        """Whom the outermost part names that names one; or "", and why not.

        Within a part that a platform wrote all is its student's choice, so nothing there names anybody.
        """
        every, parts = parts, _told_by_others(parts)
        for part in parts:
            here = plain(part)
            for told in {here: None, here.removeprefix(TLJH): None}:
                if found := _longest(name for name in self.names if fits(told, name, self.course.due)):
                    return self.names[found], ""
                if near := _longest(name for name in self.names if begins(told, name)):
                    return "", f"{NOBODY}: `{part}` is not `{near}`, nor that with the lab's name"
        for name, two in namesakes(self.course.students).items():
            if any(fits(plain(part), plain(name), self.course.due) for part in parts):
                return (
                    "",
                    f"{and_of(two)} are both called {name}; `platform_name` in the roster tells them apart",
                )
        ended = (
            f": `{parts[-1]}` is an upload's name on a platform, and none of a student"
            if parts != every
            else ""
        )
        return "", NOBODY + ended + _meant(parts, self.names)

    def platform(self, place: PurePosixPath) -> str:
        """What does a platform say behind the student's name? Canvas "in time" or "late", Moodle "unsaid"."""
        after = self._after(place)
        if told := CANVAS.fullmatch(after):
            return "late" if told[1] else "in time"
        return "unsaid" if "_assignsubmission_" in after else ""

    def uploaded(self, place: PurePosixPath) -> tuple[int, ...] | None:
        """By which numbers does a platform count uploads up? Moodle by none; None: no platform's file."""
        if told := CANVAS.fullmatch(self._after(place)):
            return int(told[2]), int(told[3] or 0)
        return () if self.platform(place) else None

    def spelling(self, place: PurePosixPath) -> str:
        """The student's name as this path writes it."""
        for part in _told_by_others(self._parts(place)):
            here = plain(part)
            if found := _longest(name for name in self.names if fits(here, name, self.course.due)):
                end = max(end for end in range(len(part) + 1) if plain(part[:end]) == found)
                return part[:end] if part[end:].strip() else part
        return ""

    def written(self, student: str) -> set[str]:
        """The ways in which the roster writes who this is."""
        about = self.course.students[student]
        return {student, about["platform_name"], f"{about['first_name']} {about['last_name']}".strip()}

    def _after(self, place: PurePosixPath) -> str:
        """What stands behind the student's name."""
        for part in map(plain, _told_by_others(self._parts(place))):
            if found := _longest(name for name in self.names if fits(part, name, self.course.due)):
                return part[len(found) :]
        return ""

    def lab(self, parts: list[str]) -> str:
        """The lab that the outermost part names."""
        for part in parts:
            if found := _longest(lab for lab in self.course.due if names_lab(part, lab)):
                return found
        return ""

    def owner(self, place: PurePosixPath) -> tuple[str, str, str]:
        """Student, lab ("" if none is named), and why it belongs to nobody."""
        parts = self._parts(place)
        student, why = self.student(parts)
        return student, self.lab(parts), why

    @staticmethod
    def _parts(place: PurePosixPath) -> list[str]:
        return [part.removesuffix(place.suffix) if part == place.name else part for part in place.parts]

    def within(self, place: PurePosixPath) -> bool:
        """Is the student named within a folder that names nobody, and no lab? Then the path is to be told."""
        first = self._parts(place)[:1]
        return not self.student(first)[0] and not self.lab(first)

    def no_lab(self, place: PurePosixPath) -> str:
        return NO_LAB + _meant([*place.parts[:-1], place.stem], self.course.due)


def _told_by_others(parts: list[str]) -> list[str]:
    """The parts down to the first that a platform wrote."""
    last = next((place for place, part in enumerate(parts) if OF_PLATFORM.fullmatch(plain(part))), len(parts))
    return parts[: last + 1]


def fits(part: str, name: str, labs: Iterable[str]) -> bool:
    """Is this part of a path the student's of this name?"""
    lab = "|".join(map(re.escape, labs))
    after = rf"(?:{COPY}|{PLATFORM}|[ _.+-]+(?:{lab})(?:[ _.+(-].*)?)?"
    return part.startswith(name) and re.fullmatch(after, part[len(name) :], re.IGNORECASE) is not None


def begins(part: str, name: str) -> bool:
    """Is it somebody of a longer name, such as `ada_smith` of `ada`?"""
    return part.startswith(name) and part[len(name) :][:1] in tuple(" _(.+-")


def names_lab(part: str, lab: str) -> bool:
    return re.search(rf"(?:^|[ _.+-]){re.escape(lab)}(?:$|[ _.+(-])", part) is not None


def _longest(names: Iterable[str]) -> str:
    return max(names, key=len, default="")


def _meant(parts: list[str], names: Iterable[str]) -> str:
    known = [*names]
    words = [word for part in parts for word in (part, re.split(r"[ _.+(]", part)[0])]
    near = [found for word in words for found in difflib.get_close_matches(plain(word), known, 1, 0.75)]
    return f". Is `{near[0]}` meant?" if near else ""
