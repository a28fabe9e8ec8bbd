"""Where does a student's kernel run? In a box: no network, no files but Python's and its own.

It sees Python, gpusim and the helper files of its own submission; what it writes is thrown away. It talks to
the grader through Unix sockets in a folder of its own (`ipc`), which is all that both can see. What makes
the box is a `Way` (isolation.py): bubblewrap, podman or docker. The limits are those of `course.toml`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from classroom.course import Limits

INSIDE = Path(__file__).parent / "inside"
MOST_ENTRIES, MOST_DEPTH = 10_000, 32  # files and folders in the folder of a box, and how deep they may lie
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "TMPDIR": "/tmp",
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TQDM_DISABLE": "1",
}


class Way:
    """What makes a box. Here: none, as `--unsafe` asks for."""

    isolates = False
    python = sys.executable

    def why_not(self) -> str:
        """Why can it not be used here? "" if it can."""
        return ""

    def command(self, box: Box, program: list[str]) -> list[str]:
        """The command line that runs this program in the box."""
        return program

    def environment(self) -> Mapping[str, str] | None:
        """That of the program which makes the box, where the box can read it; None for the grader's own."""
        return None

    def give(self, box: Box) -> None:
        """Let the box read what the grader has written for it."""

    def taken(self, outer: psutil.Process, limits: Limits) -> list[tuple[str, int, int]]:
        """(what, how much is taken, how much may be) that only the grader sees to."""
        return []

    def end(self, box: Box, outer: psutil.Process | None = None) -> None:
        """Nothing of the box runs afterwards."""

    def why_ended(self, box: Box) -> str:
        """Which limit, that others see to, did it break? "" if none is known."""
        return ""


@dataclass
class Box:
    """A folder for one kernel. `helpers`: files it gets; `simulator`: whether gpusim is there to be read;
    `burst`: which limit it broke, if it did.
    """

    folder: Path
    limits: Limits
    way: Way
    helpers: tuple[Path, ...] = ()
    simulator: bool = True
    burst: str = ""
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def work(self) -> Path:
        """Where a box begins that has no memory of its own to begin in."""
        return self.folder / "work"

    def copy_helpers(self) -> None:
        self.work.mkdir()
        for each in self.helpers:
            shutil.copy(each, self.work)


@contextmanager
def box(limits: Limits, way: Way, helpers: tuple[Path, ...] = (), *, simulator: bool = True) -> Iterator[Box]:
    """A box that is thrown away afterwards. Its path is short: a socket's name has at most 107 characters."""
    folder = Path(tempfile.mkdtemp(prefix="box-", dir="/tmp"))
    made = Box(folder, limits, way, helpers, simulator)
    try:
        yield made
    finally:
        made.over.set()
        way.end(made)
        # these go down to any depth, where Python's own would end at a thousand
        for program in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
            subprocess.run([*program, "--", str(folder)], capture_output=True)


def limited(limits: Limits) -> list[str]:
    """What holds for each process by itself."""
    return [
        "prlimit",
        f"--data={limits.memory_mb * 2**20}",
        f"--fsize={limits.files_mb * 2**20}",
        "--core=0",
        "--nofile=512",
    ]


def watch(box: Box, pid: int) -> None:
    """End the box that takes more than it may. A watch that cannot go on ends it as well."""
    outer = psutil.Process(pid)
    try:
        while not box.over.wait(0.25):
            for what, taken, most in (*box.way.taken(outer, box.limits), *_on_disk(box)):
                if taken > most:
                    box.burst = f"it took {taken} {what}, and {most} are allowed"
                    return
    except psutil.NoSuchProcess:
        return
    except Exception as error:  # whatever it was: nothing runs on that nobody watches
        box.burst = f"it could not be watched any longer ({type(error).__name__})"
    finally:
        if box.burst:
            box.way.end(box, outer)


def _on_disk(box: Box) -> list[tuple[str, int, int]]:
    """What the folder of a box holds: (what, how much, how much it may be)."""
    size = entries = depth = 0
    rest = [(str(box.folder), 1)]
    while rest and entries <= MOST_ENTRIES and depth <= MOST_DEPTH:
        place, depth_here = rest.pop()
        depth = max(depth, depth_here)
        with suppress(FileNotFoundError), os.scandir(place) as found:
            for each in found:
                entries += 1
                if each.is_dir(follow_symlinks=False):
                    rest.append((each.path, depth_here + 1))
                else:
                    with suppress(FileNotFoundError):
                        size += each.stat(follow_symlinks=False).st_size
    return [
        ("MB of files", round(size / 2**20), box.limits.files_mb),
        ("files and folders", entries, MOST_ENTRIES),
        ("folders in each other", depth, MOST_DEPTH),
    ]
