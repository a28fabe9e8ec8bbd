"""Which memory of the host can the device use? Pinned, mapped and managed arrays, as in Numba.

Pinned memory makes copies fast on a GPU, and lets the host go on meanwhile. Mapped and managed memory is seen
by both sides, without copying: a kernel's results stand in the array.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.errors import ArrayError
from gpusim.machine.memory.address_space import Allocation
from gpusim.runtime import settings
from gpusim.runtime.device_array import DeviceNDArray, device_array, device_array_like, elements, unwritten
from gpusim.runtime.pieces import is_pinned, pin, unpin
from gpusim.runtime.streams import checked
from gpusim.runtime.watched import WatchedNDArray

AnyArray = npt.NDArray[Any]


class SharedNDArray(WatchedNDArray):
    """A NumPy array whose memory host and device share; `gpu_data` is the allocation, which views share."""

    gpu_data: Allocation | None

    def __array_finalize__(self, parent: Any) -> None:
        of_parent = getattr(parent, "gpu_data", None)
        # a result of arithmetic is new memory of the host
        shared = of_parent is not None and settings.memory().holding(self.view(np.ndarray)) is of_parent
        self.gpu_data = of_parent if shared else None

    @property
    def watched(self) -> bool:
        return self.gpu_data is not None


class PinnedNDArray(WatchedNDArray):
    """Page-locked memory of the host."""

    @property
    def watched(self) -> bool:
        return is_pinned(self)

    def __repr__(self) -> str:
        return repr(np.asarray(self.copy()))


class MappedNDArray(SharedNDArray):
    """Memory of the host, mapped into the device's address space."""


class ManagedNDArray(SharedNDArray):
    """Managed memory, which moves to where it is used."""


def _shared(kind: type[SharedNDArray], array: DeviceNDArray) -> Any:
    shared = elements(array).view(kind)
    shared.gpu_data = array.gpu_data
    array.gpu_data.written = None  # the host writes as it likes
    return shared


def mapped_array(
    shape: Any,
    dtype: Any = np.float64,
    strides: Any = None,
    order: str = "C",
    stream: Any = 0,
    portable: bool = False,
    wc: bool = False,
) -> Any:
    """A new array that host and device both see. `portable` and `wc` (caching) make no difference here."""
    return _shared(MappedNDArray, device_array(shape, dtype, strides, order, stream))


def mapped_array_like(ary: Any, stream: Any = 0, portable: bool = False, wc: bool = False) -> Any:
    """A new mapped array of this shape, type and order."""
    return _shared(MappedNDArray, device_array_like(ary, stream))


def managed_array(
    shape: Any,
    dtype: Any = np.float64,
    strides: Any = None,
    order: str = "C",
    stream: Any = 0,
    attach_global: bool = True,
) -> Any:
    """A new array that host and device both see. Whom it is attached to makes no difference here."""
    return _shared(ManagedNDArray, device_array(shape, dtype, strides, order, stream))


def managed_view(array: DeviceNDArray) -> Any:
    """The managed array in this memory: a `__managed__` variable of CUDA C++."""
    return _shared(ManagedNDArray, array)


def pinned_array(shape: Any, dtype: Any = np.float64, strides: Any = None, order: str = "C") -> AnyArray:
    """A new array of the host, page-locked on a GPU's host. What it holds is undefined."""
    array = unwritten(shape, dtype, strides, order)
    pin(array)
    return array.view(PinnedNDArray)


def pinned_array_like(ary: Any) -> AnyArray:
    """A new pinned array of this shape, type and order."""
    like = np.empty_like(elements(ary) if isinstance(ary, DeviceNDArray) else ary, subok=False)
    return pinned_array(like.shape, like.dtype, like.strides)


@contextmanager
def pinned(*arylist: AnyArray) -> Iterator[None]:
    """Page-lock arrays of the host for a `with` block."""
    for array in arylist:
        _bytes(array)
    new = [array for array in arylist if not is_pinned(array)]
    for array in new:
        pin(array)
    try:
        yield
    finally:
        for array in new:
            unpin(array)


@contextmanager
def mapped(*arylist: AnyArray, stream: Any = 0) -> Iterator[Any]:
    """Let the device see arrays of the host for a `with` block: `with cuda.mapped(x) as on_device:`.

    After the block the arrays it gave mean no memory any more.
    """
    checked(stream)
    allocations = [settings.memory().adopt(octets) for octets in [_bytes(array) for array in arylist]]
    arrays = [
        DeviceNDArray(array, allocation, stream)
        for array, allocation in zip(arylist, allocations, strict=True)
    ]
    try:
        yield arrays[0] if len(arrays) == 1 else arrays
    finally:
        for allocation in allocations:
            if allocation.live:
                allocation.free()


def _bytes(array: AnyArray) -> npt.NDArray[np.uint8]:
    if not isinstance(array, np.ndarray) or not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise ArrayError("only a contiguous NumPy array can be pinned or mapped")
    flat: npt.NDArray[np.uint8] = array.ravel(order="K").view(np.uint8)
    return flat
