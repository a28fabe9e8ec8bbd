"""How does an instruction read if a value lies elsewhere? In another register, or known from the start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gpusim.ir.instructions import Geometry, Instruction, Operand, Register

Names = Mapping[Register, Operand]


def reading(instruction: Instruction, names: Names) -> Instruction:
    """The instruction, with what it reads under other names."""
    if not any(register in names for register in instruction.reads):
        return instruction
    place = instruction.place
    if place is not None:
        place = replace(
            place,
            indices=renamed(place.indices, names),
            geometry=place.geometry and _geometry(place.geometry, names),
            address=place.address and _one(place.address, names),
        )
    return replace(instruction, place=place, operands=renamed(instruction.operands, names))


def renamed(operands: tuple[Operand, ...], names: Names) -> tuple[Operand, ...]:
    """Operands under other names; those without stay."""
    return tuple(_one(operand, names) for operand in operands)


def _one(operand: Operand, names: Names) -> Operand:
    return names.get(operand, operand) if isinstance(operand, Register) else operand


def _geometry(geometry: Geometry, names: Names) -> Geometry:
    strides, extents = (renamed(part, names) for part in (geometry.strides_bytes, geometry.extents))
    return Geometry(_one(geometry.first_byte, names), strides, extents)
