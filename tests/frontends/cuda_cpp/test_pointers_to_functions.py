"""Where may a pointer to a function come from? A table, another kernel, a template, the host."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim.errors import LaunchError
from tests.frontends.cuda_cpp.launches import EVERYWHERE

I = np.arange(8, dtype=np.int32)  # noqa: E741
TEXT = """
typedef int (*Op)(int, int);
struct Entry { Op f; int k; };
constexpr int BLOCKS = 2;
__device__ int add(int a, int b) { return a + b; }
__device__ int sub(int a, int b) { return a - b; }
__device__ int mul(int a, int b) { return a * b; }
__constant__ Op constants[3] = {add, &sub, mul};
__device__ Op table[] = {add, nullptr};
__device__ Entry entries[] = {{add, 1}, {sub, 2}};
__device__ Op chosen, product = mul;
__global__ void from_constants(int* out) { int i = threadIdx.x; out[i] = constants[i % 3](i, 2); }
__global__ void from_table(int* out) {
  int i = threadIdx.x;
  Op f = table[i % 2];
  out[i] = f ? f(i, 2) : -1;
}
__global__ void from_entries(int* out) {
  int i = threadIdx.x;
  out[i] = entries[i % 2].f(i, entries[i % 2].k);
}
__global__ void use(int* out) { int i = threadIdx.x; out[i] = chosen(i, 3); }
template <class T> __global__ void set(T which) { chosen = which ? mul : sub; }
template <Op f> __global__ void fixed(int* out) { int i = threadIdx.x; out[i] = f(i, 3); }
template <int n> __global__ void __launch_bounds__(n * 4, BLOCKS) given(int* out, Op f) {
  int i = threadIdx.x;
  out[i] = f == nullptr ? 7 : f(i, 3);
}
"""


def run(module, name, *arguments, threads=8):
    module.get_function(name)((1,), (threads,), arguments)


@pytest.mark.parametrize(("device", "model"), EVERYWHERE)
def test_functions_are_called_through_pointers(device, model):
    out = np.zeros(8, np.int32)
    with gpusim.use(device=device, scheduling=model):
        module = gpusim.RawModule(code=TEXT)
        product = module.get_global("product").copy_to_host()[0]
        for name, arguments, expected in (
            ("from_constants", (), np.choose(I % 3, [I + 2, I - 2, I * 2])),
            ("from_table", (), np.where(I % 2, -1, I + 2)),
            ("from_entries", (), np.where(I % 2, I - 2, I + 1)),
            ("fixed<mul>", (), I * 3),
            ("given<2>", (None,), I * 0 + 7),
            ("given<2>", (product,), I * 3),
        ):
            run(module, name, out, *arguments)
            np.testing.assert_array_equal(out, expected, err_msg=name)
        for which, expected in ((1, I * 3), (0, I - 3)):
            run(module, "set<int>", np.int32(which), threads=1)
            run(module, "use", out)
            np.testing.assert_array_equal(out, expected)


def test_a_pointer_to_no_function_ends_the_launch():
    with pytest.raises(gpusim.errors.GpuSimError, match="a pointer to a function that is null"):
        run(gpusim.RawModule(code=TEXT), "use", np.zeros(8, np.int32))


def test_launch_bounds_may_be_computed():
    with pytest.raises(LaunchError, match="compiled for at most 8"):
        run(gpusim.RawModule(code=TEXT), "given<2>", np.zeros(32, np.int32), None, threads=32)


def test_a_built_in_function_is_handed_on_like_another():
    code = """
    typedef float (*Operation)(float);
    __device__ float square(float x) { return x * x; }
    __device__ Operation table[] = {square, sqrtf, fabsf};
    template <class F> __device__ float apply(F f, float x) { return f(x); }
    __global__ void k(const float* x, float* y, int which) {
        y[threadIdx.x] = table[which](x[threadIdx.x]) + apply(floorf, x[threadIdx.x]);
    }
    """
    x, y = np.linspace(0.5, 16, 32, dtype=np.float32), np.zeros(32, np.float32)
    for which, operation in enumerate((np.square, np.sqrt, np.abs)):
        gpusim.RawModule(code=code).get_function("k")((1,), (32,), (x, y, which))
        np.testing.assert_array_equal(y, operation(x) + np.floor(x))
