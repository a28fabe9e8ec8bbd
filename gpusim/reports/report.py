"""What is a report as JSON? Dataclasses become objects, named tuples and other tuples become arrays.

A field with a default is left out where it has it. What a field marked `SPREAD` holds, the counters of a
launch or another report, stands among the other fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

from gpusim.errors import absent, lacking

SPREAD = {"names": "beside those of the other fields"}


class Figures(dict[str, Any]):
    """Counters, or other figures, by name; a name that is none is answered with those there are."""

    def __missing__(self, name: str) -> Any:
        raise lacking(name, self)


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

    if not TYPE_CHECKING:  # to mypy, what has this has every attribute

        def __getattr__(self, name: str) -> Any:
            raise absent(self, name)


@dataclass(frozen=True, slots=True, repr=False)
class Titled(Report):
    """What a view shows: that of the name `view`, for reports that show nothing themselves."""

    view: ClassVar[str] = ""
    title: str

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.title!r}: gpusim.views.{self.view}(…) draws it>"


@dataclass(frozen=True, slots=True, repr=False)
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
