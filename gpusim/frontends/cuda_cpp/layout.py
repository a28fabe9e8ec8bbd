"""How does an object lie in memory? Its numbers and pointers, each at its byte."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.types import Array, CType, Struct, bare
from gpusim.ir.types import U8, U64, Element, Record, Scalar


class Leaf(NamedTuple):
    """A number or pointer inside an object: its path from there, such as ".position.x" or ".w[2]"."""

    path: str
    type: CType
    offset: int


def leaves(type_: CType, path: str = "", offset: int = 0) -> Iterator[Leaf]:
    """All numbers and pointers of an object, in order of their place; of a union, its words."""
    inner = bare(type_)
    if isinstance(inner, Struct) and inner.is_union:
        word = types.UINT if inner.size % 4 == inner.alignment % 4 == 0 else types.UCHAR
        inner = Array(word, inner.size // word.size)
    if isinstance(inner, Struct):
        for member in inner.fields or ():
            yield from leaves(member.type, f"{path}.{member.name}", offset + member.offset)
    elif isinstance(inner, Array):
        for position in range(inner.length or 0):
            yield from leaves(inner.element, f"{path}[{position}]", offset + position * inner.element.size)
    else:
        yield Leaf(path, type_, offset)


def scalar_of(type_: CType) -> Scalar | None:
    """How a register holds a number, an enumerator or an address; None for what is not one of these."""
    inner = bare(type_)
    if isinstance(inner, types.Number | types.Enumeration):
        return inner.scalar
    return U64 if isinstance(inner, types.Pointer | types.FunctionType) else None


def register_of(type_: CType) -> Scalar:
    """The same of what is known to be one of these."""
    scalar = scalar_of(type_)
    assert scalar is not None, type_
    return scalar


def dtype_of(type_: CType) -> np.dtype[Any]:
    """The NumPy type with the same bytes. An array has a shape in it; a pointer is a uint64."""
    inner = bare(type_)
    if isinstance(inner, Array):
        return np.dtype((dtype_of(inner.element), (inner.length or 0,)))
    if isinstance(inner, Struct):
        fields = inner.flat_fields
        return np.dtype(
            {
                "names": [member.name for member in fields],
                "formats": [dtype_of(member.type) for member in fields],
                "offsets": [member.offset for member in fields],
                "itemsize": inner.size,
            }
        )
    scalar = scalar_of(inner)
    return np.dtype(np.uint8) if scalar is None else scalar.dtype


def element_of(type_: CType) -> Element:
    """What an array of this type holds for the machine: a scalar, or a record; bytes for `void`."""
    inner = bare(type_)
    while isinstance(inner, Array):
        inner = bare(inner.element)
    if isinstance(inner, Struct):
        return Record(dtype_of(inner)) if not inner.is_union else U8
    return scalar_of(inner) or U8
