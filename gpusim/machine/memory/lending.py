"""Where is an array of the host, to kernels that hand on its address? In device memory, for a while."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpusim.machine.memory.address_space import AddressSpace, Allocation, AnyArray, merged


def lend(arrays: Iterable[AnyArray], memory: AddressSpace) -> list[Allocation]:
    """Those that lie in no allocation, as allocations without a copy; those that overlap as one."""
    bounds: list[tuple[int, int]] = []
    known: list[tuple[int, AnyArray]] = []
    for array in arrays:
        low, high = map(int, np.lib.array_utils.byte_bounds(array))
        if array.size and memory.holding(array) is None:
            bounds.append((low, high))
            known.append((low, array))
    lent = []
    for low, high in merged(bounds):
        first = next(array for begin, array in known if begin == low)
        forward = tuple(slice(None, None, -1 if stride < 0 else 1) for stride in first.strides)
        head = np.lib.stride_tricks.as_strided(
            first[forward], (1,) * max(first.ndim, 1), (0,) * max(first.ndim, 1)
        )
        inside = [array for begin, array in known if low <= begin < high]
        octets = np.lib.stride_tricks.as_strided(
            head.reshape(-1)[:1].view(np.uint8),
            (high - low,),
            (1,),
            writeable=all(array.flags.writeable for array in inside),
        )
        lent.append(memory.lend(octets))
    return lent
