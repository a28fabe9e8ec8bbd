"""In which order did the warps' lanes run, and what did they find in memory? For the schedule explorer.

W warps of the grid, L lanes a warp. A thread is its number in the grid's warps: warp × L + lane.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.errors import ReportError
from gpusim.events import BlockIssued, Event, GridLaunched, GridObserver, MemoryAccess, Placement
from gpusim.ir.details import SpecialRegister
from gpusim.ir.text import block_texts
from gpusim.ir.types import BY_DTYPE, U32, Space
from gpusim.measurements.trace import MOST_WARPS, hexadecimal
from gpusim.reports import schedule as reports
from gpusim.reports.exploration import ExplorationReport
from gpusim.reports.source import SourceText
from gpusim.reports.warp import Warp

SENTENCES = {
    "runs with": "runs with the active mask {value}",
    "has its turn at": "has turn {value} at {where}",
    "writes": "writes {value} to {where}",
    "reads": "reads {value} from {where}",
}
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
    """What a thread saw or did at a step. Two runs of a thread are the same as long as `what` is."""

    step: int
    what: tuple[str, str, int, str]


@dataclass(frozen=True)
class Numbering:
    """Numbers of `width` bytes in an array, counted through its elements in order, the last axis fastest.

    Of `x[::-1]` number 0 is the one that lies last in memory. `origin` is the address of an event's `memory`,
    None where that is a copy of a few.
    """

    array: Placement
    element_bytes: int
    width: int
    origin: int | None

    def at(self, addresses: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Which number lies at each address?"""
        index, rest = self.array.index(addresses)
        element = np.zeros_like(addresses)
        for along, length in zip(index, self.array.shape, strict=True):
            element = element * length + along
        return (element * self.element_bytes + rest) // self.width

    def values(self, memory: npt.NDArray[Any]) -> list[str]:
        """What all of them hold; nothing where they are too many to be drawn, or only some are known."""
        count = math.prod(self.array.shape) * self.element_bytes // self.width
        if count > MOST_ELEMENTS or self.origin is None:
            return []
        elements = np.array([self.array.address])
        for length, stride in zip(self.array.shape, self.array.strides_bytes, strict=True):
            elements = np.add.outer(elements, np.arange(length) * stride).ravel()
        element, byte = np.divmod(np.arange(count) * self.width, self.element_bytes)
        places = (elements[element] + byte - self.origin) // self.width
        return [text(value) for value in memory[places]]


class Interleaving(GridObserver):
    """Records the steps of a small grid under `schedule`, which ends with outcome number `outcome`.

    Raises `ReportError` where the grid is too large to be drawn.
    """

    wants = frozenset({BlockIssued, MemoryAccess})

    def __init__(self, launched: GridLaunched, schedule: str | int, outcome: int) -> None:
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
        self._turns: Counter[tuple[str, int]] = Counter()
        self._pending: dict[tuple[str, int], tuple[int, int | None, int, int]] = {}
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
                for part in _numbers(event):
                    for name, elements, access in self._named(part):
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

    def _see(self, warp: int, lane: int, step: int, what: tuple[str, str, int, str]) -> None:
        self.seen.setdefault(warp * len(self._lanes) + lane, []).append(Seen(step, what))

    def _named(self, event: MemoryAccess) -> Iterator[tuple[str, Numbering, MemoryAccess]]:
        """The array that an access is to, and its elements; several where lanes follow their addresses."""
        operand = event.instruction.array
        assert operand is not None
        within = [array for array in self.event.arrays if array.space is event.space]
        addresses = event.addresses[event.active]
        origins = addresses - event.elements[event.active] * event.width
        origin = int(origins[0]) if (origins == origins[0]).all() else None
        if operand.space is not Space.GENERIC:
            memory, kind = operand.memory, event.memory.dtype
            seen_as = f" as {BY_DTYPE[kind]}" if kind != memory.element.dtype else ""
            array = next(a for a in within if a.name == memory.name and 0 <= addresses[0] - a.first < a.bytes)
            name = operand.name if operand.pointer else memory.name
            yield name + seen_as, Numbering(array, memory.element.bytes, event.width, origin), event
            return
        names = Counter(name for name, _ in {(array.name, array.first) for array in within})
        left = event.active
        for array in within:
            inside = left & (event.addresses >= array.first) & (event.addresses < array.first + array.bytes)
            left = left & ~inside
            name = f"{array.name} at {array.first:#x}" if names[array.name] > 1 else array.name
            if inside.any():
                own = replace(array, address=array.first, shape=(array.bytes,), strides_bytes=(1,))
                yield name, Numbering(own, 1, event.width, origin), replace(event, active=inside)

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
                self.initial[name] = [] if shared else elements.values(event.memory)
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
            for lane in lanes:
                element = int(own[lane])
                if event.kind == "load":
                    value = text(event.memory[places[lane]])
                    self._see(warp, lane, number, ("reads", name, element, value))
                elif event.kind == "atomic":
                    self._turns[name, element] += 1
                    turn = f"number {self._turns[name, element]}"
                    self._see(warp, lane, number, ("has its turn at", name, element, turn))
            touched = sorted({int(own[lane]) for lane in lanes})
            if event.kind != "store":
                step.reads[name] = sorted({*step.reads.get(name, []), *touched})
            if event.kind != "load":
                # of all that write one element at once, the last lane of the last warp has the last word
                for lane in lanes:
                    by_lane = lane if event.kind == "store" else None
                    self._pending[name, int(own[lane])] = warp, by_lane, number, int(places[lane])
                self._memory = event.memory

    def _settle(self) -> None:
        """What the last access left in memory."""
        for (name, element), (warp, lane, number, place) in self._pending.items():
            value, written = text(self._memory[place]), self.steps[number].writes.setdefault(name, [])
            written[:] = [*(pair for pair in written if pair[0] != element), (element, value)]
            if lane is not None:
                self._see(warp, lane, number, ("writes", name, element, value))
        self._pending.clear()

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


def _numbers(event: MemoryAccess) -> Iterator[MemoryAccess]:
    """The access; one of several numbers at once, such as a `float4`, number by number."""
    if event.memory.dtype.kind != "V":
        yield event
        return
    element = event.instruction.array.memory.element if event.instruction.array is not None else U32
    kind = element.dtype.base if element.dtype.names is None else element.dtype[0].base
    if kind.kind not in "biuf" or kind.itemsize > event.width:
        kind = U32.dtype
    memory, count = event.memory.view(kind), event.width // kind.itemsize
    for number in range(count):
        yield replace(
            event,
            width=kind.itemsize,
            addresses=event.addresses + number * kind.itemsize,
            memory=memory,
            elements=event.elements * count + number,
        )


def first_difference(traces: Sequence[Interleaving], pair: tuple[int, int]) -> reports.FirstDifference | None:
    """Where does a thread first see what it does not see in the other run? Steps of both, and a sentence.

    No thread saw anything else before, in the order of the first run; so the order alone made the difference.
    """
    a, b = (traces[number] for number in pair)
    found: tuple[Seen, Seen, int] | None = None
    for thread, seen in a.seen.items():
        pairs = zip(seen, b.seen.get(thread, []), strict=False)
        parted = next(((here, there) for here, there in pairs if here.what != there.what), None)
        if parted and (found is None or parted[0].step < found[0].step):
            found = *parted, thread
    if found is None:
        return None
    here, there, thread = found
    warp, lane = divmod(thread, a.event.device.warp_size)
    number = warp % a.event.warps_per_block * a.event.device.warp_size + lane
    block = f" of block {warp // a.event.warps_per_block}" if math.prod(a.event.grid) > 1 else ""
    return reports.FirstDifference(
        pair=pair,
        steps=(here.step, there.step),
        thread=f"thread {number}{block}",
        here=_sentence(here.what),
        there=_sentence(there.what),
    )


def report(traces: Sequence[Interleaving], exploration: ExplorationReport) -> reports.ScheduleReport:
    """Interleavings of one launch, with the first difference of every two."""
    event = traces[0].event
    source, lanes, parts = event.function.source, event.device.warp_size, dict[reports.Part, int]()
    threads = math.prod(event.block)
    drawn = set().union(*(trace.written for trace in traces))
    variants = tuple(trace.variant(parts, drawn) for trace in traces)
    places = (
        divmod(index, event.warps_per_block) for index in range(math.prod(event.grid) * event.warps_per_block)
    )
    pairs = combinations(range(len(traces)), 2)
    return reports.ScheduleReport(
        title=event.function.name,
        source=SourceText(source.name, source.first_line, source.lines),
        exploration=exploration,
        lanes=lanes,
        warps=tuple(Warp((block,), warp, min(lanes, threads - warp * lanes)) for block, warp in places),
        parts=tuple(parts),
        variants=variants,
        differences=tuple(found for pair in pairs if (found := first_difference(traces, pair)) is not None),
    )


def text(value: Any) -> str:
    """A value of memory as the picture shows it."""
    return f"{value:.4g}" if isinstance(value, np.floating) else str(value)


def _sentence(what: tuple[str, str, int, str]) -> str:
    kind, name, element, value = what
    return SENTENCES[kind].format(value=value, where=f"{name}[{element}]")
