"""What did the schedulers of one multiprocessor do, clock by clock? A window of the replay.

The replay tells of every operation when it was issued and why its warp had waited. Here this becomes one
character per clock and warp. An operation issued at clock 7.3 stands in clock 7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from string import ascii_letters
from typing import Any

from gpusim.devices.device import Device
from gpusim.errors import ReportError
from gpusim.reports.timeline import (
    NOTHING,
    WAITS,
    Knob,
    Multiprocessor,
    PipeUnits,
    Timeline,
    TimelineLine,
    TimelineVariant,
    WarpTime,
    packed,
)
from gpusim.timing.model import Grid
from gpusim.timing.operations import Code, Operation, Stall
from gpusim.timing.pipes import Pipe, intervals
from gpusim.timing.recording import Recorder
from gpusim.timing.replay import Warp
from gpusim.whole import number_of

MOST_WARPS, MOST_CLOCKS = 32, 2000
AHEAD = 256  # clocks by which one scheduler's queue may be ahead of another's
PIPES = {Pipe.FP32: "F", Pipe.INT32: "I", Pipe.IMAD: "I", Pipe.FP64: "D", Pipe.SFU: "S", Pipe.LSU: "L",
         Pipe.TENSOR: "T", Pipe.CONTROL: "C"}  # fmt: skip
STATES: dict[Stall, str] = dict(
    zip([stall for stall in Stall if stall is not Stall.SELECTED], WAITS, strict=True)
)
MARKS = ascii_letters + "".join(map(chr, (*range(0xC0, 0x2C0), *range(0x4E00, 0x9FA6))))  # of lines


class _Enough(Exception):
    """All that is shown has happened."""


@dataclass
class _Row:
    """A warp: what it did in the window, and what it issued last."""

    warp: Warp
    states: list[str]
    lines: list[str]
    causes: list[str]
    issued: Operation | None = None
    due: dict[float, int] = field(default_factory=dict)  # when a register gets its value, from which line


class _Log:
    """Hears of every operation; `first` and `end` are clocks."""

    def __init__(self, first: int, end: int) -> None:
        self.first, self.end = first, end
        self.rows: dict[int, _Row] = {}

    def __call__(self, warp: Warp, number: int, at: float) -> None:
        if at > self.end + AHEAD:
            raise _Enough
        if number not in self.rows:
            nothing = [NOTHING] * (self.end - self.first)
            self.rows[number] = _Row(warp, nothing[:], nothing[:], nothing[:])
        row, operation = self.rows[number], warp.operations[warp.position]
        self._waited(row, operation, at)
        self._fill(row, at, at + operation.slots, PIPES[Pipe(operation.pipe)], operation.line)
        row.issued = operation

    def finish(self) -> None:
        """What warps wait for that issue nothing any more in the window."""
        for row in self.rows.values():
            warp = row.warp
            if row.issued is not None and row.issued.code is Code.EXIT:
                continue
            coming = warp.operations[warp.position] if warp.position < len(warp.operations) else row.issued
            if coming is not None:
                self._waited(row, coming, max((warp.ready[each] for each in coming.sources), default=0.0))

    def _waited(self, row: _Row, coming: Operation, until: float) -> None:
        """Why it did not issue until then, and for which line."""
        before, warp = row.issued, row.warp
        if before is not None and before.destination >= 0:
            row.due[warp.ready[before.destination]] = before.line
        for place, (why, since) in enumerate(warp.waited):
            later = warp.waited[place + 1 :]
            end = later[0][1] if later else until
            of_line = row.due.get(end)
            if before is not None and why in (Stall.BARRIER, Stall.BRANCH_RESOLVING):
                of_line = before.line
            over = end if end > since else self.end
            self._fill(row, since, over, STATES[Stall(why)], coming.line, of_line)

    def _fill(
        self, row: _Row, since: float, until: float, state: str, line: int, cause: int | None = None
    ) -> None:
        begin, end = max(int(since), self.first), min(int(until), self.end)
        for clock in range(begin - self.first, end - self.first):
            row.states[clock], row.lines[clock] = state, MARKS[line]
            row.causes[clock] = NOTHING if cause is None else MARKS[cause]


def timeline(
    recorder: Recorder, *, first: int = 0, clocks: int = 400, warps: int = MOST_WARPS, warm: bool = True
) -> Timeline:
    """Warps of one multiprocessor from clock `first` on; of many those of the first schedulers."""
    if not (first >= 0 and 0 < clocks <= MOST_CLOCKS and 0 < warps <= MOST_WARPS):
        raise ReportError(
            f"a timeline shows 1 to {MOST_CLOCKS} clocks and 1 to {MOST_WARPS} warps, from clock 0 or later, "
            f"not {clocks} and {warps} from {first}"
        )
    grid, log = Grid(recorder, warm), _Log(first, first + clocks)
    try:
        outcome, _ = grid.replayed(log)
        over = int(outcome.cycles)
    except _Enough:
        over = first + clocks
    log.finish()
    launched = recorder.launched
    rows = {number: row for number, row in sorted(log.rows.items()) if set(row.states) != {NOTHING}}
    if not rows:
        raise ReportError(
            f"nothing happens from clock {first} on: the multiprocessor is done at clock {over}"
        )
    clocks = max(
        clock + 1 for row in rows.values() for clock, state in enumerate(row.states) if state != NOTHING
    )
    device = launched.device
    variant = _variant(device, first, clocks, rows, warps)
    marks = sorted({mark for warp in variant.warps for mark in (warp.lines + warp.causes)} & set(MARKS))
    kernel = launched.function.source
    places = [(mark, *grid.program.lines[MARKS.index(mark)]) for mark in marks]
    lines = tuple(
        TimelineLine(mark, line, source.line(line).strip(), "" if source == kernel else source.name)
        for mark, source, line in places
    )
    name = launched.function.name
    return Timeline(name, (replace(variant, label=name, lines=lines),))


def _variant(device: Device, first: int, clocks: int, rows: Mapping[int, _Row], most: int) -> TimelineVariant:
    groups = [
        {number: row for number, row in rows.items() if row.warp.scheduler == scheduler}
        for scheduler in range(device.schedulers_per_multiprocessor)
    ]
    fitting = 1
    while fitting < len(groups) and sum(map(len, groups[: fitting + 1])) <= most:
        fitting += 1
    shown = [dict(list(group.items())[:most]) for group in groups[:fitting]]
    slots = [_slots([row.states[:clocks] for row in group.values()], clocks) for group in groups[:fitting]]
    tally = Counter(state for each in slots for state in each)
    used = sum(count for state, count in tally.items() if state.isupper())
    return TimelineVariant(
        label="",
        device=device.name,
        first=first,
        clocks=clocks,
        warps=tuple(
            WarpTime(
                number,
                row.warp.block,
                scheduler,
                *(packed("".join(each[:clocks])) for each in (row.states, row.lines, row.causes)),
            )
            for scheduler, group in enumerate(shown)
            for number, row in group.items()
        ),
        slots=tuple(map(packed, slots)),
        used=used,
        lost={state: count for state, count in tally.most_common() if not state.isupper()},
        lines=(),
        left_out=_left_out(len(rows) - sum(map(len, shown)), len(groups) - fitting),
        multiprocessor=multiprocessor(device),
    )


def _slots(rows: Sequence[Sequence[str]], clocks: int) -> str:
    """Per clock to which pipe the scheduler issued, or what most of its warps wait for."""
    found = []
    for clock in range(clocks):
        states = [row[clock] for row in rows if row[clock] != NOTHING]
        issued = [state for state in states if state.isupper()]
        often = Counter(states)
        found.append(issued[0] if issued else max(WAITS, key=lambda each: often[each]) if often else NOTHING)
    return "".join(found)


def _left_out(warps: int, schedulers: int) -> str:
    if not warps:
        return ""
    others = f", nor what {number_of(schedulers, 'more scheduler')} issued" if schedulers else ""
    return f"Not shown: {number_of(warps, 'more warp')} of this multiprocessor{others}."


def multiprocessor(device: Device) -> Multiprocessor:
    """What a device has in each: pipes, registers, memory. H200: 32 FP32 lanes for each of 4 schedulers."""
    schedulers, every = device.schedulers_per_multiprocessor, intervals(device)
    units = {
        Pipe.FP32: ("FP32", device.fp32_units),
        Pipe.INT32: ("INT32", device.int32_units),
        Pipe.FP64: ("FP64", device.fp64_units),
        Pipe.SFU: ("SFU", device.sfu_units),
        Pipe.LSU: ("LSU", device.load_store_units),
        Pipe.TENSOR: ("tensor", 0),  # not a lane's
        Pipe.CONTROL: ("control", 0),  # branches, barriers, ends: no pipe
    }
    return Multiprocessor(
        schedulers,
        tuple(
            PipeUnits(PIPES[pipe], name, count / schedulers, every[pipe])
            for pipe, (name, count) in units.items()
        ),
        f"{device.registers_per_multiprocessor // 256} KB",
        f"{device.l1_and_shared_bytes // 1024} KB",
    )


def explore_timeline(
    runs: Mapping[Any, Any],
    sliders: Sequence[str] = (),
    *,
    start: Any = None,
    title: str = "What the schedulers issue",
    **window: Any,
) -> Timeline:
    """How does the number of warps, or of independent instructions, change what is issued? For a timeline.

    runs: of each label a profiled run, or its timeline. With `sliders`, labels are values of theirs, tuples
    where there are several: `{(2, 1): run, …}` with ("warps", "independent sums"), one for each combination.
    start: the label that is shown first. window: what `run.timeline` takes, such as `first` and `clocks`.
    """
    if not runs:
        raise ReportError("a timeline has nothing to draw: pass at least one run")
    found = {
        label if isinstance(label, tuple) else (label,): each
        if isinstance(each, Timeline)
        else each.timeline(**window)
        for label, each in runs.items()
    }
    first = start if isinstance(start, tuple) else (start,)
    if start is not None and first not in found:
        raise ReportError(f"there is no run for the start {start!r}")
    order = list(found)
    if sliders:
        values = [list(dict.fromkeys(each)) for each in zip(*found, strict=True)]
        order = list(product(*values))
        if set(order) != set(found) or len(values) != len(sliders):
            raise ReportError(
                f"sliders {', '.join(sliders)} need one run for each combination of their values; "
                f"{len(found)} runs are no {' × '.join(str(len(each)) for each in values)} combinations"
            )
    return Timeline(
        title,
        tuple(replace(found[label].variants[0], label=_label(label, sliders)) for label in order),
        knobs=tuple(
            Knob(name, tuple(map(str, each)))
            for name, each in zip(sliders, values if sliders else (), strict=True)
        ),
        start=0 if start is None else order.index(first),
    )


def _label(label: tuple[Any, ...], sliders: Sequence[str]) -> str:
    """`Warps: 4, Independent sums: 1`, or without sliders what it is called."""
    if not sliders:
        return ", ".join(map(str, label))
    return ", ".join(f"{name}: {value}" for name, value in zip(sliders, label, strict=True))
