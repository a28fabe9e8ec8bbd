"""Do kernels that launch kernels do what an H200 was seen to do? Order, what is seen, limits and errors.

Order: of two events that CUDA keeps apart, the same comes first there and here, whatever the schedule. Where
it promises nothing, a GPU began children while their parent still ran; here, unless a seed says otherwise,
they begin when its threads have left. That is one order that CUDA allows, and the record has another.
"""

from __future__ import annotations

import functools
import itertools
import json
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda, cudart
from gpusim.errors import KernelRaised, LaunchError, UnsupportedConstruct
from gpusim.ir.device_errors import DeviceError

RECORD = json.loads((Path(__file__).parent / "dynamic_parallelism.json").read_text())
TESTS = defaultdict(list)
for _test in RECORD["tests"]:
    TESTS[_test["process"], _test["test"]].append(_test)
PENDING = cudart.cudaLimit.cudaLimitDevRuntimePendingLaunchCount
SCHEDULES = [None, "serial", *range(8)]

# What the tests below do not compare, and why.
EXCEPTIONS = {
    "host memset 0xEE (control)": "of a fault of that stack: cudaMemsetAsync wrote zeros whatever the value",
    "device memset on cudaMalloc memory filled with 0xEE": "of that fault; which bytes it wrote is compared",
    "launch latency default stream, ns": "times: test_launch_times.py has them",
    "launch latency fire-and-forget, ns": "the same",
}
# of a heap of so many bytes: blocks of so many bytes -> how many there, and here, where a block takes 16 more
HEAP = {
    (8 << 20, 1 << 20): (6, 7), (8 << 20, 1 << 16): (78, 127), (8 << 20, 4096): (1888, 2038),
    (64 << 20, 1 << 20): (52, 63), (64 << 20, 1 << 16): (629, 1023), (64 << 20, 4096): (15111, 16318),
}  # fmt: skip


@functools.cache
def module():
    return gpusim.RawModule(path=Path(__file__).parent / "dynamic_parallelism.cu")


def kernel(name):
    return module().get_function(name)


# order ------------------------------------------------------------------------------------------------------

# test -> kernel, its block or grid, and chains of events, each of which comes before the next in its chain
ORDER = {
    "parent launches two children into the default stream; tags 1,3,2 parent before/between/after, "
    "11-12 child 1 (20 us), 21-22 child 2": ("two_children", 1, 1, [(1, 3, 2), (1, 11, 12, 21, 22), (3, 21)]),
    "8 threads of a block each launch one child (3 us) into the default stream": (
        "eight_threads",
        1,
        8,
        [(1, 2), *((1, 1001 + 10 * k, 1002 + 10 * k) for k in range(8))],
    ),
    "4 blocks each launch one child (5 us)": (
        "four_blocks", 4, 1, [(1, 2001 + 10 * k, 2002 + 10 * k) for k in range(4)],
    ),
    "two non-blocking streams: child 1 (50 us) in a, 2 (50 us) in b, 3 in a, 4 in the default stream": (
        "two_streams", 1, 1, [(1, 2), (1, 11, 12, 31, 32), (1, 21, 22), (1, 41, 42)],
    ),
    "one non-blocking stream: child 1 (50 us), 2 (50 us), 3 in a, 4 in the default stream": (
        "one_stream", 1, 1, [(1, 2), (1, 11, 12, 21, 22, 31, 32), (1, 41, 42)],
    ),
    "fire-and-forget: children 1..4 (50 us), then 5 in the default stream": (
        "fire_and_forget", 1, 1, [(1, 2), *((1, 10 * k + 1, 10 * k + 2) for k in range(1, 6))],
    ),
    "tail launches 8 and 9 issued first, then child 1 (30 us, default stream), child 2 (60 us, "
    "fire-and-forget), parent works 10 us": (
        "tails", 1, 1, [(1, 2, 81, 82, 91, 92), (1, 11, 12, 81), (1, 21, 22, 81)],
    ),
    "nested: mid(30) launches 31 and tail 32; parent then launches 50 in the default stream and tail 60": (
        "nested", 1, 1, [(1, 2, 601, 602), (301, 302, 321), (301, 311, 312, 321, 322, 501, 502, 601)],
    ),
    "events: child 1 (40 us) in a, event recorded in a, b waits, child 2 in b": (
        "events", 1, 1, [(1, 2), (1, 11, 12, 21, 22)],
    ),
    "host launches parent (child 30 us in default stream) then kernel 7 in the same host stream": (
        "two_children", 1, 1, [(1, 3, 2), (1, 11, 12, 21, 22), (2, 71), (22, 71, 72)],
    ),
}  # fmt: skip


def events(name, grid, block, then_seven, schedule):
    ticket, tags = module().get_global("ticket"), module().get_global("tags")
    ticket[:], tags[:] = 0, 0
    with gpusim.use(schedule=schedule):
        kernel(name)[grid, block]()
        if then_seven:
            kernel("child")[1, 1](7)
    return tags.copy_to_host()[: int(ticket.copy_to_host()[0])].tolist()


def follows(tags, chains):
    """Which neighbours of a chain come the other way round? Of several events with one tag all count."""
    first = {tag: place for place, tag in reversed(list(enumerate(tags)))}
    last = {tag: place for place, tag in enumerate(tags)}
    pairs = [pair for chain in chains for pair in itertools.pairwise(chain)]
    return [(a, b) for a, b in pairs if (first if tags.count(a) > 1 else last)[a] > first[b]]


@pytest.mark.parametrize("test", ORDER)
def test_what_cuda_keeps_in_order_is_in_order_there_and_here(test):
    (recorded,) = TESTS["cdp order", test]
    name, grid, block, chains = ORDER[test]
    there = [tag for tag, _nanoseconds in recorded["events_tag_ns"]]
    assert recorded["sync"] == "cudaSuccess"
    assert follows(there, chains) == []
    for schedule in SCHEDULES:
        here = events(name, grid, block, 71 in there, schedule)
        assert sorted(here) == sorted(there)
        assert follows(here, chains) == [], schedule


def test_what_threads_of_a_block_launch_into_its_default_stream_runs_one_after_the_other():
    """In which order is up to the threads."""
    test = next(test for test in ORDER if test.startswith("8 threads"))
    there = [tag for tag, _ in TESTS["cdp order", test][0]["events_tag_ns"]]
    for tags in (there, *(events("eight_threads", 1, 8, False, schedule) for schedule in SCHEDULES)):
        children = [tag for tag in tags if tag > 1000]
        assert [tag + 1 for tag in children[::2]] == children[1::2]


def test_what_may_overlap_does_so_there_and_here():
    """Blocks' children, those of two streams and fire-and-forget ones begin before the first has ended."""
    for test, starts, end in (
        ("4 blocks each launch one child (5 us)", (2001, 2011, 2021, 2031), (2002, 2012, 2022, 2032)),
        (next(t for t in ORDER if t.startswith("two non-blocking")), (11, 21), (12, 22)),
        (next(t for t in ORDER if t.startswith("fire-and-forget")), (11, 21, 31, 41), (12, 22, 32, 42)),
    ):
        there = [tag for tag, _ in TESTS["cdp order", test][0]["events_tag_ns"]]
        name, grid, block, _chains = ORDER[test]
        for tags in (there, events(name, grid, block, False, None)):
            assert max(map(tags.index, starts)) < min(map(tags.index, end))


def test_a_seed_begins_children_while_their_parent_runs_as_the_h200_did():
    recorded = [tag for tag, _ in TESTS["cdp order", next(iter(ORDER))][0]["events_tag_ns"]]
    assert recorded.index(11) < recorded.index(2)
    assert any(t.index(11) < t.index(2) for t in (events("two_children", 1, 1, False, s) for s in range(8)))
    friendly = events("two_children", 1, 1, False, None)
    assert friendly.index(11) > friendly.index(2)


def test_calls_for_streams_and_events_answer_the_same():
    codes = np.full(11, -1, np.int32)
    kernel("calls")[1, 1](codes)
    (streams,), (made,) = TESTS["cdp order", "stream calls"], TESTS["cdp order", "event calls"]
    names = [DeviceError(code).name for code in codes]
    assert [*codes[[0, 6]], *codes[[0, 7]]] == [*streams["create"], *streams["destroy"]] == [0, 0, 0, 0]
    assert codes[8] == streams["last"]
    assert names[1] == made["stream_create_default_flags"]
    assert names[2:6] == [
        made["create_disable_timing"], made["record"], made["wait"], made["destroy"],
    ]  # fmt: skip
    assert names[9] == names[10] == made["create_default_flags"]


def test_children_see_what_was_written_before_and_tails_what_children_wrote():
    (recorded,) = TESTS["cdp order", "visibility"]
    for schedule in SCHEDULES:
        data, wrong = np.zeros(256, np.int32), np.zeros(2, np.int32)
        with gpusim.use(schedule=schedule):
            kernel("visibility")[1, 256](data, wrong)
        assert wrong[0] == recorded["child_saw_parents_writes_and_host_saw_childs_mismatches"] == 0
        assert wrong[1] == recorded["tail_kernel_saw_childs_writes_mismatches"] == 0
        assert data.tolist() == list(range(1000, 1256))


# limits -----------------------------------------------------------------------------------------------------


def shortened(rows, key):
    """Every row, the longest few only with all records."""
    slow = [pytest.param(row, marks=pytest.mark.all_records) for row in rows if row[key] not in QUICK]
    return [row for row in rows if row[key] in QUICK] + slow


QUICK = {5, 20, 23, 24, 25, 30, 64, 100, 200, 2048, 2049}


@pytest.mark.parametrize("row", shortened(TESTS["cdp depth", "depth"], "asked_depth"), ids=str)
def test_launches_nest_as_deep_as_there(row):
    found = np.zeros(3, np.int32)
    kernel("depth")[1, 1](1, row["asked_depth"], 0, found)
    assert found[0] == row["deepest_grid_that_ran"]
    assert (DeviceError(found[1]).name, found[2]) == (row["device_error"], row["error_at_depth"])


@pytest.mark.parametrize("row", shortened(TESTS["cdp taildepth", "taildepth"], "asked_depth"), ids=str)
def test_tail_launches_nest_without_a_limit(row):
    found = np.zeros(3, np.int32)
    kernel("depth")[1, 1](1, row["asked_depth"], 1, found)
    assert found[0] == row["deepest_grid_that_ran"]
    assert (DeviceError(found[1]).name, found[2]) == (row["device_error"], row["error_at_depth"])


@pytest.mark.parametrize("process", ["cdp pending", "cdp pending_5000", "cdp pendingff"])
def test_so_many_launches_may_be_pending(process):
    free = process == "cdp pendingff"
    rows = TESTS[process, "pendingff" if free else "pending"]
    (limit,) = TESTS[process, "pending limit"]
    if process == "cdp pending_5000":
        cudart.cudaDeviceSetLimit(PENDING, TESTS[process, "set pending limit"][0]["to"])
        rows = [row for row in rows if row["children"] in (2049, 6000)]
    else:
        rows = [row for row in rows if free or row["children"] in (100, 2047, 2048, 3000)]
    try:
        assert cudart.cudaDeviceGetLimit(PENDING)[1] == limit["value"]
        for row in rows:
            found = np.array([0, 0, -1, 0], np.int32)
            kernel("pending")[1, 1](row["children"], int(free), found)
            here = [*found[:3].tolist(), DeviceError(found[3]).name]
            assert here == [
                row["children_that_ran"], row["failed"], row["first_failing_index"], row["device_error"],
            ]  # fmt: skip
    finally:
        cudart.cudaDeviceSetLimit(PENDING, 2048)


# memory and figures -----------------------------------------------------------------------------------------


def test_copies_and_sets_write_the_same_bytes():
    """What a set writes is compared by place: that stack wrote zeros there."""
    (recorded,) = TESTS["cdp order", "device cudaMemcpyAsync and cudaMemsetAsync"]
    to, codes = np.full(64, -1, np.int32), np.full(2, -1, np.int32)
    kernel("moves")[1, 1](to.view(np.int8), (3 * np.arange(64, dtype=np.int32)).view(np.int8), codes)
    assert [DeviceError(code).name for code in codes] == [recorded["memcpy"], recorded["memset"]]
    there = np.array(recorded["after"])
    assert to[:32].tolist() == there[:32].tolist()
    assert ((to != -1) == (there != -1)).all()
    assert (to[32:48] == 0x11111111).all()


SETS = "device cudaMemsetAsync: 64 B of 0x11, 4096 B of 0x7f, 17 B of 1; buffers were all ones"


def test_sets_end_at_the_same_byte():
    (recorded,) = TESTS["cdp order", SETS]
    buffers, codes = [np.full(8192, 255, np.uint8) for _ in range(3)], np.full(3, -1, np.int32)
    kernel("sets")[1, 1](*(buffer.view(np.int8) for buffer in buffers), codes)
    assert [DeviceError(code).name for code in codes] == recorded["err"]
    assert [(buffer != 255).sum() for buffer in buffers] == [64, 4096, 17]
    words = [buffer.view(np.uint32) for buffer in buffers]
    assert [f"{words[0][16]:08x}", f"{words[1][1024]:08x}"] == recorded["word_after_end"]
    assert f"{words[2][4]:08x}" == recorded["last_word_of_17B"].replace("00", "01")


def test_queries_answer_the_same():
    """Registers aside, which are of the compiler."""
    (recorded,) = TESTS["cdp occ", "device-side queries"]
    out = np.full(15, -1, np.int32)
    kernel("queries")[1, 1](out)
    error, _registers, threads = recorded["funcGetAttributes"]
    names = "deviceGetAttribute_SMs", "getDevice", "limit_heap", "limit_pending"
    more = "runtimeVersion", "deviceCount"
    assert out.tolist() == [
        *(number for name in names for number in recorded[name]), error, threads,
        *(number for name in more for number in recorded[name]), recorded["last"],
    ]  # fmt: skip


def test_occupancy_is_the_same_in_kernels():
    for block, size, in_kernel, on_host, error in RECORD["device_occupancy"]:
        out = np.full(2, -1, np.int32)
        kernel("resident")[1, 1](block, size, out)
        assert (DeviceError(out[0]).name, out[1]) == (error, in_kernel)
        host = cudart.cudaOccupancyMaxActiveBlocksPerMultiprocessor(kernel("nopsm"), block, size)[1]
        assert in_kernel == on_host == host


SIZES = [(limit, chunk) for limit, chunk in HEAP if limit // chunk <= 128]
SLOW = [pytest.param(*one, marks=pytest.mark.all_records) for one in HEAP if one not in SIZES]


@pytest.mark.parametrize(("limit", "chunk"), [*SIZES, *SLOW])
def test_the_heap_ends_with_the_same_error(limit, chunk):
    process = f"cdp heap{'' if limit == 8 << 20 else f'_{limit}'}"
    rows = [row for row in TESTS[process, "heap"] if row["chunk"] == chunk]
    heap = cudart.cudaLimit.cudaLimitMallocHeapSize
    cuda.current_context().reset()
    try:
        assert cudart.cudaDeviceSetLimit(heap, limit) == (0,)
        for row in rows:
            found = np.zeros(3, np.int32)
            kernel("fill_heap")[1, 1](chunk, int(row["call"].startswith("cudaMalloc")), found)
            assert (row["allocations"], found[0]) == HEAP[limit, chunk]
            assert (DeviceError(found[1]).name, found[2]) == (row["error"], found[0])
            assert row["freed"] == row["allocations"]
        (again,) = TESTS[process, "set heap limit to twice its value after a kernel that allocates ran"]
        with pytest.raises(LaunchError, match=again["err"]):
            cudart.cudaDeviceSetLimit(heap, 2 * limit)
        assert cudart.cudaDeviceGetLimit(heap)[1] == again["value_after"] == limit
    finally:
        module.cache_clear()
        cuda.current_context().reset()


# errors -----------------------------------------------------------------------------------------------------

SHAPES = {  # configuration -> kernel, grid, block, bytes
    "grid (1,65535,1)": (0, (1, 65535, 1), (1, 1, 1), 0),
    "grid (1,65536,1)": (0, (1, 65536, 1), (1, 1, 1), 0),
    "grid (1,1,65536)": (0, (1, 1, 65536), (1, 1, 1), 0),
    "grid (1000000,1,1)": (0, (1_000_000, 1, 1), (1, 1, 1), 0),
    "block (1,1,64)": (0, (1, 1, 1), (1, 1, 64), 0),
    "block (1,1,65)": (0, (1, 1, 1), (1, 1, 65), 0),
    "block (32,32,2)": (0, (1, 1, 1), (32, 32, 2), 0),
    "dynamic shared 1 MiB": (1, (1, 1, 1), (32, 1, 1), 1 << 20),
}


def shape_of(configuration):
    if configuration in SHAPES:
        return SHAPES[configuration]
    if configuration.startswith("dynamic shared"):
        return 1, (1, 1, 1), (32, 1, 1), int(configuration.split()[-1])
    grid, block = map(int, configuration.partition("<<<")[2].rstrip(">").split(","))
    return (2 if "launch_bounds" in configuration else 0), (grid, 1, 1), (block, 1, 1), 0


@pytest.mark.parametrize("process", ["invalid", "invalid_attr"])
def test_invalid_configurations_answer_the_same(process):
    """The error of the launch, the same when one peeks first, and none when it was asked for already."""
    text = gpusim.RawModule(path=Path(__file__).parent / "dynamic_parallelism.cu")
    if process == "invalid_attr":
        text.get_function("nopsm").max_dynamic_shared_size_bytes = 232448
    parent, dim3 = text.get_function("invalid"), np.dtype([(axis, "u4") for axis in "xyz"])
    rows = [row[1:] for row in RECORD["invalid_launches"] if row[0] == process]
    assert len(rows) == 21
    for configuration, *names, _on_host in rows:
        which, grid, block, size = shape_of(configuration)
        codes = np.full(3, -1, np.int32)
        parent[1, 1](which, np.array(grid, dim3), np.array(block, dim3), size, codes)
        assert [DeviceError(code).name for code in codes] == names, configuration


def test_an_error_that_nobody_asks_for_is_a_warning():
    text = gpusim.RawModule(code="__global__ void k() {} __global__ void p() { k<<<1, 1025>>>(); }")
    with pytest.warns(match=r"1 launch in kernels failed \(cudaErrorInvalidConfiguration"):
        text.get_function("p")[1, 1]()


@pytest.mark.parametrize("size", [4, 256, 1024, 4096, 8192])
def test_parameters_of_this_size_arrive(size):
    """32,000 bytes too, there; here each word is an operand of the launch, and takes its time."""
    rows = [*TESTS["cdp params", "parameter size"], *TESTS["cdp params_big", "parameter size"]]
    recorded = {row["bytes"]: row["device_error"] for row in rows}
    assert recorded[size] == "cudaSuccess"
    total = np.zeros(1, np.int32)
    kernel(f"parameters<{size // 4}>")[1, 1](total)
    assert total[0] == sum(range(size // 4))


def test_a_fault_of_a_child_reaches_the_host_and_not_its_parent():
    (recorded,) = TESTS["cdp trap", "child that traps"]
    code = np.full(1, -1, np.int32)
    with pytest.raises(KernelRaised) as caught:
        kernel("traps")[1, 1](code)
    assert (recorded["launch"], recorded["sync"]) == ("cudaSuccess", "cudaErrorLaunchFailure")
    assert code[0] == 0
    assert "launched by thread (0, 0, 0) of block (0, 0, 0) of traps at line" in str(caught.value)


def test_text_comes_in_the_recorded_order(capsys):
    kernel("hello")[1, 2]()
    assert capsys.readouterr().out.splitlines() == RECORD["hello"]


def test_nobody_waits_for_children_there_and_here():
    assert RECORD["compile_time"][0].startswith("cudaDeviceSynchronize() in device code: error")
    with pytest.raises(UnsupportedConstruct, match="cudaStreamTailLaunch"):
        kernel("waits")[1, 1]()
    with gpusim.use(cdp=1), warnings.catch_warnings():
        kernel("waits")[1, 1]()


def test_every_recorded_test_is_compared_or_named():
    compared = {
        *ORDER,
        "stream calls",
        "event calls",
        "visibility",
        "depth",
        "taildepth",
        "pending",
        "pendingff",
    }
    compared |= {"pending limit", "set pending limit", "invalid device sync", "invalid_attr device sync"}
    compared |= {"host set MaxDynamicSharedMemorySize=232448 on nopsm", "parameter size", "parameter sum"}
    compared |= {"child that traps", "device cudaMemcpyAsync and cudaMemsetAsync", SETS}
    compared |= {"device-side queries", "heap", "set heap limit"}
    compared |= {"set heap limit to twice its value after a kernel that allocates ran"}
    assert {test for _process, test in TESTS} == compared | EXCEPTIONS.keys()
    parts = {"header", "tests", "invalid_launches", "hello", "compile_time", "device_occupancy"}
    not_in_kernels = {"host_launch_errors"}  # what the host is told
    assert RECORD.keys() == parts | not_in_kernels
