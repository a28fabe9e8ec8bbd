"""What does the replay of a launch say? Clocks and seconds, stalls by line, and which roof is nearest."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from gpusim.devices import get
from gpusim.devices.speeds import speeds
from gpusim.measurements.requests import SECTOR_BYTES
from gpusim.reports.timing import STALLS, LineTime, Roof, TimingReport
from gpusim.timing.hierarchy import DATA, Hierarchy
from gpusim.timing.model import Grid
from gpusim.timing.pipes import Pipe
from gpusim.timing.replay import Outcome

NEAR = 0.6  # of a roof: from there on it is what bounds a kernel
NAMES = tuple(STALLS)


def told(grid: Grid, theoretical_occupancy: float) -> TimingReport:
    """The time of one launch."""
    launched = grid.recorder.launched
    outcome, memory = grid.found
    cycles = grid.cycles(outcome, memory)
    device = launched.device
    represented = grid.represented / max(outcome.share, 1e-9)
    # what one multiprocessor has for what was replayed
    clocks = max(cycles - grid.speeds.grid_start, 1.0) * grid.multiprocessors / represented
    roofs = tuple(sorted(_roofs(grid, outcome, memory, clocks), key=lambda roof: -roof.used))
    near = roofs[0].used >= NEAR
    stalls = np.asarray(outcome.stalls).reshape(-1, len(NAMES))
    total = max(float(stalls.sum()), 1.0)
    return TimingReport(
        kernel=launched.function.name,
        launches=1,
        device=device.name,
        cycles=cycles,
        seconds=cycles / (device.clock_mhz * 1e6) + grid.speeds.events_microseconds * 1e-6,
        instructions=outcome.issued * represented,
        issue_slots=min(outcome.issued / (clocks * device.schedulers_per_multiprocessor), 1.0),
        achieved_occupancy=min(
            outcome.resident / clocks / device.max_warps_per_multiprocessor, theoretical_occupancy
        ),
        theoretical_occupancy=theoretical_occupancy,
        stalls=dict(zip(NAMES, (stalls.sum(axis=0) / max(outcome.issued, 1)).tolist(), strict=True)),
        bound_by=roofs[0].name if near else "latency",
        of_roof=roofs[0].used,
        roofs=roofs,
        flops=grid.recorder.flops,
        l2_bytes=memory.moved["l2"] * SECTOR_BYTES * represented,
        dram_bytes=memory.moved["dram"] * SECTOR_BYTES * represented,
        lines=tuple(_lines(grid, stalls, total)),
        source=grid.speeds.source,
    )


def _lines(grid: Grid, stalls: np.ndarray, total: float) -> Iterator[LineTime]:
    kernel = grid.recorder.launched.function.source
    for (source, line), row in sorted(
        zip(grid.program.lines, stalls, strict=True), key=lambda pair: (pair[0][0] != kernel, pair[0][1])
    ):
        clocks = float(row.sum())
        if clocks:
            shares = (row / clocks).tolist()
            yield LineTime(
                line=line,
                source=source.line(line).strip(),
                function="" if source == kernel else source.name,
                share=clocks / total,
                stalls={name: share for name, share in zip(NAMES, shares, strict=True) if share},
            )


def _roofs(grid: Grid, outcome: Outcome, memory: Hierarchy, clocks: float) -> Iterator[Roof]:
    """Every limit of the device that the launch could come near, in so many clocks of a multiprocessor."""
    device, speeds = grid.recorder.launched.device, grid.speeds
    hertz = device.clock_mhz * 1e6
    schedulers = device.schedulers_per_multiprocessor
    slots = clocks * schedulers
    gpu = grid.multiprocessors * hertz
    of_all = clocks * grid.sharing / grid.multiprocessors

    def roof(name: str, used: float, most: float, unit: str) -> Roof:
        used = min(used, 1.0)
        return Roof(name, used, used * most, most, unit)

    yield roof("issue", outcome.issued / slots, schedulers * gpu, "warp instructions/s")
    for pipe in Pipe:
        if pipe is not Pipe.CONTROL and outcome.busy[pipe]:
            interval = grid.program.intervals[pipe]
            most = schedulers * gpu / interval
            yield roof(f"{pipe.name} pipe", outcome.busy[pipe] / slots, most, "warp instructions/s")
    for name, used, sectors in (
        ("L1 and shared memory", memory.busy["l1"] / clocks, float(DATA * grid.multiprocessors)),
        ("L2", memory.busy["l2"] / of_all, speeds.l2_sectors),
        ("DRAM", memory.busy["dram"] / of_all, speeds.dram_sectors),
    ):
        yield roof(name, used, sectors * SECTOR_BYTES * hertz, "bytes/s")
    if memory.busy["atomics"]:
        yield roof("atomics", memory.busy["atomics"] / of_all, hertz / speeds.atomic_interval, "requests/s")
    interval = speeds.block_interval * grid.multiprocessors
    yield roof(
        "block launches", len(outcome.ends) * interval / clocks, hertz / speeds.block_interval, "blocks/s"
    )


def together(reports: Sequence[TimingReport]) -> TimingReport:
    """Several launches, one after the other; what bounds them is what bounds the one that took longest."""
    if len(reports) == 1:
        return reports[0]
    longest = max(reports, key=lambda each: each.seconds)
    cycles = sum(each.cycles for each in reports)
    instructions = sum(each.instructions for each in reports)
    names = dict.fromkeys(each.kernel for each in reports)
    by_line: defaultdict[tuple[object, ...], list[tuple[float, LineTime]]] = defaultdict(list)
    for each in reports:
        for line in each.lines:
            place = each.kernel, line.function, line.line, line.source
            by_line[place].append((each.cycles / cycles * line.share, line))

    def mean(name: str) -> float:
        values: list[float] = [getattr(each, name) for each in reports]
        found = math.fsum(value * each.cycles for value, each in zip(values, reports, strict=True)) / cycles
        return min(max(found, min(values)), max(values))  # where all are alike, not the next number

    return replace(
        longest,
        kernel=", ".join(names),
        launches=len(reports),
        device=", ".join(dict.fromkeys(each.device for each in reports)),
        cycles=cycles,
        seconds=math.fsum(each.seconds for each in reports),
        instructions=instructions,
        issue_slots=mean("issue_slots"),
        achieved_occupancy=mean("achieved_occupancy"),
        theoretical_occupancy=mean("theoretical_occupancy"),
        stalls={
            name: math.fsum(each.stalls[name] * each.instructions for each in reports) / instructions
            for name in NAMES
        },
        flops=sum(each.flops for each in reports),
        l2_bytes=math.fsum(each.l2_bytes for each in reports),
        dram_bytes=math.fsum(each.dram_bytes for each in reports),
        lines=tuple(map(_line_of_several, by_line.values())),
    )


def of_tree(reports: Sequence[TimingReport], cycles: float, idle: float) -> TimingReport:
    """Grids of which the first led to the others, which takes so many cycles; idle: the part without work."""
    found = together(reports)
    device = get(reports[0].device)
    seconds = cycles / (device.clock_mhz * 1e6)
    roofs, bound_by, of_roof = found.roofs, found.bound_by, found.of_roof
    if idle >= NEAR:
        rate = len(reports) / seconds
        roof = Roof("launches in kernels", idle, rate, rate / idle, "launches/s")
        roofs, bound_by, of_roof = (roof, *roofs), roof.name, idle
    seconds += speeds(device).events_microseconds * 1e-6
    return replace(found, cycles=cycles, seconds=seconds, roofs=roofs, bound_by=bound_by, of_roof=of_roof)


def _line_of_several(parts: Sequence[tuple[float, LineTime]]) -> LineTime:
    """A line of several launches; with each its share of the time of all."""
    share = math.fsum(part for part, _ in parts)
    stalls = {
        name: math.fsum(part * line.stalls[name] for part, line in parts if name in line.stalls) / share
        for name in NAMES
        if any(name in line.stalls for _, line in parts)
    }
    return replace(parts[0][1], share=share, stalls=stalls)
