"""Does a kernel take a table along that no launch gave it? Global arrays are frozen when it is compiled.

Reading it costs no load that a check counts, and host code that ran before may have written the answer there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gpusim.events import GridLaunched
from gpusim.grading.failing import require
from gpusim.runtime import settings


class _Frozen:
    """Ends the launch of a kernel that reads an array of the host which is none of its arguments."""

    def __init__(self, where: str, given: frozenset[str]) -> None:
        self._where, self._given = where, given
        self._seen = set[Any]()

    def watches(self, launched: GridLaunched) -> None:
        if launched.function in self._seen:
            return
        self._seen.add(launched.function)
        arrays = (step.array for block in launched.blocks for step in block.instructions)
        frozen = {each.memory.name for each in arrays if each is not None and each.memory.data is not None}
        strange = ", ".join(f"`{each}`" for each in sorted(frozen - self._given))
        require(
            not strange,
            f"{self._where}: the kernel reads {strange}, which the launch does not hand it. "
            "What it computes comes from its arguments",
        )


@contextmanager
def from_arguments(where: str, given: frozenset[str] = frozenset()) -> Iterator[None]:
    """Kernels read what they are launched with, and of global arrays those that the check has `given`."""
    with settings.during(settings.changed(observer=_Frozen(where, given))):
        yield
