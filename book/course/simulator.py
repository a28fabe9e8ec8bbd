"""What does the simulator do between a launch and its numbers? For the page that takes one apart.

W warps of a batch, L lanes a warp. A launch here is stepped by hand: the machine's own `Grid`, without the
runtime that would run it to its end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from course.records import recorded
from gpusim.events import BlockIssued, Event, GridLaunched, GridObserver, MemoryAccess
from gpusim.ir.instructions import Instruction
from gpusim.ir.program import Function
from gpusim.ir.terminators import Branch
from gpusim.ir.text import block_texts, instruction_text
from gpusim.machine.batch import Turn
from gpusim.machine.grid import Grid
from gpusim.machine.models.independent import IndependentModel
from gpusim.machine.models.scheduling import SchedulingModel
from gpusim.measurements import coalescing
from gpusim.measurements.trace import hexadecimal
from gpusim.runtime import settings

TEMPORARY = re.compile(r"%\d+")
BOUND = re.compile(r"\bc\d+\b")
AT_MOST_STEPS = 5000


class Diary(GridObserver):
    """Follows every grid, and keeps its events of these kinds."""

    def __init__(self, *kinds: type) -> None:
        self.wants, self.events = frozenset(kinds), list[Any]()

    def watches(self, _launched: GridLaunched) -> Diary:
        """Every one."""
        return self

    def observe(self, event: Event) -> None:
        self.events.append(event)


class Step(NamedTuple):
    """One call of `step()`: the warps `rows` ran `block` under `masks`, hexadecimal, one a row.

    places: at which block every lane stood before, (W, L). kept: what the model knew of each warp, in words.
    """

    block: int
    rows: tuple[int, ...]
    masks: tuple[str, ...]
    places: tuple[tuple[int, ...], ...]
    kept: tuple[tuple[str, ...], ...]
    turn: Turn

    @property
    def off(self) -> dict[int, int]:
        """How many lanes are off, of those of its warps that are not full?"""
        counts = (len(self.places[0]) - int(mask, 16).bit_count() for mask in self.masks)
        return {row: count for row, count in zip(self.rows, counts, strict=True) if count}


@dataclass(eq=False)
class Launch:
    """A launch about to begin, on the device and under the order that `gpusim.use` chose."""

    kernel: Any
    blocks: int
    threads: int
    arguments: tuple[Any, ...]

    def __post_init__(self) -> None:
        now, self._diary = settings.current(), Diary(BlockIssued)
        self.function, values, _ = self.kernel._bound(self.arguments)
        shape = (self.blocks, 1, 1), (self.threads, 1, 1)
        self._configuration = now.configuration(self.function, *shape, values)
        self.blocks_at_once = self._configuration.blocks_at_once
        self._grid = Grid([self._configuration], now.grids.state, [(self._diary,)])

    def turns(self) -> Counter[Turn]:
        """What came of all its steps, until one did not run."""
        found: Counter[Turn] = Counter()
        while set(found) <= {Turn.RAN} and found.total() < AT_MOST_STEPS:
            found[self._grid.step()] += 1
        return found

    def steps(self) -> Iterator[Step]:
        """All of them, one after the other."""
        turn = Turn.RAN
        while turn is Turn.RAN:
            places, kept = self._standing()
            turn = self._grid.step()
            event = self._diary.events.pop()
            masks = tuple(map(hexadecimal, event.active))
            yield Step(event.block, tuple(event.warps.tolist()), masks, places, kept, turn)

    def _standing(self) -> tuple[Any, Any]:
        model = None if self._grid.batch is None else self._grid.batch.model
        if model is not None and model.together is None:
            kept = tuple(known(model, row) for row in range(len(model.alive)))
            return tuple(map(tuple, model.positions().tolist())), kept
        block = 0 if model is None or model.together is None else model.together
        warps = self.blocks_at_once * self._configuration.warps_per_block
        lanes = self._configuration.device.warp_size
        return ((block,) * lanes,) * warps, ((f"together = B{block}",),) * warps


def known(model: SchedulingModel, row: int) -> tuple[str, ...]:
    """What a model keeps of one warp: its stack, the top first, or who is ready where and who is expected."""
    digits = model.layout.lanes // 4
    if not isinstance(model, IndependentModel):
        return tuple(
            f"0x{mask:0{digits}x} at B{block}" + ("" if meeting is None else f", until B{meeting}")
            for _, mask, block, meeting in reversed(model.stack(row, 0))
        )
    kinds = {"ready": dict(enumerate(model.ready)), "parked": model.parked, "expected": model.expected}
    return tuple(
        f"{kind}[B{block}] = 0x{int(masks[row]):0{digits}x}"
        for kind, by_block in kinds.items()
        for block, masks in by_block.items()
        if masks[row]
    )


# one kernel in two languages ------------------------------------------------------------------------------


class Row(NamedTuple):
    """An instruction of two listings: its block, the line it comes from, its text in each, or ""."""

    block: int
    line: int
    left: str
    right: str

    @property
    def same(self) -> bool:
        """But for the names of temporary registers?"""
        return TEMPORARY.sub("%", self.left) == TEMPORARY.sub("%", self.right)


def instructions(function: Function, above: int = 0) -> list[tuple[int, int, str]]:
    """Block, line and text of each instruction. Lines count from the cell's first, `above` the function."""
    first = function.source.first_line - 1 - above
    return [
        (index, span.line - first, text)
        for index, block in enumerate(function.blocks)
        for span, text in block_texts(block, index)
    ]


def beside(left: Function, right: Function) -> list[Row]:
    """The IR of a kernel in both languages, side by side where operations are alike.

    The Python one begins its cell; above the C++ one is a line with `%%cuda`.
    """
    ours, theirs = instructions(left), instructions(right, above=1)
    operations, others = (
        [(b, line, text.split(".")[0]) for b, line, text in each] for each in (ours, theirs)
    )
    matcher = SequenceMatcher[tuple[int, int, str]](a=operations, b=others, autojunk=False)
    rows = []
    for _how, begin, end, its_begin, its_end in matcher.get_opcodes():
        for one, other in zip_longest(ours[begin:end], theirs[its_begin:its_end]):
            block, line, _ = one or other
            rows.append(Row(block, line, one[2] if one else "", other[2] if other else ""))
    return rows


def meeting(function: Function, block: int) -> int | None:
    """Where do lanes meet again that part at the end of a block? None, where they cannot part."""
    end = function.blocks[block].terminator
    parts = isinstance(end, Branch) and end.condition in function.divergent
    return function.reconvergence[block] if parts else None


# a basic block as Python ------------------------------------------------------------------------------------


def as_python(launch: Launch, block: int) -> str:
    """What runs for a block: the text of its function, with the values that `c1, c2, …` stand for."""
    function = launch._grid._translation.functions[block]

    def value(name: re.Match[str]) -> str:
        found = function.__globals__[name[0]]
        if isinstance(found, Instruction):
            return f"<{instruction_text(found)}>"
        return (
            f"np.{found.__name__}" if isinstance(found, np.ufunc) else str(getattr(found, "__name__", found))
        )

    return BOUND.sub(value, function.__doc__ or "")


# from event to counter --------------------------------------------------------------------------------------


def fields(event: MemoryAccess) -> list[tuple[str, str]]:
    """What an event says: its fields, with what they hold and mean."""
    shape = "{} × {}".format(*event.addresses.shape)
    mask = f"{shape} bool, here all true" if event.active.all() else f"{shape} bool"
    return [
        ("`space`, `kind`", f"{event.space.value}, {event.kind}"),
        ("`instruction`", f"`{instruction_text(event.instruction)}`, and with it the line"),
        ("`width`", f"{event.width} bytes for each lane"),
        ("`warps`", f"{event.warps.tolist()}"),
        ("`active`", f"{mask}: the mask"),
        (
            "`addresses`",
            f"{shape} numbers: where each lane's bytes begin. The first is {event.addresses.min():#x}",
        ),
    ]


def sectors_agreeing() -> tuple[int, int]:
    """Of the loads and stores recorded on an H200, how many does the rule of sectors count right?"""
    rows = [row for row in recorded("global_patterns")["rows"] if row[3] != "atomic_add"]
    equal = 0
    for _, _, _, kind, width, mask, offsets, _, sectors, *_ in rows:
        active = [int(mask, 16) >> lane & 1 == 1 for lane in range(32)]
        equal += coalescing.transactions([offsets], [active], width, "H200", kind).sectors.tolist() == [
            sectors
        ]
    return equal, len(rows)
