"""When was each submission handed in? A file's own time says it, unless it is that of the download.

Moodle and Canvas write into their zip files when these were made. Such a time before the due date is in
time. After it nobody knows, but for what Canvas writes into names: `_LATE_`, or nothing. `WHEN=` says it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from classroom.course import Course, CourseError
from classroom.exchange import MOMENT
from classroom.roster import and_of, table_of

COLUMNS = ("id", "lab", "time")
FILES = "files"
UNKNOWN = """\
{lab}: nothing says when {who} handed in. Their files say {first} to {last}, after the due date: \
Moodle, Canvas and many programs write there when the files were downloaded. Nothing was taken. Say
  WHEN=times.csv            a table with {columns}, for these at least
  WHEN="2027-01-11 21:00"   one time for all of this download
  WHEN=files                if the files' times are those of handing in"""


LONG_BEFORE = timedelta(days=366)
EARLY = """\
{lab}: the files of {who} say {first} to {last}, more than a year before the due date: nobody had the lab by \
then. Nothing was taken. Say
  WHEN=times.csv            a table with {columns}, for these at least
  WHEN="2027-01-11 21:00"   one time for all of this download
  WHEN=files                if the files' times are those of handing in"""


@dataclass(frozen=True)
class Dated:
    """The files of a submission have this time. `platform`: what a platform's name for them says of it.

    `sure`: the time is of handing in, whatever it looks like, as nbgrader's exchange has it. `claimed`: the
    earlier one that a student's `timestamp.txt` says there.
    """

    time: datetime
    platform: str = ""
    sure: bool = False
    claimed: datetime | None = None


@dataclass(frozen=True)
class When:
    """What `WHEN=` says: that the files are right, one time for all, or a time by student and lab.

    `passed_over`: what is said of rows that are of nobody here, or of no lab.
    """

    files: bool = False
    all: datetime | None = None
    table: Mapping[tuple[str, str], datetime] = field(default_factory=dict)
    passed_over: tuple[str, ...] = ()

    def told(self, student: str, lab: str) -> datetime | None:
        return self.table.get((student, lab), self.all)


def read_when(course: Course, text: str) -> When:
    """`text`: "", `files`, a time, or the name of a table."""
    if text in ("", FILES):
        return When(files=text == FILES)
    if not Path(text).is_file():
        if at := _time(course, text):
            return When(all=at)
        raise CourseError(
            f"WHEN={text}: it is neither a table, nor a time such as 2027-01-11 21:00, nor `files`"
        )
    table, wrong = {}, list[str]()
    strangers, no_labs = dict[str, None](), dict[str, None]()
    rows, first = table_of(Path(text))
    if missing := [each for each in COLUMNS if each not in (rows.fieldnames or ())]:
        raise CourseError(
            f"WHEN={text} has no column `{missing[0]}`: "
            f"its first line is to be {','.join(COLUMNS)}, and is: {first}"
        )
    for row in rows:
        student, lab, told = ((row[each] or "").strip() for each in COLUMNS)
        if not (student or lab or told):
            continue  # a blank row, as table programs leave them
        at = _time(course, told)
        if student not in course.students:
            strangers[student] = None
        elif lab not in course.due:
            no_labs[lab] = None
        elif at is None:
            where = f"{Path(text).name}, line {rows.line_num}"
            wrong.append(f"{where}: `{told}` is no time such as 2027-01-11 21:00")
        else:
            table[student, lab] = at
    if wrong:
        raise CourseError("\n".join(wrong))
    unknown = {"the roster has no": [*strangers], "the course does not assign": [*no_labs]}
    passed_over = [
        f"look at {Path(text).name}: {what} {and_of(names)}, rows passed over"
        for what, names in unknown.items()
        if names
    ]
    return When(table=table, passed_over=tuple(passed_over))


def handed_in(
    course: Course, dated: Mapping[tuple[str, str], Dated], when: When
) -> dict[tuple[str, str], datetime]:
    """When each submission of a download was handed in, by student and lab. Raises where nobody can know."""
    times = [each.time for each in dated.values() if not each.sure]
    together = (
        len({student for student, _ in dated}) > 1 and max(times) - min(times) <= MOMENT if times else False
    )
    found = dict[tuple[str, str], datetime]()
    unknown, early = dict[str, dict[str, datetime]](), dict[str, dict[str, datetime]]()
    for (student, lab), each in dated.items():
        due = course.due_of(lab, student)
        if told := when.told(student, lab):
            found[student, lab] = told
        elif each.sure or when.files:
            found[student, lab] = each.time
        elif each.time < due - LONG_BEFORE:
            early.setdefault(lab, {})[student] = each.time
        elif each.time <= due:
            found[student, lab] = each.time
        elif each.platform == "in time":
            found[student, lab] = due
        elif each.platform or together:
            unknown.setdefault(lab, {})[student] = each.time
        else:
            found[student, lab] = each.time
    asked = [_asked(course, lab, who, UNKNOWN) for lab, who in unknown.items()]
    asked += [_asked(course, lab, who, EARLY) for lab, who in early.items()]
    if asked:
        raise CourseError("\n".join(asked))
    return found


def _asked(course: Course, lab: str, who: Mapping[str, datetime], question: str) -> str:
    names = sorted(who)
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    first, last = (course.told(find(who.values())) for find in (min, max))
    return question.format(
        lab=lab, who=", ".join(names[:10]) + more, first=first, last=last, columns=",".join(COLUMNS)
    )


def _time(course: Course, text: str) -> datetime | None:
    """In UTC; without an offset it is in the course's time zone."""
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=course.zone)).astimezone(UTC)
