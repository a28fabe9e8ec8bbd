"""Is an answer a value, and nothing that answers by itself when a check compares it?

A class derived from `float` may look at the check in its own `__eq__`. So a value is known by its exact
type, and no method of the answer's runs while it is found out.

>>> plain([1, (2.0, "a")])
[1, (2.0, 'a')]
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

NUMPYS = frozenset(np.sctypeDict.values())  # NumPy's own kinds of numbers, and none that an answer derives
SINGLE = frozenset((int, float, complex, bool, str, bytes, type(None), range, Decimal)) | NUMPYS


class NotPlain(TypeError):
    """The answer is, or holds, something else than numbers and texts."""


def plain(value: Any) -> Any:
    """The value, if it is made of Python's and NumPy's own kinds only. Raises `NotPlain`."""
    kind = type(value)
    if kind in SINGLE:
        return value
    if kind is np.ndarray and not value.dtype.hasobject:
        return value
    if kind is Fraction and type(value.numerator) is type(value.denominator) is int:
        return value
    if kind in (tuple, list, set, frozenset):
        return kind(map(plain, value))
    if kind is dict:
        return {plain(key): plain(each) for key, each in value.items()}
    raise NotPlain(f"there is a `{kind.__name__}`, and numbers, texts or arrays are asked for")
