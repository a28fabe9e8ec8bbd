"""What did each parameter of a grid get, in words that show where in its parent's arrays it lies?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.ir.instructions import ArrayOperand
from gpusim.machine.configuration import Configuration
from gpusim.tree_events import Argument

AnyArray = npt.NDArray[Any]


def arguments_of(of: Configuration, parent: Configuration | None) -> tuple[Argument, ...]:
    """Those of a launch: numbers, and arrays as parts of those that the parent got."""
    theirs = [] if parent is None else list(_arrays(parent))
    return tuple(
        _array(parameter, given, theirs)
        if isinstance(parameter, ArrayOperand)
        else Argument(parameter.name or "", given.dtype.name, str(given))
        for parameter, given in zip(of.function.parameters, of.arguments, strict=True)
    )


def _arrays(of: Configuration) -> Iterator[tuple[ArrayOperand, AnyArray]]:
    for parameter, given in zip(of.function.parameters, of.arguments, strict=True):
        if isinstance(parameter, ArrayOperand) and given is not None:
            yield parameter, given


def _array(
    parameter: ArrayOperand, given: AnyArray | None, theirs: list[tuple[ArrayOperand, AnyArray]]
) -> Argument:
    dtype = parameter.element.dtype
    if given is None:
        return Argument(parameter.name, f"{dtype}*", "null")
    shape = "*" if parameter.pointer else f"[{', '.join(map(str, given.shape))}]"
    name = dtype.name if dtype.names is None else "record"
    address = given.__array_interface__["data"][0]
    for whose, array in sorted(theirs, key=lambda their: their[0].name != parameter.name):
        low, high = np.lib.array_utils.byte_bounds(array)
        if given.size and low <= address < high:
            return Argument(parameter.name, name + shape, _part(whose, array, address))
    return Argument(parameter.name, name + shape, "")


def _part(whose: ArrayOperand, array: AnyArray, address: int) -> str:
    """`x`, `x + 32`, `m[2, 0]`: where in an array something begins."""
    rest, width = address - array.__array_interface__["data"][0], whose.element.bytes
    if not rest:
        return whose.name
    if rest < 0:
        return f"a part of {whose.name}"
    if whose.pointer or array.ndim < 2 or min(array.strides) <= 0:
        return f"{whose.name} + {rest // width}" if not rest % width else f"{whose.name} + {rest} bytes"
    index = [0] * array.ndim
    for axis in sorted(range(array.ndim), key=lambda axis: -array.strides[axis]):
        index[axis], rest = divmod(rest, array.strides[axis])
    return f"{whose.name}[{', '.join(map(str, index))}]"
