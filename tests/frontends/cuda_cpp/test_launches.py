"""`child<<<grid, block, bytes, stream>>>(…)` in a kernel: what may stand there, and what clang says of it."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim.errors import KernelTypeError, LaunchError, StreamMisused, UnsupportedConstruct

TEXT = r"""
#define LAUNCH(kernel, n, ...) kernel<<<1, n>>>(__VA_ARGS__)
namespace tools {
  template <typename T> __global__ void fill(T* x, T value) { x[threadIdx.x] = value; }
  namespace inner { __global__ void plus(int* x, int by = 2) { x[threadIdx.x] += by; } }
}
template <typename T, int N = 3> struct Box { T* data; int sizes[N]; };
template <typename T> __global__ void of_box(Box<T> box, T k) { box.data[threadIdx.x] += k + box.sizes[1]; }
__global__ void twice(int* x) { x[threadIdx.x] *= 2; }
__global__ void twice(float* x) { x[threadIdx.x] *= 2; }
enum class Mode : char { ADD, SUB };
__global__ void modes(int* x, Mode mode, bool flag, short s) {
  x[threadIdx.x] += mode == Mode::SUB ? -s : s + flag;
}
template <typename T> __device__ void helper(T* x, int n) { tools::fill<<<1, n>>>(x, static_cast<T>(4)); }
struct Runner {
  int n;
  template <typename T> __device__ void operator()(T* x) const { tools::fill<T><<<1, n>>>(x, T(5)); }
};
__global__ void takes(void* p, unsigned char c, double v, long long w) { ((double*)p)[0] = c + v + w; }
__global__ void grow(int** where) { where[0] = (int*)malloc(16); where[0][0] = 5; }
__device__ int* kept[1];
__global__ void reads(int* x) { x[0] = kept[0][0]; free(kept[0]); }
__global__ void is_null(int* x, int* y) { x[0] = y == nullptr; }
template <typename T> __global__ void halves(T* data, int low, int high) {
  if (high - low == 1) { data[low] = low * low; return; }
  const int middle = (low + high) / 2;
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  halves<T><<<1, 1, 0, s>>>(data, low, middle);
  halves<<<1, 1>>>(data, middle, high);
  cudaStreamDestroy(s);
}
__global__ void dynamic(int* x, int n) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[n - 1 - threadIdx.x];
}
__global__ void parent(int* x) {
    STATEMENT
}
"""

# statement -> what it leaves of 0, 1, 2, 3
RUNS = {
    "tools::fill<<<1, 4>>>(x, 7);": [7, 7, 7, 7],
    "tools::fill<int><<<1, 4>>>(x, 7u);": [7, 7, 7, 7],
    "using namespace tools; fill<<<1, 2>>>(x, 7);": [7, 7, 2, 3],
    "tools::inner::plus<<<dim3(1), dim3(2, 2), 0>>>(x, 3);": [3, 4, 2, 3],
    "tools::inner::plus<<<1, 2>>>(x);": [2, 3, 2, 3],
    "dim3 g; dim3 b = {4, 1, 1}; Box<int> box{x, {1, 20, 3}}; of_box<int><<<g, b>>>(box, 2);": [
        22,
        23,
        24,
        25,
    ],
    '/* >>>( */ of_box<<<1, 1 << 1>>>(Box<int>{x, {0, 1}},  // over lines ">>>("\n  int(10));': [
        11,
        12,
        2,
        3,
    ],
    "twice<<<1, 4>>>(x);": [0, 2, 4, 6],
    "helper(x, 3);": [4, 4, 4, 3],
    "Runner{2}(x); LAUNCH(tools::fill<int>, 1, x + 3, 9);": [5, 5, 2, 9],
    "auto run = [=](int k) { tools::fill<<<1, 1>>>(x + k, 3 * k); }; for (int i = 0; i < 4; ++i) run(i);": (
        [0, 3, 6, 9]
    ),
    "modes<<<1, 2>>>(x, Mode::SUB, true, 3); modes<<<1, 1>>>(x + 2, Mode::ADD, true, 3);": [-3, -2, 6, 3],
    "takes<<<1, 1>>>(x, 256 + 1, 1, -1);": [0, 0x3FF00000, 2, 3],
    "grow<<<1, 1>>>(kept); reads<<<1, 1, 0, cudaStreamTailLaunch>>>(x);": [5, 1, 2, 3],
    "is_null<<<1, 1>>>(x, nullptr); is_null<<<1, 1>>>(x + 1, x);": [1, 0, 2, 3],
    "x[0] == 0 ? twice<<<1, 4>>>(x) : (void)0;": [0, 2, 4, 6],
    "if (x[1]) tools::fill<<<1, 1>>>(x, 8); else tools::fill<<<1, 1>>>(x, 9);": [8, 1, 2, 3],
    "halves<<<1, 1>>>(x, 0, 4);": [0, 1, 4, 9],
    "dynamic<<<1, 4, 4 * sizeof(int)>>>(x, 4);": [3, 2, 1, 0],
    "twice<<<1, 1025>>>(x); x[0] = cudaPeekAtLastError(); x[1] = cudaGetLastError();": [9, 9, 2, 3],
}

# statement -> the kind of error, and what it says
WRONG = {
    "tools::fill<<<1, 4>>>(x, x);": (KernelTypeError, "deduced conflicting types for parameter `T`"),
    "tools::inner::plus<<<1, 4>>>(x, x);": (KernelTypeError, "cannot initialize a parameter of type `int`"),
    "tools::inner::plus(x, 1);": (KernelTypeError, "call to global function `plus` not configured"),
    "tools::inner::plus<<<1>>>(x, 1);": (KernelTypeError, "too few execution configuration arguments"),
    "helper<<<1, 1>>>(x, 1);": (KernelTypeError, "helper"),
    "nobody<<<1, 1>>>(x);": (KernelTypeError, "nobody"),
    "int t[2]; tools::fill<<<1, 1>>>(t, 1);": (StreamMisused, "the address of local memory"),
    "__shared__ int t[2]; twice<<<1, 1>>>(t + 1);": (StreamMisused, "the address of shared memory"),
    "twice<<<1, 1>>>(reinterpret_cast<int*>(64));": (StreamMisused, "where no memory of the device is"),
    "cudaDeviceSynchronize();": (UnsupportedConstruct, "cudaStreamTailLaunch"),
    "int a = helper(1, 2, 3);": (KernelTypeError, "no matching function for call to `helper`"),
}


def launched(statement):
    x = np.arange(4, dtype=np.int32)
    gpusim.RawModule(code=TEXT.replace("STATEMENT", statement)).get_function("parent")[1, 1](x)
    return x.tolist()


@pytest.mark.parametrize("statement", RUNS)
def test_a_launch(statement):
    assert launched(statement) == RUNS[statement]


@pytest.mark.parametrize("statement", WRONG)
def test_what_is_wrong_is_told_with_its_line(statement):
    kind, message = WRONG[statement]
    with pytest.raises(kind) as caught:
        launched(statement)
    assert message in str(caught.value)
    assert caught.value.span.text.strip() == statement


def test_the_caret_is_under_the_launch():
    with pytest.raises(KernelTypeError) as caught:
        launched("tools::fill<<<1, 4>>>(x, x);")
    assert caught.value.span.column == 4


def test_constants_stay_constant_for_children():
    module = gpusim.RawModule(
        code=r"""
        __constant__ int table[4];
        __global__ void reads(const int* t, int* x) { x[threadIdx.x] = t[threadIdx.x]; }
        __global__ void writes(int* t) { t[threadIdx.x] = 1; }
        __global__ void hands_on(int* x) { reads<<<1, 4>>>(table, x); }
        __global__ void forces() { writes<<<1, 4>>>((int*)table); }
        """
    )
    module.get_global("table")[:] = [4, 5, 6, 7]
    x = np.zeros(4, np.int32)
    module.get_function("hands_on")[1, 1](x)
    assert x.tolist() == [4, 5, 6, 7]
    with pytest.raises(LaunchError, match="writes writes to 't', which is read-only"):
        module.get_function("forces")[1, 1]()


def test_children_use_variables_of_the_text_and_what_was_set_for_the_kernel():
    module = gpusim.RawModule(
        code=r"""
        __device__ int total;
        __global__ void large(int size) {
          extern __shared__ char bytes[];
          bytes[size - 1] = 1;
          total += bytes[size - 1];
        }
        __global__ void parent(int* code) { large<<<1, 1, 60000>>>(60000); *code = cudaGetLastError(); }
        """
    )
    code = np.zeros(1, np.int32)
    module.get_function("parent")[1, 1](code)
    assert code[0] == 9
    module.get_function("large").max_dynamic_shared_size_bytes = 60000
    module.get_function("parent")[1, 1](code)
    assert code[0] == 0
    assert module.get_global("total").copy_to_host().tolist() == [1]


@pytest.mark.parametrize("stream", ["cudaStreamPerThread", "cudaStreamLegacy"])
def test_a_stream_that_the_host_alone_has_is_told(stream):
    with pytest.raises(StreamMisused, match=f"launches into {stream}, which the host has") as caught:
        launched(f"twice<<<1, 1, 0, {stream}>>>(x);")
    assert "each block has a default one" in caught.value.hint
