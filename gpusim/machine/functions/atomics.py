"""What do many lanes leave behind when each changes memory in turn? Exactly what one after the other would.

N lanes in order; positions: int64 (N,), values: a list of (N,) of the array's type, one for most operations
and two (compare, new) for compare-and-swap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.ir.instructions import Opcode

Values = Sequence[npt.NDArray[Any]]


def increment(old: Any, limit: Any) -> Any:
    """One more, or 0 from `limit` on."""
    return np.where(old >= limit, 0, old + 1).astype(old.dtype)


def decrement(old: Any, limit: Any) -> Any:
    """One less; from 0, or from above `limit`, it becomes `limit`."""
    return np.where((old == 0) | (old > limit), limit, old - 1).astype(old.dtype)


def exchange(_old: Any, new: Any) -> Any:
    """The new value."""
    return new


def compare_and_swap(old: Any, compare: Any, new: Any) -> Any:
    """The new value where the old one is what it is compared with."""
    return np.where(old == compare, new, old)


OPERATIONS: dict[Opcode, Callable[..., Any]] = {
    Opcode.ATOMIC_ADD: np.add,
    Opcode.ATOMIC_SUB: np.subtract,
    Opcode.ATOMIC_AND: np.bitwise_and,
    Opcode.ATOMIC_OR: np.bitwise_or,
    Opcode.ATOMIC_XOR: np.bitwise_xor,
    Opcode.ATOMIC_MIN: np.minimum,
    Opcode.ATOMIC_MAX: np.maximum,
    Opcode.ATOMIC_NANMIN: np.fmin,
    Opcode.ATOMIC_NANMAX: np.fmax,
    Opcode.ATOMIC_INC: increment,
    Opcode.ATOMIC_DEC: decrement,
    Opcode.ATOMIC_EXCHANGE: exchange,
    Opcode.ATOMIC_CAS: compare_and_swap,
}
# what a NaN is taken as: Numba's max and min change nothing then (numba/cuda/cudadrv/nvvm.py)
NEUTRAL = {Opcode.ATOMIC_MIN: np.inf, Opcode.ATOMIC_MAX: -np.inf}


def effective(values: Values, opcode: Opcode) -> Values:
    """The lanes' values as the operation takes them: max() of 3 and NaN stays 3. Only memory stays NaN."""
    if opcode not in NEUTRAL or values[0].dtype.kind != "f":
        return values
    return [np.where(np.isnan(value), NEUTRAL[opcode], value).astype(value.dtype) for value in values]


def update(flat: npt.NDArray[Any], positions: npt.NDArray[np.int64], values: Values, opcode: Opcode) -> None:
    """Apply the operation lane by lane, where nobody asks for the old values."""
    operation = OPERATIONS[opcode]
    if isinstance(operation, np.ufunc):
        values = effective(values, opcode)
        operation.at(flat, positions, *values)
    else:
        fetch_and_update(flat, positions, values, opcode)


def fetch_and_update(
    flat: npt.NDArray[Any], positions: npt.NDArray[np.int64], values: Values, opcode: Opcode
) -> npt.NDArray[Any]:
    """The same, with what each lane found: memory after the lanes before it on that element.

    Four lanes that add 1 to a zero find 0, 1, 2, 3.
    """
    operation, values = OPERATIONS[opcode], effective(values, opcode)
    order = positions.argsort(kind="stable")
    sorted_positions = positions[order]
    starts = np.flatnonzero(sorted_positions[1:] != sorted_positions[:-1]) + 1
    if len(starts) + 1 == len(positions):  # every lane has an element of its own
        before = flat[positions]
        flat[positions] = operation(before, *values)
        return before
    sorted_values = [value[order] for value in values]
    starts, ends = np.append(0, starts), np.append(starts, len(positions))
    lengths = ends - starts
    found = np.empty(len(positions), flat.dtype)
    if not isinstance(operation, np.ufunc) or lengths.max(initial=0) <= len(starts):
        # few lanes an element: take the first lane of every element, then the second, …
        for rank in range(int(lengths.max(initial=0))):
            now = starts[lengths > rank] + rank
            where = sorted_positions[now]
            found[now] = flat[where]
            flat[where] = operation(found[now], *(value[now] for value in sorted_values))
    else:
        # few elements, many lanes: accumulate() goes through one element's lanes in order
        for start, length in zip(starts, lengths, strict=True):
            where = sorted_positions[start]
            chain = np.r_[flat[where : where + 1], sorted_values[0][start : start + length]]
            results = operation.accumulate(chain, dtype=flat.dtype)
            found[start : start + length] = results[:-1]
            flat[where] = results[-1]
    before = np.empty_like(found)
    before[order] = found
    return before
