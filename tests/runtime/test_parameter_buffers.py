"""Launches as PTX has them: a kernel by its address, its parameters in a buffer that the parent fills."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim.errors import KernelRaised, KernelTypeError, StreamMisused
from gpusim.runtime.grids import DeviceLaunchWarning

TEXT = r"""
struct Box { int* data; short k; };
__global__ void child(char c, double d, int* x, Box box, bool flag) {
    x[threadIdx.x] += c + (int)d + (flag ? box.k : 0) + blockIdx.x;
    box.data[3] = 77;
}
__global__ void none() {}
__global__ void one(int* x) { x[0] += 1; }
__global__ void other(int* x) { x[0] += 10; }
template <typename T> __global__ void fill(T* x, T value) { x[threadIdx.x] = value; }
__device__ void of_child(char* b, int* x) {
    *b = 1;
    *(double*)(b + 8) = 2.0;
    *(int**)(b + 16) = x;
    *(Box*)(b + 24) = Box{x, 3};
    *(bool*)(b + 40) = true;
}
__device__ void* given(size_t size, int* x) {
    char* b = (char*)cudaGetParameterBuffer(8, size);
    *(int**)b = x;
    return b;
}
__global__ void parent(int* x) {
    STATEMENT
}
"""


def run(statement, **settings):
    x = np.arange(4, dtype=np.int32)
    module = gpusim.RawModule(code=TEXT.replace("STATEMENT", statement), options=("-rdc=true",))
    with gpusim.use(**settings):
        module.get_function("parent")[1, 1](x)
    return x.tolist()


@pytest.mark.parametrize("cdp", [1, 2])
def test_the_three_ways_launch_the_same_child(cdp):
    launches = (
        "child<<<1, 3>>>(1, 2.0, x, Box{x, 3}, true);",
        "char* b = (char*)cudaGetParameterBuffer(8, 41); of_child(b, x);"
        " cudaLaunchDevice((void*)child, b, dim3(1), dim3(3), 0, 0);",
        "char* b = (char*)cudaGetParameterBufferV2((void*)child, dim3(1), dim3(3), 0); of_child(b, x);"
        " cudaLaunchDeviceV2(b, 0);",
    )
    assert [run(one, cdp=cdp) for one in launches] == [[6, 7, 8, 77]] * 3  # 1 + 2 + 3 more in each


# statement -> what it leaves of 0, 1, 2, 3
RUNS = {
    "cudaLaunchDevice((void*)one, given(8, x), 1, 1, 0, 0);": [1, 1, 2, 3],
    "cudaLaunchDevice((void*)one, given(4000, x), 1, 1, 0, 0);": [1, 1, 2, 3],
    "x[1] = cudaLaunchDevice((void*)none, nullptr, 1, 1, 0, 0);": [0, 0, 2, 3],
    "void* b = given(16, x); ((int*)b)[2] = 7; cudaLaunchDevice((void*)fill<int>, b, 1, 4, 0, 0);": [7] * 4,
    "void* f = x[1] ? (void*)one : (void*)other; cudaLaunchDevice(f, given(8, x), 1, 1, 0, 0);": [1, 1, 2, 3],
    "void* f = *x ? (void*)one : (void*)other; cudaLaunchDevice(f, given(8, x), 1, 1, 0, 0);": [10, 1, 2, 3],
    "cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);"
    "cudaLaunchDevice((void*)one, given(8, x), 1, 1, 0, s);": [1, 1, 2, 3],
    "for (int i = 0; i < 100; ++i) cudaLaunchDevice((void*)one, given(8, x), 1, 1, 0, 0);": [100, 1, 2, 3],
    # of a null kernel: an error that the thread can ask for
    "x[0] = cudaLaunchDevice(nullptr, given(8, x), 1, 1, 0, 0); x[1] = cudaGetLastError();": [98, 98, 2, 3],
    "x[0] = cudaGetParameterBufferV2(nullptr, 1, 1, 0) == nullptr;": [1, 1, 2, 3],
    # a configuration that the device does not take leaves the buffer to be used again
    "void* b = given(8, x); x[1] = cudaLaunchDevice((void*)one, b, 1, 1025, 0, 0); cudaGetLastError();"
    "x[2] = cudaLaunchDevice((void*)one, b, 1, 1, 0, 0);": [1, 9, 0, 3],
    # each launch says what became of it, whatever became of those before
    "void* b = given(8, x); x[1] = cudaLaunchDevice((void*)one, b, 1, 1025, 0, 0);"
    "x[2] = cudaLaunchDevice((void*)one, b, 1, 1, 0, 0); x[3] = cudaGetLastError();": [1, 9, 0, 9],
    # every buffer begins at a multiple of 64, whatever alignment is asked for
    "for (int n : {1, 5, 64, 65, 4096}) x[0] |= (size_t)cudaGetParameterBuffer(4, n) % 64;": [0, 1, 2, 3],
}

WRONG = {
    "cudaLaunchDevice((void*)child, given(40, x), 1, 1, 0, 0);": "of 40 bytes where 41 are read",
    "cudaLaunchDevice((void*)child, nullptr, 1, 1, 0, 0);": "passes a null parameter buffer, to child",
    "cudaLaunchDevice((void*)one, (char*)given(16, x) + 4, 1, 1, 0, 0);": "an address 4 bytes into a",
    "cudaLaunchDevice((void*)one, x, 1, 1, 0, 0);": "at which no parameter buffer begins",
    "void* b = given(8, x); cudaLaunchDevice((void*)one, b, 1, 1, 0, 0);"
    "cudaLaunchDevice((void*)one, b, 1, 1, 0, 0);": "or one that a kernel was launched from",
    "void* b = given(8, x); ((int*)b)[2] = 1; cudaLaunchDevice((void*)one, b, 1, 1, 0, 0);": (
        "has written beyond the 8 bytes of its parameter buffer"
    ),
    "void* b = cudaGetParameterBufferV2((void*)one, 1, 1, 0); *(int**)b = x;"
    "cudaLaunchDevice((void*)other, b, 1, 1, 0, 0);": "a parameter buffer made for another kernel, to other",
    "cudaLaunchDeviceV2(given(8, x), 0);": "a parameter buffer that was made for no kernel",
    "cudaLaunchDeviceV2(nullptr, 0);": "passes a null parameter buffer",
    "int t; cudaLaunchDevice((void*)one, given(8, &t), 1, 1, 0, 0);": "the address of local memory for 'x'",
}


@pytest.mark.parametrize("statement", RUNS)
def test_a_launch(statement):
    assert run(statement) == RUNS[statement]


@pytest.mark.parametrize("statement", WRONG)
def test_what_is_wrong_is_told_with_its_thread_and_line(statement):
    with pytest.raises(StreamMisused) as caught:
        run(statement)
    assert WRONG[statement] in str(caught.value)
    assert caught.value.thread == (0, 0, 0)
    assert caught.value.span.text.strip() == statement


def test_nobody_asks_about_the_launch_of_a_null_kernel():
    with pytest.warns(
        DeviceLaunchWarning, match=r"cudaErrorInvalidDeviceFunction.*\n.*\n.*a null pointer is no"
    ):
        run("cudaLaunchDevice(nullptr, given(8, x), 1, 1, 0, 0);")


INDIRECT = r"""
typedef void (*Kernel)(int*, int);
__device__ void* chosen[2];
template <typename T> __global__ void fill(T* x, int n) { x[n] = 7; }
__global__ void down(int* x, int n) {
    x[n] += n;
    if (n == 0) return;
    char* b = (char*)cudaGetParameterBufferV2((void*)down, 1, 1, 0);
    *(int**)b = x;
    *(int*)(b + 8) = n - 1;
    cudaLaunchDeviceV2(b, 0);
}
__device__ void launch(Kernel f, int* x, int n) {
    char* b = (char*)cudaGetParameterBuffer(8, 12);
    *(int**)b = x;
    *(int*)(b + 8) = n;
    cudaLaunchDevice((void*)f, b, 1, 1, 0, 0);
}
__global__ void keep() { chosen[0] = (void*)down; chosen[1] = (void*)fill<int>; }
__global__ void use(int* x, int which, int n) { launch((Kernel)chosen[which], x, n); }
__global__ void direct(int* x, int n) { launch(down, x, n); launch(fill<int>, x, n + 1); }
"""


def test_pointers_to_kernels_go_through_memory_and_functions_and_a_kernel_launches_itself():
    module, x = gpusim.RawModule(code=INDIRECT), np.zeros(4, np.int32)
    module.get_function("keep")[1, 1]()
    module.get_function("use")[1, 1](x, 0, 2)
    assert x.tolist() == [0, 1, 2, 0]
    module.get_function("use")[1, 1](x, 1, 3)
    assert x.tolist() == [0, 1, 2, 7]
    module.get_function("direct")[1, 1](x, 1)
    assert x.tolist() == [0, 2, 7, 7]


def test_an_address_that_is_no_kernel():
    with pytest.raises(KernelRaised, match="not that of a kernel"):
        run("void* f = (void*)(size_t)(x[3] + 1000); cudaLaunchDevice(f, given(8, x), 1, 1, 0, 0);")
    with pytest.raises(KernelTypeError, match="is no kernel"):
        run("cudaLaunchDevice((void*)(size_t)12345, given(8, x), 1, 1, 0, 0);")


def test_two_threads_share_no_buffer():
    text = r"""
    __global__ void one(int* x) { x[0] += 1; }
    __global__ void parent(int* x) {
        __shared__ void* b;
        if (threadIdx.x == 0) { b = cudaGetParameterBuffer(8, 8); *(int**)b = x; }
        __syncthreads();
        cudaLaunchDevice((void*)one, b, 1, 1, 0, 0);
    }
    """
    with pytest.raises(StreamMisused, match="that another thread launches from"):
        gpusim.RawKernel(text, "parent")[1, 2](np.zeros(1, np.int32))


# the declarations that PTX asks for before their use
DECLARED = r"""
extern "C" __device__ cudaError_t cudaLaunchDevice(
    void* func, void* parameterBuffer, dim3 gridDimension, dim3 blockDimension,
    unsigned int sharedMemSize, cudaStream_t stream);
extern "C" __device__ void* cudaGetParameterBuffer(size_t alignment, size_t size);
extern "C" __device__ int cudaNobody(int n);
"""
FILLED = (
    "cudaLaunchDevice((void*)one, given(8, x), dim3(1), dim3(1), 0, 0);",
    "void** b = (void**)cudaGetParameterBuffer(alignof(int*), sizeof(int*)); b[0] = x;"
    " cudaLaunchDevice(reinterpret_cast<void*>(&one), b, {1}, {1, 1, 1}, 0, nullptr);",
    "void* b = cudaGetParameterBuffer(8, 8); memcpy(b, &x, sizeof x);"
    " cudaLaunchDevice((void*)one, b, 1, 1, 0, 0);",
)


@pytest.mark.parametrize("statement", FILLED)
def test_a_text_may_declare_the_functions_itself(statement):
    x = np.zeros(1, np.int32)
    code = "#include <cuda_device_runtime_api.h>" + DECLARED + TEXT.replace("STATEMENT", statement)
    gpusim.RawModule(code=code).get_function("parent")[1, 1](x)
    assert x[0] == 1


def test_declared_by_the_text_or_not_the_runtime_copies_and_names_errors(capsys):
    declared = """extern "C" __device__ const char* cudaGetErrorName(cudaError_t error);
        extern "C" __device__ cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t);"""
    statement = (
        "cudaMemsetAsync(x, 0, 4, 0); cudaLaunchDevice((void*)one, given(8, x), 1, 1, 0, 0);"
        ' printf("%s", cudaGetErrorName(cudaLaunchDevice(nullptr, nullptr, 1, 1, 0, 0)));'
    )
    for text in ("", declared):
        x = np.full(2, 7, np.int32)
        with pytest.warns(DeviceLaunchWarning):
            gpusim.RawModule(code=text + TEXT.replace("STATEMENT", statement)).get_function("parent")[1, 1](x)
        assert x.tolist() == [1, 7]  # set to 0, and one more, in the order of the stream
        assert capsys.readouterr().out == "cudaErrorInvalidDeviceFunction"


def test_what_nobody_defines_is_told():
    code = DECLARED + TEXT.replace("STATEMENT", "x[0] = cudaNobody(1);")
    with pytest.raises(KernelTypeError, match="`cudaNobody` is declared, but has no body"):
        gpusim.RawModule(code=code).get_function("parent")


# how large a buffer may be ----------------------------------------------------------------------------------

SIZES = r"""
template <int N> struct Block { int numbers[N]; };
template <int N> __global__ void sum(int* x, Block<N> block) {
    for (int i = 0; i < N; ++i) x[0] += block.numbers[i];
}
template <int N> __global__ void by_buffer(int* x) {
    char* b = (char*)cudaGetParameterBuffer(8, 4 * N + 8);
    x[1] = b == nullptr;
    if (!b) return;
    *(int**)b = x;
    for (int i = 0; i < N; ++i) ((int*)b)[2 + i] = i;
    x[1] = cudaLaunchDevice((void*)sum<N>, b, 1, 1, 0, 0);
}
template <int N> __global__ void by_brackets(int* x) { sum<<<1, 1>>>(x, Block<N>{}); }
"""


RECORD = Path(__file__).parents[1] / "hardware" / "dynamic_parallelism.json"
ROWS = [row for row in json.loads(RECORD.read_text())["tests"] if row["test"] == "parameter size"]
SLOW = [pytest.param(row, marks=pytest.mark.all_records) for row in ROWS if row["bytes"] > 8192]


@pytest.mark.parametrize("row", [*(row for row in ROWS if row["bytes"] <= 8192), *SLOW], ids=str)
def test_a_buffer_takes_what_an_h200_took(row):
    """From 4 to 32,000 bytes of numbers, behind the pointer to their sum."""
    number = row["bytes"] // 4
    x = np.zeros(2, np.int32)
    gpusim.RawModule(code=SIZES).get_function(f"by_buffer<{number}>")[1, 1](x)
    assert row["device_error"] == "cudaSuccess"
    assert x.tolist() == [number * (number - 1) // 2, 0]


@pytest.mark.parametrize(("size", "cdp", "fits"), [(4096, 1, True), (4104, 1, False), (32776, 2, False)])
def test_a_buffer_has_4096_bytes_at_most_under_cdp1_and_32764_under_cdp2(size, cdp, fits):
    """Beyond, there is a null pointer."""
    number = (size - 8) // 4
    x = np.zeros(2, np.int32)
    with gpusim.use(cdp=cdp):
        gpusim.RawModule(code=SIZES).get_function(f"by_buffer<{number}>")[1, 1](x)
    assert x.tolist() == ([number * (number - 1) // 2, 0] if fits else [0, 1])


def test_what_brackets_pass_has_the_same_bound():
    kernel = gpusim.RawModule(code=SIZES).get_function("by_brackets<1024>")
    kernel[1, 1](np.zeros(2, np.int32))
    with (
        gpusim.use(cdp=1),
        pytest.raises(StreamMisused, match="4,104 bytes of parameters, where 4,096 fit under CDP1, to sum"),
    ):
        kernel[1, 1](np.zeros(2, np.int32))


# many, and side by side ------------------------------------------------------------------------------------

MANY = r"""
__global__ void add(int* x, int at) { atomicAdd(&x[at], at + 1); }
__global__ void parent(int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    char* b = (char*)cudaGetParameterBufferV2((void*)add, 1, 1, 0);
    *(int**)b = x;
    *(int*)(b + 8) = i;
    cudaLaunchDeviceV2(b, cudaStreamFireAndForget);
}
"""


def test_a_thousand_threads_launch_with_arguments_of_their_own():
    x = np.zeros(1000, np.int32)
    gpusim.RawKernel(MANY, "parent")[8, 128](x, 1000)
    assert (x == np.arange(1, 1001)).all()


def test_a_buffer_goes_back_with_the_launch_that_reads_it():
    """All of 32 KB would be taken after 256 of 128 bytes, of which each thread has one at a time."""
    text = MANY.replace("if (i >= n) return;", "for (; i < n; ++i) {").replace("Forget);", "Forget); }")
    x, limit = np.zeros(600, np.int32), gpusim.cudart.cudaLimit.cudaLimitDevRuntimePendingLaunchCount
    before = gpusim.cudart.cudaDeviceGetLimit(limit)[1]
    gpusim.cudart.cudaDeviceSetLimit(limit, 8)
    try:
        gpusim.RawKernel(text, "parent")[1, 1](x, 600)
    finally:
        gpusim.cudart.cudaDeviceSetLimit(limit, before)
    assert (x == np.arange(1, 601)).all()


def test_when_all_memory_for_buffers_is_taken_the_next_is_null():
    text = """__global__ void parent(int* x) {
        for (int i = 0; i < 40; ++i) x[0] += cudaGetParameterBuffer(8, 4096) != nullptr;
    }"""
    x, limit = np.zeros(1, np.int32), gpusim.cudart.cudaLimit.cudaLimitDevRuntimePendingLaunchCount
    before = gpusim.cudart.cudaDeviceGetLimit(limit)[1]
    gpusim.cudart.cudaDeviceSetLimit(limit, 32)
    try:
        gpusim.RawKernel(text, "parent")[1, 1](x)
    finally:
        gpusim.cudart.cudaDeviceSetLimit(limit, before)
    assert x[0] == 31  # 64 bytes behind each stay free


def test_under_every_schedule_and_checker():
    kernel = gpusim.RawKernel(MANY, "parent")
    for seed in range(4):
        x = np.zeros(40, np.int32)
        with gpusim.use(schedule=seed):
            kernel[2, 32](x, 40)
        assert (x == np.arange(1, 41)).all()
    with gpusim.sanitize() as report:
        kernel[2, 32](np.zeros(40, np.int32), 40)
    assert not report.findings
    with gpusim.profile() as run_:
        kernel[2, 32](np.zeros(40, np.int32), 40)
    assert run_.launch_tree().launches == 41


# brackets behind a pointer ----------------------------------------------------------------------------------

POINTERS = r"""
typedef void (*Kernel)(int*, int);
struct Box { int* data; double scale; };
__global__ void square(int* x, int i) { x[i] *= x[i]; }
__global__ void negate(int* x, int i) { x[i] = -x[i]; }
__global__ void of_others(int* x, double i) { x[0] = 99; }
__global__ void boxed(Box b, short s) { b.data[0] = (int)(b.scale * s); }
__device__ void go(Kernel f, int* x, int i) { f<<<1, 1>>>(x, i); }
__global__ void by_table(int* x) {
    Kernel kernels[] = {square, negate, negate, nullptr};
    kernels[threadIdx.x]<<<1, 1>>>(x, threadIdx.x);
}
template <class T> __global__ void fill(T* x, int i) { x[i] = 7; }
__global__ void by_list(int* x) {
    Kernel kernels[] = {square, fill<int>};
    kernels[threadIdx.x]<<<1, 1>>>(x, threadIdx.x);
}
struct Named { int size; Kernel run; };
__global__ void by_member(int* x) {
    Named one{4, fill<int>};
    one.run<<<1, 1>>>(x, 2);
}
__global__ void by_cast(int* x) { ((Kernel)(void*)square)<<<1, 1>>>(x, 2); }
__global__ void by_function(int* x) { go(negate, x, 1); go(square, x, 2); }
__global__ void of_structs(int* x) {
    void (*f)(Box, short) = x[0] ? boxed : nullptr;
    f<<<1, 1>>>(Box{x, 2.5}, 2);
}
"""


def test_brackets_launch_no_kernel_of_another_type():
    with pytest.raises(KernelRaised, match="points to no kernel of this text"):
        run("auto f = (void (*)(int*, int))(x[0] ? one : other); f<<<1, 1>>>(x, 1);")


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ("int* x", r"`void \(int \*\)`"),
        ("int* x, float f", r"`void \(int \*, float\)`"),
        ("int* x, long n", r"`void \(int \*, long\)`"),
    ],
)
def test_a_cast_to_another_type_of_kernel_is_refused(parameters, said):
    """The launch would lay out other parameters than the kernel reads."""
    text = f"""__global__ void wants({parameters}) {{ x[0] = 1; }}
    __global__ void parent(int* x) {{ ((void (*)(int*, int))wants)<<<1, 1>>>(x, 1); }}"""
    with pytest.raises(
        KernelTypeError, match=f"(?s)`wants` is a {said}.*not a `void \\(int \\*, int\\)`.*cast"
    ) as told:
        gpusim.RawModule(code=text).get_function("parent")
    assert told.value.span.line == 2


def test_a_cast_that_leaves_the_places_alone_is_taken():
    text = """__global__ void wants(const int* from, unsigned n) { ((int*)from)[0] = n; }
    __global__ void parent(int* x) { ((void (*)(int*, int))wants)<<<1, 1>>>(x, 5); }"""
    x = np.zeros(1, np.int32)
    gpusim.RawModule(code=text).get_function("parent")[1, 1](x)
    assert x[0] == 5


@pytest.mark.parametrize("device", ["H200", "MetaX C500"])
@pytest.mark.parametrize("cdp", [1, 2])
@pytest.mark.parametrize(
    ("name", "threads", "after"),
    [
        ("by_table", 3, [9, -4, -5, 6]),
        ("by_list", 2, [9, 7, 5, 6]),
        ("by_member", 1, [3, 4, 7, 6]),
        ("by_cast", 1, [3, 4, 25, 6]),
        ("by_function", 1, [3, -4, 25, 6]),
        ("of_structs", 1, [5, 4, 5, 6]),
    ],
)
def test_brackets_launch_the_kernel_that_a_pointer_holds(name, threads, after, cdp, device):
    x = np.array([3, 4, 5, 6], np.int32)
    with gpusim.use(device, cdp=cdp):
        gpusim.RawModule(code=POINTERS).get_function(name)[1, threads](x)
    assert x.tolist() == after
