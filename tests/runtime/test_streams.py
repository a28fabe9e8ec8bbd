"""In which order does work run, and what do events say?"""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from gpusim import cuda
from gpusim.errors import LaunchError, UnsupportedConstruct
from gpusim.events import BlockIssued, GridObserver
from gpusim.runtime import settings
from gpusim.runtime.streams import HostTimeWarning


@cuda.jit
def append(log, value):
    log[log[0]] = value
    log[0] += 1


def test_work_runs_in_the_order_in_which_it_is_issued():
    log = cuda.to_device(np.array([1, 0, 0, 0]))
    one, two = cuda.stream(), cuda.stream()
    ready = cuda.event()
    append[1, 1, one](log, 10)
    ready.record(one)
    ready.wait(two)
    append[1, 1, two](log, 20)
    with one.auto_synchronize() as stream:
        append[1, 1, stream](log, 30)
    two.synchronize()
    cuda.synchronize()
    assert log.copy_to_host(stream=two).tolist() == [4, 10, 20, 30]


def test_callbacks_and_coroutines_find_the_work_done():
    log, calls = cuda.to_device(np.array([1, 0])), []
    stream = cuda.stream()
    append[1, 1, stream](log, 5)
    stream.add_callback(lambda *given: calls.append((given, log[1])), "argument")
    assert calls == [((stream, 0, "argument"), 5)]

    async def wait():
        return await stream.async_done()

    assert asyncio.run(wait()) is stream


def test_default_streams():
    assert cuda.default_stream() is cuda.legacy_default_stream()
    assert cuda.per_thread_default_stream() is not cuda.default_stream()
    assert repr(cuda.default_stream()) == "<default stream>"
    assert repr(cuda.stream()).startswith("<stream ")
    with pytest.raises(UnsupportedConstruct, match=r"names a stream of a real GPU; use cuda\.stream\(\)"):
        cuda.external_stream(0)


@pytest.mark.parametrize("wrong", [None, 1, True, "stream"])
def test_a_stream_is_a_stream(wrong):
    for use in (lambda: cuda.to_device(np.zeros(1), stream=wrong), lambda: cuda.event().record(wrong)):
        with pytest.raises(LaunchError, match="a stream is what"):
            use()


def test_the_time_between_events_is_this_computers_and_says_so():
    start, end = cuda.event(), cuda.event()
    assert repr(start) == "<event, not recorded>"
    start.record()
    append[1, 1](np.array([1, 0]), 5)
    end.record()
    end.synchronize()
    assert end.query()
    with pytest.warns(HostTimeWarning, match="of the simulator on this computer, not of a GPU"):
        milliseconds = cuda.event_elapsed_time(start, end)
    assert 0 < milliseconds < 60_000
    with pytest.warns(HostTimeWarning):
        assert start.elapsed_time(end) == milliseconds


def test_events_without_a_time_have_none_between_them():
    recorded, untimed = cuda.event(), cuda.event(timing=False)
    recorded.record()
    with pytest.raises(LaunchError, match="the second event was never recorded"):
        cuda.event_elapsed_time(recorded, cuda.event())
    with pytest.raises(LaunchError, match="the first event keeps no time"):
        cuda.event_elapsed_time(untimed, recorded)


@cuda.jit
def counts(x):
    cuda.atomic.add(x, 0, 1)


class Launches(GridObserver):
    """Of the first grid that it sees, at one moment, it launches another."""

    wants = frozenset({BlockIssued})

    def __init__(self, moment, stream):
        self.moment, self.stream, self.x = moment, stream, np.zeros(1, np.int32)

    def watches(self, _launched):
        if self.moment is None:
            return None
        self.reach("watches")
        return self

    def observe(self, _event):
        self.reach("observe")

    def ended(self, error):
        assert error is None
        self.reach("ended")

    def reach(self, moment):
        if self.moment == moment:
            self.moment = None
            counts[2, 32, self.stream](self.x)


@pytest.mark.parametrize("stream", [0, cuda.stream()])
@pytest.mark.parametrize("moment", ["watches", "observe", "ended"])
def test_an_observer_may_launch_whatever_the_stream(moment, stream):
    """The launch does not wait for the one that it is made from, which waits for it."""
    observer, x = Launches(moment, stream), np.zeros(1, np.int32)
    with settings.during(settings.changed(observer=observer)):
        counts[3, 32, stream](x)
        counts[3, 32, stream](x)
    assert (x[0], observer.x[0]) == (192, 64)
