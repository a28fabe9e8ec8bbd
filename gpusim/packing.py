"""How do the values of a launch become the bytes of a parameter buffer? `gpusim.pack_parameters(kernel, …)`.

`gpusim.explore_parameters` gives the same to a view in which the reader changes order and types.

A kernel in Python takes what Numba passes: of an array seven or more words, of a boolean one byte, of a
complex number two floats (`_Kernel._prepare_args` of `numba/cuda/compiler.py`).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from gpusim.cpp.kernel import RawKernel
from gpusim.cuda.dispatcher import Kernel
from gpusim.errors import KernelTypeError, without_traceback
from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.types import Const, CType, Number, Parameter, Pointer
from gpusim.ir.types import BY_DTYPE, PRED, U8, Array, Scalar
from gpusim.measurements import parameter_buffers, parameter_packer
from gpusim.reports.parameter_buffer import ParameterBufferReport
from gpusim.reports.parameter_packing import ParameterPacking
from gpusim.runtime import settings
from gpusim.runtime.device_array import DeviceNDArray
from gpusim.runtime.passing import on_device
from gpusim.views import parameter_buffers as views

ADDRESS_OF_ARRAY = Pointer(types.VOID)
TYPES = "types are written as in C++: ['char', 'double', 'int n', 'const float* x', 'float4']"
Parameters = list[tuple[Parameter, Any]]
Packable = RawKernel | Kernel | Sequence[str]


class ParameterBuffer(ParameterBufferReport):
    """A parameter buffer that shows itself."""

    __slots__ = ()

    def __repr__(self) -> str:
        return views.buffer_text(self)

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return views.buffer_html(self)


@without_traceback
def pack_parameters(
    kernel: Packable,
    *values: Any,
    address_bits: int = 64,
    cdp: int | None = None,
) -> ParameterBuffer:
    """Which byte of a parameter buffer holds what? Each parameter in turn, at a multiple of its alignment.

    kernel: in CUDA C++ or Python, or a list of C++ types. values: numbers, structs as tuples or dictionaries,
    for pointers arrays of the device, addresses, or None. address_bits: 64 or 32. `cdp` decides how large a
    buffer may be, as in `gpusim.use`. Raises `KernelTypeError`, which names the parameter.

    >>> found = pack_parameters(["char c", "double d", "int n"], 1, 2.0, 3)
    >>> [(one.name, one.offset, one.padding) for one in found.parameters], found.size
    ([('c', 0, 0), ('d', 8, 7), ('n', 16, 0)], 20)
    >>> bytes(found["n"].octets).hex()
    '03000000'
    """
    with settings.use(cdp=cdp):
        version = settings.current().device_runtime
    title, parameters, given = _of(kernel, values)
    report = parameter_buffers.of(title, parameters, given, address_bits=address_bits, cdp=version)
    return ParameterBuffer(**{each.name: getattr(report, each.name) for each in fields(report)})


@without_traceback
def explore_parameters(
    kernel: Packable = ("char tag", "double scale", "int n", "const float* x"),
    *values: Any,
    address_bits: int = 64,
    title: str | None = None,
) -> ParameterPacking:
    """Which order of parameters needs the least room? A report for `views.parameter_packer`.

    kernel, values: as `pack_parameters` takes them; of a kernel in C++ or a list of types, all values may be
    left out for examples. A value that is too large for 32-bit addresses has an example in its place there.

    >>> explore_parameters(["char c", "double d"]).says[-1]
    '16 bytes, 7 of them padding between parameters. In the order d, c it would be 9, without padding.'
    """
    called, parameters, given = _of(kernel, values)
    names = (*parameter_packer.NAMES, *(f"{name}*" for name in parameter_packer.POINTERS))
    known = [one for one in map(_type, names) if one is not None] + parameter_packer.structs()
    made = parameter_packer.of(called, parameters, given, address_bits, known)
    return replace(made, title=title or f"The parameters of {called}")


def _of(kernel: Packable, values: Sequence[Any]) -> tuple[str, list[Parameter], Sequence[Any]]:
    """What it is called, its parameters, and their values."""
    if isinstance(kernel, RawKernel):
        return kernel.name, list(kernel.parameters), values
    if isinstance(kernel, Kernel):
        known = _of_python(kernel, values)
        return kernel.__name__, [one for one, _ in known], [value for _, value in known]
    if isinstance(kernel, list | tuple) and all(isinstance(one, str) for one in kernel):
        return "a kernel", [_written(text, number) for number, text in enumerate(kernel)], values
    raise KernelTypeError(f"{kernel!r} is no kernel and no list of types", hint=TYPES)


def _written(text: str, number: int) -> Parameter:
    """`const float* x`; without a name it is called `p0`, `p1`, and so on."""
    if (whole := _type(text)) is not None:
        return Parameter(f"p{number}", whole)
    found = re.fullmatch(r"(.*[\s*])(\w+)", text.strip())
    named = _type(found[1]) if found else None
    if found is None or named is None:
        raise KernelTypeError(f"parameter {number + 1}: {text!r} names no type", hint=TYPES)
    return Parameter(found[2], named)


def _type(text: str) -> CType | None:
    words = text.replace("*", " * ").split()
    if "*" in words:
        last = len(words) - 1 - words[::-1].index("*")
        target = _type(" ".join(words[:last])) if set(words[last + 1 :]) <= {"const"} else None
        return None if target is None else Pointer(target)
    name = " ".join(word for word in words if word != "const")
    name = {"unsigned": "unsigned int", "long long int": "long long"}.get(name, name)
    found = types.named_type(name)
    return Const(found) if found is not None and "const" in words else found


# kernels in Python ------------------------------------------------------------------------------------------


def _of_python(kernel: Kernel, values: Sequence[Any]) -> Parameters:
    names = list(inspect.signature(kernel.py_func).parameters)
    if len(values) != len(names):
        what = f"{kernel.__name__}({', '.join(names)}) takes {len(names)} argument(s), not {len(values)}"
        raise KernelTypeError(what)
    seen, _ = on_device(tuple(values))
    known = kernel.signature_for(seen).args
    return [one for each in zip(names, known, values, strict=True) for one in _parts(*each)]


def _parts(name: str, type_: Any, value: Any) -> Iterator[tuple[Parameter, Any]]:
    """What Numba passes for one argument."""
    if isinstance(type_, tuple):
        for place, (inner, one) in enumerate(zip(type_, value, strict=True)):
            yield from _parts(f"{name}[{place}]", inner, one)
    elif isinstance(type_, Array):
        yield from _array(name, type_, value)
    elif isinstance(type_, Scalar):
        number = np.asarray(value).astype(type_.dtype)
        parts = {".real": number.real, ".imag": number.imag} if type_.is_complex else {"": number}
        for path, part in parts.items():
            scalar = U8 if type_ is PRED else BY_DTYPE[part.dtype]
            shown = "boolean" if type_ is PRED else part.dtype.name
            yield Parameter(name + path, Number(shown, scalar)), part.astype(scalar.dtype)[()]


def _array(name: str, type_: Array, value: Any) -> Iterator[tuple[Parameter, Any]]:
    if not isinstance(value, DeviceNDArray) or not type_.dimensions:
        raise KernelTypeError(f"{name} has no address yet", hint="pass gpusim.cuda.to_device(…) of an array")
    yield Parameter(f"{name}.meminfo", ADDRESS_OF_ARRAY), None
    yield Parameter(f"{name}.parent", ADDRESS_OF_ARRAY), None
    yield Parameter(f"{name}.nitems", types.LONG), value.size
    yield Parameter(f"{name}.itemsize", types.LONG), value.dtype.itemsize
    yield Parameter(f"{name}.data", ADDRESS_OF_ARRAY), value
    for path, extents in (("shape", value.shape), ("strides", value.strides)):
        for axis, extent in enumerate(extents):
            yield Parameter(f"{name}.{path}[{axis}]", types.LONG), extent
