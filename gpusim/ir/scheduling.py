"""In which order does a compiler put instructions? Loads early, as many as there are registers for.

A warp goes on after a load until an instruction needs what it brings. So two loads in front of both uses wait
once, where load, use, load, use waits twice; but now two values need registers at once. A launch bound tells
the compiler how many registers a thread may have, and then it uses them. Without one, code stays as it is
written, so that lines and counters are those of the source.

Within a basic block only: no instruction passes a store, an atomic operation or another effect, or leaves
its side of a branch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from heapq import heappop, heappush

from gpusim.ir.control_flow import Block, live_after, read_by
from gpusim.ir.details import CacheOperator
from gpusim.ir.instructions import Instruction, Kind, Opcode, Operand, Register
from gpusim.ir.program import Function
from gpusim.ir.registers import TAKES_APART, Parts, parts_of, words
from gpusim.ir.renaming import reading
from gpusim.ir.unrolling import unrolled

COMPUTES = (Kind.ARITHMETIC, Kind.COMPARE, Kind.SELECT, Kind.CONVERT, Kind.SPECIAL, Kind.EXTENT)
TRIES = 24


def filled(function: Function, most: int) -> Function:
    """The same kernel with its loads as early as this many registers allow, and counted loops unrolled.

    One that needs more registers as it is written stays as it is.
    """
    if function.registers_per_thread > most:
        return function
    function = unrolled(function)
    for room in range(most, max(most - TRIES, 0), -1):
        live_in = function.live_in
        blocks = tuple(
            replace(block, instructions=_early(block, live_after(function.blocks, live_in, index), room))
            for index, block in enumerate(function.blocks)
        )
        moved = replace(function, blocks=blocks)
        if moved.registers_per_thread <= most:
            return moved
    return function


def waits(block: Block) -> int:
    """How often does a warp wait for memory in this block? Once for all loads before the first use of any."""
    return waiting(block, frozenset())[0]


def waiting(block: Block, under_way: frozenset[Register]) -> tuple[int, frozenset[Register]]:
    """The same where loads are under way already, and which are when the block is over."""
    found, loaded = 0, set(under_way)
    for instruction in block.instructions:
        needed = loaded.intersection(instruction.reads)
        if needed and instruction.opcode not in TAKES_APART:
            found, loaded = found + 1, set()
        made = instruction.destination
        if made is not None:
            loaded.discard(made)
            if instruction.opcode is Opcode.LOAD or (needed and instruction.opcode in TAKES_APART):
                loaded.add(made)
    if loaded & read_by(block.terminator):
        found, loaded = found + 1, set()
    return found, frozenset(loaded)


def _early(block: Block, live: set[Register], room: int) -> tuple[Instruction, ...]:
    """The instructions of a block in another order."""
    needed = live | read_by(block.terminator)
    instructions = _named_apart(block.instructions, needed)
    uses = Counter(register for each in instructions for register in set(each.reads))
    uses.update(needed)
    held = set(needed)
    for each in reversed(instructions):  # what lives before the first of them
        held -= {each.destination}
        held |= set(each.reads)
    found: list[Instruction] = []
    parts = parts_of([replace(block, instructions=tuple(instructions))])
    for stretch in _stretches(instructions):
        found += _stretch(stretch, uses, held, parts, room)
    return tuple(found)


def _named_apart(instructions: Sequence[Instruction], needed: set[Register]) -> list[Instruction]:
    """Each value under a name of its own, so that a load need not wait until a register is free."""
    writes = Counter(each.destination for each in instructions if each.destination is not None)
    names: dict[Register, Operand] = {}
    found, made = [], Counter[Register]()
    for each in instructions:
        instruction, register = reading(each, names), each.destination
        if register is not None and writes[register] > 1:
            made[register] += 1
            names.pop(register, None)
            if made[register] < writes[register] or register not in needed:
                fresh = Register(f"{register.name}.{made[register]}", register.type)
                names[register] = fresh
                instruction = replace(instruction, destination=fresh)
        found.append(instruction)
    return found


def _stretches(instructions: Iterable[Instruction]) -> list[list[Instruction]]:
    """Cut at what nothing may pass, which is alone in its stretch."""
    found: list[list[Instruction]] = [[]]
    for each in instructions:
        free = each.opcode.kind in COMPUTES or (
            each.opcode is Opcode.LOAD and each.detail in (None, CacheOperator.NC, CacheOperator.CA)
        )
        if free:
            found[-1].append(each)
        else:
            found += [[each], []]
    return [stretch for stretch in found if stretch]


def _stretch(
    instructions: list[Instruction], uses: Counter[Register], held: set[Register], parts: Parts, room: int
) -> list[Instruction]:
    """Loads come first as long as there is room; else what comes first in the source."""
    before = _order(instructions)
    behind: list[list[int]] = [[] for _ in instructions]
    for index, sources in enumerate(before):
        for source in sources:
            behind[source].append(index)
    missing = [len(sources) for sources in before]
    first = _first(instructions, before)
    early, others = list[int](), list[int]()  # heaps of what may come now
    for index, count in enumerate(missing):
        if not count:
            heappush(early if index in first else others, index)
    found: list[Instruction] = []
    while early or others:
        fits = early and words(_held_after(instructions[early[0]], uses, held), parts) <= room
        chosen = heappop(early if fits or not others else others)
        instruction = instructions[chosen]
        after = _held_after(instruction, uses, held)
        held &= after
        held |= after
        uses.subtract(set(instruction.reads))
        found.append(instruction)
        for index in behind[chosen]:
            missing[index] -= 1
            if not missing[index]:
                heappush(early if index in first else others, index)
    return found


def _held_after(instruction: Instruction, uses: Counter[Register], held: set[Register]) -> set[Register]:
    """What is still needed when it has run?"""
    after = held - {register for register in instruction.reads if uses[register] == 1}
    made = instruction.destination
    return after | {made} if made is not None and uses[made] else after


def _order(instructions: list[Instruction]) -> list[set[int]]:
    """Before each instruction, which must come? Those with which it shares a register that either writes."""
    made: dict[Register, int] = {}
    read: dict[Register, set[int]] = {}
    found = []
    for index, each in enumerate(instructions):
        before = {made[register] for register in each.reads if register in made}
        for register in each.reads:
            read.setdefault(register, set()).add(index)
        if each.destination is not None:
            before |= read.pop(each.destination, set())
            before |= {made[each.destination]} if each.destination in made else set()
            made[each.destination] = index
        found.append(before - {index})
    return found


def _first(instructions: list[Instruction], before: list[set[int]]) -> set[int]:
    """The loads, what computes their places, and all else that waits for no load."""
    loads = {index for index, each in enumerate(instructions) if each.opcode is Opcode.LOAD}
    behind, first = set(loads), set(loads)
    for index in range(len(instructions)):
        if before[index] & behind:
            behind.add(index)
    for index in reversed(range(len(instructions))):
        if index in first:
            first |= before[index]
    return first | (set(range(len(instructions))) - behind)
