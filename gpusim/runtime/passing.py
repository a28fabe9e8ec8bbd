"""How do arrays come to a kernel and back? In place; or as copies, where `In` and `Out` say so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpusim.machine.memory.address_space import UNINITIALISED_BYTE, AnyArray
from gpusim.runtime.device_array import DeviceNDArray, elements


@dataclass(frozen=True)
class ArgHint:
    """How an argument goes to the device and back: `In`, `Out` or `InOut`."""

    value: Any


class In(ArgHint):
    """An argument that is copied to the device only: what the kernel writes to it is lost."""


class InOut(ArgHint):
    """An argument that is copied both ways, which is what a bare array is, too."""


class Out(ArgHint):
    """An argument that is copied back only: to the kernel its elements are undefined."""


def wrap_arg(value: Any, default: type[ArgHint] = InOut) -> ArgHint:
    """The value as it says itself, or else by default."""
    return value if isinstance(value, ArgHint) else default(value)


def on_device(arguments: tuple[Any, ...]) -> tuple[list[Any], Callable[[], None]]:
    """The arguments as the device sees them, and what copies results back.

    Host arrays are used in place: the copies that a GPU makes before and after cannot be told from that.
    """
    passed: list[Any] = []
    results: list[tuple[Any, Any]] = []
    for argument in arguments:
        value = argument.value if isinstance(argument, ArgHint) else argument
        if isinstance(argument, In | Out):
            value = _apart(value, results if isinstance(argument, Out) else None)
        passed.append(as_array(value))

    def copy_back() -> None:
        for host, device in results:
            host[...] = device

    return passed, copy_back


def _apart(value: Any, results: list[tuple[Any, Any]] | None) -> Any:
    """The same with copies for the host's arrays and records; undefined ones where `results` are noted."""
    if isinstance(value, tuple):
        return _of_parts(value, (_apart(part, results) for part in value))
    if not isinstance(value, np.ndarray | np.void):
        return value
    host = as_array(value)
    device = host.copy(order="K")
    if results is not None:
        device.ravel(order="K").view(np.uint8).fill(UNINITIALISED_BYTE)
        results.append((host, device))
    return device


def as_array(value: Any) -> Any:
    """Arrays in any guise as plain NumPy arrays of the same memory; all else as it is."""
    if isinstance(value, DeviceNDArray):
        return elements(value)
    if isinstance(value, tuple):
        return _of_parts(value, map(as_array, value))
    return np.asarray(value) if isinstance(value, np.ndarray | np.void) else value


def _of_parts(value: tuple[Any, ...], parts: Iterable[Any]) -> tuple[Any, ...]:
    """A tuple of its kind, of other parts."""
    kind: Any = type(value)
    made: tuple[Any, ...] = kind._make(parts) if hasattr(kind, "_make") else tuple(parts)
    return made


def copied(value: Any, into: bool = True, back: bool = True) -> Iterator[tuple[AnyArray, bool, bool]]:
    """Which arrays of the host does a GPU copy for this argument: to the device before, and back after?"""
    if isinstance(value, ArgHint):
        value, into, back = value.value, not isinstance(value, Out), not isinstance(value, In)
    if isinstance(value, tuple):
        for part in value:
            yield from copied(part, into, back)
    elif isinstance(value, np.ndarray) and getattr(value, "gpu_data", None) is None:
        yield np.asarray(value), into, back
