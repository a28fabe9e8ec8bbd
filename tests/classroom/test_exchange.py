"""Which submissions of an exchange count, where every student can write? The owner's last one."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from dateutil.parser import parse

from classroom import exchange
from classroom.collecting import collect
from classroom.course import Course
from tests.classroom.small_lab import LAB

FIRST, LAST = "2026-11-29 06:00:00.1 UTC", "2026-11-30 06:00:00.1 UTC"


def put(source: Path, student: str, when: str, text: str, written: str = "") -> Path:
    """A submission, as nbgrader lays it down, or as it is `written` by another program."""
    folder = source / f"{student}+{LAB}+{when}+key"
    folder.mkdir(parents=True)
    (folder / f"{LAB}.ipynb").write_text(text)
    (folder / "timestamp.txt").write_text(when)
    os.utime(folder, (parse(written or when).timestamp(),) * 2)
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


def test_a_forged_timestamp_says_nothing(
    made: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder was written a day later than the file in it says. In a copy of all, its own time holds."""
    source = tmp_path / "inbound"
    put(source, "ada", FIRST, "late", written=LAST)
    put(source, "adam", FIRST, "in time")
    monkeypatch.setattr("classroom.collecting.left_out", lambda source: {})
    assert collect(made, source) == [
        f"look at ada, {LAB}: its timestamp.txt says 2026-11-29 06:00 UTC, the file system 2026-11-30 06:00 "
        "UTC, which counts. Where it is not so, say WHEN=times.csv",
        f"ada, {LAB}: taken, handed in 2026-11-30 06:00 UTC",
        f"adam, {LAB}: taken, handed in 2026-11-29 06:00 UTC",
    ]


def test_a_folder_that_is_set_back_is_as_young_as_its_entry(tmp_path: Path) -> None:
    """`touch -d` sets the time of writing. What changed together was copied, and has no other time."""
    forged = put(tmp_path, "ada", FIRST, "forged")
    now = datetime.now(UTC)
    assert now - exchange.laid_down(tmp_path)[forged.name] < timedelta(minutes=1)
    put(tmp_path, "adam", LAST, "copied")
    assert exchange.laid_down(tmp_path)[forged.name] == datetime(2026, 11, 29, 6, 0, 0, 100_000, UTC)
