"""What may stand between the parentheses of a launch? Arrays of host and device, numbers, tuples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpusim.cuda.signatures import ArgumentType
from gpusim.errors import KernelTypeError
from gpusim.frontends import python_types
from gpusim.ir.types import Scalar
from gpusim.machine.address_space import UNINITIALISED_BYTE
from gpusim.runtime.device_array import DeviceNDArray, elements


@dataclass(frozen=True)
class In:
    """An argument that is copied to the device only: what the kernel writes to it is lost."""

    value: Any


@dataclass(frozen=True)
class InOut:
    """An argument that is copied both ways, which is what a bare array is, too."""

    value: Any


@dataclass(frozen=True)
class Out:
    """An argument that is copied back only: to the kernel its elements are undefined."""

    value: Any


def on_device(arguments: tuple[Any, ...]) -> tuple[list[Any], Callable[[], None]]:
    """The arguments as the device sees them, and what copies results back.

    Host arrays are used in place: the copies that a GPU makes before and after cannot be told from that.
    """
    passed: list[Any] = []
    results: list[tuple[Any, Any]] = []
    for argument in arguments:
        value = argument.value if isinstance(argument, In | InOut | Out) else argument
        given = _array(value)
        if isinstance(argument, In | Out) and isinstance(value, np.ndarray):
            given = given.copy(order="K")
        if isinstance(argument, Out) and isinstance(value, np.ndarray):
            given.ravel(order="K").view(np.uint8).fill(UNINITIALISED_BYTE)
            results.append((value, given))
        passed.append(given)

    def copy_back() -> None:
        for host, device in results:
            host[...] = device

    return passed, copy_back


def _array(value: Any) -> Any:
    """Arrays in any guise as plain NumPy arrays of the same memory; all else as it is."""
    if isinstance(value, DeviceNDArray):
        return elements(value)
    if isinstance(value, tuple):
        return tuple(_array(part) for part in value)
    return np.asarray(value) if isinstance(value, np.ndarray | np.void) else value


def type_of(kernel: str, position: str, argument: Any) -> ArgumentType:
    """The type that the compiler sees. Raises `KernelTypeError` for what a kernel cannot take."""
    if argument is None:
        return None
    if isinstance(argument, tuple):
        return tuple(type_of(kernel, f"{position}[{place}]", part) for place, part in enumerate(argument))
    if isinstance(argument, np.ndarray):
        array = python_types.array_of(argument)
        if array is None:
            raise KernelTypeError(
                f"argument {position} of {kernel} is an array of {argument.dtype}; convert it, "
                "for example with .astype(np.float32)"
            )
        return array
    type_ = python_types.of_constant(argument)
    if type_ is None:
        raise KernelTypeError(
            f"argument {position} of {kernel} is a {type(argument).__name__}; kernels take NumPy and device "
            "arrays, numbers, and tuples of these"
        )
    return type_


def flat(types: ArgumentType, arguments: Any) -> Iterator[Any]:
    """The arguments one by one, those in tuples, too; numbers converted to the type that was declared."""
    for type_, argument in zip(types, arguments, strict=True):
        if isinstance(type_, tuple):
            yield from flat(type_, argument)
        elif type_ is None:
            continue
        elif isinstance(type_, Scalar) and isinstance(argument, bool | int | float | complex | np.generic):
            with np.errstate(all="ignore"):
                yield np.asarray(argument).astype(type_.dtype)[()]
        else:
            yield argument
