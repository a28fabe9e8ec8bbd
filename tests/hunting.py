"""How much does a run try? Of like cases a part; in CI more, and all with `--hypothesis-profile=hunt`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import hypothesis

Case = TypeVar("Case")

PROFILE = hypothesis.settings.get_current_profile_name()
ALL, HUNTING = PROFILE in ("all", "hunt"), PROFILE == "hunt"


def some(cases: Sequence[Case], every: int, first: int = 0, in_ci: int = 1) -> Sequence[Case]:
    """Every so many of these cases; in CI all, or those `in_ci` apart; all in a hunt."""
    step = every if not ALL else 1 if HUNTING else in_ci
    return cases[first % step :: step]
