"""Do processes that a program forks launch kernels? Their findings stay with them, so they are counted."""

from __future__ import annotations

import mmap
import os

from gpusim.events import GridLaunched
from gpusim.whole import number_of

BYTES = 8


class Elsewhere:
    """An observer that counts the launches of other processes, in memory that these share with this one."""

    def __init__(self) -> None:
        self._process, self._shared = os.getpid(), mmap.mmap(-1, BYTES)

    def watches(self, _launched: GridLaunched) -> None:
        """One more, if it is not this process that launches."""
        if os.getpid() != self._process:
            self._shared[:BYTES] = (self.launches + 1).to_bytes(BYTES, "little")

    @property
    def launches(self) -> int:
        """How many there were: two at the same moment may count as one."""
        return int.from_bytes(self._shared[:BYTES], "little")

    def __repr__(self) -> str:
        """What to say of them."""
        many = number_of(self.launches, "grid")
        return f"Not watched: {many}, launched by processes that the program started. Start threads instead."
