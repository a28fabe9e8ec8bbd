"""What is said when a kernel in CUDA C++ goes wrong as it runs? Each message in full."""

from __future__ import annotations

import re
import textwrap

import numpy as np
import pytest

import gpusim
from gpusim import cuda, errors
from gpusim.runtime import settings

FIRST = "thread (0, 0, 0) of block (0, 0, 0)"
NODE = np.dtype([("p", "u8")])


def floats(count=32):
    return np.zeros(count, np.float32)


def ints(count=32):
    return np.zeros(count, np.int32)


def message(code, *arguments, threads=32, shared=0, **settings):
    """The class of the error and its text, with addresses cut short."""
    kernel = gpusim.RawKernel(textwrap.dedent(code).strip("\n"), "k")
    with pytest.raises(errors.GpuSimError) as caught, gpusim.use(**settings):
        kernel[1, threads, 0, shared](*arguments)
    return f"{type(caught.value).__name__}: " + re.sub("0x7f0+", "0x7f…", str(caught.value))


def said(text):
    return textwrap.dedent(text).strip("\n")


# where ------------------------------------------------------------------------------------------------------


def test_an_inlined_function_says_from_where_it_was_called():
    code = """
    __device__ float get(const float* p, int i) {
        return p[i + 1000];
    }
    __device__ float twice(const float* p, int i) { return 2 * get(p, i); }
    __global__ void k(float* x) {
        x[threadIdx.x] = twice(x, threadIdx.x);
    }
    """
    assert message(code, floats()) == said(f"""
    OutOfBounds: code:2: {FIRST} reads x[1000], 4 bytes at byte 4000 of 'x', past the end of its 128 bytes (and 31 other lanes in this step)
        return p[i + 1000];
               ^ guard it, for example with `if (i < n)`
      called from code:4: __device__ float twice(const float* p, int i) {{ return 2 * get(p, i); }}
      called from code:6: x[threadIdx.x] = twice(x, threadIdx.x);
    """)  # noqa: E501


def test_a_python_kernel_says_so_too():
    @cuda.jit(device=True)
    def get(p, i):
        return p[i + 1000]

    @cuda.jit
    def k(x):
        x[cuda.threadIdx.x] = get(x, cuda.threadIdx.x)

    with pytest.raises(errors.OutOfBounds) as caught:
        k[1, 32](floats())
    _, line, caret, called = str(caught.value).splitlines()
    assert line == "    return p[i + 1000]"
    assert caret == "           ^ guard it, for example with `if i < n`"
    assert re.fullmatch(
        r"  called from test_errors\.py:\d+: x\[cuda\.threadIdx\.x\] = get\(x, cuda\.threadIdx\.x\)", called
    )


def test_a_macro_is_marked_where_it_is_used():
    code = r"""
    #define EACH(body) \
        for (int i = 0; i < 9; ++i) { body; }
    #define PUT(v) \
        x[i] = v
    __global__ void k(float* x) {
        EACH(PUT(2.0f))
    }
    """
    assert message(code, floats(4), threads=1) == said(f"""
    OutOfBounds: code:6: {FIRST} writes x[4], 4 bytes at byte 16 of 'x', past the end of its 16 bytes
        EACH(PUT(2.0f))
             ^ its last index is 3
    """)


def test_an_instance_of_a_template_is_marked_in_the_template():
    code = """
    template <typename T, int N>
    __device__ T last(const T* x) { return x[N]; }
    __global__ void k(float* x) {
        x[0] = last<float, 4>(
            x);
    }
    """
    assert message(code, floats(4), threads=1) == said(f"""
    OutOfBounds: code:2: {FIRST} reads x[4], 4 bytes at byte 16 of 'x', past the end of its 16 bytes
        __device__ T last(const T* x) {{ return x[N]; }}
                                               ^ its last index is 3
      called from code:4: x[0] = last<float, 4>(
    """)


# memory -----------------------------------------------------------------------------------------------------


def test_before_the_beginning():
    code = """
    __global__ void k(int* bins, const int* x) {
        atomicAdd(&bins[x[threadIdx.x]], 1);
    }
    """
    assert message(code, ints(4), np.array([-1], np.int32), threads=1) == said(f"""
    OutOfBounds: code:2: {FIRST} updates bins[-1], 4 bytes at byte -4 of 'bins', before its beginning
        atomicAdd(&bins[x[threadIdx.x]], 1);
        ^
    """)


def test_past_the_end_of_shared_memory():
    code = """
    __global__ void k(float* x) {
        extern __shared__ float buffer[];
        buffer[threadIdx.x] = x[threadIdx.x];
    }
    """
    assert message(code, floats(), shared=64) == said("""
    OutOfBounds: code:3: thread (16, 0, 0) of block (0, 0, 0) writes buffer[16], 4 bytes at byte 64 of 'buffer', past the end of its 64 bytes (and 15 other lanes in this step)
        buffer[threadIdx.x] = x[threadIdx.x];
        ^ guard it, for example with `if (i < n)`
    """)  # noqa: E501


def test_dynamic_shared_memory_that_the_launch_gave_no_bytes():
    code = """
    __global__ void k(float* x) {
        extern __shared__ float buffer[];
        buffer[threadIdx.x] = x[threadIdx.x];
    }
    """

    @cuda.jit
    def k(x):
        buffer = cuda.shared.array(0, np.float32)
        buffer[cuda.threadIdx.x] = x[cuda.threadIdx.x]

    hints = {
        gpusim.RawKernel(code, "k"): "the launch gave `extern __shared__` arrays 0 bytes: "
        "write kernel((blocks,), (threads,), args, shared_mem=bytes)",
        k: "the launch gave `cuda.shared.array(0, dtype)` 0 bytes: "
        "write kernel[blocks, threads, 0, bytes](…)",
    }
    for kernel, hint in hints.items():
        with pytest.raises(errors.OutOfBounds) as caught:
            kernel[1, 32](floats())
        assert caught.value.hint == hint


def test_past_the_end_of_a_shared_array_of_fixed_length():
    code = """
    __global__ void k() {
        __shared__ int tile[32];
        tile[threadIdx.x + 1] = 1;
    }
    """
    assert message(code) == said("""
    OutOfBounds: code:3: thread (31, 0, 0) of block (0, 0, 0) writes tile[32], 4 bytes at byte 128 of 'tile', past the end of its 128 bytes
        tile[threadIdx.x + 1] = 1;
        ^ its last index is 31
    """)  # noqa: E501


def test_past_the_end_of_a_variable():
    code = """
    __constant__ float weights[3];
    __global__ void k(float* x) {
        for (int j = 0; j <= 3; ++j) x[j] += weights[j];
    }
    """
    assert message(code, floats(4), threads=1) == said(f"""
    OutOfBounds: code:3: {FIRST} reads weights[3], 4 bytes at byte 12 of 'weights', past the end of its 12 bytes
        for (int j = 0; j <= 3; ++j) x[j] += weights[j];
                                             ^ its last index is 2
    """)  # noqa: E501


def test_misaligned():
    code = """
    __device__ float2 pair(const float* x, int i) {
        return *(const float2*)(x + i);
    }
    __global__ void k(float* x) {
        x[threadIdx.x] = pair(x, threadIdx.x).x;
    }
    """
    assert message(code, floats(64), threads=2) == said("""
    MisalignedAccess: code:2: thread (1, 0, 0) of block (0, 0, 0) uses 8 bytes of 'x' at address 0x7f…4, which is not a multiple of 8
        return *(const float2*)(x + i);
               ^ a pointer to 8 bytes, such as a cast makes, must hold a multiple of 8 (CUDA C++ Programming Guide, "Size and Alignment Requirement")
      called from code:5: x[threadIdx.x] = pair(x, threadIdx.x).x;
    """)  # noqa: E501


def test_a_null_pointer_as_an_argument():
    code = """
    __global__ void k(float* x) {
        x[threadIdx.x] += 1;
    }
    """
    assert message(code, None) == said(f"""
    OutOfBounds: code:2: {FIRST} reads 4 bytes through 'x', a null pointer (and 31 other lanes in this step)
        x[threadIdx.x] += 1;
        ^ pass an array, or test the pointer before you use it: `if (p)`
    """)


FOLLOW = """
struct Node { float* p; };
__device__ void add(Node* n) { n->p[threadIdx.x] += 1; }
__global__ void k(Node* n) {
    add(n);
}
"""


def test_a_null_pointer_in_memory_has_no_name():
    assert message(FOLLOW, np.zeros(1, NODE), threads=1) == said(f"""
    OutOfBounds: code:2: {FIRST} reads 4 bytes through a null pointer
        __device__ void add(Node* n) {{ n->p[threadIdx.x] += 1; }}
                                       ^ pass an array, or test the pointer before you use it: `if (p)`
      called from code:4: add(n);
    """)


def test_an_address_where_nothing_is():
    assert message(FOLLOW, np.array([(0x10000,)], NODE), threads=1) == said(f"""
    OutOfBounds: code:2: {FIRST} reads 4 bytes at address 0x10000, where nothing is; nothing that the launch can reach is near
        __device__ void add(Node* n) {{ n->p[threadIdx.x] += 1; }}
                                       ^
      called from code:4: add(n);
    """)  # noqa: E501


def test_use_after_free():
    x = cuda.to_device(floats())
    view = x[:]
    x.gpu_data.free()
    code = """
    __global__ void k(float* x) {
        x[threadIdx.x] += 1;
    }
    """
    assert message(code, view) == said(f"""
    UseAfterFree: code:2: {FIRST} uses 'x', whose memory was freed (and 31 other lanes in this step)
        x[threadIdx.x] += 1;
        ^ free it after the last kernel that uses it
    """)


def test_use_after_free_through_a_pointer_in_memory():
    node, x = cuda.to_device(np.zeros(1, NODE)), cuda.to_device(floats())
    store = "struct N { float* p; }; __global__ void k(N* n, float* x) { n->p = x; }"
    gpusim.RawKernel(store, "k")[1, 1](node, x)
    next(allocation for allocation in settings.memory().live() if len(allocation.data) == 128).free()
    assert message(FOLLOW, node, threads=1) == said(f"""
    UseAfterFree: code:2: {FIRST} reads 4 bytes at 0x7f…100, whose memory was freed
        __device__ void add(Node* n) {{ n->p[threadIdx.x] += 1; }}
                                       ^ free it after the last kernel that uses it
      called from code:4: add(n);
    """)


# what threads say themselves --------------------------------------------------------------------------------


def test_an_assertion():
    code = """
    #include <assert.h>
    #define CHECK(c) assert(c)
    __device__ void need(int n) {
        CHECK(n > 3 && "enough");
    }
    __global__ void k() {
        need(threadIdx.x);
    }
    """
    assert message(code) == said(f"""
    AssertionFailed: code:4: {FIRST} (and 3 other lanes in this step): Assertion `n > 3 && "enough"` failed
        CHECK(n > 3 && "enough");
        ^ a GPU ends the launch here, too, with an error
      called from code:7: need(threadIdx.x);
    """)


@pytest.mark.parametrize(
    "head", ["#define NDEBUG\n#include <assert.h>", "#define NDEBUG\n#include <cassert>"]
)
def test_no_assertion_is_checked_with_ndebug(head):
    gpusim.RawKernel(f"{head}\n__global__ void k() {{ assert(false); }}", "k")[1, 1]()


def test_no_assertion_is_checked_with_the_flag():
    code = "__global__ void k() { assert(false); }"
    gpusim.RawKernel(code, "k", options=("-DNDEBUG",))[1, 1]()
    with pytest.raises(errors.KernelRaised):
        gpusim.RawKernel(code, "k")[1, 1]()


def test_a_trap():
    code = """
    __global__ void k() {
        if (threadIdx.x == 3) __trap();
    }
    """
    assert message(code) == said("""
    KernelRaised: code:2: thread (3, 0, 0) of block (0, 0, 0): __trap()
        if (threadIdx.x == 3) __trap();
                              ^ a GPU ends the launch here, too, with an error
    """)


# no end -----------------------------------------------------------------------------------------------------


def test_a_deadlock_at_two_calls_of_one_function():
    code = """
    __device__ void wait() { __syncthreads(); }
    __global__ void k() {
        if (threadIdx.x < 8)
            wait();
        else
            wait();
    }
    """
    assert message(code, scheduling="independent") == said("""
    Deadlock: code:1: 32 lane(s) wait at the barrier of line 1 (called from line 4) and of line 1 (called from line 6): lanes of one warp must wait at the same barrier
        __device__ void wait() { __syncthreads(); }
                                 ^ let every thread of the block reach the same barrier
      called from code:4: wait();
    """)  # noqa: E501


def test_a_deadlock_of_lanes_that_wait_for_lanes_at_a_barrier():
    code = """
    __global__ void k() {
        if (threadIdx.x < 8)
            __syncthreads();
        else
            __syncwarp();
    }
    """
    assert message(code, scheduling="independent") == said("""
    Deadlock: code:5: 32 lane(s) wait for others at line 3 and line 5: lanes that wait at a barrier do not come
        __syncwarp();
        ^ let every lane that the mask names come here
    """)  # noqa: E501


def test_a_livelock_is_marked_where_lanes_spin():
    code = """
    __device__ void lock(int* x) {
        while (atomicCAS(x, 0, 1) != 0) ;
    }
    __global__ void k(int* x) {
        lock(x);
        x[1]++;
        atomicExch(x, 0);
    }
    """
    assert message(code, ints(), scheduling="stack") == said(f"""
    Livelock: code:2: k does not end (no lane changes anything any more): 31 lane(s) at line 2 `while (atomicCAS(x, 0, 1) != 0) ;`, first thread (1, 0, 0) of block (0, 0, 0); 1 lane(s) at line 6 `x[1]++;`, first {FIRST}
        while (atomicCAS(x, 0, 1) != 0) ;
               ^ other lanes of the warp wait where its branches meet, perhaps with what the loop waits for; gpusim.use(scheduling="independent") lets them run
      called from code:5: lock(x);
    """)  # noqa: E501


@pytest.mark.parametrize(
    ("budget", "why", "hint"),
    [
        (
            200,
            "more than 200 steps",
            "check the loop's condition; for a kernel that is only long, write gpusim.use(step_budget=…) "
            "with a larger number in a line before its launch",
        ),
        (
            10_000,
            "nothing changes any more that decides where its lanes go",
            "nothing that runs changes what the loop's condition tests: check the condition",
        ),
    ],
)
def test_a_loop_without_end(budget, why, hint):
    code = """
    __global__ void k(int* x) {
        while (true)
            x[0]++;
    }
    """
    assert message(code, ints(), step_budget=budget) == said(f"""
    Livelock: code:3: k does not end ({why}): 32 lane(s) at line 3 `x[0]++;`, first {FIRST}
        x[0]++;
        ^ {hint}
    """)


# masks ------------------------------------------------------------------------------------------------------


def test_a_mask_without_the_lane_itself():
    code = """
    __global__ void k(int* x) {
        x[threadIdx.x] = __shfl_sync(0x0000ffff, x[threadIdx.x], 0);
    }
    """
    assert message(code, ints()) == said("""
    InvalidMask: code:2: thread (16, 0, 0) of block (0, 0, 0) is lane 16 of its warp, and its mask does not name it
        x[threadIdx.x] = __shfl_sync(0x0000ffff, x[threadIdx.x], 0);
                         ^ a lane may only meet others with a mask that holds its own bit
    """)  # noqa: E501


def test_a_mask_with_lanes_that_are_elsewhere_before_volta():
    code = """
    __device__ int sum(int v) {
        return __shfl_down_sync(0xffffffff, v, 16);
    }
    __global__ void k(int* x) {
        if (threadIdx.x < 8) x[0] = sum(1);
    }
    """
    assert message(code, ints(), scheduling="stack") == said(f"""
    InvalidMask: code:2: the mask names lanes that do not run with {FIRST}; a warp with one program counter has only the lanes 0xff here
        return __shfl_down_sync(0xffffffff, v, 16);
               ^ call it where all lanes of the mask are together, or on a device with independent lanes
      called from code:5: if (threadIdx.x < 8) x[0] = sum(1);
    """)  # noqa: E501
