"""Which memory do host and device share?"""

from __future__ import annotations

import gc

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import ArrayError, LaunchError
from gpusim.runtime import settings


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


def free_bytes():
    return cuda.current_context().get_memory_info().free


@pytest.mark.parametrize(
    "make",
    [
        lambda: cuda.mapped_array(4, np.int32),
        lambda: cuda.mapped_array_like(np.zeros(4, np.int32)),
        lambda: cuda.managed_array(4, np.int32),
    ],
)
def test_mapped_and_managed_memory_is_seen_by_both_sides(make):
    shared = make()
    assert (shared == -1).all()
    shared[:] = 3
    double[1, 32](shared)
    assert shared.tolist() == [6] * 4
    assert cuda.is_cuda_array(shared)
    assert cuda.is_cuda_array(shared[1:])
    assert cuda.as_cuda_array(shared)[1:].copy_to_host().tolist() == [6] * 3
    assert not cuda.is_cuda_array(shared + 1), "a result is memory of the host"
    double[1, 32](shared[2:])
    assert shared.tolist() == [6, 6, 12, 12]


@pytest.mark.parametrize("make", [cuda.mapped_array, cuda.managed_array, cuda.pinned_array])
def test_arithmetic_is_numpys(make):
    x = make(4, np.int64)
    x[:] = 7
    same = x
    x += 1
    assert x is same
    assert (type(x * 2), (x * 2).tolist(), int(x.sum())) == (np.ndarray, [16] * 4, 32)
    remainder = np.empty(4, np.int64)
    quotient, also = np.divmod(x, 3, out=(None, remainder))
    assert (quotient.tolist(), also is remainder, remainder.tolist()) == ([2] * 4, True, [2] * 4)
    np.add.at(x, [0, 0], 1)
    assert (x[0], x[[0, 1]].tolist(), x[x > 8].tolist()) == (10, [10, 8], [10])
    np.copyto(x, 3)
    assert np.array_equal(x, np.full(4, 3))
    assert not isinstance(np.asarray(x), type(x))


def test_shared_memory_is_given_back():
    before = free_bytes()
    shared = cuda.managed_array(100)
    part = shared[50:]
    del shared
    assert free_bytes() < before
    del part
    assert free_bytes() == before


def test_pinned_memory_is_memory_of_the_host():
    before = free_bytes()
    pinned = cuda.pinned_array((2, 3), np.float32, order="F")
    assert isinstance(pinned, np.ndarray)
    assert repr(pinned) == repr(np.asarray(pinned))
    assert pinned.flags.f_contiguous
    assert np.isnan(pinned).all()
    assert cuda.pinned_array_like(pinned).strides == pinned.strides
    assert free_bytes() == before
    with cuda.pinned(pinned, np.zeros(3)):
        device = cuda.to_device(pinned, stream=cuda.stream())
    assert device.shape == (2, 3)


def test_arrays_are_mapped_for_a_while():
    x, y = np.ones(4), np.ones((2, 2), order="F")
    before = free_bytes()
    with cuda.mapped(x, y, stream=cuda.stream()) as (on_device, also):
        assert before - free_bytes() == 512
        double[1, 32](on_device)
        double[1, 32](also.ravel(order="F"))
        assert (on_device.gpu_data.address % 256, also.gpu_data.address % 256) == (0, 0)
    assert x.tolist() == [2] * 4
    assert y.tolist() == [[2, 2], [2, 2]]
    assert free_bytes() == before


def test_what_is_not_one_piece_of_memory_is_not_pinned():
    for given in (np.zeros(8)[::2], [1, 2]):
        with pytest.raises(ArrayError, match="only a contiguous NumPy array"), cuda.pinned(given):
            pass
        with pytest.raises(ArrayError, match="only a contiguous NumPy array"), cuda.mapped(given):
            pass


def test_pinned_memory_is_the_hosts():
    """The device may be full: 128 bytes are pinned where 100 are free."""
    with pytest.MonkeyPatch.context() as patch:
        memory = settings.memory()
        patch.setattr(memory, "allocate", lambda *_: pytest.fail("device memory was taken"))
        assert cuda.pinned_array(16).nbytes == cuda.pinned_array_like(np.zeros(16)).nbytes == 128
        assert cuda.pinned_array_like(np.zeros((2, 3)).T).strides == (8, 24)
        assert cuda.pinned_array((2, 0)).size == 0


def test_memory_that_is_not_mapped_after_all_is_given_back():
    before = free_bytes()
    with pytest.raises(LaunchError, match="a stream is"), cuda.mapped(np.zeros(100), stream="wrong"):
        pass
    with pytest.raises(ArrayError), cuda.mapped(np.zeros(100), np.zeros(8)[::2]):
        pass
    gc.collect()
    assert free_bytes() == before


def test_where_may_be_memory_that_is_watched():
    mask = cuda.pinned_array(4, np.bool_)
    mask[:] = [True, False, True, False]
    assert np.add(np.ones(4), 1, where=mask, out=np.zeros(4)).tolist() == [2, 0, 2, 0]


@pytest.mark.parametrize("array", [cuda.mapped_array, cuda.managed_array])
def test_what_the_host_writes_by_itself_has_been_written(array):
    """However it does: NumPy's own functions tell nobody."""

    @cuda.jit
    def doubled(x, y):
        y[cuda.threadIdx.x] = 2 * x[cuda.threadIdx.x]

    x, y = array(32), array(32)
    np.asarray(x)[:] = 3
    with gpusim.sanitize("initcheck") as report:
        doubled[1, 32](x, y)
    assert report.clean, report
    assert (y == 6).all()
