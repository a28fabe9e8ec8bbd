"""What can be a value only while compiling? A lambda: its body, and what it took along."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from clang.cindex import Cursor

from gpusim.frontends.clang_cpp.frame import Frame
from gpusim.frontends.cuda_cpp.types import CType, Struct

Captured = tuple[
    Cursor | None, CType, int
]  # a variable, or None for `this`; its type and offset in the object


@dataclass
class LambdaValue:
    """A function without a name. What it captured is in `captured`, by declaration; `frame` is the function
    that it stands in.
    """

    type: Struct
    frame: Frame
    this: Any = None
    captured: dict[int, Any] = field(default_factory=dict)
