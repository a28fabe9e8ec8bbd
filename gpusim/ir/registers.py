"""How many registers does a thread hold at once? Occupancy depends on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from gpusim.ir.control_flow import Block, live_after, read_by
from gpusim.ir.details import Part
from gpusim.ir.instructions import Instruction, Opcode, Register

TAKES_APART = (Opcode.PART, Opcode.REAL, Opcode.IMAG)
# a part of a wide value -> the whole, and the byte of it where the part begins
Parts = Mapping[Register, tuple[Register, int]]


def words(registers: Iterable[Register], parts: Parts | None = None) -> int:
    """32-bit registers needed: predicates have a file of their own, 64-bit values take two.

    A part of a value lies in registers of the whole: while that is needed, the part takes none of its own.
    """
    found, counted = 0, set(registers)
    places = {parts[each] for each in counted if each in parts} if parts else set()
    for register in counted:
        if register.type.bits == 1:
            continue
        if parts and (place := parts.get(register)) is not None:
            if place[0] in counted or place not in places:
                continue
            places.discard(place)  # another name for the same part
        found += (register.type.bits + 31) // 32
    return found


def parts_of(blocks: Sequence[Block]) -> Parts:
    """Which values are parts of wider ones? The two halves of a `double2`, or of a complex number."""
    instructions = [each for block in blocks for each in block.instructions]
    writes = Counter(each.destination for each in instructions)
    return {
        each.destination: (each.reads[0], _first_byte(each))
        for each in instructions
        if each.opcode in TAKES_APART
        and each.reads
        and each.destination is not None
        and writes[each.destination] == 1
        and each.type.bytes % 4 == _first_byte(each) % 4 == 0
    }


def _first_byte(instruction: Instruction) -> int:
    if instruction.opcode is Opcode.PART:
        return instruction.the(Part).first_byte
    return instruction.type.bytes if instruction.opcode is Opcode.IMAG else 0


def pressure(blocks: Sequence[Block], live_in: Sequence[frozenset[Register]]) -> int:
    """The largest number of 32-bit registers that are live at once. A compiler may do with fewer."""
    most, parts = 0, parts_of(blocks)
    for index, block in enumerate(blocks):
        live = live_after(blocks, live_in, index)
        live |= read_by(block.terminator)
        most = max(most, words(live, parts))
        for instruction in reversed(block.instructions):
            if instruction.destination is not None:
                live.discard(instruction.destination)
            live.update(instruction.reads)
            most = max(most, words(live, parts))
    return most
