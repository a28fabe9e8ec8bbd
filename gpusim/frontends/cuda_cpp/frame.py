"""Which function is being lowered, and from where was it called?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.types import CType
from gpusim.frontends.site import Exits
from gpusim.source import Source, Span

if TYPE_CHECKING:
    from gpusim.frontends.cuda_cpp.scope import Function


@dataclass
class Frame:
    """A function being lowered, perhaps inside another. `path` tells its call apart from all others."""

    function: Function | None
    source: Source
    path: tuple[Any, ...] = ()
    caller: Span | None = None
    result_type: CType = types.VOID
    result: Any = None
    single: bool = False
    exits: Exits = field(default_factory=Exits)
