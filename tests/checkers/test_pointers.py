"""Do the checkers see pointers, wide accesses, and addresses that may lead anywhere? Kernels by hand."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.ir.instructions import Opcode
from gpusim.ir.types import B128, F32, F64, S32, U64, Space
from tests.ir.handmade import SPAN
from tests.machine.by_hand import Kernel


@pytest.fixture
def independent(device):
    """Lanes of a warp are not ordered by their instructions."""
    with gpusim.use(device, scheduling="independent"):
        yield device


def checked(tool, kernel, *arguments, threads=32, blocks=1):
    """The findings of one tool in one launch."""
    with gpusim.sanitize(tool) as report:
        kernel.run(threads, *arguments, blocks=blocks)
    return report.findings


def four_at_once(wait):
    """Thread t writes tile[4t … 4t+3] as one float4, then reads tile[t], which thread t / 4 wrote."""
    kernel = Kernel()
    out = kernel.pointer("out")
    tile = kernel.array("tile", F32, (128,))
    t = kernel.special("tid.x")
    value = kernel.convert(t, F32)
    four = kernel.do(Opcode.PACK, B128, value, value, value, value)
    kernel.store(kernel.part(tile, B128, 1), t, 0, 16, four)
    if wait:
        kernel.builder.barrier(SPAN)
    kernel.store(out, t, kernel.load(tile, t))
    return kernel


def test_a_wide_store_and_a_narrow_load_race(independent):
    (found,) = checked("racecheck", four_at_once(wait=False), np.zeros(32, np.float32))
    assert (found.hazard, found.place) == ("RAW", "shared tile[1]")
    assert [access.thread[0] for access in found.accesses] == [0, 1]
    assert found.count == 31, "all but thread 0 read what another one wrote"


def test_with_a_barrier_they_do_not(independent):
    out = np.zeros(32, np.float32)
    assert not checked("racecheck", four_at_once(wait=True), out)
    assert out.tolist() == [t // 4 for t in range(32)]


def test_wide_values_are_uninitialised_until_all_their_bytes_are_written(machine):
    kernel = Kernel()
    out = kernel.pointer("out", B128)
    tile = kernel.array("tile", F32, (4,))
    for place in range(3):
        kernel.store(tile, place, 1.0)
    kernel.store(out, 0, kernel.load(kernel.part(tile, B128, 0), 0))
    (found,) = checked("initcheck", kernel, np.zeros(4, np.float32), threads=1)
    assert found.place == "shared tile[0]"


def test_a_pointer_into_an_allocation(machine):
    array = cuda.device_array(10, np.float32)
    array[:2] = np.zeros(2, np.float32)
    kernel = Kernel()
    x, out = kernel.pointer("x"), kernel.pointer("out")
    i = kernel.thread()
    kernel.store(out, i, kernel.load(x, kernel.do(Opcode.SUB, S32, i, 4)))
    (found,) = checked("initcheck", kernel, array._elements[4:], np.zeros(4, np.float32), threads=4)
    assert (found.place, found.count) == ("global x[-2]", 2)


def through_an_address(make, wait):
    """Thread t writes p[t] and reads p[t + 1], where p may lead anywhere."""
    kernel = Kernel()
    array, out = make(kernel), kernel.pointer("out", S32)
    t, anything = kernel.special("tid.x"), kernel.generic("*p", S32)
    first = kernel.address(array)
    kernel.store(anything, kernel.at(first, t, 4), t)
    if wait:
        kernel.builder.barrier(SPAN)
    kernel.store(out, t, kernel.load(anything, kernel.at(first, kernel.do(Opcode.ADD, S32, t, 1), 4)))
    return kernel


@pytest.mark.parametrize("wait", [False, True])
@pytest.mark.parametrize("space", ["global", "shared"])
def test_races_through_addresses(independent, space, wait):
    if space == "global":
        kernel = through_an_address(lambda k: k.pointer("x", S32), wait)
        found = checked("racecheck", kernel, np.zeros(33, np.int32), np.zeros(33, np.int32))
    else:
        kernel = through_an_address(lambda k: k.array("x", S32, (33,)), wait)
        found = checked("racecheck", kernel, np.zeros(33, np.int32))
    assert [one.hazard for one in found] == ([] if wait else ["RAW"])
    for one in found:
        assert (one.place, one.count) == (f"{space} x[1]", 31)


def test_a_race_between_a_name_and_an_address(machine):
    kernel = Kernel()
    x = kernel.pointer("x", S32)
    t = kernel.special("tid.x")
    kernel.store(kernel.generic("*p", F64), kernel.address(x), 1.0)
    kernel.store(x, 1, t)
    found = checked("racecheck", kernel, np.zeros(2, np.int32), threads=1, blocks=2)
    assert {one.hazard for one in found} == {"WAW"}


def test_lanes_that_go_to_several_allocations(machine):
    """Even lanes write to one allocation, odd ones to another; each two lanes write the same number."""
    one, other = (cuda.device_array(16, np.float32) for _ in range(2))
    first = [array.gpu_data.address for array in (one, other)]
    addresses = np.array([first[t % 2] + 4 * (t // 4) for t in range(32)], np.uint64)
    kernel = Kernel()
    p, out = kernel.pointer("p", U64), kernel.pointer("out")
    t, anything = kernel.special("tid.x"), kernel.generic("*p", F32)
    address = kernel.load(p, t)
    kernel.store(anything, address, kernel.convert(t, F32))
    kernel.store(out, t, kernel.load(anything, kernel.at(address, 8, 4)))
    out = np.zeros(32, np.float32)
    (found,) = checked("initcheck", kernel, addresses, out)
    assert (found.hazard, found.count) == ("uninitialized read", 32)
    assert found.place.startswith("global device memory[32]")
    assert one.gpu_data.written[:32].all()
    assert not one.gpu_data.written[32:].any()
    (found,) = checked("racecheck", kernel, addresses, out)
    assert (found.hazard, found.count) == ("WAW", 16)


def test_local_memory_through_its_address(machine):
    kernel = Kernel()
    out = kernel.pointer("out", S32)
    own = kernel.array("own", S32, (2,), Space.LOCAL)
    t, anything = kernel.special("tid.x"), kernel.generic("*p", S32)
    kernel.store(own, kernel.do(Opcode.AND, S32, t, 1), t)
    kernel.store(out, t, kernel.load(anything, kernel.address(own)))
    (found,) = checked("initcheck", kernel, np.zeros(32, np.int32))
    assert (found.place, found.count) == ("local own[0]", 16)


@pytest.mark.parametrize("index", [40, -1])
def test_out_of_bounds_is_memchecks(machine, index):
    kernel = Kernel()
    x = kernel.pointer("x")
    kernel.store(x, index, 1.0)
    (found,) = checked("memcheck", kernel, np.zeros(40, np.float32))
    assert (found.tool, found.hazard, found.place) == ("memcheck", "out of bounds", "x")
