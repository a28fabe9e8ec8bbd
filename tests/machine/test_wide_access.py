"""Several numbers moved as one: `*(float4*)&x[4 * i]` is one access of 16 bytes."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim.errors import MisalignedAccess, OutOfBounds
from gpusim.ir.details import Part, Received
from gpusim.ir.instructions import Opcode
from gpusim.ir.types import B16, B32, B64, B128, F32, F64, PRED, S8, S16, S32, S64, U32, Space
from tests.ir.handmade import SPAN
from tests.machine.by_hand import DefinedKernel

COUNTED = ("global_load_requests", "global_load_sectors", "global_store_requests", "global_store_sectors")


def moving(type, first=0):
    """`((T*)y)[i] = ((T*)x)[i]` for a T of some bytes; x begins `first` bytes later."""
    kernel = DefinedKernel()
    x, y = kernel.pointer("x"), kernel.pointer("y")
    i = kernel.thread()
    value = kernel.load(kernel.part(x, type, 1), i, first, type.bytes)
    kernel.store(kernel.part(y, type, 1), i, 0, type.bytes, value)
    return kernel


@pytest.mark.parametrize("type", [B16, B32, B64, B128], ids=str)
def test_bits_are_moved_as_they_are(machine, type):
    x = np.random.default_rng(1).integers(0, 256, 70 * type.bytes, dtype=np.uint8)
    y = np.zeros_like(x)
    moving(type).run(35, x, y, blocks=2)
    assert (x == y).all()


@pytest.mark.parametrize(("type", "sectors"), [(B32, 4), (B64, 8), (B128, 16)], ids=str)
def test_a_wide_access_is_one_request(type, sectors):
    x, y = np.zeros(128, np.float32), np.zeros(128, np.float32)
    with gpusim.profile() as run:
        moving(type).run(32, x, y)
    assert [getattr(run, name) for name in COUNTED] == [1, sectors, 1, sectors]


@pytest.mark.parametrize(("type", "first"), [(B128, 8), (B128, 4), (B64, 4), (B32, 2), (B16, 1)], ids=str)
def test_its_address_must_be_a_multiple_of_its_size(machine, type, first):
    with pytest.raises(MisalignedAccess, match=f"which is not a multiple of {type.bytes}") as caught:
        moving(type, first).run(2, np.zeros(64, np.float32), np.zeros(64, np.float32))
    assert caught.value.address % type.bytes == first
    assert f"must hold a multiple of {type.bytes}" in caught.value.hint


def test_all_of_it_must_lie_in_the_array(machine):
    with pytest.raises(
        OutOfBounds, match=r"reads 16 bytes at byte 16 of 'x.part', past the end of its 28 bytes"
    ):
        moving(B128).run(2, np.zeros(7, np.float32), np.zeros(8, np.float32))


def test_parts_are_packed_and_taken_apart(machine):
    """`float4 v = x[i]; y[i] = make_float4(v.w, v.z, v.y, v.x);`"""
    kernel = DefinedKernel()
    x, y = kernel.pointer("x"), kernel.pointer("y")
    i = kernel.thread()
    v = kernel.load(kernel.part(x, B128, 1), i, 0, 16)
    four = [kernel.do(Opcode.PART, F32, v, detail=Part(4 * place)) for place in (3, 2, 1, 0)]
    kernel.store(kernel.part(y, B128, 1), i, 0, 16, kernel.do(Opcode.PACK, B128, *four))
    x = np.arange(160, dtype=np.float32)
    y = np.zeros_like(x)
    kernel.run(40, x, y)
    assert (y.reshape(-1, 4) == x.reshape(-1, 4)[:, ::-1]).all()


def test_numbers_of_different_types_lie_one_behind_the_other(machine):
    """struct { double d; int i; short s; char c; bool b; }, passed as 16 bytes."""
    kernel = DefinedKernel()
    x, y = kernel.pointer("x", B128), kernel.pointer("y", F64)
    i = kernel.thread()
    odd = kernel.builder.value(
        Opcode.EQ,
        S32,
        (kernel.do(Opcode.AND, S32, i, 1), kernel.do(Opcode.MOVE, S32, 1)),
        SPAN,
        result=PRED,
    )
    numbers = [kernel.convert(i, type) for type in (F64, S32, S16, S8)]
    packed = kernel.do(Opcode.PACK, B128, *numbers, odd)
    kernel.store(x, i, packed)
    taken = kernel.do(Opcode.PART, S16, kernel.load(x, i), detail=Part(12))
    kernel.store(y, i, kernel.convert(taken, F64))
    dtype = np.dtype([("d", "f8"), ("i", "i4"), ("s", "i2"), ("c", "i1"), ("b", "?")])
    x, y = np.zeros(40, dtype), np.zeros(40)
    kernel.run(40, x, y)
    for name in "disc":
        assert x[name].tolist() == list(range(40))
    assert x["b"].tolist() == [i % 2 == 1 for i in range(40)]
    assert y.tolist() == list(range(40))


def test_wide_values_merge_under_a_mask(machine):
    """`v = x[i]; if (i < 10) v = x[i + 1]; y[i] = v;`"""
    kernel = DefinedKernel()
    x, y = kernel.pointer("x", B128), kernel.pointer("y", B128)
    i = kernel.thread()
    v = kernel.load(x, i)
    kernel.only_if(Opcode.LT, i, 10)
    following = kernel.load(x, kernel.do(Opcode.ADD, S32, i, 1))
    kernel.do(Opcode.MOVE, B128, following, into=v)
    kernel.builder.place(kernel.ends.pop(), SPAN)
    kernel.store(y, i, v)
    x, y = np.arange(160, dtype=np.int32), np.zeros(160, np.int32)
    kernel.run(39, x, y)
    firsts = [4 * i + 4 * (i < 10) for i in range(39)]
    assert y[:156:4].tolist() == firsts


@pytest.mark.parametrize("space", [Space.SHARED, Space.LOCAL])
def test_wide_access_to_windows(machine, space):
    kernel = DefinedKernel()
    y = kernel.pointer("y", B64)
    tile = kernel.array("tile", F32, (64,), space)
    wide = kernel.part(tile, B64, 1)
    t, i = kernel.special("tid.x"), kernel.thread()
    pair = kernel.do(Opcode.PACK, B64, i, i)
    kernel.store(wide, t, 0, 8, pair)
    kernel.store(y, i, kernel.load(wide, t, 0, 8))
    y = np.zeros((64, 2), np.int32)
    kernel.run(32, y, blocks=2)
    assert (y == np.arange(64)[:, None]).all()


# The same bits as another integer.


def test_a_number_seen_with_another_sign_is_a_value_of_its_own(machine):
    """`unsigned u = i; do { y[i] = (int)u; u = u + 1; } while (u < 4);` with u changed in place."""
    kernel = DefinedKernel()
    y = kernel.pointer("y", S32)
    builder, span = kernel.builder, SPAN
    i = kernel.thread()
    u = kernel.do(Opcode.CONVERT, U32, i)
    start, end = builder.label(), builder.label()
    builder.place(start, span)
    seen = kernel.do(Opcode.CONVERT, S32, u)
    kernel.do(Opcode.ADD, U32, u, 1, into=u)
    kernel.store(y, i, seen)
    again = builder.value(Opcode.LT, U32, (u, kernel.do(Opcode.MOVE, U32, 4)), span, result=PRED)
    builder.branch(again, start, end, span)
    builder.place(end, span)
    kernel.store(y, i, kernel.do(Opcode.ADD, S32, kernel.load(y, i), kernel.do(Opcode.MUL, S32, seen, 100)))
    y = np.zeros(40, np.int32)
    kernel.run(40, y)
    assert y.tolist() == [101 * max(i, 3) for i in range(40)]


def test_what_lanes_exchange_is_what_it_was_before_the_register_changed(machine):
    """`int v = (int)u; u = 7; w = __shfl_sync(~0, v, 0)`, with u needed later."""
    kernel = DefinedKernel()
    y = kernel.pointer("y", S32)
    builder, span = kernel.builder, SPAN
    t = kernel.special("tid.x")
    u = kernel.do(Opcode.ADD, U32, kernel.convert(t, U32), 50)
    kernel.only_if(Opcode.LT, t, 16)
    seen = kernel.do(Opcode.CONVERT, S32, u)
    kernel.do(Opcode.MOVE, U32, 7, into=u)
    mask = kernel.do(Opcode.MOVE, S64, 0xFFFF)
    builder.exchange(Opcode.SHFL_IDX, (mask, seen, kernel.do(Opcode.MOVE, S32, 3)), span)
    got = builder.value(Opcode.RECEIVE, S32, (), span, detail=Received.VALUE)
    kernel.store(y, t, got)
    builder.place(kernel.ends.pop(), span)
    kernel.store(y, kernel.do(Opcode.ADD, S32, t, 32), kernel.do(Opcode.CONVERT, S32, u))
    y = np.zeros(64, np.int32)
    kernel.run(32, y)
    assert y[:16].tolist() == [53] * 16
    assert y[32:].tolist() == [7] * 16 + list(range(66, 82))
