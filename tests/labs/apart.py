"""What does an answer earn where a class is graded? As labs/classroom does it, but without boxes and kernels.

The checks run here, in the shell of a lab; the student's functions in another process, which is a copy of one
that has run the lab's other cells: `python -m tests.labs.apart` is that one.
"""

from __future__ import annotations

import builtins
import json
import os
import subprocess
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from classroom.alone import begins, passing
from classroom.audit import findings
from classroom.carrying import Names, carried
from classroom.inside import plain_values
from classroom.names import bound, held, python_of
from classroom.predicted import Cell, found, questions
from tests.labs.shell import Lab, is_check, nbgrader_of

DONE = 77  # a status that nobody else ends with
ROOT = Path(__file__).resolve().parents[2]


class Student:
    """A process that has run this lab, but for its checks. Each `case` begins from there again."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        place = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "labs"), str(ROOT)])}
        command = [sys.executable, "-m", "tests.labs.apart"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=place
        )
        weakref.finalize(self, _end, self._process)
        for cell in lab.cells.values():
            if not is_check(cell):
                self.say("run", cell.source)

    def say(self, what: str, told: str) -> str:
        """What it answers, or what is said when it does not."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([what, told]), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        return str(json.loads(line)) if line else json.dumps({"failed": "Python ended"})

    @contextmanager
    def case(self) -> Iterator[None]:
        self.say("case", "")
        yield
        self.say("end", "")


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def earned(student: Student, cell: str, source: str) -> tuple[float, list[str]]:
    """The points for this answer in place of the one that the lab has, and what there is to look at."""
    lab, other = student.lab, json.dumps(sorted(bound(python_of(student.lab.cells[cell].source))))
    sources = [source if name == cell else each.source for name, each in lab.cells.items()]
    locked = [each.source for each in lab.cells.values() if not nbgrader_of(each).get("solution")]
    names = Names.of(sources, held(locked))
    with student.case():
        student.say("forget", other)
        student.say("run", source)
        told = student.say("plain", json.dumps(sorted(bound(python_of(source)))))
    values = {name: each for name, each in json.loads(told).items() if name != "failed"}
    crossed = carried(source, values, names)
    look = [str(each) for each in findings(source, names) if each.look]
    starters = [each.source.partition("### BEGIN SOLUTION")[0] for each in lab.cells.values()]
    cells = [
        Cell(name, text, "own" if name == cell else "check" if is_check(lab.cells[name]) else "course")
        for name, text in zip(lab.cells, sources, strict=True)
    ]
    if asked := questions(cells, starters, names):
        with student.case():
            student.say("empty", "")
            for text in (begins(), *(passing(each.source) for each in cells if each.kind != "check")):
                student.say("run", text)
            without = json.loads(student.say("plain", json.dumps([*asked[cell]])))
        look += found(asked, {cell: values}, {cell: without})
    with student.case(), patch.object(builtins, "input", lambda request: student.say("answer", request)):
        student.say("forget", other)
        student.say("run", crossed.source)
        points = lab.answered(cell, crossed.judged, json.loads(other))
    return points, look + sorted(crossed.left) + [crossed.odd] * bool(crossed.odd)


def _serve() -> None:
    """Do what each line asks for, in the process that a case has made last."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    from gpusim.grading.answering import answer

    config = Config()
    config.HistoryManager.enabled = False
    shell = InteractiveShell(config=config)
    into, out = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    ended = False  # the process of the case that is tried
    while line := into.readline():
        what, told = json.loads(line)
        said = ""
        if ended:
            said, ended = json.dumps({"failed": "Python ended"}), what != "end"
        elif what == "run":
            shell.run_cell(told)
        elif what == "forget":
            for each in json.loads(told):
                shell.user_ns.pop(each, None)
        elif what == "empty":
            shell.reset(new_session=False)
        elif what == "plain":
            said = json.dumps(plain_values.plain(shell.user_ns, json.loads(told)))
        elif what == "answer":
            said = answer(shell.user_ns, told)
        elif what == "case" and (made := os.fork()):
            _, status = os.waitpid(made, 0)
            if os.waitstatus_to_exitcode(status) == DONE:
                continue
            said, ended = json.dumps({"failed": "Python ended"}), True
        print(json.dumps(said), file=out, flush=True)
        if what == "end" and not ended and said == "":
            os._exit(DONE)


if __name__ == "__main__":
    _serve()
