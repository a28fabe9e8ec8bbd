"""How does an object lie in memory? Its numbers and pointers, each at its byte; bit-fields in numbers.

A run of bit-fields is kept in aligned unsigned numbers that overlap no other member; where there are none, in
smaller ones. `unsigned m : 23, e : 8, s : 1` is one number of 32 bits: e is `number >> 23 & 255`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gpusim.frontends import fold
from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.types import Array, Bits, CType, Field, Number, Piece, Struct, bare
from gpusim.frontends.site import Site
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import PRED, S32, S64, U8, U32, U64, Element, Record, Scalar


def leaves(type_: CType, path: str = "", offset: int = 0) -> Iterator[Field]:
    """All numbers and pointers of an object, in order of their place; of a union, its words.

    The name of one is its path from there, such as ".position.x" or ".w[2]".
    """
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
        yield Field(path, type_, offset)


def scalar_of(type_: CType) -> Scalar | None:
    """How a register holds a number, an enumerator or an address; None for what is not one of these."""
    inner = bare(type_)
    if isinstance(inner, types.Number | types.Enumeration):
        return inner.scalar
    if isinstance(inner, types.MemberPointer):
        return S64
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
        names, offsets = [one.name for one in fields], [one.offset for one in fields]
        formats = [dtype_of(one.type) for one in fields]
        return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": inner.size})
    scalar = scalar_of(inner)
    return np.dtype(np.uint8) if scalar is None else scalar.dtype


def innermost(type_: CType) -> CType:
    """What an array of arrays has as elements at last."""
    inner = bare(type_)
    return innermost(inner.element) if isinstance(inner, Array) else inner


def element_of(type_: CType) -> Element:
    """What an array of this type holds for the machine: a scalar, or a record; bytes for `void`."""
    inner = innermost(type_)
    if isinstance(inner, Struct):
        return Record(dtype_of(inner)) if not inner.is_union else U8
    return scalar_of(inner) or U8


# bit-fields -------------------------------------------------------------------------------------------------

UNITS = {1: types.UCHAR, 2: types.USHORT, 4: types.UINT, 8: types.ULONG}
Extent = tuple[int, int]  # the first bit, and the bit after the last


def units(run: Sequence[Extent], free: Extent, alignment: int) -> list[tuple[int, Number]]:
    """The numbers that hold a run of bit-fields, each with its first byte; `free` bytes are of no other.

    None has more bytes than the `alignment` of the struct.
    """
    found, start, at, last = list[tuple[int, Number]](), 0, free[0], -(-run[-1][1] // 8)
    while start < len(run):
        fitting = (
            (stop, begin, number)
            for stop in range(len(run), start, -1)
            for size, number in UNITS.items()
            if size <= alignment
            and at <= (begin := run[start][0] // 8 // size * size)
            and max(end for _, end in run[start:stop]) <= (begin + size) * 8 <= free[1] * 8
        )
        stop, begin, unit = next(fitting, (0, 0, types.UCHAR))
        if not stop:
            return list(_tiles(run[0][0] // 8, last, alignment))
        found.append((begin, unit))
        start, at = stop, begin + unit.size
    return found


def _tiles(at: int, last: int, alignment: int) -> Iterator[tuple[int, Number]]:
    while at < last:
        fitting = (size for size in reversed(UNITS) if size <= alignment and at % size == 0)
        size = next(size for size in fitting if at + size <= last)
        yield at, UNITS[size]
        at += size


def bits_of(type_: CType, extent: Extent, held_in: Sequence[tuple[int, Number]]) -> Bits:
    """A bit-field in the numbers that hold its run."""
    begin, end = extent
    found = []
    for offset, unit in held_in:
        first, last = max(begin, offset * 8), min(end, (offset + unit.size) * 8)
        if first < last:
            found.append(Piece(offset, unit, first - offset * 8, last - first, first - begin))
    return Bits(type_, tuple(found))


def _wide(bits: Bits) -> Scalar:
    """The type in which its bits are put together."""
    return U32 if bits.width <= 32 and all(piece.unit.size <= 4 for piece in bits.pieces) else U64


def taken(site: Site, bits: Bits, given: Sequence[Operand]) -> Operand:
    """The number that the units hold."""
    scalar, working = register_of(bits.type), _wide(bits)
    whole: Operand = Constant(0, working)
    for piece, unit in zip(bits.pieces, given, strict=True):
        part = _computed(site, Opcode.SHR, fold.cast(site, unit, working), piece.shift)
        part = _computed(site, Opcode.AND, part, (1 << piece.width) - 1)
        part = _computed(site, Opcode.SHL, part, piece.first)
        whole = part if not piece.first else site.builder.value(Opcode.OR, working, (whole, part), site.span)
    if scalar is PRED:
        return fold.truth(site, whole)
    if scalar.kind == "i" and bits.width < working.bits:
        distance, signed = working.bits - bits.width, S32 if working is U32 else S64
        whole = fold.cast(site, _computed(site, Opcode.SHL, whole, distance), signed)
        whole = _computed(site, Opcode.SHR, whole, distance)
    return fold.cast(site, whole, scalar)


def put(site: Site, bits: Bits, given: Sequence[Operand], number: Operand) -> Iterator[Operand]:
    """What the units hold after a number was put in."""
    working = _wide(bits)
    number = fold.cast(site, number, working)
    for piece, unit in zip(bits.pieces, given, strict=True):
        mask = (1 << piece.width) - 1
        part = _computed(site, Opcode.AND, _computed(site, Opcode.SHR, number, piece.first), mask)
        part = _computed(site, Opcode.SHL, part, piece.shift)
        if piece.width < piece.unit.scalar.bits:
            rest = int(fold.constant(~(mask << piece.shift), working).value)
            kept = _computed(site, Opcode.AND, fold.cast(site, unit, working), rest)
            part = _computed(site, Opcode.OR, kept, part)
        yield fold.cast(site, part, piece.unit.scalar)


def _computed(site: Site, opcode: Opcode, one: Operand, other: Operand | int) -> Operand:
    """Nothing is done where nothing changes."""
    if isinstance(other, int):
        unchanged = (1 << one.type.bits) - 1 if opcode is Opcode.AND else 0
        if other == unchanged:
            return one
        other = Constant(other, one.type)
    if opcode is Opcode.OR and one == Constant(0, one.type):
        return other
    return fold.computed(site, opcode, one, other)
