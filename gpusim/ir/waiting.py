"""Where does a lane wait for another? In a loop that ends when somebody writes, or while it sleeps.

A loop *may* wait when its end depends on anything that is read from memory inside it. It *spins* when that is
the same element every time: then only another lane can end it. A walk along a list does not spin, and a loop
that counts towards what it reads, `for (j = row[i]; j < row[i + 1]; j++)`, waits for nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from gpusim.ir import control_flow
from gpusim.ir.control_flow import Block, registers_in
from gpusim.ir.instructions import Instruction, Kind, Opcode, Register
from gpusim.ir.terminators import Barrier, Branch, Exchange, Terminator
from gpusim.ir.types import Space

LINEAR = (Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.SHL, Opcode.MOVE, Opcode.CONVERT)
PURE = (Kind.ARITHMETIC, Kind.COMPARE, Kind.SELECT, Kind.CONVERT, Kind.SPECIAL, Kind.EXTENT)


def sleeping(blocks: Sequence[Block]) -> frozenset[int]:
    """The blocks with a `nanosleep`."""
    return frozenset(
        index
        for index, block in enumerate(blocks)
        if any(instruction.opcode is Opcode.NANOSLEEP for instruction in block.instructions)
    )


def waiting(
    blocks: Sequence[Block], reconvergence: Sequence[int | None], spinning: bool = False
) -> frozenset[int]:
    """The blocks whose branch leaves a loop that may wait; or, more narrowly, one that spins."""
    found, before = set(), control_flow.predecessors(blocks)
    for index, block in enumerate(blocks):
        loop = _loop_left_at(blocks, before, index)
        if loop and isinstance(block.terminator, Branch):
            same = _unchanging(blocks, loop)
            counting = _counting(blocks, loop, index, same)
            read = _read_from_memory(blocks, loop, reconvergence, same if spinning else None, counting)
            if block.terminator.condition in read:
                found.add(index)
    return frozenset(found)


def _loop_left_at(blocks: Sequence[Block], before: Sequence[Sequence[int]], index: int) -> set[int]:
    """The blocks of the loop that a branch may leave, the outermost of several; none where it leaves no loop.

    A loop within a loop is what still goes round when the entries of the outer one are taken out.
    """
    targets, within = control_flow.successors(blocks[index].terminator), set(range(len(blocks)))
    while True:
        loop = _round(blocks, before, index, within)
        if not loop.issuperset(targets):
            return loop
        entries = {block for block in loop if not loop.issuperset(before[block])}
        if index in entries or not entries:
            return set()
        within = loop - entries


def _round(
    blocks: Sequence[Block], before: Sequence[Sequence[int]], index: int, within: set[int]
) -> set[int]:
    """All blocks `within` that control may pass on a way from a block back to it."""

    def reached(steps: Callable[[int], Iterable[int]]) -> set[int]:
        found, ahead = set[int](), [index]
        while ahead:
            new = within.intersection(steps(ahead.pop())) - found
            found |= new
            ahead += new
        return found

    onward = reached(lambda block: control_flow.successors(blocks[block].terminator))
    return onward & reached(lambda block: before[block]) if index in onward else set()


def _unchanging(blocks: Sequence[Block], loop: set[int]) -> set[Register]:
    """The registers that have one value in all rounds: written outside, or computed from such alone."""
    inside = [i for index in loop for i in blocks[index].instructions]
    written = {i.destination for i in inside if i.destination is not None}
    everything = {r for i in inside for r in i.reads} | written
    same, size = everything - written, -1
    while size != len(same):
        size = len(same)
        changing = {
            i.destination for i in inside if i.opcode.kind not in PURE or not same.issuperset(i.reads)
        }
        same |= written - changing
    return same


def _counting(blocks: Sequence[Block], loop: set[int], index: int, same: set[Register]) -> set[Register]:
    """Integers that go on by a fixed step in each round through the branch at `index`; their multiples."""
    inside = [(block, i, i.destination) for block in loop for i in blocks[block].instructions]
    writers = Counter(register for _block, _i, register in inside)
    alone = [(b, i, r) for b, i, r in inside if r is not None and i.type.is_integer and writers[r] == 1]
    found: set[Register] = set()
    for block, i, register in alone:
        others = [register for register in i.reads if register not in same]
        steps = i.opcode in (Opcode.ADD, Opcode.SUB) and others == [register]
        if i.opcode is Opcode.SUB and i.operands[0] is not register:
            steps = False  # k = 9 - k goes back and forth
        if steps and (block == index or not _round_without(blocks, loop, index, block)):
            found.add(register)
    size = -1
    while size != len(found):
        size = len(found)
        for _block, i, register in alone:
            others = [register for register in i.reads if register not in same]
            if i.opcode in LINEAR and len(others) == 1 and others[0] in found:
                found.add(register)
    return found


def _round_without(blocks: Sequence[Block], loop: set[int], index: int, block: int) -> bool:
    """Can control come from a branch back to it, and not pass a block of the loop?"""
    after = control_flow.successors(blocks[index].terminator)
    return any(index in control_flow.reachable_from(blocks, start, block) for start in after if start in loop)


def _read_from_memory(
    blocks: Sequence[Block],
    loop: set[int],
    reconvergence: Sequence[int | None],
    same: set[Register] | None,
    counting: set[Register],
) -> set[Register]:
    """Registers that depend on a load or an atomic in the loop, by data, control or what lanes tell.

    With the registers that are the `same` in all rounds, count only what names the same element every time.
    What is compared with a register that is `counting` changes without anybody's help; and so does what a
    lane has in memory of its own, unless the loop stores there what depends on a load.
    """
    found: set[Register] = set()
    size, own = -2, True
    while size != len(found) - own:
        size = len(found) - own
        told = any(control_flow.read_by(end) & found for end in _meetings(blocks, loop))
        for index in loop:
            for instruction in blocks[index].instructions:
                if instruction.opcode.kind is Kind.COMPARE and counting.intersection(instruction.reads):
                    continue
                reads = told and instruction.opcode.kind is Kind.RECEIVE
                if instruction.opcode.accesses_memory and instruction.place is not None:
                    reads = same is None or same.issuperset(registers_in(instruction.place.operands))
                    reads = reads and not (own and instruction.place.array.space is Space.LOCAL)
                    own = own and not (_reaches_own(instruction) and found.intersection(instruction.reads))
                if instruction.destination is not None and (reads or not found.isdisjoint(instruction.reads)):
                    found.add(instruction.destination)
            end = blocks[index].terminator
            if isinstance(end, Branch) and end.condition in found:
                then, otherwise = control_flow.sides(blocks, index, reconvergence[index])
                for inner in (then | otherwise) & loop:
                    found |= {i.destination for i in blocks[inner].instructions if i.destination is not None}
                    own = own and not any(map(_reaches_own, blocks[inner].instructions))
    return found


def _reaches_own(instruction: Instruction) -> bool:
    """May it write to memory that is the lane's own?"""
    array = instruction.array
    return (
        instruction.opcode.writes_memory and array is not None and array.space in (Space.LOCAL, Space.GENERIC)
    )


def _meetings(blocks: Sequence[Block], loop: set[int]) -> list[Terminator]:
    ends = (blocks[index].terminator for index in loop)
    return [end for end in ends if isinstance(end, Barrier | Exchange)]
