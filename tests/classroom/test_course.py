"""Is a mistake in `course.toml` told in words, and is nothing lost when commands are repeated?"""

from __future__ import annotations

import dataclasses
import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode, v4

from classroom import bubblewrap, isolation, setting_up
from classroom.__main__ import main
from classroom.course import NAMES, Course, CourseError, Isolation, Late, read
from classroom.grading import digest
from tests.classroom.conftest import hand_in
from tests.classroom.small_lab import LAB, instructors

DUE = "[labs]\ncoalescing = 2027-01-25T23:59:00+01:00\n"
RIGHT = f'name = "gpus"\n{DUE}'
WRONG = {
    "a lab of another name": (
        f'name = "gpus"\n{DUE}coalesing = 2027-01-25T23:59:00Z',
        "Is `coalescing` meant?",
    ),
    "a lab's number": (f'name = "gpus"\n{DUE}lab4 = 2027-01-25T23:59:00Z', "Is `coalescing` meant?"),
    "no time zone": ('name = "gpus"\n[labs]\ncoalescing = 2027-01-25T23:59:00', "is due at a time such as"),
    "a text for a time": ('name = "gpus"\n[labs]\ncoalescing = "Monday"', '(without quotes), not "Monday"'),
    "no lab": ('name = "gpus"', "assigns no lab"),
    "another key": (f'nam = "gpus"\n{DUE}', "knows no `nam`. Is `name` meant?"),
    "a name with a blank": (f'name = "my course"\n{DUE}', "letters, digits, - and _"),
    "a negative limit": (f"{RIGHT}\n[limits]\nseconds = -1", "`seconds` is a number from 1 on, not -1"),
    "a limit in words": (f'{RIGHT}\n[limits]\nmemory_mb = "much"', "`memory_mb` is a number"),
    "too late": (f"{RIGHT}\n[late]\npercent_per_day = 120", "at most 100"),
    "another limit": (f"{RIGHT}\n[limits]\nmemory = 1", "Is `memory_mb` meant?"),
    "another box": (f'{RIGHT}\n[isolation]\nby = "vm"', 'one of bubblewrap, podman, docker, not "vm"'),
    "an option for an image": (f'{RIGHT}\n[isolation]\nimage = "--privileged"', 'not "--privileged"'),
    "no roster": (f'roster = "class.csv"\n{RIGHT}', "class.csv, which is not there"),
    "no TOML": ("name = ", "course.toml, line 1: Invalid value: name ="),
    "the same twice": (
        f"{RIGHT}coalescing = 2027-01-25T23:59:00Z",
        "line 4: this is there twice: coalescing",
    ),
    "a number for a table": (f"late = 10\n{RIGHT}", "`late` is a table: a line [late], and what"),
    "a list of labs": ('name = "gpus"\nlabs = ["coalescing"]', "`labs` is a table: a line [labs]"),
    "another time zone": (f'timezone = "Berlin"\n{RIGHT}', 'such as Europe/Berlin, not "Berlin"'),
    "a time that clocks skip": (
        'timezone = "Europe/Berlin"\nname = "x"\n[labs]\ncoalescing = 2027-03-28T02:30:00',
        "`coalescing`: 2027-03-28 02:30 does not exist in Europe/Berlin, where clocks go forward. Is 03:30",
    ),
    "an extension at a time that clocks skip": (
        f'timezone = "Europe/Berlin"\n{RIGHT}[extensions]\ncoalescing.ada = 2027-03-28T02:30:00',
        "[extensions] `coalescing.ada`: 2027-03-28 02:30 does not exist",
    ),
    "an extension for nobody": (f"{RIGHT}[extensions]\ncoalescing.adda = 2027-02-01", "Is `ada` meant?"),
    "an extension without a zone": (
        f"{RIGHT}[extensions]\ncoalescing.ada = 2027-02-01T23:59:00",
        "`coalescing.ada` is a time",
    ),
    "a day first": ('name = "gpus"\n[labs]\ncoalescing = 25.01.2027', "line 3: here stands a time such as"),
    **{
        f"the time {time}": (
            f'name = "gpus"\n[labs]\ncoalescing = {time}  # Monday',
            f"line 3: here stands a time such {why}",
        )
        for time, why in {
            "2027-01-25 23:59": "as 2027-01-11T23:59:00+01:00 (without quotes), with seconds",
            "2027-01-25T23:59+01:00": "as 2027-01-11T23:59:00+01:00 (without quotes), with seconds",
            "2027-01-25T23:59:00+0100": "as 2027-01-11T23:59:00+01:00 (without quotes), with a colon",
            "2027-01-25T23:59:00 CET": "as 2027-01-11T23:59:00+01:00 (without quotes), where the offset is",
            "2027-01-25T24:00:00+01:00": "as 2027-01-11T23:59:00+01:00 (without quotes), where midnight is",
            "2027-1-25": "as 2027-01-11T23:59:00+01:00 (without quotes), in this form",
        }.items()
    },
    "no offset": (
        'name = "gpus"\n[labs]\ncoalescing = 2027-01-25T23:59:00',
        "00: its offset is missing, or `timezone`",
    ),
    "an extension for an id with a dot": (
        f"{RIGHT}[extensions]\ncoalescing.ada.l = 2027-02-01T23:59:00Z",
        'an id with a dot stands in quotes: coalescing."ada.l" = 2027',
    ),
    "no end": (
        f"{RIGHT}\n[limits]\nseconds_per_cell = inf",
        "`seconds_per_cell` is a number from 1 on, not inf",
    ),
    "gigabytes": (f"{RIGHT}\n[limits]\nmemory_mb = 4", "`memory_mb` is a number from 256 on, not 4"),
    "an extension of a lab that nobody does": (
        f"{RIGHT}[extensions]\noccupancy.ada = 2027-02-01T23:59:00Z",
        "[extensions] `occupancy` is not assigned: it has no line under [labs]",
    ),
    "an extension for all": (f"{RIGHT}[extensions]\ncoalescing = 2027-02-01T23:59:00Z", "is for a student"),
}
ROSTERS = {
    "a column of another name": (
        "id,firstname\nada,Ada\n",
        "knows no column `firstname`. Is `first_name` meant?",
    ),
    "a column that lacks a blank": ("id,First name\nada,Ada\n", "Is `first_name` meant?"),
    "one letter too many": ("id,plattform_name\nada,x\n", "Is `platform_name` meant?"),
    "one name for two": (
        "id,platform_name\nada,x\ngrace,X\n",
        "line 3: `grace` has the `platform_name` of `ada`",
    ),
    "twice to a platform": ("id\no'neil\nONeil\n", "`ONeil` is there twice"),
    "no column": ("name,mail\nada,x\n", "no column `id`"),
    "twice": ("id\nada\nada\n", "`ada` is there twice"),
    "twice to some disks": ("id\nada\nAda\n", "`Ada` is there twice"),
    "a path": ("id\n../ada\n", "roster.csv, line 2: `../ada` is no id"),
    "a pattern": ("id\nad*\n", "which has no `*` there"),
    "too many values": (
        "id,first_name\nada,Ada,Lovelace\n",
        "line 2 has 3 values, and the first line names 2",
    ),
    "too few values": ("id,first_name\nada\n", "line 2 has 1 value, and the first line names 2"),
    "nothing": ("id,first_name\n,Ada\n", "line 2 has no `id`: Ada"),
}


def folder(place: Path, toml: str, roster: str = "id\nada\n") -> Path:
    (place / "course.toml").write_text(toml)
    (place / "roster.csv").write_text(roster)
    return place


@pytest.mark.parametrize("mistake", WRONG)
def test_a_mistake_is_told(mistake: str, tmp_path: Path) -> None:
    toml, told = WRONG[mistake]
    with pytest.raises(CourseError, match=re.escape(told)):
        read(folder(tmp_path, toml))


@pytest.mark.parametrize("mistake", ROSTERS)
def test_a_mistake_of_the_roster_is_told(mistake: str, tmp_path: Path) -> None:
    roster, told = ROSTERS[mistake]
    with pytest.raises(CourseError, match=re.escape(told)):
        read(folder(tmp_path, RIGHT, roster))


@pytest.mark.parametrize("coding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_a_roster_as_table_programs_save_it(tmp_path: Path, coding: str, between: str) -> None:
    folder(tmp_path, RIGHT)
    table = "id, first_name,last_name\r\nzoë,Zoë,O'Neil\r\n,,\r\n\r\n".replace(",", between)
    (tmp_path / "roster.csv").write_bytes(table.encode(coding))
    about = {"first_name": "Zoë", "last_name": "O'Neil", "email": "", "platform_name": ""}
    assert read(tmp_path).students == {"zoë": about}


def test_namesakes_are_told(tmp_path: Path) -> None:
    twins = "id,first_name,last_name,platform_name\nat1,Alan,Turing,{}\nat2,Alan,Turing,\n"
    folder(
        tmp_path, f'name = "x"\n[labs]\ncoalescing = {datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}', twins.format("")
    )
    told = "`at1` and `at2` are both called Alan Turing; a column `platform_name` tells them apart"
    assert read(tmp_path).doubts() == [told]
    (tmp_path / "roster.csv").write_text(twins.format("turing1"))
    assert read(tmp_path).doubts() == []


def test_bubblewrap_that_may_not_is_not_to_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    said = bubblewrap.told("bwrap: setting up uid map: Permission denied")
    assert said.startswith("user namespaces are not allowed here (bwrap: setting up uid map")
    assert "kernel.apparmor_restrict_unprivileged_userns=0" in said
    assert bubblewrap.told("bwrap: Can't mount proc") == "bwrap: Can't mount proc"
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/bwrap")
    monkeypatch.setattr(bubblewrap.Bubblewrap, "why_not", lambda self: said)
    with pytest.raises(CourseError) as error:
        isolation._first.__wrapped__(Isolation(by="bubblewrap"))
    assert "kernel.unprivileged_userns_clone=1" in str(error.value)
    assert "install" not in str(error.value)


def test_what_is_odd_is_asked(tmp_path: Path) -> None:
    dues = f'name = "x"\n[labs]\ncoalescing = {datetime.now(UTC).year - 9}-01-25T23:59:00Z\n'
    assert [each.partition(" is due")[0] for each in read(folder(tmp_path, dues, "id\n")).doubts()] == [
        "the roster has no student yet",
        "`coalescing`",
    ]
    soon = f'name = "x"\n[labs]\ncoalescing = {datetime.now(UTC) + timedelta(days=9):%Y-%m-%dT%H:%M:%SZ}\n'
    assert read(folder(tmp_path, soon)).doubts() == []
    numbers = "[late]\npercent_per_day = 10\nmost_percent = 5\n[limits]\nseconds = 30\n"
    assert read(folder(tmp_path, soon + numbers)).doubts() == [
        "[late] `most_percent` is 5, less than one day's 10: each late submission costs 5 %",
        "[limits] `seconds` is 30, less than `seconds_per_cell`: no cell gets 60 s",
    ]
    others = "id,email\nzoe,zoe@example.edu\n"
    assert read(folder(tmp_path, soon, others)).doubts() == []


def test_times_are_told_in_the_zone_of_the_course(tmp_path: Path) -> None:
    made = read(
        folder(
            tmp_path,
            f'timezone = "Europe/Berlin"\n{RIGHT}[extensions]\ncoalescing.ada = 2027-07-01T12:00:00Z',
        )
    )
    assert made.told(made.due_of("coalescing", "grace")) == "2027-01-25 23:59 CET"
    assert made.told(made.due_of("coalescing", "ada")) == "2027-07-01 14:00 CEST"


def test_the_template_is_a_course(tmp_path: Path) -> None:
    assert setting_up.begin(tmp_path) == ["course.toml", "roster.csv"]
    assert setting_up.begin(tmp_path) == []
    made = read(tmp_path)
    assert "the roster is the one to begin with, of Ada and Grace" in made.doubts()
    assert set(made.due) <= set(NAMES)
    assert [*made.students] == ["ada", "grace"]


def test_an_error_ends_with_status_2_and_without_a_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["grade", "--course", str(folder(tmp_path, RIGHT))]) == 2
    assert "Run `make course` first." in capsys.readouterr().err


@pytest.mark.parametrize("by", ["", "bubblewrap", "podman", "docker"])
def test_without_a_box_grading_refuses(monkeypatch: pytest.MonkeyPatch, by: str) -> None:
    monkeypatch.setattr(shutil, "which", lambda program: None)
    told = f"there is no program `{by.replace('bubblewrap', 'bwrap') or 'docker'}`"
    with pytest.raises(CourseError, match=rf"{told}[\s\S]*UNSAFE=1"):
        isolation.working(Isolation(by, f"none-{by}"))


def test_a_day_that_has_begun_counts() -> None:
    late = Late(percent_per_day=10, most_percent=50)
    assert [late.percent(seconds) for seconds in (-5, 0, 1, 86400, 86401, 10**9)] == [0, 0, 10, 10, 20, 50]


def test_students_copies_have_no_solution(made: Course) -> None:
    text = made.released(LAB).read_text()
    assert "SOLUTION" not in text
    assert "HIDDEN" not in text


def test_a_roster_that_is_there_is_kept(tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("id\nzoe\n")
    assert setting_up.begin(tmp_path) == ["course.toml"]
    assert [*read(tmp_path).students] == ["zoe"]


def test_a_local_time_is_in_the_zone_of_the_course(tmp_path: Path) -> None:
    dues = 'timezone = "Europe/Berlin"\nname = "x"\n[labs]\ncoalescing = 2027-01-25T23:59:00\n'
    made = read(folder(tmp_path, f"{dues}[extensions]\ncoalescing.ada = 2027-07-01T12:00:00"))
    assert made.due["coalescing"] == datetime(2027, 1, 25, 22, 59, tzinfo=UTC)
    assert made.due_of("coalescing", "ada") == datetime(2027, 7, 1, 10, tzinfo=UTC)


@pytest.mark.filterwarnings("ignore")
def test_it_can_be_set_up_again(made: Course) -> None:
    assert setting_up.set_up(made) == {"labs": [], "new": [], "gone": [], "unassigned": []}


@pytest.mark.filterwarnings("ignore")
def test_a_lab_that_is_assigned_no_more_is_named(made: Course) -> None:
    shutil.copytree(made.released(LAB).parent, made.root / "release" / "old")
    (made.root / "release" / "old" / f"{LAB}.ipynb").rename(made.root / "release" / "old" / "old.ipynb")
    assert setting_up.set_up(made)["unassigned"] == ["old"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("outputs", "told"),
    [
        ([], "its check `check-triple` has not run. Run all cells of labs/instructor/small/small.ipynb"),
        (
            [v4.new_output("error", ename="CheckFailed", evalue="no")],
            "refuses its own solution: CheckFailed: no",
        ),
    ],
)
def test_a_broken_lab_is_not_released(made: Course, outputs: list[NotebookNode], told: str) -> None:
    before = made.released(LAB).read_text()
    source = made.labs / "instructor" / LAB / f"{LAB}.ipynb"
    notebook = nbformat.read(source, 4)
    next(each for each in notebook.cells if each.id == "check-triple").outputs = outputs
    nbformat.write(notebook, source)
    for _ in range(2):
        with pytest.raises(CourseError, match=f"small cannot be released: .*{told}"):
            setting_up.set_up(made)
    assert made.released(LAB).read_text() == before
    shutil.rmtree(made.source(LAB).parent)
    with pytest.raises(CourseError):
        setting_up.set_up(made)
    assert not made.source(LAB).parent.exists()  # nbgrader takes each folder there for a lab
    shutil.rmtree(made.released(LAB).parent)
    nbformat.write(instructors(), source)
    assert setting_up.set_up(made)["new"] == [LAB]


def test_what_inputs_follow_from_is_drawn_once_and_kept(made: Course) -> None:
    """Whoever reads the course again grades with the same number; with another one all is graded again."""
    hand_in(made, "ada", {f"{LAB}.ipynb": b"{}"})
    again, before = dataclasses.replace(made), digest(made, LAB, "ada")
    assert made.drawn == again.drawn > 0
    file = made.root / "drawn-for-checks.txt"
    assert file.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in made.root.glob("*drawn*")] == [file.name]
    file.unlink()
    other = dataclasses.replace(made)
    assert other.drawn != made.drawn
    assert digest(other, LAB, "ada") != before
