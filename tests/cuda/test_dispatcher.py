"""What is a kernel to the host, and what happens when Numba's names are used wrongly there?"""

from __future__ import annotations

import functools
import gc
import math
import weakref

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import GpuSimError, KernelTypeError, LaunchError, UnsupportedConstruct
from gpusim.frontends.python.lowering import RunsHereOnly
from tests.from_text import define


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
        ((1, 32, "fast"), r"a stream is what cuda.stream\(\) returns, or 0 .*, not 'fast'"),
        ((1, 32, 3), "not 3; only a kernel launches into the tail launch stream"),
        ((1, 32, 0, 0.5), "dynamic shared memory is a number of bytes, not 0.5"),
        ((1, 32, 0, cuda.stream()), r"double\[grid, block, stream, bytes\]: .* not <stream 0x[\da-f]+>"),
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
        (
            ([1, 2],),
            "argument 1 of double is a list; kernels take NumPy and device arrays, numbers, and tuples",
        ),
        ((object(),), "argument 1 of double is an object"),
        ((np.zeros(2, "g"),), "argument 1 of double is an array of .*128; convert it"),
        ((np.zeros(2, "M8[s]"),), "argument 1 of double is an array of datetime64"),
        ((np.zeros(2, ">f4"),), "argument 1 of double is an array of >f4"),
        ((2**70,), "argument 1 of double is an int"),
    ],
)
def test_arguments_that_a_kernel_cannot_take_are_refused(arguments, message):
    with pytest.raises(KernelTypeError, match=message):
        double[1, 1](*arguments)


@pytest.mark.parametrize("shared_bytes", [0, 1024])
def test_a_stream_and_dynamic_shared_memory_may_follow(shared_bytes):
    x = np.ones(8)
    double[1, 32, cuda.stream(), shared_bytes](x)
    double.configure(1, 32, stream=cuda.stream(), sharedmem=shared_bytes)(x)
    assert x.tolist() == [4.0] * 8


def test_more_dynamic_shared_memory_than_a_block_may_have_is_refused():
    message = "declares 0 bytes of shared memory, and the launch adds 49153; H200 allows 49152 a block"
    with pytest.raises(LaunchError, match=message):
        double[1, 32, 0, 49153](np.ones(8))


def test_dynamic_shared_memory_decides_how_many_blocks_are_resident():
    @cuda.jit
    def kernel(x):
        x[0] = 1

    overload = kernel.compile("(float32[:],)")
    assert overload.max_cooperative_grid_blocks(256) == 8 * 132
    assert overload.max_cooperative_grid_blocks(256, 48 * 1024) == 4 * 132  # 228 KiB / (48 + 1) KiB


@cuda.jit
def weighted_sum(out, arrays, weights):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = arrays[0][i] * weights[0] + arrays[1][i] * weights[1]


def test_a_tuple_is_passed_as_its_parts(machine):
    x, out = np.arange(40.0), cuda.device_array(40)
    weighted_sum[2, 32](out, (x, cuda.to_device(x)), (1, np.float32(0.5)))
    assert (out.copy_to_host() == 1.5 * x).all()


def test_what_stands_wrongly_in_a_tuple_is_named():
    x = np.arange(40.0)
    message = r"argument 2\[1\] of weighted_sum is a list"
    with pytest.raises(KernelTypeError, match=message):
        weighted_sum[2, 32](x, (x, [1.0]), (1, 1))


def test_in_out_and_inout_say_which_way_an_argument_is_copied():
    @cuda.jit
    def shift(x, y):
        i = cuda.grid(1)
        y[i] = x[i] + 1
        x[i] = 0

    x, y = np.arange(4.0), np.zeros(4)
    shift[1, 4](cuda.In(x), cuda.Out(y))
    assert (x.tolist(), y.tolist()) == ([0, 1, 2, 3], [1, 2, 3, 4])
    shift[1, 4](cuda.InOut(x), cuda.InOut(y))
    assert (x.tolist(), y.tolist()) == ([0, 0, 0, 0], [1, 2, 3, 4])


def test_in_and_out_copy_records_and_the_arrays_of_a_tuple_too():
    @cuda.jit
    def move(given, taken, record, result):
        taken[0][0] = given[0][0] + given[1][1][0]
        given[0][0] = given[1][1][0] = 9
        result.n = record.n + 1
        record.n = 9

    x, y, out = np.array([1.0]), np.array([2.0]), np.array([5.0])
    records = np.array([(1,), (2,), (3,)], np.dtype([("n", np.int32)]))
    move[1, 1](cuda.In((x, (0, y))), cuda.Out((out,)), cuda.In(records[1]), cuda.Out(records[2]))
    assert (x[0], y[0], out[0], records["n"].tolist()) == (1, 2, 3, [1, 2, 3])
    move[1, 1](cuda.In((x, (0, y))), cuda.Out((out,)), cuda.In(records[2]), cuda.Out(records[1]))
    assert records["n"].tolist() == [1, 4, 3]


def test_what_the_kernel_leaves_out_of_an_out_array_is_undefined():
    @cuda.jit
    def first(y):
        y[0] = 1

    y = np.zeros(2)
    first[1, 1](cuda.Out(y))
    assert y[0] == 1
    assert np.isnan(y[1])


def test_forall_makes_a_grid_for_so_many_tasks():
    x = np.ones(1000)
    double.forall(1000)(x)
    double.forall(1000, tpb=64, stream=cuda.stream(), sharedmem=16)(x)
    double.forall(0)(x)
    assert (x == 4).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((-1,), "the number of tasks is whole and not negative, not -1"),
        (("a",), "the number of tasks is whole and not negative, not 'a'"),
        ((10, 2.5), "the number of threads of a block is whole and not negative, not 2.5"),
        ((10, -32), "the number of threads of a block is whole and not negative, not -32"),
    ],
)
def test_forall_takes_whole_numbers_only(given, message):
    with pytest.raises(LaunchError, match=message):
        double.forall(*given)


def test_forall_takes_the_block_with_the_best_occupancy():
    @cuda.jit
    def blocks(out):
        out[0] = cuda.gridDim.x

    out = np.zeros(1, np.int32)
    blocks.forall(4096)(out)
    assert out[0] == 4  # of 1024 threads each
    with gpusim.use("RTX 4090"):
        blocks.forall(4096)(out)
    assert out[0] == 6  # 768 threads: two such blocks fill the 1536 of a multiprocessor


def test_figures_of_a_kernel_by_signature():
    @cuda.jit
    def kernel(x, n):
        tile = cuda.shared.array(64, np.float32)
        mine = cuda.local.array(4, np.float64)
        mine[0] = n
        tile[cuda.threadIdx.x] = mine[0]
        x[0] = tile[0]

    assert kernel.signatures == []
    kernel[1, 32](np.zeros(4, np.float32), 3)
    kernel[1, 32](np.zeros(4), 3)
    first, second = kernel.signatures
    assert (str(first), str(second)) == ("(float32[::1], int64)", "(float64[::1], int64)")
    assert kernel.get_shared_mem_per_block() == {first: 256, second: 256}
    assert kernel.get_local_mem_per_thread(first) == 32
    assert kernel.get_local_mem_per_thread("(float32[::1], int64)") == 32
    function = kernel.compiled(np.zeros(4, np.float32), 3)
    assert kernel.get_regs_per_thread(first) == function.registers_per_thread
    assert kernel.get_max_threads_per_block(first) == 1024
    assert kernel.overloads[second].shared_mem_per_block == 256
    specialized = kernel.specialize(np.zeros(4), 3)
    assert specialized.specialized
    assert specialized.get_shared_mem_per_block() == 256
    assert specialized.get_const_mem_size() == 0
    assert specialized.nopython_signatures == specialized.signatures
    with pytest.raises(LaunchError, match="specialized already"):
        specialized.specialize(np.zeros(4), 3)


@pytest.mark.parametrize(
    "name", ["inspect_asm", "inspect_llvm", "inspect_sass", "inspect_sass_cfg", "inspect_types"]
)
def test_there_is_no_machine_code_to_inspect(name):
    with pytest.raises(UnsupportedConstruct, match=r"its instructions are in double\.inspect_ir\(\)"):
        getattr(double, name)()


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


def test_a_device_function_called_on_the_host_runs_here_only():
    with pytest.warns(RunsHereOnly, match=r"called on the host: .* under Numba; call twice\.py_func"):
        assert twice(3) == 6


def test_jit_goes_on_a_function():
    with pytest.raises(KernelTypeError, match=r"@cuda\.jit goes on a function, not on 3"):
        cuda.jit(3)
    with pytest.raises(KernelTypeError, match=r"@cuda\.jit goes on a function, not on <kernel double>"):
        cuda.jit(double)


@pytest.mark.parametrize("name", ["grid", "gridsize", "syncthreads"])
def test_device_names_do_not_run_on_the_host(name):
    with pytest.raises(GpuSimError, match=rf"cuda\.{name}.* runs inside a kernel only"):
        getattr(cuda, name)(1)


def test_every_error_is_a_gpusim_error():
    errors = [e for e in vars(gpusim.errors).values() if isinstance(e, type) and issubclass(e, Exception)]
    assert len(errors) > 5
    assert all(issubclass(error, GpuSimError) for error in errors)


def test_what_is_no_function_is_no_kernel():
    for given in (functools.partial(lambda a, x: None, 1), math.sin, np.add, type("C", (), {})):
        with pytest.raises(KernelTypeError, match=r"@cuda\.jit goes on a function, not on"):
            cuda.jit(given)


def test_a_kernel_that_nobody_has_any_more_is_forgotten():
    @cuda.jit
    def kernel(x):
        x[0] = 1

    kernel[1, 1](np.zeros(1))
    function = weakref.ref(next(iter(kernel._compiled.values())))
    del kernel
    gc.collect()
    assert function() is None


NAMES = """
import types
import numpy as np
SIZE, TABLE, config = 1, np.arange(3.0), types.ModuleType("config")
config.rate = 1


@cuda.jit(device=True)
def inner():
    return SIZE, TABLE[1], config.rate


@cuda.jit
def kernel(x):
    a, b, c = inner()
    x[0], x[1], x[2] = a, b, c
    x[3], x[4], x[5] = SIZE, TABLE[1], config.rate


@cuda.jit
def later(x):
    x[0], x[1], x[2] = inner()
    x[3], x[4], x[5] = SIZE, TABLE[1], config.rate
"""


def test_names_outside_mean_what_they_meant_when_a_function_was_compiled_for_these_types():
    kernel = define(NAMES, "kernel")
    names, x, y = kernel.py_func.__globals__, np.zeros(6), np.zeros(6, np.float32)
    kernel[1, 1](x)
    names["SIZE"], names["TABLE"][1], names["config"].rate = 7, 7, 7
    kernel[1, 1](x)
    assert x.tolist() == [1] * 6
    with gpusim.sanitize():  # which compiles it again
        kernel[1, 1](x)
    assert x.tolist() == [1] * 6
    kernel[1, 1](y)
    assert y.tolist() == [1, 1, 1, 7, 7, 7]
    names["later"][1, 1](x)
    assert x.tolist() == [1, 1, 1, 7, 7, 7]


def test_a_name_that_no_kernel_was_compiled_with_is_looked_up_again():
    kernel = define(NAMES.replace("SIZE, TABLE, config =", "OTHER, TABLE, config ="), "kernel")
    with pytest.raises(gpusim.GpuSimError, match="'SIZE' is not defined"):
        kernel[1, 1](np.zeros(6))
    kernel.py_func.__globals__["SIZE"] = 3
    kernel[1, 1](x := np.zeros(6))
    assert x.tolist() == [3, 1, 1] * 2
