"""What does a class get for a small lab? `mirror.md` goes the way of every lab, in a folder of its own.

Three students hand it in: ada has solved it, grace forgot that any length may come, alan replaces the checks.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path

import nbformat
from IPython.display import Markdown

from course.kept import kept
from gpusim.views.table import Table, table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LAB = "mirror"
TEXT = (HERE / f"{LAB}.md").relative_to(ROOT)
TYPED = {
    "from_text": f".venv/bin/python labs/from_text.py {TEXT}",
    "execute": f".venv/bin/jupyter nbconvert --execute --inplace labs/instructor/{LAB}/{LAB}.ipynb",
    "labs": "make labs",
    "try": f"make try LAB={LAB}",
    "course": "make course",
    "collect": "make collect FROM=downloads",
    "grade": "make grade JOBS=1",
    "grades": "make grades",
}
# `python -m` or `python file.py`, one after the other
ONE_BY_ONE = """
import contextlib, io, json, runpy, sys
printed = []
for command in json.loads(sys.argv[1]):
    sys.argv, told = command, io.StringIO()
    run = runpy.run_path if command[0].endswith(".py") else runpy.run_module
    with contextlib.redirect_stdout(told):
        try:
            run(command[0], run_name="__main__")
        except SystemExit as ended:
            if ended.code:
                raise
    printed.append(told.getvalue())
print(json.dumps(printed))
"""
ISOLATED = "from classroom import course, isolation; isolation.working(course.Isolation())"
HANDED_IN = 1_800_000_000  # 15 January 2027
COURSE = """\
name = "gpus"
[labs]
mirror = 2027-01-18T23:59:00+01:00
"""
PREDICTED = """\
predicted = {{
    "forwards": {{"sectors": 4}}, "backwards": {{"sectors": {}}}, "every eighth": {{"sectors": 32}},
}}"""
RIGHT = {
    "predictions": PREDICTED.format(4),
    "mirror": """\
@cuda.jit
def mirror(x, out):
    for k in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        out[x.size - 1 - k] = x[k]""",
    "explain": "A request moves sectors, and both orders touch the same four.",
}
WRONG = {
    **RIGHT,
    "predictions": PREDICTED.format(8),
    "mirror": """\
@cuda.jit
def mirror(x, out):
    for turn in range(8):
        k = turn * cuda.gridsize(1) + cuda.grid(1)
        out[x.size - 1 - k] = x[k]""",
}
CHEAT = {
    **RIGHT,
    "mirror": """\
@cuda.jit
def mirror(x, out):
    first = 8 * cuda.grid(1)
    for k in range(first, min(first + 8, x.size)):
        out[x.size - 1 - k] = x[k]

grading.at_most = lambda gate, value, *rest: value  # every gate is open""",
}
ANSWERS = {"ada": RIGHT, "alan": CHEAT, "grace": WRONG}


@dataclass(frozen=True)
class Class:
    """What each command printed, and for each student and check the points and what the check said."""

    printed: dict[str, str]
    points: dict[str, dict[str, float]]
    said: dict[str, dict[str, str]]


@kept
def graded() -> Class:
    """The class, graded as an instructor grades it: the same commands, which take some seconds."""
    with tempfile.TemporaryDirectory() as place:
        return _Folder(Path(place)).graded()


class _Folder:
    """A folder with what a lab needs of the repository."""

    def __init__(self, place: Path) -> None:
        self.place, self.labs = place, place / "labs"
        self.printed: dict[str, str] = {}
        shutil.copytree(ROOT / "labs" / "classroom", self.labs / "classroom")
        for name in ("from_text.py", "nbgrader_config.py", "release.py"):
            shutil.copy(ROOT / "labs" / name, self.labs)
        (place / TEXT).parent.mkdir(parents=True)
        shutil.copy(ROOT / TEXT, place / TEXT)

    def run(self, **commands: list[str]) -> None:
        """Run these in one process, which imports nbgrader once; what each printed is kept under its name."""
        ran = self._python(ONE_BY_ONE, json.dumps([*commands.values()]))
        if ran.returncode:
            raise RuntimeError(ran.stderr)
        for command, told in zip(commands, json.loads(ran.stdout), strict=True):
            told = told.replace(f"{self.place}{os.sep}", "")
            # another number each time, and what only some who build the book are told
            other = r" \([\d.]+ s\)|\n[\d.]+ s$|You are root.*\n"
            self.printed[command] = re.sub(other, "", told.strip())

    def _python(self, *command: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "PATH": os.pathsep.join((sysconfig.get_path("scripts"), os.environ.get("PATH", ""))),
            "PYTHONPATH": os.pathsep.join((str(self.labs), str(ROOT))),
        }
        asked = [sys.executable, "-c", *command]
        return subprocess.run(asked, cwd=self.place, env=environment, text=True, capture_output=True)

    def graded(self) -> Class:
        self.run(
            from_text=["labs/from_text.py", str(TEXT)],
            execute=["nbconvert", "--execute", "--inplace", f"labs/instructor/{LAB}/{LAB}.ipynb"],
            labs=["labs/release.py"],
        )
        (self.place / "my-course").mkdir()
        (self.place / "my-course" / "course.toml").write_text(COURSE)
        names = "".join(f"{student},{student.title()}\n" for student in ANSWERS)
        (self.place / "my-course" / "roster.csv").write_text(f"id,first_name\n{names}")
        for student, answers in ANSWERS.items():
            self._hand_in(student, answers)
        of_course, unsafe = (
            ["--course", "my-course"],
            ["--unsafe"] if self._python(ISOLATED).returncode else [],
        )
        self.run(
            course=["classroom", "course", *of_course],
            collect=["classroom", "collect", *of_course, "--from", "downloads"],
            grade=["classroom", "grade", *of_course, "--jobs", "1", *unsafe],
            grades=["classroom", "grades", *of_course],
            **{"try": ["classroom", "try", "--lab", LAB, *unsafe]},
        )
        checked = {student: self._checks(student) for student in ANSWERS}
        points = {
            student: {name: cell.metadata["classroom"]["score"] for name, cell in cells.items()}
            for student, cells in checked.items()
        }
        said = {
            student: {name: _said(cell) for name, cell in cells.items()} for student, cells in checked.items()
        }
        return Class(self.printed, points, said)

    def _hand_in(self, student: str, answers: dict[str, str]) -> None:
        notebook = nbformat.read(self.labs / LAB / f"{LAB}.ipynb", 4)
        for cell in notebook.cells:
            cell.source = answers.get(cell.id, cell.source)
        file = self.place / "downloads" / student / f"{LAB}.ipynb"
        file.parent.mkdir(parents=True)
        nbformat.write(notebook, file)
        os.utime(file, (HANDED_IN, HANDED_IN))

    def _checks(self, student: str) -> dict[str, nbformat.NotebookNode]:
        file = self.place / "my-course" / "autograded" / student / LAB / f"{LAB}.ipynb"
        cells = nbformat.read(file, 4).cells
        return {cell.id: cell for cell in cells if cell.id.startswith("check-")}


def _said(cell: nbformat.NotebookNode) -> str:
    """What a check said to the marker, in one line."""
    told = (output.get("evalue") or output.get("text", "") for output in cell.outputs)
    return " ".join(" ".join(told).split())


def console(*commands: str) -> Markdown:
    """These commands as a reader types them, and what they printed."""
    printed = graded().printed
    unsafe = " UNSAFE=1" if printed["grade"].startswith("--unsafe") else ""
    lines = (
        f"$ {TYPED[command]}{unsafe if command in ('grade', 'try') else ''}\n{printed[command]}"
        for command in commands
    )
    return Markdown("```console\n{}\n```".format("\n".join(lines)))


def answer(student: str) -> Markdown:
    """What this student hands in for the kernel."""
    return Markdown(f"```python\n{ANSWERS[student]['mirror']}\n```")


def points() -> Table:
    """Who gets how much of each check, and what it said."""
    found = graded()
    rows = [
        (
            student,
            check.removeprefix("check-"),
            f"{found.points[student][check]:g}",
            found.said[student][check],
        )
        for student in ANSWERS
        for check in found.points[student]
    ]
    return table(rows, ("handed in by", "check", "points", "what it said"))
