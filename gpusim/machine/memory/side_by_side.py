"""Can grids of one kernel run side by side? If one allocation holds a parameter's arrays of all of them.

M grids, a parameter has A axes. Places are in bytes, counted from the allocation's first: int64 (M,).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gpusim.ir.instructions import ArrayOperand
from gpusim.machine.configuration import Configuration
from gpusim.machine.memory.address_space import AddressSpace, Allocation
from gpusim.machine.memory.per_warp import Fields

Numbers = npt.NDArray[np.int64]


class Places(NamedTuple):
    """Where one parameter's arrays lie: element [0, …, 0] at `first`, their bytes from `low` to `high`.

    `shape` and `strides_bytes` are int64 (A, M).
    """

    allocation: Allocation
    first: Numbers
    low: Numbers
    high: Numbers
    shape: Numbers
    strides_bytes: Numbers

    def fields(self, operand: ArrayOperand) -> Fields:
        """What the memory of the allocation is to each grid. A pointer may go anywhere in it."""
        if operand.pointer:
            room = (len(self.allocation.data) - self.first) // operand.element.bytes
            return {"origin_bytes": self.first, "shape": (room,)}
        return {
            "origin_bytes": self.first,
            "region": (self.low, self.high - self.low),
            "shape": tuple(self.shape),
            "strides_bytes": tuple(self.strides_bytes),
        }


def shared_places(
    configurations: Sequence[Configuration], memory: AddressSpace
) -> dict[ArrayOperand, Places] | None:
    """Where the arrays of launches of one kind lie; None if they cannot run side by side."""
    first, found = configurations[0], dict[ArrayOperand, Places]()
    for number, operand in enumerate(first.function.parameters):
        if isinstance(operand, ArrayOperand) and first.arguments[number] is not None:
            places = _in_one([one.arguments[number] for one in configurations], memory.live())
            if places is None:
                return None
            found[operand] = places
    return found


def _in_one(arrays: Sequence[npt.NDArray[Any]], live: Sequence[Allocation]) -> Places | None:
    """The places of arrays that one allocation holds; one without elements is nowhere."""
    count, axes = len(arrays), arrays[0].ndim
    first = np.fromiter((array.__array_interface__["data"][0] for array in arrays), np.int64, count)
    shape = np.array([array.shape for array in arrays], np.int64).reshape(count, axes).T
    strides = np.array([array.strides for array in arrays], np.int64).reshape(count, axes).T
    reach = (shape - 1) * strides
    low = first + np.minimum(reach, 0).sum(axis=0)
    high = first + np.maximum(reach, 0).sum(axis=0) + arrays[0].itemsize
    for allocation in live if shape.all() else ():
        begin = allocation.host_address
        if begin <= low.min() and high.max() <= begin + len(allocation.data):
            return Places(allocation, first - begin, low - begin, high - begin, shape, strides)
    return None
