"""For tests: an observer that follows every grid by itself, and keeps what it heard."""

from __future__ import annotations

from typing import Self

from gpusim.events import GridLaunched, GridObserver


class EveryGrid(GridObserver):
    """A kind that wants something, and does something with it, is all that a test must add."""

    def watches(self, launched: GridLaunched) -> Self:
        """Follow this one, too."""
        return self
