"""Which order of a kernel's parameters needs the least room, and why does each lie where it lies?

The size of every type is a multiple of its alignment. So nothing is lost where the widest alignment comes
first: no order needs less than the bytes of all parameters together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from gpusim.cpp.arguments import declaration
from gpusim.errors import KernelTypeError
from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.types import Array, CType, Number, Parameter, Pointer, Struct, bare
from gpusim.ir.parameters import BASE_BYTES, MOST_BYTES, placed
from gpusim.measurements import parameter_buffers
from gpusim.reports.parameter_buffer import PackedNumber, PackedParameter
from gpusim.reports.parameter_packing import (
    Layout,
    PackableParameter,
    PackableType,
    PackedMember,
    ParameterPacking,
)
from gpusim.whole import number_of

BASE = 0x10000040  # an address that both widths have
ADDRESS = 0x12345678
PATTERN = 0x0102030405060708  # no two bytes of it are alike
FEW_NAMES = 8
NAMES = ("bool", "char", "short", "int", "unsigned int", "long", "long long", "half", "float", "double",
         "int2", "float3", "float4", "double2")  # fmt: skip
POINTERS = ("float", "const int", "void")


def structs() -> list[Struct]:
    """What a reader may pack beside numbers: one with padding, one with a pointer, one that is large."""
    pair, node, table = (Struct(name) for name in ("Pair", "Node", "Table"))
    pair.complete([("tag", types.CHAR), ("value", types.DOUBLE)])
    node.complete([("key", types.INT), ("next", Pointer(node))])
    table.complete([("row", Array(types.FLOAT, 1000))])
    return [pair, node, table]


def example(type_: CType, address_bits: int = 64) -> Any:
    """A value whose bytes can be told apart."""
    inner = bare(type_)
    if isinstance(inner, Struct):
        members = (inner.fields or [])[: 1 if inner.is_union else None]
        return {one.name: example(one.type, address_bits) for one in members}
    if isinstance(inner, Array):
        return [example(inner.element, address_bits)] * (inner.length or 0)
    if isinstance(inner, Pointer):
        return ADDRESS
    if not isinstance(inner, Number):
        return 0
    if inner.scalar.is_float:
        return 2.5
    size = 4 if inner in (types.LONG, types.ULONG) and address_bits == 32 else inner.size
    return PATTERN >> 8 * (8 - size) if size > 1 else 1 if inner == types.BOOL else ord("A")


def tightest(parts: Sequence[tuple[int, int]]) -> list[int]:
    """In which order do parts, given as (size, alignment), need the least room? Equals stay as they are."""
    return sorted(range(len(parts)), key=lambda place: -parts[place][1])


def placed_says(what: str, size: int, alignment: int, first: int, padding: int) -> str:
    """Why does a parameter lie there?

    >>> placed_says("double scale", 8, 8, 8, 4)
    '`double scale` needs an address divisible by 8: 4 bytes of padding, then bytes 8 to 15.'
    """
    lies = f"byte {first:,}" if size == 1 else f"bytes {first:,} to {first + size - 1:,}"
    if alignment == 1:
        return f"`{what}` may begin at any address: {lies}."
    behind = f"{number_of(padding, 'byte')} of padding, then" if padding else "no padding,"
    return f"`{what}` needs an address divisible by {alignment}: {behind} {lies}."


def whole_says(names: Sequence[str], parts: Sequence[tuple[int, int]], most_bytes: Sequence[int]) -> str:
    """What do all parameters need, which order needs less, and is it too much?"""
    _, size = placed(parts)
    least = sum(one for one, _ in parts)
    told = f"{number_of(size, 'byte')}, {size - least or 'none'} of them padding between parameters. "
    if size == least:
        told += "No order needs less."
    else:
        order = ", ".join(names[place] for place in tightest(parts))
        how = "In the order " + order if len(names) <= FEW_NAMES else "With the widest alignment first"
        told += f"{how} it would be {least:,}, without padding."
    first, second = most_bytes
    if size > first:
        also = f", and than {second:,} under CDP2" if size > second else f"; CDP2 takes up to {second:,}"
        told += f" {size:,} bytes are more than the {first:,} of a buffer under CDP1{also}."
    return told


def of(
    title: str,
    parameters: Sequence[Parameter],
    values: Sequence[Any],
    address_bits: int,
    known: Sequence[CType],
) -> ParameterPacking:
    """A kernel's parameters with their values, None in place of all for examples, and types to choose."""
    if not parameters:
        raise KernelTypeError(f"{title} has no parameters to pack")
    if address_bits not in parameter_buffers.ADDRESS:
        raise KernelTypeError(f"addresses have 32 or 64 bits, not {address_bits!r}")
    if values:  # refused by its place and name
        parameter_buffers.of(title, parameters, values, address_bits=64, cdp=2)
    given = [[value] for value in values] or [[]] * len(parameters)
    made = tuple(
        PackableParameter(one.name, _packable(one, *value))
        for one, value in zip(parameters, given, strict=True)
    )
    offered = tuple(_packable(Parameter("x", one)) for one in known)
    laid = [one.type.wide if address_bits == 64 else one.type.narrow for one in made]
    parts = [(one.size, one.alignment) for one in laid]
    firsts, _ = placed(parts)
    ends = [0, *(first + size for first, (size, _) in zip(firsts, parts, strict=True))]
    says = [
        placed_says(declaration(one.type, one.name), *part, first, first - end)
        for one, part, first, end in zip(parameters, parts, firsts, ends, strict=False)
    ]
    limits = MOST_BYTES[1], MOST_BYTES[2]
    says.append(whole_says([one.name for one in made], parts, limits))
    return ParameterPacking(title, address_bits, f"{BASE:#x}", BASE_BYTES, limits, made, offered, tuple(says))


def _packable(parameter: Parameter, *value: Any) -> PackableType:
    """At both widths with the value, or an example; so, too, where the value has no room at 32 bits."""
    wide = _packed(parameter, 64, *value)
    try:
        narrow = _packed(parameter, 32, *value)
    except KernelTypeError:
        narrow = _packed(parameter, 32)
    inner = bare(parameter.type)
    members = inner.fields or [] if isinstance(inner, Struct) and inner.vector_of is None else []
    inside = " ".join(f"{_declared(one.type, one.name)};" for one in members)
    label = f"{parameter.type} {{ {inside} }}" if inside else str(parameter.type)
    return PackableType(str(parameter.type), label, _layout(wide), _layout(narrow))


def _declared(type_: CType, name: str) -> str:
    """`float row[1000]`."""
    element, bracket, extents = str(type_).partition("[")
    return declaration(type_, name) if not bracket else f"{element} {name}[{extents}"


def _packed(parameter: Parameter, bits: int, *value: Any) -> PackedParameter:
    shown = value or [example(parameter.type, bits)]
    return parameter_buffers.of("", [parameter], shown, address_bits=bits, cdp=2).parameters[0]


def _layout(packed: PackedParameter) -> Layout:
    return Layout(packed.size, packed.alignment, tuple(_members(packed)))


def _members(packed: PackedParameter) -> Iterator[PackedMember]:
    """Elements of one array are one member."""
    for (name, _), group in groupby(packed.numbers, key=_array_of):
        numbers = list(group)
        first = numbers[0]
        octets = [bytes(packed.octets[one.offset :][: one.size]).hex() for one in numbers]
        told = list(zip((one.value for one in numbers), octets, strict=True))
        alike = told[:1] if len(set(told)) == 1 else told
        values, kept = zip(*alike, strict=True)
        yield PackedMember(name, first.type, first.offset, first.size, len(numbers), values, kept)


def _array_of(number: PackedNumber) -> tuple[str, bool]:
    """`.row` of `.row[7]`."""
    element = re.fullmatch(r"(.*)\[\d+\]", number.name)
    return (element[1], True) if element else (number.name, False)
