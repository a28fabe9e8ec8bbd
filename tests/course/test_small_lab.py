"""The page "Writing a lab" is true: its lab goes from text to grades, and what it calls a mistake is one."""

from __future__ import annotations

import re
import tomllib

import nbformat
import pytest
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions

from course import small_lab, teaching
from from_text import LabError, notebook, write
from gpusim import grading
from tests.labs.shell import Lab, says_why

TEXT = (small_lab.HERE / "mirror.md").read_text(encoding="utf-8")
PAGE = (small_lab.ROOT / "book" / "writing-a-lab.md").read_text(encoding="utf-8")
CHECKS = ("check-predictions", "check-mirror")


def lab(text: str = TEXT) -> Lab:
    made = Lab(notebook(text), {})
    made.run()
    return made


def students(text: str = TEXT) -> nbformat.NotebookNode:
    """What students get, as far as its text goes."""
    made = notebook(text)
    for step in (ClearSolutions, ClearHiddenTests):
        made, _ = step().preprocess(made, {"language": "python"})
    return made


def test_the_class_of_the_page_gets_what_it_deserves():
    found = small_lab.graded()
    assert found.points == {
        "ada": {"check-predictions": 3, "check-mirror": 4},
        "alan": {"check-predictions": 3, "check-mirror": 0},
        "grace": {"check-predictions": 2, "check-mirror": 0},
    }
    assert "32 sectors per load request, and the gate is 5" in found.said["alan"]["check-mirror"]
    assert found.said["grace"]["check-mirror"].startswith("H200, 1001 elements")
    assert (
        "mirror, alan: look by hand: cell `mirror`, line 7: `grading.at_most` is bound"
        in found.printed["grade"]
    )
    assert "1 of them to be looked at" in found.printed["grade"]
    assert str(small_lab.console("labs").data) == "```console\n$ make labs\nlabs/mirror/mirror.ipynb\n```"


def test_try_says_what_each_check_gives_hidden_tests_included():
    printed = small_lab.graded().printed["try"].splitlines()
    assert printed[-1] == "7 of 7 points by checks"
    assert "check-mirror: 4 of 4" in printed


def test_the_checksum_of_a_locked_kernel_is_computed():
    """As Python finds the kernel's source when the check runs; the check of the solution passes with it."""
    (check,) = [each for each in notebook(TEXT).cells if each.id == "check-predictions"]
    assert "grading.unchanged(loads, 0xde738105)" in check.source
    with pytest.raises(LabError, match="say which text"):
        write()
    with pytest.raises(LabError, match="cell `check-predictions`: no locked cell defines `loads`"):
        notebook(TEXT.replace("def loads", "def lods"))


def test_the_solution_passes_and_the_starter_fails_with_sentences():
    assert [lab().points(check) for check in CHECKS] == [3, 4]
    starter = Lab(students(), {})
    starter.run()
    for check in CHECKS:
        says_why(starter, check)
    everything = "".join(cell.source for cell in students().cells)
    assert not re.search(r"SOLUTION|HIDDEN|1001|C500|gridsize", everything)


def test_a_wrong_kernel_fails_the_hidden_test_only():
    own = Lab(students(), {})
    own.run()
    assert own.answered("mirror", small_lab.WRONG["mirror"]) == 4
    assert lab().answered("mirror", small_lab.WRONG["mirror"]) == 0


def test_a_cheat_passes_in_its_own_notebook_only(monkeypatch):
    monkeypatch.setattr(grading, "at_most", grading.at_most)
    assert lab().answered("mirror", small_lab.CHEAT["mirror"]) == 4
    assert small_lab.graded().points["alan"]["check-mirror"] == 0


def test_keep_gives_a_name_back_that_an_answer_takes_by_accident():
    takes = f"{small_lab.RIGHT['mirror']}\n\nrun_mirror = mirror[32, 128]"
    assert lab().answered("mirror", takes) == 4
    assert lab(TEXT.replace("grading.keep(globals())", "None")).answered("mirror", takes) == 0


def test_the_text_says_what_nbgrader_wants_to_know():
    cells = {cell.id: cell.metadata.get("nbgrader", {}) for cell in notebook(TEXT).cells}
    told = {
        name: tuple(cells[name][each] for each in ("grade", "solution", "locked"))
        for name in cells
        if cells[name]
    }
    assert told == {
        "setup": (False, False, True),
        "loads": (False, False, True),
        "predictions": (False, True, False),
        "check-predictions": (True, False, True),
        "mirror": (False, True, False),
        "check-mirror": (True, False, True),
        "explain": (True, True, False),
    }
    assert sum(cell.get("points", 0) for cell in cells.values()) == 10


def test_each_caption_of_the_page_is_in_the_text():
    captions = re.findall(r':caption: "(.+)"', PAGE)
    assert len(captions) == 4
    assert [each for each in captions if f"---\n{each}\n---" not in TEXT] == []


MISTAKES = {
    "no end of a solution": ("### END SOLUTION\n", "", "cell `predictions`: `### END SOLUTION` is missing"),
    "no end of hidden tests": (
        "### END HIDDEN TESTS\n",
        "",
        "cell `check-mirror`: `### END HIDDEN TESTS` is missing",
    ),
    "no beginning": (
        "### BEGIN SOLUTION\n",
        "",
        "`### BEGIN SOLUTION` is missing before `### END SOLUTION`",
    ),
    "in lower case": (
        "### END SOLUTION",
        "### End solution",
        "cell `predictions`: `### End solution` is written `### END SOLUTION`",
    ),
    "a solution in no answer": (
        "mirror, solution: true",
        "mirror",
        "cell `mirror`: `### BEGIN SOLUTION` belongs in an answer only",
    ),
    "another word": (
        "mirror, solution: true",
        "mirror, solutions: true",
        "cell `mirror`: nbgrader knows no `solutions`. Is `solution` meant?",
    ),
    "no points": (
        "check-mirror, points: 4",
        "check-mirror",
        "cell `check-mirror`: a check without `points`",
    ),
    "points in words": (
        "check-mirror, points: 4",
        "check-mirror, points: four",
        "cell `check-mirror`: `points` is a number such as 4, not 'four'",
    ),
    "a name twice": ("grade_id: loads", "grade_id: mirror", "cell `mirror`: 2 cells have this `grade_id`"),
    "no name": ("grade_id: loads", "solution: false", "its `grade_id` is made of letters"),
    "no header": ("---\nkernelspec", "kernelspec", "at its top stands no header"),
    "no YAML": ("{grade_id: loads}", "{grade_id: loads", "line 39: what stands between `---` is no YAML"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_the_text_is_told_with_its_cell_and_nothing_is_written(mistake, tmp_path):
    right, wrong, told = MISTAKES[mistake]
    assert right in TEXT
    (tmp_path / "mirror.md").write_text(TEXT.replace(right, wrong))
    (tmp_path / "right.md").write_text(TEXT)
    with pytest.raises(LabError, match=rf"(?m)^mirror\.md, .*{re.escape(told)}"):
        write(tmp_path / "right.md", tmp_path / "mirror.md", labs=tmp_path)
    assert not (tmp_path / "instructor").exists()
    assert len(write(tmp_path / "right.md", labs=tmp_path)) == 1


def test_a_check_that_ends_in_a_number_gives_that_many_points():
    ends = TEXT.replace('print("Turned around, and nothing moved that is not needed.")', "1 + 1")
    assert lab(ends).points("check-mirror") == 2


def test_marking_toml_has_what_the_guide_reads(monkeypatch, tmp_path):
    folder = tmp_path / "mirror"
    folder.mkdir()
    nbformat.write(notebook(TEXT), folder / "mirror.ipynb")
    monkeypatch.setattr(teaching, "NOTEBOOKS", tmp_path)
    monkeypatch.setattr(teaching, "chapter", lambda name: (4, "Coalescing", 45))
    marking = tomllib.loads((small_lab.HERE / "marking.toml").read_text(encoding="utf-8"))
    read = teaching._lab("mirror", marking["mirror"])
    assert (read.minutes, len(read.parts), len(read.goals)) == (15, 3, 3)
    assert read.parts[0].earns == "sectors, not order"
