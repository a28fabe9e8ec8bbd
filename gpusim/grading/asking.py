"""What stands for a function of the reader's where its answers are checked? One that asks another process.

The checks of a class run in an interpreter that runs nothing of a student's Python: it has their kernels, as
text, and plain values. A function is called elsewhere (answering.py), and its answer is read as a letter from
a stranger is (wire.py). Who grades carries it: to ask is Python's own `input`.
"""

from __future__ import annotations

import base64
import inspect
import io
import pickle
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, MappingProxyType
from typing import Any

import numpy as np

from gpusim.cuda.dispatcher import DeviceFunction, Kernel
from gpusim.grading.errands import Again
from gpusim.grading.failing import CheckFailed
from gpusim.grading.wire import NotPlain, read, unpacked
from gpusim.runtime import settings
from gpusim.runtime.host_memory import PinnedNDArray
from gpusim.runtime.launching import Launchable


class _Request(pickle.Pickler):
    """Only who asks is trusted: so a request may be a pickle, and an answer never is."""

    def persistent_id(self, each: Any) -> Any:
        if isinstance(each, Kernel):
            return "kernel", each.__name__, inspect.getsource(each.py_func)
        if isinstance(each, PinnedNDArray):
            return "pinned", np.asarray(each).copy()  # so that nobody is told of a read
        if isinstance(each, MappingProxyType):  # in a device's figures
            return "table", dict(each)
        return None


def ask(name: str, calls: Sequence[Sequence[Any]], *, launches: bool = False) -> dict[str, Any]:
    """What does the function of this name answer to each of these calls? Raises `CheckFailed`.

    `launches`: it is host code, which is called once, and may ask for launches on the device in force.
    """
    written = io.BytesIO()
    _Request(written).dump((name, calls, settings.current().device if launches else None))
    try:
        return read(input(base64.b64encode(written.getvalue()).decode()))
    except NotPlain as error:
        raise CheckFailed(f"{name}: {error}") from None


def answers(name: str, calls: Sequence[Sequence[Any]]) -> list[Any]:
    """An answer to each of these calls. Raises `CheckFailed`."""
    told = ask(name, calls)
    _check(told)
    values = told.get("values")
    if type(values) is not list or len(values) != len(calls):
        raise CheckFailed(f"{name} has no answer")
    try:
        return [unpacked(each) for each in values]
    except NotPlain as error:
        raise CheckFailed(f"{name} answers with no plain value: {error}") from None


def _check(told: dict[str, Any]) -> None:
    if failed := told.get("failed"):
        raise CheckFailed(str(failed)[:2000], str(told.get("line", ""))[:200])


def stand_in(name: str, names: Mapping[str, Any]) -> Callable[..., None]:
    """Called by itself it is host code: what it asks of the GPU is done here, with the arrays it is given."""

    def asks(*arguments: Any) -> None:
        kernels = {each.__name__: each for each in arguments if isinstance(each, Launchable)}
        told = ask(name, [arguments], launches=True)
        try:
            Again(arguments, {**names, **kernels}).do(told.get("steps"))
        except NotPlain as error:
            raise CheckFailed(f"{name}: {error}") from None
        _check(told)

    asks.__name__ = asks.__qualname__ = name
    vars(asks)["asked"] = name
    return asks


def instead_of(names: dict[str, Any], name: str) -> Any:
    """What this name stands for in `names` where it is checked: the kernel that it is, or who asks for it.

    A kernel that calls a function is made of its text all the same.
    """
    value = names.get(name)
    function = value.py_func if isinstance(value, DeviceFunction) else value
    if isinstance(function, Launchable):
        return value
    asks = stand_in(name, names)
    if isinstance(function, FunctionType):
        vars(asks)["__wrapped__"] = function
    return DeviceFunction(asks, value.options, value._declared) if isinstance(value, DeviceFunction) else asks
