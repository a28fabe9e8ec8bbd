"""Is a mistake in `course.toml` told in words, and is nothing lost when commands are repeated?"""

from __future__ import annotations

import os
import re
import stat
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from classroom import box, setting_up
from classroom.__main__ import main
from classroom.collecting import collect
from classroom.course import NAMES, Course, CourseError, Late, read
from tests.classroom.small_lab import LAB

DUE = "[labs]\ncoalescing = 2027-01-25T23:59:00+01:00\n"
RIGHT = f'name = "gpus"\n{DUE}'
WRONG = {
    "a lab of another name": (
        f'name = "gpus"\n{DUE}coalesing = 2027-01-25T23:59:00Z',
        "Is `coalescing` meant?",
    ),
    "no time zone": ('name = "gpus"\n[labs]\ncoalescing = 2027-01-25T23:59:00', "is due at a time such as"),
    "a text for a time": ('name = "gpus"\n[labs]\ncoalescing = "Monday"', "(without quotes), not 'Monday'"),
    "no lab": ('name = "gpus"', "assigns no lab"),
    "another key": (f'nam = "gpus"\n{DUE}', "knows no `nam`. Is `name` meant?"),
    "a name with a blank": (f'name = "my course"\n{DUE}', "letters, digits, - and _"),
    "a negative limit": (f"{RIGHT}\n[limits]\nseconds = -1", "`seconds` is a number from 1 on, not -1"),
    "a limit in words": (f'{RIGHT}\n[limits]\nmemory_mb = "much"', "`memory_mb` is a number"),
    "too late": (f"{RIGHT}\n[late]\npercent_per_day = 120", "at most 100"),
    "another limit": (f"{RIGHT}\n[limits]\nmemory = 1", "Is `memory_mb` meant?"),
    "no roster": (f'roster = "class.csv"\n{RIGHT}', "class.csv, which is not there"),
    "no TOML": ("name = ", "Invalid value"),
}
ROSTERS = {
    "no column": ("name,mail\nada,x\n", "no column `id`"),
    "twice": ("id\nada\nada\n", "`ada` is there twice"),
    "a path": ("id\n../ada\n", "'../ada' is no id"),
    "a pattern": ("id\nad*\n", "'ad*' is no id"),
    "nothing": ("id,first_name\n,Ada\n", "'' is no id"),
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


def test_the_template_is_a_course(tmp_path: Path) -> None:
    assert setting_up.begin(tmp_path) == ["course.toml", "roster.csv"]
    assert setting_up.begin(tmp_path) == []
    made = read(tmp_path)
    assert set(made.due) <= set(NAMES)
    assert [*made.students] == ["ada", "grace"]


def test_an_error_ends_with_status_2_and_without_a_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["grade", "--course", str(folder(tmp_path, RIGHT))]) == 2
    assert "Run `make course` first." in capsys.readouterr().err


def test_without_bubblewrap_grading_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(box.shutil, "which", lambda program: None)
    with pytest.raises(CourseError, match=r"there is no program `bwrap`[\s\S]*UNSAFE=1"):
        box.require_isolation()


def test_a_day_that_has_begun_counts() -> None:
    late = Late(percent_per_day=10, most_percent=50)
    assert [late.percent(seconds) for seconds in (-5, 0, 1, 86400, 86401, 10**9)] == [0, 0, 10, 10, 20, 50]


def test_students_copies_have_no_solution(made: Course) -> None:
    text = made.released(LAB).read_text()
    assert "SOLUTION" not in text
    assert "HIDDEN" not in text


@pytest.mark.filterwarnings("ignore")
def test_it_can_be_set_up_again(made: Course) -> None:
    assert setting_up.set_up(made) == {"labs": [], "gone": []}


def put(place: Path, content: str = "{}", when: datetime | None = None) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(content)
    if when:
        os.utime(place, (when.timestamp(), when.timestamp()))


@pytest.mark.parametrize(
    "path",
    [
        "ada/small/small.ipynb",
        "ada/small.ipynb",
        "ada_small.ipynb",
        "ada_31337_assignsubmission_file_/small.ipynb",
        "small/ada/small (1).ipynb",
        "ada_small (2).ipynb",
        "week 3/ada/whatever.ipynb",  # the only lab of this course
    ],
)
def test_layouts(made: Course, tmp_path: Path, path: str) -> None:
    put(tmp_path / "from" / path, when=datetime(2027, 1, 11, 20, tzinfo=UTC))
    assert collect(made, tmp_path / "from") == ["ada, small: taken, handed in 2027-01-11 20:00 UTC"]
    assert (made.handed_in(LAB, "ada") / "timestamp.txt").read_text() == "2027-01-11 20:00:00 UTC\n"
    assert collect(made, tmp_path / "from") == ["ada, small: as before"]


def test_a_timestamp_beside_it_counts(made: Course, tmp_path: Path) -> None:
    put(tmp_path / "from" / "ada" / "small.ipynb")
    put(tmp_path / "from" / "ada" / "timestamp.txt", "2027-01-12 00:30:00 +0100")
    assert collect(made, tmp_path / "from") == ["ada, small: taken, handed in 2027-01-11 23:30 UTC"]


def test_late_and_replaced(made: Course, tmp_path: Path) -> None:
    put(tmp_path / "from" / "Zoë O'Neil" / "small.ipynb", "1", datetime(2027, 1, 11, 20, tzinfo=UTC))
    collect(made, tmp_path / "from")
    put(tmp_path / "from" / "Zoë O'Neil" / "small.ipynb", "2", datetime(2027, 1, 12, 8, tzinfo=UTC))
    assert collect(made, tmp_path / "from") == [
        "Zoë O'Neil, small: replaced, handed in 2027-01-12 08:00 UTC, late"
    ]
    assert (made.handed_in(LAB, "Zoë O'Neil") / "small.ipynb").read_text() == "2"
    (earlier,) = (made.root / "earlier").rglob("small.ipynb")
    assert earlier.read_text() == "1"


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


def test_a_zip(made: Course, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as opened:
        opened.writestr(zipfile.ZipInfo("adam_small.ipynb", (2027, 1, 11, 9, 0, 0)), "{}")
        opened.writestr(zipfile.ZipInfo("../../ada/small.ipynb", (2027, 1, 11, 9, 0, 0)), "{}")
        link = zipfile.ZipInfo("Zoë O'Neil/small.ipynb")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        opened.writestr(link, "/etc/passwd")
    said = collect(made, tmp_path / "all.zip")
    assert said[0] == "left out: Zoë O'Neil/small.ipynb: it is a link"
    assert [each.partition(",")[0] for each in said[1:]] == ["ada", "adam"]
    assert {each.parent.parent.name for each in (made.root / "handed-in").rglob("*.ipynb")} == {"ada", "adam"}
