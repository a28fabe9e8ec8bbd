"""`python -m classroom COMMAND --course FOLDER`: what the targets of the Makefile call."""

from __future__ import annotations

import argparse
import collections
import dataclasses
import difflib
import os
import re
import shlex
import sys
import time
import warnings
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from pathlib import Path

from classroom import course, isolation, setting_up
from classroom.course import Course, CourseError

FEW = 8  # submissions from which the time of the others is estimated
MOST_LINES = 10  # that are printed of a list


def say(*lines: str) -> None:
    sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))
    sys.stdout.flush()


def printable(line: str) -> str:
    """A file's name may hold what a terminal would carry out."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in line)


def counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def shown(path: Path) -> str:
    """A path as short as it can be told from here."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def again(root: Path) -> str:
    """What was typed: `my-course` is what the Makefile takes by itself."""
    return "make course" if shown(root) == "my-course" else f"make course COURSE={shlex.quote(shown(root))}"


def make_course(root: Path, _: argparse.Namespace) -> None:
    if written := setting_up.begin(root):
        say(
            f"Written: {', '.join(shown(root / each) for each in written)}.",
            f"Edit {'both' if len(written) == 2 else 'it'}, then run `{again(root)}` again.",
        )
        return
    found = course.read(root)
    said = setting_up.set_up(found)
    say(f"{found.name}: students: {len(found.students)}, labs: {len(found.due)}.")
    for lab, due in found.due.items():
        say(f"  {lab}, due {found.told(due)}{': new or changed' if lab in said['labs'] else ''}")
        for student in (who for of, who in found.extensions if of == lab):
            say(f"    {student}: {found.told(found.due_of(lab, student))}")
    ago = [
        f"`{each}` is new, and was due already" for each in said["new"] if found.due[each] < datetime.now(UTC)
    ]
    say(*(f"Is it meant? {each[0].upper()}{each[1:]}." for each in (*found.doubts(), *ago)))
    if said["gone"]:
        say(f"No longer on the roster, and still in the gradebook: {', '.join(said['gone'])}.")
    if said["unassigned"]:
        say(f"No longer assigned, and still in {shown(root / 'release')}: {', '.join(said['unassigned'])}.")
        folders = " ".join(shlex.quote(shown(root / "release" / each)) for each in said["unassigned"])
        say(f"  To give them out no more: rm -r {folders}")
        say("  Points for them stay in the gradebook, and count again when they have a line under [labs].")
    say(f"Students get the notebooks in {shown(root / 'release')}.")


def collect(root: Path, told: argparse.Namespace) -> None:
    from classroom.collecting import collect as take
    from classroom.collecting import nothing_from

    if told.source is None:
        raise CourseError("say where the notebooks are: make collect FROM=folder-or-zip")
    found = _ready(root)
    said = take(found, told.source, replace=told.replace, when=told.when)
    left, look = (sum(each.startswith(head) for each in said) for head in ("left out", "look at"))
    say(*said, *nothing_from(found))
    late = sum(each.endswith(", late") for each in said)
    some = f" ({late} late)" if late else ""
    say(f"{counted(len(said) - left - look, 'submission')}{some}, {counted(left, 'file')} left out.")


def grade(root: Path, told: argparse.Namespace) -> None:
    from classroom import class_run, places

    found = _ready(root)
    labs = [known(told.lab, found.due, "LAB", "labs of this course")] if told.lab else [*found.due]
    students = [*found.students]
    if told.student:
        students = [known(told.student, found.students, "STUDENT", "students")]
        if not any(found.handed_in(lab, told.student).is_dir() for lab in labs):
            raise CourseError(f"STUDENT={told.student}: nothing is handed in. `make collect` comes first.")
    if not re.fullmatch(r"([1-9]\d*)?", told.jobs):
        raise CourseError(f"JOBS={told.jobs}: a number from 1 on is asked for, such as JOBS=2")
    if os.geteuid() == 0:
        say("You are root. Grade as another user where you can: a hole in a box is then none in the system.")
    if told.unsafe:
        say(isolation.UNSAFE)
    elif not told.scheduler:
        found = dataclasses.replace(found, isolation=isolation.working(found.isolation))
    work = class_run.to_do(found, labs, students, again=told.again)
    look = 0
    with places.workers_of(told.scheduler) if told.scheduler else places.here(int(told.jobs or 0)) as where:
        graded, began = class_run.grade_all(found, work, where, isolated=not told.unsafe), time.monotonic()
        for done, (lab, student, made) in enumerate(graded, 1):
            look += bool(made["look"])
            reason = f"look by hand: {made['look'][0]}" if made["look"] else "graded"
            if made["again"]:
                names = ", ".join(f"`{each}`" for each in made["again"])
                reason += f"; marked before, and changed since: {names}"
            say(f"[{done}/{len(work)}] {lab}, {student}: {reason} ({made['seconds']} s)")
            if done == FEW and (told_of := class_run.estimated(time.monotonic() - began, done, len(work))):
                say(told_of)
    say(f"{len(work)} graded now, {look} of them to be looked at by hand. Next: make mark")


def try_out(_: Path, told: argparse.Namespace) -> None:
    from classroom.trying import tried

    if not told.lab:
        raise CourseError("say which lab: make try LAB=coalescing, and FROM=mine.ipynb to try other answers")
    if told.source and told.starter:
        raise CourseError("FROM names a notebook, and STARTER=1 the untouched one: say one of them")
    lab = known(told.lab, course.NAMES, "LAB", "labs in labs/instructor", "labs/instructor has")
    isolation = None if told.unsafe else course.Isolation()
    say(*tried(lab, told.source, isolation, starter=told.starter))


def known(name: str, names: Collection[str], option: str, what: str, who: str = "the course knows") -> str:
    """The name, if it is one of these; else it is told which may be meant."""
    if name in names:
        return name
    near = difflib.get_close_matches(name, names, 1)
    some = f"Is `{near[0]}` meant?" if near else f"There are {len(names)} {what}."
    raise CourseError(f"{option}={name}: {who} no `{name}`. {some}")


def mark(root: Path, told: argparse.Namespace) -> None:
    from classroom.marking_server import serve

    found = _ready(root)
    if os.geteuid() == 0:
        raise CourseError(
            "The marking page does not run as root. Mark as another user; "
            f"`sudo chown -R USER {shlex.quote(shown(root))}` gives that user the course."
        )
    opens = "Open the address below." if told.no_browser else "The marking page opens in your browser."
    say(f"{opens} Ctrl+C ends it; what you entered is saved.")
    serve(found, told.port, browser=not told.no_browser)


def feedback(root: Path, told: argparse.Namespace) -> None:
    from classroom.feedback import feedback as pages
    from classroom.feedback import moved_by

    found = _ready(root)
    written, waiting = pages(found, unmarked=told.unmarked)
    say(f"{counted(len(written), 'page')} new, in {shown(root / 'feedback')}.")
    say(*_listed("Another score than on the page before", moved_by(found, written)))
    say(*_counted("Without a page", (row.state for row in waiting)))


def grades(root: Path, _: argparse.Namespace) -> None:
    from classroom.feedback import moved
    from classroom.grades import IMPORT, export

    found = _ready(root)
    file, rows = export(found)
    say(*_counted(shown(file), (row.state for row in rows)))
    say(f"{shown(root / IMPORT)}: a column of scores for each lab.")
    say(
        *_listed(
            "Another score than on the page that went out (`make feedback` writes it anew)",
            moved(found, rows),
        )
    )
    if unsafe := sum(row.isolated is False for row in rows):
        say(f"{unsafe} graded with --unsafe (`isolated` is False), and could write into the gradebook.")


def alike(root: Path, _: argparse.Namespace) -> None:
    from classroom.alike import export, pairs, published

    known = _ready(root)
    file, found = export(known)
    say(f"{counted(len(found), 'answer')} {'is' if len(found) == 1 else 'are'} alike: {shown(file)}.")
    say(*(f"  {one} and {other}: {count}" for (one, other), count in pairs(found)[:MOST_LINES]))
    if found:
        say("People who work alone write equal answers, too: look at them side by side. No grade follows.")
    if own := published(known):
        say("The course's own answers, which are published:")
        say(*(f"  {student}, {lab}: {count} of {every}" for student, lab, count, every in own))


def _listed(head: str, lines: list[str]) -> list[str]:
    """The first of these lines below their head; nothing of none."""
    more = [f"  and {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else []
    return [f"{head}:", *(f"  {each}" for each in lines[:MOST_LINES]), *more] if lines else []


def _counted(head: str, states: Iterable[str]) -> list[str]:
    counted = collections.Counter(states)
    return (
        [f"{head}: {', '.join(f'{count} {state}' for state, count in sorted(counted.items()))}."]
        if counted
        else []
    )


def _ready(root: Path) -> Course:
    found = course.read(root)
    missing = [lab for lab in found.due if not found.released(lab).exists()]
    if missing:
        raise CourseError(f"{', '.join(missing)}: not set up yet. Run `make course` first.")
    return found


COMMANDS = {
    "course": make_course,
    "collect": collect,
    "grade": grade,
    "mark": mark,
    "feedback": feedback,
    "grades": grades,
    "alike": alike,
    "try": try_out,
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="classroom", description=__doc__)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--course", type=Path, default=Path("my-course"), help="the folder of the course")
    parser.add_argument(
        "--from", dest="source", type=Path, help="collect: a folder or a zip file; try: a notebook"
    )
    parser.add_argument("--replace", action="store_true", help="collect: older submissions for newer ones")
    parser.add_argument("--when", default="", help="collect: a table of times, a time, or `files`")
    parser.add_argument("--lab", help="grade: this lab only; try: this lab")
    parser.add_argument("--student", help="grade: what this student has handed in only")
    parser.add_argument("--jobs", default="", help="grade: so many at once; as many as there are cores")
    parser.add_argument("--scheduler", help="grade: on the workers of Dask at this address")
    parser.add_argument("--again", action="store_true", help="grade: what is graded already as well")
    parser.add_argument("--unsafe", action="store_true", help="grade: without isolation")
    parser.add_argument(
        "--unmarked", action="store_true", help="feedback: before the written answers are marked"
    )
    parser.add_argument("--starter", action="store_true", help="try: what students get, untouched")
    parser.add_argument("--port", type=int, default=8899, help="mark: of the page")
    parser.add_argument("--no-browser", action="store_true", help="mark: print the address only")
    told = parser.parse_args(arguments)
    if sys.platform == "win32":
        parser.error("a class is graded on Linux or macOS: on Windows, run this in WSL")
    warnings.simplefilter("ignore")  # nbgrader's and SQLAlchemy's own
    try:
        COMMANDS[told.command](told.course.resolve(), told)
    except CourseError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped. What is done stays; run the same command again to go on.\n")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
