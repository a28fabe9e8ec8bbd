"""How much does a run try? Of like cases a part; all of them in CI, and with `--hypothesis-profile=hunt`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import hypothesis

Case = TypeVar("Case")

PROFILE = hypothesis.settings.get_current_profile_name()
ALL, HUNTING = PROFILE in ("all", "hunt"), PROFILE == "hunt"


def some(cases: Sequence[Case], every: int, first: int = 0) -> Sequence[Case]:
    """Every so many of these cases, or all."""
    return cases if ALL else cases[first % every :: every]
