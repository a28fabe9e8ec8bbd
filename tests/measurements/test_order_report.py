"""What orders two calls, as the happens-before view is told? The ways are the report's chains."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

import gpusim
from gpusim import cuda, cudart
from gpusim.measurements import order_report
from gpusim.reports.order import nexts
from tests.runtime.test_calls import CALLS, made
from tests.views import real


def walked(boxes, first, last):
    """The boxes on the way, as the view goes."""
    found = [first]
    while found[-1] != last and found[-1] >= 0:
        found.append(boxes[last].next[found[-1]])
    return found if found[-1] == last else []


@given(st.lists(CALLS, min_size=2, max_size=10))
def test_every_way_is_the_chain_of_the_report(program):
    report = made(program)
    (variant,) = order_report.of(report).variants
    for first, last in product(range(len(report.calls)), repeat=2):
        if first < last:
            chain = report.happens_before(first, last)
            assert walked(variant.boxes, first, last) == [call.number for call in chain.calls]
            for why, (a, b) in zip(chain.why, zip(chain.calls, chain.calls[1:], strict=False), strict=True):
                assert why in {arrow.why for arrow in variant.boxes[b.number].after if arrow.box == a.number}


def test_ways_are_the_shortest():
    """0 -> 1 -> 2 -> 3, and 0 -> 3; nothing leads to 4."""
    assert nexts([[], [0], [1], [2, 0], []]) == [(), (1,), (1, 2), (3, 2, 3), (-1, -1, -1, -1)]


def test_calls_without_an_event_race_and_say_where():
    """The host waits for the copy out only, and then writes to what the copy in may still read."""
    (variant,) = real.streams(events=False).order_report().variants
    assert [pair.boxes for pair in variant.pairs if pair.race] == [(0, 1), (0, 2), (0, 5), (1, 2)]
    assert "both touch parts[0:64], which is a race" in variant.pairs[0].says
    assert not real.streams(events=True).order_report().variants[0].pairs


@cuda.jit
def every_other(x, first):
    x[2 * cuda.grid(1) + first] = 1


def test_interleaved_bytes_are_no_race():
    """From the first byte to the last the two overlap, but they share none."""
    x = cuda.device_array(64)
    with gpusim.profile() as run:
        for first in (0, 1):
            every_other[1, 32, cuda.stream()](x, first)
    assert run.streams().unordered(0, 1)
    assert not run.streams().calls[1].met


def test_what_a_launch_in_the_default_stream_touches_is_not_known():
    free = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)[1]
    x = cuda.device_array(64)
    with gpusim.profile() as run:
        real.doubled[1, 64, free](x)
        real.doubled[1, 64](x)
    (pair,) = run.streams().order_report().variants[0].pairs
    assert not pair.race
    assert "is not recorded here" in pair.says


def test_very_many_calls_are_cut_off():
    there, pinned, stream = cuda.device_array(1), cuda.pinned_array(1), cuda.stream()
    with gpusim.profile() as run:
        for _ in range(70):
            there.copy_to_host(pinned, stream=stream)
    (variant,) = run.streams().order_report().variants
    assert (len(variant.boxes), variant.left_out) == (60, "10 more calls left out.")
