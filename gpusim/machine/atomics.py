"""What do many lanes leave behind when each adds to memory in turn? Exactly what one after the other would.

N lanes in order; positions: int64 (N,), values: (N,) of the array's type.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.ir.instructions import Opcode

OPERATIONS: dict[Opcode, np.ufunc] = {Opcode.ATOMIC_ADD: np.add}


def update(
    flat: npt.NDArray[Any], positions: npt.NDArray[np.int64], values: npt.NDArray[Any], opcode: Opcode
) -> None:
    """Apply the operation lane by lane, where nobody asks for the old values."""
    OPERATIONS[opcode].at(flat, positions, values)


def fetch_and_update(
    flat: npt.NDArray[Any], positions: npt.NDArray[np.int64], values: npt.NDArray[Any], opcode: Opcode
) -> npt.NDArray[Any]:
    """The same, with what each lane found: memory and the values of the lanes before it on that element.

    Four lanes that add 1 to a zero find 0, 1, 2, 3.
    """
    operation = OPERATIONS[opcode]
    order = np.argsort(positions, kind="stable")
    sorted_positions, sorted_values = positions[order], values[order]
    starts = np.flatnonzero(np.r_[True, sorted_positions[1:] != sorted_positions[:-1]])
    lengths = np.diff(np.r_[starts, len(positions)])
    found = np.empty_like(sorted_values)
    if lengths.max(initial=0) <= len(starts):
        # few lanes an element: take the first lane of every element, then the second, …
        for rank in range(int(lengths.max(initial=0))):
            now = starts[lengths > rank] + rank
            where = sorted_positions[now]
            found[now] = flat[where]
            flat[where] = operation(found[now], sorted_values[now])
    else:
        # few elements, many lanes: accumulate() goes through one element's lanes in order
        for start, length in zip(starts, lengths, strict=True):
            where = sorted_positions[start]
            chain = np.r_[flat[where : where + 1], sorted_values[start : start + length]]
            results = operation.accumulate(chain, dtype=flat.dtype)
            found[start : start + length] = results[:-1]
            flat[where] = results[-1]
    before = np.empty_like(found)
    before[order] = found
    return before
