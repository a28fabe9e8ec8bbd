"""What would this notebook get? Its points by check, hidden tests included, in the boxes that grade a class.

For an author: `make try LAB=mirror` tries the lab's own solution, `STARTER=1` what students get, untouched,
and `FROM=mine.ipynb` another. No course is needed, and none is touched.
"""

from __future__ import annotations

import re
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from classroom import setting_up
from classroom.apart import apart, edition
from classroom.course import LABS, Course, CourseError, Isolation
from classroom.grading import job_of, with_submission
from classroom.mending import KEY, is_check, nbgrader_of
from classroom.which_lab import lab_of

YOU = "you"
COLOURS = re.compile(r"\x1b\[[\d;]*m")


def tried(
    lab: str, answer: Path | None, isolation: Isolation | None, labs: Path = LABS, *, starter: bool = False
) -> list[str]:
    """Lines that say what each check gave, and what it said.

    `answer`: None for the lab's own solution, or with `starter` for what students get.
    """
    answer = answer or labs / "instructor" / lab / f"{lab}.ipynb"
    if not answer.is_file():
        raise CourseError(f"FROM={answer}: there is no such notebook")
    if (other := lab_of(answer.read_bytes(), labs)) not in ("", lab):
        raise CourseError(f"FROM={answer}: this is the notebook of `{other}`: make try LAB={other}")
    with tempfile.TemporaryDirectory() as place:
        due = {lab: datetime.now(UTC)}
        course = Course(Path(place), "try", due, {YOU: {}}, isolation=isolation or Isolation(), labs=labs)
        setting_up.release(course, [lab])
        course.handed_in(lab, YOU).mkdir(parents=True)
        handed_in = course.released(lab) if starter else answer
        (course.handed_in(lab, YOU) / f"{lab}.ipynb").write_bytes(handed_in.read_bytes())
        job = with_submission(job_of(course, lab, isolated=isolation is not None), course, YOU)
        found = apart(job, edition())
    if not found.notebook:
        raise CourseError(f"{lab}: {found.why}")
    return [*_lines(nbformat.reads(found.notebook, 4)), f"{found.seconds:.1f} s"]


def _lines(nb: NotebookNode) -> list[str]:
    """For each check its points, and what it printed or how it failed; then why a person has to look."""
    said, total, most = list[str](), 0.0, 0.0
    for cell in filter(is_check, nb.cells):
        points, score = float(nbgrader_of(cell)["points"]), cell.metadata.get(KEY, {}).get("score")
        total, most = total + (score or 0.0), most + points
        given = "not graded" if score is None else f"{score:g} of {points:g}"
        said.append(f"{nbgrader_of(cell)['grade_id']}: {given}")
        for each in cell.outputs:
            text = "\n".join(each.traceback) if each.output_type == "error" else each.get("text", "")
            said += [f"    {line}" for line in COLOURS.sub("", text).splitlines() if line.strip()]
    look = nb.metadata.get(KEY, {}).get("look", [])
    said += [f"look by hand: {each}" for each in look]
    return [*said, f"{total:g} of {most:g} points by checks"]
