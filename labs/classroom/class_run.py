"""How is a whole class graded? Jobs go out to where submissions run; marks are saved here, one after another.

None can stop the others: one that dies or does not end leaves a record "look by hand". Ctrl+C, or a kill,
loses at most the submissions that are under way.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any

from classroom.apart import Outcome, apart, edition
from classroom.course import Course
from classroom.grading import Saving, digest, job_of, record, with_submission, write
from classroom.places import Places

LOOK_AGAIN = 5  # seconds until the workers are counted anew


def to_do(
    course: Course, labs: list[str], students: Iterable[str] | None = None, *, again: bool
) -> list[tuple[str, str]]:
    """Which submissions, of all or of these students, are not graded, or have changed? (lab, student)."""
    there = [
        (lab, student)
        for lab in labs
        for student in sorted(course.students if students is None else students)
        if course.handed_in(lab, student).is_dir()
    ]
    return [each for each in there if again or not record(course, *each)]


def estimated(seconds: float, done: int, of: int) -> str:
    """How long do the others take, as the first few took this long? "" for less than a minute.

    >>> estimated(40, 8, 300), estimated(40, 8, 12)
    ('About 24 minutes for the other 292.', '')
    """
    minutes = round(seconds / done * (of - done) / 60)
    return (
        f"About {minutes} minute{'' if minutes == 1 else 's'} for the other {of - done}." if minutes else ""
    )


def grade_all(
    course: Course, work: list[tuple[str, str]], places: Places, *, isolated: bool
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Grade these; (lab, student, record) as each is done."""
    saving, rest = Saving(course), deque(work)
    jobs = {lab: job_of(course, lab, isolated=isolated) for lab in {lab for lab, _ in work}}
    waiting: dict[Future[Outcome], tuple[str, str, str]] = {}
    while rest or waiting:
        free = places.count() - len(waiting)
        while rest and free > 0:
            (lab, student), free = rest.popleft(), free - 1
            mark = digest(course, lab, student)
            job = with_submission(jobs[lab], course, student)
            waiting[places.executor.submit(apart, job, edition())] = (lab, student, mark)
        done, _ = wait(waiting, LOOK_AGAIN, FIRST_COMPLETED)
        for future in done:
            lab, student, mark = waiting.pop(future)
            try:
                notebook, why, seconds = future.result()
            except places.lost as error:
                notebook, why, seconds = "", str(error), 0.0
            about: dict[str, Any] = {"isolated": isolated, "seconds": seconds}
            if notebook:
                yield lab, student, saving.save(lab, student, mark, notebook, **about)
            else:
                yield lab, student, write(course, lab, student, mark, {"look": [why]}, **about)
