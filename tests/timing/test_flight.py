"""How many loads share a round trip to memory? Worked examples, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import ReportError


@cuda.jit
def one_after_the_other(link, out, hops):
    p = cuda.threadIdx.x
    for _ in range(hops):
        p = link[p]
    out[cuda.threadIdx.x] = p


@cuda.jit
def side_by_side(link, out, hops):
    p, q = cuda.threadIdx.x, cuda.threadIdx.x + 1
    for _ in range(hops):
        p, q = link[p], link[q]
    out[cuda.threadIdx.x] = p + q


@cuda.jit
def sums(x, out, n):
    total = x[0]
    for k in range(n):
        total += x[k]
    out[cuda.threadIdx.x] = total


@cuda.jit
def until_negative(x, out, n):
    total = x[0]
    for k in range(n):
        if x[k] < np.float32(0):
            break
        total += x[k]
    out[cuda.threadIdx.x] = total


@cuda.jit
def halves(x):
    x[cuda.threadIdx.x] *= 0.5


def flight(kernel, *arguments, device="H200", lanes=32):
    with gpusim.profile(device=device) as run:
        kernel[1, lanes](*arguments)
    return run.flight()


@pytest.mark.parametrize(("device", "lanes"), [("H200", 32), ("MetaX C500", 64)])
@pytest.mark.parametrize(("kernel", "loads"), [(one_after_the_other, 12), (side_by_side, 24)])
def test_a_list_takes_a_round_trip_for_each_hop_and_two_take_no_more(kernel, loads, device, lanes):
    link = np.roll(np.arange(lanes + 1, dtype=np.int32), 1)
    found = flight(kernel, link, np.zeros(lanes, np.int32), 12, device=device, lanes=lanes)
    assert (found.loads, found.round_trips) == (loads, 12)
    assert found.loads_in_flight == loads / 12


def test_a_compiler_puts_the_loads_of_four_trips_together():
    found = flight(sums, np.ones(16, np.float32), np.zeros(32, np.float32), 16)
    assert found.loads == 17
    assert found.round_trips <= 5


def test_an_atomic_whose_result_is_needed_is_a_round_trip_and_one_without_is_none():
    @cuda.jit
    def along(link, out, hops):
        p = cuda.threadIdx.x
        for _ in range(hops):
            p = cuda.atomic.max(link, p, 0)
        cuda.atomic.add(out, 0, p)

    found = flight(along, np.arange(32, dtype=np.int32), np.zeros(1, np.int32), 12)
    assert (found.loads, found.round_trips) == (0, 12)


def test_no_load_comes_before_the_decision_whether_it_happens():
    found = flight(until_negative, np.ones(16, np.float32), np.zeros(32, np.float32), 16)
    assert found.round_trips >= 16


def test_a_warp_without_loads_makes_no_round_trip():
    @cuda.jit
    def nothing(out):
        out[cuda.threadIdx.x] = 1

    found = flight(nothing, np.zeros(32, np.float32))
    assert (found.loads, found.round_trips, found.loads_in_flight) == (0, 0, 0)


def test_instructions_are_told_by_their_pipe():
    assert flight(halves, np.ones(32, np.float32)).pipes["FP64"] == 1
    assert flight(halves, np.ones(32, np.float64)).pipes["FP64"] == 1


def test_what_an_error_ended_is_not_followed():
    with gpusim.profile() as run, pytest.raises(gpusim.errors.OutOfBounds):
        halves[1, 32](np.zeros(8, np.float32))
    with pytest.raises(ReportError, match="an error ended it"):
        run.flight()
