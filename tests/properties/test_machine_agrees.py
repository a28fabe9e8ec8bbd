"""Does the machine leave what threads would, one at a time? Random kernels, every model, width and order.

A fixed few kernels are tried, the same in every run, each in turn and in one other order;
`--hypothesis-profile=hunt` tries a thousand new ones, each in three other orders.
Each kernel runs on a device of each width, so that it is written once for both.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from gpusim import devices
from gpusim.events import BlockIssued, Event, GridLaunched, GridObserver
from gpusim.ir import reference
from gpusim.ir.terminators import Return
from gpusim.runtime import settings
from tests.hunting import some
from tests.properties.kernels import Kernel, kernels

DEVICES = ("H200", "MetaX C500")
Dim3 = tuple[int, int, int]

BLOCKS = st.sampled_from(
    [(7, 1, 1), (1, 1, 1), (32, 1, 1), (33, 1, 1), (64, 1, 1), (9, 5, 1), (3, 4, 7), (8, 4, 3)]
)
GRIDS = st.sampled_from([(1, 1, 1), (2, 1, 1), (3, 1, 1), (1, 2, 1), (1, 1, 2)])
SEEDS = st.integers(0, 2**31)


class Executed(GridObserver):
    """Counts what each line's threads executed, and looks at every step."""

    wants = frozenset({BlockIssued})

    def __init__(self) -> None:
        self.lines: Counter[int] = Counter()
        self.instructions = self.thread_instructions = self.threads_that_left = 0

    def watches(self, launched: GridLaunched) -> Executed:
        self.blocks, self.block, self.per_block = launched.blocks, launched.block, launched.warps_per_block
        return self

    def observe(self, event: Event) -> None:
        assert isinstance(event, BlockIssued)
        lanes = event.active.shape[1]
        lane = np.arange(lanes)
        threads = math.prod(self.block) - event.warps % self.per_block * lanes
        assert event.active.any(axis=1).all(), "a warp executes with no lane active"
        assert not (event.active & (lane >= threads[:, None])).any(), "a lane without a thread executes"
        assert event.active_lanes == event.active.sum()
        assert len(set(event.warps.tolist())) == len(event.warps), "a warp is named twice in one step"
        if isinstance(self.blocks[event.block].terminator, Return):
            self.threads_that_left += event.active_lanes
        for line in reference.executed_lines(self.blocks[event.block], event.block):
            self.lines[line] += event.active_lanes
            self.instructions += len(event.warps)
            self.thread_instructions += event.active_lanes


def bits(arrays: list[Any]) -> list[bytes]:
    """The arrays' contents, bit for bit, except that one NaN is as good as another."""
    return [
        np.where(n == n, n, np.array(np.nan if n.dtype.kind == "f" else 0, n.dtype)).tobytes()
        for n in map(np.asarray, arrays)
    ]


def expected(kernel: Kernel, grid: Dim3, block: Dim3, device: str) -> tuple[list[bytes], Counter[int]]:
    """What the reference leaves in memory, and what its threads executed on each line."""
    arguments = kernel.arguments(math.prod(grid) * math.prod(block))
    with settings.during(settings.changed(device)):  # masks are as wide as its warps
        function = kernel.function.compiled(*arguments)
    lines = reference.run(function, grid, block, arguments, devices.get(device).warp_size)
    return bits(arguments), lines


def simulated(kernel: Kernel, grid: Dim3, block: Dim3, observer: Any = None, **how: Any) -> list[bytes]:
    """What the machine leaves in memory."""
    arguments = kernel.arguments(math.prod(grid) * math.prod(block))
    with settings.during(settings.changed(**how, observer=observer)):
        kernel.function[grid, block](*arguments)
    return bits(arguments)


@given(kernel=kernels(), grid=GRIDS, block=BLOCKS, seeds=st.tuples(SEEDS, SEEDS))
def test_any_model_and_schedule_leave_what_the_reference_leaves(
    kernel: Kernel, grid: Dim3, block: Dim3, seeds: tuple[int, int]
) -> None:
    schedules = (None, *some(("serial", *seeds), 3, first=seeds[0]))
    for device in DEVICES:
        lanes = devices.get(device).warp_size
        memory, lines = expected(kernel, grid, block, device)
        for scheduling, schedule in product(kernel.models, schedules):
            executed = Executed()
            where = {"device": device, "scheduling": scheduling, "schedule": schedule}
            assert simulated(kernel, grid, block, executed, **where) == memory, f"arrays differ: {where}"
            assert executed.lines == lines, f"threads executed other instructions: {where}"
            assert executed.threads_that_left == math.prod(grid) * math.prod(block)
            assert executed.instructions <= executed.thread_instructions <= lanes * executed.instructions


@given(kernel=kernels(), grid=GRIDS, block=BLOCKS)
def test_a_profile_changes_nothing_and_counts_the_same_under_any_schedule(
    kernel: Kernel, grid: Dim3, block: Dim3
) -> None:
    """Threads' own counts do not depend on the order; only how many share an instruction does."""
    for device in DEVICES:
        bare = simulated(kernel, grid, block, device=device)
        totals = set()
        for scheduling, schedule in product(kernel.models, (None, 7)):
            arguments = kernel.arguments(math.prod(grid) * math.prod(block))
            with gpusim.profile(device, scheduling=scheduling, schedule=schedule) as run:
                kernel.function[grid, block](*arguments)
            assert bits(arguments) == bare
            counters = run.counters()
            totals.add(counters["thread_instructions"])
            assert counters["divergent_branches"] <= counters["branches"] <= counters["instructions"]
            assert counters["global_load_requests"] <= counters["global_load_sectors"]
            by_line = run.kernels[0].lines
            for name in ("instructions", "thread_instructions", "branches", "atomics", "barriers"):
                assert sum(row[name] for row in by_line) == counters[name]
        assert len(totals) == 1
