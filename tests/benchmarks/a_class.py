"""What does it take to grade a class? `python -m tests.benchmarks.a_class --students 20` says it.

Synthetic students hand in what deserves points that are known by construction. Grading is killed half-way,
with all its processes, and started again; then grades.csv is compared row by row. Wrong rows are listed.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import nbformat
import psutil
from nbformat import NotebookNode

from classroom import course
from classroom.__main__ import main as classroom
from tests.labs.shell import LABS, NAMES, checks_of, instructors, nbgrader_of, read

DUE = "2025-01-11T23:59:00Z"
IN_TIME, LATE = "2025-01-11 20:00:00 UTC", "2025-01-13 05:59:00 UTC"
KINDS = ("right", "starter", "partly right", "wrong", "late", "missing", "broken")


class Deserved(NamedTuple):
    """What grades.csv has to say."""

    state: str
    checks: float | None
    hours_late: float = 0.0


@dataclass
class Taken:
    """What all processes took: those of the run, and those that they started."""

    wall: float = 0.0
    peak_mb: float = 0.0
    cpu: dict[tuple[int, float], float] = field(default_factory=dict)

    def watch(self, process: subprocess.Popen[str], over: threading.Event) -> None:
        """Look four times per second. What a process does after the last look is missed."""
        root = psutil.Process(process.pid)
        while not over.wait(0.25):
            memory = 0
            for each in [root, *_children(root)]:
                try:
                    with each.oneshot():
                        spent, memory = each.cpu_times(), memory + each.memory_info().rss
                        self.cpu[each.pid, each.create_time()] = spent.user + spent.system
                except psutil.Error:
                    continue
            self.peak_mb = max(self.peak_mb, memory / 2**20)


def _children(root: psutil.Process) -> list[psutil.Process]:
    try:
        return root.children(recursive=True)
    except psutil.Error:
        return []


def handed_in(lab: str, kind: str) -> tuple[NotebookNode | None, Deserved]:
    """What a student of this kind hands in for this lab, and what that deserves."""
    notebook, whole = read(LABS / lab / f"{lab}.ipynb"), instructors(lab)
    answers = {cell.id: cell.source for cell in whole.cells if nbgrader_of(cell).get("solution")}
    points = {cell.id: float(nbgrader_of(cell)["points"]) for cell in checks_of(whole)}
    most = sum(points.values())
    if kind == "missing":
        return None, Deserved("missing", None)
    if kind == "starter":
        return notebook, Deserved("graded", 0.0)
    wrong: dict[str, str] = importlib.import_module(
        f"tests.labs.answers.wrong.{lab.replace('-', '_')}"
    ).ANSWERS
    order = [*answers]
    name = max(
        wrong, key=lambda each: order.index(each.partition(":")[0])
    )  # no other answer rests on the last
    failed = name.partition(":")[0]
    if kind == "partly right":
        del answers[failed]
    elif kind == "wrong":
        answers[failed] = wrong[name]
    for cell in notebook.cells:
        cell.source = answers.get(cell.id, cell.source)
    lost = sum(value for check, value in points.items() if check.startswith(f"check-{failed}"))
    if kind == "broken":
        return notebook, Deserved("look by hand", None)
    if kind == "late":
        return notebook, Deserved("to be marked", most, 30.0)
    return notebook, Deserved("to be marked", most if kind == "right" else most - lost)


def make_class(root: Path, students: int, labs: Sequence[str]) -> dict[tuple[str, str], Deserved]:
    """Write a course and what its students hand in; what each deserves, by student and lab."""
    root.mkdir(parents=True)
    names = [f"s{number:03}" for number in range(students)]
    (root / "roster.csv").write_text("\n".join(["id", *names, ""]))
    due = "".join(f"{lab} = {DUE}\n" for lab in labs)
    (root / "course.toml").write_text(f'name = "benchmark"\n[late]\npercent_per_day = 10\n[labs]\n{due}')
    if classroom(["course", "--course", str(root)]):
        raise SystemExit("the course cannot be set up")
    found = course.read(root)
    made = {(lab, kind): handed_in(lab, kind) for lab in labs for kind in KINDS}
    deserved = {}
    for place, student in enumerate(names):
        for turn, lab in enumerate(labs):
            kind = KINDS[(place + turn) % len(KINDS)]
            notebook, deserved[student, lab] = made[lab, kind]
            if notebook is None:
                continue
            text = nbformat.writes(notebook)
            folder = found.handed_in(lab, student)
            folder.mkdir(parents=True)
            (folder / f"{lab}.ipynb").write_text(text[: len(text) // 2] if kind == "broken" else text)
            (folder / "timestamp.txt").write_text(LATE if kind == "late" else IN_TIME)
    return deserved


def grade(root: Path, options: Sequence[str], taken: Taken, kill_after: int = 0) -> None:
    """`make grade`, to its end; or until so many are done, and then killed with all that it started."""
    run = [sys.executable, "-m", "classroom", "grade", "--course", str(root), *options]
    environment = {**os.environ, "PYTHONPATH": str(LABS)}
    over, began = threading.Event(), time.monotonic()
    with subprocess.Popen(
        run, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        watching = threading.Thread(target=taken.watch, args=(process, over))
        watching.start()
        assert process.stdout is not None
        for done, _ in enumerate(process.stdout, 1):
            if done == kill_after:
                os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
        over.set()
        watching.join()
    taken.wall += time.monotonic() - began
    if status != (-signal.SIGKILL if kill_after else 0):
        raise SystemExit(f"grading ended with status {status}")


def wrong_rows(root: Path, deserved: dict[tuple[str, str], Deserved]) -> list[str]:
    """The rows of grades.csv that are not as constructed, and those that are lost or there twice."""
    if classroom(["grades", "--course", str(root)]):
        raise SystemExit("grades.csv was not written")
    with (root / "grades.csv").open(encoding="utf-8-sig", newline="") as opened:
        rows = [*csv.DictReader(opened)]
    wrong = [] if len(rows) == len(deserved) else [f"{len(rows)} rows, and there should be {len(deserved)}"]
    for row in rows:
        checks = float(row["checks"]) if row["checks"] else None
        expected = deserved.pop((row["student"], row["lab"]), None)
        if expected != (told := Deserved(row["state"], checks, float(row["hours_late"] or 0))):
            wrong.append(f"{row['student']}, {row['lab']}: {told}, and deserves {expected}; {row['look']}")
    return wrong + [f"{student}, {lab}: lost" for student, lab in deserved]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=7, help="one of each kind are seven")
    parser.add_argument("--labs", type=int, default=2, help="the first so many, of 15")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="submissions at once")
    parser.add_argument("--scheduler", help="of Dask, in place of processes here")
    told = parser.parse_args(arguments)
    options = ["--scheduler", told.scheduler] if told.scheduler else ["--jobs", str(told.jobs)]
    with tempfile.TemporaryDirectory() as place:
        root, taken = Path(place) / "class", Taken()
        deserved = make_class(root, told.students, NAMES[: told.labs])
        count = sum(each.state != "missing" for each in deserved.values())
        broken = sum(each.state == "look by hand" for each in deserved.values())
        rows = len(deserved)
        grade(root, options, taken, kill_after=count // 2)
        grade(root, options, taken)
        wrong = wrong_rows(root, deserved)
    cpu = sum(taken.cpu.values())
    print(f"\n{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {options}\n")
    print("| students | labs | handed in | unreadable | rows of grades.csv | wrong or lost |")
    print("|---|---|---|---|---|---|")
    print(f"| {told.students} | {told.labs} | {count} | {broken} | {rows} | {len(wrong)} |\n")
    print("| wall per submission | CPU per submission | peak memory of all processes | in all |")
    print("|---|---|---|---|")
    each = f"{taken.wall / count:.1f} s | {cpu / count:.1f} s"
    print(f"| {each} | {taken.peak_mb:,.0f} MiB | {taken.wall:,.0f} s |\n")
    print("Killed once half-way, and continued. Pages that processes share are counted for each of them.")
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
