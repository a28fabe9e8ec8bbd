"""Where do the tools agree with Compute Sanitizer on an H200, and where do they say more? Case by case.

The kernels are those of tests/hardware/sanitizer.cu in Numba's dialect; sanitizer.json has what was recorded.
"""

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from tests.hardware.checks import DIFFERENCES, RECORDED

FULL = 0xFFFFFFFF


def reduction(with_barrier):
    @cuda.jit
    def kernel(x, y):
        s = cuda.shared.array(128, np.int32)
        t = cuda.threadIdx.x
        s[t] = x[t]
        if with_barrier:
            cuda.syncthreads()
        d = 64
        while d > 0:
            if t < d:
                s[t] += s[t + d]
            cuda.syncthreads()
            d //= 2
        if t == 0:
            y[0] = s[0]

    return kernel


def warp_sum(with_syncwarp):
    @cuda.jit
    def kernel(x, y):
        s = cuda.shared.array(32, np.int32)
        t = cuda.threadIdx.x
        s[t] = x[t]
        if with_syncwarp:
            cuda.syncwarp()
        d = 16
        while d > 0:
            v = s[t + d] if t < d else 0
            if with_syncwarp:
                cuda.syncwarp()
            s[t] += v
            if with_syncwarp:
                cuda.syncwarp()
            d //= 2
        if t == 0:
            y[0] = s[0]

    return kernel


@cuda.jit
def warp_shuffle_as_barrier(x, y):
    s = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    v = cuda.shfl_xor_sync(FULL, t, 1)
    y[t] = s[v]


def same_value(threads):
    @cuda.jit
    def kernel(x, y):
        s = cuda.shared.array(1, np.int32)
        if cuda.threadIdx.x < threads:
            s[0] = 7
        cuda.syncthreads()
        y[cuda.threadIdx.x] = s[0]

    return kernel


def histogram(atomic):
    @cuda.jit
    def kernel(x, y):
        s = cuda.shared.array(4, np.int32)
        t = cuda.threadIdx.x
        if t < 4:
            s[t] = 0
        cuda.syncthreads()
        if atomic:
            cuda.atomic.add(s, x[t] & 3, 1)
        else:
            s[x[t] & 3] += 1
        cuda.syncthreads()
        if t < 4:
            y[t] = s[t]

    return kernel


@cuda.jit
def scan_in_place(x, y):
    s = cuda.shared.array(128, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()
    d = 1
    while d < 128:
        if t >= d:
            s[t] += s[t - d]
        cuda.syncthreads()
        d *= 2
    y[t] = s[t]


def leaving(lanes_that_stay, whole_block):
    @cuda.jit
    def kernel(x, y):
        s = cuda.shared.array(128, np.int32)
        t = cuda.threadIdx.x
        s[t] = x[t]
        if t >= lanes_that_stay:
            return
        if whole_block:
            cuda.syncthreads()
        else:
            cuda.syncwarp()
        y[t] = s[t + lanes_that_stay]

    return kernel


def barrier_in_branch(threads):
    @cuda.jit
    def kernel(x, y):
        t = cuda.threadIdx.x
        if t < threads:
            y[t] = 1
            cuda.syncthreads()
        y[t] += 1

    return kernel


def barrier_in_both_branches(threads):
    @cuda.jit
    def kernel(x, y):
        t = cuda.threadIdx.x
        if t < threads:
            y[t] = 1
            cuda.syncthreads()
        else:
            y[t] = 2
            cuda.syncthreads()
        y[t] += 1

    return kernel


def barrier_after_return(threads):
    @cuda.jit
    def kernel(x, y):
        t = cuda.threadIdx.x
        if t >= threads:
            return
        y[t] = 1
        cuda.syncthreads()
        y[t] += 1

    return kernel


@cuda.jit
def syncwarp_not_named(x, y):
    t = cuda.threadIdx.x
    if t < 32:
        cuda.syncwarp(0xFFFF)
        y[t] = 1


@cuda.jit
def shuffle_not_named(x, y):
    t = cuda.threadIdx.x
    y[t] = cuda.shfl_sync(0xFFFF, t, 0)


@cuda.jit
def shuffle_from_absent(x, y):
    t = cuda.threadIdx.x
    if t < 16:
        y[t] = cuda.shfl_sync(0xFFFF, t, 20)


@cuda.jit
def syncwarp_names_exited(x, y):
    t = cuda.threadIdx.x
    if t >= 16:
        return
    cuda.syncwarp(FULL)
    y[t] = 1


def syncwarp_in_branch(both):
    @cuda.jit
    def kernel(x, y):
        t = cuda.threadIdx.x
        if t < 16:
            y[t] = 1
            cuda.syncwarp(FULL)
        elif both:
            y[t] = 2
            cuda.syncwarp(FULL)
        y[t] += 2

    return kernel


@cuda.jit
def out_of_bounds(x, y):
    y[cuda.threadIdx.x + 1000000] = x[0]


@cuda.jit
def misaligned(x, y):
    y.view(np.int8)[1:5].view(np.int32)[0] = x[0]


@cuda.jit
def shared_uninit(x, y):
    s = cuda.shared.array(128, np.int32)
    y[cuda.threadIdx.x] = s[cuda.threadIdx.x]


@cuda.jit
def global_uninit(x, y):
    y[cuda.threadIdx.x] = x[cuda.threadIdx.x + 512]


@cuda.jit
def global_race_blocks(x, y):
    y[cuda.threadIdx.x] = cuda.blockIdx.x


@cuda.jit
def global_race_in_block(x, y):
    t = cuda.threadIdx.x
    y[t] = x[t]
    x[t + 128] = y[(t + 37) % 128]


@cuda.jit
def ticket_no_fence(x, y):
    t = cuda.threadIdx.x
    last = cuda.shared.array(1, np.int32)
    if t == 0:
        x[256 + cuda.blockIdx.x] = 5
        last[0] = cuda.atomic.inc(y, 512, 3) == 3
    cuda.syncthreads()
    if last[0] and t == 0:
        for b in range(4):
            y[0] += x[256 + b]


KERNELS = {
    "reduce_right": reduction(True),
    "reduce_missing_barrier": reduction(False),
    "warp_no_syncwarp": warp_sum(False),
    "warp_syncwarp": warp_sum(True),
    "warp_shuffle_as_barrier": warp_shuffle_as_barrier,
    "same_value_stores": same_value(128),
    "same_value_one_warp": same_value(32),
    "histogram_plain": histogram(False),
    "histogram_atomic": histogram(True),
    "scan_in_place": scan_in_place,
    "exit_then_read": leaving(64, True),
    "exit_in_warp_then_syncwarp": leaving(16, False),
    "barrier_in_branch_lanes": barrier_in_branch(16),
    "barrier_in_branch_warps": barrier_in_branch(32),
    "barrier_both_branches_lanes": barrier_in_both_branches(16),
    "barrier_both_branches_warps": barrier_in_both_branches(32),
    "barrier_after_return_lanes": barrier_after_return(100),
    "barrier_after_return_warps": barrier_after_return(64),
    "syncwarp_not_named": syncwarp_not_named,
    "shuffle_not_named": shuffle_not_named,
    "shuffle_from_absent": shuffle_from_absent,
    "syncwarp_names_exited": syncwarp_names_exited,
    "syncwarp_full_in_branch": syncwarp_in_branch(True),
    "syncwarp_full_in_one_branch": syncwarp_in_branch(False),
    "out_of_bounds": out_of_bounds,
    "misaligned": misaligned,
    "shared_uninit": shared_uninit,
    "global_uninit": global_uninit,
    "global_race_blocks": global_race_blocks,
    "global_race_in_block": global_race_in_block,
    "ticket_no_fence": ticket_no_fence,
}


@pytest.mark.parametrize("case", RECORDED)
def test_the_verdict_is_that_of_compute_sanitizer_or_the_difference_has_a_reason(case):
    recorded = RECORDED[case]
    with gpusim.sanitize(recorded["tool"], device="H200") as report:
        x, y = cuda.device_array(1024, np.int32), cuda.to_device(np.zeros(1024, np.uint32))
        x[:512] = np.arange(512, dtype=np.int32)  # the rest stays without contents
        KERNELS[case][recorded["blocks"], recorded["threads"]](x, y)
    verdict = "error" if report.findings else "warning" if report.warnings else "clean"
    if case in DIFFERENCES:
        assert DIFFERENCES[case].startswith(("an error here", "a race here", "a warning here"))
        assert verdict != recorded["verdict"], "they agree now: strike it from the list"
        assert verdict == ("warning" if DIFFERENCES[case].startswith("a warning") else "error")
    else:
        assert verdict == recorded["verdict"], report


def test_warp_divergence_at_a_barrier_is_named_as_there():
    for case in ("barrier_in_branch_lanes", "barrier_both_branches_warps"):
        with gpusim.sanitize("synccheck", device="H200") as report:
            KERNELS[case][1, RECORDED[case]["threads"]](np.zeros(1024, np.int32), np.zeros(1024, np.uint32))
        (finding,) = report.findings
        (kind,) = RECORDED[case]["kinds"]
        assert kind.replace("thread(s)", "threads").lower() == f"barrier error: {finding.hazard}"
