"""Which kernel is it that a kernel launches? An instance of a template that has no name, one of a pointer."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import KernelRaised, KernelTypeError

TEXT = r"""
template <typename F> __global__ void apply(F f) { f(threadIdx.x); }
template <typename T> __device__ void sizes(T* x) {
  apply<<<1, 2>>>([=] __device__ (int i) { ((int*)x)[i] = sizeof(T); });
}
template <typename... A> __global__ void fill(int* x, A... a) { int i = 0; ((x[i++] = (int)a), ...); }
template <typename... A> __device__ void filled(int* x, A... a) { fill<<<1, 1>>>(x, a...); }
template <int... I> struct Seq {};
template <int... I> __global__ void listed(int* x, Seq<I...>) { int k = 0; ((x[k++] = I), ...); }
__device__ int one(int v) { return v + 1; }
__device__ int two(int v) { return v + 2; }
template <int (*F)(int)> __global__ void map(int* x) { x[threadIdx.x] = F(0); }
enum Mode { A, B };
enum class Kind : unsigned char { X, Y = 200 };
template <bool b, Mode m, Kind k, unsigned u> __global__ void put(int* x) {
  x[0] = b; x[1] = m; x[2] = (int)k; x[3] = u == 0xffffffffu;
}
template <typename T, bool first> __global__ void twice(T* x, int n) {
  if constexpr (first) twice<T, false><<<1, n>>>(x, n);
  else x[threadIdx.x] = 5;
}
template <typename T> struct Box { T v; };
template <template <typename> class C, typename T> __global__ void open(int* x, C<T> box) { x[0] = box.v; }
template <typename T> struct Tree { T* x; template <int D> __device__ void go(int d); };
template <typename T, int D> __global__ void node(Tree<T> tree, int d) {
  if (d) tree.template go<D>(d - 1);
  else tree.x[threadIdx.x] = D;
}
template <typename T> template <int D> __device__ void Tree<T>::go(int d) { node<T, D><<<1, 3>>>(*this, d); }
__global__ void child(int* x, int n, int m);
__global__ void child(int* x, int n);
__global__ void child(int* x, int n) { x[n] = n; }
__global__ void add(int* x, int v = 9) { x[threadIdx.x] += v; }
__global__ void mul(int* x, int v) { x[threadIdx.x] *= v; }
typedef void (*Kernel)(int*, int);
__device__ Kernel table[] = {add, mul};
template <Kernel K> __device__ void of_template(int* x) { K<<<1, 2>>>(x, 3); }
template <typename K, typename... A> __device__ void handed(K kernel, A... a) { kernel<<<1, 2>>>(a...); }
struct Job { Kernel kernel; dim3 grid, block; int v; };
__global__ void hands(Kernel kernel, int* x) { kernel<<<1, 2>>>(x, 5); }
__global__ void parent(int* x, int n) {
    STATEMENT
}
"""
# statement -> what it leaves of 0, 1, 2, …; n is 1
RUNS = {
    "auto f = [=] __device__ (int i) { x[i] = 7; }; apply<<<1, 2>>>(f);": [7, 7],
    "apply<<<1, 1>>>([=](int i) { x[i] = 5; }); apply<<<1, 1>>>([=](int i) { x[i + 1] = 6; });": [5, 6],
    "sizes((char*)x); sizes((double*)(x + 2));": [1, 1, 8, 8],
    "fill<<<1, 1>>>(x, 1, 2.5f, 'c'); fill<<<1, 1>>>(x + 3, 8.5, 9); fill<<<1, 1>>>(x);": [1, 2, 99, 8, 9],
    "filled(x, 1u); filled(x + 1, 1, 2); filled(x + 3);": [1, 1, 2, 3],
    "listed<<<1, 1>>>(x, Seq<4, 5>{}); listed<<<1, 1>>>(x + 3, Seq<7>{});": [4, 5, 2, 7],
    "map<one><<<1, 1>>>(x + 1); map<two><<<1, 1>>>(x);": [2, 1],
    "put<true, B, Kind::Y, 0xffffffffu><<<1, 1>>>(x);": [1, 1, 200, 1],
    "put<false, A, Kind::X, 7><<<1, 1>>>(x); put<true, A, Kind::Y, 7><<<1, 1>>>(x + 3);": [
        0,
        0,
        0,
        1,
        0,
        200,
    ],
    "twice<int, true><<<1, 1>>>(x, 3);": [5, 5, 5, 3],
    "open<<<1, 1>>>(x, Box<int>{5}); open<<<1, 1>>>(x + 1, Box<float>{6.5f});": [5, 6],
    "Tree<int>{x}.go<7>(2);": [7, 7, 7, 3],
    "child<<<1, 1>>>(x, 2);": [0, 1, 2],
    "Kernel k = n > 1 ? add : mul; k<<<1, 3>>>(x, 3);": [0, 3, 6, 3],
    "auto k = add; k<<<1, 3>>>(x, 2); auto* p = &add; (*p)<<<1, 1>>>(x, 2);": [4, 3, 4, 3],
    "table[n]<<<1, 3>>>(x, 2); table[n - 1]<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 5);": [5, 2, 4],
    "Job jobs[2] = {{add, 1, 4, 3}, {mul, dim3(1), n + 1, 5}}; "
    "for (const Job& j : jobs) j.kernel<<<j.grid, j.block>>>(x, j.v);": [15, 20, 5, 6],
    "dim3 grids[2] = {2, n}; x[0] = grids[0].x + 10 * grids[1].y + 100 * grids[1].x;": [112],
    "hands<<<1, 1>>>(n > 0 ? mul : add, x);": [0, 5, 2],
    "of_template<mul>(x); handed(mul, x, 4); handed(map<two>, x + 2);": [0, 12, 2, 2],
}


def ran(statement: str) -> list[int]:
    x = cuda.to_device(np.arange(8, dtype=np.int32))
    module = gpusim.RawModule(code=TEXT.replace("STATEMENT", statement))
    module.get_function("parent")[1, 1](x, 1)
    cuda.synchronize()
    return x.copy_to_host().tolist()


@pytest.mark.parametrize("statement", RUNS)
def test_each_launch_is_of_its_own_kernel(statement):
    left = RUNS[statement]
    assert ran(statement)[: len(left)] == left


def test_a_pointer_to_no_kernel_ends_the_launch():
    with pytest.raises(KernelRaised, match="a launch through a pointer that is null") as caught:
        ran("Kernel k = n > 1 ? add : (Kernel)nullptr; k<<<1, 3>>>(x, 3);")
    assert "thread (0, 0, 0)" in str(caught.value)


NAMES = {
    "fill<<<1, 1>>>(x, 1, 2.5f);": "fill<…>",
    "put<true, B, Kind::Y, 0xffffffffu><<<1, 1>>>(x);": "put<true, 1, 200, 4294967295>",
    "open<<<1, 1>>>(x, Box<int>{5});": "open<…, int>",
}


@pytest.mark.parametrize("statement", NAMES)
def test_an_instance_is_named_by_its_arguments(statement):
    module = gpusim.RawModule(code=TEXT.replace("STATEMENT", statement), options=("-rdc=false",))
    with pytest.raises(KernelTypeError, match=f": {NAMES[statement]} is launched by a kernel"):
        module.get_function("parent")


def test_a_kernel_that_is_only_declared_besides_is_not_taken_for_another():
    x = np.zeros(4, np.int32)
    gpusim.RawModule(code=TEXT.replace("STATEMENT", "")).get_function("child")[1, 1](x, 3)
    assert x.tolist() == [0, 0, 0, 3]
