"""`python -m classroom COMMAND --course FOLDER`: what the targets of the Makefile call."""

from __future__ import annotations

import argparse
import collections
import compileall
import subprocess
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

from classroom import box, class_run, course, setting_up
from classroom.course import Course, CourseError
from classroom.grading import record


def say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def shown(path: Path) -> str:
    """A path as short as it can be told from here."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def make_course(root: Path, _: argparse.Namespace) -> None:
    if written := setting_up.begin(root):
        say(
            f"Written: {', '.join(shown(root / each) for each in written)}.",
            "Edit both, then run `make course` again.",
        )
        return
    found = course.read(root)
    said = setting_up.set_up(found)
    say(f"{found.name}: students: {len(found.students)}, labs: {len(found.due)}.")
    for lab, due in found.due.items():
        say(f"  {lab}, due {due:%Y-%m-%d %H:%M %Z}{': new or changed' if lab in said['labs'] else ''}")
    if said["gone"]:
        say(f"No longer on the roster, and still in the gradebook: {', '.join(said['gone'])}.")
    say(f"Students get the notebooks in {shown(root / 'release')}.")


def collect(root: Path, told: argparse.Namespace) -> None:
    from classroom.collecting import collect as take

    if told.source is None:
        raise CourseError("say where the notebooks are: make collect FROM=folder-or-zip")
    said = take(_ready(root), told.source)
    left = sum(each.startswith("left out") for each in said)
    say(*said, f"{len(said) - left} submissions, {left} files left out.")


def grade(root: Path, told: argparse.Namespace) -> None:
    found = _ready(root)
    if told.unsafe:
        say(box.UNSAFE)
    else:
        box.require_isolation()
    compileall.compile_dir(box.PACKAGE, quiet=2)  # which boxes can only read
    work = class_run.to_do(found, [told.lab] if told.lab else [*found.due], again=told.again)
    look = 0
    for done, (lab, student, made) in enumerate(
        class_run.grade_all(found, work, isolated=not told.unsafe, processes=told.jobs), 1
    ):
        look += bool(made["look"])
        reason = f"look by hand: {made['look'][0]}" if made["look"] else "graded"
        say(f"[{done}/{len(work)}] {lab}, {student}: {reason} ({made['seconds']} s)")
    say(f"{len(work)} graded now, {look} of them to be looked at by hand. Next: make mark")


def mark(root: Path, told: argparse.Namespace) -> None:
    found = _ready(root)
    command = [sys.executable, "-m", "jupyter", "server", f"--ServerApp.root_dir={found.root}"]
    settings = {
        "default_url": "/formgrader/manage_assignments",
        "terminals_enabled": "False",
        "port": str(told.port),
    }
    say("The marking page opens in your browser. Ctrl+C ends it; what you entered is saved.")
    options = [f"--ServerApp.{name}={value}" for name, value in settings.items()]
    subprocess.run(
        [*command, *options, f"--ServerApp.open_browser={not told.no_browser}"], cwd=found.root, check=False
    )


def feedback(root: Path, told: argparse.Namespace) -> None:
    from classroom.feedback import feedback as pages

    written, waiting = pages(_ready(root), unmarked=told.unmarked)
    say(f"{len(written)} pages are new, in {shown(root / 'feedback')}.")
    say(*_counted("Without a page", (row.state for row in waiting)))


def grades(root: Path, _: argparse.Namespace) -> None:
    from classroom.grades import export

    file, rows = export(_ready(root))
    say(*_counted(shown(file), (row.state for row in rows)))
    unsafe = [row for row in rows if record(_ready(root), row.lab, row.student).get("isolated") is False]
    if unsafe:
        say(f"{len(unsafe)} were graded with --unsafe: nothing kept them from writing into the gradebook.")


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
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="classroom", description=__doc__)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--course", type=Path, required=True, help="the folder of the course")
    parser.add_argument("--from", dest="source", type=Path, help="collect: a folder or a zip file")
    parser.add_argument("--lab", help="grade: this lab only")
    parser.add_argument(
        "--jobs", type=int, default=0, help="grade: so many at once; as many as there are cores"
    )
    parser.add_argument("--again", action="store_true", help="grade: what is graded already as well")
    parser.add_argument("--unsafe", action="store_true", help="grade: without isolation")
    parser.add_argument(
        "--unmarked", action="store_true", help="feedback: before the written answers are marked"
    )
    parser.add_argument("--port", type=int, default=8899, help="mark: of the page")
    parser.add_argument("--no-browser", action="store_true", help="mark: print the address only")
    told = parser.parse_args(arguments)
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
