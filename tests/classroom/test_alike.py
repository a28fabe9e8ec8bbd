"""Which answers does an instructor look at side by side? Those that are equal, and not by chance."""

from __future__ import annotations

import csv

import nbformat
import pytest
from nbformat import v4

from classroom import alike
from classroom.__main__ import main
from classroom.course import Course
from classroom.grading import record
from tests.classroom.small_lab import LAB, instructors
from tests.classroom.test_marking_server import saved

pytestmark = pytest.mark.filterwarnings("ignore")  # nbgrader's and SQLAlchemy's are not ours
LONG = """\
@cuda.jit
def triple(x, out):
    place = cuda.grid(1)
    if place < out.size:
        total = 0.0
        for turn in range(3):
            total += x[place]  # thrice
        out[place] = total
"""
RENAMED = LONG.replace("place", "i").replace("total", "s").replace("turn", "_").replace("  # thrice", "")
TEXT = "It is twice as much because each of the lanes reads the element two times."


@pytest.mark.parametrize(
    ("others", "how"),
    [
        (LONG, alike.LETTERS),
        (LONG.replace("# thrice", "# three times"), alike.BUT_LAYOUT),
        (RENAMED, alike.BUT_NAMES),
        (LONG.replace("range(3)", "range(1, 4)"), ""),
        (LONG.replace("0.0", "max(0.0, 0)"), ""),
    ],
)
def test_what_two_kernels_have_in_common(made: Course, others: str, how: str) -> None:
    saved(made, "ada", triple=LONG, explain="One.")
    saved(made, "adam", triple=others, explain="Two.")
    found = alike.alike(made)
    assert [(each.how, each.students) for each in found] == ([(how, ("ada", "adam"))] if how else [])


def test_short_answers_and_solutions_are_equal_by_themselves(made: Course) -> None:
    """Both have the course's own kernel, and a sentence of three words."""
    for student in ("ada", "adam"):
        saved(made, student, explain="Twice as much.")
    assert alike.alike(made) == []


def test_what_much_of_a_class_writes_is_usual() -> None:
    answers = {str(number): [(LONG, True)] for number in range(4)}
    assert alike._equal(answers, set()) == []
    assert (
        len(alike._equal({**answers, **{f"other {n}": [(f"n = {n}", True)] for n in range(36)}}, set())) == 1
    )


def test_a_cell_of_their_own_is_compared_wherever_it_stands(made: Course) -> None:
    """Of several the one that both have; what is twice in one notebook is nobody else's."""
    cells = [{"classroom": {"own": True}}, LONG], [{"classroom": {"own": True}}, RENAMED]
    for student, place, (about, text) in (("ada", 0, cells[0]), ("adam", 3, cells[1])):
        saved(made, student, explain=f"Of {student}.")
        notebook = nbformat.read(made.autograded(LAB, student), 4)
        added = [v4.new_code_cell(each, metadata=about) for each in (text, f"n = '{student}'", text)]
        notebook.cells[place:place] = added
        nbformat.write(notebook, made.autograded(LAB, student))
    (found,) = alike.alike(made)
    assert (found.answer, found.how, found.students) == (alike.OWN, alike.BUT_NAMES, ("ada", "adam"))


def test_a_table_and_a_list_say_it(made: Course, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    saved(made, "ada", triple=LONG, explain=TEXT)
    saved(made, "adam", triple=RENAMED, explain=TEXT.upper().replace("IT IS", "It is:"))
    monkeypatch.setattr("classroom.__main__._ready", lambda root: made)
    assert main(["alike", "--course", str(made.root)]) == 0
    said = capsys.readouterr().out
    assert "2 answers are alike" in said
    assert "ada and adam: 2" in said
    with (made.root / alike.FILE).open(encoding="utf-8-sig", newline="") as opened:
        rows = [*csv.DictReader(opened)]
    assert {(each["lab"], each["answer"], each["students"]) for each in rows} == {
        (LAB, "triple", "ada adam"),
        (LAB, "explain", "ada adam"),
    }


def test_who_hands_in_the_courses_own_answers_is_noted(made: Course) -> None:
    """Whole, with the starter above and nbgrader's marks, or without; a reason to look it is not."""
    whole = next(each.source for each in instructors().cells if each.id == "triple")
    saved(made, "ada", triple=whole, explain="One.")
    saved(
        made,
        "adam",
        triple=LONG,
        double="def double(x):\n    return x + x",
        explain="Two.",
        predictions="p = 1",
    )
    known = [record(made, LAB, student) for student in ("ada", "adam")]
    assert [each["look"] for each in known] == [[], []]
    assert known[0]["notes"] == [
        "3 of 4 answers are the course's own, letter for letter: predictions, double, triple"
    ]
    assert known[1]["notes"] == []
    page = nbformat.read(made.autograded(LAB, "ada"), 4)
    assert sum("3 of 4 answers are" in each.source for each in page.cells) == 1


def test_who_hands_in_what_is_published_is_listed_and_its_written_answer_looked_at(
    made: Course, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    """In other words it is no reason, and neither is what every student finds there."""
    source = nbformat.read(made.source(LAB), 4)
    (explain,) = [each for each in source.cells if each.id == "explain"]
    explain.source = f"*Your answer here.*\n\n### BEGIN SOLUTION\n{TEXT}\n### END SOLUTION"
    nbformat.write(source, made.source(LAB))
    saved(made, "ada", explain=f"**{TEXT}**")
    saved(
        made,
        "adam",
        triple=LONG,
        explain="Two lanes.",
        predictions="p = 1",
        double="def double(x):\n    k = x\n    return x + k",
    )
    saved(made, "Zoë O'Neil", triple=LONG, explain="*Your answer here.*", predictions="p = 1", double="d = 1")
    looks = [record(made, LAB, student)["look"] for student in ("ada", "adam", "Zoë O'Neil")]
    assert looks == [["the written answer `explain` is the course's own: it is published"], [], []]
    assert alike.published(made) == [("ada", LAB, 4, 4)]
    monkeypatch.setattr("classroom.__main__._ready", lambda root: made)
    assert main(["alike", "--course", str(made.root)]) == 0
    assert "  ada, small: 4 of 4\n" in capsys.readouterr().out
