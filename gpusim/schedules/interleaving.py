"""In which order did the warps' lanes run, and what did they find in memory? For the schedule explorer.

W warps of the grid, L lanes a warp. A thread is its number in the grid's warps: warp × L + lane.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.errors import ReportError
from gpusim.events import BlockIssued, Event, GridLaunched, GridObserver, MemoryAccess
from gpusim.ir.details import SpecialRegister
from gpusim.ir.text import block_texts
from gpusim.ir.types import Space
from gpusim.measurements.elements import Numbering, named, text
from gpusim.measurements.trace import MOST_WARPS, hexadecimal
from gpusim.reports import schedule as reports
from gpusim.schedules.culprit import Byte, Read, Writes
from gpusim.whole import bit_pattern

MOST_STEPS = 400
MOST_ELEMENTS = 128  # an array of more is not drawn


@dataclass
class Step:
    """One warp's lanes execute (a part of) a source line. Reads and writes: elements by array."""

    warp: int
    line: int
    instructions: list[str]
    mask: str
    block: int
    reads: dict[str, list[int]] = field(default_factory=dict)
    writes: dict[str, list[tuple[int, str]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Seen:
    """What a thread saw or did at a step. Two runs of a thread are the same as long as `what` is.

    `read` is whose value it saw, of a read or an atomic.
    """

    step: int
    what: tuple[str, str, int, str]
    read: Read | None = None


@dataclass
class Pending:
    """What is being written to one element: by the last of some stores, or by all of some atomics."""

    step: int
    place: int
    octets: list[Byte]
    before: Any
    atomic: bool
    threads: list[int] = field(default_factory=list)


class Interleaving(GridObserver):
    """Records the steps of a small grid under `schedule`, which ends with outcome number `outcome`.

    `in_hexadecimal`: arrays of bit patterns. Raises `ReportError` where the grid is too large.
    """

    wants = frozenset({BlockIssued, MemoryAccess})

    def __init__(
        self, launched: GridLaunched, schedule: str | int, outcome: int, in_hexadecimal: Collection[str]
    ) -> None:
        warps = math.prod(launched.grid) * launched.warps_per_block
        if warps > MOST_WARPS:
            raise ReportError(
                f"the grid has {warps} warps, and schedules are shown for up to {MOST_WARPS}: "
                "explore a smaller grid"
            )
        self.event, self.schedule, self.outcome = launched, schedule, outcome
        self._texts = [block_texts(block, index) for index, block in enumerate(launched.blocks)]
        self._asks_mask = [
            [i.span.outermost.line for i in block.instructions if i.detail is SpecialRegister.ACTIVEMASK]
            for block in launched.blocks
        ]
        self._lanes = range(launched.device.warp_size)
        self.steps: list[Step] = []
        self.cut = False
        self.initial: dict[str, list[str]] = {}
        self.spaces: dict[str, str] = {}
        self.seen: dict[int, list[Seen]] = {}
        self._current: dict[int, list[int]] = {}  # the steps of a warp's basic block
        self._in_hexadecimal = in_hexadecimal
        self._turns: Counter[tuple[str, int]] = Counter()
        self._writes = Writes()
        self._pending: dict[tuple[str, int], Pending] = {}
        self._memory: npt.NDArray[Any] = np.zeros(0)

    def observe(self, event: Event) -> None:
        self._settle()
        match event:
            case _ if self.cut:
                pass
            case BlockIssued():
                for warp, active in zip(event.warps.tolist(), event.active, strict=True):
                    self._issue(event.block, warp, active)
                self.cut = len(self.steps) >= MOST_STEPS
            case MemoryAccess() if event.space is not Space.LOCAL:
                for name, elements, access in named(event, self.event.arrays):
                    self._access(access, name, elements)

    def ended(self, error: BaseException | None) -> None:
        """What the last access left in memory is the end of the story."""
        self._settle()

    def _issue(self, block: int, warp: int, active: npt.NDArray[np.bool_]) -> None:
        mask = hexadecimal(active)
        self._current[warp] = []
        # lanes that ran the first part of a line just now, and go on with it, stay at their step
        last = self.steps[-1] if self.steps and self.steps[-1].block < block else None
        for span, listed in self._texts[block]:
            line = span.outermost.line
            if last is None or (last.warp, last.line, last.mask) != (warp, line, mask):
                last = Step(warp, line, [], mask, block)
                self.steps.append(last)
            last.instructions.append(listed)
            last.block = block
            number = len(self.steps) - 1
            if number not in self._current[warp]:
                self._current[warp].append(number)
        for line in self._asks_mask[block]:
            number = next(n for n in self._current[warp] if self.steps[n].line == line)
            for lane in np.flatnonzero(active).tolist():
                self._see(warp, lane, number, ("runs with", "", 0, f"0x{mask}"))

    def _see(
        self, warp: int, lane: int, step: int, what: tuple[str, str, int, str], read: Read | None = None
    ) -> None:
        self.seen.setdefault(warp * len(self._lanes) + lane, []).append(Seen(step, what, read))

    def _text(self, name: str, value: Any) -> str:
        return bit_pattern(value) if name.split(" ")[0] in self._in_hexadecimal else text(value)

    def _access(self, event: MemoryAccess, array: str, elements: Numbering) -> None:
        line = event.instruction.span.outermost.line
        for row, warp in enumerate(event.warps.tolist()):
            if not event.active[row].any():
                continue
            name, block = array, warp // self.event.warps_per_block
            if event.space is Space.SHARED and math.prod(self.event.grid) > 1:
                name = f"{name} of block {block}"
            shared = event.space is Space.SHARED
            if name not in self.initial:
                self.spaces[name] = event.space.value
                values = [] if shared else elements.values(event.memory, MOST_ELEMENTS)
                self.initial[name] = [self._text(name, value) for value in values]
            current = self._current[warp]
            while len(current) > 1 and self.steps[current[0]].line != line:
                current.pop(0)
            number = current[0]
            step, lanes = self.steps[number], np.flatnonzero(event.active[row]).tolist()
            places = event.elements[row]
            own = elements.at(event.addresses[row])
            if shared:  # nobody knows what it holds until somebody writes
                most = max(int(own[lane]) for lane in lanes) + 1
                self.initial[name] += [""] * (most - len(self.initial[name]))
            window = block if shared else 0
            octets = {
                lane: [(event.space.value, window, at + byte) for byte in range(event.width)]
                for lane, at in zip(lanes, event.addresses[row][lanes].tolist(), strict=True)
            }
            for lane in lanes:
                element, thread = int(own[lane]), warp * len(self._lanes) + lane
                after, made = self._writes.last(octets[lane]), self._writes.count
                read = Read(thread, number, (name, element), shared, after, made, self._writes)
                if event.kind == "load":
                    value = self._text(name, event.memory[places[lane]])
                    self._see(warp, lane, number, ("reads", name, element, value), read)
                elif event.kind == "atomic":
                    self._turns[name, element] += 1
                    turn = f"number {self._turns[name, element]}"
                    self._see(warp, lane, number, ("has its turn at", name, element, turn), read)
            touched = sorted({int(own[lane]) for lane in lanes})
            if event.kind != "store":
                step.reads[name] = sorted({*step.reads.get(name, []), *touched})
            if event.kind != "load":
                # of all that write one element at once, the last lane of the last warp has the last word
                for lane in lanes:
                    place, atomic = int(places[lane]), event.kind == "atomic"
                    new = Pending(number, place, octets[lane], event.memory[place].copy(), atomic)
                    pending = self._pending.setdefault((name, int(own[lane])), new) if atomic else new
                    self._pending[name, int(own[lane])] = pending
                    pending.step = number
                    pending.threads.append(warp * len(self._lanes) + lane)
                self._memory = event.memory

    def _settle(self) -> None:
        """What the last access left in memory."""
        for (name, element), made in self._pending.items():
            step, now = self.steps[made.step], self._memory[made.place]
            value, written = self._text(name, now), step.writes.setdefault(name, [])
            written[:] = [*(pair for pair in written if pair[0] != element), (element, value)]
            if not made.atomic:
                warp, lane = divmod(made.threads[0], len(self._lanes))
                self._see(warp, lane, made.step, ("writes", name, element, value))
            if not made.atomic or now.tobytes() != made.before.tobytes():
                self._writes.add(made.octets, (name, element), made.threads, made.step, step.line)
        self._pending.clear()

    def thread_name(self, thread: int) -> str:
        """`thread 37`, or `thread 37 of block 1` where there are several blocks."""
        warp, lane = divmod(thread, len(self._lanes))
        number = warp % self.event.warps_per_block * len(self._lanes) + lane
        several = math.prod(self.event.grid) > 1
        return (
            f"thread {number} of block {warp // self.event.warps_per_block}"
            if several
            else f"thread {number}"
        )

    def ran(self, before: int) -> list[tuple[int, int, int]]:
        """Which lanes of the warp of step `before` had run what until then? Steps, lines and masks."""
        warp = self.steps[before].warp
        rows = enumerate(self.steps[:before])
        return [(number, step.line, int(step.mask, 16)) for number, step in rows if step.warp == warp]

    @property
    def written(self) -> set[str]:
        """The arrays that somebody wrote to."""
        self._settle()
        return {name for step in self.steps for name in step.writes}

    def variant(self, parts: dict[reports.Part, int], drawn: set[str]) -> reports.ScheduleVariant:
        """The steps as they are drawn; `parts` numbers lines with their instructions, and grows."""
        steps = tuple(
            reports.Step(
                warp=step.warp,
                part=parts.setdefault(reports.Part(step.line, tuple(step.instructions)), len(parts)),
                mask=step.mask,
                reads={name: tuple(elements) for name, elements in step.reads.items() if name in drawn},
                writes={
                    name: tuple(reports.Written(*pair) for pair in pairs)
                    for name, pairs in step.writes.items()
                },
            )
            for step in self.steps
        )
        return reports.ScheduleVariant(
            label=str(self.schedule) if isinstance(self.schedule, str) else f"seed {self.schedule}",
            outcome=self.outcome,
            cut=self.cut,
            steps=steps,
            memory=tuple(
                reports.ArrayReport(name, self.spaces[name], tuple(values))
                for name, values in self.initial.items()
                if 0 < len(values) <= MOST_ELEMENTS and name in drawn
            ),
        )
