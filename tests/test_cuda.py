"""Numba's names, and what happens when they are used wrongly on the host."""

from __future__ import annotations

import doctest
import sys

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import GpuSimError, KernelTypeError, LaunchError


@cuda.jit
def double(x):
    """Twice as much."""
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


@cuda.jit(device=True)
def twice(v):
    return 2 * v


@cuda.jit()
def scaled(x, factor):
    i = cuda.grid(1)
    if i < x.shape[0]:
        x[i] = twice(x[i]) * factor


@pytest.mark.parametrize("name", ["cuda", "devices", "profile"])
def test_the_examples_in_the_docstrings(name):
    found = doctest.testmod(sys.modules[f"gpusim.{name}"])
    assert found.attempted > 0
    assert found.failed == 0


def test_a_kernel_changes_arrays_in_place(machine):
    x = np.arange(100, dtype=np.float32)
    double[4, 32](x)
    assert (x == 2 * np.arange(100)).all()


def test_a_kernel_takes_numbers_of_python_and_numpy(machine):
    for factor in (3, 3.0, np.int8(3), np.float32(3), np.uint64(3)):
        x = np.arange(5.0)
        scaled[1, 5](x, factor)
        assert x.tolist() == [0, 6, 12, 18, 24]


def test_a_kernel_keeps_its_name_and_docstring():
    assert (double.__name__, double.__doc__) == ("double", "Twice as much.")


def test_a_kernel_is_compiled_once_for_each_combination_of_types():
    @cuda.jit
    def kernel(x):
        x[0] = x.size

    x = np.zeros(3)
    assert kernel.compiled(x) is kernel.compiled(np.ones(900))
    assert kernel.compiled(x) is not kernel.compiled(np.zeros(3, np.float32))
    assert kernel.compiled(x) is kernel.compiled(np.zeros(12)[4:])
    assert kernel.compiled(x) is not kernel.compiled(np.zeros(12)[::4]), "as in Numba, layout is of the type"


@pytest.mark.parametrize(
    "configuration", [(1, 32), ((1,), (32,)), ([1, 1], (4, 8)), ((1, 1, 1), (2, 4, 4)), (np.int64(1), 32)]
)
def test_a_configuration_is_two_numbers_or_tuples(configuration):
    x = np.ones(8)
    double[configuration](x)
    assert x.sum() >= 10


@pytest.mark.parametrize(
    ("configuration", "message"),
    [
        (32, r"double\[…\] takes the grid and the block, for example double\[4, 256\]"),
        ((1, 32, 0, 0, 0), r"double\[…\] takes the grid and the block"),
        ((1.5, 32), "the grid is a whole number or a tuple of one to three, not 1.5"),
        ((1, (1, 1, 1, 1)), r"the block is a whole number or a tuple of one to three, not \(1, 1, 1, 1\)"),
        (((), 1), "the grid is a whole number or a tuple"),
        ((True, 1), "the grid is a whole number or a tuple"),
    ],
)
def test_another_configuration_is_refused(configuration, message):
    with pytest.raises(LaunchError, match=message):
        double[configuration]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), r"double\(\) takes 1 argument\(s\), 0 given"),
        ((np.zeros(2), 3), r"double\(\) takes 1 argument\(s\), 2 given"),
        (([1, 2],), "argument 1 of double is a list; kernels take NumPy arrays and numbers"),
        ((object(),), "argument 1 of double is a object"),
        ((np.zeros(2, "g"),), "argument 1 of double is an array of .*128; convert it"),
        ((np.zeros(2, "M8[s]"),), "argument 1 of double is an array of datetime64"),
        ((np.zeros(2, ">f4"),), "argument 1 of double is an array of >f4"),
        ((2**70,), "argument 1 of double is a int"),
    ],
)
def test_arguments_that_a_kernel_cannot_take_are_refused(arguments, message):
    with pytest.raises(KernelTypeError, match=message):
        double[1, 1](*arguments)


def test_keywords_are_refused():
    with pytest.raises(LaunchError, match="kernels take positional arguments"):
        double[1, 1](x=np.zeros(1))


def test_a_kernel_is_not_called_without_a_configuration():
    with pytest.raises(
        LaunchError, match=r"double is a kernel: launch it with double\[blocks, threads_per_block\]"
    ):
        double(np.zeros(1))


def test_a_device_function_is_not_launched():
    with pytest.raises(LaunchError, match="twice is a device function; call it from a kernel"):
        twice[1, 1](3)


def test_jit_goes_on_a_function():
    with pytest.raises(KernelTypeError, match=r"@cuda\.jit goes on a function, not on 'text'"):
        cuda.jit("text")


@pytest.mark.parametrize("name", ["grid", "gridsize", "syncthreads"])
def test_device_names_do_not_run_on_the_host(name):
    with pytest.raises(GpuSimError, match=rf"cuda\.{name}.* runs inside a kernel only"):
        getattr(cuda, name)(1)


def test_every_error_is_a_gpusim_error():
    errors = [e for e in vars(gpusim.errors).values() if isinstance(e, type) and issubclass(e, Exception)]
    assert len(errors) > 5
    assert all(issubclass(error, GpuSimError) for error in errors)
