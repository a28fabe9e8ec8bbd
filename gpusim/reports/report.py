"""What is a report as JSON? Dataclasses become objects, named tuples and other tuples become arrays.

A field with a default is left out where it has it. What a field marked `SPREAD` holds, the counters of a
launch or another report, stands among the other fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any

SPREAD = {"names": "beside those of the other fields"}


@dataclass(frozen=True, slots=True)
class Report:
    """Something to draw, or a part of it: numbers, texts, tuples and other reports."""

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        found: dict[str, Any] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if each.metadata == SPREAD:
                found |= _as_json(value)
            elif each.default is MISSING or value != each.default:
                found[each.name] = _as_json(value)
        return found


@dataclass(frozen=True, slots=True)
class Titled(Report):
    """What a view shows."""

    title: str


@dataclass(frozen=True, slots=True)
class Drawn(Titled):
    """What a view draws: one of its variants, or two, for the reader to choose."""

    variants: tuple[Report, ...]


def _as_json(value: Any) -> Any:
    if isinstance(value, Report):
        return value.as_dict()
    if isinstance(value, Mapping):
        return {name: _as_json(each) for name, each in value.items()}
    if isinstance(value, tuple):
        return [_as_json(each) for each in value]
    return value
