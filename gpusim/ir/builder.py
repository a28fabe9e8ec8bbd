"""How does a front-end write IR? Emit into the current block, place labels, finish."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from gpusim.ir import control_flow, verify
from gpusim.ir.control_flow import Block
from gpusim.ir.details import CacheOperator, Detail
from gpusim.ir.instructions import ArrayOperand, Constant, Instruction, Opcode, Operand, Place, Register
from gpusim.ir.program import Function
from gpusim.ir.terminators import Barrier, Branch, Exchange, Jump, Return, Terminator
from gpusim.ir.types import PRED, Element, Scalar, Space
from gpusim.source import Source, Span

ALIGNMENT_BYTES = 16


class Builder:
    """Builds one `Function`. Labels are numbers from `label()`; `place` starts the block of a label."""

    def __init__(self, name: str, source: Source) -> None:
        self.name, self.source = name, source
        self.parameters: list[Register | ArrayOperand] = []
        self.bytes_used = dict.fromkeys(Space, 0)
        self.tiles: dict[tuple[Span, int], None] = {}  # where the thread block is cut, and how wide
        self._constants: dict[int, tuple[Any, ArrayOperand]] = {}
        self._labels = 0
        self._temporaries = 0
        self._placed: dict[int, Block] = {}
        self._current = self.label()
        self._instructions: list[Instruction] = []
        self._held: set[Operand] = set()
        self._doubled: set[Register] = set()
        self._open = True

    def label(self) -> int:
        """A new label, to be placed once."""
        self._labels += 1
        return self._labels - 1

    def place(self, label: int, span: Span) -> None:
        """Code from here on belongs to `label`; an open block before it falls through."""
        self.end(Jump(label, span))
        self._current, self._instructions, self._open = label, [], True

    def end(self, terminator: Terminator) -> None:
        """Close the current block. Code after a closed block is unreachable and is dropped."""
        if self._open:
            self._placed[self._current] = Block(tuple(self._instructions), terminator)
            self._open = False

    @property
    def current(self) -> int:
        """The label of the block that is being written."""
        return self._current

    @property
    def reachable(self) -> bool:
        """Can control come to where the next instruction would stand?"""
        return self._open

    @property
    def placed(self) -> Mapping[int, Block]:
        """The blocks that are finished, by label."""
        return self._placed

    @contextmanager
    def before_the_end_of(self, label: int) -> Iterator[None]:
        """Add to a block, which may be finished."""
        if label == self._current and self._open:
            yield
            return
        around, block = (self._current, self._instructions, self._open), self._placed[label]
        self._current, self._instructions, self._open = label, list(block.instructions), True
        yield
        self._placed[label] = Block(tuple(self._instructions), block.terminator)
        self._current, self._instructions, self._open = around

    def temporary(self, type: Scalar) -> Register:
        """A register for an intermediate value."""
        self._temporaries += 1
        return Register(f"{self._temporaries}", type)

    def reserve(
        self,
        name: str,
        element: Element,
        shape: tuple[int, ...],
        space: Space,
        alignment_bytes: int = ALIGNMENT_BYTES,
        pointer: bool = False,
    ) -> ArrayOperand:
        """Storage of a fixed shape in shared or local memory."""
        offset = self._place(space, math.prod(shape) * element.bytes, max(alignment_bytes, ALIGNMENT_BYTES))
        return ArrayOperand(name, element, len(shape), space, shape, offset, pointer=pointer)

    def constant(self, name: str, element: Element, array: Any, layout: str) -> ArrayOperand:
        """A NumPy array as it is now, in constant memory; the same array again is the same constant."""
        if id(array) not in self._constants:
            offset = self._place(Space.CONSTANT, array.nbytes, ALIGNMENT_BYTES)
            frozen = ArrayOperand(
                name, element, array.ndim, Space.CONSTANT, array.shape, offset, layout, data=array.copy("K")
            )
            # with the array itself: nothing else may be made at its address while this id stands for it
            self._constants[id(array)] = array, frozen
        return self._constants[id(array)][1]

    def _place(self, space: Space, size: int, alignment_bytes: int) -> int:
        offset = -(-self.bytes_used[space] // alignment_bytes) * alignment_bytes
        self.bytes_used[space] = offset + size
        return offset

    def value(
        self,
        opcode: Opcode,
        type: Scalar,
        operands: tuple[Operand, ...],
        span: Span,
        *,
        into: Register | None = None,
        place: Place | None = None,
        detail: Detail | None = None,
        result: Scalar | None = None,
    ) -> Register:
        """Add an instruction and return its destination: `into`, else a new temporary of type `result`."""
        destination = into if into is not None else self.temporary(result or type)
        self._append(Instruction(opcode, type, destination, operands, span, place, detail))
        return destination

    def store(self, place: Place, value: Operand, span: Span, cache: CacheOperator | None = None) -> None:
        """Write a value to memory."""
        self._append(Instruction(Opcode.STORE, value.type, None, (value,), span, place, cache))

    def _append(self, instruction: Instruction) -> None:
        if self._open:
            self._instructions.append(instruction)

    def hold(self, *operands: Operand) -> None:
        """These are needed again: the instructions that made them keep their destinations."""
        self._held.update(operands)

    def retarget(self, temporary: Operand, into: Register, among_last: int = 1) -> bool:
        """Let the instruction that made `temporary` compute straight into `into`, if it is among the last.

        Those behind it must use neither.
        """
        last = self._instructions[-among_last:] if self._open else []
        for back, instruction in enumerate(reversed(last), 1):
            made = instruction.destination
            if made is temporary and made is not None:
                if not made.is_temporary or into.type is not made.type or temporary in self._held:
                    return False
                self._instructions[-back] = replace(instruction, destination=into)
                return True
            if made is into or into in instruction.reads or temporary in instruction.reads:
                return False
        return False

    def also(self, label: int, register: Register, other: Register, number: Constant) -> None:
        """Where block `label` gives a register a constant, it gives `other` the same in its type, too.

        In the end there is one of the two only, if only one is read. What reads `other` behind means the
        value that it had before: the move stands behind that.
        """
        with self.before_the_end_of(label):
            given = [made.destination for made in self._instructions]
            place = len(given) - given[::-1].index(register)
            if other not in given[place:]:
                span = self._instructions[place - 1].span
                if any(other in made.reads for made in self._instructions[place:]):
                    place = len(given)
                move = Instruction(Opcode.MOVE, other.type, other, (number,), span)
                self._instructions.insert(place, move)
        self._doubled.add(register)

    def taken_back(self, register: Register) -> Operand:
        """What the last move of this block gave a register that nothing has read since; the move is dropped.

        The register itself, where there is no such move or its source has changed since.
        """
        for place in reversed(range(len(self._instructions))):
            made = self._instructions[place]
            if made.destination is register and made.opcode is Opcode.MOVE:
                source = made.operands[0]
                if all(later.destination is not source for later in self._instructions[place:]):
                    del self._instructions[place]
                    return source
            if made.destination is register or register in made.reads:
                break
        return register

    def branch(self, condition: Register, then: int, otherwise: int, span: Span) -> None:
        """Close the current block with a branch on a predicate."""
        assert condition.type is PRED
        self.end(Branch(condition, then, otherwise, span))

    def effect(
        self,
        opcode: Opcode,
        type: Scalar,
        operands: tuple[Operand, ...],
        span: Span,
        detail: Detail | None = None,
        place: Place | None = None,
    ) -> None:
        """Add an instruction without a result."""
        self._append(Instruction(opcode, type, None, operands, span, place, detail))

    def barrier(
        self, span: Span, opcode: Opcode = Opcode.BARRIER, operands: tuple[Operand, ...] = ()
    ) -> None:
        """All threads of the block meet here; `Opcode.RECEIVE` then reads what they voted, if they did."""
        after = self.label()
        self.end(Barrier(after, span, opcode, operands))
        self.place(after, span)

    def exchange(self, opcode: Opcode, operands: tuple[Operand, ...], span: Span) -> None:
        """The lanes that the first operand names meet here; `Opcode.RECEIVE` then reads what each got."""
        after = self.label()
        self.end(Exchange(opcode, operands, after, span))
        self.place(after, span)

    def finish(self, span: Span) -> Function:
        """Drop what cannot be reached, join straight lines, number blocks in source order, verify."""
        self.end(Return(span))
        blocks = simplified(control_flow.without_unread(self._placed, self._doubled))
        function = Function(
            self.name,
            self.source,
            tuple(self.parameters),
            blocks,
            self.bytes_used[Space.SHARED],
            self.bytes_used[Space.LOCAL],
            self.bytes_used[Space.CONSTANT],
            tiles=tuple(self.tiles),
        )
        verify.check(function)
        return function


def simplified(placed: Mapping[int, Block]) -> tuple[Block, ...]:
    """Skip empty blocks, append a block to its only predecessor, keep the reachable ones in order."""
    skip: dict[int, int] = {}
    for label in placed:
        target, seen = label, {label}
        while not placed[target].instructions and isinstance(end := placed[target].terminator, Jump):
            if end.target in seen:
                break
            target = end.target
            seen.add(target)
        skip[label] = target
    blocks = {
        label: Block(block.instructions, control_flow.renumber(block.terminator, skip))
        for label, block in placed.items()
    }
    order = list(blocks)
    entry = skip[order[0]]
    reachable = control_flow.reachable_from(blocks, entry)
    sources: dict[int, list[int]] = {label: [] for label in reachable}
    for label in reachable:
        for target in control_flow.successors(blocks[label].terminator):
            sources[target].append(label)
    moved = {label: label for label in order}
    for label in order:
        if label not in reachable or label == entry:
            continue
        before = sources[label]
        if len(before) == 1 and isinstance(blocks[moved[before[0]]].terminator, Jump):
            head = moved[before[0]]
            if head == label:
                continue
            blocks[head] = Block(
                blocks[head].instructions + blocks[label].instructions, blocks[label].terminator
            )
            for other, place in moved.items():
                if place == label:
                    moved[other] = head
            reachable.discard(label)
    kept = [entry] + [label for label in order if label in reachable and label != entry]
    number = {label: kept.index(place) for label, place in moved.items() if place in kept}
    return tuple(
        Block(blocks[label].instructions, control_flow.renumber(blocks[label].terminator, number))
        for label in kept
    )
