"""What may stand between the parentheses of a launch? Arrays of host and device, numbers, tuples."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, Flag
from typing import Any

import numpy as np

from gpusim.cuda.signatures import ArgumentType
from gpusim.errors import KernelTypeError, kind_of
from gpusim.frontends.python.types import array_of, of_constant
from gpusim.frontends.python.values import Typed
from gpusim.ir.types import S64, Scalar


def type_of(kernel: str, position: str, argument: Any) -> ArgumentType:
    """The type that the compiler sees. Raises `KernelTypeError` for what a kernel cannot take."""
    if argument is None:
        return None
    if isinstance(argument, tuple):
        types = tuple(type_of(kernel, f"{position}[{place}]", part) for place, part in enumerate(argument))
        return Typed(types, type(argument)) if hasattr(argument, "_fields") else types
    if isinstance(argument, np.ndarray):
        array = array_of(argument)
        if array is None:
            raise KernelTypeError(
                f"argument {position} of {kernel} is an array of {argument.dtype}; convert it, "
                "for example with .astype(np.float32)"
            )
        return array
    type_ = of_constant(argument)
    if type_ is None and isinstance(argument, Enum) and not isinstance(argument, Flag):
        return Typed([S64], type(argument))
    if type_ is None:
        raise KernelTypeError(
            f"argument {position} of {kernel} is {kind_of(argument)}; kernels take NumPy and device "
            "arrays, numbers, and tuples of these"
        )
    return type_


def flat(types: ArgumentType, arguments: Any) -> Iterator[Any]:
    """The arguments one by one, those in tuples, too; numbers converted to the type that was declared."""
    for type_, argument in zip(types, arguments, strict=True):
        if isinstance(argument, Enum) and isinstance(type_, Typed):
            yield np.int64(list(type_.type).index(argument))
        elif isinstance(type_, tuple):
            yield from flat(type_, argument)
        elif type_ is None:
            continue
        elif isinstance(type_, Scalar) and isinstance(argument, bool | int | float | complex | np.generic):
            with np.errstate(all="ignore"):
                yield np.asarray(argument).astype(type_.dtype)[()]
        else:
            yield argument
