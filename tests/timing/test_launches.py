"""How long do trees of launches take? Small ones by hand, with figures that are round, and real ones."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda, cudart
from gpusim.devices.launching import Launching, launching
from gpusim.devices.speeds import speeds
from gpusim.errors import ReportError
from gpusim.ir.launched import LaunchedBy
from gpusim.timing import launches
from gpusim.timing.launches import WAITS, Own, Returned, TimedGrid, Tree

ROUND = Launching(
    issue=100, free=50, further_lane=5, begin=10, interval=2, follow=20, tail=70, host=80, source="by hand"
)
PENDING = cudart.cudaLimit.cudaLimitDevRuntimePendingLaunchCount


def leaf(clocks):
    return Own(clocks, {}, 1, 1, ROUND.issue, 0)


def launcher(clocks, *calls, blocks=1):
    return Own(clocks, {0: [Returned(*one) for one in calls]}, blocks, 1, ROUND.issue, 0)


def by(turn, *after, stream="default", warp=0):
    return LaunchedBy("", (0, 0, 0), (0, 0, 0), None, stream, 1, None, None, warp, turn, after)


def grid(own, parent=None, by=None, fills=0.01, blocks=1):
    return TimedGrid(parent, by, blocks, fills, own, 1)


def spans(*grids):
    """(begin, left, end) of each."""
    Tree(grids, ROUND).run()
    return [(one.begin, one.left, one.end) for one in grids]


def test_a_child_begins_after_the_call_and_its_parent_is_over_with_it():
    parent = launcher(150, (100, 0, 0))
    assert spans(grid(parent), grid(leaf(500), 0, by(0))) == [(0, 150, 610), (110, 610, 610)]


def test_in_a_stream_one_follows_the_other_and_in_two_they_run_side_by_side():
    parent = launcher(200, (100, 0, 0), (200, 0, 1))
    first = by(0)
    for second, begin in ((by(1, first), 110 + 500 + 20), (by(1), 210)):
        found = spans(grid(parent), grid(leaf(500), 0, first), grid(leaf(30), 0, second))
        assert found[2] == (begin, begin + 30, begin + 30)
        assert found[0] == (0, 200, max(610, begin + 30))


def test_tails_begin_after_all_children_one_after_the_other():
    parent = launcher(300, (100, 0, 0), (200, 0, 1), (300, 0, 2))
    tails = [grid(leaf(10), 0, by(turn, stream="tail launch")) for turn in (0, 1)]
    found = spans(grid(parent), *tails, grid(leaf(90), 0, by(2)))
    assert found[3] == (310, 400, 400)
    assert found[1:3] == [(470, 480, 480), (500, 510, 510)]
    assert found[0][2] == 510


def test_what_follows_waits_for_the_grids_that_its_predecessor_launched():
    first = by(0)
    found = spans(
        grid(launcher(200, (100, 0, 0), (200, 0, 1))),
        grid(launcher(100, (100, 0, 0)), 0, first),
        grid(leaf(5), 0, by(1, first)),
        grid(leaf(1000), 1, by(0)),
    )
    assert found[3] == (220, 1220, 1220)
    assert found[1] == (110, 210, 1220)
    assert found[2][0] == 1240


def test_who_waits_goes_on_when_its_children_are_over_and_its_room_is_theirs():
    """The block of the parent fills the device: without its room the child could not begin."""
    parent = launcher(300, (100, 0, 0), (120, 0, WAITS), (250, 0, 1))
    found = spans(grid(parent, fills=1.0), grid(leaf(400), 0, by(0), fills=1.0), grid(leaf(1), 0, by(1)))
    assert found[1] == (120, 520, 520)  # 10 after 100 there is no room yet
    assert found[0][1] == 300 + 400  # it waited from 120 to 520
    assert found[2][0] == 700  # launched at 650, and room from then on


def test_grids_share_the_device_in_the_order_in_which_they_come():
    """Of two that fill 60 % each, the second begins with 40 % and gets the rest when the first is over."""
    parent = launcher(100, (100, 0, 0))
    one, two = by(0), by(0)
    grids = [grid(parent), grid(leaf(120), 0, one, fills=0.6), grid(leaf(120), 0, two, fills=0.6)]
    found = spans(*grids)
    assert found[1] == (110, 230, 230)
    begin, _, end = found[2]
    assert begin == 112
    assert end == pytest.approx(230 + (120 * 0.6 - (230 - 112) * 0.4) / 0.6)


def test_the_last_turn_of_a_large_grid_leaves_room():
    parent = launcher(200, (10, 0, 0))
    found = spans(grid(parent, fills=1.25, blocks=5), grid(leaf(7), 0, by(0), fills=0.5))
    assert found[1] == (100, 107, 107)


def test_a_deep_chain():
    many = 3000
    chain = [grid(launcher(100, (100, 0, 0)))]
    chain += [grid(launcher(100, (100, 0, 0)), depth, by(0)) for depth in range(many)]
    found = spans(*chain)
    assert found[0] == (0, 100, found[-1][2])
    assert found[-1][0] == many * 110


def test_blocks_that_were_not_recorded_are_like_those_that_were():
    own = Own(1000.0, {0: [Returned(40, 0, 0)], 2: [Returned(540, 0, 0)]}, 2, 2, 100, 0)
    assert own.asks(1, {(0, 0)}) == [Returned(40, 0, 0)]
    assert own.asks(3, {(0, 0)}) == [Returned(540, 0, 0)]
    assert own.asks(3, {(0, 1)}) == [Returned(500 + 200, 0, 1)]  # one of which nothing is known


# kernels ----------------------------------------------------------------------------------------------------


@cuda.jit
def adds(x, rounds):
    for _ in range(rounds):
        x[cuda.threadIdx.x] += 1


@cuda.jit
def one_each(x, rounds):
    i = cuda.grid(1)
    adds[1, 32](x[32 * i : 32 * (i + 1)], rounds)


@cuda.jit
def one_after_the_other(x, rounds, many):
    for _ in range(many):
        adds[1, 32](x, rounds)


@cuda.jit
def two_streams(x, y, rounds):
    for array in (x, y):
        stream = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
        adds[1, 32, stream](array, rounds)


def timed(kernel, *arguments, grid=1, **choice):
    with gpusim.use(**choice), gpusim.profile() as run:
        kernel[grid, 1](*arguments)
    return run


def test_the_time_of_a_launch_is_that_of_its_tree():
    x = np.zeros(64, np.float32)
    run = timed(one_after_the_other, x, 50, 2)
    tree, figures = run.launch_tree(), launching("H200")
    parent, first, second = tree.grids
    assert first.begin == pytest.approx(parent.begin + 2 * 0 + figures.issue + figures.begin, rel=0.02)
    assert second.begin == pytest.approx(first.end + figures.follow)
    assert parent.begin < first.begin < parent.threads_end < second.begin < second.end == parent.end
    timing = run.timing()
    assert timing.cycles == pytest.approx(parent.end + figures.host)
    assert timing.launches == 3
    assert timing.seconds == pytest.approx(timing.cycles / 1.98e9 + speeds("H200").events_microseconds * 1e-6)
    assert run.kernels[0].timing().cycles == timing.cycles
    assert run.kernels[1].timing().cycles < timing.cycles / 2
    assert timing.bound_by == "launches in kernels"
    assert timing.of_roof == timing.roofs[0].used > 0.6


def test_two_launches_of_the_host_follow_each_other():
    x = np.zeros(64, np.float32)
    with gpusim.profile() as run:
        for _ in range(2):
            one_after_the_other[1, 1](x, 5, 1)
    (first, _, second, _), timing = run.launch_tree().grids, run.timing()
    assert second.begin == pytest.approx(timing.cycles / 2 + speeds("H200").grid_start, rel=1e-3)
    assert first.end < second.begin


def test_longer_children_take_longer_and_side_by_side_less_than_in_turn():
    few, many = (
        timed(one_each, np.zeros(256, np.float32), rounds, grid=8).timing().cycles for rounds in (5, 500)
    )
    assert many > few
    in_turn = timed(one_after_the_other, np.zeros(32, np.float32), 500, 8).timing().cycles
    assert in_turn > 2 * many


def test_under_cdp1_a_parent_that_waits_is_over_later():
    text = """
    __global__ void adds(float* x, int n) { for (int i = 0; i < n; ++i) x[threadIdx.x] += 1; }
    __global__ void parent(float* x, int n, int wait) {
      adds<<<1, 32>>>(x, n);
      if (wait) cudaDeviceSynchronize();
      x[0] += 1;
    }"""
    parent = gpusim.RawModule(code=text).get_function("parent")
    for wait in (0, 1):
        run = timed(parent, np.zeros(32, np.float32), np.int32(500), np.int32(wait), cdp=1)
        parent_grid, child = run.launch_tree().grids
        assert (parent_grid.threads_end > child.end) is bool(wait)
        assert parent_grid.end == max(parent_grid.threads_end, child.end)


def test_thousands_of_children_are_timed_by_the_first_few(monkeypatch):
    """Each alone would be replayed: 64 are, and the parent."""
    count = 3_000
    made = []
    monkeypatch.setattr(
        launches.Grid,
        "replayed",
        lambda grid, log=None, was=launches.Grid.replayed: made.append(1) or was(grid, log),
    )
    cudart.cudaDeviceSetLimit(PENDING, 2 * count)
    try:
        run = timed(one_each, np.zeros(32 * count, np.float32), 1, grid=count)
    finally:
        cudart.cudaDeviceSetLimit(PENDING, 2048)
    timing, tree = run.timing(), run.launch_tree()
    assert len(made) < 70
    assert timing.launches == count + 1
    assert timing.cycles > (count - 1) * launching("H200").interval
    assert tree.grids[-1].end == tree.grids[0].end


def test_children_that_are_yet_another_kernel_are_recorded_too():
    """Behind 64 grids of one kernel, the first of another is."""
    x = np.zeros(32 * 70, np.float32)
    with gpusim.profile() as run:
        for place in range(64):
            adds[1, 32](x[place * 32 :], 1)
        one_after_the_other[1, 1](x, 1, 1)
    with pytest.raises(ReportError, match="the first 64 launches of a profile are recorded"):
        run.timing()


def test_a_tree_in_which_an_error_ended_a_grid_has_no_time():
    x = np.zeros(64, np.float32)
    with gpusim.profile() as run, pytest.raises(gpusim.errors.OutOfBounds):
        one_each[4, 1](x, 1)
    assert all(one.begin is None for one in run.launch_tree().grids)
    with pytest.raises(ReportError, match="an error ended it"):
        run.timing()


def test_of_other_devices_the_clocks_are_assumed():
    assert launching("A100").source.startswith("assumed")
    assert launching("A100").issue / launching("H200").issue == pytest.approx(1410 / 1980)
