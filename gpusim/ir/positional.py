"""How do front-ends still write it? Places as leading operands, and each detail as a name or a number.

`Builder` turns that into a `Place` and a `Detail` here. This file goes when every front-end passes those.
"""

from __future__ import annotations

from collections.abc import Callable

from gpusim.ir.details import (
    Axis,
    CacheOperator,
    Callee,
    Detail,
    Format,
    Message,
    Part,
    Received,
    Scope,
    SpecialRegister,
)
from gpusim.ir.instructions import ArrayOperand, Geometry, Opcode, Operand, Place
from gpusim.ir.types import Space

Operands = tuple[Operand, ...]
EXCHANGED = (Received.VALUE, Received.AGREED)
DETAILS: dict[object, Callable[[str, int], Detail | None]] = {
    SpecialRegister: lambda name, _axis: SpecialRegister(name),
    Received: lambda name, axis: Received.VOTE if name else EXCHANGED[axis],
    Scope: lambda name, _axis: Scope(name),
    Scope | None: lambda name, _axis: Scope(name) if name else None,
    CacheOperator | None: lambda name, _axis: CacheOperator(name) if name else None,
    Callee: lambda name, _axis: Callee(name),
    Format: lambda name, _axis: Format(name),
    Message: lambda name, _axis: Message(name),
    Part: lambda _name, axis: Part(axis),
    Axis: lambda _name, axis: Axis(axis),
}


def detail_of(opcode: Opcode, name: str, axis: int = 0) -> Detail | None:
    """The detail that a name or a number means for an opcode."""
    make = DETAILS.get(opcode.detail)
    return make(name, axis) if make is not None else None


def place_of(array: ArrayOperand, operands: Operands) -> tuple[Place, Operands]:
    """Where an access goes, and its values, which come behind: indices, first byte, extents, strides."""
    rank = array.dimensions
    if array.space is Space.GENERIC:
        return Place(array, address=operands[0]), operands[1:]
    if array.root is None:
        return Place(array, operands[:rank]), operands[rank:]
    axes = 0 if array.pointer else rank
    indices, first, rest = operands[:rank], operands[rank], operands[rank + 1 :]
    extents, strides = rest[:axes], rest[axes : axes + rank]
    return Place(array, indices, Geometry(first, strides, extents)), rest[axes + rank :]
