"""Kernels from text: functions that `inspect` can read although no file holds them."""

from __future__ import annotations

import linecache
import math
from itertools import count
from typing import Any

import numpy as np

from gpusim import cuda

_numbers = count(1)


def define(text: str, name: str = "kernel", **names: Any) -> Any:
    """Execute a text that may use `cuda`, `np`, `math` and `names`; return the function of that name."""
    filename = f"<text {next(_numbers)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace = {"cuda": cuda, "np": np, "math": math, "__name__": "from_text", **names}
    exec(compile(text, filename, "exec"), namespace)
    return namespace[name]
