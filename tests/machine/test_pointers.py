"""What does a pointer of C reach, and what happens where it reaches nothing?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import LaunchError, MisalignedAccess, OutOfBounds, UseAfterFree
from gpusim.ir.instructions import Opcode
from gpusim.ir.types import F32, F64, S8, S16, S32, S64, U8, U32, U64, Space
from tests.ir.handmade import SPAN
from tests.machine.by_hand import DefinedKernel


def on_device(host):
    """An array in device memory, and the NumPy array by which a launch is given it."""
    array = cuda.to_device(host)
    return array, array._elements


def copying(offset=0, element=F32, type=S32, bound=None):
    """`y[i] = x[i + offset]`, with an index of some type; `if (i < bound)` before it."""
    kernel = DefinedKernel("copy")
    x, y = kernel.pointer("x", element), kernel.pointer("y", element)
    i = kernel.thread()
    if bound is not None:
        kernel.only_if(Opcode.LT, i, bound)
    shifted = kernel.do(Opcode.ADD, type, kernel.convert(i, type), offset)
    kernel.store(y, i, kernel.load(x, shifted))
    return kernel


# Any index that leads to a byte of the memory.


@pytest.mark.parametrize("type", [S8, S16, S32, S64, U8, U32, U64], ids=str)
def test_an_index_may_have_any_integer_type(machine, type):
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    copying(1, type=type).run(50, x, y)
    assert y[:50].tolist() == list(range(1, 51))


def test_lanes_that_are_off_may_hold_any_index(machine):
    x, y = np.arange(3, dtype=np.float32), np.zeros(3, np.float32)
    copying(bound=3).run(100, x, y, blocks=2)
    assert y.tolist() == [0, 1, 2]


def test_a_pointer_into_an_allocation_reaches_what_lies_before_it(machine):
    _array, elements = on_device(np.arange(40, dtype=np.float32))
    y = np.zeros(8, np.float32)
    copying(-2).run(8, elements[10:], y)
    assert y.tolist() == list(range(8, 16))


def test_a_pointer_to_part_of_an_array_of_the_host_reaches_that_part_only(machine):
    with pytest.raises(OutOfBounds, match=r"reads x\[-2\], 4 bytes at byte -8 of 'x', before its beginning"):
        copying(-2).run(8, np.arange(40, dtype=np.float32)[10:], np.zeros(8, np.float32))


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.uint8, np.dtype("V4"), np.float64])
def test_the_bytes_of_any_array_are_read_as_what_the_pointer_points_to(machine, dtype):
    x = np.arange(8, dtype=np.float32)
    y = np.zeros(8, np.float32)
    copying().run(8, x.view(dtype), y)
    assert (x == y).all()


def test_an_array_of_two_dimensions_is_one_row_after_the_other(machine):
    y = np.zeros(12, np.int32)
    copying(element=S32).run(12, np.arange(12, dtype=np.int32).reshape(3, 4), y)
    assert y.tolist() == list(range(12))


def test_an_index_over_the_end_of_a_row_is_in_the_next(machine):
    kernel = DefinedKernel()
    y = kernel.pointer("y", S32)
    tile = kernel.array("tile", S32, (4, 16))
    t = kernel.special("tid.x")
    kernel.store(tile, 0, t, t)  # tile[0][t], for t up to 63
    kernel.store(y, t, kernel.load(tile, 1, kernel.do(Opcode.SUB, S32, t, 16)))  # tile[1][t - 16]
    y = np.zeros(64, np.int32)
    kernel.run(64, y)
    assert y.tolist() == list(range(64))


def test_shared_arrays_are_the_own_blocks(machine):
    kernel = DefinedKernel()
    y = kernel.pointer("y", S32)
    first, tile = kernel.array("first", S32, (3,)), kernel.array("tile", S32, (32,))
    t, i = kernel.special("tid.x"), kernel.thread()
    kernel.store(first, kernel.do(Opcode.AND, S32, t, 1), 7)
    kernel.store(tile, t, i)
    kernel.store(y, i, kernel.load(tile, t))
    y = np.zeros(96, np.int32)
    kernel.run(32, y, blocks=3)
    assert y.tolist() == list(range(96))


@pytest.mark.parametrize("schedule", [None, "serial", 3])
def test_a_shared_variable_is_the_own_blocks_also_when_blocks_run_one_by_one(machine, schedule):
    kernel = DefinedKernel()
    y = kernel.pointer("y", S32)
    total = kernel.array("total", S32, ())
    t = kernel.special("tid.x")
    kernel.store(total, kernel.special("ctaid.x"))
    kernel.builder.barrier(SPAN)
    kernel.only_if(Opcode.EQ, t, 0)
    kernel.store(y, kernel.special("ctaid.x"), kernel.load(total))
    y = np.zeros(5, np.int32)
    with gpusim.use(schedule=schedule):
        kernel.run(70, y, blocks=5)
    assert y.tolist() == list(range(5))


def test_dynamic_shared_memory_may_be_seen_as_any_type(machine):
    kernel = DefinedKernel()
    y = kernel.pointer("y", F64)
    buffer = kernel.builder.reserve("static", S32, (3,), Space.SHARED, pointer=True)
    dynamic = type(buffer)("buffer", U8, 1, Space.SHARED, pointer=True)
    doubles = kernel.part(dynamic, F64, 1)
    t = kernel.special("tid.x")
    kernel.store(doubles, t, 64, 8, kernel.convert(t, F64))
    kernel.store(y, t, kernel.load(doubles, t, 64, 8))
    y = np.zeros(40)
    kernel.run(40, y, shared_bytes=64 + 320)
    assert y.tolist() == list(range(40))
    with pytest.raises(
        OutOfBounds, match=r"writes 8 bytes at byte 376 of 'buffer.part', past the end of its 376"
    ):
        kernel.run(40, y, shared_bytes=64 + 312)


def test_each_thread_has_its_own_local_array(machine):
    kernel = DefinedKernel()
    y = kernel.pointer("y", S32)
    own = kernel.array("own", S32, (2, 3), Space.LOCAL)
    i = kernel.thread()
    for k in range(6):
        kernel.store(own, 0, k, kernel.do(Opcode.MUL, S32, i, k))
    kernel.store(y, i, kernel.do(Opcode.ADD, S32, kernel.load(own, 1, 2), kernel.load(own, 0, i.type and 4)))
    y = np.zeros(70, np.int32)
    kernel.run(35, y, blocks=2)
    assert y.tolist() == [9 * i for i in range(70)]


# Parts.


def test_the_field_of_a_struct(machine):
    dtype = np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4")])
    points = np.zeros(64, dtype)
    points["y"] = np.arange(64)
    kernel = DefinedKernel()
    p, out = kernel.pointer("p", F32), kernel.pointer("out", F32)
    field = kernel.part(p, F32, 1)
    i = kernel.thread()
    kernel.store(out, i, kernel.load(field, i, 4, 12))
    kernel.store(field, i, 8, 12, kernel.load(field, i, 4, 12))
    out = np.zeros(64, np.float32)
    kernel.run(64, points, out)
    assert (out == points["y"]).all()
    assert (points["z"] == points["y"]).all()


@pytest.mark.parametrize("type", [S32, S64, U64], ids=str)
def test_a_part_may_begin_elsewhere_in_each_lane(machine, type):
    """`const float *q = x + 2 * i; y[i] = q[1] + q[-1];`"""
    kernel = DefinedKernel()
    x, y = kernel.pointer("x"), kernel.pointer("y")
    q = kernel.part(x, F32, 1)
    i = kernel.thread()
    first = kernel.do(Opcode.MUL, type, kernel.convert(i, type), 8)
    total = kernel.do(Opcode.ADD, F32, kernel.load(q, 1, first, 4), kernel.load(q, -1, first, 4))
    kernel.store(y, i, total)
    x, y = np.arange(101, dtype=np.float32), np.zeros(50, np.float32)
    with pytest.raises(OutOfBounds, match=r"reads 4 bytes at byte -4 of 'x.part', before"):
        kernel.run(50, x, y)
    _array, elements = on_device(x)
    kernel.run(50, elements[1:], y)
    assert y.tolist() == [4 * i + 2 for i in range(50)]


def test_a_part_without_dimensions_is_one_number(machine):
    kernel = DefinedKernel()
    x, y = kernel.pointer("x", U8), kernel.pointer("y", S32)
    i = kernel.thread()
    first = kernel.do(Opcode.MUL, S64, kernel.convert(i, S64), 4)
    kernel.store(y, i, kernel.load(kernel.part(x, S32, 0), first))
    y = np.zeros(20, np.int32)
    kernel.run(20, np.arange(20, dtype=np.int32).view(np.uint8), y)
    assert y.tolist() == list(range(20))


def test_a_part_may_be_a_number_of_bytes_away(machine):
    """`*(float *)(bytes + 4 * i + n)`, with distances in bytes that turn out to be multiples of 4, or not."""
    kernel = DefinedKernel()
    x, y, n = kernel.pointer("x", U8), kernel.pointer("y"), kernel.scalar("n")
    i = kernel.thread()
    distance = kernel.do(Opcode.MUL, S32, i, 4)
    kernel.store(y, i, kernel.load(kernel.part(x, F32, 2), distance, n, 0, 1, 1))
    x, y = np.arange(21, dtype=np.float32), np.zeros(20, np.float32)
    kernel.run(20, x, y, 4)
    assert y.tolist() == list(range(1, 21))
    with pytest.raises(MisalignedAccess):
        kernel.run(20, x, y, 2)


def test_a_part_whose_places_change_is_added_up_anew(machine):
    kernel = DefinedKernel()
    x, y = kernel.pointer("x", S32), kernel.pointer("y", S32)
    q = kernel.part(x, S32, 1)
    i = kernel.thread()
    one = kernel.load(q, i, 0, 4)
    other = kernel.load(q, i, 0, 8)
    kernel.store(y, i, kernel.do(Opcode.SUB, S32, other, one))
    y = np.zeros(20, np.int32)
    kernel.run(20, np.arange(40, dtype=np.int32), y)
    assert y.tolist() == list(range(20))


# Where nothing is.


def test_an_error_names_thread_block_array_element_byte_and_size(machine):
    with pytest.raises(OutOfBounds) as caught:
        copying(2).run(10, np.zeros(70, np.float32), np.zeros(70, np.float32), blocks=7)
    error = caught.value
    assert (error.thread, error.block, error.array, error.index) == ((8, 0, 0), (6, 0, 0), "x", (70,))
    assert "thread (8, 0, 0) of block (6, 0, 0) (and 1 other lanes in this step)" in str(
        error
    ) or "reads x[70], 4 bytes at byte 280 of 'x', past the end of its 280 bytes" in str(error)


def test_an_error_of_a_pointer_into_an_allocation_counts_from_the_pointer(machine):
    _array, elements = on_device(np.zeros(40, np.float32))
    text = r"writes y\[-11\], 4 bytes at byte -44 of 'y', before its first byte, -40"
    kernel = DefinedKernel()
    y = kernel.pointer("y")
    kernel.store(y, -11, 0.0)
    with pytest.raises(OutOfBounds, match=text):
        kernel.run(1, elements[10:])
    kernel = DefinedKernel()
    y = kernel.pointer("y")
    kernel.store(y, 30, 0.0)
    with pytest.raises(
        OutOfBounds, match="at byte 120 of 'y', past the end of its 160 bytes, which lie at -40 to 119"
    ):
        kernel.run(1, elements[10:])


@pytest.mark.parametrize("index", [2**40, -(2**40), 4, -1])
def test_far_away_is_outside(machine, index):
    with pytest.raises(OutOfBounds, match=f"at byte {4 * index} "):
        copying(index, type=S64).run(1, np.zeros(4, np.float32), np.zeros(4, np.float32))


def test_a_negative_unsigned_index_is_a_large_one(machine):
    with pytest.raises(OutOfBounds) as caught:
        copying(-1 % 2**32, type=U32).run(1, np.zeros(4, np.float32), np.zeros(4, np.float32))
    assert caught.value.index == (2**32 - 1,)


def test_a_wide_access_at_the_end_must_fit_whole(machine):
    kernel = DefinedKernel()
    x, y = kernel.pointer("x"), kernel.pointer("y", F64)
    kernel.store(y, 0, kernel.load(kernel.part(x, F64, 0), 8))
    with pytest.raises(
        OutOfBounds, match=r"reads 8 bytes at byte 8 of 'x.part', past the end of its 12 bytes"
    ):
        kernel.run(1, np.zeros(3, np.float32), np.zeros(1))


def test_an_address_must_be_a_multiple_of_the_size(machine):
    kernel = DefinedKernel()
    x, y = kernel.pointer("x"), kernel.pointer("y", F64)
    i = kernel.thread()
    first = kernel.do(Opcode.MUL, S64, kernel.convert(i, S64), 4)
    kernel.store(y, i, kernel.load(kernel.part(x, F64, 0), first))
    with pytest.raises(MisalignedAccess) as caught:
        kernel.run(8, np.zeros(30, np.float32), np.zeros(30))
    assert caught.value.thread == (1, 0, 0)
    assert caught.value.address % 8 == 4
    assert "uses 8 bytes of 'x.part' at address" in str(caught.value)
    assert "(and 3 other lanes in this step)" in str(caught.value)


@pytest.mark.parametrize("byte", [-4, 36, 44, (1 << 20) + 4])
def test_a_misaligned_address_is_called_so_wherever_it_is(machine, byte):
    """As on a GPU, which looks at the address before it looks for the memory."""
    kernel = DefinedKernel()
    x, y = kernel.pointer("x"), kernel.pointer("y", F64)
    i = kernel.thread()
    first = kernel.do(Opcode.MUL, S64, kernel.convert(i, S64), byte)
    kernel.store(y, i, kernel.load(kernel.part(x, F64, 0), first))
    with pytest.raises(MisalignedAccess, match="which is not a multiple of 8") as caught:
        kernel.run(2, cuda.to_device(np.zeros(10, np.float32))._elements, np.zeros(2))
    assert caught.value.thread == (1, 0, 0)


def test_a_pointer_that_is_misaligned_as_it_comes(machine):
    x = np.zeros(41, np.uint8)
    _array, elements = on_device(x)
    with pytest.raises(MisalignedAccess, match="which is not a multiple of 4"):
        copying().run(4, elements[1:], np.zeros(4, np.float32))


def test_a_null_pointer_may_be_passed_but_not_used(machine):
    kernel = DefinedKernel()
    x, y = kernel.pointer("x"), kernel.pointer("y", U64)
    n = kernel.scalar("n")
    kernel.store(y, 0, kernel.address(x))
    kernel.only_if(Opcode.GT, n, 0)
    kernel.store(x, 0, 1.0)
    y = np.ones(1, np.uint64)
    kernel.run(1, None, y, 0)
    assert y[0] == 0
    with pytest.raises(OutOfBounds, match="writes 4 bytes through 'x', a null pointer") as caught:
        kernel.run(1, None, y, 1)
    assert (caught.value.thread, caught.value.array) == ((0, 0, 0), "x")


def test_freed_memory(machine):
    array, elements = on_device(np.zeros(4, np.float32))
    array.gpu_data.free()
    with pytest.raises(UseAfterFree, match="uses 'x', whose memory was freed"):
        copying().run(4, elements, np.zeros(4, np.float32))


def test_what_is_read_only_is_refused_before_the_launch():
    x = np.zeros(4, np.float32)
    x.flags.writeable = False
    with pytest.raises(LaunchError, match="copy writes to 'y', which is read-only"):
        copying().run(4, x, x)


def test_an_array_of_no_bytes(machine):
    empty = np.zeros(0, np.float32)
    copying(bound=0).run(40, empty, empty)
    with pytest.raises(OutOfBounds, match="past the end of its 0 bytes"):
        copying().run(1, empty, empty)


# What observers see.


def test_counters_are_those_of_an_array():
    @cuda.jit
    def copy(x, y):
        i = cuda.grid(1)
        y[i] = x[i]

    x, y = np.zeros(256, np.float32), np.zeros(256, np.float32)
    with gpusim.profile() as of_array:
        copy[2, 128](x, y)
    with gpusim.profile() as of_pointer:
        copying().run(128, x, y, blocks=2)
    names = ("global_load_requests", "global_load_sectors", "global_store_requests", "global_store_sectors")
    assert [getattr(of_pointer, name) for name in names] == [getattr(of_array, name) for name in names]


def test_what_a_pointer_may_have_written_counts_as_written():
    array = cuda.device_array(16, np.float32)
    copying().run(4, np.zeros(4, np.float32), array._elements[4:])
    assert array.gpu_data.written is None
