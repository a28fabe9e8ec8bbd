"""Would a loop that counts go on beyond the step budget? Look at a million rounds of it at once.

Registers, and elements that the loop stores to, go on in straight lines, or are not known. If in all rounds
to come every branch decides the same, and every access means the same element, then all rounds go the way of
the last one: the loop can be called endless now, not a million steps later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from types import CodeType
from typing import Any

import numpy as np

from gpusim.events import Lanes
from gpusim.ir.instructions import Constant, Instruction, Kind, Opcode, Operand, Register
from gpusim.ir.terminators import Barrier, Branch, Jump
from gpusim.ir.types import Space
from gpusim.machine.emit import Site, expression, positions
from gpusim.machine.memory.bad_access import BadAccess
from gpusim.machine.memory.binding import AnyMemory
from gpusim.machine.special_registers import SpecialRegisters
from gpusim.machine.step import Rows, Step
from gpusim.machine.stored import Stored, Unforeseen
from gpusim.machine.straight import WIDEST, Line, computed, fits, guessed
from gpusim.machine.translate import Registers, Translation

MOST_ATTEMPTS = 6
FOLLOWED = {Kind.ARITHMETIC, Kind.COMPARE, Kind.SELECT, Kind.CONVERT, Kind.SPECIAL, Kind.EXTENT, Kind.MEMORY}
SUMS = {Opcode.ATOMIC_ADD: np.add, Opcode.ATOMIC_SUB: np.subtract}
PASSED_OVER = {Opcode.FENCE, Opcode.NANOSLEEP, Opcode.COPIES_COMMIT, Opcode.COPIES_WAIT}

Passed = tuple[int, Rows | None, Lanes | None]  # a block, the warps that ran it, and their lanes


class Foresight:
    """Looks ahead for a batch, whose registers and memory it does not change."""

    def __init__(
        self,
        translation: Translation,
        arrays: Sequence[AnyMemory],
        special_registers: SpecialRegisters,
        step: Step,
    ) -> None:
        self._translation, self._arrays = translation, arrays
        self._special_registers, self._step = special_registers, step
        self._slots: dict[Register, int] = {}
        self._code: dict[Instruction, tuple[list[Operand], dict[str, Any], list[CodeType]]] = {}

    def sees_no_end(self, way: Sequence[Passed], registers: Registers, steps: int) -> bool:
        """Will all these warps go that way again and again, for so many steps?"""
        rounds = steps // len(way) + 1
        self._slots = {register: slot for slot, register in enumerate(self._translation.stored)}
        if rounds > WIDEST or not all(self._can_follow(number) for number in {one[0] for one in way}):
            return False
        try:
            self._look_ahead(way, [Line(register) for register in registers], rounds)
        except (Unforeseen, BadAccess):
            return False
        return True

    def _can_follow(self, number: int) -> bool:
        block = self._translation.blocks[number]
        end = block.terminator
        if isinstance(end, Barrier) and end.named:
            return False
        return isinstance(end, Branch | Jump | Barrier) and all(
            i.opcode in PASSED_OVER
            or (
                (i.opcode.kind in FOLLOWED or i.opcode in SUMS)
                and (i.array is None or i.array.space is not Space.GENERIC)
            )
            for i in block.instructions
        )

    def _look_ahead(self, way: Sequence[Passed], now: list[Line], rounds: int) -> None:
        """First see what one round changes, then suppose that each does; give up what does not hold."""
        width = self._step.mask.shape[1]
        self._next_blocks = np.full((len(self._step.block_slots), width), -1)
        stored = Stored()
        after = self._round(way, now, stored, rounds)
        stored.complete = True
        rounds_apart = zip([*now, stored.before], [*after, stored.line], strict=True)
        lines = [guessed(line, next_line, rounds) for line, next_line in rounds_apart]
        for _ in range(MOST_ATTEMPTS):
            stored.line = lines[-1]
            after = [*self._round(way, lines[:-1], stored, rounds), stored.line]
            holds = [line.leads_to(next_line) for line, next_line in zip(lines, after, strict=True)]
            if all(np.all(one) for one in holds):
                return
            lines = [line._replace(known=line.known & one) for line, one in zip(lines, holds, strict=True)]
        raise Unforeseen

    def _round(self, way: Sequence[Passed], lines: Sequence[Line], stored: Stored, rounds: int) -> list[Line]:
        """The registers after one round. Raises `Unforeseen` where a later one could go another way."""
        lines, step = list(lines), copy(self._step)
        step.watched = False
        for number, rows, active in way:
            step.rows, step.active = rows, active
            mask, some = step.mask, slice(None) if rows is None else rows
            expected = self._next_blocks[some]
            if (mask & (expected != number) & (expected >= 0)).any():
                raise Unforeseen
            block = self._translation.blocks[number]
            values: dict[Operand, Line] = {}

            def read(operand: Operand, values: dict[Operand, Line] = values, rows: Any = rows) -> Line:
                if isinstance(operand, Constant):
                    return Line(operand.type.dtype.type(operand.value))
                return values[operand] if operand in values else lines[self._slots[operand]].of(rows)

            for instruction in block.instructions:
                if instruction.opcode not in PASSED_OVER:
                    line = self._execute(instruction, read, step, stored, rounds)
                    if line is not None and instruction.destination is not None:
                        values[instruction.destination] = line
            end: Any = block.terminator
            if isinstance(end, Branch):
                condition = read(end.condition)
                if (mask & ~condition.steady).any():
                    raise Unforeseen
                goes = np.where(condition.start, end.then, end.otherwise)
            else:
                goes = end.target
            self._next_blocks[some] = np.where(mask, goes, expected)
            for register, line in values.items():
                if isinstance(register, Register) and register in self._slots:
                    slot = self._slots[register]
                    lines[slot] = lines[slot].overwritten(line, rows, active)
        return lines

    def _execute(
        self,
        instruction: Instruction,
        read: Callable[[Operand], Line],
        step: Step,
        stored: Stored,
        rounds: int,
    ) -> Line | None:
        """Its result, if it has one, by the machine's own code."""
        operands, names, codes = self._compiled(instruction)
        known = names | {f"v{place}": read(operand).start for place, operand in enumerate(operands)}
        known |= {"A": self._arrays, "S": self._special_registers, "step": step, "rows": step.rows}
        results = [eval(code, known) for code in codes]
        given = [read(operand) for operand in instruction.operands]
        if not instruction.opcode.accesses_memory:
            return computed(instruction, given, results[0], rounds)
        assert instruction.place is not None
        for operand in instruction.place.operands:
            if (step.mask & ~read(operand).steady).any():
                raise Unforeseen
        places, array = results
        first = array.flat.__array_interface__["data"][0]
        addresses, contents = first + places * array.flat.itemsize, array.flat.take(places)
        if instruction.opcode is Opcode.LOAD:
            return stored.load(addresses, contents, step.mask)
        change = SUMS.get(instruction.opcode)
        if change and contents.dtype.kind not in "iu":
            raise Unforeseen
        stored.store(addresses, contents, given[0], step.mask, change)
        stored.line = stored.line._replace(known=stored.line.known & fits(stored.line, rounds))
        return Line(contents, known=np.False_) if change else None

    def _compiled(self, instruction: Instruction) -> tuple[list[Operand], dict[str, Any], list[CodeType]]:
        """The expressions that the machine evaluates for it: operands by number, other names, and code."""
        if instruction not in self._code:
            operands, names = list[Operand](), dict[str, Any]()

            def name(operand: Operand) -> str:
                operands.append(operand)
                return f"v{len(operands) - 1}"

            def bind(value: Any) -> str:
                names[f"c{len(names)}"] = value
                return f"c{len(names) - 1}"

            arrays = {array: place for place, array in enumerate(self._translation.arrays)}
            at = Site(instruction, name, bind, arrays, frozenset(), True, True, True)
            memory = instruction.opcode.accesses_memory
            texts = [positions(at), at.array] if memory else [expression(at)]
            self._code[instruction] = operands, names, [compile(text, "<ahead>", "eval") for text in texts]
        return self._code[instruction]
