"""What do the names of `cuda` say of themselves to who asks for help?"""

from __future__ import annotations

import pydoc

import pytest

from gpusim import cuda, devices


def test_help_and_repr_say_what_a_function_does():
    shown = pydoc.plaintext.document(cuda.syncthreads)
    assert "cuda.syncthreads()" in shown
    assert "Wait for all threads of the block" in shown
    assert repr(cuda.grid) == "<cuda.grid(ndim), for kernels>"
    assert "no other thread comes in between" in cuda.atomic.add.__doc__
    assert repr(cuda.threadIdx.x) == "<tid.x, for kernels>"
    assert "cuda.atomic.sub(array, index, value)" in pydoc.plaintext.document(cuda.atomic)
    assert repr(cuda.atomic).startswith("<add, sub, ")
    assert repr(devices.get("H200")) == (
        "<device H200: Hopper, compute capability 9.0, 132 multiprocessors, warps of 32 lanes>"
    )


def test_dir_has_the_names_that_a_reader_may_use():
    assert {"grid", "threadIdx", "jit", "float32x4"} <= set(dir(cuda))
    assert "annotations" not in dir(cuda)


def test_a_misspelt_name_is_answered_with_close_ones():
    with pytest.raises(AttributeError, match=r"gpusim.cuda has no 'gird'; did you mean `grid`\?"):
        _ = cuda.gird
    with pytest.raises(AttributeError, match=r"no 'X' among <x, y, z: for kernels>; did you mean `x`\?"):
        _ = cuda.threadIdx.X
