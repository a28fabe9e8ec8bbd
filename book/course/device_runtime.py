"""What do the runs of "The device runtime" give? Its kernels are passed; here is what is asked of them."""

from __future__ import annotations

import warnings
from html import escape
from typing import Any, NamedTuple

import numpy as np
from IPython.display import HTML

import gpusim
from course.records import recorded
from gpusim import cudart
from gpusim.errors import GpuSimError
from gpusim.runtime.device_figures import cudaLimit
from gpusim.views.table import Table, table

PENDING = cudaLimit.cudaLimitDevRuntimePendingLaunchCount
SYNC_DEPTH = cudaLimit.cudaLimitDevRuntimeSyncDepth


def zeros(*shape: int, dtype: Any = np.int32) -> Any:
    return np.zeros(shape, dtype)


def shuffled(count: int) -> Any:
    """So many different numbers in random order, the same in every run."""
    return np.random.default_rng(1).permutation(count).astype(np.int32)


def name_of(code: int) -> str:
    """`cudaErrorInvalidConfiguration` of 9."""
    return str(cudart.cudaGetErrorName(code)[1].decode())


def text_of(code: int) -> str:
    """What CUDA says of an error."""
    return str(cudart.cudaGetErrorString(code)[1].decode())


# sorting ----------------------------------------------------------------------------------------------------


class Sorted(NamedTuple):
    """A sort: its run, how many numbers came to their place, [failures, error] told, and warnings."""

    run: Any
    right: int
    told: list[int]
    warnings: list[str]

    @property
    def tree(self) -> Any:
        return self.run.launch_tree()


def sorted_by(kernel: Any, x: Any, least: int = -1, deepest: int = 0, cdp: int = 2) -> Sorted:
    """Sort by `quick`, or, where `least` and `deepest` are given, by `sort`."""
    a, b, out, told = x.copy(), np.zeros_like(x), np.full_like(x, -1), zeros(2)
    more = (0, least, deepest, told) if least >= 0 else ()
    with (
        gpusim.use("H200", cdp=cdp),
        warnings.catch_warnings(record=True) as caught,
        gpusim.profile() as run,
    ):
        warnings.simplefilter("always")
        kernel[1, 256](a, b, out, 0, x.size, *more)
    said = [str(one.message).partition("\n")[0] for one in caught]
    return Sorted(run, int((out == np.sort(x)).sum()), told.tolist(), said)


def seen_by_host(large: Sorted) -> str:
    """No launch of the host failed, or `sorted_by` had raised: is the array sorted?"""
    if large.right == large.run.launch_tree().launches and large.warnings:
        return "no error, and no sorted array"
    raise AssertionError(large)


def nested(sort: Any) -> tuple[Sorted, Sorted]:
    """60 sorted numbers under CDP1, without a limit of depth and with one."""
    x = np.arange(60, dtype=np.int32)
    return sorted_by(sort, x, 0, 1_000_000, cdp=1), sorted_by(sort, x, 0, 24, cdp=1)


def capped(sort: Any) -> int:
    """How many grids sort 1,024 random numbers, if those at depth 3 launch nothing?"""
    one = sorted_by(sort, shuffled(1024), 0, 3)
    if (one.right, one.told) != (1024, [0, 0]):
        raise AssertionError(one)
    return int(one.tree.launches)


# errors -----------------------------------------------------------------------------------------------------


def heard(who_hears: Any) -> list[list[int]]:
    """What each of two threads gets: by peeking, by getting, and by getting again."""
    codes = zeros(3, 2)
    who_hears[1, 2](codes)
    return codes.tolist()  # type: ignore[no-any-return]


def tells_host(large: Sorted, deep: Sorted) -> str:
    """Of two sorts whose launches were refused one told the host in an array; the host heard no error."""
    if large.warnings and large.right < 1500 and deep.told[0]:
        return "an array that the kernel wrote"
    raise AssertionError((large, deep.told))


def faulty(asks: Any) -> tuple[GpuSimError, str]:
    """The fault of a child, and who learns of it."""
    codes = np.full(1, -1, np.int32)
    try:
        asks[1, 1](zeros(4), 4, codes)
    except GpuSimError as fault:
        return fault, "the parent, by `cudaGetLastError`" if codes[0] else "the host, when it waits"
    return GpuSimError(""), "nobody"


def printed(fault: GpuSimError) -> HTML:
    """A message as it stands, in lines that wrap."""
    text = escape("\n".join([fault.message, *fault.launch_tree.splitlines()]))
    return HTML(f'<pre style="white-space: pre-wrap">{text}</pre>')  # type: ignore[no-untyped-call]


def waited(waits: Any, grids: int, levels: int = 2) -> list[int]:
    """What `cudaDeviceSynchronize` answers to each of so many nested grids, the host's first."""
    codes = np.full(grids, -1, np.int32)
    with gpusim.use("H200", cdp=1):
        cudart.cudaDeviceSetLimit(SYNC_DEPTH, levels)
        try:
            waits[1, 1](codes, 0)
        finally:
            cudart.cudaDeviceSetLimit(SYNC_DEPTH, 2)
    return codes.tolist()


class Parts(NamedTuple):
    """How many parts of an array were sorted by their children, and what was told of the others?"""

    sorted: int
    told: list[int]


def parts(in_parts: Any, count: int = 3000, cdp: int = 2) -> Parts:
    """A child for each eight numbers."""
    a, told = np.random.default_rng(2).integers(0, 100, 8 * count, np.int32), zeros(2)
    out = np.full_like(a, -1)
    with gpusim.use("H200", cdp=cdp):
        in_parts[count, 1](a, out, told)
    done = (out.reshape(count, 8) == np.sort(a.reshape(count, 8))).all(axis=1)
    return Parts(int(done.sum()), told.tolist())


def way_out(in_parts: Any) -> str:
    """3,000 launches in 4,096 places, which the host sets before."""
    cudart.cudaDeviceSetLimit(PENDING, 4096)
    try:
        if parts(in_parts).told == [0, 0]:
            return "the host raises the limit before it launches the kernel"
    finally:
        cudart.cudaDeviceSetLimit(PENDING, 2048)
    raise AssertionError("4,096 places are not enough")


# the runtime's other calls ----------------------------------------------------------------------------------


def copied(copies: Any) -> list[int]:
    """What the line behind a copy sees, and what the child behind it."""
    x, y, seen = zeros(4), np.full(4, 7, np.int32), np.full(2, -1, np.int32)
    copies[1, 1](x, y, seen)
    return seen.tolist()


FIGURES = (
    ("cudaGetDevice", "number of the device"),
    ("cudaDeviceGetAttribute", "multiprocessors"),
    ("cudaDeviceGetLimit", "bytes of the heap"),
    ("cudaRuntimeGetVersion", "version of the runtime"),
    ("cudaOccupancyMaxActiveBlocks…", "blocks of 256 that a multiprocessor takes"),
)


def figures_of(kernel: Any, child: Any) -> Table:
    """What a kernel is told here, about another that was launched before, and what an H200 told one."""
    out = zeros(len(FIGURES))
    with gpusim.use("H200"):
        child[1, 1](zeros(1))
        kernel[1, 1](out)
    asked = _test("cdp occ", "device-side queries")
    there = [
        asked[name][1] for name in ("getDevice", "deviceGetAttribute_SMs", "limit_heap", "runtimeVersion")
    ]
    there += [
        blocks
        for *shape, blocks, _, _ in recorded("dynamic_parallelism")["device_occupancy"]
        if shape == [256, 0]
    ]
    if out.tolist() != there:
        raise AssertionError((out, there))
    rows = [
        (f"`{call}`", what, here, real)
        for (call, what), here, real in zip(FIGURES, out.tolist(), there, strict=True)
    ]
    return table(rows, ("call", "what it gives", "simulated", "on an H200"))


PLACES = r"""
__global__ void places(unsigned* seen) {
    unsigned sm, warp, place = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int k = 0; k < 2; k++) {
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
        seen[place + 2 * k] = sm, seen[place + 2 * k + 1] = warp;
    }
}
"""


def places() -> str:
    """Do blocks of the simulator stay where they are?"""
    seen = zeros(4, 64, 2, 2, dtype=np.uint32)
    gpusim.RawModule(code=PLACES).get_function("places")[4, 64](seen)
    if (seen[:, :, 0] != seen[:, :, 1]).any():
        raise AssertionError("the page says that blocks stay")
    named = ", ".join(map(str, seen[:, 0, 0, 0]))
    return f"In the simulator nobody moves: four blocks ran on {named}, and read the same number twice."


# records ----------------------------------------------------------------------------------------------------


def _test(process: str, name: str, **wanted: Any) -> Any:
    (found,) = (
        one
        for one in recorded("dynamic_parallelism")["tests"]
        if (one["process"], one["test"]) == (process, name) and wanted.items() <= one.items()
    )
    return found


def of_h200() -> dict[str, Any]:
    """What did an H200 answer where launches failed, nested deep, or were too many?"""
    (shape,) = (
        one
        for one in recorded("dynamic_parallelism")["invalid_launches"]
        if one[:2] == ["invalid", "<<<1,1025>>>"]
    )
    deep = _test("cdp depth", "depth", asked_depth=3000)
    many = _test("cdp pending", "pending", children=3000)
    return {
        "h200_sync": _test("cdp invalid", "invalid device sync")["sync"],
        "h200_host": shape[-1],
        "h200_depth": f"{deep['deepest_grid_that_ran']:,}",
        "h200_depth_error": deep["device_error"],
        "h200_tails": f"{_test('cdp taildepth', 'taildepth', asked_depth=3000)['deepest_grid_that_ran']:,}",
        "h200_ran": f"{many['children_that_ran']:,}",
        "h200_failed": f"{many['failed']:,}",
        "h200_version": f"{_test('cdp occ', 'device-side queries')['runtimeVersion'][1]:,}",
    }


def fire_and_forget() -> dict[str, str]:
    """How many launches that nobody waits for did an H200 take?"""
    free = _test("cdp pendingff", "pendingff", children=6000)
    return {"h200_free_tried": f"{free['children']:,}", "h200_free_ran": f"{free['children_that_ran']:,}"}


def trap() -> tuple[str, str]:
    """What an H200 told the parent of a child that traps, and what the host."""
    found = _test("cdp trap", "child that traps")
    return found["launch"], found["sync"]


def launch_cost() -> dict[str, str]:
    """Microseconds of a launch on an H200: in the thread that launches, and until the child begins."""
    found = _test("cdp order", "launch latency default stream, ns")
    later, begins = found["issue_cost_in_parent"][1:], found["parent_issue_to_child_start"][1:]
    return {"h200_issue": f"{np.median(later) / 1000:.0f}", "h200_begins": f"{np.median(begins) / 1000:.0f}"}
