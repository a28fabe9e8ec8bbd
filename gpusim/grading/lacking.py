"""What does a check say that runs before the cells that it needs? Which name lacks, and how to get it."""

from __future__ import annotations

import linecache
import re
import traceback
from collections.abc import Iterable
from typing import Any

from gpusim.grading.failing import CheckFailed

COURSES = re.compile(r"# (Check: |The starter and yours)")


DEFINES = r"^(?:(?:def|class)\s+{0}\b|{0}\s*=)"
FAILED = (
    "{name} is not there: your cell above that defines it ends in an error. Mend that one, run it, "
    "and then run this cell again."
)


class Lacking:
    """What the reader is told of names that lack, and which of their cells ended in an error."""

    def __init__(self) -> None:
        self._failed = set[str]()

    def ran(self, source: str, *, success: bool) -> None:
        """A cell has run; its text may be no Python."""
        if not success and not COURSES.match(source):
            self._failed.add(source)

    def shown(
        self, shell: Any, kind: type[NameError], error: NameError, trace: Any, tb_offset: int | None = None
    ) -> None:
        """IPython's own way to show it, of what is said instead."""
        if failed := instead(error, self._failed):
            kind, error, trace = CheckFailed, failed, None  # type: ignore[assignment]
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)


def instead(error: NameError, ended_in_error: Iterable[str]) -> CheckFailed | None:
    """A sentence where a name lacks in a cell of the course itself; in the reader's code an error stays."""
    file = [frame for frame, _ in traceback.walk_tb(error.__traceback__)][-1].f_code.co_filename
    if not error.name or not COURSES.match(linecache.getline(file, 1)):
        return None
    defines = re.compile(DEFINES.format(re.escape(error.name)), re.MULTILINE)
    if any(map(defines.search, ended_in_error)):
        return CheckFailed(FAILED.format(name=error.name))
    return CheckFailed(
        f"{error.name} is not there yet: a cell above gives it, yours or a folded one such as "
        "“The starter and yours”. Choose Run → Run All Above Selected Cell, and then run this cell again."
    )
