"""How is a whole class graded? Several processes, each for one submission; none can stop the others.

Every submission has a process of its own, forked from one that has imported everything. One that dies or does
not end leaves a record "look by hand". Ctrl+C, or a kill, loses at most the submissions that are under way.
"""

from __future__ import annotations

import multiprocessing
import os
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from classroom.course import Course
from classroom.grading import digest, grade, record, write

SLACK = 120  # seconds beside the two runs


def to_do(course: Course, labs: list[str], *, again: bool) -> list[tuple[str, str]]:
    """Which submissions are not graded, or have changed? (lab, student), lab by lab."""
    there = [
        (lab, student)
        for lab in labs
        for student in sorted(course.students)
        if course.handed_in(lab, student).is_dir()
    ]
    return [each for each in there if again or not record(course, *each)]


def grade_all(
    course: Course, work: list[tuple[str, str]], *, isolated: bool, processes: int = 0
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Grade these; (lab, student, record) as each is done."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["classroom.grading"])
    with ThreadPoolExecutor(processes or os.cpu_count() or 1) as pool:
        waiting = {pool.submit(_one, context, course, *each, isolated): each for each in work}
        try:
            for done in as_completed(waiting):
                yield *waiting[done], done.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _one(context: Any, course: Course, lab: str, student: str, isolated: bool) -> dict[str, Any]:
    process = context.Process(target=_in_its_process, args=(course, lab, student, isolated), daemon=True)
    process.start()
    most = 2 * course.limits.seconds + SLACK
    process.join(most)
    why = f"grading ended without a result (exit status {process.exitcode})"
    if process.is_alive():
        process.kill()
        process.join()
        why = f"grading did not end within {most} seconds"
    found = record(course, lab, student)
    if process.exitcode == 0 and found:
        return found
    mark = digest(course, lab, student)
    return write(course, lab, student, mark, {"look": [why]}, isolated=isolated, seconds=most)


def _in_its_process(course: Course, lab: str, student: str, isolated: bool) -> None:
    warnings.simplefilter("ignore")  # nbgrader's and SQLAlchemy's own
    grade(course, lab, student, isolated=isolated)
