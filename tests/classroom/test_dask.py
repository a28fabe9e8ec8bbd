"""Does a class get its marks from Dask's workers when one is killed? Who cannot grade says why."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import nbformat
import pytest

from classroom import apart, class_run, grades, isolation, places
from classroom.bubblewrap import Bubblewrap
from classroom.course import Course, CourseError, Isolation, Limits
from classroom.grading import record
from tests.classroom.conftest import hand_in, new_course
from tests.classroom.odd import as_file, right
from tests.classroom.small_lab import LAB, STARTERS

pytestmark = pytest.mark.filterwarnings("ignore")  # nbgrader's, SQLAlchemy's and Dask's are not ours
STUDENTS = [f"s{number}" for number in range(6)]


@contextmanager
def running(*command: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with (
        (folder / f"{command[0]}.log").open("ab") as log,
        subprocess.Popen(
            [sys.executable, "-m", "dask", *command], env=environment, cwd=folder, stdout=log, stderr=log
        ) as process,
    ):
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[str]:
    """The address of a scheduler of its own."""
    known = tmp_path / "scheduler.json"
    with running(
        *("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
        *("--scheduler-file", str(known)),
        folder=tmp_path,
    ) as process:
        while not known.exists() or not known.read_text().endswith("}"):
            assert process.poll() is None, (tmp_path / "scheduler.log").read_text()
            time.sleep(0.1)
        yield json.loads(known.read_text())["address"]


def worker(address: str, folder: Path) -> AbstractContextManager[subprocess.Popen[bytes]]:
    return running("worker", "--no-nanny", "--nthreads", "1", "--no-dashboard", address, folder=folder)


def wait_for(workers: places.Places, many: int) -> None:
    until = time.monotonic() + 120
    while True:
        with suppress(CourseError):
            if workers.count() == 2 * many:
                return
        assert time.monotonic() < until, f"{many} workers are not there"
        time.sleep(0.1)


def test_a_killed_worker_loses_nothing(isolated: None, scheduler: str, tmp_path: Path) -> None:
    """Two workers; one is killed with a submission under way, which the other runs again."""
    made = new_course(tmp_path, STUDENTS)
    released = nbformat.read(made.released(LAB), 4)
    deserved = {}
    for turn, student in enumerate(STUDENTS):
        notebook = right(released, **({"double": STARTERS["double"]} if turn % 2 else {}))
        hand_in(made, student, {f"{LAB}.ipynb": as_file(notebook)})
        deserved[student] = 8 if turn % 2 else 12
    with (
        worker(scheduler, tmp_path) as first,
        worker(scheduler, tmp_path),
        places.workers_of(scheduler) as workers,
    ):
        wait_for(workers, 2)
        done = []
        for lab, student, made_of_it in class_run.grade_all(
            made, class_run.to_do(made, [LAB], again=False), workers, isolated=True
        ):
            done.append(student)
            assert (lab, made_of_it["look"]) == (LAB, [])
            if len(done) == 1:
                assert workers.count() == 4
                os.kill(first.pid, signal.SIGKILL)
        assert workers.count() == 2
    assert sorted(done) == STUDENTS
    assert all(record(made, LAB, student) for student in STUDENTS)
    assert {row.student: row.checks for row in grades.export(made)[1]} == deserved


class WorkersDied(Exception):
    pass


def test_a_submission_that_is_given_up_is_to_be_looked_at(
    made: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Dask does when four workers have died with it; any other error of a worker ends the grading."""

    def die(_job: object, _edition: str) -> None:
        raise WorkersDied("four workers died with it")

    student = next(iter(made.students))
    hand_in(made, student, {f"{LAB}.ipynb": as_file(right(nbformat.read(made.released(LAB), 4)))})
    monkeypatch.setattr(class_run, "apart", die)
    with places.here(1) as here:
        with pytest.raises(WorkersDied):
            list(class_run.grade_all(made, [(LAB, student)], here, isolated=True))
        here.lost = (WorkersDied,)
        ((_, _, told),) = class_run.grade_all(made, [(LAB, student)], here, isolated=True)
    assert told["look"] == ["four workers died with it"]
    assert {row.student: row.state for row in grades.export(made)[1]}[student] == "look by hand"


def test_without_workers_it_says_how_to_start_one(scheduler: str) -> None:
    with (
        places.workers_of(scheduler) as workers,
        pytest.raises(CourseError, match=rf"has no worker(?s:.*)dask worker --no-nanny.* {scheduler}"),
    ):
        workers.count()


def test_where_no_scheduler_answers_it_says_so() -> None:
    with (
        pytest.raises(CourseError, match=r"tcp://127\.0\.0\.1:9: no scheduler answers"),
        places.workers_of("tcp://127.0.0.1:9"),
    ):
        pass


@pytest.fixture
def asked_anew() -> Iterator[None]:
    asked = apart._working, isolation._first
    for one in asked:
        one.cache_clear()
    yield
    for one in asked:
        one.cache_clear()


def test_a_worker_without_bubblewrap_refuses(asked_anew: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bubblewrap, "why_not", lambda _: "there is no program `bwrap`")
    with pytest.raises(
        CourseError, match=r"(?s)^\S+: What students hand in runs in a box.*no program `bwrap`"
    ):
        apart.apart(job(isolated=True), apart.edition())


def test_a_worker_of_another_edition_refuses(asked_anew: None) -> None:
    with pytest.raises(CourseError, match="another edition of the course"):
        apart.apart(job(isolated=False), "of yesterday")


def job(*, isolated: bool) -> apart.Job:
    return apart.Job(LAB, "", {}, {}, Limits(), Isolation("bubblewrap") if isolated else None)
