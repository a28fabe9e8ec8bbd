"""Is device memory apart from the host's, and do device arrays behave as Numba's?"""

from __future__ import annotations

import gc
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import ArrayError, LaunchError, NotOffered, UseAfterFree
from gpusim.machine.memory.address_space import GLOBAL_BASE, AddressSpace
from gpusim.runtime import settings
from tests.observing import EveryGrid

OBJECT = object()


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


def free_bytes():
    return cuda.current_context().get_memory_info().free


def test_neither_side_sees_what_the_other_writes_before_it_is_copied(machine):
    host = np.arange(100.0)
    device = cuda.to_device(host)
    double[4, 32](device)
    assert (host == np.arange(100)).all()
    host[:] = -1
    assert (device.copy_to_host() == 2 * np.arange(100)).all()
    device.copy_to_device(host)
    device.copy_to_host(host[::-1][::-1])
    assert (host == -1).all()


def test_a_copy_is_nobody_elses():
    device = cuda.to_device(np.zeros(3))
    device.copy_to_host()[:] = 7
    np.asarray(device)[:] = 7
    assert device.copy_to_host().tolist() == [0, 0, 0]


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_order_is_kept(order):
    host = np.asarray(np.arange(12, dtype=np.int64).reshape(3, 4), order=order)
    device = cuda.to_device(host)
    assert (device.shape, device.strides, device.dtype, device.ndim) == ((3, 4), host.strides, host.dtype, 2)
    assert (device.size, device.nbytes, device.alloc_size, len(device)) == (12, 96, 96, 3)
    assert (device.is_c_contiguous(), device.is_f_contiguous()) == (order == "C", order == "F")
    assert device.flags == {"C_CONTIGUOUS": order == "C", "F_CONTIGUOUS": order == "F"}
    copied = device.copy_to_host()
    assert (copied == host).all()
    assert copied.strides == host.strides


@pytest.mark.parametrize("given", [3, 2.5, np.float32(1), [[1, 2], [3, 4]], np.zeros(0), np.zeros((2, 0))])
def test_anything_that_makes_an_array_goes_to_the_device(given):
    assert (cuda.to_device(given).copy_to_host() == np.asarray(given)).all()


def test_a_broadcast_array_takes_the_memory_of_its_rows():
    host = np.broadcast_to(np.arange(4.0), (3, 4))
    device = cuda.to_device(host)
    assert (device.strides, device.alloc_size) == ((0, 8), 32)
    assert (device.copy_to_host() == host).all()


def test_to_device_into_an_array_and_without_a_copy():
    device = cuda.device_array(3)
    assert cuda.to_device(np.ones(3), to=device) is device
    assert device.copy_to_host().tolist() == [1, 1, 1]
    assert cuda.to_device(device) is device
    assert np.isnan(cuda.to_device(np.ones(3), copy=False).copy_to_host()).all()


def test_memory_that_nobody_wrote_to_reads_as_nan_or_minus_one():
    assert np.isnan(cuda.device_array((2, 3)).copy_to_host()).all()
    assert (cuda.device_array(4, np.int32).copy_to_host() == -1).all()


def test_device_array_like():
    like = cuda.device_array_like(np.zeros((3, 4), np.float32, order="F"))
    assert (like.shape, like.strides, like.dtype) == ((3, 4), (4, 12), np.float32)
    assert cuda.device_array_like(like).strides == (4, 12)
    assert cuda.device_array((2, 3), np.int8, order="F").strides == (1, 2)
    assert cuda.device_array(3, np.int8, strides=2).alloc_size == 5


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda: cuda.to_device(np.arange(10)[::2]), "not one piece of memory"),
        (lambda: cuda.to_device(np.array([OBJECT])), "Python objects"),
        (lambda: cuda.to_device([OBJECT], copy=False), "Python objects"),
        (lambda: cuda.device_array(3, object), "Python objects"),
        (lambda: cuda.device_array(3, np.dtype([("n", int), ("o", "O")])), "Python objects"),
        (lambda: cuda.device_array_like(np.array([OBJECT])), "Python objects"),
        (lambda: cuda.mapped_array(3, object), "Python objects"),
        (lambda: cuda.managed_array(3, object), "Python objects"),
        (lambda: cuda.pinned_array(3, object), "Python objects"),
        (lambda: cuda.pinned_array_like(np.array([OBJECT])), "Python objects"),
        (lambda: cuda.device_array(3, strides=-8), "a number of bytes for each axis, .* not -8"),
        (lambda: cuda.device_array((2, 3), strides=8), "a number of bytes for each axis"),
        (lambda: cuda.device_array(3, strides=8.5), "a number of bytes for each axis"),
        (lambda: cuda.device_array(-1), "a shape is a whole number or a tuple of them, not -1"),
        (lambda: cuda.device_array(2.5), "a shape is a whole number"),
        (lambda: cuda.device_array(2, order="Z"), "the order of an array is 'C' or 'F', not 'Z'"),
        (lambda: cuda.to_device(np.zeros(3)).copy_to_device(np.zeros(4)), r"shape \(4,\) does not fit"),
        (lambda: cuda.to_device(np.zeros(3)).copy_to_device(np.zeros(3, np.int8)), "int8 does not fit"),
        (
            lambda: cuda.to_device(np.zeros(3)).copy_to_host(np.zeros(3, np.uint8)),
            "has type float64, .* uint8",
        ),
        (lambda: cuda.to_device(np.zeros(3)).copy_to_host(np.zeros(4)), r"has shape \(3,\), .* \(4,\)"),
        (lambda: cuda.to_device(np.zeros(3)).copy_to_host(np.zeros(6)[::2]), r"strides \(8,\), .* \(16,\)"),
        (lambda: cuda.to_device(np.zeros(3))[::-1].copy_to_host(), "must not be negative"),
        (lambda: cuda.to_device(np.zeros(3))[[0, 1]], r"whole numbers, slices and `...` .*, not \[0, 1\]"),
        (lambda: cuda.to_device(np.zeros((2, 3)))[:, ::2].ravel(), "its elements in another order"),
        (lambda: cuda.to_device(np.zeros((2, 3, 4))).T, "3 dimensions are not transposed"),
        (lambda: list(cuda.to_device(np.zeros(6))[::2].split(2)), "only a contiguous array"),
        (lambda: cuda.to_device(np.zeros(6)).split(0), "sections of one element or more, not 0"),
        (lambda: cuda.to_device(np.zeros(6)).split(1.5), "sections of one element or more, not 1.5"),
        (lambda: cuda.to_device(np.zeros(3)).setitem(0, np.zeros(2)), "1 dimensions do not fit into 0"),
        (lambda: cuda.as_cuda_array(np.zeros(3)), "a ndarray is not in device memory"),
        (lambda: np.asarray(cuda.to_device(np.zeros(3)), copy=False), "without a copy"),
    ],
)
def test_what_does_not_fit_is_refused(action, message):
    with pytest.raises(ArrayError, match=message):
        action()


def test_slices_are_views_and_elements_are_copied():
    device = cuda.to_device(np.arange(12, dtype=np.int64).reshape(3, 4))
    assert device[1, 2] == 6
    assert isinstance(device[1, 2], np.int64)
    assert device[-1].copy_to_host().tolist() == [8, 9, 10, 11]
    assert device[1:, ::2].copy_to_host().tolist() == [[4, 6], [8, 10]]
    assert device[..., 0].copy_to_host().tolist() == [0, 4, 8]
    double[1, 32](device[1])
    assert device.copy_to_host()[1].tolist() == [8, 10, 12, 14]
    device[0] = 5
    device[1:, 0] = [1, 2]
    device[2, 3] = 9
    device[0, 1:3] = cuda.to_device(np.array([6, 7], np.int64))
    assert device.copy_to_host().tolist() == [[5, 6, 7, 5], [1, 10, 12, 14], [2, 9, 10, 9]]
    with pytest.raises(IndexError):
        device[3]
    assert [row.copy_to_host()[0] for row in device] == [5, 1, 2]


def test_other_views():
    device = cuda.to_device(np.arange(12, dtype=np.int32))
    assert device.reshape(3, 4)[2, 3] == 11
    assert device.reshape((2, 6), order="F").copy_to_host()[0].tolist() == [0, 2, 4, 6, 8, 10]
    assert device.reshape(3, -1).ravel().shape == (12,)
    assert device.view(np.int16).shape == (24,)
    assert device.reshape(1, 12, 1).squeeze().shape == (12,)
    assert [part.size for part in device.split(5)] == [5, 5, 2]
    assert all(part.gpu_data is device.gpu_data for part in (device.reshape(3, 4), *device.split(4)))
    stream = cuda.stream()
    assert device.bind(stream).stream is stream


def test_a_transposed_array_is_new_memory():
    device = cuda.to_device(np.arange(6).reshape(2, 3))
    turned = device.T
    turned[0, 1] = 100
    assert turned.copy_to_host().tolist() == [[0, 100], [1, 4], [2, 5]]
    assert device[1, 0] == 3
    assert device.transpose((0, 1)) is device


def test_a_representation_shows_no_address():
    assert repr(cuda.device_array((2, 3), np.int8)) == "DeviceNDArray(shape=(2, 3), dtype=int8)"


def test_a_view_has_the_address_of_its_first_element():
    device = cuda.to_device(np.zeros((4, 4), np.float32))
    first = device.device_ctypes_pointer.value
    assert first % 256 == 0
    assert device[1:, 2].device_ctypes_pointer.value == first + 4 * (4 + 2)


def test_no_other_library_takes_it_for_an_array_of_a_real_gpu():
    device = cuda.to_device(np.zeros(3))
    assert not hasattr(device, "__cuda_array_interface__")
    assert cuda.is_cuda_array(device)
    assert not cuda.is_cuda_array(np.zeros(3))
    assert cuda.as_cuda_array(device) is device


# Addresses and lifetime.


def test_arrays_lie_apart_at_multiples_of_256_bytes():
    arrays = [cuda.device_array(n, np.int8) for n in (1, 256, 257)]
    addresses = [array.gpu_data.address for array in arrays]
    assert all(address % 256 == 0 for address in addresses)
    assert addresses[1] - addresses[0] >= 256
    assert addresses[2] - addresses[1] >= 256


def test_threads_that_take_memory_at_once_get_different_addresses():
    memory, before = AddressSpace(), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads take turns every few instructions

    def take(_thread):
        return [memory.allocate(256, 2**20) for _ in range(50)]

    try:
        with ThreadPoolExecutor(8) as pool:
            taken = [allocation for some in pool.map(take, range(8)) for allocation in some]
    finally:
        sys.setswitchinterval(before)
    assert sorted(allocation.address - GLOBAL_BASE for allocation in taken) == [256 * n for n in range(400)]


def test_memory_is_given_back_when_its_last_view_is_gone():
    gc.collect()
    before = free_bytes()
    device = cuda.device_array(1000, np.int8)
    assert before - free_bytes() == 1024
    part = device[10:20]
    del device
    assert before - free_bytes() == 1024
    del part
    gc.collect()
    assert free_bytes() == before


def test_more_memory_than_the_device_has_is_refused():
    with gpusim.use("G80"), pytest.raises(LaunchError, match="of 805,306,368 are free"):
        cuda.device_array(2**30, np.int8)


def test_addresses_stay_from_launch_to_launch():
    class Addresses(EveryGrid):
        wants = frozenset({gpusim.events.MemoryAccess})

        def __init__(self):
            self.seen = []

        def observe(self, event):
            self.seen.append(int(event.addresses.flat[0]))

    observer = Addresses()
    device, other = cuda.to_device(np.zeros(64)), np.zeros(64)
    with gpusim.runtime.settings.during(gpusim.runtime.settings.changed(observer=observer)):
        double[1, 32](device[32:])
        double[1, 32](other)
        double[1, 32](device[32:])
    loads = observer.seen[::2]
    assert loads[0] == loads[2] == device.gpu_data.address + 32 * 8
    assert loads[1] > device.gpu_data.address + device.nbytes - 1


@pytest.mark.parametrize("how", ["free", "close", "mapped"])
def test_freed_memory_is_not_used(how, machine):
    host = np.zeros(40)
    device = cuda.to_device(host)
    if how == "free":
        device.gpu_data.free()
    elif how == "close":
        cuda.close()
    else:
        with cuda.mapped(host) as device:
            double[2, 32](device)
    with pytest.raises(UseAfterFree, match="uses 'x', whose memory was freed") as found:
        double[2, 32](device)
    assert (found.value.thread, found.value.block) == ((0, 0, 0), (0, 0, 0))
    for use in (device.copy_to_host, lambda: device[0], lambda: device.copy_to_device(host)):
        with pytest.raises(UseAfterFree, match="the memory of this device array was freed"):
            use()


def test_memory_is_freed_once():
    device = cuda.to_device(np.zeros(4))
    device.gpu_data.free()
    assert repr(device.gpu_data) == "<32 bytes of device memory, freed>"
    with pytest.raises(LaunchError, match="cannot be freed again"):
        device.gpu_data.free()


def test_it_is_known_which_bytes_were_ever_written():
    device = cuda.device_array((4, 4), np.int16)
    written = device.gpu_data.written
    assert not written.any()
    device[1, 1:3] = 5
    assert np.flatnonzero(written).tolist() == [10, 11, 12, 13]
    device[:, 0] = 1
    device[3][::-1][:1] = 1
    assert np.flatnonzero(written).tolist() == [0, 1, 8, 9, 10, 11, 12, 13, 16, 17, 24, 25, 30, 31]
    device[...] = 0
    assert device.gpu_data.written is None
    assert cuda.to_device(np.zeros(3)).gpu_data.written is None


def test_what_a_kernel_may_have_written_counts_as_written():
    @cuda.jit
    def copy(x, y):
        y[0] = x[0]

    source, target = cuda.device_array(4), cuda.device_array(4)
    copy[1, 1](source, target)
    assert target.gpu_data.written is None
    assert not source.gpu_data.written.any()
    assert settings.memory().holding(np.zeros(3)) is None


POINT = np.dtype(
    [("x", np.float32), ("tag", np.int64), ("row", np.int16, 3), ("at", [("u", "f8"), ("v", "f8")])]
)


def test_what_the_host_writes_through_a_record_is_kept():
    """As in Numba: d[3] is a record of the device, not a copy of it."""
    points = cuda.to_device(np.zeros((2, 5), POINT))
    record = points[1, 3]
    record["x"] = 1.5
    points[1, 3]["tag"] = 7
    record["row"][1:] = 4
    record["at"]["v"] = 2
    kept = points.copy_to_host()
    assert [str(kept[1, 3][name]) for name in POINT.names] == ["1.5", "7", "[0 4 4]", "(0.0, 2.0)"]
    assert np.count_nonzero(kept) == 1
    assert (record["x"], record["tag"], record["at"]["v"]) == (1.5, 7, 2)
    assert record.copy_to_host() == kept[1, 3]
    points[0, 0] = record
    assert points.copy_to_host()[0, 0] == kept[1, 3]
    points[0][0]["row"] = [1, 2, 3]
    assert points[0, 0]["row"].copy_to_host().tolist() == [1, 2, 3]
    assert cuda.to_device(np.array((2.5, 1), np.dtype("f4, i4")))[()]["f0"] == 2.5


def test_a_record_says_how_its_fields_are_written():
    record = cuda.to_device(np.zeros(3, POINT))[0]
    with pytest.raises(ArrayError, match=r"a record has no field 'y'; its fields are x, tag, row, at"):
        record["y"] = 1
    with pytest.raises(AttributeError, match=r"write record\['x'\] = …"):
        record.x = 1


def test_a_write_to_a_field_counts_for_its_bytes():
    points = cuda.device_array(3, np.dtype([("x", np.int16), ("y", np.int16)]))
    points[1]["y"] = 3
    assert np.flatnonzero(points.gpu_data.written).tolist() == [6, 7]


def test_fields_may_have_the_names_of_attributes():
    names = ("shape", "size", "ndim", "dtype", "strides", "nbytes", "x")
    host = np.array([tuple(range(7)), tuple(range(7, 14))], [(name, np.int32) for name in names])
    record = cuda.to_device(host)[1]
    assert [record[name] for name in names] == list(range(7, 14))
    record["size"] = 100
    assert record["size"] == 100
    assert (record.shape, record.size) == ((), 1)
    with pytest.raises(NotOffered, match=r"write record\['size'\] = …"):
        record.size = 5


def test_memory_is_the_lowest_that_is_free_however_much_there_is():
    """Against a search of all gaps, with allocations that are freed, and such as nobody has any more."""
    random, space, held = np.random.default_rng(3), AddressSpace(), []
    for turn in range(600):
        if held and random.random() < 0.45:
            allocation = held.pop(random.integers(len(held)))
            if turn % 2:
                allocation.free()
            del allocation
        units = int(random.integers(1, 5))
        taken = sorted((one.address, one.address + len(one.data)) for one in held)
        address = GLOBAL_BASE
        for begin, end in taken:
            if begin - address >= 256 * units:
                break
            address = end
        held.append(space.adopt(np.zeros(256 * units, np.uint8)))
        assert held[-1].address == address
        assert space.end == max(end for _, end in [*taken, (0, address + 256 * units)])
        assert space.bytes_in_use == sum(len(one.data) for one in held)


def test_ten_thousand_arrays_take_no_longer_each_than_one():
    def seconds():
        start = time.perf_counter()
        arrays.extend(cuda.device_array(1, np.uint8) for _ in range(500))
        return time.perf_counter() - start

    arrays = []
    first = min(seconds() for _ in range(2))
    arrays.extend(cuda.device_array(1, np.uint8) for _ in range(10_000))
    assert min(seconds() for _ in range(5)) < 10 * first
