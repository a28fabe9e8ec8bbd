"""How much does a run try? Some of many like cases; `--hypothesis-profile=all`: all; in a hunt: new ones."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TypeVar

import hypothesis

Case = TypeVar("Case")

ALL = hypothesis.settings.get_current_profile_name() in ("all", "hunt")


def some(cases: Sequence[Case], every: int, first: int = 0) -> Sequence[Case]:
    """Every so many of these cases, or all."""
    return cases if ALL else cases[first % every :: every]


def in_turn(machines: Sequence[Case], of: str) -> Sequence[Case]:
    """Of four machines two with nothing in common, of two one: of half the names these, or the others."""
    others = zlib.crc32(of.encode()) % 2
    taken = [one for number, one in enumerate(machines) if (number + number // 2) % 2 == others]
    return machines if ALL else taken or machines
