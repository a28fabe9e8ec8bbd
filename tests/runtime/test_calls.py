"""What orders two calls of the host? Against the plain closure of the rules, on random programs of calls."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from gpusim import cuda, cudart

LANES = ("default", "blocking", "blocking too", "free", "free too")
BLOCKING = LANES[:3]
CALLS = st.one_of(
    st.tuples(st.just("work"), st.sampled_from(LANES), st.integers(0, 1)),
    st.tuples(st.sampled_from(("record", "wait")), st.sampled_from(LANES), st.integers(0, 1)),
    st.tuples(st.just("wait for stream"), st.sampled_from(LANES), st.just(0)),
    st.tuples(st.just("wait for event"), st.just("host"), st.integers(0, 1)),
    st.tuples(st.just("wait for all"), st.just("host"), st.just(0)),
    st.tuples(st.just("copy and wait"), st.sampled_from(LANES), st.just(0)),
)


def made(program):
    """The program's calls, as a profile keeps them."""
    streams = {"default": cuda.default_stream()}
    for name in LANES[1:]:
        flags = cudart.cudaStreamDefault if name in BLOCKING else cudart.cudaStreamNonBlocking
        streams[name] = cudart.cudaStreamCreateWithFlags(flags)[1]
    events = cuda.event(), cuda.event()
    pinned, there, back = cuda.pinned_array(1), cuda.device_array(1), np.zeros(1)
    do = {
        "work": lambda stream, _: there.copy_to_host(pinned, stream=streams[stream]),
        "record": lambda stream, event: events[event].record(streams[stream]),
        "wait": lambda stream, event: events[event].wait(streams[stream]),
        "wait for stream": lambda stream, _: streams[stream].synchronize(),
        "wait for event": lambda _, event: events[event].synchronize(),
        "wait for all": lambda *_: cuda.synchronize(),
        "copy and wait": lambda stream, _: there.copy_to_host(back, stream=streams[stream]),
    }
    with gpusim.profile() as run:
        for what, where, which in program:
            do[what](where, which)
    return run.streams()


def in_order(program):
    """All pairs (a, b) of which b begins when a is over: every rule for every pair, and then what follows."""
    pairs, recorded = set(), {}
    for b, (what, where, which) in enumerate(program):
        on_host = what.startswith("wait for")
        for a, (earlier, there, _) in enumerate(program[:b]):
            host_waited = earlier.startswith("wait for") or earlier == "copy and wait"
            same = there == where and not on_host and not earlier.startswith("wait for")
            legacy = not on_host and {there, where} <= set(BLOCKING) and "default" in (there, where)
            legacy &= not earlier.startswith("wait for")
            waits = what == "wait for all" and not earlier.startswith("wait for")
            if what == "wait for stream" and not earlier.startswith("wait for"):
                waits = there == where or (where == "default" and there in BLOCKING)
            if host_waited or same or legacy or waits:
                pairs.add((a, b))
        if what in ("wait", "wait for event") and which in recorded:
            pairs.add((recorded[which], b))
        if what == "record":
            recorded[which] = b
    for middle, first, last in product(range(len(program)), repeat=3):
        if (first, middle) in pairs and (middle, last) in pairs:
            pairs.add((first, last))
    return pairs


@given(st.lists(CALLS, min_size=1, max_size=10))
def test_a_chain_leads_from_one_call_to_another_if_the_rules_order_them(program):
    report, expected = made(program), in_order(program)
    for a, b in product(range(len(program)), repeat=2):
        chain = report.happens_before(a, b)
        assert bool(chain) == ((a, b) in expected), (program, a, b)
        assert report.unordered(a, b) == (not {(a, b), (b, a)} & expected)
        if chain:
            assert (chain.calls[0].number, chain.calls[-1].number) == (a, b)


@pytest.fixture
def chain():
    """The chain of a program of two streams, from its first call to its last."""
    one, two, done = cuda.stream(), cuda.stream(), cuda.event()
    there, host = cuda.device_array(1), cuda.pinned_array(1)
    with gpusim.profile() as run:
        there.copy_to_device(host, stream=one)
        done.record(one)
        done.wait(two)
        there.copy_to_host(host, stream=two)
    return run.streams().happens_before(0, 3)


def test_a_chain_says_why(chain):
    first, *later = str(chain).splitlines()
    assert first.startswith("copy (copy_to_device) in stream ")
    assert [line.rpartition(": ")[2] for line in later] == [
        "it is in the same stream",
        "it waits for the event",
        "it is in the same stream",
    ]
    assert chain.why == ("same stream", "event", "same stream")


def test_a_call_that_is_none_is_named():
    with gpusim.profile() as run:
        cuda.event().record()
    for pair in ((7, 0), (0, 7), (-1, 0)):
        with pytest.raises(gpusim.errors.ReportError, match=r"there is no call .*; the calls are 0 to"):
            run.streams().happens_before(*pair)


def test_streams_are_numbered_as_they_are_used_the_same_whenever_a_cell_is_run():
    program = [("work", "free", 0), ("work", "default", 0), ("work", "blocking", 0), ("work", "free", 0)]
    for _ in range(2):
        names = [call.stream for call in made(program).calls]
        assert names == ["stream 1", "default stream", "stream 2", "stream 1"]
