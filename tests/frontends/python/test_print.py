"""What does `print` in a kernel write? One line a lane, as the GPU's printf does for Numba."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda, cudart
from gpusim.errors import KernelTypeError
from gpusim.machine.device_state import PrintBufferWarning
from tests.from_text import define


def test_one_line_a_lane_floats_with_six_decimals(capsys):
    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        print("x", i, x[i], "%")

    kernel[1, 3](np.array([0.5, -1.25, 1 / 3], np.float32))
    assert capsys.readouterr().out == "x 0 0.500000 %\nx 1 -1.250000 %\nx 2 0.333333 %\n"


def test_only_active_lanes_print_in_ascending_order(machine, capsys):
    @cuda.jit
    def kernel(x):
        i = cuda.threadIdx.x
        if i % 20 == 3:
            print("thread", i)

    kernel[1, 64](np.zeros(1))
    assert capsys.readouterr().out.splitlines() == ["thread 3", "thread 23", "thread 43", "thread 63"]


def test_serial_order_prints_warp_by_warp(capsys):
    @cuda.jit
    def kernel(x):
        i = cuda.threadIdx.x
        if cuda.laneid == 0:
            print("before", i)
        x[i] = i
        if cuda.laneid == 0:
            print("after", i)

    with gpusim.use(schedule="serial"):
        kernel[1, 64](np.zeros(64))
    assert capsys.readouterr().out.splitlines() == ["before 0", "after 0", "before 32", "after 32"]


def test_each_kind_of_number(capsys):
    @cuda.jit
    def kernel(big, small, wide, half):
        print(big[0], small[0], wide[0], half[0], cuda.blockDim.x, 7, 2.5)

    kernel[1, 1](
        np.array([2**64 - 1], np.uint64), np.array([-5], np.int8), np.array([1e10]), np.ones(1, "f2")
    )
    assert capsys.readouterr().out == "18446744073709551615 -5 10000000000.000000 1.000000 1 7 2.500000\n"


def test_tuples_truths_and_what_python_makes_of_texts(capsys):
    @cuda.jit
    def kernel(x):
        i = cuda.threadIdx.x
        print((i, x[i]), x.shape, ("a", ()), "a" + "b" * 2, i > 0)

    kernel[1, 2](np.array([0.5, 1]))
    lines = ["(0, 0.500000) (2,) (a, ()) abb False", "(1, 1.000000) (2,) (a, ()) abb True"]
    assert capsys.readouterr().out.splitlines() == lines


def test_nothing_and_text_alone(capsys):
    @cuda.jit
    def kernel(x):
        print()
        print("50% done")

    kernel[1, 2](np.zeros(1))
    assert capsys.readouterr().out == "\n\n50% done\n50% done\n"


def test_a_loop_prints_round_by_round(capsys):
    @cuda.jit
    def kernel(n):
        for k in range(n):
            print(k)

    kernel[1, 2](2)
    assert capsys.readouterr().out.split() == ["0", "0", "1", "1"]


def test_the_listing_shows_the_format():
    @cuda.jit
    def kernel(x):
        print("x is", x[0])

    assert r'call.vprintf "x is %f\n", %' in kernel.inspect_ir(np.zeros(1))


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("print(x)", "the array 'x' where a number is needed"),
        ("print((1, x))", "the array 'x' where a number is needed"),
        ("print(1j)", r"print\(\) does not take complex128"),
        ("print(1, sep='')", "wrong arguments"),
        (f"print({', '.join(['1'] * 33)})", r"print\(\) of 33 values"),
    ],
)
def test_what_the_gpu_cannot_print_is_refused(statement, message):
    with pytest.raises(KernelTypeError, match=message):
        define(f"@cuda.jit\ndef kernel(x):\n    {statement}\n")[1, 1](np.zeros(1))


def test_more_than_a_gpu_keeps_is_printed_with_a_warning(capsys):
    @cuda.jit
    def kernel(n):
        print(cuda.grid(1), n)

    limit = cudart.cudaLimit.cudaLimitPrintfFifoSize
    assert cudart.cudaDeviceGetLimit(limit)[1] == 8_650_752, "as on an H200"
    cudart.cudaDeviceSetLimit(limit, 1 << 20)
    kernel[32, 1024](1)  # 32,768 times 32 bytes: just what fits
    with pytest.warns(
        PrintBufferWarning, match="printed 33,792 times, .* about 32,768 of them would be seen"
    ):
        kernel[33, 1024](1)
    assert len(capsys.readouterr().out.splitlines()) == 65 * 1024
    try:
        cudart.cudaDeviceSetLimit(limit, 2 << 20)
        kernel[33, 1024](1)
        assert cudart.cudaDeviceGetLimit(limit)[1] == 2 << 20
    finally:
        cudart.cudaDeviceSetLimit(limit, 8_650_752)
