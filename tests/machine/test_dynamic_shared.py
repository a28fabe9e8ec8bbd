"""How do kernels share memory whose size the launch gives? All dynamic arrays are the same bytes."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.devices import occupancy
from gpusim.errors import LaunchError, MisalignedAccess, OutOfBounds
from gpusim.machine import limits
from tests.from_text import define


@cuda.jit
def reverse(x):
    tile = cuda.shared.array(0, np.int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    tile[t] = x[i]
    cuda.syncthreads()
    x[i] = tile[tile.size - 1 - t]


def test_the_launch_gives_the_size(machine):
    x = np.arange(120, dtype=np.int32)
    reverse[3, 40, 0, 160](x)
    assert x.reshape(3, 40)[:, ::-1].ravel().tolist() == list(range(120))


def test_an_index_beyond_the_launchs_bytes_is_found():
    with pytest.raises(OutOfBounds, match="index 20 of 'tile', whose length is 20") as caught:
        reverse[1, 40, 0, 83](np.zeros(40, np.int32))
    assert caught.value.thread == (20, 0, 0)
    with pytest.raises(OutOfBounds, match="index 0 of 'tile', whose length is 0"):
        reverse[1, 40](np.zeros(40, np.int32))


def test_dynamic_memory_is_sliced_apart_and_seen_as_other_types(machine):
    @cuda.jit
    def kernel(out, n):
        everything = cuda.shared.array(0, np.float32)
        floats, rest = everything[:n], everything[n:]
        doubles = rest.view(np.float64)
        again = cuda.shared.array(0, np.float64)
        t = cuda.threadIdx.x
        if t < n:
            floats[t] = t
            doubles[t] = 100 * t
        cuda.syncthreads()
        if t < n:
            out[t] = floats[n - 1 - t] + doubles[t] + again[n // 2 + t]

    out = np.zeros(40)
    kernel[2, 40, 0, 40 * 12](out, 40)
    assert out.tolist() == [39 - t + 200 * t for t in range(40)]
    with pytest.raises(MisalignedAccess, match="uses 8 bytes of 'doubles' at address 0x4, which is not a"):
        kernel[1, 40, 0, 40 * 12](out, 1)


def test_declared_arrays_come_first():
    @cuda.jit
    def kernel(out):
        fixed = cuda.shared.array(3, np.int8)
        free = cuda.shared.array((0,), np.int8)
        fixed[2] = 1
        free[15] = 2
        out[0] = free.size * 100 + fixed[2] * 10 + free[15]

    out = np.zeros(1)
    kernel[1, 1, 0, 16](out)
    assert out[0] == 1612


def test_the_bytes_count_for_limits_and_reports():
    x = np.zeros(40, np.int32)
    with gpusim.profile() as run:
        reverse[1, 40, 0, 160](x)
    assert run.kernels[0].shared_bytes_per_block == 160
    reverse[1, 40, 0, 48 * 1024](x)
    with pytest.raises(
        LaunchError, match="declares 0 bytes of shared memory, and the launch adds 49153; H200 allows 49152"
    ):
        reverse[1, 40, 0, 48 * 1024 + 1](x)
    with pytest.raises(LaunchError, match="cannot have -4 bytes of dynamic shared memory"):
        reverse[1, 40, 0, -4](x)


def test_the_bytes_count_for_residency(monkeypatch):
    asked = []

    def blocks_per_multiprocessor(device, *, shared_bytes, **others):
        asked.append(shared_bytes)
        return counted(device, shared_bytes=shared_bytes, **others)

    limits._configured.cache_clear()
    counted = occupancy.blocks_per_multiprocessor
    monkeypatch.setattr(occupancy, "blocks_per_multiprocessor", blocks_per_multiprocessor)
    reverse[1, 40, 0, 160](np.zeros(40, np.int32))
    assert asked == [160]


def test_a_dynamic_array_of_two_dimensions_is_refused():
    kernel = define("@cuda.jit\ndef kernel(x):\n    s = cuda.shared.array((0, 3), np.int8)\n")
    with pytest.raises(gpusim.errors.KernelTypeError, match="the shape of a shared array is not a positive"):
        kernel[1, 1](np.zeros(1))


def test_an_alignment_moves_an_array():
    @cuda.jit
    def kernel(out):
        first = cuda.shared.array(3, np.int8)
        second = cuda.shared.array(3, np.int8, alignment=128)
        own = cuda.local.array(3, np.int8, alignment=32)
        first[0] = second[0] = own[0] = 1

    function = kernel.compiled(np.zeros(1))
    assert (function.shared_bytes, function.local_bytes) == (131, 3)


# Addresses that are not a multiple of the element.


def test_a_misaligned_access_names_thread_block_line_and_address(machine):
    @cuda.jit
    def kernel(x, start):
        i = cuda.grid(1)
        words = x[start:].view(np.int32)
        if i < words.size:
            words[i] = 7

    x = np.zeros(260, np.int8)
    kernel[4, 32](x, 4)
    assert x[4:].view(np.int32).tolist() == [7] * 64
    with pytest.raises(MisalignedAccess) as caught:
        kernel[4, 32](x, 3)
    error = caught.value
    assert (error.thread, error.block, error.array) == ((0, 0, 0), (0, 0, 0), "words")
    assert error.address == 0x7F00_0000_0000 + 3
    assert "thread (0, 0, 0) of block (0, 0, 0) uses 4 bytes of 'words' at address 0x7f0000000003" in str(
        error
    )
    assert error.span.source.line(error.span.line).strip() == "words[i] = 7"


def test_lanes_that_are_off_may_be_misaligned():
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i % 4 == 0:
            out[i // 4] = x[i:].view(np.int32)[0]

    out = np.zeros(8, np.int32)
    kernel[1, 32](np.arange(35, dtype=np.int8), out)
    assert out.view(np.int8).tolist() == list(range(32))
