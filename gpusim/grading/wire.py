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
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

NUMPYS = frozenset(np.sctypeDict.values())  # NumPy's own kinds of numbers, and none that an answer derives
MOST = 16_000_000  # characters of an answer
MOST_BYTES = 64_000_000  # from the first to the last element of an array
ELEMENTS = re.compile(r"[<>|][biufcSU]\d{1,4}")
NO_ANSWER = "what came back is no plain value"
DICTS = (dict, Counter, OrderedDict, defaultdict)
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


class NotPlain(TypeError):
    """The answer is, or holds, something else than numbers and texts."""


def packed(value: Any) -> Any:
    """A plain value as what JSON can hold. Raises `NotPlain`."""
    kind = type(value)
    if kind in AS_JSON:
        return value
    if kind in WRITTEN:
        return [kind.__name__, *WRITTEN[kind](value)]
    if kind is np.ndarray or kind in NUMPYS:
        array = np.asarray(value)
        elements: Any = array.dtype.str if array.dtype.names is None else [*map(list, array.dtype.descr)]
        if not _is_plain(elements):
            raise NotPlain(f"there is an array of {array.dtype}, and numbers or texts are asked for")
        what = "array" if kind is np.ndarray else "number"
        octets = base64.b64encode(array.tobytes()).decode()
        return [what, elements, [*array.shape], [*array.strides], octets]
    if kind.__name__ in GATHERED:
        return [kind.__name__, *map(packed, value)]
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):  # a namedtuple
        return packed((*tuple.__iter__(value),))
    if kind in DICTS:
        return ["dict", *([packed(key), packed(each)] for key, each in dict.items(value))]
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
        array = _array(*parts)
        return array if kind == "array" else array.reshape(())[()]
    if not all(type(each) is str for each in parts):
        raise NotPlain(NO_ANSWER)
    if kind not in READ:
        raise NotPlain(NO_ANSWER)
    return READ[kind](*parts)


def _is_plain(elements: Any) -> bool:
    """Numbers or texts, or structures of them: [[name, kind], …]."""
    kinds = [elements] if type(elements) is str else [kind for _, kind in elements]
    return all(type(each) is str and ELEMENTS.fullmatch(each) for each in kinds)


def _array(elements: Any, shape: list[int], strides: list[int], text: str) -> Any:
    """An array of its own memory: a part of a larger one lies as far apart as it did there."""
    octets = base64.b64decode(text, validate=True)
    sizes = all(type(n) is int for n in (*shape, *strides)) and all(n >= 0 for n in shape)
    if not _is_plain(elements) or not sizes:
        raise NotPlain(NO_ANSWER)
    dtype = np.dtype(elements if type(elements) is str else [*map(tuple, elements)])
    if dtype.itemsize * math.prod(shape) != len(octets):
        raise NotPlain(NO_ANSWER)
    values = np.frombuffer(octets, dtype).reshape(shape)
    reach = [(n - 1) * step for n, step in zip(shape, strides, strict=True)]
    before, behind = -sum(min(each, 0) for each in reach), sum(max(each, 0) for each in reach)
    if not values.size:
        return values.copy()
    if before + behind > MOST_BYTES:
        raise NotPlain("there is an array whose elements lie too far apart")
    memory = np.zeros(before + behind + dtype.itemsize, np.uint8)
    array: Any = np.ndarray(values.shape, dtype, memory, before, tuple(strides))
    array[...] = values
    return array


def read(text: str) -> dict[str, Any]:
    """A message of these forms: texts and lists by name. Raises `NotPlain`."""
    try:
        told = json.loads(text) if len(text) <= MOST else None
    except (ValueError, RecursionError, MemoryError):
        told = None
    if type(told) is not dict:
        raise NotPlain(NO_ANSWER)
    return told
