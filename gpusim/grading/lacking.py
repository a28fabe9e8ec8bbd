"""What does a check say that runs before the cells that it needs? Which name lacks, and how to get it."""

from __future__ import annotations

import linecache
import re
import traceback
from typing import Any

from gpusim.grading.failing import CheckFailed

COURSES = re.compile(r"# (Check: |The starter and yours)")


def instead(error: NameError) -> CheckFailed | None:
    """A sentence where a name lacks in a cell of the course itself; in the reader's code an error stays."""
    file = [frame for frame, _ in traceback.walk_tb(error.__traceback__)][-1].f_code.co_filename
    if not error.name or not COURSES.match(linecache.getline(file, 1)):
        return None
    return CheckFailed(
        f"{error.name} is not there yet: a cell above gives it, yours or a folded one such as "
        "“The starter and yours”. Choose Run → Run All Above Selected Cell, and then run this cell again."
    )


def shown(
    shell: Any, kind: type[NameError], error: NameError, trace: Any, tb_offset: int | None = None
) -> None:
    """IPython's own way to show it, of what is said instead."""
    if failed := instead(error):
        kind, error, trace = CheckFailed, failed, None  # type: ignore[assignment]
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
