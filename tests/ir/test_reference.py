"""What does the definition of the IR say? Small kernels whose results can be worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from gpusim.ir import reference
from gpusim.ir.details import Message, Part, Received
from gpusim.ir.instructions import Constant, Opcode
from gpusim.ir.types import B64, F32, PRED, S32, S64, U32, U64, Space
from tests.from_text import define
from tests.ir.handmade import SPAN
from tests.machine.by_hand import Kernel


def left_by(text, grid, block, *arguments, **how):
    """Compile a kernel of Python, let threads run it one at a time, and count what they executed."""
    function = define(f"@cuda.jit\ndef kernel({text}").compiled(*arguments)
    return reference.run(function, (grid, 1, 1), (block, 1, 1), arguments, **how)


def test_threads_run_one_after_the_other_and_count_their_instructions():
    x = np.zeros(6, np.int32)
    lines = left_by("x):\n    i = cuda.grid(1)\n    if i < 5:\n        x[i] = i * i\n", 2, 3, x)
    assert x.tolist() == [0, 1, 4, 9, 16, 0]
    assert lines[5] % 5 == 0  # five of six threads came to line 5
    assert lines[4] % 6 == 0


def test_a_block_waits_at_its_barrier():
    x = np.arange(4)
    body = "x):\n    t = cuda.shared.array(2, np.int64)\n    i = cuda.grid(1)\n    j = cuda.threadIdx.x\n"
    left_by(f"{body}    t[j] = x[i]\n    cuda.syncthreads()\n    x[i] = t[1 - j]\n", 2, 2, x)
    assert x.tolist() == [1, 0, 3, 2]


def test_a_grid_waits_at_its_barrier():
    x = np.arange(3)
    text = "x):\n    i = cuda.grid(1)\n    v = x[(i + 1) % 3]\n    cuda.cg.this_grid().sync()\n    x[i] = v\n"
    left_by(text, 3, 1, x)
    assert x.tolist() == [1, 2, 0]


def test_what_threads_vote_at_a_barrier():
    x = np.zeros(3, np.int32)
    left_by("x):\n    x[cuda.threadIdx.x] = cuda.syncthreads_count(cuda.threadIdx.x > 0)\n", 1, 3, x)
    assert x.tolist() == [2, 2, 2]


def test_lanes_that_name_each_other_exchange():
    x = np.arange(33, dtype=np.int32)
    left_by("x):\n    i = cuda.grid(1)\n    x[i] = cuda.shfl_down_sync(-1, x[i], 1)\n", 1, 33, x)
    assert x.tolist() == [
        *range(1, 32),
        31,
        0,
    ]  # lane 31 keeps its own; lane 0 of warp 1 asks who is not there


def test_who_waits_for_nobody_is_an_error():
    x = np.zeros(2)
    text = "x):\n    if cuda.threadIdx.x:\n        cuda.syncthreads()\n    else:\n        cuda.syncwarp(3)\n"
    with pytest.raises(AssertionError, match="wait for ever"):
        left_by(text, 1, 2, x)


def test_an_atomic_gives_what_was_there_before():
    x, total = np.zeros(3, np.int32), np.full(1, 10, np.int32)
    left_by("x, t):\n    i = cuda.grid(1)\n    x[i] = cuda.atomic.add(t, 0, i + 1)\n", 1, 3, x, total)
    assert (x.tolist(), total.tolist()) == ([10, 11, 13], [16])


def test_indices_of_python_count_from_the_end_and_leave_no_array():
    x = np.arange(6.0)
    left_by("x):\n    x[-1] = x[::-2][-1]\n    x[2:][0] = 7\n", 1, 1, x)
    assert x.tolist() == [0, 1, 7, 3, 4, 1]
    with pytest.raises(IndexError):
        left_by("x, i):\n    x[i] = 1\n", 1, 1, x, 6)


def test_the_fields_of_a_record_lie_behind_each_other():
    x = np.zeros(2, np.dtype([("u", np.int8), ("v", np.float32)], align=True))
    left_by("x):\n    x[1].v = 1.5\n    x[0].u = -1\n", 1, 1, x)
    assert x.tolist() == [(-1, 0), (0, 1.5)]


def test_dynamic_shared_memory_comes_behind_what_the_kernel_declares():
    x = np.zeros(1, np.int64)
    text = "x):\n    a = cuda.shared.array(1, np.int8)\n    d = cuda.shared.array(0, np.int32)\n"
    left_by(
        f"{text}    a[0] = 1\n    d[d.size - 1] = 7\n    x[0] = d[3] + a[0]\n",
        1,
        1,
        x,
        dynamic_shared_bytes=16,
    )
    assert x.tolist() == [8]


# What C++ alone needs.


def run(kernel, threads, *arguments):
    return reference.run(kernel.function(), (1, 1, 1), (threads, 1, 1), arguments)


def test_a_pointer_goes_where_its_bytes_are():
    """`tile[0][5]` of 2 by 4 is `tile[1][1]`; `&x[0]` is an address like another, 4 bytes an element."""
    kernel = Kernel()
    x, tile = kernel.pointer("x"), kernel.array("tile", F32, (2, 4))
    kernel.store(tile, 0, 5, 2.5)
    there = kernel.at(kernel.address(x), 1, 4)
    kernel.store(kernel.generic("p", F32), there, kernel.load(tile, 1, 1))
    kernel.store(kernel.part(x, F32, 1), 2, 4, 4, kernel.load(kernel.generic("p", F32), there))
    values = np.zeros(4, np.float32)
    run(kernel, 1, values)
    assert values.tolist() == [0, 2.5, 0, 2.5]


def test_nothing_lies_where_no_array_is():
    kernel = Kernel()
    kernel.pointer("x")
    kernel.store(kernel.generic("p", F32), kernel.do(Opcode.MOVE, U64, 64), 1.0)
    with pytest.raises(IndexError, match="nothing is at address 0x40"):
        run(kernel, 1, np.zeros(4, np.float32))


def test_bits_are_packed_and_taken_apart():
    kernel = Kernel()
    x = kernel.pointer("x", U32)
    both = kernel.do(Opcode.PACK, B64, Constant(1, S32), Constant(1.0, F32))
    for place in range(2):
        kernel.store(x, place, kernel.do(Opcode.PART, U32, both, detail=Part(4 * place)))
    values = np.zeros(2, np.uint32)
    run(kernel, 1, values)
    assert values.tolist() == [1, 0x3F80_0000]


def test_a_reduction_combines_what_lanes_bring():
    kernel = Kernel()
    x = kernel.pointer("x", S32)
    i = kernel.thread()
    kernel.builder.exchange(Opcode.REDUCE_MIN, (Constant(0b111, U32), kernel.load(x, i)), SPAN)
    kernel.store(x, i, kernel.builder.value(Opcode.RECEIVE, S32, (), SPAN, detail=Received.VALUE))
    values = np.array([5, -3, 4], np.int32)
    run(kernel, 3, values)
    assert values.tolist() == [-3, -3, -3]


def test_a_trap_ends_it():
    kernel = Kernel()
    kernel.builder.effect(Opcode.TRAP, PRED, (), SPAN, Message("no way"))
    with pytest.raises(RuntimeError, match="no way"):
        run(kernel, 1)


def test_each_thread_has_its_own_local_memory():
    kernel = Kernel()
    x, own = kernel.pointer("x", S64), kernel.array("own", S64, (1,), Space.LOCAL)
    i = kernel.convert(kernel.thread(), S64)
    kernel.store(own, 0, kernel.do(Opcode.ADD, S64, kernel.load(own, 0), i))
    kernel.store(x, i, kernel.load(own, 0))
    values = np.zeros(3, np.int64)
    run(kernel, 3, values)
    assert values.tolist() == [0, 1, 2]
