"""How much does a run try? Of like cases the same few; with `--hypothesis-profile=hunt` all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import hypothesis

Case = TypeVar("Case")

HUNTS = hypothesis.settings.get_current_profile_name() == "hunt"


def some(cases: Sequence[Case], every: int, first: int = 0) -> Sequence[Case]:
    """Every so many of these cases, or all."""
    return cases if HUNTS else cases[first % every :: every]
