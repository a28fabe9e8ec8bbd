"""What can be a value only while compiling? A lambda: its body, and what it took along."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gpusim.frontends.clang_cpp.frame import Frame
from gpusim.frontends.cuda_cpp.types import CType


@dataclass
class LambdaValue:
    """A function without a name. What it captured by value is in `captured`, by declaration; all else is of
    the function that it stands in, `frame`.
    """

    type: CType
    frame: Frame
    captured: dict[int, Any] = field(default_factory=dict)
    mutable: bool = False
