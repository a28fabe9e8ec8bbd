"""Which function is being lowered, and from where was it called?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from clang.cindex import Cursor

from gpusim.frontends.cuda_cpp import types, values
from gpusim.frontends.site import Exits
from gpusim.source import Source, Span


@dataclass
class Scope:
    """A block: its objects with destructors, each with the place where it is declared."""

    cursor: Cursor
    objects: list[tuple[int, values.Place]] = field(default_factory=list)

    def without(self, kept: values.Result | None) -> Scope:
        """The same, but this object does not end."""
        return Scope(self.cursor, [one for one in self.objects if one[1] is not kept])


@dataclass
class Frame:
    """A function being lowered, perhaps inside another. `path` tells its call apart from all others.

    `names` are its variables, by their declarations; those it does not know are of `outer`, the function that
    a lambda stands in. `scopes` are the objects to be destroyed, innermost block last; `depths` says for each
    loop and switch how many of these blocks stay where `break` leads, and where `continue` does. `kept` is
    the variable that all `return`s name; a `result` is given at the end, an `outcome` anywhere. `first` is
    what a constructor does before its body. All of it stands at `pinned`, if that is given.
    """

    source: Source
    function: Any = None
    path: tuple[Any, ...] = ()
    caller: Span | None = None
    result_type: types.CType = types.VOID
    result: values.Result | None = None
    outcome: Any = None
    single: bool = False
    kept: int | None = None
    recursive: bool = False
    this: Any = None
    first: Callable[[Any], None] | None = None
    outer: Frame | None = None
    pinned: Span | None = None
    names: dict[int, values.Result] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    scopes: list[Scope] = field(default_factory=list)
    depths: list[tuple[int, int]] = field(default_factory=list)
    exits: Exits = field(default_factory=Exits)

    def find(self, declaration: int) -> values.Result | None:
        """What a variable stands for; None if it is none of this function."""
        if declaration in self.names or self.outer is None:
            return self.names.get(declaration)
        return self.outer.find(declaration)
