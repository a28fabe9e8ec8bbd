"""How do notebooks get from a download to `handed-in/`? A folder or a zip, in the layouts that there are.

`ada/coalescing/coalescing.ipynb`, `ada/coalescing.ipynb`, `ada_coalescing.ipynb`, what learning platforms
make of it (owners.py), and the inbound folder of nbgrader's exchange (exchange.py).
Links are refused: `handed-in/` holds copies of plain files only. What is left out is named, with the reason.
"""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from dateutil.parser import parse

from classroom.course import Course, CourseError
from classroom.exchange import MOMENT, laid_down, left_out
from classroom.owners import Owners, names_lab
from classroom.reading import HALVES, is_notebook
from classroom.roster import and_of, plain
from classroom.when import Dated, handed_in, read_when
from classroom.which_lab import lab_of
from classroom.zip_times import zip_name, zip_time

DOWNLOADS = "collected"  # the one folder of a course that nothing but downloads lie in
MOST_BYTES = 200_000_000
STAMP = "timestamp.txt"
TWO_WAYS = (
    "{names} are here, and one may not be `{student}`: nothing is taken but what the roster writes{unseen}"
)
EARLIER = "%Y-%m-%d %H.%M.%S.%f"  # in the names of folders, in the course's time zone
LONGEST_NAME = 200  # bytes of a file's name
IN_NAMES = "._- ()"  # beside letters and digits: what browsers put into the names of copies
HELPERS = frozenset((".py", ".csv", ".txt", ".npy", ".json", ".cu", ".cuh"))


@dataclass(frozen=True)
class Found:
    """A file of the download: where it lay, when it was handed in, and how to read it."""

    place: PurePosixPath
    when: datetime
    size: int
    read: Callable[[], bytes]
    laid_down: datetime | None = None  # in nbgrader's exchange, where a `timestamp.txt` says the time

    @property
    def name(self) -> str:
        """As it is stored: with nothing that a page, a table or a shell takes for more than a name."""
        name = unicodedata.normalize("NFC", self.place.name)
        stored = "".join(each if _is_of_names(each) else "_" for each in name)
        return f"_{stored[1:]}" if stored.startswith("-") else stored


def _is_of_names(character: str) -> bool:
    """A letter or its accents, a digit, or what stands between them."""
    accent = unicodedata.category(character) in ("Mn", "Mc")
    return character.isalnum() or character in IN_NAMES or accent


def collect(course: Course, source: Path, *, replace: bool = False, when: str = "") -> list[str]:
    """Take over what is there; a line for each file that was taken, and for each that was not.

    `replace`: an older submission takes the place of a newer one. `when`: what `WHEN=` says (when.py).
    """
    told = read_when(course, when)
    if not source.exists():
        raise CourseError(f"FROM={source}: there is no such folder or zip file")
    if source.is_file() and not zipfile.is_zipfile(source):
        raise CourseError(f"FROM={source}: it is neither a folder nor a zip file. Of a file, name the folder")
    if source.is_dir() and (what := _of_course(course, source.resolve())):
        raise CourseError(
            f"FROM={source}: this folder {what}, where copies of yours lie as well. "
            f"Name a folder of downloads only: {course.root / DOWNLOADS}, or one outside the course"
        )
    said = [*told.passed_over]
    with ExitStack() as opened:
        groups = _by_owner(course, [*_files(course, source, said, opened)], said)
        owners = Owners(course)
        best = {of: _newest(of[1], files, owners, said) for of, files in sorted(groups.items())}
        dated = {
            (student, lab): _dated(owners, files, None if replace else course.handed_in(lab, student))
            for (student, lab), files in best.items()
            if any(map(_is_notebook, files))
        }
        times = handed_in(course, dated, told)
        said += [
            f"look at {student}, {lab}: its {STAMP} says {course.told(each.claimed)}, the file system "
            f"{course.told(each.time)}, which counts. Where it is not so, say WHEN=times.csv"
            for (student, lab), each in dated.items()
            if each.claimed and not told.told(student, lab)
        ]
        for (student, lab), files in best.items():
            new = _New(files, times.get((student, lab)), told.told(student, lab) is not None)
            within = next(
                (f", from {each.place}" for each in filter(_is_notebook, files) if owners.within(each.place)),
                "",
            )
            was_in_time = _is_in_time(course, lab, student)
            took = _take(course, lab, student, new, replace=replace)
            said.append(f"{student}, {lab}: {took}{within}")
            if new.when and was_in_time and took.endswith(", late"):
                said += _way_back(course, lab, student, new.when)
    return said


@dataclass(frozen=True)
class _New:
    """The files of a submission, and when it was handed in, None without a notebook; `told`: by `WHEN=`."""

    files: list[Found]
    when: datetime | None
    told: bool


def _dated(owners: Owners, files: list[Found], there: Path | None) -> Dated:
    """The time of its newest notebook; in nbgrader's exchange what the `timestamp.txt` beside it says.

    What is `there` already keeps its time.
    """
    newest = max(filter(_is_notebook, files), key=lambda each: each.when)
    if there and (there / STAMP).exists() and _is_there(files, there):
        return Dated(_time((there / STAMP).read_text(), newest.when), sure=True)
    for each in files:
        if each.place.name == STAMP and each.laid_down:
            claimed = _time(each.read().decode(errors="replace"), newest.when)
            if each.laid_down - claimed > MOMENT:
                return Dated(each.laid_down, sure=True, claimed=claimed)
            return Dated(claimed, sure=True)
    return Dated(newest.when, owners.platform(newest.place))


def _is_there(files: list[Found], there: Path) -> bool:
    """Are these the files that were taken before?"""
    with suppress(zipfile.BadZipFile):
        return all(
            (there / each.name).exists() and (there / each.name).read_bytes() == each.read()
            for each in files
            if each.place.name != STAMP
        )
    return False


def _of_course(course: Course, source: Path) -> str:
    """What has this folder to do with the course's own? "" where it holds nothing but downloads."""
    if source == course.root:
        return "is the course's own"
    if course.root.is_relative_to(source):
        return "holds the course's own"
    inside = source.relative_to(course.root).parts if source.is_relative_to(course.root) else ()
    return "lies in the course's own" if inside and inside[0] != DOWNLOADS else ""


def _by_owner(course: Course, files: list[Found], said: list[str]) -> dict[tuple[str, str], list[Found]]:
    """The files of each student and lab; a helper that names no lab goes with the notebooks of its folder."""
    owners, groups = Owners(course), dict[tuple[str, str], list[Found]]()
    known = [_known(course, owners, found) for found in files]
    beside: dict[tuple[PurePosixPath, str], set[str]] = {}
    for found, student, lab, _ in known:
        if lab and _is_notebook(found):
            beside.setdefault((found.place.parent, student), set()).add(lab)
    odd = _odd(owners, known)
    for found, student, lab, why in known:
        if not why:
            why = odd.get((student, owners.spelling(found.place)), "")
        near = set() if _is_notebook(found) else beside.get((found.place.parent, student), set())
        labs = {lab} if lab else near
        if why or not labs:
            said.append(f"left out: {found.place}: {why or owners.no_lab(found.place)}")
            continue
        for each in labs:
            groups.setdefault((student, each), []).append(found)
    return groups


def _odd(owners: Owners, known: list[tuple[Found, str, str, str]]) -> dict[tuple[str, str], str]:
    """Where a download writes one student's name in several ways: those that the roster does not, and why."""
    ways: dict[tuple[str, str], set[str]] = {}
    for found, student, _, why in known:
        if not why and (written := owners.spelling(found.place)):
            ways.setdefault((student, plain(written).strip()), set()).add(written)
    return {
        (student, each): TWO_WAYS.format(
            names=and_of(sorted(written)), student=student, unseen=_unseen(sorted(written))
        )
        for (student, _), written in ways.items()
        for each in written
        if len(written) > 1 and each not in owners.written(student)
    }


def _unseen(names: list[str]) -> str:
    """Which of them hold a character that no screen shows, and which one."""
    told = [
        f". `{name.encode('ascii', 'backslashreplace').decode()}` holds U+{ord(each):04X} "
        f"({unicodedata.name(each, 'a control character')}): no screen shows it"
        for name in names
        for each in dict.fromkeys(name)
        if not each.isprintable()
    ]
    return "".join(told)


def _known(course: Course, owners: Owners, found: Found) -> tuple[Found, str, str, str]:
    """Whose is it, of which lab, and why not? Where no path names the lab, a notebook's own cells do."""
    student, lab, why = owners.owner(found.place)
    if lab or why:
        return found, student, lab, why
    if not _is_notebook(found):
        only = next(iter(course.due)) if len(course.due) == 1 else ""
        return found, student, only, ""
    try:
        lab = lab_of(found.read(), course.labs)
    except (zipfile.BadZipFile, OSError) as error:
        return found, student, "", f"it cannot be read ({error})"
    if lab and lab not in course.due:
        return found, student, "", f"this is the notebook of `{lab}`, which this course does not assign"
    return found, student, lab, ""


def _newest(lab: str, files: list[Found], owners: Owners, said: list[str]) -> list[Found]:
    """Of files that stand for the same, the newest; a helper from the folder of the notebook comes first.

    In a platform's download the numbers of the uploads say what is newer: all times there are its own.
    """
    notebooks = [each for each in files if _is_notebook(each)]
    uploads = {each.place: owners.uploaded(each.place) for each in files}
    by_number = all(uploads[each.place] is not None for each in notebooks)

    def stands_for(each: Found) -> str:
        named = _is_notebook(each) and names_lab(each.place.stem, lab)
        return "the lab" if named else each.name

    def fitness(each: Found) -> tuple[bool, Any, bool]:
        age = uploads[each.place] if by_number else each.when
        return stands_for(each) == "the lab", age, each.place.stem == lab

    def why(taken: Found, other: Found) -> str:
        if not (by_number and _is_notebook(other) and stands_for(other) == "the lab"):
            return "is newer" if taken.when > other.when else "is taken"
        for last, before in zip(uploads[taken.place] or (), uploads[other.place] or (), strict=True):
            if last != before:
                return f"was uploaded later ({last} is more than {before})"
        return "is taken, and nothing in this download says which of them is newer: look at both"

    first = max(notebooks, key=fitness, default=None)

    def rank(each: Found) -> tuple[bool, bool, datetime]:
        near = first is not None and each.place.parent == first.place.parent
        return each is first, near, each.when

    best = {stands_for(each): each for each in sorted(files, key=rank)}
    for each in files:
        taken = best[stands_for(each)]
        if _is_notebook(each) and "the lab" in best:
            taken = best["the lab"]
        if each is not taken:
            best = {name: kept for name, kept in best.items() if kept is not each}
            said.append(f"left out: {each.place}: {taken.place} {why(taken, each)}")
    return [*best.values()]


def nothing_from(course: Course) -> list[str]:
    """Who has handed in nothing, for each lab that somebody has handed in."""
    said = []
    for lab in course.due:
        without = [each for each in sorted(course.students) if not course.handed_in(lab, each).is_dir()]
        if without and len(without) < len(course.students):
            more = f" and {len(without) - 10} more" if len(without) > 10 else ""
            said.append(f"{lab}: nothing yet from {', '.join(without[:10])}{more}")
    return said


def _is_notebook(found: Found) -> bool:
    return is_notebook(found.place.name)


def _files(course: Course, source: Path, said: list[str], open_until: ExitStack) -> Iterator[Found]:
    """All files but links, hidden ones, and those that nobody hands in."""
    if source.is_dir():
        other, times = left_out(source), laid_down(source)
        said += [f"left out: {name}: {why}" for name, why in other.items()]
        for folder, inner, names in os.walk(source):
            if Path(folder) == source:
                inner[:] = [each for each in inner if each not in other]
            for name in sorted([*inner, *names]):
                file = Path(folder, name)
                place = PurePosixPath(file.relative_to(source).as_posix())
                kind = file.lstat()
                if stat.S_ISLNK(kind.st_mode):
                    said.append(f"left out: {place}: it is a link")
                elif stat.S_ISREG(kind.st_mode) and _is_wanted(place, kind.st_size, said):
                    when = datetime.fromtimestamp(kind.st_mtime, UTC)
                    yield Found(place, when, kind.st_size, file.read_bytes, times.get(place.parts[0]))
        return
    try:
        packed = open_until.enter_context(zipfile.ZipFile(source))
    except zipfile.BadZipFile as error:
        raise CourseError(f"FROM={source}: {error}") from None
    for info in sorted(packed.infolist(), key=lambda each: each.filename):
        place = PurePosixPath(zip_name(info))
        if stat.S_ISLNK(info.external_attr >> 16):
            said.append(f"left out: {place}: it is a link")
        elif not info.is_dir() and _is_wanted(place, info.file_size, said):
            yield Found(place, zip_time(info, course.zone), info.file_size, partial(packed.read, info))


def _is_wanted(place: PurePosixPath, size: int, said: list[str]) -> bool:
    if any(part.startswith((".", "__MACOSX")) and part != ".." for part in place.parts):
        return False
    if HALVES.search(str(place)):
        said.append(f"left out: {place}: its name is no text")
        return False
    if ".." in place.parts:
        said.append(f"left out: {place}: its path leads out of a folder, by `..`")
        return False
    if any(len(part.encode()) > LONGEST_NAME for part in place.parts):
        said.append(f"left out: {str(place)[:60]}...: its name is too long")
        return False
    if not is_notebook(place.name) and place.suffix not in HELPERS:
        said.append(f"left out: {place}: neither a notebook nor a helper ({', '.join(sorted(HELPERS))})")
        return False
    if size > MOST_BYTES:
        said.append(f"left out: {place}: it has {size:,} bytes")
        return False
    return True


def _take(course: Course, lab: str, student: str, found: _New, *, replace: bool) -> str:
    """Put these files in the place of what was there; a newer download replaces an older one as a whole."""
    there, new = course.handed_in(lab, student), course.root / "handed-in" / f".new-{student}-{lab}"
    files, when = [each for each in found.files if each.place.name != STAMP], found.when
    if when is None:
        return "no notebook among its files, nothing taken"
    size = sum(each.size for each in found.files)
    if size > MOST_BYTES:
        return f"its files have {size:,} bytes together, nothing taken"
    known = there / STAMP
    same = known.exists() and _is_there(files, there)
    before = _time(known.read_text(), when) if known.exists() else when
    if same and (when == before or not (replace or found.told)):
        return "as before"
    if when < before and not (replace or same):
        return f"left out, as {course.told(when)} is older than what is there; REPLACE=1 takes it"
    try:
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        for each in files:
            (new / each.name).write_bytes(each.read())
    except (zipfile.BadZipFile, OSError) as error:
        return f"{error}, nothing taken"
    (new / STAMP).write_text(f"{when.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC\n")
    again = there.exists()
    there.parent.mkdir(parents=True, exist_ok=True)
    if again:
        earlier = course.root / "earlier" / student / f"{lab} {datetime.now(course.zone):{EARLIER}}"
        earlier.parent.mkdir(parents=True, exist_ok=True)
        there.rename(earlier)
    new.rename(there)
    late = when > course.due_of(lab, student)
    return f"{'replaced' if again else 'taken'}, handed in {course.told(when)}{', late' if late else ''}"


def _is_in_time(course: Course, lab: str, student: str) -> bool:
    """Is what is there already in time?"""
    stamp, due = course.handed_in(lab, student) / STAMP, course.due_of(lab, student)
    return stamp.exists() and _time(stamp.read_text(), due) <= due


def _way_back(course: Course, lab: str, student: str, when: datetime) -> list[str]:
    """What it costs that this one has taken the place of one in time, and how that one counts again."""
    late = (when - course.due_of(lab, student)).total_seconds()
    if not (percent := course.late.percent(late)):
        return []
    earlier = max((course.root / "earlier" / student).glob(f"{lab} *"), key=lambda each: each.stat().st_ctime)
    there, back = (shlex.quote(str(each)) for each in (course.handed_in(lab, student), earlier))
    return [
        f"look at {student}, {lab}: what it replaces was in time, and this costs {percent:g} % of its "
        f"points. To go back: rm -r {there} && mv {back} {there}"
    ]


def _time(said: str, otherwise: datetime) -> datetime:
    """When, in UTC? nbgrader's own reader takes +0100 for a hundred seconds."""
    try:
        found: datetime = parse(said.strip())
    except (ValueError, OverflowError):
        return otherwise
    return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
