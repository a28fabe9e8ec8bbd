"""What is in the device's memory? Arrays that the host sees only by copying, as in Numba.

>>> import numpy as np
>>> host = np.arange(4)
>>> device = to_device(host)
>>> host[0] = 100
>>> device.copy_to_host()
array([0, 1, 2, 3])
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Iterator
from types import EllipsisType
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.errors import ArrayError, NotOffered, UseAfterFree, kind_of
from gpusim.machine.memory.address_space import UNINITIALISED_BYTE, Allocation
from gpusim.runtime import settings
from gpusim.runtime.laid_out import extents_of, spanned_bytes, strides_of
from gpusim.runtime.streams import Stream, checked, note_copy
from gpusim.whole import is_whole, whole

AnyArray = npt.NDArray[Any]
# a pointer of the simulated GPU has 64 bits; those of a browser's Python have 32
_POINTER = ctypes.c_void_p if ctypes.sizeof(ctypes.c_void_p) == 8 else ctypes.c_uint64
NOT_CONTIGUOUS = (
    "the array is not one piece of memory, and one piece is what a copy between host and device moves; "
    "pass np.ascontiguousarray(…), or copy the whole array and slice on the other side"
)


class DeviceNDArray:
    """An array in device memory. `gpu_data` is its allocation, which views share.

    Indices, slices, `reshape` and `view` give views, without copying; an index of one element copies it to
    the host. The memory is given back when the last view is gone.
    """

    def __init__(self, elements: AnyArray, gpu_data: Allocation, stream: Any = 0) -> None:
        self._elements, self.gpu_data, self.stream = elements, gpu_data, checked(stream)
        self.shape, self.strides = elements.shape, elements.strides
        self.ndim, self.size, self.nbytes = elements.ndim, elements.size, elements.nbytes
        self.dtype = elements.dtype  # the last: from here on, a record keeps its fields' names free

    def __repr__(self) -> str:
        return f"DeviceNDArray(shape={self.shape}, dtype={self.dtype})"

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without dimensions")
        return int(self.shape[0])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        """NumPy gets a copy on the host."""
        if copy is False:
            raise ArrayError("an array in device memory cannot be read on the host without a copy")
        return np.asarray(self.copy_to_host(), dtype)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        raise NotOffered(
            "simulated device memory has no address that another GPU library could use; call copy_to_host()"
        )

    @property
    def _numba_type_(self) -> Any:
        """What `numba.typeof(array)` says, where there is Numba."""
        numba = importlib.import_module("numba")
        layout = "C" if self.is_c_contiguous() else "F" if self.is_f_contiguous() else "A"
        return numba.types.Array(numba.from_dtype(self.dtype), self.ndim, layout)

    @property
    def device_ctypes_pointer(self) -> ctypes.c_void_p | ctypes.c_uint64:
        """The address of the first element; its `value` is what a pointer of C++ to it holds."""
        offset = self._elements.__array_interface__["data"][0] - self.gpu_data.host_address
        return _POINTER(self.gpu_data.address + offset)

    @property
    def alloc_size(self) -> int:
        """Bytes of the allocation, of which this may be a part."""
        return len(self.gpu_data.data)

    @property
    def flags(self) -> dict[str, bool]:
        """Is the array contiguous, in C's order or Fortran's?"""
        return {name: self._elements.flags[name] for name in ("C_CONTIGUOUS", "F_CONTIGUOUS")}

    def is_c_contiguous(self) -> bool:
        """Do elements follow each other with the last index counting fastest?"""
        return self._elements.flags.c_contiguous

    def is_f_contiguous(self) -> bool:
        """Do elements follow each other with the first index counting fastest?"""
        return self._elements.flags.f_contiguous

    # copies -----------------------------------------------------------------------------------------------

    def copy_to_host(self, ary: AnyArray | None = None, stream: Any = 0) -> AnyArray:
        """The elements as an array of the host: a new one, or `ary`, which must have the same layout."""
        stream = self._own(stream)
        if any(stride < 0 for stride in self.strides):
            raise ArrayError(f"an array with strides {self.strides} is not copied: they must not be negative")
        if ary is None:
            ary = np.empty_like(self._usable())
        elif not isinstance(ary, np.ndarray):
            raise ArrayError(f"copy_to_host fills an array such as np.empty(…), not {kind_of(ary)}")
        else:
            _check_fit(self._elements, ary)
        np.copyto(np.asarray(ary), self._usable())
        note_copy("copy_to_host", stream, self._elements, ary, "to host", waits=not stream)
        return ary

    def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
        """Overwrite the elements with those of an array of the host or of the device."""
        _check_contiguous(self._elements)
        if isinstance(ary, DeviceNDArray):
            _check_contiguous(ary._elements)
            source = ary._usable()
        else:
            source = np.asarray(ary)
        if source.dtype != self.dtype:
            raise ArrayError(f"an array of {source.dtype} does not fit into one of {self.dtype}")
        if source.squeeze().shape != self._elements.squeeze().shape:
            raise ArrayError(f"an array of shape {source.shape} does not fit into one of shape {self.shape}")
        self._copy_in("copy_to_device", self._elements, source.reshape(self.shape), ary, self._own(stream))

    def _own(self, stream: Any) -> Any:
        """The stream that was given, or the one that the array was made with."""
        return checked(stream) if isinstance(checked(stream), Stream) else self.stream

    def _usable(self) -> AnyArray:
        if not self.gpu_data.live:
            raise UseAfterFree("the memory of this device array was freed", hint="copy it to the host before")
        return self._elements

    def _write(self, target: AnyArray, values: Any) -> None:
        self._usable()
        target[...] = values
        self.gpu_data.note_written(target)

    def _copy_in(self, text: str, target: AnyArray, values: Any, given: Any, stream: Any) -> None:
        self._write(target, values)
        direction = "on device" if isinstance(given, DeviceNDArray) else "to device"
        source = values if isinstance(values, np.ndarray) and values.ndim else None
        note_copy(text, stream, source, target, direction, waits=not stream)

    def _fetched(self, element: AnyArray, stream: Any) -> Any:
        note_copy("element", stream, element, None, "to host")
        return element[()]

    # parts ------------------------------------------------------------------------------------------------

    def __getitem__(self, item: Any) -> Any:
        return self.getitem(item)

    def getitem(self, item: Any, stream: Any = 0) -> Any:
        """A view for slices; for an element, its value on the host, or a record that stays on the device."""
        stream, index = self._own(stream), _basic(item)
        part = self._usable()[index]
        if isinstance(part, np.void) and self.dtype.names:
            return DeviceRecord(self._elements[(*index, ...)], self.gpu_data, self.stream)
        if isinstance(part, np.ndarray):
            return self._like(part)
        return self._fetched(self._elements[(*index, ...)], stream)

    def __setitem__(self, item: Any, value: Any) -> None:
        self.setitem(item, value)

    def setitem(self, item: Any, value: Any, stream: Any = 0) -> None:
        """Overwrite a part with values of the host or of the device."""
        stream, index = self._own(stream), _basic(item)
        part = self._elements[(*index, ...) if Ellipsis not in index else index]
        values = value._usable() if isinstance(value, DeviceNDArray) else np.asarray(value)
        if values.ndim > part.ndim:
            raise ArrayError(f"{values.ndim} dimensions do not fit into {part.ndim}")
        self._copy_in("elements", part, values, value, stream)

    def _like(self, elements: AnyArray) -> DeviceNDArray:
        return DeviceNDArray(elements, self.gpu_data, self.stream)

    def bind(self, stream: Any = 0) -> DeviceNDArray:
        """The same array with another default stream."""
        return DeviceNDArray(self._elements, self.gpu_data, stream)

    def reshape(self, *newshape: Any, order: Any = "C") -> DeviceNDArray:
        """A view in another shape. Raises `ArrayError` where elements would have to move."""
        shape = newshape[0] if len(newshape) == 1 else newshape
        reshaped = self._usable().reshape(shape, order=order)
        if self.size and not np.shares_memory(reshaped, self._elements):
            raise ArrayError(f"a view of shape {shape} would need its elements in another order")
        return self._like(reshaped)

    def ravel(self, order: Any = "C", stream: Any = 0) -> DeviceNDArray:
        """A view of a contiguous array with one dimension."""
        checked(stream)
        return self.reshape(-1, order=order)

    def view(self, dtype: Any) -> DeviceNDArray:
        """The same bytes as elements of another type."""
        return self._like(self._usable().view(dtype))

    def squeeze(self, axis: Any = None, stream: Any = 0) -> DeviceNDArray:
        """A view without axes of length one."""
        checked(stream)
        return self._like(self._usable().squeeze(axis))

    @property
    def T(self) -> DeviceNDArray:
        """See `transpose`."""
        return self.transpose()

    def transpose(self, axes: Any = None) -> DeviceNDArray:
        """Rows for columns: a *new* array in C's order, of two dimensions only, as in Numba."""
        if axes is not None and tuple(axes) == tuple(range(self.ndim)):
            return self
        if self.ndim != 2 or (axes is not None and set(axes) != {0, 1}):
            raise ArrayError(f"{self.ndim} dimensions are not transposed on the device, only two")
        made = device_array(self.shape[::-1], self.dtype)
        made._copy_in("transpose", made._elements, self._usable().T, self, self.stream)
        return made

    def split(self, section: int, stream: Any = 0) -> Iterator[DeviceNDArray]:
        """Views of `section` elements each; the last may be shorter."""
        checked(stream)
        if self.ndim != 1 or not self.is_c_contiguous():
            raise ArrayError("only a contiguous array of one dimension is split")
        claim = "an array is split into sections of one element or more"
        length = whole(section, claim, least=1, error=ArrayError)
        return (self[begin : begin + length] for begin in range(0, self.size, length))


class DeviceRecord(DeviceNDArray):
    """One record of a device array, as in Numba: `points[3]["x"]` is read, and written, in device memory."""

    def getitem(self, item: Any, stream: Any = 0) -> Any:
        """A field's value on the host; an array within the record, or a record, stays on the device."""
        stream = self._own(stream)
        field = self._field(item)
        if field.dtype.names:
            return DeviceRecord(field, self.gpu_data, self.stream)
        return self._like(field) if field.ndim else self._fetched(field, stream)

    def setitem(self, item: Any, value: Any, stream: Any = 0) -> None:
        """Overwrite a field with a value of the host or of the device."""
        values = value._usable() if isinstance(value, DeviceNDArray) else value
        self._copy_in("elements", self._field(item), values, value, self._own(stream))

    def __setattr__(self, name: str, value: Any) -> None:
        fields = getattr(self, "dtype", np.dtype(float)).names or ()
        if name in fields:
            raise NotOffered(f"a record on the device has its fields as items: write record[{name!r}] = …")
        super().__setattr__(name, value)

    def _field(self, name: Any) -> AnyArray:
        fields = self.dtype.names or ()
        if name not in fields:
            raise ArrayError(f"a record has no field {name!r}; its fields are {', '.join(fields)}")
        field: AnyArray = self._usable()[name]
        return field


def elements(array: DeviceNDArray) -> AnyArray:
    """The array as the machine sees it."""
    return array._elements


def _basic(item: Any) -> tuple[Any, ...]:
    """Indices that give a view."""
    index = item if isinstance(item, tuple) else (item,)
    for part in index:
        if not isinstance(part, slice | EllipsisType) and not is_whole(part):
            raise ArrayError(f"a device array takes whole numbers, slices and `...` as indices, not {part!r}")
    return index


def _core(array: AnyArray) -> AnyArray:
    """The part of a broadcast array that lies in memory."""
    return array[(*(slice(0, 1) if stride == 0 else slice(None) for stride in array.strides), ...)]


def _check_contiguous(array: AnyArray) -> None:
    flags = _core(array).flags
    if not (flags.c_contiguous or flags.f_contiguous):
        raise ArrayError(NOT_CONTIGUOUS)


def _check_fit(device: AnyArray, host: AnyArray) -> None:
    one, other = device.squeeze(), host.squeeze()
    for what, mine, theirs in (
        ("type", device.dtype, host.dtype),
        ("shape", one.shape, other.shape),
        ("strides", one.strides if device.size else (), other.strides if device.size else ()),
    ):
        if mine != theirs:
            raise ArrayError(f"the device array has {what} {mine}, the array of the host {theirs}")


# making them ----------------------------------------------------------------------------------------------


def to_device(obj: Any, stream: Any = 0, copy: bool = True, to: DeviceNDArray | None = None) -> DeviceNDArray:
    """Copy an array, or whatever makes one, to the device: to new memory, or to the array `to`.

    With `copy=False` memory of that size is only taken. What is on the device already is returned as it is.
    """
    checked(stream)
    if to is not None:
        if not isinstance(to, DeviceNDArray):
            raise ArrayError(f"to is an array on the device, such as cuda.device_array(…), not {kind_of(to)}")
        if copy:
            to.copy_to_device(obj, stream)
        return to
    if is_cuda_array(obj):
        return as_cuda_array(obj)
    host = np.asarray(obj)
    _check_contiguous(host)
    array = _allocated(host.shape, host.dtype, host.strides, stream)
    if copy:
        array._write(_core(array._elements), _core(host))
        note_copy("to_device", stream, _core(host), _core(array._elements), "to device", waits=not stream)
    return array


def device_array(
    shape: Any, dtype: Any = np.float64, strides: Any = None, order: str = "C", stream: Any = 0
) -> DeviceNDArray:
    """Device memory for an array. What it holds is undefined: here bytes of 255, so NaN or -1."""
    return _allocated(
        extents_of(shape), np.dtype(dtype), strides_of(shape, dtype, strides, order), checked(stream)
    )


def device_array_like(ary: Any, stream: Any = 0) -> DeviceNDArray:
    """Device memory for an array of this shape, type and order."""
    elements_ = ary._elements if isinstance(ary, DeviceNDArray) else ary
    like = np.empty_like(elements_, subok=False)
    return _allocated(like.shape, like.dtype, like.strides, checked(stream))


def _allocated(
    shape: tuple[int, ...], dtype: np.dtype[Any], strides: tuple[int, ...], stream: Any
) -> DeviceNDArray:
    size = spanned_bytes(shape, dtype, strides)
    allocation = settings.memory().allocate(size, settings.current().device.memory_bytes)
    laid_out: AnyArray = np.ndarray(shape, dtype, allocation.data, strides=strides)
    return DeviceNDArray(laid_out, allocation, stream)


def unwritten(shape: Any, dtype: Any, strides: Any = None, order: str = "C") -> AnyArray:
    """An array of the host whose bytes are those of device memory that nobody has written to."""
    extents, type_ = extents_of(shape), np.dtype(dtype)
    laid_out = strides_of(extents, type_, strides, order)
    octets = np.full(spanned_bytes(extents, type_, laid_out), UNINITIALISED_BYTE, np.uint8)
    array: AnyArray = np.ndarray(extents, type_, octets, strides=laid_out)
    return array


def is_cuda_array(obj: Any) -> bool:
    """Is this an array in (simulated) device memory, or in memory that host and device share?"""
    return isinstance(obj, DeviceNDArray) or isinstance(getattr(obj, "gpu_data", None), Allocation)


def as_cuda_array(obj: Any, sync: bool = True) -> DeviceNDArray:
    """The device's view of such an array. `sync` waits for its stream, which is never late here."""
    if isinstance(obj, DeviceNDArray):
        return obj
    if is_cuda_array(obj):
        return DeviceNDArray(obj.view(np.ndarray), obj.gpu_data)
    if hasattr(obj, "__cuda_array_interface__"):
        raise ArrayError("this array lies in the memory of a real GPU; copy it to the host first")
    raise ArrayError(f"{kind_of(obj)} is not in device memory; use cuda.to_device(…)")
