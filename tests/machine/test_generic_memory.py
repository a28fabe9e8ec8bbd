"""Where does an address lead? To memory that the thread can reach, or to an error that says why not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import Livelock, MisalignedAccess, OutOfBounds, UseAfterFree
from gpusim.events import MemoryAccess
from gpusim.ir.instructions import Opcode
from gpusim.ir.types import B64, F32, F64, PRED, S32, U64, Space
from gpusim.machine.memory.address_space import GLOBAL_BASE
from gpusim.runtime import settings
from tests.ir.handmade import SPAN
from tests.machine.by_hand import DefinedKernel
from tests.observing import EveryGrid


class Heard(EveryGrid):
    """Keeps copies of what memory accesses told."""

    wants = frozenset({MemoryAccess})

    def __init__(self):
        self.events = []

    def observe(self, event):
        lanes = event.active
        values = event.memory[np.broadcast_to(event.elements, lanes.shape)[lanes]]
        self.events.append(
            (event.space, event.kind, event.width, event.addresses[lanes].tolist(), values.tolist())
        )


def device_address(array):
    """What a pointer to device memory holds."""
    allocation = array.gpu_data
    return allocation.address + array._elements.__array_interface__["data"][0] - allocation.host_address


def reading(element=F32):
    """`out[i] = *p[i]`, for an array p of pointers."""
    kernel = DefinedKernel("follow")
    p, out = kernel.pointer("p", U64), kernel.pointer("out", element)
    i = kernel.thread()
    address = kernel.load(p, i)
    kernel.store(out, i, kernel.load(kernel.generic("*p", element), address))
    return kernel


def chosen(*makes):
    """Thread t chooses array t % len(makes): its address, made of selects. Also t, and the kernel."""
    kernel = DefinedKernel("choose")
    arrays = [make(kernel) for make in makes]
    t = kernel.special("tid.x")
    which = kernel.do(Opcode.MOD_TRUNC, S32, t, len(arrays))
    address = kernel.address(arrays[0])
    for number, array in enumerate(arrays[1:], start=1):
        this = kernel.builder.value(
            Opcode.EQ, S32, (which, kernel.do(Opcode.MOVE, S32, number)), SPAN, result=PRED
        )
        address = kernel.builder.value(Opcode.SELECT, U64, (this, kernel.address(array), address), SPAN)
    return kernel, arrays, t, address


def test_pointers_to_pointers(machine):
    """`float **rows`, each row an allocation of its own."""
    rows = [cuda.to_device(np.arange(5, dtype=np.float32) + 10 * k) for k in range(4)]
    addresses = np.array([device_address(rows[i % 4]) + 4 * (i // 4) for i in range(20)], np.uint64)
    out = np.zeros(20, np.float32)
    reading().run(20, addresses, out)
    assert out.tolist() == [10 * (i % 4) + i // 4 for i in range(20)]


def test_all_lanes_at_one_address(machine):
    value = cuda.to_device(np.array([1.5, 2.5], np.float32))
    out = np.zeros(20, np.float32)
    kernel = DefinedKernel()
    p, y = kernel.scalar("p", U64), kernel.pointer("y")
    kernel.store(y, kernel.thread(), kernel.load(kernel.generic("*p", F32), p))
    kernel.run(20, np.uint64(device_address(value) + 4), out)
    assert out.tolist() == [2.5] * 20


def test_uniform_addresses_that_differ_between_warps(machine):
    ones = [cuda.to_device(np.array([k], np.float32)) for k in range(4)]
    kernel = DefinedKernel()
    p, y = kernel.pointer("p", U64), kernel.pointer("y")
    address = kernel.load(p, kernel.special("ctaid.x"))
    kernel.store(y, kernel.thread(), kernel.load(kernel.generic("*p", F32), address))
    out = np.zeros(160, np.float32)
    kernel.run(40, np.array([device_address(one) for one in ones], np.uint64), out, blocks=4)
    assert out.tolist() == [i // 40 for i in range(160)]


@pytest.mark.parametrize("blocks", [1, 100])
def test_a_warp_makes_requests_only_of_the_memory_that_its_lanes_name(blocks):
    """Of two warps, one writes to shared memory and the other to global memory."""
    kernel = DefinedKernel()
    y, shared = kernel.pointer("y"), kernel.array("s", F32, (32,))
    t = kernel.special("tid.x")
    first = kernel.builder.value(Opcode.LT, S32, (t, kernel.do(Opcode.MOVE, S32, 32)), SPAN, result=PRED)
    address = kernel.builder.value(
        Opcode.SELECT, U64, (first, kernel.address(shared), kernel.address(y)), SPAN
    )
    place = kernel.at(address, kernel.do(Opcode.MOD_TRUNC, S32, t, 32), 4)
    kernel.store(kernel.generic("*p", F32), place, kernel.convert(t, F32))
    with gpusim.profile() as run:
        kernel.run(64, np.zeros(32, np.float32), blocks=blocks)
    assert run.shared_store_requests == run.global_store_requests == blocks
    assert run.shared_store_wavefronts == blocks
    assert run.global_store_sectors == 4 * blocks


def test_arrays_of_the_host_that_were_passed(machine):
    kernel, (x, y), t, address = chosen(lambda k: k.pointer("x"), lambda k: k.pointer("y"))
    anything = kernel.generic("*p", F32)
    kernel.store(anything, kernel.at(address, t, 4), kernel.convert(t, F32))
    x, y = np.full(40, -1, np.float32), np.full(40, -1, np.float32)
    kernel.run(40, x, y)
    assert x.tolist() == [-1 if i % 2 else i for i in range(40)]
    assert y.tolist() == [i if i % 2 else -1 for i in range(40)]


def test_overlapping_arrays_of_the_host(machine):
    kernel, _arrays, t, address = chosen(lambda k: k.pointer("x"), lambda k: k.pointer("y"))
    kernel.store(kernel.generic("*p", F32), kernel.at(address, t, 4), kernel.convert(t, F32))
    whole = np.full(50, -1, np.float32)
    kernel.run(8, whole, whole[2:20])
    assert whole[:12].tolist() == [0, -1, 2, 1, 4, 3, 6, 5, -1, 7, -1, -1]
    kernel.run(8, whole[:8], whole[4:])  # odd lanes write behind what the first of the two holds
    assert whole[:12].tolist() == [0, -1, 2, 1, 4, 1, 6, 3, -1, 5, -1, 7]
    with pytest.raises(
        (OutOfBounds, UseAfterFree)
    ):  # whole[21] is in neither; an earlier array may have been there
        kernel.run(18, whole[:8], whole[4:20])


def test_shared_memory_is_the_own_blocks(machine):
    kernel, (tile, out), t, address = chosen(
        lambda k: k.array("tile", S32, (64,)), lambda k: k.pointer("out", S32)
    )
    i = kernel.thread()
    anything = kernel.generic("*p", S32)
    kernel.store(anything, kernel.at(address, i, 4), i)  # half to tile[i], half to out[i]
    even = kernel.builder.value(
        Opcode.EQ, S32, (kernel.do(Opcode.AND, S32, t, 1), kernel.do(Opcode.MOVE, S32, 0)), SPAN, result=PRED
    )
    seen = kernel.builder.value(
        Opcode.SELECT, S32, (even, kernel.load(tile, i), kernel.do(Opcode.MOVE, S32, 1000)), SPAN
    )
    kernel.store(out, kernel.do(Opcode.ADD, S32, i, 64), seen)
    out = np.full(128, -1, np.int32)
    kernel.run(32, out, blocks=2)
    assert out[:64].tolist() == [i if i % 2 else -1 for i in range(64)]
    assert out[64:].tolist() == [1000 if i % 2 else i for i in range(64)]


def test_local_memory_is_the_own_threads_at_the_same_address(machine):
    kernel = DefinedKernel()
    out, where = kernel.pointer("out", S32), kernel.pointer("where", U64)
    own = kernel.array("own", S32, (4,), Space.LOCAL)
    i = kernel.thread()
    kernel.store(own, 2, i)
    address = kernel.at(kernel.address(own), 2, 4)
    anything = kernel.generic("*p", S32)
    kernel.store(anything, address, kernel.do(Opcode.ADD, S32, kernel.load(anything, address), 100))
    kernel.store(out, i, kernel.load(own, 2))
    kernel.store(where, i, address)
    out, where = np.zeros(70, np.int32), np.zeros(70, np.uint64)
    kernel.run(35, out, where, blocks=2)
    assert out.tolist() == list(range(100, 170))
    assert len(set(where.tolist())) == 1


def test_a_branch_on_what_lies_in_local_memory_may_diverge():
    kernel = DefinedKernel()
    own = kernel.array("own", S32, (1,), Space.LOCAL)
    value = kernel.load(kernel.generic("*p", S32), kernel.address(own))
    assert value in kernel_with_branch(kernel, value).divergent
    kernel = DefinedKernel()
    x = kernel.pointer("x", S32)
    value = kernel.load(kernel.generic("*p", S32), kernel.address(x))
    assert value not in kernel_with_branch(kernel, value).divergent


def kernel_with_branch(kernel, value):
    kernel.only_if(Opcode.LT, value, 3)
    return kernel.function()


def test_constants_have_an_address_and_are_read_only(machine):
    kernel = DefinedKernel()
    out, c = kernel.pointer("out"), kernel.pointer("c", F32, Space.CONSTANT)
    table = kernel.builder.constant("table", F32, np.array([5, 6, 7], np.float32), "C")
    i, anything = kernel.thread(), kernel.generic("*p", F32)
    one = kernel.load(anything, kernel.at(kernel.address(c), i, 4))
    other = kernel.load(anything, kernel.at(kernel.address(table), i, 4))
    kernel.store(out, i, kernel.do(Opcode.ADD, F32, one, other))
    symbol = cuda.to_device(np.array([10, 20, 30], np.float32))
    out = np.zeros(3, np.float32)
    kernel.run(3, out, symbol._elements)
    assert out.tolist() == [15, 26, 37]
    kernel = DefinedKernel()
    c = kernel.pointer("c", F32, Space.CONSTANT)
    kernel.store(kernel.generic("*p", F32), kernel.address(c), 1.0)
    with pytest.raises(OutOfBounds, match="which is read-only"):
        kernel.run(1, symbol._elements)


@pytest.mark.parametrize("wanted", [True, False])
def test_atomics_go_wherever_the_address_leads(machine, wanted):
    kernel, (x, tile, out), t, address = chosen(
        lambda k: k.pointer("x", S32), lambda k: k.array("tile", S32, (1,)), lambda k: k.pointer("out", S32)
    )
    kernel.store(tile, 0, 0)
    kernel.builder.barrier(SPAN)
    old = kernel.atomic(Opcode.ATOMIC_ADD, kernel.generic("*p", S32), address, 1)
    if wanted:
        kernel.store(out, kernel.do(Opcode.ADD, S32, t, 2), old)
    kernel.builder.barrier(SPAN)
    kernel.store(out, 1, kernel.load(tile, 0))
    x, out = np.zeros(1, np.int32), np.zeros(62, np.int32)
    kernel.run(60, x, out)
    assert (x[0], out[0], out[1]) == (20, 20, 20)
    if wanted:
        assert sorted(out[2:].tolist()) == sorted(3 * list(range(20)))


def test_a_lock_that_nobody_opens_is_found(machine):
    """`while (atomicCAS(p, 0, 1));` by two threads, through a pointer that may lead anywhere."""
    kernel = DefinedKernel()
    x = kernel.pointer("x", S32)
    builder = kernel.builder
    start, end = builder.label(), builder.label()
    builder.place(start, SPAN)
    old = kernel.atomic(Opcode.ATOMIC_CAS, kernel.generic("*p", S32), kernel.address(x), 0, 1)
    taken = builder.value(Opcode.NE, S32, (old, kernel.do(Opcode.MOVE, S32, 0)), SPAN, result=PRED)
    builder.branch(taken, start, end, SPAN)
    builder.place(end, SPAN)
    with pytest.raises(Livelock, match="no lane changes anything any more"):
        kernel.run(2, np.zeros(1, np.int32))


def test_wide_values(machine):
    rows = [cuda.to_device(np.arange(8, dtype=np.float32) + 100 * k) for k in range(2)]
    addresses = np.array([device_address(rows[i % 2]) + 8 * (i // 2) for i in range(8)], np.uint64)
    out = np.zeros(16, np.float32)
    reading(B64).run(8, addresses, out)
    assert out.reshape(-1, 2)[:, 1].tolist() == [100 * (i % 2) + 2 * (i // 2) + 1 for i in range(8)]


# Where nothing is.


def refused(address, error, text, element=F32, lanes=1):
    """Lane 1 follows this address, the others a good one."""
    good = cuda.to_device(np.zeros(4))
    addresses = np.full(4, device_address(good), np.uint64)
    addresses[1 : 1 + lanes] = address
    with pytest.raises(error, match=text) as caught:
        reading(element).run(4, addresses, np.zeros(4, element.dtype))
    assert (caught.value.thread, caught.value.block) == ((1, 0, 0), (0, 0, 0))
    return str(caught.value)


def test_null(machine):
    refused(0, OutOfBounds, r"reads 4 bytes through a null pointer")
    text = r"reads 4 bytes through a null pointer and 24 bytes \(and 1 other lanes in this step\)"
    refused(24, OutOfBounds, text, lanes=2)


def test_nothing_there(machine):
    refused(0x10000, OutOfBounds, "reads 4 bytes at address 0x10000, where nothing is")
    refused(2**64 - 4, OutOfBounds, "reads 4 bytes at address 0xfffffffffffffffc, where nothing is")


def test_just_behind_an_allocation(machine):
    array = cuda.to_device(np.zeros(25, np.float32))
    message = refused(device_address(array) + 100, OutOfBounds, "where nothing is")
    assert f"it is 0 bytes behind the 100 bytes of device memory at {device_address(array):#x}" in message


def test_a_wide_access_must_fit_whole(machine):
    array = cuda.to_device(np.zeros(25, np.float32))
    refused(device_address(array) + 96, OutOfBounds, "reads 8 bytes at address", F64)


def test_misaligned(machine):
    array = cuda.to_device(np.zeros(25, np.float32))
    message = refused(device_address(array) + 4, MisalignedAccess, "which is not a multiple of 8", F64)
    assert f"{device_address(array) + 4:#x}" in message


@pytest.mark.parametrize("address", [1, 0x10002, 2**64 - 1])
def test_a_misaligned_address_is_called_so_wherever_it_is(machine, address):
    refused(address, MisalignedAccess, f"at address {address:#x}, which is not a multiple of 4")


def test_a_misaligned_access_across_the_end_of_its_memory(machine):
    array = cuda.to_device(np.zeros(25, np.float32))
    refused(device_address(array) + 98, MisalignedAccess, "which is not a multiple of 4")


def test_freed(machine):
    array = cuda.to_device(np.zeros(1000, np.float32))
    address = device_address(array) + 2000
    array.gpu_data.free()
    refused(address, UseAfterFree, "whose memory was freed")


def test_lanes_that_are_off_may_hold_any_address(machine):
    kernel = DefinedKernel()
    p, out = kernel.pointer("p", U64), kernel.pointer("out")
    i = kernel.thread()
    address = kernel.load(p, i)
    kernel.only_if(Opcode.LT, i, 2)
    kernel.store(out, i, kernel.load(kernel.generic("*p", F32), address))
    array = cuda.to_device(np.array([1, 2], np.float32))
    out = np.zeros(4, np.float32)
    first = device_address(array)
    kernel.run(4, np.array([first, first + 4, 0, 13], np.uint64), out)
    assert out.tolist() == [1, 2, 0, 0]


def test_one_address_for_a_warp_whose_first_lanes_are_off(machine):
    kernel = DefinedKernel()
    p, out = kernel.pointer("p", U64), kernel.pointer("out")
    address, i = kernel.load(p, kernel.special("ctaid.x")), kernel.thread()
    kernel.only_if(Opcode.GE, kernel.special("tid.x"), 5)
    kernel.store(out, i, kernel.load(kernel.generic("*p", F32), address))
    ones = [cuda.to_device(np.array([k + 1], np.float32)) for k in range(2)]
    out = np.zeros(80, np.float32)
    kernel.run(40, np.array([device_address(one) for one in ones], np.uint64), out, blocks=2)
    assert out.tolist() == [0] * 5 + [1] * 35 + [0] * 5 + [2] * 35


def test_nothing_can_be_reached(machine):
    kernel = DefinedKernel()
    p = kernel.scalar("p", U64)
    kernel.store(kernel.generic("*p", F32), p, 1.0)
    with pytest.raises(OutOfBounds, match="where nothing is; the launch can reach no memory"):
        kernel.run(4, np.uint64(GLOBAL_BASE + 2**40))


# What observers see.


def heard(kernel, *arguments, threads, blocks=1):
    """The events of memory of one launch."""
    listener = Heard()
    heard_by = replace(settings.current(), observers=(listener,))
    with settings.during(heard_by):
        kernel.run(threads, *arguments, blocks=blocks)
    return listener.events


def test_one_event_where_all_lanes_use_one_piece():
    kernel = DefinedKernel()
    x = kernel.pointer("x", S32)
    kernel.load(kernel.generic("*p", S32), kernel.at(kernel.address(x), kernel.thread(), 4))
    ((space, kind, width, addresses, values),) = heard(kernel, np.arange(4, dtype=np.int32), threads=4)
    assert (space, kind, width, values) == (Space.GLOBAL, "load", 4, [0, 1, 2, 3])
    assert np.diff(addresses).tolist() == [4, 4, 4]


def test_one_event_for_each_space_with_what_was_there_before():
    kernel, (x, tile, own, y), t, address = chosen(
        lambda k: k.pointer("x", S32),
        lambda k: k.array("tile", S32, (8,)),
        lambda k: k.array("own", S32, (8,), Space.LOCAL),
        lambda k: k.pointer("y", S32),
    )
    kernel.store(tile, t, 50)
    kernel.store(own, t, 60)
    kernel.store(kernel.generic("*p", S32), kernel.at(address, t, 4), 7)
    x, y = np.arange(8, dtype=np.int32), np.arange(10, 18, dtype=np.int32)
    *_, of_grid, of_block, of_thread = heard(kernel, x, y, threads=8)
    assert [event[:3] for event in (of_grid, of_block, of_thread)] == [
        (space, "store", 4) for space in (Space.GLOBAL, Space.SHARED, Space.LOCAL)
    ]
    assert of_grid[4] == [0, 13, 4, 17]
    assert (of_block[3], of_block[4]) == ([4, 20], [50, 50])
    assert (of_thread[3], of_thread[4]) == ([8, 24], [60, 60])


def test_a_warp_that_goes_to_two_arrays_makes_one_request():
    kernel, _arrays, t, address = chosen(lambda k: k.pointer("x"), lambda k: k.pointer("y"))
    kernel.store(kernel.generic("*p", F32), kernel.at(address, t, 4), 1.0)
    with gpusim.profile() as run:
        kernel.run(32, np.zeros(32, np.float32), np.zeros(32, np.float32))
    assert (run.global_store_requests, run.global_store_sectors) == (1, 8)
