"""Do the arguments of a launch fit a C++ kernel's parameters? Each is converted, or refused with a way out.

A pointer takes an array, whose numbers must be those that it points to: float32 for `float *`, also for
`float4 *`, which sees four of them at a time. `void *` and the pointers to bytes take any array.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpusim.cpp.layouts import fits, same_numbers, wanted
from gpusim.errors import KernelTypeError, kind_of
from gpusim.frontends.cuda_cpp.layout import dtype_of
from gpusim.frontends.cuda_cpp.types import (
    ULONG,
    Array,
    CType,
    Enumeration,
    FunctionType,
    Number,
    Parameter,
    Pointer,
    Struct,
    bare,
    is_const,
)
from gpusim.runtime import settings
from gpusim.runtime.passing import as_array
from gpusim.whole import is_whole, number_of

ADDRESSES = "pass np.array([row.device_ctypes_pointer.value for row in rows], np.uint64)"


@dataclass(frozen=True)
class Receiver:
    """What is bound: a parameter of a kernel, or a part of one, such as `p.data`."""

    kernel: str
    position: int
    name: str
    type: CType

    def part(self, path: str, type_: CType) -> Receiver:
        """A member of a struct, or an element of an array in it."""
        return Receiver(self.kernel, self.position, self.name + path, type_)

    def refusal(self, what: str, hint: str) -> KernelTypeError:
        """`argument 2 of saxpy, const float *x, …`."""
        where = f"argument {self.position} of {self.kernel}, {declaration(self.type, self.name)}"
        return KernelTypeError(f"{where}, {what}", hint=hint)


def declaration(type_: CType, name: str) -> str:
    """As C++ writes it: `const float *x`."""
    text = str(type_)
    return f"{text}{name}" if re.search(r" [*&]+$", text) else f"{text} {name}"


def bound(kernel: str, parameters: Sequence[Parameter], arguments: Sequence[Any]) -> list[Any]:
    """The arguments as the machine takes them: the leaves of structs one by one, None for null pointers.

    Raises `KernelTypeError` with the number of the argument, its parameter, and what to pass instead.
    """
    if len(arguments) != len(parameters):
        declared = ", ".join(declaration(parameter.type, parameter.name) for parameter in parameters)
        missing = " and ".join(parameter.name for parameter in parameters[len(arguments) :])
        raise KernelTypeError(
            f"{kernel}({declared}) takes {number_of(len(parameters), 'argument')}, not {len(arguments)}",
            hint=f"pass {missing}, too" if missing else "leave out the last",
        )
    return [
        value
        for position, (parameter, argument) in enumerate(zip(parameters, arguments, strict=True), start=1)
        for value in _leaves(Receiver(kernel, position, parameter.name, parameter.type), argument)
    ]


def _leaves(parameter: Receiver, value: Any) -> Iterator[Any]:
    inner = bare(parameter.type)
    if isinstance(inner, Number | Enumeration):
        yield _number(parameter, inner, value)
    elif isinstance(inner, Pointer) and isinstance(bare(inner.target), FunctionType):
        yield _number(parameter, ULONG, 0 if value is None else value)
    elif isinstance(inner, Pointer):
        yield _pointer(parameter, inner, value)
    elif isinstance(inner, Array):
        yield from _elements(parameter, inner, value)
    elif isinstance(inner, Struct):
        yield from _members(parameter, inner, value)
    else:
        raise parameter.refusal("cannot be passed from the host", "choose the function by a number")


# numbers ----------------------------------------------------------------------------------------------------


def _number(parameter: Receiver, type_: Number | Enumeration, value: Any) -> Any:
    """A number of the same value: nothing is cut off or wraps. A float's last digits may be rounded."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.reshape(-1)[0]  # CuPy passes arrays of one element by value
    number = value.item() if isinstance(value, np.generic) else value
    if not isinstance(number, bool | int | float):
        raise parameter.refusal(f"takes a number, not {_described(value)}", _number_hint(value))
    scalar = type_.scalar
    if scalar.is_float:
        return _float(parameter, scalar.dtype, number)
    if isinstance(number, float):
        whole = int(number) if math.isfinite(number) and number == int(number) else None
        raise parameter.refusal(
            f"takes a whole number, not {number!r}",
            f"pass {whole}" if whole is not None else "round it first, or declare the parameter as a double",
        )
    low, high = (0, 1) if scalar.kind == "b" else _range(scalar.dtype)
    if not low <= number <= high:
        raise parameter.refusal(
            f"takes {low} to {high}, not {number}", "declare the parameter with a wider type, or pass less"
        )
    return scalar.dtype.type(number)


def _float(parameter: Receiver, dtype: np.dtype[Any], number: float) -> Any:
    with np.errstate(over="ignore"):
        try:
            converted = dtype.type(number)
        except OverflowError:
            converted = dtype.type(math.inf)
    if math.isinf(converted) and number not in (math.inf, -math.inf):
        shown = f"{number:.3g}" if isinstance(number, float) else f"a number of {len(str(number))} digits"
        raise parameter.refusal(
            f"takes up to {np.finfo(dtype).max:.3g}, not {shown}",
            "declare the parameter as a double, or pass less",
        )
    return converted


def _range(dtype: np.dtype[Any]) -> tuple[int, int]:
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


def _number_hint(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return "pass an element, or declare the parameter as a pointer"
    return "are the arguments in the order of the parameters?"


# pointers ---------------------------------------------------------------------------------------------------


def _pointer(parameter: Receiver, type_: Pointer, value: Any) -> Any:
    """The array that it points to; None if it is null."""
    value = as_array(value)
    target = bare(type_.target)
    while isinstance(target, Array):
        target = bare(target.element)
    if value is None:
        return None
    if is_whole(value):
        return _at_address(parameter, target, int(value))
    if not isinstance(value, np.ndarray):
        what = f"takes {wanted(target)}, not {_described(value)}"
        raise parameter.refusal(what, _array_hint(target, value))
    if not value.flags.c_contiguous:
        as_it_lies = f', or its memory as it lies: {parameter.name}.ravel("K")'
        raise parameter.refusal(
            f"takes an array in one piece, row after row; this one has shape {value.shape} and strides "
            f"{value.strides}",
            f"pass np.ascontiguousarray({parameter.name})" + as_it_lies * value.flags.f_contiguous,
        )
    if not fits(value.dtype, target):
        raise parameter.refusal(
            f"takes {wanted(target)}, not of {value.dtype}", _dtype_hint(parameter, type_, target)
        )
    return value


def _at_address(parameter: Receiver, target: CType, address: int) -> Any:
    """The memory of the device from an address on, such as a pointer that a kernel left in an array."""
    if address == 0:
        return None
    for allocation in settings.memory().live():
        offset = address - allocation.address
        if 0 <= offset < len(allocation.data):
            return allocation.data[offset:]
    raise parameter.refusal(
        f"takes {wanted(target)}, and {address} is no address in the device's memory",
        "are the arguments in the order of the parameters?",
    )


def _dtype_hint(parameter: Receiver, type_: Pointer, target: CType) -> str:
    if isinstance(target, Struct) and target.vector_of is None:
        return "np.dtype([…], align=True) lays records out as C++ does"
    if isinstance(target, Pointer):
        return ADDRESSES
    number = target.vector_of if isinstance(target, Struct) else None
    name = dtype_of(number or target).name
    if is_const(type_.target):
        return f"pass {parameter.name}.astype(np.{name})"
    return f"make it with dtype=np.{name}: in a copy by astype() the kernel's results would be lost"


def _array_hint(target: CType, value: Any) -> str:
    if isinstance(target, Pointer) and isinstance(value, list | tuple):
        return ADDRESSES
    number = target.vector_of if isinstance(target, Struct) else target
    name = number.scalar.dtype.name if isinstance(number, Number | Enumeration) else "float32"
    if isinstance(value, list | tuple | bool | int | float | np.generic):
        brackets = "…" if isinstance(value, list | tuple) else "[…]"
        return f"pass np.array({brackets}, np.{name}), which the kernel can also write to"
    if isinstance(value, bytes | bytearray | str):
        return 'pass np.frombuffer(b"…", np.uint8), or a copy of it for the kernel to write to'
    if hasattr(value, "__array__"):
        return "pass np.asarray(…) of it"
    return "are the arguments in the order of the parameters?"


# structs ----------------------------------------------------------------------------------------------------


def _members(parameter: Receiver, struct: Struct, value: Any) -> Iterator[Any]:
    """A struct by value: a record, a dictionary, or the members in order. A union: its first member."""
    fields = (struct.fields or [])[: 1 if struct.is_union else None]
    names = [field.name for field in fields]
    if isinstance(value, np.ndarray) and value.size == 1 and value.dtype.kind in "Vc":
        value = value.reshape(-1)[0]
    if isinstance(value, np.void):
        value = _record(parameter, struct, value)
    elif isinstance(value, complex | np.complexfloating):
        value = (value.real, value.imag)
    if isinstance(value, Mapping):
        faults = [f"give {name!r}, too" for name in names if name not in value]
        faults += [f"it has no {name!r}" for name in value if name not in names]
        if faults:
            raise parameter.refusal(f"has the members {', '.join(names)}", ", ".join(faults))
        value = [value[name] for name in names]
    if not _is_sequence(value):
        raise parameter.refusal(
            f"takes a {struct}, not {_described(value)}",
            f"pass its members: ({', '.join(names)}), or a dictionary, or a record of NumPy's",
        )
    if len(value) != len(fields):
        raise parameter.refusal(
            f"takes {number_of(len(fields), 'member')}, not {len(value)}", f"pass ({', '.join(names)})"
        )
    for field, part in zip(fields, value, strict=True):
        yield from _leaves(parameter.part(f".{field.name}", field.type), part)


def _record(parameter: Receiver, struct: Struct, value: np.void) -> Mapping[str, Any]:
    """The members of a NumPy record whose numbers lie where the struct has them, whatever their names."""
    dtype = dtype_of(struct)
    if value.dtype.itemsize != struct.size or (not struct.is_union and not same_numbers(value.dtype, dtype)):
        raise parameter.refusal(
            f"takes a record laid out as {dtype}, not {value.dtype}",
            "np.dtype([…], align=True) lays records out as C++ does",
        )
    seen = np.frombuffer(value.tobytes(), dtype)[0]
    return {field.name: seen[field.name] for field in (struct.fields or [])[: 1 if struct.is_union else None]}


def _elements(parameter: Receiver, array: Array, value: Any) -> Iterator[Any]:
    if not _is_sequence(value):
        raise parameter.refusal(
            f"takes {number_of(array.length or 0, 'element')}, not {_described(value)}", "pass a list of them"
        )
    if len(value) != array.length:
        raise parameter.refusal(
            f"takes {number_of(array.length or 0, 'element')}, not {len(value)}", "pass a list of that length"
        )
    for position, part in enumerate(value):
        yield from _leaves(parameter.part(f"[{position}]", array.element), part)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, tuple | list) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _described(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, bool | int | float | complex | np.generic):
        return f"the number {value}"
    if isinstance(value, np.ndarray):
        return f"an array of {number_of(value.size, 'element')}"
    return kind_of(value)
