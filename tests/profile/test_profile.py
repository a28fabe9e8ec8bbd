"""What does `with gpusim.profile() as run:` count, and how is it read?"""

from __future__ import annotations

import gc
import html
import json
import tracemalloc

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import LaunchError, Livelock, OutOfBounds
from gpusim.events import GridObserver, MemoryAccess
from gpusim.measurements.ledger import summary
from gpusim.profile import run as run_module
from gpusim.reports import topics
from gpusim.runtime import settings


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


@cuda.jit
def past_the_end(x):
    x[cuda.grid(1)] = 1


@cuda.jit
def shared_sum(x):
    tile = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    cuda.syncthreads()
    cuda.atomic.add(x, 0, tile[t])


def test_the_ideal_is_never_more_than_what_was_taken():
    @cuda.jit
    def broadcast(x, out):
        out[cuda.threadIdx.x] = x[0]

    with gpusim.profile() as run:
        broadcast[1, 32](np.ones(1, np.float32), np.zeros(32, np.float32))
    assert (run.global_load_sectors, run.global_load_ideal_sectors) == (1, 1)


def test_the_counters_of_a_kernel_by_hand(scheduling):
    """i is computed in 5 instructions; then size, compare, branch; then load, multiply, store, leave."""
    with gpusim.profile("H200", scheduling=scheduling) as run:
        double[2, 64](np.ones(128, np.float32))
    assert run.kernels[0].ledger.total()["instructions"] == run.instructions
    assert run.thread_instructions == 32 * run.instructions
    assert run.as_dict()["kernels"][0]["lines"] == run.kernels[0].lines
    assert {name: value for name, value in list(run.counters().items())[2:] if value} == {
        "branches": 4,
        "global_load_requests": 4,
        "global_load_sectors": 16,
        "global_load_ideal_sectors": 16,
        "global_store_requests": 4,
        "global_store_sectors": 16,
        "global_store_ideal_sectors": 16,
        "active_lanes_per_instruction": 32.0,
        "sectors_per_request": 4.0,
    }


def test_every_counter_and_ratio_is_an_attribute():
    with gpusim.profile("H200") as run:
        shared_sum[1, 64](np.ones(64))
    for name, value in run.counters().items():
        assert getattr(run, name) == value
        assert name in dir(run)
    assert (run.atomics, run.barriers) == (2, 2)
    with pytest.raises(AttributeError, match="a run has no 'sectors'; did you mean `global_load_sectors` or"):
        run.sectors  # noqa: B018


def test_a_row_for_each_line_that_executed_in_order():
    with gpusim.profile("H200") as run:
        double[2, 64](np.ones(100, np.float32))
    assert [row["source"] for row in run.kernels[0].lines] == [
        "i = cuda.grid(1)",
        "if i < x.size:",
        "x[i] *= 2",
    ]
    rows = run.kernels[0].lines
    assert [row["line"] for row in rows] == [rows[0]["line"] + k for k in range(3)]
    assert (rows[1]["branches"], rows[1]["divergent_branches"]) == (4, 1)
    assert (rows[2]["global_load_requests"], rows[2]["global_load_sectors"]) == (4, 13)


def test_a_run_adds_its_launches():
    with gpusim.profile("H200") as run:
        double[1, 32](np.ones(32, np.float32))
        double[1, 32](np.ones(32, np.float64))
    assert [kernel.kernel for kernel in run.kernels] == ["double", "double"]
    assert run.global_load_sectors == 4 + 8
    assert run.sectors_per_request == 6


def test_a_run_without_a_launch_counts_nothing():
    with gpusim.profile() as run:
        pass
    assert set(run.counters().values()) == {0}


def test_profiles_nest():
    with gpusim.profile("H200") as outer:
        double[1, 32](np.ones(32))
        with gpusim.profile() as inner:
            double[1, 32](np.ones(32))
    double[1, 32](np.ones(32))
    assert (len(outer.kernels), len(inner.kernels)) == (2, 1)
    assert outer.instructions == 2 * inner.instructions


def test_a_profile_says_how_the_launch_ran(machine, scheduling):
    with gpusim.profile() as run:
        shared_sum[2, (8, 8)](np.ones(64))
    kernel = run.as_dict()["kernels"][0]
    assert kernel["device"] == machine
    assert (kernel["scheduling"], kernel["grid"], kernel["block"]) == (scheduling, [2, 1, 1], [8, 8, 1])
    assert kernel["shared_bytes_per_block"] == 512
    assert kernel["registers_per_thread"] > 0
    json.dumps(run.as_dict())


def test_the_same_run_prints_the_same(machine):
    texts = set()
    for _ in range(2):
        with gpusim.profile(schedule=5) as run:
            shared_sum[3, 64](np.ones(64))
        texts.add((repr(run), run._repr_html_()))
    assert len(texts) == 1


def test_a_profile_that_ends_in_an_error_keeps_what_it_counted():
    with gpusim.profile("H200") as run, pytest.raises(OutOfBounds):
        shared_sum[1, 64](np.ones(40))
    assert run.instructions > 0
    with gpusim.profile("H200") as after:
        double[1, 32](np.ones(32))
    assert len(run.kernels) == len(after.kernels) == 1


def test_a_launch_that_is_refused_is_not_in_the_run():
    with gpusim.profile("H200") as run, pytest.raises(LaunchError):
        double[1, 5000](np.ones(32))
    assert run.kernels == []


def test_a_ratio_without_a_denominator_is_zero():
    assert summary({})["sectors_per_request"] == 0
    assert summary({"instructions": 4, "thread_instructions": 10})["active_lanes_per_instruction"] == 2.5


def test_resources_of_a_launch_are_attributes_of_it_and_of_a_run_whose_launches_agree():
    with gpusim.profile("H200") as run:
        shared_sum[1, 64](np.ones(64))
    kernel = run.kernels[0]
    assert run.shared_bytes_per_block == kernel.shared_bytes_per_block == 512
    # 2 warps a block, 32 blocks: 64 warps is all there is room for
    assert (kernel.blocks_per_multiprocessor, kernel.theoretical_occupancy) == (32, 1.0)
    assert kernel.barriers == run.barriers == 2
    for name in topics.RESOURCES:
        assert getattr(run, name) == kernel.as_dict()[name]
        assert name in dir(run)
    with gpusim.profile("H200") as run:
        shared_sum[1, 64](np.ones(64))
        double[1, 32](np.ones(32))
    with pytest.raises(AttributeError, match="shared_bytes_per_block differs between the launches"):
        run.shared_bytes_per_block  # noqa: B018
    with pytest.raises(AttributeError, match="a launch has no 'sectors'; did you mean `global_load_sectors`"):
        kernel.sectors  # noqa: B018


def test_very_many_launches_are_counted_in_constant_memory(monkeypatch):
    monkeypatch.setattr(run_module, "MOST_LAUNCHES", 4)
    with gpusim.profile("H200") as run:
        for _ in range(10):
            double[1, 32](np.ones(32, np.float32))
            shared_sum[1, 64](np.ones(64))
    assert [(kernel.kernel, kernel.launches) for kernel in run.kernels] == [
        *[("double", 1), ("shared_sum", 1)] * 2,
        ("double", 8),
        ("shared_sum", 8),
    ]
    assert (run.barriers, run.as_dict()["launches"]) == (20, 20)
    assert run.kernels[-2].global_load_sectors == 8 * 4
    assert repr(run.kernels[-2]).startswith("double: 8 launches, the first with grid 1 × 1 × 1")


def kept_by(launches):
    """Bytes of the package that are still held when a profile of so many launches is over, and its run."""
    x = np.ones(32, np.float32)
    tracemalloc.start()
    with gpusim.profile("H200") as run:
        for _ in range(launches):
            double[1, 32](x)
    gc.collect()
    snapshot = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, "*/gpusim/*")])
    tracemalloc.stop()
    return sum(trace.size for trace in snapshot.traces), run


def test_a_profile_of_ten_times_as_many_launches_needs_no_more_memory(monkeypatch):
    monkeypatch.setattr(run_module, "MOST_LAUNCHES", 32)
    monkeypatch.setattr(run_module, "MOST_CALLS", 32)
    kept_by(2)
    few, _ = kept_by(60)
    many, run = kept_by(600)
    assert many - few < 540 * 64  # a launch that is kept takes thousands of bytes
    assert (run.global_load_requests, run.global_load_sectors) == (600, 2400)


def test_traces_are_kept_of_the_first_launches_only():
    with gpusim.profile("H200") as run:
        for _ in range(17):
            double[1, 32](np.ones(32, np.float32))
    assert run.kernels[15].trace.steps
    assert run.kernels[16].trace.steps == []
    assert "first 16 launches" in run.kernels[16].trace.too_large


@cuda.jit
def waits_for_its_own_warp(flag):
    if cuda.threadIdx.x == 0:
        while flag[0] == 0:
            pass
    else:
        flag[0] = 1


def test_a_launch_that_an_error_stopped_keeps_its_trace_and_the_error():
    with (
        pytest.raises(Livelock) as stopped,
        gpusim.profile("H200", scheduling="stack", step_budget=20) as run,
    ):
        waits_for_its_own_warp[1, 4](np.zeros(1, np.int32))
    assert run.kernels[0].error is stopped.value
    (variant,) = run.warp_report().as_dict()["variants"]
    assert variant["error"] == "Livelock"
    assert variant["frames"][-1]["event"].endswith("The launch stops here: Livelock.")
    assert "stops" not in variant["frames"][-2]["event"]


def test_a_launch_that_an_error_stopped_says_so():
    with gpusim.profile("H200") as run, pytest.raises(OutOfBounds) as stopped:
        past_the_end[1, 64](np.ones(32))
    said = f"OutOfBounds: {str(stopped.value).splitlines()[0]}"
    assert run.report().kernels[0].error == said
    assert f"ended by {said}\n" in repr(run)
    assert f"ended by {html.escape(said)}<" in run._repr_html_()


@pytest.mark.parametrize("kind", [KeyboardInterrupt, ZeroDivisionError])
def test_a_launch_that_was_interrupted_does_not_look_complete(kind):
    class Stops(GridObserver):
        wants = frozenset({MemoryAccess})

        def watches(self, launched):
            return self

        def observe(self, event):
            if event.kind == "store":
                raise kind

    with gpusim.profile("H200") as run:
        watched = settings.during(settings.changed(observer=Stops()))
        with pytest.raises(kind) as stopped, watched:
            double[1, 32](np.ones(32))
    assert run.kernels[0].error is stopped.value
    (variant,) = run.warp_report().variants
    assert variant.error == kind.__name__
    assert variant.frames[-1].event.endswith(f"The launch stops here: {kind.__name__}.")


def test_a_launch_that_was_completed_is_not_blamed_for_what_came_after():
    def launch_twice():
        double[1, 32](np.ones(32))
        double[1, 5000](np.ones(32))

    with pytest.raises(LaunchError), gpusim.profile("H200") as run:
        launch_twice()
    assert run.kernels[0].error is None
    assert run.warp_report().as_dict()["variants"][0]["error"] is None


def test_a_profile_takes_its_surroundings_from_where_it_is_entered():
    earlier = gpusim.profile()
    with gpusim.use("P100"), gpusim.profile() as outer, earlier as inner:
        double[1, 32](np.ones(32, np.float32))
    assert (outer.global_load_requests, inner.global_load_requests) == (1, 1)
    assert inner.kernels[0].device.name == "P100"


def test_a_profile_that_is_entered_again_counts_anew():
    twice = gpusim.profile("P100")
    with twice as first, twice as within:
        double[1, 32](np.ones(32, np.float32))
    with twice as second:
        double[1, 64](np.ones(64, np.float32))
    requests = [run.global_load_requests for run in (first, within, second)]
    assert requests == [1, 1, 2]
