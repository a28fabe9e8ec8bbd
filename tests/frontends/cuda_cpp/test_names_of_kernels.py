"""Which kernel does a name mean, where a text has several, and what may a kernel's head look like?"""

import re

import numpy as np
import pytest

import gpusim
from gpusim.errors import KernelTypeError

OVERLOADS = """
__global__ void k(float* x, int n);
__global__ void k(float* x, int n) { x[0] = n; }
namespace a {
struct V { int v; };
__global__ void k(int* x) { x[0] = 2; }
__global__ void k(V* x) { x[0].v = 5; }
}
__global__ void k(int* x) { x[0] = 7; }
__global__ void other(int* x) { x[0] = 9; }
"""


def ran(code, name, *more, type_=np.int32):
    x = np.zeros(2, type_)
    gpusim.RawModule(code=code).get_function(name)((1,), (1,), (x, *more))
    return x[0]


@pytest.mark.parametrize(
    ("name", "given", "type_", "left"),
    [
        ("k(int*)", (), np.int32, 7),
        ("k( float *, int )", (3,), np.float32, 3.0),
        ("a::k(int *)", (), np.int32, 2),
        ("a::k(a::V *)", (), np.int32, 5),
        ("other", (), np.int32, 9),
        ("other(int*)", (), np.int32, 9),
    ],
)
def test_kernels_that_share_a_name_are_named_with_their_parameters(name, given, type_, left):
    assert ran(OVERLOADS, name, *given, type_=type_) == left


@pytest.mark.parametrize("name", ["k", "k(double*)"])
def test_of_several_kernels_of_a_name_all_are_told(name):
    with pytest.raises(KernelTypeError, match="2 kernels are called k") as caught:
        gpusim.RawModule(code=OVERLOADS).get_function(name)
    assert caught.value.hint == 'name "k(float *, int)" or "k(int *)"'


def test_a_module_with_kernels_of_one_name_is_compiled_whole():
    gpusim.RawModule(code=OVERLOADS).compile()


@pytest.mark.parametrize("space", ["", "a"])
def test_a_template_of_the_host_may_have_the_name_of_a_kernel(space):
    code = """
        struct V { int v; };
        template <class T, int N = 3>
        __global__ void __launch_bounds__(64) k(T* x, int n, V v = V()) { x[0] = n + N; }
        template <class T> void k(T& x, std::vector<T>& y) { k<T><<<1, 1>>>(&x, 1); }
        template <class T> void k(T& x) { k<T><<<1, 1>>>(&x, 1); }"""
    code = f"namespace {space} {{ {code} }}" if space else code
    space += "::" * bool(space)
    assert ran(code, f"{space}k<int>", 1, (2,)) == 4
    assert ran(code, f"{space}k<int, 5>", 1, (2,)) == 6
    with pytest.raises(KernelTypeError, match='k<int, 3, 4>" names no kernel'):
        ran(code, f"{space}k<int, 3, 4>", 1, (2,))


def test_a_function_of_the_host_is_not_taken_for_a_kernel_of_its_name():
    code = """
        template <class T, int N> __global__ void k(T* x, const T (*y)[N]) { x[0] = N; }
        template <class T> void k(T* x) {}"""
    assert ran(code, "k<int, 3>", np.zeros((1, 3), np.int32)) == 3
    with pytest.raises(KernelTypeError, match="names no kernel"):
        ran(code, "k<int>", np.zeros((1, 3), np.int32))


def test_a_type_that_was_meant_is_named():
    with pytest.raises(KernelTypeError, match=re.escape("undeclared identifier `flaot`")) as caught:
        ran("template <class T> __global__ void k(T* x) {}", "k<flaot>")
    assert caught.value.hint == 'name its arguments: "k<T>"; did you mean `float`?'


def test_parameters_need_no_names():
    assert (
        ran("__global__ void k(int* x, int /*unused*/, float*) { x[0] = 3; }", "k", 5, np.zeros(1, "f4")) == 3
    )


BOUNDS = """
namespace { constexpr int Q = 2; }
namespace a {
constexpr int W = 8;
namespace b {
template <class T> struct Of { static const int n = sizeof(T) * 32; };
template <int N, class T> __global__ void __launch_bounds__(W * N * Q, Of<T>::n / 64) of(int* x) { x[0] = 1; }
__global__ void __launch_bounds__(W * 32) plain(int* x) { x[0] = 1; }
}
}
"""


@pytest.mark.parametrize(("name", "threads"), [("a::b::of<4, double>", 64), ("a::b::plain", 256)])
def test_bounds_of_a_launch_are_computed_where_the_kernel_stands(name, threads):
    kernel, x = gpusim.RawModule(code=BOUNDS).get_function(name), np.zeros(1, np.int32)
    kernel((1,), (threads,), (x,))
    with pytest.raises(gpusim.errors.LaunchError, match=str(threads)):
        kernel((1,), (threads + 1,), (x,))
