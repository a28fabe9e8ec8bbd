"""Which element does a lane mean, and what happens where there is none?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import LaunchError, MisalignedAccess, OutOfBounds
from gpusim.ir.instructions import ArrayOperand
from gpusim.ir.types import F64, S64, Space
from gpusim.machine.memory.address_space import AddressSpace
from tests.machine.by_hand import Kernel


@cuda.jit
def shift(x, out):
    i = cuda.grid(1)
    out[i] = x[i + 2]


@cuda.jit
def pick(x, out, index):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[index]


@cuda.jit
def copy(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i]


@cuda.jit
def number(image):
    row, column = cuda.grid(2)
    if row < image.shape[0] and column < image.shape[1]:
        image[row, column] = 100 * row + column


@cuda.jit
def reverse_through_shared(x):
    tile = cuda.shared.array(96, np.int32)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    cuda.syncthreads()
    x[t] = tile[x.size - 1 - t]


@cuda.jit
def sum_of_own(out):
    i = cuda.grid(1)
    own = cuda.local.array((2, 3), np.int64)
    for k in range(6):
        own[k // 3, k % 3] = i * k
    total = 0
    for k in range(6):
        total += own[k // 3, k % 3]
    out[i] = total


def test_a_field_of_packed_records_is_read_where_it_is_aligned_and_refused_elsewhere(machine):
    """Records of 6 bytes: the float of every second one lies at a multiple of 4."""
    records = np.zeros(8, np.dtype([("x", "<f4"), ("tag", "<i2")]))
    records["x"] = np.arange(8)
    out = np.zeros(1, np.float32)
    for index in (0, 2, 6):
        pick[1, 1](records["x"], out, index)
        assert out[0] == index
    with pytest.raises(MisalignedAccess):
        pick[1, 1](records["x"], out, 3)


# Outside an array.


def test_out_of_bounds_names_thread_block_array_index_and_line(machine):
    x, out = np.arange(70), np.zeros(70, np.int64)
    with pytest.raises(OutOfBounds) as caught:
        shift[7, 10](x, out)
    error = caught.value
    assert (error.thread, error.block, error.array, error.index) == ((8, 0, 0), (6, 0, 0), "x", (70,))
    assert "thread (8, 0, 0) of block (6, 0, 0) uses index 70 of 'x', whose length is 70" in str(error)
    assert error.span.source.line(error.span.line).strip() == "out[i] = x[i + 2]"
    assert "test_memory.py:" in str(error)


def test_after_an_error_all_arrays_can_be_read(machine):
    x, out = np.arange(70), np.zeros(70, np.int64)
    with pytest.raises(OutOfBounds), gpusim.use(schedule="serial"):
        shift[7, 10](x, out)
    assert x.tolist() == list(range(70))
    assert out[:60].tolist() == list(range(2, 62)), "blocks before the one that failed have run"


@pytest.mark.parametrize(("index", "element"), [(0, 10), (3, 13), (-1, 13), (-4, 10)])
def test_a_negative_index_counts_from_the_end(machine, index, element):
    out = np.zeros(1, np.int64)
    pick[1, 1](np.arange(10, 14), out, index)
    assert out[0] == element


@pytest.mark.parametrize("index", [4, -5, 2**40, -(2**40)])
def test_an_index_is_never_wrapped_twice(machine, index):
    with pytest.raises(OutOfBounds, match=f"index {index} of 'x', whose length is 4"):
        pick[1, 1](np.arange(4), np.zeros(1, np.int64), index)


def test_an_unsigned_index_is_never_negative(machine):
    with pytest.raises(OutOfBounds, match=f"index {2**64 - 1} "):
        pick[1, 1](np.arange(4), np.zeros(1, np.int64), np.uint64(2**64 - 1))


def test_lanes_that_are_off_may_hold_any_index(machine):
    out = np.zeros(3, np.int64)
    copy[1, 200](np.arange(3), out)
    assert out.tolist() == [0, 1, 2]


def test_nobody_reads_an_array_of_length_zero(machine):
    copy[1, 64](np.zeros(0), np.zeros(0))
    with pytest.raises(OutOfBounds, match="index 0 of 'x', whose length is 0"):
        pick[1, 1](np.zeros(0), np.zeros(1), 0)


def test_out_of_bounds_in_two_dimensions_names_the_axis(machine):
    @cuda.jit
    def beside(image):
        image[1, cuda.threadIdx.x] = 7

    with pytest.raises(
        OutOfBounds, match=r"thread \(3, 0, 0\) .* index 3 of 'image', whose length along axis 1 is 3"
    ):
        beside[1, 4](np.zeros((2, 3)))


def test_out_of_bounds_in_shared_memory(machine):
    @cuda.jit
    def small(out):
        tile = cuda.shared.array(8, np.int32)
        tile[cuda.threadIdx.x] = 1

    with pytest.raises(OutOfBounds, match=r"thread \(8, 0, 0\) of block \(0, 0, 0\) uses index 8 of 'tile'"):
        small[2, 9](np.zeros(1))


# Any layout that NumPy has.


@pytest.mark.parametrize(
    "layout",
    [
        lambda x: x,
        np.asfortranarray,
        lambda x: np.repeat(np.repeat(x, 2, 0), 3, 1)[::2, ::3],
        lambda x: x[::-1],
        lambda x: x[:, ::-1],
        lambda x: x[::-1, ::-1],
        lambda x: np.ascontiguousarray(x.T).T[:, 1:],
    ],
    ids=["C", "Fortran", "strided", "rows reversed", "columns reversed", "both reversed", "part"],
)
def test_an_array_may_have_any_layout(machine, layout):
    image = layout(np.full((5, 7), -1))
    number[(2, 3), (4, 3)](image)
    rows, columns = np.indices(image.shape)
    assert (image == 100 * rows + columns).all()


def test_a_view_writes_to_the_array_it_belongs_to(machine):
    whole = np.zeros(12, np.int64)
    copy[1, 4](np.arange(1, 5), whole[10:1:-2])
    assert whole.tolist() == [0, 0, 0, 0, 4, 0, 3, 0, 2, 0, 1, 0]


def test_repeated_elements_can_be_read(machine):
    out = np.zeros(5, np.int64)
    copy[1, 5](np.broadcast_to(np.int64(9), 5), out)
    assert out.tolist() == [9] * 5


def test_a_read_only_array_may_be_read_but_not_written(machine):
    x = np.arange(4)
    x.flags.writeable = False
    out = np.zeros(4, np.int64)
    copy[1, 4](x, out)
    assert out.tolist() == [0, 1, 2, 3]
    with pytest.raises(LaunchError, match="copy writes to 'out', which is read-only; pass a copy"):
        copy[1, 4](out, x)


@pytest.mark.parametrize("dtype", ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"])
def test_an_array_may_hold_any_number_type(machine, dtype):
    x, out = np.arange(40).astype(dtype), np.zeros(40, dtype)
    copy[1, 40](x, out)
    assert (out == x).all()


def test_allocations_begin_at_multiples_of_256_bytes():
    arrays = [np.zeros(25, np.float32), np.zeros(0), np.zeros(33), np.zeros(1)]
    first, *others = [address for address, _allocation in AddressSpace().places(arrays)]
    assert first % 256 == 0
    assert [address - first for address in others] == [256, 512, 1024]


# Shared and local memory.


def test_a_block_turns_round_through_shared_memory(machine):
    x = np.arange(96, dtype=np.int32)
    reverse_through_shared[1, 96](x)
    assert x.tolist() == list(range(95, -1, -1))


def test_each_block_has_its_own_shared_memory(machine):
    @cuda.jit
    def first_of_block(out):
        tile = cuda.shared.array(1, np.int64)
        if cuda.threadIdx.x == 0:
            tile[0] = cuda.blockIdx.x
        cuda.syncthreads()
        out[cuda.grid(1)] = tile[0]

    out = np.zeros(500, np.int64)
    first_of_block[5, 100](out)
    assert (out == np.arange(500) // 100).all()


def test_two_shared_arrays_do_not_overlap(machine):
    @cuda.jit
    def two(out):
        bytes_ = cuda.shared.array(3, np.uint8)
        doubles = cuda.shared.array((2, 2), np.float64)
        t = cuda.threadIdx.x
        if t < 3:
            bytes_[t] = 200 + t
        if t < 4:
            doubles[t // 2, t % 2] = t + 0.5
        cuda.syncthreads()
        out[0] = bytes_[0] + bytes_[1] + bytes_[2]
        out[1] = doubles[0, 0] + doubles[0, 1] + doubles[1, 0] + doubles[1, 1]

    out = np.zeros(2)
    two[1, 32](out)
    assert out.tolist() == [603.0, 8.0]


def test_each_thread_has_its_own_local_memory(machine):
    out = np.zeros(130, np.int64)
    sum_of_own[2, 65](out)
    assert (out == 15 * np.arange(130)).all()


@pytest.mark.parametrize("schedule", [None, "serial", 3])
def test_what_a_warp_stores_at_one_place_comes_from_one_of_its_lanes(machine, schedule):
    @cuda.jit
    def collide(out):
        out[0] = cuda.threadIdx.x + 100

    out = np.zeros(1, np.int64)
    with gpusim.use(schedule=schedule):
        collide[1, 20](out)
    assert out[0] in range(100, 120)


def test_an_index_that_some_lanes_change_is_added_up_anew():
    @cuda.jit
    def swap(x):
        i = cuda.threadIdx.x
        x[i] += 1
        for _ in range(3):
            if i % 2 == 0:
                i = (i + 2) % 32
            x[i] += 10

    x = np.zeros(32, np.int64)
    swap[1, 32](x)
    assert x.tolist() == 32 * [31]


def test_a_part_of_an_array_may_not_reach_beyond_it(machine):
    """3 rows of 4 doubles, of which an array of 10 holds two and a half: no front-end makes such a part."""
    kernel = Kernel("kernel")
    x = kernel.array("x", F64, (10,))
    rows = ArrayOperand("rows", F64, 2, Space.SHARED, root=x)
    kernel.store(rows, 2, kernel.convert(kernel.thread(), S64), 0, 3, 4, 32, 8, 1.0)
    kernel.run(2)
    with pytest.raises(OutOfBounds, match="uses byte 80 of the 80 bytes that 'rows' is a part of") as caught:
        kernel.run(3)
    assert caught.value.thread == (2, 0, 0)
