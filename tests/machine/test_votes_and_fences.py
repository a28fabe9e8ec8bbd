"""`syncthreads_count`, `_and`, `_or`; fences; atomics of a block's scope; and what observers hear of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import Deadlock
from gpusim.events import BarrierPassed, Event, FenceExecuted, LanesSynchronized
from gpusim.runtime import settings
from tests.observing import EveryGrid

DEVICES = ["H200", "P100", "MetaX C500"]
SCHEDULES = [None, "serial", 3]


@cuda.jit
def vote(x, out):
    i = cuda.grid(1)
    yes = x[i] > 0
    count = cuda.syncthreads_count(yes)
    everyone = cuda.syncthreads_and(yes)
    anyone = cuda.syncthreads_or(yes)
    out[i, 0] = count
    out[i, 1] = everyone
    out[i, 2] = anyone


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_block_votes(device: str, schedule: Any) -> None:
    x = np.zeros((3, 100), np.int32)
    x[0, :20] = 1
    x[1] = 1
    out = np.zeros((300, 3), np.int32)
    with gpusim.use(device, schedule=schedule):
        vote[3, 100](x.reshape(-1), out)
    expected = [[20, 0, 1], [100, 1, 1], [0, 0, 0]]
    np.testing.assert_array_equal(out, np.repeat(expected, 100, axis=0))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_threads_that_left_do_not_vote(schedule: Any) -> None:
    @cuda.jit
    def some_leave(out):
        i = cuda.threadIdx.x
        if i >= 40:
            return
        out[i] = cuda.syncthreads_and(i < 40) * 100 + cuda.syncthreads_count(i % 2 == 0)

    out = np.zeros(64, np.int32)
    with gpusim.use(schedule=schedule):
        some_leave[1, 64](out)
    np.testing.assert_array_equal(out, np.where(np.arange(64) < 40, 120, 0))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_loop_that_ends_by_a_vote(device: str, schedule: Any) -> None:
    """Label propagation: rounds until no thread of the block changes anything."""

    @cuda.jit
    def smallest_neighbour(labels, rounds):
        i = cuda.threadIdx.x
        changed = 1
        while cuda.syncthreads_or(changed):
            left = labels[i - 1] if i > 0 else labels[i]
            cuda.syncthreads()
            changed = 0
            if left < labels[i]:
                labels[i] = left
                changed = 1
            cuda.syncthreads()
            if i == 0:
                rounds[0] += 1

    labels, rounds = np.arange(48, dtype=np.int32)[::-1].copy(), np.zeros(1, np.int32)
    labels[0] = -1
    with gpusim.use(device, schedule=schedule):
        smallest_neighbour[1, 48](labels, rounds)
    assert (labels == -1).all()
    assert rounds[0] == 48


def test_a_vote_is_uniform_and_listed() -> None:
    text = vote.inspect_ir(np.zeros(1, np.int32), np.zeros((1, 3), np.int32))
    assert "bar.red.popc 0, %" in text
    assert "mov.s32" in text
    assert "%barrier" in text

    @cuda.jit
    def branches_on_it(out):
        if cuda.syncthreads_or(cuda.threadIdx.x == 3):
            out[cuda.threadIdx.x] = 1

    assert "uniform: never splits a warp" in branches_on_it.inspect_ir(np.zeros(1, np.int32))


def test_a_vote_that_nobody_completes_is_a_deadlock() -> None:
    @cuda.jit
    def half(out):
        if cuda.threadIdx.x < 16:
            out[0] = cuda.syncthreads_count(True)
        else:
            cuda.syncwarp(0xFFFFFFFF)

    with pytest.raises(Deadlock):
        half[1, 32](np.zeros(1, np.int32))


@cuda.jit
def fences(x):
    i = cuda.grid(1)
    x[i] += 1
    cuda.threadfence_block()
    cuda.threadfence()
    cuda.threadfence_system()
    cuda.nanosleep(100)
    if i < 8:
        cuda.syncwarp(0xFF)
        cuda.atomic.block.add(x, 0, 1)
    cuda.syncthreads()


class Heard(EveryGrid):
    """Keeps every event it wants."""

    wants = frozenset({BarrierPassed, FenceExecuted, LanesSynchronized})

    def __init__(self) -> None:
        self.events: list[Event] = []

    def observe(self, event: Event) -> None:
        self.events.append(event)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_observers_hear_of_fences_barriers_and_meetings(schedule: Any) -> None:
    heard = Heard()
    x = np.zeros(64, np.int32)
    with settings.during(settings.changed(schedule=schedule, observer=heard)):
        fences[1, 64](x)
    assert x.tolist() == [9] + [1] * 63
    lanes = {
        scope: sum(
            int(e.active.sum())
            for e in heard.events
            if isinstance(e, FenceExecuted) and e.scope.value == scope
        )
        for scope in ("cta", "gpu", "sys")
    }
    assert lanes == {"cta": 64, "gpu": 64, "sys": 64}
    met = [e for e in heard.events if isinstance(e, LanesSynchronized)]
    assert sum(int(e.active.sum()) for e in met) == 8
    passed = [e for e in heard.events if isinstance(e, BarrierPassed)]
    assert len(passed) == 1
    assert passed[0].warps.tolist() == [0, 1]
    assert passed[0].active.all()


def test_scopes_stand_in_the_listing() -> None:
    text = fences.inspect_ir(np.zeros(1, np.int32))
    for line in ("fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.acq_rel.sys", "nanosleep.u32 100"):
        assert line in text
    assert "atom.add.cta.global.s32" in text
