"""When would a GPU do what the host asks for, and what do events measure?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda, cudart, devices
from gpusim.devices.speeds import link, speeds
from gpusim.errors import ReportError
from gpusim.runtime.streams import HostTimeWarning
from gpusim.timing.overlap import Engine, Need

ASKING = speeds("H200").events_microseconds


@cuda.jit
def scale(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


@cuda.jit
def spin(x, steps):
    i = cuda.grid(1)
    value = x[i]
    for _ in range(steps):
        value = value * value + 1
    x[i] = value


def test_an_engine_gives_room_where_it_is_free():
    engine = Engine()
    assert engine.take(0.0, Need(10.0, 0.5)) == (0.0, 10.0)
    assert engine.take(2.0, Need(10.0, 0.5)) == (2.0, 12.0)
    assert engine.take(3.0, Need(1.0, 0.25)) == (10.0, 11.0), "nothing is free before"
    assert engine.take(12.0, Need(1.0, 1.0)) == (12.0, 13.0)
    assert engine.take(0.0, Need(2.0, 0.5)) == (0.0, 2.0), "who can begin earlier does"


def test_what_fits_in_part_gets_on_with_that_part():
    """Three quarters of a device beside a half of it: until 8, two thirds as fast; as recorded on an H200."""
    engine = Engine()
    assert engine.take(0.0, Need(8.0, 0.5)) == (0.0, 8.0)
    start, end = engine.take(0.0, Need(8.0, 0.75))
    assert (start, end) == (0.0, pytest.approx(8 + (8 * 0.75 - 8 * 0.5) / 0.75))


def test_a_launch_that_an_error_ended_takes_no_time():
    x = cuda.to_device(np.ones(2, np.float32))
    with gpusim.profile() as run, gpusim.sanitize() as report:
        spin[1, 32](x, 1)
    assert not report.clean
    (launch,) = run.streams().calls
    assert launch.start == launch.end


def test_events_around_a_launch_measure_what_timing_says():
    start, end, x = cuda.event(), cuda.event(), cuda.to_device(np.ones(1 << 12, np.float32))
    with gpusim.profile() as run:
        start.record()
        scale[16, 256](x)
        end.record()
        inside = cuda.event_elapsed_time(start, end)
    assert inside == pytest.approx(1e3 * run.timing().seconds)
    assert cudart.cudaEventElapsedTime(start, end)[1] == start.elapsed_time(end) == inside, "also afterwards"


def in_streams(blocks, number, device):
    """How many microseconds do so many kernels take, in a stream each or in one?"""
    x = [cuda.to_device(np.ones(blocks * 256, np.float32)) for _ in range(number)]
    took = []
    for streams in ([cuda.stream() for _ in range(number)], [cuda.stream()] * number):
        with gpusim.profile(device) as run:
            for one, stream in zip(x, streams, strict=True):
                spin[blocks, 256, stream](one, 1000)
        took.append(run.streams())
    return took


def test_small_kernels_run_side_by_side_and_large_ones_do_not():
    apart, one_after_the_other = in_streams(2, 3, "H200")
    launches = apart.calls
    assert launches[1].start < launches[0].end
    assert [call.start for call in launches] == [pytest.approx(ASKING * n) for n in (1, 2, 3)]
    starts = [call.start for call in one_after_the_other.calls]
    assert starts[1:] == [call.end for call in one_after_the_other.calls[:-1]]
    large, _ = in_streams(8 * devices.get("TX2").multiprocessors, 2, "TX2")
    assert large.calls[1].start == large.calls[0].end


def test_copies_take_the_link_and_one_engine_a_direction():
    n = 1 << 20
    pinned, ordinary = [cuda.pinned_array(n, np.uint8) for _ in range(4)], np.zeros(n, np.uint8)
    there = [cuda.device_array(n, np.uint8) for _ in range(4)]
    with gpusim.profile() as run:
        for k in range(4):
            stream = cuda.stream()
            if k < 2:
                there[k].copy_to_device(pinned[k], stream=stream)
            else:
                there[k].copy_to_host(pinned[k], stream=stream)
        cuda.synchronize()
        there[0].copy_to_device(ordinary)
        cudart.cudaMemset(there[1], 0, n)
    first, second, third, fourth, wait, slow, zeroed = run.streams().calls
    way = link("H200")
    alone = way.latency_microseconds + n / way.pinned_gb_per_s / 1e3
    assert [c.end - c.start for c in (first, second, third, fourth)] == [pytest.approx(alone)] * 4
    assert second.start == first.end
    assert third.start < second.end
    assert fourth.start == third.end
    assert wait.end == max(second.end, fourth.end)
    assert slow.end - slow.start > 1.5 * alone
    assert slow.start == pytest.approx(wait.end + ASKING)
    assert zeroed.issued == pytest.approx(slow.end + ASKING)
    assert zeroed.engine == "multiprocessors"


def test_launches_that_were_not_recorded_take_the_time_of_one_alike(monkeypatch):
    from gpusim.profile import run as run_module

    monkeypatch.setattr(run_module, "MOST_RECORDED", 1)
    x = cuda.to_device(np.ones(256, np.float32))
    with gpusim.profile() as run:
        scale[1, 256](x)
        scale[1, 256](x)
    first, second = run.streams().calls
    assert first.end - first.start == pytest.approx(second.end - second.start)
    with gpusim.profile() as run:
        scale[1, 256](x)
        scale[2, 256](x)
        start, end = cuda.event(), cuda.event()
        start.record()
        end.record()
    with pytest.raises(ReportError, match="cannot be timed"):
        run.streams()
    with pytest.warns(HostTimeWarning):
        assert start.elapsed_time(end) > 0


def test_what_cannot_be_shown_is_refused():
    with gpusim.profile() as run:
        pass
    with pytest.raises(ReportError, match="asked for nothing"):
        run.streams()
    x = cuda.to_device(np.ones(256, np.float32))
    with gpusim.profile() as run:
        scale[1, 256](x)
        with gpusim.use("V100"):
            scale[1, 256](x)
    with pytest.raises(ReportError, match="several devices"):
        run.streams()


def test_the_report_as_text_and_html():
    host, there, stream = cuda.pinned_array(1 << 16), cuda.device_array(1 << 16), cuda.stream()
    with gpusim.profile() as run:
        there.copy_to_device(host, stream=stream)
        scale[256, 256, stream](there)
        stream.add_callback(lambda *_: None)
        stream.synchronize()
    report = run.streams()
    text = repr(report)
    assert text.splitlines()[0].startswith("scale on H200: ")
    for part in (
        f"{stream.name}",
        "host ",
        "copy to device",
        "launch of scale",
        "measured: 88%",
        "(same stream)",
    ):
        assert part in text
    host_lane = next(line for line in text.splitlines() if line.startswith("host "))
    assert "·" in host_lane
    html = report._repr_html_()
    assert '<pre role="img" aria-label="scale on H200' in html
    assert "launch of scale" in html
    assert [call.number for call in report.in_lane("multiprocessors")] == [1]


def test_calls_beyond_the_most_are_counted():
    from gpusim.profile import run as run_module

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_module, "MOST_CALLS", 3)
        with gpusim.profile() as run:
            for _ in range(5):
                cuda.synchronize()
    assert (len(run.streams().calls), run.streams().left_out) == (3, 2)
    assert "2 more calls are left out" in repr(run.streams())
