"""Kernels that launch kernels: arguments, order, streams, what is refused, and what a run shows of it."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import gpusim
from gpusim import cuda, cudart
from gpusim.errors import (
    KernelRaised,
    KernelTypeError,
    LaunchError,
    Livelock,
    OutOfBounds,
    ReportError,
    StreamMisused,
    UnsupportedConstruct,
)
from gpusim.runtime import grids, settings
from gpusim.runtime.grids import DeviceLaunchWarning

PENDING = cudart.cudaLimit.cudaLimitDevRuntimePendingLaunchCount
SYNC_DEPTH = cudart.cudaLimit.cudaLimitDevRuntimeSyncDepth


@cuda.jit
def add(x, k):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += k


@cuda.jit
def note(log, tag):
    log[1 + cuda.atomic.add(log, 0, 1)] = tag


# arguments --------------------------------------------------------------------------------------------------


@cuda.jit
def a_part_each(x):
    i, n = cuda.grid(1), x.size // 4
    if i % 2 == 1:
        add[1, n](x[i * n : (i + 1) * n], 10 * i)


def test_each_active_thread_launches_its_own_grid():
    x = np.zeros(8)
    a_part_each[1, 4](x)
    assert x.tolist() == [0, 0, 10, 10, 0, 0, 30, 30]


@cuda.jit
def views(m, cube):
    add[1, 32](m[-1], 1)
    add[1, 32](m[:, 1], 10)
    add[1, 32](m[::-1, 0][1:], 100)
    add[1, 32](cube[1, :, 2], 1000)
    add[1, 32](m.reshape(6)[:0], 5)


@pytest.mark.parametrize("order", ["C", "F"])
def test_parts_of_arrays_are_what_they_are_on_the_host(order):
    m, cube = np.zeros((3, 2), order="C"), np.zeros((2, 2, 3), order=order)
    views[1, 1](m, cube)
    expected, of_cube = np.zeros((3, 2)), np.zeros((2, 2, 3))
    expected[-1] += 1
    expected[:, 1] += 10
    expected[::-1, 0][1:] += 100
    of_cube[1, :, 2] += 1000
    assert m.tolist() == expected.tolist()
    assert cube.tolist() == of_cube.tolist()


@cuda.jit
def a_row(m, i):
    add[1, 2](m[i], 1)


def test_a_part_that_there_is_not_is_told_at_the_launch():
    with pytest.raises(KernelRaised, match=r"IndexError: no such part(.|\n)*add\[1, 2\]\(m\[i\], 1\)"):
        a_row[1, 1](np.zeros((3, 2)), 3)


@cuda.jit("void(float32[:], float32)")
def declared(x, k):
    x[0] = k / 2


@cuda.jit
def of_all_kinds(pair, record, nothing):
    x, k = pair
    if nothing is None:
        record.count += k
        x[0] += record.count


@cuda.jit
def kinds(x, records, single):
    of_all_kinds[1, 1]((x, 3), records[1], None)
    declared[1, 1](single, 5)


def test_tuples_records_none_and_declared_types():
    x, single = np.zeros(1), np.zeros(1, np.float32)
    records = np.array([(1.0, 2), (3.0, 4)], np.dtype([("value", "f8"), ("count", "i8")]))
    kinds[1, 1](x, records, single)
    assert (x[0], records["count"].tolist(), single[0]) == (7, [2, 7], 2.5)


@cuda.jit
def factorial(x, n):
    x[0] *= n
    if n > 1:
        factorial[1, 1](x, n - 1)


def test_a_kernel_launches_itself():
    x = np.ones(1, np.int64)
    factorial[1, 1](x, 10)
    assert x[0] == 3628800


@cuda.jit
def in_shared(x, n):
    """Rotate n numbers by one in shared memory of the launch's size, then each half by itself."""
    tile, i = cuda.shared.array(0, np.int64), cuda.threadIdx.x
    if n < 2:
        return
    tile[i] = x[i]
    cuda.syncthreads()
    x[i] = tile[(i + 1) % n]
    cuda.syncthreads()
    if i == 0:
        in_shared[1, n // 2, 0, n // 2 * 8](x[: n // 2], n // 2)
        in_shared[1, n // 2, 0, n // 2 * 8](x[n // 2 : n], n // 2)


def test_recursion_with_dynamic_shared_memory():
    def rotated(x):
        if len(x) < 2:
            return x
        x = np.roll(x, -1)
        return np.concatenate([rotated(x[: len(x) // 2]), rotated(x[len(x) // 2 :])])

    x = np.arange(16)
    in_shared[1, 16, 0, 128](x, 16)
    assert x.tolist() == rotated(np.arange(16)).tolist()


@cuda.jit
def both(x, y):
    add[1, 8](x, 1)
    add[1, 8](y, 10)


def test_arrays_of_the_host_that_overlap_are_one_memory_and_lent_for_one_launch():
    x = np.zeros(4)
    live = len(settings.memory().live())
    for _ in range(2):
        both[1, 1](x, x[1:])
    assert x.tolist() == [2, 22, 22, 22]
    assert len(settings.memory().live()) == live


def test_nobody_keeps_what_the_host_lent():
    x = np.zeros(4)
    kept = weakref.ref(x)
    both[1, 1](x, x)
    del x
    gc.collect()
    assert kept() is None


def test_what_is_read_only_stays_so():
    x = np.zeros(4)
    x.flags.writeable = False
    with pytest.raises(LaunchError, match=r"add writes to 'x', which is read-only(.|\n)*add\[1, 2\]"):
        a_row[1, 1](x.reshape(2, 2), 0)


# what is refused --------------------------------------------------------------------------------------------

TABLE = np.zeros(4)
STREAM = cuda.stream()


@cuda.jit(device=True)
def helper(x):
    x[0] = 1


@cuda.jit
def passes_shared(x):
    add[1, 4](cuda.shared.array(4, np.float64), 1)


@cuda.jit
def passes_local(x):
    add[1, 4](cuda.local.array(4, np.float64), 1)


@cuda.jit
def passes_constants(x):
    add[1, 4](TABLE, 1)


@cuda.jit
def passes_one(x):
    add[1, 4](x)


@cuda.jit
def names_the_hosts_stream(x):
    add[1, 4, STREAM](x, 1)


@cuda.jit
def launches_a_function(x):
    helper[1, 4](x)


@cuda.jit
def lacks_a_block(x):
    add[4](x, 1)


@cuda.jit
def in_halves(x):
    add[1.5, 4](x, 1)


REFUSED = {
    passes_shared: "shared memory, which only its block sees",
    passes_local: "local memory, which only its thread sees",
    passes_constants: "const memory",
    passes_one: r"add\(\) takes 2 argument\(s\), 1 given",
    names_the_hosts_stream: "is of the host",
    launches_a_function: "is a device function",
    lacks_a_block: r"write child\[grid, block\]",
    in_halves: "use whole numbers",
}


@pytest.mark.parametrize("kernel", REFUSED)
def test_what_no_launch_can_be_is_refused_with_its_line(kernel):
    with pytest.raises(KernelTypeError, match=REFUSED[kernel]) as caught:
        kernel[1, 1](np.zeros(4))
    assert caught.value.span.line == kernel.py_func.__code__.co_firstlineno + 2


def test_a_child_that_does_not_compile_is_told_before_anything_runs():
    @cuda.jit
    def wrong(x):
        x.nothing()

    @cuda.jit
    def parent(x):
        x[0] = 1
        if x[0] > 2:
            wrong[1, 1](x)

    x = np.zeros(1)
    for _ in range(2):
        with pytest.raises(UnsupportedConstruct, match="nothing"):
            parent[1, 1](x)
    assert x[0] == 0


def test_devices_without_launches_in_kernels_say_so():
    with gpusim.use("G80"), pytest.raises(UnsupportedConstruct, match=r"compute capability 3\.5"):
        both[1, 1](np.zeros(4), np.zeros(4))


@cuda.jit
def far(x, i):
    x[i] = 1


@cuda.jit
def middle(x, i):
    if cuda.threadIdx.x == 1:
        far[1, 1](x, i * (1 + cuda.blockIdx.x))


@cuda.jit
def top(x):
    middle[2, 2](x, 3)


def test_a_childs_fault_names_who_launched_it():
    """Two grids of `far` run side by side, and that of block 1 is wrong."""
    with pytest.raises(OutOfBounds) as caught:
        top[1, 1](np.zeros(4))
    assert caught.value.index == (6,)
    assert caught.value.launch_tree.splitlines() == [
        "launched by thread (1, 0, 0) of block (1, 0, 0) of middle at line "
        f"{middle.py_func.__code__.co_firstlineno + 3}",
        "launched by thread (0, 0, 0) of block (0, 0, 0) of top at line "
        f"{top.py_func.__code__.co_firstlineno + 2}",
    ]
    assert str(caught.value).endswith(caught.value.launch_tree)
    x = np.zeros(8)
    top[1, 1](x)
    assert x.tolist() == [0, 0, 0, 1, 0, 0, 1, 0]


@cuda.jit
def too_large(x):
    add[1, 1025](x, 1)


@cuda.jit
def too_large_and_asks(x):
    add[1, 1025](x, 1)
    (x[cuda.threadIdx.x],) = cudart.cudaGetLastError()


def test_launches_that_fail_unseen_are_a_warning():
    with pytest.warns(DeviceLaunchWarning, match=r"3 launch\(es\) of kernels did not come about"):
        too_large[1, 3](np.zeros(4))
    x = np.zeros(4)
    too_large_and_asks[1, 3](x)
    assert x.tolist() == [9, 9, 9, 0]


# order ------------------------------------------------------------------------------------------------------


@cuda.jit
def spins(flag, x):
    add[1, 1](flag, 1)
    while cuda.atomic.add(flag, 0, 0) == 0:
        pass
    x[0] = 1


@cuda.jit
def spins_for_nothing(flag):
    add[1, 1](flag, 0)
    while cuda.atomic.add(flag, 0, 0) == 0:
        pass


def test_a_parent_that_gets_no_further_lets_its_children_begin():
    """CUDA promises it nothing, and a GPU lets it."""
    flag, x = np.zeros(1, np.int64), np.zeros(1)
    spins[1, 1](flag, x)
    assert (flag[0], x[0]) == (1, 1)
    with pytest.raises(Livelock):
        spins_for_nothing[1, 1](np.zeros(1, np.int64))


@cuda.jit
def waits(log, x):
    if cuda.threadIdx.x == 0:
        note[1, 1](log, 7)
        cudart.cudaDeviceSynchronize()
        x[0] = log[1]
    cuda.syncthreads()
    x[cuda.threadIdx.x] = x[0]


@pytest.mark.parametrize("device", ["P100", "V100", "H200"])
@pytest.mark.parametrize("schedule", [None, "serial", 0, 1, 2])
def test_under_cdp1_a_thread_waits_for_its_blocks_children(device, schedule):
    log, x = np.zeros(4, np.int64), np.zeros(64)
    with gpusim.use(device, schedule=schedule, cdp=1):
        waits[1, 64](log, x)
    assert (x == 7).all()


@cuda.jit
def waits_for_one_that_spins(flag):
    spins_for_nothing[1, 1](flag)
    cudart.cudaDeviceSynchronize()


def test_a_child_that_does_not_end_is_blamed_and_not_who_waits_for_it():
    with gpusim.use(cdp=1), pytest.raises(Livelock, match="spins_for_nothing does not end") as caught:
        waits_for_one_that_spins[1, 1](np.zeros(1, np.int64))
    assert "of waits_for_one_that_spins at line" in caught.value.launch_tree


def test_without_a_choice_the_device_says_which_runtime_it_has():
    log, x = np.zeros(4, np.int64), np.zeros(64)
    with gpusim.use("A100"):
        waits[1, 64](log, x)
    with pytest.raises(UnsupportedConstruct, match="cudaStreamTailLaunch"):
        waits[1, 64](log, x)
    with pytest.raises(LaunchError, match="cdp is 1 or 2"):
        gpusim.use(cdp=3)


@cuda.jit
def deeper(found, depth):
    found[0] = depth
    deeper[1, 1](found, depth + 1)
    (error,) = cudart.cudaGetLastError()
    if error:
        found[1] = error


def test_under_cdp1_launches_nest_24_deep():
    found = np.zeros(2, np.int64)
    with gpusim.use(cdp=1):
        deeper[1, 1](found, 0)
    assert found.tolist() == [24, 65]


@cuda.jit
def waits_at_each_depth(found, depth):
    if depth < 4:
        waits_at_each_depth[1, 1](found, depth + 1)
    (found[depth],) = cudart.cudaDeviceSynchronize()


@pytest.mark.parametrize(("levels", "codes"), [(2, [0, 0, 65, 65, 65]), (4, [0, 0, 0, 0, 65])])
def test_under_cdp1_so_many_levels_can_wait(levels, codes):
    found = np.zeros(5, np.int64)
    with gpusim.use(cdp=1):
        cudart.cudaDeviceSetLimit(SYNC_DEPTH, levels)
        try:
            waits_at_each_depth[1, 1](found, 0)
        finally:
            cudart.cudaDeviceSetLimit(SYNC_DEPTH, 2)
    assert found.tolist() == codes
    with pytest.raises(LaunchError, match="cudaErrorUnsupportedLimit"):
        cudart.cudaDeviceSetLimit(SYNC_DEPTH, levels)


@cuda.jit
def all_over(log):
    i = cuda.grid(1)
    _, stream = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
    note[1, 1, stream](log, i)
    note[1, 1](log, 100 + i)
    note[1, 1, cudart.cudaStreamFireAndForget](log, 200 + i)
    note[1, 1, cudart.cudaStreamTailLaunch](log, 300 + i)


@pytest.mark.parametrize("schedule", [None, "serial", *range(10)])
def test_whatever_the_order_all_run_once_and_tails_last(schedule):
    log = np.zeros(33, np.int64)
    with gpusim.use(schedule=schedule):
        all_over[2, 4](log)
    assert log[0] == 32
    assert sorted(log[1:]) == sorted(100 * k + i for k in range(4) for i in range(8))
    assert (log[25:] >= 300).all()


# streams ----------------------------------------------------------------------------------------------------


@cuda.jit
def hands_a_stream_on(log, handle, how):
    if cuda.blockIdx.x == 0:
        _, stream = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
        handle[0] = stream
        if how == 1:
            cudart.cudaStreamDestroy(stream)
            note[1, 1, stream](log, 1)
        if how == 2:
            note[1, 1, stream + 1](log, 1)
        if how == 3:
            uses_a_stream[1, 1](log, handle)
    elif how == 0:
        note[1, 1, handle[0]](log, 1)


@cuda.jit
def uses_a_stream(log, handle):
    note[1, 1, handle[0]](log, 1)


@pytest.mark.parametrize(
    ("how", "message"),
    list(
        enumerate(
            ["block 0 has created", "after it was destroyed", "no block of this launch", "another grid"]
        )
    ),
)
def test_a_stream_is_of_the_block_that_created_it(how, message):
    with pytest.raises(StreamMisused, match=message):
        hands_a_stream_on[2, 1](np.zeros(4, np.int64), np.zeros(1, np.uint64), how)


@cuda.jit
def into_a_stream_of_cdp2(log):
    note[1, 1, cudart.cudaStreamTailLaunch](log, 1)


def test_cdp1_has_no_tail_launches():
    with gpusim.use(cdp=1), pytest.raises(StreamMisused, match="which CDP2 has"):
        into_a_stream_of_cdp2[1, 1](np.zeros(2, np.int64))


# many -------------------------------------------------------------------------------------------------------


@cuda.jit
def one_each(x):
    i = cuda.grid(1)
    add[1, 32](x[32 * i : 32 * (i + 1)], i)


@pytest.mark.parametrize("count", [10, 1000, 10_000])
def test_children_that_may_run_together_do_so(count, monkeypatch):
    """The parent, and its children in one batch however many: each is the only one of its block's stream."""
    made = []
    monkeypatch.setattr(grids, "Grid", lambda *a, grid=grids.Grid: made.append(grid(*a)) or made[-1])
    cudart.cudaDeviceSetLimit(PENDING, 20_000)
    x = np.zeros(32 * count, np.float32)
    try:
        one_each[count, 1](x)
    finally:
        cudart.cudaDeviceSetLimit(PENDING, 2048)
    assert len(made) == 2
    assert (x.reshape(-1, 32) == np.arange(count)[:, None]).all()


# what a run shows -------------------------------------------------------------------------------------------


def test_the_tree_of_launches_and_what_each_counted():
    x = np.zeros(8)
    with gpusim.profile() as run:
        top[1, 1](x)
    tree = run.launch_tree()
    assert [(one.kernel, one.depth, one.children) for one in tree.grids] == [
        ("top", 0, (1,)), ("middle", 1, (2, 3)), ("far", 2, ()), ("far", 2, ()),
    ]  # fmt: skip
    assert (tree.launches, tree.depth, [one.kernel for one in tree.roots]) == (4, 2, ["top"])
    by = tree.grids[3].by
    assert (by.grid, by.block, by.thread) == (1, (1, 0, 0), (1, 0, 0))
    assert by.at.source.strip() == "far[1, 1](x, i * (1 + cuda.blockIdx.x))"
    assert tree.grids[2].stream == "default"
    assert tree.grids[0].in_all["instructions"] == run.instructions
    assert tree.grids[1].in_all["global_store_requests"] == 2
    assert sum(one["instructions"] for one in tree.grids) == run.instructions
    far_ones = next(one for one in tree.kernels if one.kernel == "far")
    assert (far_ones.launches, far_ones["global_store_requests"]) == (2, 2)
    assert "2 of far: grid 1, block 1, default stream, by thread (1, 0, 0) of block (0, 0, 0)" in repr(tree)


def test_caches_hold_what_a_parent_wrote_and_nothing_of_what_the_host_passed_before():
    """A GPU gets a new copy of an array with each launch of the host; parents share it with children."""
    with gpusim.profile(caches=True) as run:
        for _ in range(2):
            fills[1, 32](np.zeros(32, np.float32))
            one_each[2, 1](np.zeros(64, np.float32))
    found = [kernel.counters() for kernel in run.kernels if kernel.kernel == "add"]
    assert [one["l2_load_sectors"] for one in found] == [4] * 6
    assert [one["l2_load_sector_hits"] for one in found] == [4, 0, 0] * 2


def test_very_many_grids_are_counted_as_one_a_kernel():
    x = np.zeros(32 * 1000, np.float32)
    with gpusim.profile() as run:
        one_each[1000, 1](x)
    tree = run.launch_tree()
    assert tree.launches == 1001
    assert tree.grids[-1].launches == 1001 - 256
    assert run.global_store_requests == 1000


def test_what_cannot_be_told_yet_is_said():
    x = np.zeros(8)
    with gpusim.profile() as run:
        top[1, 1](x)
    with pytest.raises(ReportError, match="it launches kernels, which the model does not time"):
        run.timing()
    with gpusim.profile() as nothing:
        pass
    with pytest.raises(ReportError, match="no tree of launches"):
        nothing.launch_tree()
    with gpusim.sanitize("racecheck") as report:
        top[1, 1](x)
    assert report.clean
    assert [one.hazard for one in report.warnings] == ["not compared"] * 2


@cuda.jit
def fills(x):
    x[cuda.grid(1)] = 1
    cuda.syncthreads()
    if cuda.grid(1) == 0:
        add[1, 32](x, 1)


@pytest.mark.parametrize("schedule", [None, *range(6)])
def test_initcheck_knows_what_a_parent_wrote_before_its_child_began(schedule):
    x = cuda.device_array(32, np.float32)
    with gpusim.sanitize("initcheck", schedule=schedule) as report:
        fills[1, 32](x)
    assert report.clean
    assert (x.copy_to_host() == 2).all()


def test_the_listing_shows_the_launch():
    assert "call.cudaLaunchDevice" in one_each.inspect_ir(np.zeros(32, np.float32))
