"""Does a container of podman or docker hold what bubblewrap holds, and give the same points?

They are tried where the program and its image are: `make image BY=podman`.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

import nbformat
import psutil
import pytest
from nbformat import v4
from nbgrader.api import Gradebook

from classroom import course, setting_up
from classroom.box import box
from classroom.container import Container
from classroom.course import Course, Isolation, Limits
from classroom.running import Ran, run
from tests.classroom.conftest import grade, hand_in
from tests.classroom.odd import ODD
from tests.classroom.small_lab import LAB
from tests.labs.shell import LABS, instructors

PROGRAMS = ("podman", "docker")
LIMITS = Limits(seconds_per_cell=20, seconds=60, memory_mb=512, processes=8, files_mb=16)
# for each limit its words; 1000 is who calls
WORDS = {
    "no network": ("--network", "none"),
    "nothing of the image is written": ("--read-only",),
    "files in memory": ("--tmpfs", "/tmp:size=16m"),
    "shared memory": ("--shm-size", "16m"),
    "memory": ("--memory", "512m"),
    "no swap beside it": ("--memory-swap", "512m"),
    "processes": ("--pids-limit", "24"),  # and 16 threads of the kernel itself
    "processors": ("--cpus", "1"),
    "no capability": ("--cap-drop", "ALL"),
    "none by a program that has more": ("--security-opt", "no-new-privileges"),
    "not root": ("--user", "1000:1000"),
    "no image from elsewhere": ("--pull", "never"),
    "an end without its grader": ("timeout", "--signal=KILL", "120"),
    "a process's memory": (f"--data={512 * 2**20}",),
    "a file's size": (f"--fsize={16 * 2**20}",),
    "open files": ("--nofile=512",),
    "no core": ("--core=0",),
}


@functools.cache
def refused(program: str) -> str:
    return Container(program, Isolation.image).why_not()


@pytest.fixture(params=PROGRAMS)
def program(request: pytest.FixtureRequest) -> str:
    """Skips where it makes no box, and says why."""
    name: str = request.param
    if why := refused(name):
        pytest.skip(f"no box of {name} here: {why}")
    return name


def words(monkeypatch: pytest.MonkeyPatch, program: str, place: Path) -> list[str]:
    for name in ("getuid", "geteuid", "getgid"):
        monkeypatch.setattr(os, name, lambda: 1000)
    with monkeypatch.context() as patch, box(LIMITS, Container(program, "image")) as made:
        patch.setattr(subprocess, "run", lambda *a, **k: None)
        return made.way.command(made, ["python"])


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_limit_is_on_the_command_line(
    monkeypatch: pytest.MonkeyPatch, program: str, tmp_path: Path
) -> None:
    line = words(monkeypatch, program, tmp_path)
    said = f" {' '.join(line)} "
    missing = [what for what, each in WORDS.items() if f" {' '.join(each)} " not in said]
    assert missing == []
    (mounted,) = [line[at + 1] for at, each in enumerate(line) if each in ("--volume", "--mount", "-v")]
    assert re.fullmatch(r"(/tmp/box-\w+):\1", mounted)
    assert ("--read-only-tmpfs=false" in line) == (program == "podman")  # whose own has no size


def cells(*sources: str) -> nbformat.NotebookNode:
    return v4.new_notebook(cells=[v4.new_code_cell(each, id=f"cell-{at}") for at, each in enumerate(sources)])


def ran(program: str, *sources: str, helpers: tuple[Path, ...] = ()) -> tuple[Ran, str]:
    """These cells, in a container; how it went, and all that they printed."""
    with box(LIMITS, Container(program, Isolation.image), helpers) as made:
        found = run(cells(*sources), made)
    shown = [out.get("text", out.get("evalue", "")) for each in found.notebook.cells for out in each.outputs]
    return found, "\n".join(shown)


def test_nothing_outside_is_seen_or_reached(program: str, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("said = 'the helper is here'\n")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        found, shown = ran(
            program,
            "import helper, os, socket, pathlib\nprint(helper.said, os.getuid())",
            f"socket.create_connection(('127.0.0.1', {port}), 2)\nprint('REACHED')",
            f"print('SEEN', os.path.exists({str(LABS)!r}), os.path.exists({str(tmp_path)!r}))",
            "print([str(p) for p in pathlib.Path('/').rglob('*.ipynb') if 'site-packages' not in str(p)])",
            "pathlib.Path('/opt/course/left').write_text('')\nprint('WRITTEN')",
            "pathlib.Path('/tmp/x').write_bytes(bytes(17 * 2**20))\nprint('WRITTEN')",
            helpers=(tmp_path / "helper.py",),
        )
    assert found.ended == ""
    owner = os.getuid() or 65534
    assert f"the helper is here {owner}" in shown
    assert "SEEN False False" in shown
    assert "[]" in shown
    assert "REACHED" not in shown
    assert "WRITTEN" not in shown
    assert [*found.status.values()] == ["ok", "error", "ok", "ok", "error", "error"]


def test_it_may_not_take_more_than_it_may(program: str) -> None:
    found, shown = ran(program, "hoard = bytearray(2**30)")
    assert "MemoryError" in str(found.notebook.cells[0].outputs)
    forked = """
import os, time
made = 0
try:
    for _ in range(100):
        if not os.fork():
            time.sleep(60)
        made += 1
finally:
    print("MADE", made)
"""
    _, shown = ran(program, forked)
    assert 0 < int(shown.split("MADE ")[1].split()[0]) < 24
    shared = """
import subprocess, sys
hoard = [subprocess.Popen([sys.executable, "-c", "x = b'1' * 400_000_000; import time; time.sleep(60)"])
         for _ in range(3)]
import time; time.sleep(15)
print("ALIVE", [each.poll() for each in hoard])
"""
    found, shown = ran(program, shared)
    assert "ALIVE [None, None, None]" not in shown
    found, _ = ran(program, f"open({'/tmp'!r} + '/y', 'w')", "import os; os._exit(3)")
    assert "Python ended" in found.ended


def test_a_full_disk_ends_it(program: str) -> None:
    """Its folder is the only one on the disk, and is looked at."""
    fill = (
        "import time\nfor k in range(9):\n    open(f'{k}', 'wb').write(bytes(8 * 2**20))\n    time.sleep(0.5)"
    )
    found, _ = ran(program, fill)
    assert "MB of files, and 16 are allowed" in found.ended


def test_nothing_of_it_is_left(program: str) -> None:
    ran(program, "import subprocess\nsubprocess.Popen(['sleep', '987'], start_new_session=True)")
    listed = subprocess.run(
        [program, "ps", "--all", "--format", "{{.Names}}"], capture_output=True, text=True
    )
    assert "box-" not in listed.stdout
    assert "987" not in [
        part for each in psutil.process_iter(["cmdline"]) for part in each.info["cmdline"] or ()
    ]


def test_another_gpusim_is_refused(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("classroom.container.digest", lambda package: "another")
    assert "holds another gpusim" in Container(program, Isolation.image).why_not()


def scores(made: Course, lab: str) -> dict[str, float | None]:
    with Gradebook(made.database, made.name) as gradebook:
        (submitted,) = gradebook.find_submission(lab, "ada").notebooks
        return {each.name: each.auto_score for each in submitted.grades}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", ["right", "starter untouched"])
def test_the_points_are_those_of_bubblewrap(isolated: None, program: str, made: Course, case: str) -> None:
    hand_in(made, "ada", ODD[case].files(nbformat.read(made.released(LAB), 4)))
    found = []
    for by in ("bubblewrap", program):
        each = dataclasses.replace(made, isolation=Isolation(by))
        assert grade(each, LAB, "ada", isolated=True)["look"] == []
        found.append(scores(each, LAB))
    assert found[0] == found[1]
    assert sum(score or 0 for score in found[0].values()) == ODD[case].points


@pytest.mark.filterwarnings("ignore")
def test_a_lab_of_the_course_has_all_its_points(program: str, tmp_path: Path) -> None:
    lab = "coalescing"
    (tmp_path / "course.toml").write_text(
        f'name = "tests"\n[labs]\n{lab} = 2027-01-11T23:59:00Z\n[isolation]\nby = "{program}"'
    )
    (tmp_path / "roster.csv").write_text("id\nada\n")
    made = course.read(tmp_path)
    setting_up.set_up(made)
    place = made.handed_in(lab, "ada")
    place.mkdir(parents=True)
    shutil.copy(LABS / "instructor" / lab / f"{lab}.ipynb", place)
    assert grade(made, lab, "ada", isolated=True)["look"] == []
    total = sum(score or 0 for score in scores(made, lab).values())
    most = sum(
        cell.metadata.nbgrader.points
        for cell in instructors(lab).cells
        if cell.metadata.get("nbgrader", {}).get("grade") and cell.cell_type == "code"
    )
    assert total == most > 0
