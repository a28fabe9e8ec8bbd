"""Grids that step, wait and are copied, and several of one kernel in one batch, which nobody can tell."""

from __future__ import annotations

import dataclasses
import typing
from types import SimpleNamespace

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import Livelock, OutOfBounds
from gpusim.events import BarrierReached, Event, GridObserver, StackEntry, WarpState
from gpusim.machine.batch import Turn
from gpusim.machine.grid import Grid
from gpusim.machine.memory.side_by_side import shared_places
from gpusim.machine.split_events import BY_WARP
from gpusim.runtime import settings, streams


@cuda.jit
def block_sums(x, total, scale):
    """Every thread block adds its numbers, in shared memory of the launch's size; lanes of it diverge."""
    shared = cuda.shared.array(0, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    shared[t] = x[i] * scale if i < x.size else 0.0
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if t < half:
            shared[t] += shared[t + half]
        cuda.syncthreads()
        half //= 2
    low = cuda.shfl_sync(cuda.activemask(), t, 0)
    if t == 0:
        cuda.threadfence()
        cuda.atomic.add(total, cuda.blockIdx.x % total.size, shared[low] * cuda.gridDim.x)


@cuda.jit
def wait_for(flag, seen):
    while cuda.atomic.add(flag, 0, 0) == 0:
        cuda.nanosleep(10)
    seen[0] = 1


@cuda.jit
def count_until(flag, count):
    while flag[0] == 0:
        count[0] += 1


@cuda.jit
def raise_late(count, enough, flag, delay):
    i = 0
    while i < delay:
        i += 1
    while count[0] < enough:
        pass
    flag[0] = 1


@cuda.jit
def raise_flag(flag):
    flag[0] = 1


def plain(value):
    """The same, with lists for arrays, and without what cannot be compared."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (WarpState, StackEntry)):
        return [plain(getattr(value, field.name)) for field in dataclasses.fields(value)]
    return [*map(plain, value)] if isinstance(value, tuple) else value


class Diary(GridObserver):
    """Everything that a grid's observers are told, with copies of arrays, in order; states as pictures."""

    wants = frozenset(BY_WARP)

    def __init__(self):
        self.pages, self.ends = [], []

    def observe(self, event):
        page = [type(event).__name__]
        for field in dataclasses.fields(event):
            value = getattr(event, field.name)
            if field.name == "memory":
                value = value[event.elements[event.active]]
            elif field.name == "elements":
                continue
            elif field.name == "addresses":
                value = np.where(event.active, value, 0)
            elif field.name == "state":
                value = tuple(map(value, range(len(event.warps))))
            page.append(repr(plain(value)))
        self.pages.append(page)

    def ended(self, error):
        self.ends.append(error)


class Diaries:
    """A diary for each grid, in the order of their launches."""

    def __init__(self):
        self.launched, self.all = [], []

    def watches(self, launched):
        self.launched.append(launched)
        self.all.append(Diary())
        return self.all[-1]


SHAPES = [(1, 32), (3, 64), (2, 128), (1, 8), (5, 32), (4, 96), (2, 16)]


def launches(count, where="host"):
    """Different arguments, grids, blocks and bytes of shared memory."""
    random = np.random.default_rng(count)
    made, device = [], cuda.to_device(np.zeros(1000 * count, np.float32))
    for number in range(count):
        grid, block = SHAPES[number % len(SHAPES)]
        values = random.integers(0, 9, 2 + number % 150).astype(np.float32)
        size, totals = len(values), 1 + number % 3
        x, total = values, np.zeros(totals, np.float32)
        if where == "allocations":
            x, total = cuda.to_device(x), cuda.to_device(total)
        elif where != "host":
            own = device[1000 * number + number % 4 : 1000 * number + 1000]
            x, total = own[:size], own[size : size + totals]
            if where == "strided":  # every second, or every third backwards
                x, total = own[: 2 * size : 2] if number % 2 else own[3 * size - 3 :: -3], own[600:][:totals]
            elif where == "overlapping":  # the last number that is read is the first total
                x = own[: size + 1]
            x[:size] = values
        made.append((grid, block, (x, total, np.float32(number % 5))))
    return made


def configurations(made):
    now = settings.current()
    found = []
    for grid, block, arguments in made:
        function, values, _ = block_sums._bound(arguments)
        found.append(now.configuration(function, (grid, 1, 1), (block, 1, 1), values, 4 * block))
    return found


def run(configured, together, observers=()):
    grids = settings.current().grids
    for one in configured:
        grids.submit(one, observers)
        if not together:
            grids.drain()
    grids.drain()


def totals(made):
    return [np.asarray(total).tolist() for _grid, _block, (_x, total, _scale) in made]


@pytest.mark.parametrize("where", ["host", "allocations", "one allocation", "strided", "overlapping"])
def test_grids_together_do_what_they_do_one_by_one(machine, where):
    """Memory, all events in their order, with addresses, and the end: for 9 launches of seven shapes.

    With host arrays, or allocations of their own, they take turns.
    """
    diaries, results, counters = [], [], []
    for together in (False, True):
        settings.current().grids.state.reset()
        made, found = launches(9, where), Diaries()
        with gpusim.profile(machine, scheduling=settings.current().scheduling) as profile:
            run(configurations(made), together, (found, *settings.current().observers))
        diaries.append(found)
        results.append(totals(made))
        counters.append([kernel.as_dict() for kernel in profile.kernels])
    one_by_one, together = diaries
    assert results[0] == results[1]
    assert any(map(any, results[0]))
    assert counters[0] == counters[1]
    for number, (before, after) in enumerate(zip(one_by_one.all, together.all, strict=True)):
        assert after.pages == before.pages, number
        assert after.ends == before.ends == [None]
    for before, after in zip(one_by_one.launched, together.launched, strict=True):
        for field in dataclasses.fields(before):
            if field.name not in ("blocks", "arrays"):
                assert getattr(before, field.name) == getattr(after, field.name), field.name
        assert [(a.name, a.address, a.shape) for a in before.arrays] == [
            (a.name, a.address, a.shape) for a in after.arrays
        ]


@pytest.mark.parametrize("where", ["one allocation", "strided", "overlapping"])
def test_grids_share_a_batch_whose_arrays_share_an_allocation(where):
    made, state = launches(20, where), settings.current().grids.state
    configured = configurations(made)
    grid = Grid(configured, state, [()] * 20, shared_places(configured, state.memory))
    grid.step()
    assert len(grid.batch.layout.parts) == 20
    assert grid.batch.layout.blocks == sum(blocks for blocks, _threads, _arguments in made)


def test_other_grids_do_not():
    memory = settings.current().grids.state.memory
    grid, block, (x, total, scale) = launches(1, "one allocation")[0]

    def together(*arrays):
        made = configurations([(grid, block, (array, total, scale)) for array in arrays])
        return shared_places(made, memory) is not None

    for where in ("host", "allocations"):
        assert shared_places(configurations(launches(3, where)), memory) is None
    assert together(x, x[1:])
    assert not together(x, x[:0])
    assert not together(x, cuda.to_device(np.zeros(3, np.float32)))
    x.gpu_data.free()
    assert not together(x, x)


@pytest.mark.parametrize("followed", [False, True])
def test_one_grid_of_several_that_errs_is_named_and_ends_them_all(followed):
    @cuda.jit
    def reads(x, i):
        x[0] = x[i + cuda.threadIdx.x]

    now, found = settings.current(), Diaries()
    device = cuda.to_device(np.zeros(1000))
    grids = now.grids
    for number in range(20):
        function, values, _ = reads._bound((device[50 * number :][: 11 + number], 19 if number == 13 else 5))
        blocks = (2 if number == 13 else 1), 1, 1
        submitted = grids.submit(
            now.configuration(function, blocks, (6, 1, 1), values), (found,) if followed else ()
        )
    message = r"thread \(5, 0, 0\) of block \(0, 0, 0\).* uses index 24 of 'x', whose length is 24"
    with pytest.raises(OutOfBounds, match=message) as caught:
        grids.drain()
    assert [end for diary in found.all for end in diary.ends] == [caught.value] * 20 * followed
    assert grids.unfinished() == ()
    assert submitted.over


def test_grids_in_turn_are_as_if_alone():
    """Launch 3 is endless, and launch 7 errs; those before write what they write."""

    @cuda.jit
    def count(x, n):
        i = 0
        while i != n:
            i += 2 if n == 3 else 1
        x[i] = i

    for wrong, n, error in ((3, 3, Livelock), (7, 99, OutOfBounds)):
        now, arrays = settings.current(), [np.zeros(10) for _ in range(10)]
        for number, x in enumerate(arrays):
            function, values, _ = count._bound((x, n if number == wrong else min(number, 2)))
            now.grids.submit(now.configuration(function, (1, 1, 1), (1, 1, 1), values))
        with pytest.raises(error):
            now.grids.drain()
        assert [x.sum() for x in arrays[:wrong]] == [min(number, 2) for number in range(wrong)]


def test_an_endless_grid_beside_others_is_named():
    @cuda.jit
    def count(x, n):
        i = 0
        while i != n:
            i += 2 if n == 3 else 1
        x[i] = i

    now, device = settings.current(), cuda.to_device(np.zeros(40))
    for number in range(4):
        function, values, _ = count._bound((device[10 * number :], number))
        now.grids.submit(now.configuration(function, (1, 1, 1), (1, 1, 1), values))
    with pytest.raises(Livelock, match="count does not end"):
        now.grids.drain()
    assert now.grids.unfinished() == ()


def test_models_do_not_mix():
    @cuda.jit
    def exchanges(x):
        i = cuda.threadIdx.x
        if i < 16:
            x[i] = cuda.shfl_sync(0xFFFFFFFF, i, 3)
        else:
            x[i] = cuda.shfl_sync(0xFFFFFFFF, i, 3)

    device, made = cuda.to_device(np.zeros(64)), []
    for scheduling, x in (("independent", device[:32]), ("stack", device[32:])):
        with gpusim.use(scheduling=scheduling):
            function, values, _ = exchanges._bound((x,))
            made.append(settings.current().configuration(function, (1, 1, 1), (32, 1, 1), values))
    grids = settings.current().grids
    for one in made:
        grids.submit(one)
    with pytest.raises(gpusim.errors.InvalidMask):
        grids.drain()


def test_matrices_and_records_that_are_parts_of_one_array():
    kind = np.dtype([("n", np.int32), ("x", np.float64), ("v", np.float32, 3)], align=True)

    @cuda.jit
    def change(points, matrix, last):
        i, j = cuda.grid(2)
        if i < matrix.shape[0] and j < matrix.shape[1]:
            matrix[i, j] += points[j]["x"] * matrix.shape[1] + matrix.strides[0]
            points[j]["v"][1] += 1
            if i == 0 and j == 0:
                last["n"] += matrix.shape[0]

    now, left = settings.current(), []
    for together in (False, True):
        host = np.zeros(200, kind)
        host["x"] = np.arange(200)
        points, matrix = cuda.to_device(host), cuda.to_device(np.arange(3000.0).reshape(50, 60))
        made = []
        for number in range(9):
            part = points[20 * number : 20 * number + 20][:: -1 if number % 3 else 1]
            rows = matrix[5 * number : 5 * number + 3 + number % 3, number : 2 * number + 4]
            if number % 2:
                rows = matrix[5 * number : 5 * number + 5 : 2, ::-3]
            function, values, _ = change._bound((part, rows, points[199 - number]))
            made.append(now.configuration(function, (2, 3, 1), (4, 8, 1), values))
        assert shared_places(made, now.grids.state.memory) is not None
        run(made, together)
        host = points.copy_to_host()
        left.append([host[name].tolist() for name in kind.names] + [matrix.copy_to_host().tolist()])
    assert left[0] == left[1]
    assert host["n"][-9:].tolist() == [5, 3, 3, 3, 4, 3, 5, 3, 3]  # rows


@pytest.mark.parametrize("count", [1, 2, 3, 20])
def test_pointers_of_cpp_into_device_memory(count):
    code = r"""__device__ int calls;
    extern "C" __global__ void add(int n, const float *x, float *y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) { y[i] += x[i]; y[i - 1 + (i == 0)] += 1; atomicAdd(&calls, 1); }
    }"""
    kernel = gpusim.RawModule(code=code).get_function("add")
    memory = cuda.to_device(np.arange(20.0 * count, dtype=np.float32))
    for apart in (False, True):
        own = [cuda.to_device(np.zeros(20, np.float32)) for _ in range(count)]
        whole = cuda.to_device(np.zeros(20 * count, np.float32))
        results = []
        for together in (False, True):
            made = []
            for number in range(count):
                part = slice(20 * number, 20 * number + 20)
                y = own[number] if apart else whole[part]
                y[:] = np.zeros(20, np.float32)
                function, values, _ = kernel._bound((20, memory[part], y))
                now = settings.current()
                made.append(now.configuration(function, (1, 1, 1), (32, 1, 1), values))
            run(made, together)
            results.append([one.copy_to_host().tolist() for one in (own if apart else [whole])])
        assert results[0] == results[1]
        assert np.any(results[0])


def test_launches_that_wait_for_nothing_are_named():
    now = settings.current()
    stranger = gpusim.runtime.grids.Submitted()
    one = now.grids.submit(configurations(launches(1))[0], after=[stranger])
    with pytest.raises(gpusim.errors.LaunchError, match="wait for work that this device was never given"):
        now.grids.drain()
    assert one.over


def test_events_of_every_kind_can_be_cut():
    """A field with a row a warp that the table does not name would go to all grids whole."""
    kept = {"warps", "block", "active_lanes", "state", "space", "kind", "width", "instruction", "memory"}
    kept |= {"span", "opcode", "scope", "whole_grid", "number", "arrives", "named", "by", "after"}
    for event, names in BY_WARP.items():
        assert {field.name for field in dataclasses.fields(event)} - kept == set(names), event
    assert set(BY_WARP) == set(typing.get_args(Event))


@pytest.mark.parametrize("stream_of_its_own", [False, True])
def test_an_observer_that_refuses_a_grid_ends_what_was_submitted(stream_of_its_own):
    class Refuses(Diaries):
        def watches(self, launched):
            if len(self.all) == 2:
                raise gpusim.errors.ReportError("no third one")
            return super().watches(launched)

    refuses, grids = Refuses(), settings.current().grids
    after = []
    for one in configurations(launches(4)):
        submitted = grids.submit(one, (refuses,), after)
        after = [*after, submitted] if not stream_of_its_own else []
    with pytest.raises(gpusim.errors.ReportError, match="no third one") as caught:
        grids.drain()
    assert submitted.over
    assert grids.unfinished() == ()
    ended = [None, None] if not stream_of_its_own else [caught.value] * 2
    assert [end for diary in refuses.all for end in diary.ends] == ended


def test_two_grids_in_turn_end_as_they_do_alone(machine):
    """One step of one kernel, one of the other: neither can tell."""
    state = settings.current().grids.state
    alone = launches(2)
    run(configurations(alone), together=False)
    in_turn = launches(2)
    grids = [Grid([one], state) for one in configurations(in_turn)]
    turns = [Turn.RAN, Turn.RAN]
    while Turn.RAN in turns:
        turns = [grid.step() if turn is Turn.RAN else turn for grid, turn in zip(grids, turns, strict=True)]
    assert turns == [Turn.OVER, Turn.OVER]
    assert totals(in_turn) == totals(alone)
    assert [grid.blocks_over for grid in grids] == [1, 3]


@pytest.mark.parametrize("schedule", [None, "serial", 7])
def test_a_grid_that_is_copied_halfway_ends_twice_the_same(machine, schedule):
    """Registers, positions, shared memory, barriers, random choices: all of it is copied."""
    made = launches(3)
    total = made[-1][2][1]
    with gpusim.use(schedule=schedule):
        grid = Grid(configurations(made)[-1:], settings.current().grids.state)
    halfway = 9 if schedule is None else 40
    for _ in range(halfway):
        assert grid.step() is Turn.RAN
    before, ends = total.copy(), []
    for one in (grid.copy(), grid):
        total[:] = before
        while one.step() is Turn.RAN:
            pass
        ends.append(total.tolist())
    assert ends[0] == ends[1]
    assert any(ends[0])


@cuda.jit
def count_through_both(out):
    """Two arrays in one window of dynamic shared memory are one."""
    first, second, i = cuda.shared.array(0, np.int32), cuda.shared.array(0, np.uint32), cuda.threadIdx.x
    first[i] = i
    for _ in range(4):
        cuda.syncthreads()
        second[i] += np.uint32(10)
        cuda.syncthreads()
        first[i] += 1
    out[i] = first[i]


count_through_any = gpusim.RawKernel(
    """extern "C" __global__ void count_through_any(int* out, int odd) {
        __shared__ int s[32], q[32];
        int i = threadIdx.x, *p = odd ? s : q;
        s[i] = i, q[i] = 0;
        for (int round = 0; round < 4; ++round) {
            __syncthreads(), p[i] += 10;
            __syncthreads(), s[i] += 1;
        }
        out[i] = s[i];
    }""",
    "count_through_any",
)


@pytest.mark.parametrize(("kernel", "more"), [(count_through_both, ()), (count_through_any, (1,))])
def test_arrays_that_share_memory_share_it_in_a_copied_grid(kernel, more):
    now, out = settings.current(), np.zeros(32, np.int32)
    function, values, _ = kernel._bound((out, *more))
    grid = Grid([now.configuration(function, (1, 1, 1), (32, 1, 1), values, 128)], now.grids.state)
    for _ in range(9):
        assert grid.step() is Turn.RAN
    for one in (grid.copy(), grid):
        out[:] = 0
        while one.step() is Turn.RAN:
            pass
        assert out.tolist() == list(range(44, 76))


def test_a_copied_grid_runs_on_unobserved():
    """Observers hear of each grid once, also of its later batches, and of its end."""
    diaries, made = Diaries(), launches(3)
    grid = Grid(configurations(made)[-1:], settings.current().grids.state, [(diaries,)])
    for _ in range(9):
        grid.step()
    pages, twin = len(diaries.all[0].pages), grid.copy()
    while twin.step() is Turn.RAN:
        pass
    twin.close()
    assert (len(diaries.all[0].pages), diaries.all[0].ends) == (pages, [])
    while grid.step() is Turn.RAN:
        pass
    grid.close()
    assert len(diaries.all[0].pages) > pages
    assert diaries.all[0].ends == [None]


def test_a_grid_that_is_over_stays_over():
    made = launches(1)
    grid = Grid(configurations(made), settings.current().grids.state)
    while grid.step() is Turn.RAN:
        pass
    assert grid.step() is Turn.OVER


def test_a_grid_waits_for_what_only_others_can_change():
    now, flag, seen = settings.current(), np.zeros(1, np.int32), np.zeros(1, np.int32)
    function, values, _ = wait_for._bound((flag, seen))
    grid = Grid([now.configuration(function, (1, 1, 1), (1, 1, 1), values)], now.grids.state)
    assert grid.step(100_000) is Turn.WAITS
    assert "no lane changes anything any more" in str(grid.stuck)
    flag[0] = 1
    assert grid.step(1000) is Turn.OVER
    assert seen[0] == 1


def test_grids_in_different_streams_can_wait_for_each_other():
    """The one that waits is given first: run to its end, it would never end."""
    now, flag, seen = settings.current(), np.zeros(1, np.int32), np.zeros(1, np.int32)
    for kernel, arguments in ((wait_for, (flag, seen)), (raise_flag, (flag,))):
        function, values, _ = kernel._bound(arguments)
        now.grids.submit(now.configuration(function, (1, 1, 1), (1, 1, 1), values))
    now.grids.drain()
    assert (flag[0], seen[0]) == (1, 1)
    flag[0] = 0
    with pytest.raises(Livelock, match="wait_for does not end"):
        wait_for[1, 1](flag, seen)


def test_a_grid_that_counts_in_memory_does_not_wait_while_another_looks_at_the_count():
    """Both seem to go round for ever after the same number of steps; the delay sees to that."""
    now, flag, count = settings.current(), np.zeros(1, np.int32), np.zeros(1, np.int32)
    for kernel, arguments in ((raise_late, (count, 6000, flag, 3000)), (count_until, (flag, count))):
        function, values, _ = kernel._bound(arguments)
        now.grids.submit(now.configuration(function, (1, 1, 1), (1, 1, 1), values))
    now.grids.drain()
    assert count[0] > 6000
    flag[0] = 0
    with pytest.raises(Livelock, match=r"count_until does not end \(it counts"):
        count_until[1, 1](flag, count)


def test_an_error_of_a_launch_within_a_launch_is_its_own():
    """An observer launches a kernel that errs, and lives with it: the grid that it follows runs on."""

    class Launches(Diary):
        wants = frozenset({BarrierReached})

        def observe(self, event):
            with pytest.raises(OutOfBounds):
                raise_flag[1, 1, other](np.zeros(0, np.int32))
            with pytest.raises(Livelock, match="wait_for does not end"):
                wait_for[1, 1, other](np.zeros(1, np.int32), np.zeros(1, np.int32))
            self.pages.append(event)

    made, diary, other = launches(1), Launches(), streams.stream()
    grids = settings.current().grids
    grids.submit(configurations(made)[0], (SimpleNamespace(watches=lambda launched: diary),))
    grids.drain()
    assert diary.pages
    assert diary.ends == [None]
    assert grids.unfinished() == ()


def test_an_interrupted_launch_leaves_nothing_to_the_next(monkeypatch):
    """Ctrl-C may come between any two steps of Python: here once the grid is submitted, before it runs."""
    now, flag = settings.current(), np.zeros(1, np.int32)

    def interrupted(look):
        raise KeyboardInterrupt

    monkeypatch.setattr(now.grids, "drain", interrupted)
    with pytest.raises(KeyboardInterrupt):
        raise_flag[1, 1](flag)
    monkeypatch.undo()
    assert now.grids.unfinished() == ()
    now.grids.drain()
    assert flag[0] == 0


def test_a_grid_comes_after_those_that_it_is_given():
    @cuda.jit
    def append(log, number):
        log[cuda.atomic.add(log, 0, 1)] = number

    now, log = settings.current(), np.ones(5, np.int64)
    with now.grids.lock:
        function, values, _ = append._bound((log, 1))
        first = now.grids.submit(now.configuration(function, (1, 1, 1), (1, 1, 1), values))
        function, values, _ = append._bound((log, 2))
        later = now.grids.submit(now.configuration(function, (1, 1, 1), (1, 1, 1), values), after=[first])
        assert now.grids.unfinished() == (first, later)
        event = streams.event()
        event.record()
        assert not event.query()
        assert repr(event) == "<event, pending>"
        append[1, 1, streams.stream()](log, 3)
    assert event.query()
    assert log.tolist() == [4, 1, 2, 3, 1]


def test_several_grids_side_by_side_are_copied_as_one_and_run_on_unobserved():
    state, members = settings.current().grids.state, configurations(launches(3, "one allocation"))
    grid = Grid(members, state, [()] * 3, shared_places(members, state.memory))
    for _ in range(5):
        grid.step()
    twin = grid.copy()
    while twin.step() is Turn.RAN:
        pass
    assert twin.step() is Turn.OVER
