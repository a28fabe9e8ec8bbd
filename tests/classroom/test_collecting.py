"""Does a download of a class come in as what it is: whose, of which lab, when, and which of several?"""

from __future__ import annotations

import dataclasses
import os
import shutil
import stat
import struct
import subprocess
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from classroom import collecting, exchange
from classroom.__main__ import printable
from classroom.collecting import collect, nothing_from
from classroom.course import LABS, Course, CourseError, Late
from classroom.roster import and_of
from tests.classroom.small_lab import LAB

EVENING, MORNING = datetime(2027, 1, 11, 20, tzinfo=UTC), datetime(2027, 1, 12, 8, tzinfo=UTC)


def put(place: Path, content: str = "{}", when: datetime | None = None) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(content)
    if when:
        os.utime(place, (when.timestamp(), when.timestamp()))


@pytest.fixture
def utc(made: Course) -> Course:
    """The course that tells times in UTC."""
    return dataclasses.replace(made, zone=ZoneInfo("UTC"))


@pytest.mark.parametrize(
    "path",
    [
        "ada/small/small.ipynb",
        "ada/small.ipynb",
        "ada_small.ipynb",
        "ada_31337_assignsubmission_file_/small.ipynb",
        "small/ada/small (1).ipynb",
        "ada_small (2).ipynb",
        "ada_4711_99_small-1.ipynb",  # Canvas, handed in again
        "ada_late_4711_99_small.ipynb",
        "Ada_4711_assignsubmission_file_/small.ipynb",
        "ada - small.ipynb",
    ],
)
def test_layouts(utc: Course, tmp_path: Path, path: str) -> None:
    made = utc
    put(tmp_path / "from" / path, when=EVENING)
    assert collect(made, tmp_path / "from") == ["ada, small: taken, handed in 2027-01-11 20:00 UTC"]
    assert (made.handed_in(LAB, "ada") / "timestamp.txt").read_text() == "2027-01-11 20:00:00 UTC\n"
    assert collect(made, tmp_path / "from") == ["ada, small: as before"]


def test_a_timestamp_of_the_exchange_counts(
    utc: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "_account", lambda owner: "ada")
    place = tmp_path / "from" / "ada+small+2027-01-11 23:30:00 UTC+key"
    put(place / "small.ipynb")
    put(place / "timestamp.txt", "2027-01-12 00:30:00 +0100")
    now = datetime(2027, 1, 11, 23, 31, tzinfo=UTC)
    monkeypatch.setattr(collecting, "laid_down", lambda source: {place.name: now})
    assert collect(utc, tmp_path / "from") == ["ada, small: taken, handed in 2027-01-11 23:30 UTC"]
    assert collect(utc, tmp_path / "from") == ["ada, small: as before"]


@pytest.mark.parametrize("place", ["ada", "ada/ada+small+x+y"])
def test_a_timestamp_of_the_students_own_does_not(utc: Course, tmp_path: Path, place: str) -> None:
    late = MORNING
    put(tmp_path / "from" / place / "small.ipynb", when=late)
    put(tmp_path / "from" / place / "timestamp.txt", "2020-01-01 00:00:00 UTC")
    (said,) = collect(utc, tmp_path / "from")
    assert said == "ada, small: taken, handed in 2027-01-12 08:00 UTC, late"
    assert collect(utc, tmp_path / "from") == ["ada, small: as before"]


def test_a_students_files_are_bounded_together(
    utc: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "MOST_BYTES", 1000)
    with zipfile.ZipFile(tmp_path / "all.zip", "w", zipfile.ZIP_DEFLATED) as opened:
        for name in ("ada/small.ipynb", "ada/a.csv", "ada/b.csv", "adam/small.ipynb"):
            opened.writestr(name, "0" * 400)
    said = collect(utc, tmp_path / "all.zip")
    assert said[0] == "ada, small: its files have 1,200 bytes together, nothing taken"
    assert said[1].startswith("adam, small: taken")


def test_a_name_that_is_no_text_is_left_out(utc: Course, tmp_path: Path) -> None:
    put(tmp_path / "from" / "ada" / "small.ipynb")
    put(tmp_path / "from" / "ada" / os.fsdecode(b"\xff\xfe.csv"))
    said = [printable(each) for each in collect(utc, tmp_path / "from")]
    assert said[0] == r"left out: ada/\udcff\udcfe.csv: its name is no text"
    assert said[1].startswith("ada, small: taken")


def test_a_file_that_cannot_be_read_is_left_out(
    utc: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "from" / "ada" / "small.ipynb")
    put(tmp_path / "from" / "adam" / "mine.ipynb")
    reads = Path.read_bytes

    def refuses(place: Path) -> bytes:
        if place.name == "mine.ipynb":
            raise PermissionError(13, "Permission denied")
        return reads(place)

    monkeypatch.setattr(Path, "read_bytes", refuses)
    said = collect(utc, tmp_path / "from")
    assert any("adam/mine.ipynb: it cannot be read" in each for each in said)
    assert said[-1].startswith("ada, small: taken")


def test_a_files_name_does_nothing_to_a_terminal(utc: Course, tmp_path: Path) -> None:
    put(tmp_path / "from" / "ada" / "\x1b[2J\nada, small: taken\u202e.exe")
    (said,) = collect(utc, tmp_path / "from")
    assert r"\x1b[2J\nada, small: taken\u202e.exe" in printable(said)


def test_a_name_is_stored_with_nothing_that_cannot_be_seen(utc: Course, tmp_path: Path) -> None:
    put(tmp_path / "from" / "ada" / "small (\x1b[2J).ipynb", when=EVENING)
    put(tmp_path / "from" / "ada" / "a\u202e\u200b.csv", when=EVENING)
    for said in ("taken, handed in 2027-01-11 20:00 UTC", "as before"):
        assert collect(utc, tmp_path / "from") == [f"ada, small: {said}"]
    assert {each.name for each in utc.handed_in(LAB, "ada").iterdir()} == {
        *("small (__2J).ipynb", "a__.csv", "timestamp.txt")
    }


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("<img src=x onerror=alert(1)>.py", "_img src_x onerror_alert(1)_.py"),
        ("=cmd|calc!A0.py", "_cmd_calc_A0.py"),
        ("-rf.py", "_rf.py"),
        ("`ls`;$(ls)'.txt", "_ls___(ls)_.txt"),
        ("my data-2 (1).csv", "my data-2 (1).csv"),
        ("donne\u0301es.csv", "donn\u00e9es.csv"),
        ("\u0921\u0947\u091f\u093e.csv", "\u0921\u0947\u091f\u093e.csv"),
    ],
)
def test_a_name_is_stored_as_nothing_but_a_name(utc: Course, tmp_path: Path, name: str, stored: str) -> None:
    put(tmp_path / "from" / "ada" / "small.ipynb", when=EVENING)
    put(tmp_path / "from" / "ada" / name, when=EVENING)
    collect(utc, tmp_path / "from")
    assert {each.name for each in utc.handed_in(LAB, "ada").iterdir()} == {
        *("small.ipynb", stored, "timestamp.txt")
    }
    assert collect(utc, tmp_path / "from") == ["ada, small: as before"]


def test_of_two_names_that_are_stored_as_one_the_newer_is_taken_and_the_other_told(
    utc: Course, tmp_path: Path
) -> None:
    put(tmp_path / "from" / "ada" / "small.ipynb", when=EVENING)
    put(tmp_path / "from" / "ada" / "a<b.csv", "1", EVENING)
    put(tmp_path / "from" / "ada" / "a>b.csv", "2", MORNING)
    said = collect(utc, tmp_path / "from")
    assert said[0] == "left out: ada/a<b.csv: ada/a>b.csv is newer"
    assert (utc.handed_in(LAB, "ada") / "a_b.csv").read_text() == "2"


@pytest.mark.parametrize("other", ["ADA", "ada\u200b", "ada "])
def test_of_two_spellings_the_rosters_own_counts(utc: Course, tmp_path: Path, other: str) -> None:
    put(tmp_path / "from" / other / "small.ipynb", "2", MORNING)
    put(tmp_path / "from" / "ada" / "small.ipynb", "1", EVENING)
    said = collect(utc, tmp_path / "from")
    assert [each for each in said if "left out" in each] == [
        f"left out: {other}/small.ipynb: {and_of(sorted([other, 'ada']))} are here, and one may not be "
        "`ada`: nothing is taken but what the roster writes"
        + (
            r". `ada\u200b` holds U+200B (ZERO WIDTH SPACE): no screen shows it"
            if other == "ada\u200b"
            else ""
        )
    ]
    assert said[-1] == "ada, small: taken, handed in 2027-01-11 20:00 UTC"


def test_a_spelling_alone_is_a_students(utc: Course, tmp_path: Path) -> None:
    """Upper case, and what a browser or a platform puts behind it, in several files of one student."""
    put(tmp_path / "from" / "ADA_small.ipynb", "1", EVENING)
    put(tmp_path / "from" / "ADA_small (1).ipynb", "2", MORNING)
    assert collect(utc, tmp_path / "from")[-1].startswith("ada, small: taken, handed in 2027-01-12 08:00 UTC")


@pytest.mark.parametrize("year", [1970, 1980, 2025])
def test_a_time_before_anybody_had_the_lab_is_asked_for(utc: Course, tmp_path: Path, year: int) -> None:
    put(tmp_path / "from" / "ada" / "small.ipynb", when=datetime(year, 1, 1, tzinfo=UTC))
    with pytest.raises(CourseError, match=f"small: the files of ada say {year}-01-01 .*before the due date"):
        collect(utc, tmp_path / "from")
    assert not utc.handed_in(LAB, "ada").exists()
    (said,) = collect(utc, tmp_path / "from", when="files")
    assert said.startswith(f"ada, small: taken, handed in {year}-01-01")


def test_late_and_replaced(utc: Course, tmp_path: Path) -> None:
    made = utc
    put(tmp_path / "from" / "Zoë O'Neil" / "small.ipynb", "1", EVENING)
    collect(made, tmp_path / "from")
    put(tmp_path / "from" / "Zoë O'Neil" / "small.ipynb", "2", MORNING)
    assert collect(made, tmp_path / "from") == [
        "Zoë O'Neil, small: replaced, handed in 2027-01-12 08:00 UTC, late"
    ]
    assert (made.handed_in(LAB, "Zoë O'Neil") / "small.ipynb").read_text() == "2"
    (earlier,) = (made.root / "earlier").rglob("small.ipynb")
    assert earlier.read_text() == "1"


def test_a_notebook_whose_path_names_no_lab_is_known_by_its_cells(made: Course, tmp_path: Path) -> None:
    """Also in a course of one lab: another notebook takes nothing's place."""
    own = made.released(LAB).read_text()
    put(tmp_path / "from" / "ada" / "week 3.ipynb", own, EVENING)
    put(tmp_path / "from" / "ada" / "notes.ipynb", '{"nbformat": 4, "cells": []}', MORNING)
    other = (LABS / "instructor" / "occupancy" / "occupancy.ipynb").read_text()
    put(tmp_path / "from" / "adam" / "work.ipynb", other)
    labs = tmp_path / "labs"
    shutil.copytree(made.labs / "instructor", labs / "instructor")
    put(labs / "instructor" / "occupancy" / "occupancy.ipynb", other)
    said = collect(dataclasses.replace(made, labs=labs), tmp_path / "from")
    assert sorted(each.partition(", handed in")[0] for each in said) == [
        "ada, small: taken",
        "left out: ada/notes.ipynb: it names no lab of this course",
        "left out: adam/work.ipynb: this is the notebook of `occupancy`, which this course does not assign",
    ]
    assert (made.handed_in(LAB, "ada") / "week 3.ipynb").read_text() == own


def test_links_and_strangers_are_left_out(made: Course, tmp_path: Path) -> None:
    source = tmp_path / "from"
    put(source / "ada" / "page.html")
    put(source / "adalbert" / "small.ipynb")
    (source / "adam").mkdir()
    (source / "adam" / "small.ipynb").symlink_to(made.source(LAB))
    (source / "ada" / "folder").symlink_to(made.root)
    said = collect(made, source)
    assert len(said) == 4
    assert sum("it is a link" in each for each in said) == 2
    assert not (made.root / "handed-in").exists()


def test_a_files_name_does_not_replace_a_classmates_work(made: Course, tmp_path: Path) -> None:
    put(tmp_path / "from" / "ada" / "Zoë O'Neil_small.ipynb")
    (said,) = collect(made, tmp_path / "from")
    assert said.startswith("ada, small: taken")


@pytest.mark.parametrize(
    ("place", "told"),
    [
        (".", "is the course's own"),
        ("..", "holds the course's own"),
        ("handed-in", "lies in the course's own"),
        ("earlier/ada", "lies in the course's own"),
        ("release", "lies in the course's own"),
    ],
)
def test_the_courses_own_copies_are_no_downloads(made: Course, place: str, told: str) -> None:
    put(made.root / "earlier" / "ada" / "small.ipynb", "old")
    put(made.root / "handed-in" / "ada" / LAB / "small.ipynb", "new")
    with pytest.raises(CourseError, match=f"this folder {told}.* Name a folder of downloads"):
        collect(made, made.root / place, replace=True)
    assert (made.handed_in(LAB, "ada") / "small.ipynb").read_text() == "new"
    put(made.root / "collected" / "ada" / "small.ipynb", "newer")
    assert collect(made, made.root / "collected", replace=True)[0].startswith("ada, small: replaced")


def test_a_zip(made: Course, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as opened:
        opened.writestr(zipfile.ZipInfo("adam_small.ipynb", (2027, 1, 11, 9, 0, 0)), "{}")
        for path in ("../../ada/small.ipynb", "ada/../adam/small.ipynb"):
            opened.writestr(zipfile.ZipInfo(path, (2027, 1, 11, 10, 0, 0)), "{}")
        link = zipfile.ZipInfo("Zoë O'Neil/small.ipynb")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        opened.writestr(link, "/etc/passwd")
    said = collect(made, tmp_path / "all.zip")
    assert said[:3] == [
        "left out: ../../ada/small.ipynb: its path leads out of a folder, by `..`",
        "left out: Zoë O'Neil/small.ipynb: it is a link",
        "left out: ada/../adam/small.ipynb: its path leads out of a folder, by `..`",
    ]
    assert [each.partition(",")[0] for each in said[3:]] == ["adam"]
    assert {each.parent.parent.name for each in (made.root / "handed-in").rglob("*.ipynb")} == {"adam"}


def test_a_zip_of_macos_has_its_names_in_utf_8_and_says_it_nowhere(utc: Course, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as opened:
        opened.writestr(zipfile.ZipInfo("Zoe\u0308 O'Neil/small.ipynb", (2027, 1, 11, 9, 0, 0)), "{}")
    packed = (tmp_path / "all.zip").read_bytes()
    for head, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = packed.index(head) + flags
        packed = packed[:at] + struct.pack("<H", 0) + packed[at + 2 :]
    (tmp_path / "all.zip").write_bytes(packed)
    (said,) = collect(utc, tmp_path / "all.zip")
    assert said.startswith("Zoë O'Neil, small: taken")


def of_two_labs(made: Course) -> Course:
    """The course with a second lab, and names as platforms have them."""
    grace = {"first_name": "Grace", "last_name": "Hopper", "email": "", "platform_name": "hopperg"}
    twins = {"first_name": "Alan", "last_name": "Turing", "email": "", "platform_name": ""}
    students = {**made.students, "gh7": grace, "at1": twins, "at2": twins}
    due = {**made.due, "large": made.due[LAB]}
    return dataclasses.replace(made, zone=ZoneInfo("UTC"), students=students, due=due)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("Grace Hopp'er_4712_assignsubmission_file_/small.ipynb", "gh7, small: taken"),
        ("Zoe\u0308 ONeil/small.ipynb", "Zoë O'Neil, small: taken"),
        ("Grace Hopper_4712_assignsubmission_file_/small.ipynb", "gh7, small: taken"),
        ("hoppergrace_123_456_small-1.ipynb", "gh7, small: taken"),
        ("hopperg_123_456_small.ipynb", "gh7, small: taken"),
        ("gh7/notes/large (1).ipynb", "gh7, large: taken"),
        ("ada_smith_small.ipynb", "names no student of the roster: `ada_smith_small` is not `ada`"),
        ("ada smith/small.ipynb", "names no student of the roster: `ada smith` is not `ada`"),
        (
            "Alan Turing_12_assignsubmission_file_/small.ipynb",
            "`at1` and `at2` are both called Alan Turing; `p",
        ),
        ("adaam/small.ipynb", "names no student of the roster. Is `adam` meant?"),
        ("ada/smal.ipynb", "names no lab of this course. Is `small` meant?"),
        ("ada/work.ipynb", "names no lab of this course"),
    ],
)
def test_whose_it_is_and_of_which_lab(made: Course, tmp_path: Path, path: str, told: str) -> None:
    put(tmp_path / "from" / path)
    (said,) = collect(of_two_labs(made), tmp_path / "from")
    assert told in said
    assert said.startswith("left out") == ("taken" not in told)


@pytest.mark.parametrize(
    "path",
    [
        "Bert Other_99_assignsubmission_file_/gh7_small.ipynb",
        "Bert Other_99_assignsubmission_file_/Grace Hopper_1_assignsubmission_file_/small.ipynb",
        "Bert Other_99_assignsubmission_file_/ada.ipynb",
        "all/Bert Other_99_assignsubmission_file_/ada/small.ipynb",
        "Bert Other_99_assignsubmission_file_/Alan Turing/small.ipynb",
        "otherbert_33_44_mine/ada_small.ipynb",
        "otherbert_LATE_33_44_mine/ada_small.ipynb",
    ],
)
def test_what_a_stranger_writes_on_a_platform_names_nobody(made: Course, tmp_path: Path, path: str) -> None:
    """Bert, on no roster, hands nothing in for Grace or Ada, whatever he names his file or folder."""
    put(tmp_path / "from" / path)
    (said,) = collect(of_two_labs(made), tmp_path / "from")
    assert said.startswith(f"left out: {path}: it names no student of the roster")
    assert said.endswith("is an upload's name on a platform, and none of a student")


def test_what_a_student_writes_on_a_platform_names_nobody_else(made: Course, tmp_path: Path) -> None:
    path = "Grace Hopper_11_assignsubmission_file_/ada_123_456_small.ipynb"
    put(tmp_path / "from" / path)
    (said,) = collect(of_two_labs(made), tmp_path / "from")
    assert said.startswith("gh7, small: taken")


def test_where_an_outer_folder_names_nobody_the_path_is_told(utc: Course, tmp_path: Path) -> None:
    put(tmp_path / "from" / "Eve Outsider" / "ada" / "small.ipynb", when=EVENING)
    assert collect(utc, tmp_path / "from") == [
        "ada, small: taken, handed in 2027-01-11 20:00 UTC, from Eve Outsider/ada/small.ipynb"
    ]


def test_helpers_go_with_the_notebooks_of_their_folder(made: Course, tmp_path: Path) -> None:
    two = of_two_labs(made)
    for name in ("ada/small.ipynb", "ada/large.ipynb", "ada/mine.py", "adam/1/small.ipynb", "adam/1/mine.py"):
        put(tmp_path / "from" / name)
    put(tmp_path / "from" / "adam/2/alone.py")
    said = collect(two, tmp_path / "from")
    assert [each for each in said if "left out" in each] == [
        "left out: adam/2/alone.py: it names no lab of this course"
    ]
    taken = {str(each.relative_to(two.root / "handed-in")) for each in two.root.rglob("mine.py")}
    assert taken == {"ada/small/mine.py", "ada/large/mine.py", "adam/small/mine.py"}


def test_of_two_with_one_name_the_newest_counts_with_its_own_time(utc: Course, tmp_path: Path) -> None:
    source = tmp_path / "from"
    put(source / "ada_2_file/small.ipynb", "new", MORNING)
    put(source / "ada_2_file/mine.py", "new", EVENING)
    put(source / "ada_9_file/small (1).ipynb", "old", EVENING)
    put(source / "ada_9_file/mine.py", "old", MORNING)
    put(source / "ada_9_file/scratch.ipynb", "other", MORNING + timedelta(hours=9))
    assert sorted(collect(utc, source)) == [
        "ada, small: taken, handed in 2027-01-12 08:00 UTC, late",
        "left out: ada_9_file/mine.py: ada_2_file/mine.py is taken",
        "left out: ada_9_file/scratch.ipynb: it names no lab of this course",
        "left out: ada_9_file/small (1).ipynb: ada_2_file/small.ipynb is newer",
    ]
    folder = utc.handed_in(LAB, "ada")
    assert [(folder / name).read_text() for name in ("small.ipynb", "mine.py")] == ["new", "new"]


@pytest.mark.parametrize(
    ("taken", "left", "why"),
    [
        ("ada_123_457_small.ipynb", "ada_123_456_small.ipynb", "was uploaded later (457 is more than 456)"),
        ("ada_123_9_small-2.ipynb", "ada_123_9_small-1.ipynb", "was uploaded later (2 is more than 1)"),
        ("ada_123_9_small-1.ipynb", "ada_123_9_small.ipynb", "was uploaded later (1 is more than 0)"),
        (
            "ada_47_assignsubmission_file_/small.ipynb",
            "ada_47_assignsubmission_file_/small (1).ipynb",
            "is taken, and nothing in this download says which of them is newer: look at both",
        ),
    ],
)
def test_in_a_platforms_zip_numbers_say_what_is_newer_and_times_do_not(
    utc: Course, tmp_path: Path, taken: str, left: str, why: str
) -> None:
    """Its files have the time of the download, whichever was packed first."""
    put(tmp_path / "from" / taken, "new", EVENING)
    put(tmp_path / "from" / left, "old", EVENING + timedelta(seconds=2))
    assert f"left out: {left}: {taken} {why}" in collect(utc, tmp_path / "from")
    (kept,) = utc.handed_in(LAB, "ada").glob("*.ipynb")
    assert kept.read_text() == "new"


def test_an_older_download_replaces_nothing(utc: Course, tmp_path: Path) -> None:
    put(tmp_path / "from" / "ada_small.ipynb", "new", MORNING)
    collect(utc, tmp_path / "from")
    put(tmp_path / "from" / "ada_small.ipynb", "old", EVENING)
    (said,) = collect(utc, tmp_path / "from")
    assert (
        said
        == "ada, small: left out, as 2027-01-11 20:00 UTC is older than what is there; REPLACE=1 takes it"
    )
    assert (utc.handed_in(LAB, "ada") / "ada_small.ipynb").read_text() == "new"
    (said,) = collect(utc, tmp_path / "from", replace=True)
    assert said == "ada, small: replaced, handed in 2027-01-11 20:00 UTC"


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        (b"", "2027-01-12 00:30 CET"),
        (struct.pack("<HHBi", 0x5455, 5, 1, 1799712000), "2027-01-12 01:00 CET, late"),
    ],
)
def test_a_zip_says_when_in_the_zone_of_the_course(
    made: Course, tmp_path: Path, extra: bytes, told: str
) -> None:
    """Half past midnight in Berlin is half past eleven in UTC, and in time; a zip may say UTC as well."""
    made = dataclasses.replace(made, zone=ZoneInfo("Europe/Berlin"))
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as opened:
        packed = zipfile.ZipInfo("ada_small.ipynb", (2027, 1, 12, 0, 30, 0))
        packed.extra = extra
        opened.writestr(packed, "{}")
    (said,) = collect(made, tmp_path / "all.zip")
    assert said == f"ada, small: taken, handed in {told}"


def test_an_extension_holds_for_one(utc: Course, tmp_path: Path) -> None:
    longer = dataclasses.replace(utc, extensions={(LAB, "ada"): MORNING})
    for student in ("ada", "adam"):
        put(tmp_path / "from" / f"{student}_small.ipynb", when=MORNING - timedelta(hours=student == "adam"))
    assert [each.endswith("late") for each in collect(longer, tmp_path / "from")] == [False, True]
    assert nothing_from(longer) == ["small: nothing yet from Zoë O'Neil"]


def test_a_name_that_is_too_long_keeps_no_other_from_coming_in(utc: Course, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as opened:
        for name in ("ada/small.ipynb", f"ada/{'x' * 300}.csv", f"adam/{'y' * 300}.ipynb"):
            opened.writestr(name, "{}")
    said = collect(utc, tmp_path / "all.zip")
    assert sum(each.endswith("...: its name is too long") for each in said) == 2
    assert said[-1].startswith("ada, small: taken")


def test_in_a_zip_a_folder_named_as_in_the_exchange_says_no_time(utc: Course, tmp_path: Path) -> None:
    """Anybody can pack one: the 12th of January stays the 12th."""
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as opened:
        for name, text in (("small.ipynb", "{}"), ("timestamp.txt", "2020-01-01 00:00:00 UTC")):
            place = zipfile.ZipInfo(f"ada+small+2020-01-01 00:00:00 UTC+key/{name}", (2027, 1, 12, 8, 0, 0))
            opened.writestr(place, text)
    assert collect(utc, tmp_path / "all.zip") == ["ada, small: taken, handed in 2027-01-12 08:00 UTC, late"]


MOODLE, CANVAS = "{}_47_assignsubmission_file_/small.ipynb", "{}_123_456_small.ipynb"
DOWNLOADED = MORNING + timedelta(days=3)


@pytest.mark.parametrize(
    ("paths", "asked"),
    [
        ((MOODLE.format("ada"), MOODLE.format("adam")), "ada, adam"),
        (("ada_small.ipynb", "adam_small.ipynb"), "ada, adam"),
        ((MOODLE.format("ada"),), "ada"),
        ((CANVAS.format("ada"), CANVAS.format("adam_LATE")), "adam"),
        ((CANVAS.format("ada"),), ""),
        (("ada_small.ipynb",), ""),
    ],
)
def test_the_time_of_a_download_is_nobodys(
    utc: Course, tmp_path: Path, paths: tuple[str, ...], asked: str
) -> None:
    """Platforms write it into their zip files. Canvas says by the name who is late, not by how much."""
    for place, path in enumerate(paths):
        put(tmp_path / "from" / path, when=DOWNLOADED + timedelta(seconds=place))
    if asked:
        with pytest.raises(
            CourseError, match=rf"small: nothing says when {asked} handed in[\s\S]* WHEN=files"
        ):
            collect(utc, tmp_path / "from")
        assert not (utc.root / "handed-in").exists()
    else:
        (said,) = collect(utc, tmp_path / "from")
        assert said.endswith(", late") == ("_123_" not in paths[0])


def test_before_the_due_date_it_is_in_time(utc: Course, tmp_path: Path) -> None:
    put(tmp_path / "from" / MOODLE.format("ada"), when=EVENING)
    assert collect(utc, tmp_path / "from") == ["ada, small: taken, handed in 2027-01-11 20:00 UTC"]
    put(tmp_path / "from" / MOODLE.format("ada"), when=DOWNLOADED)  # downloaded again, with Adam's
    put(tmp_path / "from" / MOODLE.format("adam"), when=DOWNLOADED)
    with pytest.raises(CourseError, match="when adam handed in"):
        collect(utc, tmp_path / "from")
    assert collect(utc, tmp_path / "from", when="files")[0] == "ada, small: as before"


@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_when_says_it(utc: Course, tmp_path: Path, between: str) -> None:
    """A table, one time for all, or the files; what was taken before gets its right time."""
    for student in ("ada", "adam"):
        put(tmp_path / "from" / MOODLE.format(student), when=DOWNLOADED)
    table = tmp_path / "times.csv"
    told = "id,lab,time\nada,small,2027-01-11 23:00\nadam,small,2027-01-12T08:00:00+01:00\n"
    table.write_text(told.replace(",", between))
    assert [each.partition("in 2027-")[2] for each in collect(utc, tmp_path / "from", when="files")] == [
        "01-15 08:00 UTC, late",
        "01-15 08:00 UTC, late",
    ]
    assert collect(utc, tmp_path / "from", when=str(table)) == [
        "ada, small: replaced, handed in 2027-01-11 23:00 UTC",
        "adam, small: replaced, handed in 2027-01-12 07:00 UTC, late",
    ]
    assert collect(utc, tmp_path / "from", when="2027-01-11 21:00")[1].endswith("2027-01-11 21:00 UTC")


def test_rows_of_when_that_are_of_nobody_here_are_passed_over(utc: Course, tmp_path: Path) -> None:
    """A platform's list has who has left, and other assignments: they are named, all at once."""
    put(tmp_path / "from" / MOODLE.format("ada"), when=DOWNLOADED)
    table = tmp_path / "times.csv"
    rows = ["eve,small,x", "mallory,small,x", ",,", "ada,essay,x", "ada,small,2027-01-11 23:00"]
    table.write_text("\n".join(["id,lab,time", *rows]))
    assert collect(utc, tmp_path / "from", when=str(table)) == [
        "look at times.csv: the roster has no `eve` and `mallory`, rows passed over",
        "look at times.csv: the course does not assign `essay`, rows passed over",
        "ada, small: taken, handed in 2027-01-11 23:00 UTC",
    ]


def test_a_late_one_that_replaces_one_in_time_says_what_it_costs(utc: Course, tmp_path: Path) -> None:
    """8 hours late cost 10 %. What is said brings the one in time back; its folder has the course's time."""
    made = dataclasses.replace(utc, late=Late(percent_per_day=10), zone=ZoneInfo("Asia/Tokyo"))
    place = tmp_path / "from" / "Zoë O'Neil" / "small.ipynb"
    put(place, "1", EVENING)
    collect(made, tmp_path / "from")
    put(place, "2", MORNING)
    _, told = collect(made, tmp_path / "from")
    assert (
        "look at Zoë O'Neil, small: what it replaces was in time, and this costs 10 % of its points" in told
    )
    (earlier,) = (made.root / "earlier" / "Zoë O'Neil").iterdir()
    moved = datetime.strptime(earlier.name, "small %Y-%m-%d %H.%M.%S.%f").replace(tzinfo=made.zone)
    assert abs(datetime.now(UTC) - moved) < timedelta(minutes=5)
    subprocess.run(told.partition("To go back: ")[2], shell=True, check=True)
    assert (made.handed_in(LAB, "Zoë O'Neil") / "small.ipynb").read_text() == "1"
    put(place, "3", MORNING + timedelta(hours=1))
    collect(dataclasses.replace(made, late=Late()), tmp_path / "from")
    put(place, "4", MORNING + timedelta(hours=2))
    assert len(collect(made, tmp_path / "from")) == 1  # it replaces a late one


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("tomorrow", "neither a table, nor a time such as 2027-01-11 21:00"),
        (
            "id,time\nada,2027-01-11\n",
            "has no column `lab`: its first line is to be id,lab,time, and is: id,time",
        ),
        ("id,lab,time\nada,small,11.01.2027\n", "line 2: `11.01.2027` is no time such as"),
    ],
)
def test_a_mistake_in_when_is_told(utc: Course, tmp_path: Path, told: str, why: str) -> None:
    put(tmp_path / "from" / "ada_small.ipynb", when=EVENING)
    if "," in told:
        (tmp_path / "times.csv").write_text(told)
        told = str(tmp_path / "times.csv")
    with pytest.raises(CourseError, match=why):
        collect(utc, tmp_path / "from", when=told)
