"""Is a class graded anew where the rules change, and not where only words do?"""

from __future__ import annotations

from pathlib import Path

import pytest

from classroom import grading, rules
from classroom.course import Course
from tests.classroom.conftest import hand_in
from tests.classroom.small_lab import LAB


def test_rules_are_what_decides_points() -> None:
    names = {each.stem for each in rules.deciding()}
    assert names >= {
        "twice",
        "carrying",
        "audit",
        "predicted",
        "names",
        "roots",
        "mending",
        "reading",
        "running",
    }
    assert not names & {"feedback", "marking_server", "grades", "collecting", "when"}


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ('"""Better said."""\nK = 4  # of a point\n', False),
        ('K = 4\n\n\ndef f():\n    """What is it?"""\n', True),
        ("K = 8\n", True),
    ],
)
def test_words_are_no_rules(tmp_path: Path, text: str, other: bool) -> None:
    (tmp_path / "a.py").write_text('"""Said."""\n\nK = 4\n')
    before = rules.digest_of([tmp_path / "a.py"])
    (tmp_path / "a.py").write_text(text)
    assert (rules.digest_of([tmp_path / "a.py"]) != before) == other


def test_new_rules_grade_anew(made: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    hand_in(made, "ada", {f"{LAB}.ipynb": b"{}"})
    grading.write(made, LAB, "ada", grading.digest(made, LAB, "ada"), {}, isolated=True, seconds=0)
    assert grading.record(made, LAB, "ada") != {}
    monkeypatch.setattr(grading, "rules", lambda: "others")
    assert grading.record(made, LAB, "ada") == {}
