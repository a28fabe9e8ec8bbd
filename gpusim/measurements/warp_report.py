"""What did each warp of a traced launch do, step by step? The warp player's report."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from gpusim.errors import ReportError
from gpusim.ir.text import issued_text
from gpusim.measurements import block_report, elements
from gpusim.measurements.ledger import summary
from gpusim.measurements.telling import Teller
from gpusim.measurements.trace import MOST_CELLS, Step, Trace, by_warp, hexadecimal
from gpusim.reports import warp as reports
from gpusim.reports.source import SourceText
from gpusim.reports.warp import Frame, Given, SoFar, StackEntry, Touched
from gpusim.source import Source

RUNS = {"c": "everyone", "i": "if side", "e": "else side"}
KINDS = {"whole warp": "everyone", "reconverge": "meeting point"}


class Launch(block_report.Launch, Protocol):
    """Of a launch, also its source, how it was scheduled, and what ended it."""

    source: Source
    scheduling: str
    error: BaseException | None


def of(
    launch: Launch,
    trace: Trace,
    counts: Counter[str],
    values: Sequence[str] | None = None,
    in_hexadecimal: Collection[str] = (),
) -> reports.WarpReport:
    """The report of one launch, which counted `counts` in all. Raises `ReportError` if it was not traced.

    values: the variables to be shown in the lanes, all by default; the first one named is shown first.
    in_hexadecimal: variables and arrays that hold bit patterns.
    """
    traced(launch, trace)
    drawing = Drawing(trace, values, in_hexadecimal)
    frames = drawing.frames(type(launch.error).__name__ if launch.error else None)
    device = launch.device
    variant = reports.WarpVariant(
        label=f"{device.name}, {device.warp_size} lanes, {launch.scheduling}",
        device=device.product_name,
        lanes=device.warp_size,
        scheduling=launch.scheduling,
        error=type(launch.error).__name__ if launch.error else None,
        warps=warps_of(launch),
        frames=frames,
        totals=reports.WarpTotals(
            instructions=counts["instructions"],
            thread_instructions=counts["thread_instructions"],
            branches=counts["branches"],
            divergent_branches=counts["divergent_branches"],
            active_lanes_per_instruction=summary(counts)["active_lanes_per_instruction"],
        ),
        names=drawing.names,
        arrays=drawing.arrays(),
    )
    source = SourceText(launch.kernel, launch.source.first_line, launch.source.lines)
    return reports.WarpReport(launch.kernel, (variant,), source, shows=values[0] if values else "")


def traced(launch: Launch, trace: Trace) -> list[Step]:
    """All steps in the order in which they ran. Raises `ReportError` if the launch was not traced."""
    if trace.too_large:
        raise ReportError(f"{launch.kernel} was not traced: {trace.too_large}; launch a smaller grid")
    return trace.steps


def warps_of(launch: block_report.Launch) -> tuple[reports.Warp, ...]:
    """The warps of the grid in order."""
    threads, lanes = math.prod(launch.block), launch.device.warp_size
    return tuple(
        reports.Warp(place, warp, min(lanes, threads - warp * lanes))
        for place in block_report.coordinates(launch.grid)
        for warp in range(launch.warps_per_block)
    )


class Drawing:
    """The steps of a trace as a picture needs them: with sentences, and values as texts."""

    def __init__(self, trace: Trace, values: Sequence[str] | None, in_hexadecimal: Collection[str]) -> None:
        self._trace, self._hexadecimal = trace, in_hexadecimal
        known = list(dict.fromkeys(name for step in trace.steps for name in step.given))
        unknown = sorted({*(values or ()), *in_hexadecimal} - {*known, *trace.memories})
        if unknown:
            name = trace.launched.function.name
            raise ReportError(f"{name} gave nothing to {unknown[0]!r}, but to: {', '.join(known)}")
        self.names = tuple(known if values is None else values)
        self._places = {name: place for place, name in enumerate(self.names)}
        self._windows = {name: self._window(name) for name in trace.memories}
        self._arrays = {name: place for place, name in enumerate(trace.memories)}

    def frames(self, error: str | None) -> tuple[Frame, ...]:
        """All of them in the order in which they ran."""
        teller, found = Teller(self._trace), dict[int, Frame]()
        for steps in by_warp(self._trace.steps).values():
            stack: tuple[StackEntry, ...] = ()
            for step, after in pairwise([*steps, None]):
                assert step is not None
                stack, told = self._stack(step, stack), teller.tell(step, after)
                executed, by_threads = step.instructions, step.thread_instructions
                found[id(step)] = Frame(
                    warp=step.warp,
                    line=step.line,
                    instructions=tuple(map(issued_text, step.parts)),
                    states=_states(step),
                    stack=stack,
                    event=told.text,
                    active=int(step.active.sum()),
                    so_far=SoFar(executed, by_threads, round(by_threads / executed, 2)),
                    happens=told.happens,
                    taken="" if step.taken is None else hexadecimal(step.taken),
                    given=tuple(self._given(step)),
                    reads=tuple(self._touched((name, each, ()) for name, each in step.reads.items())),
                    writes=tuple(
                        self._touched((name, each, each.values()) for name, each in step.writes.items())
                    ),
                )
        frames = [found[id(step)] for step in self._trace.steps]
        if error and frames:
            last = frames[-1]
            text = f"{last.event} The launch stops here: {error}."
            frames[-1] = replace(last, event=text, happens="stop")
        return tuple(frames)

    def arrays(self) -> tuple[reports.ArrayBeside, ...]:
        """What is touched, with what it held before."""
        return tuple(
            reports.ArrayBeside(
                name,
                memory.space.value,
                window.start,
                tuple(self._text(name, memory.before[e]) if e in memory.before else "" for e in window),
            )
            for name, memory in self._trace.memories.items()
            for window in [self._windows[name]]
        )

    def _window(self, name: str) -> range:
        """The elements of an array that are drawn: all of a small one, else the first that are touched."""
        memory = self._trace.memories[name]
        if memory.elements <= MOST_CELLS:
            return range(memory.elements)
        touched = {
            element
            for step in self._trace.steps
            for kind in (step.reads, step.writes)
            for element in kind.get(name, ())
        }
        return range(min(touched), min(max(touched) + 1, min(touched) + MOST_CELLS))

    def _text(self, name: str, value: Any) -> str:
        if name in self._hexadecimal and np.issubdtype(np.asarray(value).dtype, np.integer):
            return f"{int(value) % (1 << 8 * np.asarray(value).itemsize):#x}"
        return {"True": "T", "False": "F"}.get(text := elements.text(value), text)

    def _given(self, step: Step) -> Iterator[Given]:
        for name, values in step.given.items():
            if name in self._places:
                yield Given(
                    self._places[name], _joined(self._text(name, value) for value in values[step.active])
                )

    def _touched(self, kinds: Iterable[tuple[str, Iterable[int], Iterable[Any]]]) -> Iterator[Touched]:
        for name, touched, values in kinds:
            window, held = self._windows[name], dict(zip(touched, values, strict=False))
            shown = sorted(element for element in touched if element in window)
            if shown:
                texts = _joined(self._text(name, held[element]) for element in shown) if held else ""
                yield Touched(self._arrays[name], _ranges(shown), texts)

    def _stack(self, step: Step, before: tuple[StackEntry, ...]) -> tuple[StackEntry, ...]:
        """Each entry keeps the name that it had when it came."""
        found = []
        for depth, entry in enumerate(step.state.stack):
            top = depth == len(step.state.stack) - 1
            held = before[depth] if depth < len(before) else None
            mask = hexadecimal(entry.mask)
            what = KINDS.get(entry.what, entry.what)
            if self._trace.launched.scheduling != "stack":
                what = RUNS[step.letter] if top else what
            elif held is not None and int(mask, 16) | int(held.mask, 16) == int(held.mask, 16):
                what = held.what if entry.what == "reconverge" else what
            found.append(
                StackEntry(
                    what=what,
                    mask=mask,
                    line=step.line if top else self._trace.line(entry.block),
                    reconverges_at=None if entry.meeting is None else self._trace.line(entry.meeting),
                )
            )
        return tuple(found)


def _states(step: Step) -> str:
    """One letter a lane; see `Trace` in the book's chapter on divergence."""
    active, state = step.active, step.state
    letters = np.full(len(active), "s")
    letters[active] = step.letter
    letters[state.at_barrier & ~active] = "b"
    letters[state.left & state.present & ~active] = "x"
    letters[~state.present] = "."
    return "".join(letters)


def _joined(texts: Iterable[str]) -> str:
    """With blanks between; one where all are the same."""
    found = [text.replace(" ", "") for text in texts]
    return found[0] if len(set(found)) == 1 else " ".join(found)


def _ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers: "0-7 12"."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return " ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in parts)
