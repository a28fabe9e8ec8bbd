"""Which of these names hold plain values now? It runs in the student's kernel and hands their text out.

A plain value is a number, a text, None, or a tuple, list, set, dict or array of such. A namedtuple is a
tuple, and what `collections` makes of a dict is one. Nothing else leaves the kernel, and who reads it takes
it for literals only.
"""

from __future__ import annotations

import math
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

DICTS = (dict, Counter, OrderedDict, defaultdict)
MOST = 200_000  # characters of a value; no answer needs as many


def text_of(value: Any) -> str:
    """The value as a literal; raises TypeError where it is no plain value."""
    kind = type(value)
    if kind in (int, bool, str, bytes, type(None), complex):
        return repr(value)
    if kind is float:
        if not math.isfinite(value):
            raise TypeError
        return repr(value)
    if kind.__module__ == "numpy" and hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        return text_of(value.item())
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return text_of((*tuple.__iter__(value),))
    if kind in (tuple, list):
        inner = ", ".join(map(text_of, value))
        return f"[{inner}]" if kind is list else f"({inner}{',' if len(value) == 1 else ''})"
    if kind is set and value:
        return "{" + ", ".join(map(text_of, value)) + "}"
    if kind in DICTS:
        return "{" + ", ".join(f"{text_of(key)}: {text_of(each)}" for key, each in value.items()) + "}"
    raise TypeError


def plain(names: Mapping[str, object], wanted: Iterable[str]) -> dict[str, tuple[str, str]]:
    """{name: (kind of NumPy's numbers, "dict" for more than one, or "", and a literal)} of what is plain."""
    found = {}
    for name in wanted:
        if name in names:
            value: Any = names[name]
            kind = "dict" if type(value) in DICTS[1:] else ""
            try:
                numbers = type(value).__module__ == "numpy" and getattr(value, "size", MOST) < MOST
                if numbers and (value.ndim or value.dtype.kind in "biuf"):
                    kind = value.dtype.str if value.dtype.kind in "biuf" else "?"
                    value = value.tolist()
                text = text_of(value)
            except Exception:
                continue
            if len(text) < MOST and kind != "?":
                found[name] = (kind, text)
    return found
