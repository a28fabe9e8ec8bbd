"""How long does a grid take? From what one multiprocessor took for its blocks, with those that were not recorded."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gpusim.devices.speeds import speeds as speeds_of
from gpusim.timing.code import program
from gpusim.timing.hierarchy import Hierarchy
from gpusim.timing.recording import Recorder
from gpusim.timing.replay import Outcome, replay


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
    recorded = sum(recorder.work[block] for block in by_block)
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
    mine = np.asarray(recorder.work[:: device.multiprocessors])
    whole = outcome.cycles
    missing = everything / active - recorded
    if missing > 0 and outcome.ends:
        whole += missing * _rate(outcome, recorded, recorder.resident, len(mine))
    return speeds.grid_start + whole, outcome


def _rate(outcome: Outcome, recorded: float, resident: int, total: int) -> float:
    """Clocks per instruction of further blocks, from when the first blocks were replaced on."""
    ends = sorted(outcome.ends)
    if len(ends) > resident:
        half = len(ends) // 2
        per_block = (ends[-1] - ends[half - 1]) / (len(ends) - half)
        return per_block * len(ends) / recorded
    return outcome.cycles / recorded
