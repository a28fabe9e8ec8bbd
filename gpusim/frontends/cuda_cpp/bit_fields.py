"""Where do the bits of a bit-field lie, and how are they read and written?

A run of bit-fields is kept in aligned unsigned numbers that overlap no other member; where there are none, in
smaller ones. `unsigned m : 23, e : 8, s : 1` is one number of 32 bits: e is `number >> 23 & 255`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpusim.frontends import fold
from gpusim.frontends.cuda_cpp.layout import scalar_of
from gpusim.frontends.cuda_cpp.types import UCHAR, UINT, ULONG, USHORT, Bits, CType, Number, Piece
from gpusim.frontends.site import Site
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import PRED, S32, S64, U32, U64, Scalar

UNITS = {1: UCHAR, 2: USHORT, 4: UINT, 8: ULONG}
Extent = tuple[int, int]  # the first bit, and the bit after the last


def units(run: Sequence[Extent], free: Extent) -> list[tuple[int, Number]]:
    """The numbers that hold a run of bit-fields, each with its first byte; `free` bytes are of no other."""
    found, start, at = list[tuple[int, Number]](), 0, free[0]
    while start < len(run):
        for stop in range(len(run), start, -1):
            unit = _unit(run[start][0] // 8, -(-max(end for _, end in run[start:stop]) // 8), (at, free[1]))
            if unit is not None:
                break
        else:
            return list(_tiles(run[0][0] // 8, -(-run[-1][1] // 8)))
        found.append(unit)
        start, at = stop, unit[0] + unit[1].size
    return found


def _tiles(at: int, last: int) -> Iterator[tuple[int, Number]]:
    while at < last:
        size = next(size for size in reversed(UNITS) if at % size == 0 and at + size <= last)
        yield at, UNITS[size]
        at += size


def _unit(first: int, last: int, free: Extent) -> tuple[int, Number] | None:
    for size, number in UNITS.items():
        begin = first // size * size
        if free[0] <= begin and last <= begin + size <= free[1]:
            return begin, number
    return None


def bits_of(type_: CType, extent: Extent, held_in: Sequence[tuple[int, Number]]) -> Bits:
    """A bit-field in the numbers that hold its run."""
    begin, end = extent
    found = []
    for offset, unit in held_in:
        first, last = max(begin, offset * 8), min(end, (offset + unit.size) * 8)
        if first < last:
            found.append(Piece(offset, unit, first - offset * 8, last - first, first - begin))
    return Bits(type_, tuple(found))


def wide(bits: Bits) -> Scalar:
    """The type in which its bits are put together."""
    return U32 if bits.width <= 32 and all(piece.unit.size <= 4 for piece in bits.pieces) else U64


def taken(site: Site, bits: Bits, given: Sequence[Operand]) -> Operand:
    """The number that the units hold."""
    scalar = scalar_of(bits.type)
    assert scalar is not None
    working = wide(bits)
    whole: Operand = Constant(0, working)
    for piece, unit in zip(bits.pieces, given, strict=True):
        part = _shifted(site, Opcode.SHR, fold.cast(site, unit, working), piece.shift)
        if piece.width + piece.shift < piece.unit.scalar.bits or piece.width < working.bits:
            part = _masked(site, part, piece.width)
        part = _shifted(site, Opcode.SHL, part, piece.first)
        whole = part if not piece.first else site.builder.value(Opcode.OR, working, (whole, part), site.span)
    if scalar.kind == "i" and scalar is not PRED and bits.width < working.bits:
        distance, signed = working.bits - bits.width, S32 if working is U32 else S64
        whole = _shifted(site, Opcode.SHL, whole, distance)
        whole = _shifted(site, Opcode.SHR, fold.cast(site, whole, signed), distance)
    return fold.truth(site, whole) if scalar is PRED else fold.cast(site, whole, scalar)


def put(site: Site, bits: Bits, given: Sequence[Operand], number: Operand) -> Iterator[Operand]:
    """What the units hold after a number was put in."""
    working = wide(bits)
    number = fold.cast(site, number, working)
    for piece, unit in zip(bits.pieces, given, strict=True):
        part = _masked(site, _shifted(site, Opcode.SHR, number, piece.first), piece.width)
        part = _shifted(site, Opcode.SHL, part, piece.shift)
        if piece.width < piece.unit.scalar.bits:
            rest = fold.constant(~(((1 << piece.width) - 1) << piece.shift), working)
            kept = _computed(site, Opcode.AND, fold.cast(site, unit, working), rest)
            part = _computed(site, Opcode.OR, kept, part)
        yield fold.cast(site, part, piece.unit.scalar)


def _masked(site: Site, operand: Operand, width: int) -> Operand:
    if width >= operand.type.bits:
        return operand
    return _computed(site, Opcode.AND, operand, Constant((1 << width) - 1, operand.type))


def _shifted(site: Site, opcode: Opcode, operand: Operand, distance: int) -> Operand:
    return _computed(site, opcode, operand, Constant(distance, operand.type)) if distance else operand


def _computed(site: Site, opcode: Opcode, one: Operand, other: Operand) -> Operand:
    if isinstance(one, Constant) and isinstance(other, Constant):
        return fold.constant(KNOWN[opcode](int(one.value), int(other.value)), one.type)
    if opcode is Opcode.OR and one == Constant(0, one.type):
        return other
    return site.builder.value(opcode, one.type, (one, other), site.span)


KNOWN = {
    Opcode.AND: lambda one, other: one & other, Opcode.OR: lambda one, other: one | other,
    Opcode.SHL: lambda one, other: one << other, Opcode.SHR: lambda one, other: one >> other,
}  # fmt: skip
