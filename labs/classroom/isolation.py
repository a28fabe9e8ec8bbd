"""Which way is taken to a box? The one that `course.toml` names, or else the first that works here."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable

from classroom.box import Way
from classroom.bubblewrap import Bubblewrap
from classroom.container import Container
from classroom.course import CourseError, Isolation

WAYS: dict[str, Callable[[str], Way]] = {
    "bubblewrap": lambda _: Bubblewrap(),
    "podman": functools.partial(Container, "podman"),
    "docker": functools.partial(Container, "docker"),
}
UNSAFE = """\
--unsafe: nothing holds what students hand in. It runs as you do: it can read the instructor's notebooks and
the gradebook, write grades, delete your files, use the network, and go on when grading is over."""
INSTALL = "Debian, Ubuntu: `sudo apt install bubblewrap`; Fedora: `sudo dnf install bubblewrap`. "
MISSING = """\
What students hand in runs in a box, and none can be made here:
{reasons}
{install}On macOS or Windows use
a virtual machine with Linux, or WSL. `make grade UNSAFE=1` grades without a box. Then code of students can
read the instructor's notebooks and the gradebook, change grades, delete your files, and use the network."""


def chosen(told: Isolation) -> Way:
    """The way that is named. Where none is: the first that works."""
    return WAYS[told.by](told.image) if told.by else _first(told)[1]


def working(told: Isolation) -> Isolation:
    """The same, tried, and with its name. Raises `CourseError` where nothing isolates."""
    return Isolation(_first(told)[0], told.image)


@functools.cache
def _first(told: Isolation) -> tuple[str, Way]:
    reasons = []
    for name in [told.by] if told.by else WAYS:
        way = WAYS[name](told.image)
        why = way.why_not()
        if not why:
            return name, way
        reasons.append(f"  {name}: {why}.")
    there = shutil.which("bwrap") is not None
    raise CourseError(MISSING.format(reasons="\n".join(reasons), install="" if there else INSTALL))
