"""What do the runs of "Memory across launches" give? Its kernels are passed; here are some of its own."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

import gpusim
from course.records import recorded
from gpusim import cuda, cudart
from gpusim.errors import GpuSimError, OutOfBounds
from gpusim.runtime.device_figures import cudaLimit
from gpusim.views.table import Table, table

HEAP = cudaLimit.cudaLimitMallocHeapSize
ORDERS = 64
RECORDED = "dynamic_parallelism"


def arrays(size: int) -> tuple[Any, Any]:
    """`data` and `seen` of the first examples; -1 is what nobody wrote."""
    return np.full(size, -1, np.int32), np.full(size, -1, np.int32)


def first_line(error: Exception) -> str:
    """What an error says, without its place and its hint."""
    return str(error).splitlines()[0].partition(": ")[2]


# the example with 256 threads


def shown(parent: Any) -> Any:
    """The example with two threads, as racecheck followed it."""
    with gpusim.use("H200", cdp=1), gpusim.sanitize("racecheck") as report:
        parent[1, 2](*arrays(2), True, True)
    return report


def shown_today(parent_today: Any) -> Any:
    """Two blocks of two threads, and a reader in the default stream of the first one."""
    with gpusim.use("H200"), gpusim.sanitize("racecheck") as report:
        parent_today[2, 2](*arrays(4), False)
    _ = report.findings
    return report


def certain_for_the_child(parent: Any) -> tuple[int, int, int]:
    """Without the first barrier: which of the parent's 8 writes is the child certain to see, as bits?
    In so many other orders, how many times did an element come out wrong?
    """
    with gpusim.use("H200", cdp=1):
        with gpusim.sanitize("racecheck") as report:
            parent[1, 8](*arrays(8), False, True)
        _ = report.findings  # they are told later, behind the reader's prediction
        found = gpusim.explore_schedules(parent[1, 8], *arrays(8), False, True, schedules=ORDERS)
    seen = report.visibility()
    child = [one for one in seen.reads if seen.boxes[one.box].grid == 1]
    right = np.arange(1, 9)
    wrong = sum(one.count for one in found.outcomes if (one.arguments["data"] != right).any())
    return sum(1 << t for t, one in enumerate(child) if one.certain), found.schedules, wrong


def right_without_second(parent: Any) -> int:
    """How many of 256 threads see the child's result without the second barrier, in the usual order?"""
    data, seen = arrays(256)
    with gpusim.use("H200", cdp=1):
        parent[1, 256](data, seen, True, False)
    if data.tolist() != list(range(1, 257)):
        raise AssertionError("the child sees the parent's writes")
    return int((seen == data).sum())


def unordered(report: Any) -> int:
    """How often does racecheck see a child's read of what its parent may not yet have written?"""
    (found,) = (one for one in report.findings if one.hazard == "RAW")
    return int(found.count)


def hazards(parent: Any) -> Table:
    """What does racecheck say of 256 threads, with and without each barrier?"""
    rows = []
    for first, second in ((False, True), (True, False), (True, True)):
        with gpusim.use("H200", cdp=1), gpusim.sanitize("racecheck") as report:
            parent[1, 256](*arrays(256), first, second)
        barriers = ("no barrier", "a barrier")[first], ("no barrier", "a barrier")[second]
        kinds, times = (
            " and ".join(one.hazard for one in report.findings),
            {one.count for one in report.findings},
        )
        found = f"{kinds}, {times.pop()} times" if len(times) == 1 else "nothing"
        rows.append((*barriers, found, report.findings[0].hint if report.findings else ""))
    return table(rows, ["before the launch", "after the wait", "racecheck finds", "and says"])


def said_of_waiting(parent: Any) -> dict[str, str]:
    """What do the real compiler and `gpusim` say of `cudaDeviceSynchronize()` in a kernel under CDP2?"""
    nvcc = recorded(RECORDED, "compile_time")[0].partition("error ")[2]
    try:
        with gpusim.use("H200"):
            parent[1, 8](*arrays(8), True, True)
    except GpuSimError as error:
        return {"nvcc_says": nvcc.partition(" (nvcc")[0].strip('"'), "cdp2_says": first_line(error)}
    raise AssertionError("CDP2 has no cudaDeviceSynchronize() in kernels")


def children_seen(parent_today: Any, tail: bool) -> int:
    """Of how many of four children are all results seen in all orders?"""
    found = gpusim.explore_schedules(parent_today[4, 2], *arrays(8), tail, device="H200", schedules=48)
    right = [one.arguments["seen"] == np.arange(1, 9) for one in found.outcomes]
    return int(np.all(right, axis=0).reshape(4, 2).all(axis=1).sum())


def h200() -> dict[str, Any]:
    """What did a real H200 do?"""
    tests = {(one["process"], one["test"]): one for one in recorded(RECORDED)["tests"]}
    sight = tests["cdp order", "visibility"]
    missed = {
        sight["child_saw_parents_writes_and_host_saw_childs_mismatches"],
        sight["tail_kernel_saw_childs_writes_mismatches"],
    }
    (heap,) = (
        one
        for one in recorded(RECORDED)["tests"]
        if one.get("limit") == 8 << 20
        and one.get("chunk") == 1 << 16
        and one["call"].startswith("cudaMalloc")
    )
    late = "set heap limit to twice its value after a kernel that allocates ran"
    return {
        "copied_early": tests["cdp order", "device cudaMemcpyAsync and cudaMemsetAsync"][
            "value_seen_by_parent_right_after"
        ],
        "missed": missed.pop() if len(missed) == 1 else missed,
        "heap_there": heap["allocations"],
        "heap_fit": heap["limit"] // heap["chunk"],
        "heap_here": blocks_of(8 << 20, 1 << 16),
        "heap_set": tests["cdp heap", late]["err"],
    }


# which memory

POINTERS = r"""
#include <cstdlib>
__device__ int variable = 3;
__constant__ int constant = 4;
__global__ void child(const int* p, int* out) { out[0] = p[0]; }
__global__ void parent(int* array, int* zero_copy, int* out) {
    __shared__ int shared;
    int local = out[0];
    const int* p = WHERE;
    child<<<1, 1>>>(p, out);
}
"""
# memory -> what the parent writes there, its address, who sees it, who writes it
MEMORIES = {
    "an array of global memory": ("array", "all grids", "all"),
    "zero-copy memory": ("zero_copy", "all grids, and the host", "all"),
    "a `__device__` variable": ("&variable", "all grids", "all"),
    "the heap": ("(int*)malloc(4)", "all grids, until it is freed", "all"),
    "constant memory": ("&constant", "all grids", "the host, before the launch"),
    "shared memory": ("&shared", "its block", "its block"),
    "local memory": ("&local", "its thread", "its thread"),
}


def usable_but_not_global(ask: Any) -> list[str]:
    """For which memory does `__isGlobal` say no, although a launch takes its address?"""
    out = np.full(len(MEMORIES), -1, np.int32)
    ask[1, 1](np.zeros(1, np.int32), cuda.mapped_array(1, np.int32), out)
    return [name for name, yes in zip(MEMORIES, out, strict=True) if not yes and launched_with(name) == "yes"]


def launched_with(memory: str) -> str:
    """Does a launch take the address of such memory? "yes", or what is said."""
    text = POINTERS.replace("WHERE", MEMORIES[memory][0])
    arrays = np.zeros(1, np.int32), cuda.mapped_array(1, np.int32), np.zeros(1, np.int32)
    try:
        gpusim.RawModule(code=text).get_function("parent")[1, 1](*arrays)
    except GpuSimError as error:
        return f"no: {first_line(error).partition('for ')[2].partition(': ')[2].partition(',')[0]}"
    return "yes"


def shared_with_children() -> Table:
    """For each kind of memory: who sees it, who writes it, and may a child have its address?"""
    rows = [(name, seen, written, launched_with(name)) for name, (_, seen, written) in MEMORIES.items()]
    return table(rows, ["memory", "who sees it", "who writes it", "a launch takes its address"])


def told_of(statement: str, where: str = "array") -> str:
    """What is said of a statement that a kernel may not have?"""
    text = POINTERS.replace("child<<<1, 1>>>(p, out);", statement).replace("WHERE", where)
    try:
        gpusim.RawModule(code=text).get_function("parent")[1, 1](*(np.zeros(1, np.int32),) * 3)
    except GpuSimError as error:
        return first_line(error)
    raise AssertionError(statement)


def told_of_copies() -> str:
    """What is said of a copy from local memory? Under CDP1 and CDP2, and of shared memory likewise."""
    for cdp, memory in itertools.product((1, 2), ("shared", "local")):
        with gpusim.use(cdp=cdp):
            said = told_of("cudaMemcpyAsync(array, p, 4, cudaMemcpyDeviceToDevice, 0);", f"&{memory}")
        if f"passes the address of {memory} memory" not in said:
            raise AssertionError(said)
    return said.partition("passes ")[2]


def refusals() -> dict[str, str]:
    """What is said of a shared array as an argument, of a written constant, and of a search for a symbol?"""
    try:
        passes_shared[1, 1](np.zeros(4, np.int32))
    except GpuSimError as error:
        python = first_line(error)
    return {
        "python_says": python,
        "copy_says": told_of_copies(),
        "constant_says": told_of("constant = 5;").replace("`", ""),
        "symbol_says": told_of("void* found; cudaGetSymbolAddress(&found, variable);").replace("`", ""),
        "texture_saw": f"{texture_saw():g}",
    }


TEXTURE = r"""
__global__ void look(cudaTextureObject_t texture, float* out) {
    out[0] = tex1Dfetch<float>(texture, 0);
}
__global__ void parent(cudaTextureObject_t texture, float* data, float* out) {
    data[0] = 11;
    look<<<1, 1>>>(texture, out);
}
"""


def texture_saw() -> float:
    """What does a child fetch through a texture of what its parent wrote?"""
    data, out = cuda.to_device(np.zeros(4, np.float32)), np.zeros(1, np.float32)
    resource = cudart.cudaResourceDesc()
    resource.resType = cudart.cudaResourceType.cudaResourceTypeLinear
    resource.res.linear.devPtr, resource.res.linear.sizeInBytes = data, 16
    kind = cudart.cudaChannelFormatKind.cudaChannelFormatKindFloat
    resource.res.linear.desc = cudart.cudaCreateChannelDesc(32, 0, 0, 0, kind)[1]
    _, texture = cudart.cudaCreateTextureObject(resource, cudart.cudaTextureDesc(), None)
    gpusim.RawModule(code=TEXTURE).get_function("parent")[1, 1](texture, data, out)
    cudart.cudaDestroyTextureObject(texture)
    return float(out[0])


@cuda.jit
def adds(x: Any) -> None:
    x[cuda.threadIdx.x] += 1


@cuda.jit
def passes_shared(x: Any) -> None:
    s = cuda.shared.array(4, np.int32)
    adds[1, 4](s)


# the permutation


def as_printed(permute: Any, in_cpp: Any) -> tuple[str, str]:
    """How does the appendix's own launch end, in both languages, and what is said in C++?"""
    said = ""
    for kernel in (permute, in_cpp):
        try:
            with gpusim.use("H200"):
                numbers = np.arange(8, dtype=np.int32)
                kernel[1, 8, 0, 32](8, numbers, True)
        except OutOfBounds as error:
            said = first_line(error)
    if not said:
        raise AssertionError("eight threads have room for four numbers")
    return "a child leaves its shared memory", said


def permuted(permute: Any, n: int) -> tuple[int, Any]:
    """Where is the 3 at the end? And the run."""
    numbers = np.arange(n, dtype=np.int32)
    with gpusim.profile("H200") as run:
        permute[1, n, 0, 4 * n](n, numbers, False)
    bits = n.bit_length() - 1
    if numbers.tolist() != [int(f"{place:0{bits}b}"[::-1], 2) for place in range(n)]:
        raise AssertionError(numbers)
    return numbers.tolist().index(3), run


def idle_grids(permute: Any, n: int) -> int:
    """How many grids have one number, and store nothing?"""
    _, run = permuted(permute, n)
    return sum(kernel.launches for kernel in run.kernels if not kernel.counters()["global_store_requests"])


# the heap

HEAPS = r"""
__device__ void* kept;
__global__ void take() { TAKE }
__global__ void give(int* of_the_host) { GIVE }
__global__ void fill(int bytes, int* count) {
    void* found;
    while (cudaMalloc(&found, bytes) == cudaSuccess) count[0]++;
}
"""
TAKES = {"`malloc` in a kernel": "kept = malloc(16);", "`cudaMalloc` in a kernel": "cudaMalloc(&kept, 16);"}
GIVES = {"`free` in a kernel": "free(kept);", "`cudaFree` in a kernel": "cudaFree(kept);"}


def heap(take: str = "", give: str = "") -> Any:
    return gpusim.RawModule(code=HEAPS.replace("TAKE", take).replace("GIVE", give))


def pairs() -> Table:
    """Who may give back what whom took? Each pair is tried, in two launches."""
    rows = []
    for name, take in TAKES.items():
        row = [name, "the heap's size"]
        for give in GIVES.values():
            module = heap(take, give)
            module.get_function("take")[1, 1]()
            row.append(outcome(module.get_function("give")[1, 1], np.zeros(4, np.int32)))
        address = int(module.get_global("kept").copy_to_host().view(np.uint64)[0])
        rows.append([*row, outcome(cudart.cudaFree, address)])
    row = ["`cudaMalloc` on the host", "the free memory"]
    for give in GIVES.values():
        module = heap(give=give.replace("kept", "of_the_host"))
        row.append(outcome(module.get_function("give")[1, 1], cudart.cudaMalloc(16)[1].view(np.int32)))
    rows.append([*row, outcome(cudart.cudaFree, cudart.cudaMalloc(16)[1])])
    return table(rows, ["taken by", "at most", *GIVES, "`cudaFree` on the host"])


def outcome(call: Any, *arguments: Any) -> str:
    """Does it work?"""
    try:
        call(*arguments)
    except GpuSimError:
        return "error"
    return "yes"


def blocks_of(heap_bytes: int, block_bytes: int) -> int:
    """How many blocks of a size does a heap of a size give?"""
    cuda.current_context().reset()
    try:
        cudart.cudaDeviceSetLimit(HEAP, heap_bytes)
        count = np.zeros(1, np.int32)
        heap().get_function("fill")[1, 1](block_bytes, count)
    finally:
        cuda.current_context().reset()
    return int(count[0])


class Rooms(NamedTuple):
    """What became of four jobs: addresses that they got, how many are right, results in so many orders."""

    addresses: int
    right: int
    outcomes: int
    orders: int


def rooms(jobs: Any, own: bool) -> Rooms:
    """Four jobs with a room each; `own`: a child gives its own room back, else the parent does."""
    out, addresses = np.full(128, -1, np.int32), np.zeros(4, np.uint64)
    with gpusim.use("H200"):
        jobs[1, 1](out, addresses, own)
    found = gpusim.explore_schedules(
        jobs[1, 1], np.full(128, -1, np.int32), np.zeros(4, np.uint64), own,
        key=lambda out, *_: out.tobytes(), device="H200", schedules=48,
    )  # fmt: skip
    right = (out.reshape(4, 32) == np.arange(4)[:, None]).all(axis=1).sum()
    return Rooms(len({*addresses.tolist()}), int(right), len(found), found.schedules)
