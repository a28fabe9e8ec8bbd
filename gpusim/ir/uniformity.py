"""Which values can differ between the lanes of a warp? `blockIdx.x * 2` cannot; `threadIdx.x * 2` can.

A uniform value is computed once per warp, and a branch on it never splits a mask.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpusim.ir import control_flow
from gpusim.ir.control_flow import Block
from gpusim.ir.details import Received, SpecialRegister
from gpusim.ir.instructions import Instruction, Kind, Opcode, Register
from gpusim.ir.terminators import Barrier, Branch, Exchange
from gpusim.ir.types import Space


def divergent_registers(
    blocks: Sequence[Block],
    reconvergence: Sequence[int | None],
    live_in: Sequence[frozenset[Register]],
) -> frozenset[Register]:
    """Follow lane-dependent values through data and control flow until nothing is added.

    A register becomes divergent when an operand is; when it is written on one side of a divergent branch and
    still needed on the other side or where the sides meet. With a barrier or an exchange inside a divergent
    branch, lanes may stand anywhere: then every register that outlives its block counts as divergent.
    """
    kept, own = frozenset().union(*live_in), _own_memory(blocks)
    divergent: set[Register] = set()
    size = -1
    while size != len(divergent):
        size = len(divergent)
        for block in blocks:
            for instruction in block.instructions:
                if instruction.destination is not None and _differs(instruction, divergent, own):
                    divergent.add(instruction.destination)
        for index, block in enumerate(blocks):
            end = block.terminator
            if not isinstance(end, Branch) or end.condition not in divergent:
                continue
            then, otherwise = control_flow.sides(blocks, index, reconvergence[index])
            if control_flow.stands_inside(blocks, index, reconvergence[index], Barrier, Exchange):
                divergent |= kept
            meetings = (then & otherwise) | ({reconvergence[index]} - {None})
            needed = {r for meeting in meetings if meeting is not None for r in live_in[meeting]}
            for side, other in ((then, end.otherwise), (otherwise, end.then)):
                written = {
                    i.destination for b in side for i in blocks[b].instructions if i.destination is not None
                }
                divergent |= written & (needed | live_in[other])
    return frozenset(divergent)


def needed_elsewhere(
    blocks: Sequence[Block],
    reconvergence: Sequence[int | None],
    live_in: Sequence[frozenset[Register]],
    divergent: frozenset[Register],
) -> tuple[frozenset[Register], ...]:
    """For each block, which registers may lanes still need that do not execute it with the others?

    Those lanes stand on the other side of a divergent branch, or wait where its sides meet. Every other
    register may be overwritten for the whole warp, without a mask.
    """
    everything = frozenset().union(*live_in)
    needed: list[frozenset[Register]] = [frozenset() for _ in blocks]
    for index, block in enumerate(blocks):
        end = block.terminator
        if not isinstance(end, Branch) or end.condition not in divergent:
            continue
        meeting = reconvergence[index]
        then, otherwise = control_flow.sides(blocks, index, meeting)
        if meeting is None or control_flow.stands_inside(blocks, index, meeting, Barrier, Exchange):
            return tuple(everything for _ in blocks)
        for side, other in ((then, otherwise), (otherwise, then)):
            elsewhere = live_in[meeting].union(*(live_in[inner] for inner in other))
            for inner in side:
                needed[inner] |= elsewhere
    return tuple(needed)


def _own_memory(blocks: Sequence[Block]) -> frozenset[Space]:
    """Where may one address mean other memory for each thread? Generically, if local memory has addresses."""
    instructions = (instruction for block in blocks for instruction in block.instructions)
    taken = {i.array.space for i in instructions if i.array is not None and i.opcode is Opcode.ADDRESS}
    return frozenset({Space.LOCAL, Space.GENERIC} if Space.LOCAL in taken else {Space.LOCAL})


def _differs(instruction: Instruction, divergent: set[Register], own_memory: frozenset[Space]) -> bool:
    if instruction.opcode is Opcode.SPECIAL:
        return instruction.the(SpecialRegister).differs_between_lanes
    if instruction.opcode is Opcode.CLOCK:
        return True  # lanes that are apart read it at different times
    if instruction.opcode is Opcode.RECEIVE:
        return instruction.detail is not Received.VOTE  # which is the same for all of the block
    if instruction.opcode.kind in (Kind.ATOMIC, Kind.RUNTIME):
        return True
    if instruction.array is not None and instruction.array.space in own_memory:
        return instruction.opcode.kind is not Kind.EXTENT
    return not divergent.isdisjoint(instruction.reads)
