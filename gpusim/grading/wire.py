"""How does an answer come from a process that may lie? As JSON of a few forms, of which nothing is run.

Numbers, texts and arrays keep their exact kinds; whatever else stands there is no answer.

>>> unpacked(packed((1, [2.5], {"a": np.float32(3)})))
(1, [2.5], {'a': np.float32(3.0)})
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from gpusim.grading.plain import NUMPYS, NotPlain

MOST = 16_000_000  # characters of an answer
ELEMENTS = re.compile(r"[<>|][biufcSU]\d{1,4}")
NO_ANSWER = "what came back is no plain value"
AS_JSON = frozenset((type(None), bool, str))
GATHERED: dict[str, Callable[[list[Any]], Any]] = {
    each.__name__: each for each in (tuple, list, set, frozenset)
}
WRITTEN: dict[type, Callable[[Any], list[Any]]] = {
    int: lambda value: [str(value)],
    float: lambda value: [value.hex()],
    complex: lambda value: [value.real.hex(), value.imag.hex()],
    bytes: lambda value: [base64.b64encode(value).decode()],
    range: lambda value: [str(each) for each in (value.start, value.stop, value.step)],
    Fraction: lambda value: [str(value.numerator), str(value.denominator)],
    Decimal: lambda value: [str(value)],
}
READ: dict[str, Callable[..., Any]] = {
    "int": int,
    "float": float.fromhex,
    "complex": lambda real, imag: complex(float.fromhex(real), float.fromhex(imag)),
    "bytes": lambda text: base64.b64decode(text, validate=True),
    "range": lambda *ends: range(*map(int, ends)),
    "Fraction": lambda top, bottom: Fraction(int(top), int(bottom)),
    "Decimal": Decimal,
}


def packed(value: Any) -> Any:
    """A plain value as what JSON can hold. Raises `NotPlain`."""
    kind = type(value)
    if kind in AS_JSON:
        return value
    if kind in WRITTEN:
        return [kind.__name__, *WRITTEN[kind](value)]
    if kind is np.ndarray or kind in NUMPYS:
        array = np.asarray(value)
        if not ELEMENTS.fullmatch(array.dtype.str):
            raise NotPlain(f"there is an array of {array.dtype}, and numbers or texts are asked for")
        what = "array" if kind is np.ndarray else "number"
        return [what, array.dtype.str, [*array.shape], base64.b64encode(array.tobytes()).decode()]
    if kind.__name__ in GATHERED:
        return [kind.__name__, *map(packed, value)]
    if kind is dict:
        return ["dict", *([packed(key), packed(each)] for key, each in value.items())]
    raise NotPlain(f"there is a `{kind.__name__}`, and numbers, texts or arrays are asked for")


def unpacked(told: Any) -> Any:
    """The value. Raises `NotPlain` where there is none, whatever stands there."""
    try:
        return _unpacked(told)
    except (ValueError, TypeError, ArithmeticError, RecursionError, MemoryError):
        raise NotPlain(NO_ANSWER) from None


def _unpacked(told: Any) -> Any:
    if type(told) in AS_JSON:
        return told
    kind, *parts = told
    if kind in GATHERED:
        return GATHERED[kind]([*map(_unpacked, parts)])
    if kind == "dict":
        return {_unpacked(key): _unpacked(each) for key, each in parts}
    if kind in ("array", "number"):
        elements, shape, text = parts
        array = array_of(elements, shape, text)
        return array if kind == "array" else array.reshape(())[()]
    if not all(type(each) is str for each in parts):
        raise NotPlain(NO_ANSWER)
    if kind not in READ:
        raise NotPlain(NO_ANSWER)
    return READ[kind](*parts)


def array_of(elements: str, shape: list[int], text: str) -> Any:
    """An array of its own memory, of these elements and this shape."""
    octets = base64.b64decode(text, validate=True)
    if not ELEMENTS.fullmatch(elements) or not all(type(n) is int and n >= 0 for n in shape):
        raise NotPlain(NO_ANSWER)
    dtype = np.dtype(elements)
    if dtype.itemsize * math.prod(shape) != len(octets):
        raise NotPlain(NO_ANSWER)
    return np.frombuffer(octets, dtype).reshape(shape).copy()


def read(text: str) -> dict[str, Any]:
    """A message of these forms: texts and lists by name. Raises `NotPlain`."""
    try:
        told = json.loads(text) if len(text) <= MOST else None
    except (ValueError, RecursionError, MemoryError):
        told = None
    if type(told) is not dict:
        raise NotPlain(NO_ANSWER)
    return told
