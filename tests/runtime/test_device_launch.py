"""Kernels that launch kernels: arguments, order, streams, what is refused, and what a run shows of it."""

from __future__ import annotations

import gc
import weakref
from contextlib import nullcontext

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


@cuda.jit
def looks_at_its_error(x, fails_again):
    add[1, 1025](x, 1)
    (x[0],) = cudart.cudaPeekAtLastError()
    (x[1],) = cudart.cudaPeekAtLastError()
    if fails_again:
        add[1, 1026](x, 1)


def test_who_peeks_at_an_error_has_asked():
    x = np.zeros(2)
    looks_at_its_error[1, 1](x, False)
    assert x.tolist() == [9, 9]
    with pytest.warns(DeviceLaunchWarning, match="1 thread did not ask"):
        looks_at_its_error[1, 1](x, True)


def test_launches_that_fail_unseen_are_a_warning():
    with pytest.warns(DeviceLaunchWarning, match="3 launches in kernels failed"):
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


STREAMS = r"""
#define STREAM(s) cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)
__global__ void set(int* x, int v) { x[0] = v; }
__global__ void late(int* x, int v) { for (int i = 0; i < 60; ++i) x[1] = i; x[0] = v; }
__global__ void far(int* x) { x[1000] = 1; }
__global__ void parent(int* x) { STATEMENT }
"""


@pytest.mark.parametrize(
    ("statement", "outcomes"),
    [
        ("set<<<1, 1>>>(x, 1); x[0] = 2;", {1, 2}),
        ("late<<<1, 1>>>(x, 1); x[0] = 2;", {1, 2}),
        ("STREAM(a); STREAM(b); late<<<1, 1, 0, a>>>(x, 1); set<<<1, 1, 0, b>>>(x, 2);", {1, 2}),
        ("STREAM(a); STREAM(b); set<<<1, 1, 0, a>>>(x, 1); late<<<1, 1, 0, b>>>(x, 2);", {1, 2}),
        ("late<<<1, 1>>>(x, 1); set<<<1, 1, 0, cudaStreamFireAndForget>>>(x, 2);", {1, 2}),
        ("late<<<1, 1>>>(x, 1); set<<<1, 1>>>(x, 2);", {2}),
        ("set<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 1); late<<<1, 1>>>(x, 2); x[0] = 3;", {1}),
    ],
)
def test_seeds_run_children_as_early_and_as_late_as_the_rules_allow(statement, outcomes):
    """Before the thread goes on that launched, and after a child that takes sixty times as long."""
    kernel = gpusim.RawModule(code=STREAMS.replace("STATEMENT", statement)).get_function("parent")
    found = set()
    for seed in range(32):
        x = np.zeros(2, np.int32)
        with gpusim.use(schedule=seed):
            kernel[1, 1](x)
        found.add(int(x[0]))
    assert found == outcomes


def test_a_fault_of_a_child_that_hurries_is_told_once():
    kernel = gpusim.RawModule(code=STREAMS.replace("STATEMENT", "far<<<1, 1>>>(x);")).get_function("parent")
    for seed in range(12):
        with gpusim.use(schedule=seed), pytest.raises(OutOfBounds) as caught:
            kernel[1, 1](np.zeros(2, np.int32))
        assert str(caught.value).count("launched by") == 1


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


def test_whoever_measures_checks_or_explores_chooses_the_device_runtime():
    def given():
        return np.zeros(8, np.int64), np.zeros(1)

    with gpusim.profile(cdp=1) as run:
        waits[1, 1](*given())
    assert run.launch_tree().cdp == 1
    with gpusim.sanitize(cdp=1) as report:
        waits[1, 1](*given())
    assert report.clean
    found = gpusim.explore_schedules(waits[1, 1], *given(), schedules=4, cdp=1)
    assert (found.deterministic, found.outcomes[0].error) == (True, None)
    with pytest.raises(UnsupportedConstruct):
        waits[1, 1](*given())


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


@cuda.jit
def two_streams(log):
    _, a = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
    _, b = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
    _, first = cudart.cudaEventCreateWithFlags(cudart.cudaEventDisableTiming)
    note[1, 1, a](log, 1)
    cudart.cudaEventRecord(first, a)
    cudart.cudaStreamWaitEvent(b, first)
    note[1, 1, b](log, 2)
    note[1, 1, a](log, 3)
    note[1, 1, a](log, 4)


def test_seeds_find_every_order_that_streams_and_events_leave_open():
    """Also of children that become ready at the same moment, behind the same event."""
    found = set()
    for schedule in range(24):
        log = np.zeros(5, np.int64)
        with gpusim.use(schedule=schedule):
            two_streams[1, 1](log)
        found.add(tuple(log[1:].tolist()))
    assert found == {(1, 2, 3, 4), (1, 3, 2, 4), (1, 3, 4, 2)}


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
def test_a_stream_is_of_the_block_that_created_it_under_cdp1(how, message):
    with gpusim.use(cdp=1), pytest.raises(StreamMisused, match=message):
        hands_a_stream_on[2, 1](np.zeros(4, np.int64), np.zeros(1, np.uint64), how)


@pytest.mark.parametrize(
    ("create", "message"),
    [
        (
            "cudaStream_t h; cudaStreamCreateWithFlags(&h, cudaStreamNonBlocking);",
            "passes a stream, which no other grid",
        ),
        (
            "cudaEvent_t h; cudaEventCreateWithFlags(&h, cudaEventDisableTiming);",
            "passes an event, which no other grid",
        ),
    ],
)
def test_neither_stream_nor_event_is_an_argument_of_a_child(create, message):
    """In C++ both are pointers."""
    kind = create.split()[0]
    text = f"""__global__ void takes({kind} h) {{}}
        __global__ void parent() {{ {create} takes<<<1, 1>>>(h); }}"""
    with pytest.raises(StreamMisused, match=message):
        gpusim.RawModule(code=text).get_function("parent")[1, 1]()


def test_a_stream_is_of_the_grid_that_created_it_under_cdp2():
    """Another block may launch into it; a child may not."""
    log = np.zeros(4, np.int64)
    with gpusim.use(cdp=2, schedule="serial"):
        hands_a_stream_on[2, 1](log, np.zeros(1, np.uint64), 0)
        assert log[:2].tolist() == [1, 1]
        with pytest.raises(StreamMisused, match="another grid has created"):
            hands_a_stream_on[2, 1](np.zeros(4, np.int64), np.zeros(1, np.uint64), 3)


def test_two_blocks_keep_the_order_of_one_stream_under_cdp2():
    for schedule in range(12):
        log, handle = np.zeros(4, np.int64), np.zeros(1, np.uint64)
        with gpusim.use(cdp=2, schedule=schedule):
            shares_a_stream[2, 1](log, handle)
        assert log.tolist() == [2, 1, 2, 0]


@cuda.jit
def shares_a_stream(log, handle):
    """Block 0 creates it and launches first; block 1 waits for its handle, and launches behind."""
    if cuda.blockIdx.x == 0:
        _, stream = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
        note[1, 1, stream](log, 1)
        cuda.threadfence()
        cuda.atomic.exch(handle, 0, stream)
    else:
        stream = cuda.atomic.max(handle, 0, 0)
        while stream == 0:
            stream = cuda.atomic.max(handle, 0, 0)
        note[1, 1, stream](log, 2)


@cuda.jit
def records_an_event_that_was_refused():
    _, event = cudart.cudaEventCreateWithFlags(cudart.cudaEventDefault)
    cudart.cudaEventRecord(event, 0)


def test_an_event_with_times_is_none_and_its_use_says_so():
    with pytest.raises(StreamMisused, match="uses event 0, which was not created") as caught:
        records_an_event_that_was_refused[1, 1]()
    assert "takes cudaEventDisableTiming" in caught.value.hint


@cuda.jit
def into_a_stream_of_cdp2(log):
    note[1, 1, cudart.cudaStreamTailLaunch](log, 1)


def test_cdp1_has_no_tail_launches():
    with gpusim.use(cdp=1), pytest.raises(StreamMisused, match="which only CDP2 has"):
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


@cuda.jit
def leans(deepest, depth):
    """300 leaves and a chain of 20: where many grids count as one, the chain is among them."""
    deepest[0] = depth
    if depth < 20:
        for _ in range(300 if depth == 0 else 0):
            leans[1, 1](deepest, 20)
        leans[1, 1](deepest, depth + 1)


def test_the_tree_is_as_deep_as_its_deepest_grid_also_where_many_count_as_one():
    with gpusim.profile() as run:
        leans[1, 1](np.zeros(1), 0)
    tree = run.launch_tree()
    assert (tree.launches, tree.depth) == (321, 20)
    assert len(tree.grids) < tree.launches


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
    with gpusim.profile() as nothing:
        pass
    with pytest.raises(ReportError, match="no tree of launches"):
        nothing.launch_tree()


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


# limits -----------------------------------------------------------------------------------------------------


@cuda.jit
def launches_many(found, many):
    for i in range(many):
        counts[1, 1](found)
        (error,) = cudart.cudaGetLastError()
        if error:
            found[1] = i
            found[2] = error
            break


@cuda.jit
def counts(found):
    found[0] += 1


@pytest.mark.parametrize(
    ("cdp", "many", "heap", "expected", "in_heap"),
    [
        (1, 7, 8 << 20, [7, 0, 0], 0),
        (1, 9, 8 << 20, [9, 0, 0], 2),  # beyond the pool, without an error
        (1, 12, 3 * 4096, [10, 10, 69], 3),  # until the heap is full, too
        (2, 12, 8 << 20, [7, 7, 69], 0),
    ],
)
def test_beyond_the_pool_cdp1_keeps_launches_in_the_heap(cdp, many, heap, expected, in_heap):
    found, heap_limit = np.zeros(3, np.int64), cudart.cudaLimit.cudaLimitMallocHeapSize
    cuda.current_context().reset()
    try:
        cudart.cudaDeviceSetLimit(PENDING, 8)
        cudart.cudaDeviceSetLimit(heap_limit, heap)
        with gpusim.use(cdp=cdp), gpusim.profile() as run:
            launches_many[1, 1](found, many)
    finally:
        cuda.current_context().reset()
    assert found.tolist() == expected
    assert run.launch_tree().in_heap == in_heap


@cuda.jit
def launch_in_turn(found):
    launches_many[1, 1](found, 6)
    launches_many[1, 1](found, 6)


def test_launches_are_pending_until_the_grid_is_over_that_made_them():
    """One of the host, two of it, and six of the first; then six of the second: never more than nine."""
    found = np.zeros(3, np.int64)
    try:
        cudart.cudaDeviceSetLimit(PENDING, 9)
        launch_in_turn[1, 1](found)
    finally:
        cudart.cudaDeviceSetLimit(PENDING, 2048)
    assert found.tolist() == [12, 0, 0]


@cuda.jit
def reads_beyond_in_a_child(x):
    counts[1, 1](x[8:])


@pytest.mark.parametrize(("size", "outcome"), [(9, nullcontext()), (8, pytest.raises(OutOfBounds))])
def test_what_the_host_lent_is_its_own_again(size, outcome):
    memory = settings.current().grids.state.memory
    before = memory.known()
    with outcome:
        reads_beyond_in_a_child[1, 1](np.zeros(size, np.int64))
    assert memory.known() == before


def test_limits_that_the_memory_does_not_suffice_for_are_refused():
    stack = cudart.cudaLimit.cudaLimitStackSize
    assert cudart.cudaDeviceGetLimit(stack)[1] == 1024
    with gpusim.use("K40", cdp=1):
        for limit, value, match in (
            (stack, 1 << 20, "cudaErrorMemoryAllocation: with 1,048,576 bytes for the stack of a thread"),
            (SYNC_DEPTH, 25, "cudaErrorInvalidValue: launches nest 24 levels deep"),
            (PENDING, 1 << 22, "cudaErrorMemoryAllocation"),
        ):
            before = cudart.cudaDeviceGetLimit(limit)
            with pytest.raises(LaunchError, match=match):
                cudart.cudaDeviceSetLimit(limit, value)
            assert cudart.cudaDeviceGetLimit(limit) == before
    with pytest.raises(LaunchError, match="cudaErrorUnsupportedLimit"):
        cudart.cudaDeviceSetLimit(SYNC_DEPTH, 3)


def test_a_kernel_may_ask_for_limits_and_not_set_them():
    text = """__global__ void k(int* out) {
      size_t bytes; out[0] = cudaDeviceGetLimit(&bytes, cudaLimitStackSize); out[1] = bytes;%s
    }"""
    out = np.full(2, -1, np.int32)
    gpusim.RawModule(code=text % "").get_function("k")[1, 1](out)
    assert out.tolist() == [0, 1024]
    with pytest.raises(gpusim.errors.UnsupportedConstruct, match="cudaDeviceSetLimit"):
        gpusim.RawModule(code=text % "cudaDeviceSetLimit(cudaLimitStackSize, 2048);").get_function("k")[1, 1](
            out
        )
