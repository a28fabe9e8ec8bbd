"""Where does each parameter of a kernel lie, and which bytes does its value become?

The rule is `gpusim.ir.parameters.placed`. With 32-bit addresses pointers have 4 bytes, and so have `long` and
`size_t`; what is wider keeps its alignment, a double that of 8 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gpusim.cpp.arguments import Receiver, bound, declaration
from gpusim.errors import KernelTypeError
from gpusim.frontends.cuda_cpp.layout import register_of
from gpusim.frontends.cuda_cpp.types import (
    LONG,
    ULONG,
    Array,
    CType,
    Field,
    Number,
    Parameter,
    Pointer,
    Struct,
    bare,
)
from gpusim.ir.parameters import BASE_BYTES, MOST_BYTES, placed
from gpusim.ir.types import S32, U32, U64
from gpusim.reports.parameter_buffer import PackedNumber, PackedParameter, ParameterBufferReport
from gpusim.runtime.device_array import DeviceNDArray

ADDRESS = {64: U64, 32: U32}
WHERE = "pass gpusim.cuda.to_device(x), an address, or None: the host's arrays get theirs at a launch"


def of(
    title: str, parameters: Sequence[Parameter], values: Sequence[Any], *, address_bits: int, cdp: int
) -> ParameterBufferReport:
    """The buffer of a kernel with these parameters and values; pointers are device arrays, addresses or None.

    Raises `KernelTypeError` with the parameter that a value does not fit, or that reaches beyond the limit.
    """
    if address_bits not in ADDRESS:
        raise KernelTypeError(f"addresses have 32 or 64 bits, not {address_bits!r}")
    laid = [Parameter(one.name, laid_out(one, one.type, address_bits)) for one in parameters]
    given = [_as_addresses(title, *one) for one in zip(range(1, 1 << 16), parameters, values, strict=False)]
    given += values[len(given) :]
    numbers = iter(bound(title, laid, given))
    firsts, size = placed((one.type.size, one.type.alignment) for one in laid)
    limit, alignment = MOST_BYTES[cdp], max((one.type.alignment for one in laid), default=1)
    packed, end = list[PackedParameter](), 0
    for one, shown, first in zip(laid, parameters, firsts, strict=True):
        octets, inside = np.zeros(one.type.size, np.uint8), list[PackedNumber]()
        for leaf in _numbers(one.type):
            number = np.asarray(next(numbers), register_of(leaf.type).dtype)
            octets[leaf.offset :][: leaf.type.size] = np.frombuffer(number.tobytes(), np.uint8)
            text = f"{int(number):#x}" if isinstance(leaf.type, Address) else str(number)
            inside.append(PackedNumber(leaf.name, str(leaf.type), first + leaf.offset, leaf.type.size, text))
        packed.append(
            PackedParameter(
                one.name,
                str(shown.type),
                first,
                one.type.size,
                one.type.alignment,
                first - end,
                tuple(octets.tolist()),
                tuple(inside),
            )
        )
        end = first + one.type.size
        if end > limit:
            raise KernelTypeError(
                f"{declaration(shown.type, shown.name)} of {title} ends at byte {end:,}; a parameter buffer "
                f"has {limit:,} at most under CDP{cdp}",
                hint="pass a pointer to it",
            )
    return ParameterBufferReport(title, address_bits, cdp, size, limit, alignment, BASE_BYTES, tuple(packed))


class Address(Number):
    """A pointer as the number that it is."""


def laid_out(parameter: Parameter, type_: CType, address_bits: int) -> CType:
    """A type in which pointers are numbers of this width, and so are `long` and its kin."""
    inner = bare(type_)
    if isinstance(inner, Pointer):
        return Address(str(inner), ADDRESS[address_bits])
    if isinstance(inner, Array):
        return Array(laid_out(parameter, inner.element, address_bits), inner.length)
    if address_bits == 32 and inner in (LONG, ULONG):
        return Number(str(inner), S32 if inner is LONG else U32)
    if not isinstance(inner, Struct):
        return inner
    before = inner.fields or []
    members = [(one.name, laid_out(parameter, one.type, address_bits)) for one in before]
    made = Struct(inner.name, inner.is_union, vector_of=inner.vector_of)
    if all(one.type.size == now.size for one, (_, now) in zip(before, members, strict=True)):
        made.fields = [
            Field(one.name, now, one.offset) for one, (_, now) in zip(before, members, strict=True)
        ]
        made.size, made.alignment = inner.size, inner.alignment
        return made
    natural = max(one.type.alignment for one in before)
    asked = inner.alignment if inner.alignment > natural else 1
    again = Struct(inner.name, inner.is_union)
    again.complete([(one.name, one.type) for one in before], asked)
    if inner.has_bits or (again.fields, again.size) != (before, inner.size):
        what = f"{declaration(parameter.type, parameter.name)} has bit-fields or a base beside pointers"
        raise KernelTypeError(f"{what}: how they lie at 32-bit addresses is not known", hint="take 64 bits")
    if inner.vector_of is not None:  # of longs: long2 is aligned to its size, long3 as a long
        asked = 4 if len(members) == 3 else min(4 * len(members), 16)
    made.complete(members, asked)
    return made


def _numbers(type_: CType, path: str = "", offset: int = 0) -> Iterator[Field]:
    """The numbers of a parameter as `bound` gives them: of a union, those of its first member."""
    if isinstance(type_, Struct):
        for member in (type_.fields or [])[: 1 if type_.is_union else None]:
            yield from _numbers(member.type, f"{path}.{member.name}", offset + member.offset)
    elif isinstance(type_, Array):
        for position in range(type_.length or 0):
            yield from _numbers(type_.element, f"{path}[{position}]", offset + position * type_.element.size)
    else:
        yield Field(path, type_, offset)


def _as_addresses(kernel: str, position: int, parameter: Parameter, value: Any) -> Any:
    """The value with addresses where it has arrays of the device."""
    if isinstance(bare(parameter.type), Pointer) and isinstance(value, np.ndarray | list | tuple):
        raise Receiver(kernel, position, parameter.name, parameter.type).refusal("takes an address", WHERE)
    return _address(value)


def _address(value: Any) -> Any:
    if isinstance(value, DeviceNDArray):
        return value.device_ctypes_pointer.value
    if isinstance(value, Mapping):
        return {name: _address(one) for name, one in value.items()}
    if isinstance(value, tuple | list):
        return [_address(one) for one in value]
    return 0 if value is None else value
