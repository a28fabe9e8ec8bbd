"""How long does a grid take? From what one multiprocessor took for its blocks, with those that were not recorded."""

from __future__ import annotations

import math
from heapq import heappop, heappush
from typing import Any

import numpy as np

from gpusim.devices.speeds import speeds as speeds_of
from gpusim.timing.code import program
from gpusim.timing.hierarchy import Hierarchy
from gpusim.timing.operations import Stall
from gpusim.timing.recording import Recorder
from gpusim.timing.replay import Outcome, replay

UNEVEN = 1.5  # times the mean: a block that has so much to do is worth looking at each


def timed(recorder: Recorder, *, warm: bool = True, log: Any = None) -> tuple[float, Outcome]:
    """Clocks of the whole grid, and what the replay of one multiprocessor found."""
    launched = recorder.launched
    device = launched.device
    speeds = speeds_of(device)
    kernel = program(launched, speeds)
    steps = recorder.steps(kernel.memory)
    by_block: dict[int, list[Any]] = {}
    for warp in sorted(steps):
        by_block.setdefault(warp // launched.warps_per_block, []).append(steps[warp])
    blocks = list(by_block.values())
    total = math.prod(launched.grid)
    active = min(total, device.multiprocessors)
    recorded = float(recorder.recorded)
    everything = float(recorder.work.sum())
    requests = (request for _, rows in steps.values() for row in rows for request in row)
    memory = Hierarchy(
        launched,
        speeds,
        requests,
        represented=everything / max(recorded, 1),
        multiprocessors=active,
        crowds=recorder.crowds(active),
        warm=warm,
    )
    outcome = replay(
        kernel,
        blocks,
        memory,
        speeds,
        schedulers=device.schedulers_per_multiprocessor,
        resident=recorder.resident,
        block_interval=speeds.block_interval * active,
        log=log,
    )
    whole = outcome.cycles
    work = recorder.work
    missing = everything / active - recorded
    per_instruction = _clocks_per_instruction(outcome, recorded, recorder)
    if work.max() > UNEVEN * work.mean() and total > active:
        alone = _alone(outcome, launched.warps_per_block)
        whole = _last_of(work, 1 / per_instruction, alone, active, recorder.resident)
    elif missing > 0:
        whole += missing * per_instruction
    return speeds.grid_start + whole, outcome


def _clocks_per_instruction(outcome: Outcome, recorded: float, recorder: Recorder) -> float:
    """Of further blocks, from when the first blocks were replaced on."""
    ends = sorted(outcome.ends)
    if len(ends) > recorder.resident and recorder.complete and not outcome.cut:
        half = len(ends) // 2
        per_block = (ends[-1] - ends[half - 1]) / (len(ends) - half)
        return per_block * len(ends) / recorded
    return outcome.cycles / max(recorded, 1)


def _alone(outcome: Outcome, warps: int) -> float:
    """Instructions per clock of one thread block that has a multiprocessor for itself."""
    shared = (Stall.NOT_SELECTED, Stall.MATH_PIPE_THROTTLE, Stall.LG_THROTTLE, Stall.MIO_THROTTLE)
    stalls = np.asarray(outcome.stalls).sum(axis=0)
    return warps * outcome.issued / max(stalls.sum() - sum(stalls[each] for each in shared), 1.0)


def _last_of(work: Any, rate: float, alone: float, multiprocessors: int, resident: int) -> float:
    """When is the last block over, if some have more to do than others? Whoever is free takes the next.

    A multiprocessor gets through `rate` instructions a clock, of which each of its blocks has its share, but
    never more than `alone`.
    """
    queue = work.tolist()[::-1]
    left: list[list[float]] = [[] for _ in range(multiprocessors)]
    heap: list[tuple[float, int]] = []
    for _ in range(resident):
        for blocks in left:
            if queue:
                blocks.append(queue.pop())
    clock = [0.0] * multiprocessors

    def next_end(index: int) -> None:
        if left[index]:
            speed = min(alone, rate / len(left[index]))
            heappush(heap, (clock[index] + min(left[index]) / speed, index))

    for index in range(multiprocessors):
        next_end(index)
    last = 0.0
    while heap:
        last, index = heappop(heap)
        done = min(left[index])
        clock[index] = last
        left[index] = [each - done for each in left[index] if each > done]
        while queue and len(left[index]) < resident:
            left[index].append(queue.pop())
        next_end(index)
    return last
