"""Which submissions of an exchange count, where every student can write? The owner's last one."""

from __future__ import annotations

from pathlib import Path

import pytest

from classroom import exchange
from classroom.collecting import collect
from classroom.course import Course
from tests.classroom.small_lab import LAB

FIRST, LAST = "2026-11-29 06:00:00.1 UTC", "2026-11-30 06:00:00.1 UTC"


def put(source: Path, student: str, when: str, text: str) -> Path:
    """A submission, as nbgrader lays it down."""
    folder = source / f"{student}+{LAB}+{when}+key"
    folder.mkdir(parents=True)
    (folder / f"{LAB}.ipynb").write_text(text)
    (folder / "timestamp.txt").write_text(when)
    return folder


def test_the_last_one_counts(made: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "inbound"
    put(source, "ada", LAST, "last")
    put(source, "ada", FIRST, "first")
    monkeypatch.setattr(exchange, "_account", lambda owner: "ada")
    said = collect(made, source)
    assert said == [
        f"left out: ada+{LAB}+{FIRST}+key: handed in again later",
        f"ada, {LAB}: taken, handed in 2026-11-30 06:00 UTC",
    ]
    assert (made.handed_in(LAB, "ada") / f"{LAB}.ipynb").read_text() == "last"


@pytest.mark.parametrize("account", ["ada", "jupyter-ada"])
def test_nobody_hands_in_for_another(
    made: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, account: str
) -> None:
    """Ada, who lays down work as adam, gets her own taken, and takes nothing of his away."""
    source = tmp_path / "inbound"
    put(source, account, FIRST, "hers")
    put(source, "adam", LAST, "forged")
    monkeypatch.setattr(exchange, "_account", lambda owner: account)
    assert collect(made, source) == [
        f"left out: adam+{LAB}+{LAST}+key: it belongs to {account}, who is not adam",
        f"ada, {LAB}: taken, handed in 2026-11-29 06:00 UTC",
    ]


def test_an_owner_without_an_account_is_named_by_number(
    made: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "inbound", "ada", FIRST, "hers")
    monkeypatch.setattr(exchange, "_account", lambda owner: "")
    (said,) = collect(made, tmp_path / "inbound")
    assert "it belongs to " in said
    assert "who is not ada" in said
