"""Where can control go, and where do parted lanes meet again? Analyses over basic blocks.

Sets of blocks are bit masks in Python integers: bit b stands for block b.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gpusim.ir.instructions import Instruction, Opcode, Register
from gpusim.ir.terminators import Barrier, Branch, Exchange, Jump, Return, Terminator
from gpusim.source import Span


@dataclass(frozen=True, eq=False)
class Block:
    """Instructions that run one after the other, then one terminator."""

    instructions: tuple[Instruction, ...]
    terminator: Terminator

    @property
    def span(self) -> Span:
        """Where it begins in the source."""
        return (self.instructions[0] if self.instructions else self.terminator).span


Issued = Instruction | Terminator


def issued(block: Block, index: int) -> list[Issued]:
    """What of block `index` does a warp issue? Its end is nothing where control falls through to the next."""
    end = block.terminator
    falls_through = isinstance(end, Jump) and end.target == index + 1
    return list(block.instructions) if falls_through else [*block.instructions, end]


def successors(terminator: Terminator) -> tuple[int, ...]:
    """The blocks that may run next."""
    match terminator:
        case Jump(target=target) | Barrier(target=target) | Exchange(target=target):
            return (target,)
        case Branch(then=then, otherwise=otherwise):
            return (then, otherwise)
        case Return():
            return ()


def predecessors(blocks: Sequence[Block]) -> list[list[int]]:
    """For each block, those that may run just before it."""
    found: list[list[int]] = [[] for _ in blocks]
    for index, block in enumerate(blocks):
        for target in successors(block.terminator):
            found[target].append(index)
    return found


def reachable_from(
    blocks: Sequence[Block] | Mapping[int, Block], start: int, stop: int | None = None
) -> set[int]:
    """The blocks that control may pass from `start` on, without going through `stop`."""
    seen: set[int] = set()
    waiting = [start]
    while waiting:
        index = waiting.pop()
        if index != stop and index not in seen:
            seen.add(index)
            waiting.extend(successors(blocks[index].terminator))
    return seen


def immediate_post_dominators(blocks: Sequence[Block]) -> tuple[int | None, ...]:
    """For each block, the first block that every path from it must pass; None where paths end apart.

    A lane that returns early is carried along, idle, to the join of its construct, as compilers do: the
    others need not look for a later meeting point because of it. Where no other way leads out, as in
    `while True` with a `return`, returning is the end that all paths have.
    """
    everything = (1 << len(blocks)) - 1
    after: list[tuple[int, ...]] = []
    for block in blocks:
        end = block.terminator
        join = (end.join,) if isinstance(end, Return) and end.join is not None else ()
        after.append(successors(end) + join)
    others = _reaching({index for index, targets in enumerate(after) if not targets}, after)
    returns = {index for index, block in enumerate(blocks) if isinstance(block.terminator, Return)}
    for index in returns - others:
        after[index] = ()
    post = [everything if targets else 1 << index for index, targets in enumerate(after)]
    changed = True
    while changed:
        changed = False
        for index in reversed(range(len(blocks))):
            if after[index]:
                common = everything
                for target in after[index]:
                    common &= post[target]
                common |= 1 << index
                if common != post[index]:
                    post[index], changed = common, True
    ends = _reaching(returns, after)
    return tuple(
        max(
            (other for other in range(len(blocks)) if other != index and mask >> other & 1),
            key=lambda other: post[other].bit_count(),
            default=None,
        )
        if index in ends
        else None
        for index, mask in enumerate(post)
    )


def _reaching(ends: set[int], after: Sequence[tuple[int, ...]]) -> set[int]:
    """The blocks from which some path leads to one of these ends."""
    found, size = set(ends), -1
    while size != len(found):
        size = len(found)
        found |= {index for index, targets in enumerate(after) if found.intersection(targets)}
    return found


def live_registers(blocks: Sequence[Block]) -> tuple[frozenset[Register], ...]:
    """For each block, the registers whose value it or a later block reads before writing."""
    read: list[set[Register]] = []
    written: list[set[Register]] = []
    for block in blocks:
        reads: set[Register] = set()
        writes: set[Register] = set()
        for instruction in block.instructions:
            reads |= set(instruction.reads) - writes
            if instruction.destination is not None:
                writes.add(instruction.destination)
        reads |= read_by(block.terminator) - writes
        read.append(reads)
        written.append(writes)
    live = [frozenset(reads) for reads in read]
    changed = True
    while changed:
        changed = False
        for index in reversed(range(len(blocks))):
            after: set[Register] = set()
            for target in successors(blocks[index].terminator):
                after |= live[target]
            now = frozenset(read[index] | (after - written[index]))
            if now != live[index]:
                live[index], changed = now, True
    return tuple(live)


def live_after(blocks: Sequence[Block], live_in: Sequence[frozenset[Register]], index: int) -> set[Register]:
    """The registers that some block after this one still needs."""
    return {register for target in successors(blocks[index].terminator) for register in live_in[target]}


def read_by(terminator: Terminator) -> set[Register]:
    """The registers that decide where control goes, or that lanes exchange."""
    match terminator:
        case Branch(condition=condition):
            return {condition}
        case Exchange(operands=operands) | Barrier(operands=operands):
            return set(registers_in(operands))
    return set()


def without_unread(blocks: Mapping[int, Block], registers: Collection[Register]) -> Mapping[int, Block]:
    """The same blocks without the moves that give these registers numbers, where nobody reads them."""
    if not registers:
        return blocks
    read = {one for block in blocks.values() for one in read_by(block.terminator)}
    read.update(one for block in blocks.values() for made in block.instructions for one in made.reads)
    unread = set(registers) - read

    def kept(instruction: Instruction) -> bool:
        return instruction.opcode is not Opcode.MOVE or instruction.destination not in unread

    return {
        label: replace(block, instructions=tuple(filter(kept, block.instructions)))
        for label, block in blocks.items()
    }


def registers_in(operands: Iterable[object]) -> Iterable[Register]:
    """Only the registers among operands."""
    return (operand for operand in operands if isinstance(operand, Register))


def sides(blocks: Sequence[Block], index: int, meeting: int | None) -> tuple[set[int], set[int]]:
    """The blocks on either side of a branch, up to where the sides meet."""
    end = blocks[index].terminator
    assert isinstance(end, Branch)
    return reachable_from(blocks, end.then, meeting), reachable_from(blocks, end.otherwise, meeting)


def stands_inside(blocks: Sequence[Block], index: int, meeting: int | None, *kinds: type[Terminator]) -> bool:
    """Does a terminator of these kinds stand between a branch and its meeting point?"""
    then, otherwise = sides(blocks, index, meeting)
    return any(isinstance(blocks[inner].terminator, kinds) for inner in then | otherwise)


def renumber(terminator: Terminator, number: dict[int, int]) -> Terminator:
    """The same terminator with other block numbers."""
    match terminator:
        case Jump(target=target) | Barrier(target=target) | Exchange(target=target):
            return replace(terminator, target=number[target])
        case Branch(then=then, otherwise=otherwise) if number[then] == number[otherwise]:
            return Jump(number[then], terminator.span)  # there is nothing to decide
        case Branch(then=then, otherwise=otherwise):
            return replace(terminator, then=number[then], otherwise=number[otherwise])
        case Return(join=join):
            return replace(terminator, join=None if join is None else number.get(join))


def split_at_memory(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Cut blocks after each memory access, so that lanes may interleave between any two accesses."""
    pieces: list[list[tuple[Instruction, ...]]] = []
    for block in blocks:
        cut: list[list[Instruction]] = [[]]
        for instruction in block.instructions:
            cut[-1].append(instruction)
            if instruction.opcode.accesses_memory:
                cut.append([])
        pieces.append([tuple(piece) for piece in cut])
    first: dict[int, int] = {}
    count = 0
    for index, cut_block in enumerate(pieces):
        first[index] = count
        count += len(cut_block)
    result: list[Block] = []
    for block, cut_block in zip(blocks, pieces, strict=True):
        for piece in cut_block[:-1]:
            result.append(Block(piece, Jump(len(result) + 1, piece[-1].span)))
        result.append(Block(cut_block[-1], renumber(block.terminator, first)))
    return tuple(result)
