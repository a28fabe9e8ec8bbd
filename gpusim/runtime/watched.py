"""When does the host read or write memory that the device reaches by itself? An array of NumPy that tells.

Elements, arithmetic, and the methods and functions in the tables below are seen; a part is only read when
its elements are. What NumPy's C code does with a plain view (`np.asarray(x)`), nobody sees.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpusim.runtime.streams import note_host_access
from gpusim.whole import is_whole

READS = (
    "tolist", "tobytes", "item", "copy", "astype", "dot", "cumsum", "argmax", "argmin", "argsort", "take",
    "flatten", "nonzero", "__float__", "__int__", "__complex__", "__index__", "__bool__", "__format__",
    "__copy__", "__deepcopy__", "repeat", "searchsorted", "compress",
)  # fmt: skip
WRITES = ("fill", "sort", "put", "partition")
FUNCTIONS: tuple[Callable[..., Any], ...] = (
    np.array_equal, np.concatenate, np.copy, np.dot, np.vdot, np.where, np.array_repr, np.array_str,
    np.count_nonzero, np.einsum, np.histogram, np.roll,
)  # fmt: skip


class WatchedNDArray(np.ndarray[Any, Any]):
    """Its elements' reads and writes by the host are noted while it is `watched`."""

    @property
    def watched(self) -> bool:
        """Is this such memory? A result of arithmetic is not."""
        return False

    def __getitem__(self, item: Any) -> Any:
        part = super().__getitem__(item)
        if not isinstance(part, WatchedNDArray) or not part.watched:  # an element, or a copy of some
            _note("load", self, item)
        return part

    def __setitem__(self, item: Any, value: Any) -> None:
        super().__setitem__(item, value)
        _note("store", self, item)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = (), **keywords: Any) -> Any:
        for array in inputs:
            _note("load", array)
        _note("load", keywords.get("where"))
        keywords = {name: _plain(value) for name, value in keywords.items()}
        results = {"out": tuple(map(_plain, out))} if out else {}
        result = getattr(ufunc, method)(*map(_plain, inputs), **results, **keywords)
        for array in (*out, *(inputs[:1] if method == "at" else ())):
            _note("store", array)
        found = result if isinstance(result, tuple) else (result,)
        given = tuple(a if b is None else b for a, b in zip(found, out, strict=True)) if out else found
        return given[0] if len(given) == 1 else given

    def __array_function__(self, func: Any, types: Any, arguments: Any, keywords: Any) -> Any:
        if func in FUNCTIONS:
            for array in arguments[0] if arguments and isinstance(arguments[0], list | tuple) else arguments:
                _note("load", array)
        result = super().__array_function__(func, types, arguments, keywords)
        if func is np.copyto:
            _note("store", arguments[0])
            _note("load", arguments[1])
        return result


def _method(kind: str, name: str) -> Callable[..., Any]:
    plain = getattr(np.ndarray, name)

    def method(self: WatchedNDArray, *arguments: Any, **keywords: Any) -> Any:
        _note(kind, self)
        return plain(self, *arguments, **keywords)

    method.__name__, method.__doc__ = name, plain.__doc__
    return method


for _kind, _names in (("load", READS), ("store", WRITES)):
    for _name in _names:
        setattr(WatchedNDArray, _name, _method(_kind, _name))


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, WatchedNDArray) else value


def _note(kind: str, array: Any, item: Any = ()) -> None:
    """An access to the part of an array that an index means: where it is no slice, to all of it."""
    if isinstance(array, WatchedNDArray) and array.watched:
        index = item if isinstance(item, tuple) else (item,)
        basic = all(isinstance(one, slice) or is_whole(one) for one in index)
        note_host_access(kind, np.asarray(array)[(*index, ...)] if basic else np.asarray(array))
