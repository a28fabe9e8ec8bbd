"""How does a submission run without harm to the others? In a process of its own, on any computer.

The process is forked from one that has imported everything. One that dies or does not end is answered with
the reason; one whose starter is gone ends itself.
"""

from __future__ import annotations

import compileall
import functools
import multiprocessing
import os
import resource
import socket
import threading
import time
import warnings
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

from classroom import bubblewrap, isolation
from classroom.course import CourseError, Isolation
from classroom.inside.which_gpusim import digest
from classroom.twice import Job, twice

RUNS, SLACK = 3, 120  # runs at most, and seconds beside them
MOST_BYTES = 4 * 2**30  # of memory, for the process that reads a submission and its boxes' messages


class Outcome(NamedTuple):
    """A notebook that has run, as text; or "", and why there is none."""

    notebook: str
    why: str
    seconds: float


def apart(job: Job, made_by: str) -> Outcome:
    """Run this submission in a process of its own. `made_by`: the edition of the course that asks for it."""
    began = time.monotonic()
    job = replace(job, isolation=_working(made_by, job.isolation))
    context = _context()
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_in_its_process, args=(job, sending), daemon=True)
    process.start()
    sending.close()
    most = RUNS * job.limits.seconds + SLACK
    try:
        notebook = receiving.recv_bytes().decode() if receiving.poll(most) else ""
        why = "" if notebook else f"it did not end within {most} seconds"
    except EOFError:
        process.join()
        notebook, why = "", f"grading ended without a result (exit status {process.exitcode})"
    finally:
        receiving.close()
        process.kill()
        process.join()
    return Outcome(notebook, why, time.monotonic() - began)


@functools.cache
def edition() -> str:
    """It changes with every line of the simulator and of what grades."""
    return digest(bubblewrap.PACKAGE) + digest(Path(__file__).parent)


@functools.cache
def _working(made_by: str, asked: Isolation | None) -> Isolation | None:
    """How does this computer isolate submissions of that edition? Asked once; an error is asked anew."""
    if made_by != edition():
        raise CourseError(
            f"{socket.gethostname()} has another edition of the course, and would grade by other rules. "
            "Bring both to the same commit, and start the worker again."
        )
    if multiprocessing.current_process().daemon:
        raise CourseError(
            f"{socket.gethostname()}: a worker under a nanny can start no process for a submission. "
            "Start it with `dask worker --no-nanny`."
        )
    compileall.compile_dir(bubblewrap.PACKAGE, quiet=2)  # which boxes can only read
    try:
        return None if asked is None else isolation.working(asked)
    except CourseError as error:
        raise CourseError(f"{socket.gethostname()}: {error}") from None


@functools.cache
def _context() -> Any:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


def _in_its_process(job: Job, sending: Connection) -> None:
    warnings.simplefilter("ignore")  # nbgrader's and SQLAlchemy's own
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    with suppress(ValueError, OSError):  # less is allowed already
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, most))  # boxes have limits of their own
    threading.Thread(target=_end_with_its_starter, daemon=True).start()
    sending.send_bytes(twice(job).encode(errors="replace"))


def _end_with_its_starter() -> None:
    """Boxes end with the process that started them, and so does all that is in them."""
    starter = multiprocessing.parent_process()
    assert starter is not None
    wait([starter.sentinel])
    os._exit(1)
