"""How many loads has a warp under way before it waits for one? Counted from the order, without a clock.

A warp issues in order, loads and all, until an instruction needs what a load has not brought yet. That wait
is one round trip to memory, and all loads that were under way are taken to be back after it. Four loads one
after the other, each at an address that the last one brought, are four round trips; side by side, one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from gpusim.devices.speeds import speeds
from gpusim.ir.types import Space
from gpusim.timing.code import Program, program
from gpusim.timing.operations import Code
from gpusim.timing.pipes import Pipe
from gpusim.timing.recording import Recorder, Steps
from gpusim.timing.replay import Warp

FAR = (Space.GLOBAL, Space.LOCAL)


@dataclass(frozen=True, slots=True)
class Flight:
    """What the warps of one multiprocessor have under way, per warp.

    `loads` of global and local memory, and in how many `round_trips` they come (what an atomic found there,
    if somebody needs it, takes one, too); `pipes`: instructions by the pipe that executes them, as "FP64".
    """

    loads: float
    round_trips: float
    pipes: Mapping[str, float]

    @property
    def loads_in_flight(self) -> float:
        """How many loads share a round trip?"""
        return self.loads / self.round_trips if self.round_trips else 0.0


def flight(recorder: Recorder) -> Flight:
    """What the recorded warps of a launch have under way, in the order in which a compiler puts it."""
    kernel = program(recorder.launched, speeds(recorder.launched.device))
    warps = recorder.steps(kernel.memory).values()
    pipes: Counter[str] = Counter()
    loads = trips = 0
    for steps in warps:
        more_loads, more_trips = _flown(kernel, steps, pipes)
        loads, trips = loads + more_loads, trips + more_trips
    count = max(len(warps), 1)
    return Flight(loads / count, trips / count, {name: number / count for name, number in pipes.items()})


def _flown(kernel: Program, steps: Steps, pipes: Counter[str]) -> tuple[int, int]:
    """Loads and round trips of one warp; its instructions are added to those of their pipes."""
    warp = Warp(steps, kernel.registers, scheduler=0, block=0, at=0.0)
    under_way: dict[int, str] = {}  # slots that a load or an atomic will fill
    loads = trips = 0
    while warp.go_on(kernel):
        for operation in warp.operations:
            needed = under_way.keys() & set(operation.sources)
            if operation.code is Code.RENAME:
                under_way.pop(operation.destination, None)
                under_way.update((operation.destination, under_way[source]) for source in needed)
                continue
            pipes[Pipe(operation.pipe).name] += operation.slots
            if needed:
                trips += 1
                under_way.clear()
            under_way.pop(operation.destination, None)
            if operation.code is Code.MEMORY and operation.destination >= 0 and operation.space in FAR:
                loads += operation.kind == "load"
                under_way[operation.destination] = operation.kind
    return loads, trips + ("load" in under_way.values())
