"""The helpers of "Memory across launches": what they answer, and that they tell nothing too early."""

from __future__ import annotations

import gc
from types import SimpleNamespace

import numpy as np

import gpusim
from course import bezier, chapters, launch_mistakes, memory_across_launches
from gpusim import cuda, cudart


@cuda.jit
def increase(data):
    data[cuda.threadIdx.x] += 1


@cuda.jit
def parent(data, seen, first, second):
    t = cuda.threadIdx.x
    data[t] = t
    if first:
        cuda.syncthreads()
    if t == 0:
        increase[1, data.size](data)
        cudart.cudaDeviceSynchronize()
    if second:
        cuda.syncthreads()
    seen[t] = data[t]


def test_the_first_question_is_not_answered_above_it(capsys):
    """A report of racecheck that nobody looks at is printed: it named the elements that were asked for."""
    certain, orders, wrong = memory_across_launches.certain_for_the_child(parent)
    gc.collect()
    assert capsys.readouterr().out == ""
    assert (certain, 0 < wrong < orders) == (0b1, True)


def test_one_of_three_readers_is_certain_to_see_what_a_child_wrote():
    assert launch_mistakes.certain_readers() == 1


def test_the_missing_barrier_is_right_in_the_usual_order_and_wrong_in_many_others():
    """The page says that right values prove nothing, and that a test meets the mistake by luck."""
    out = np.full(8, -1, np.int32)
    with gpusim.use("H200"):
        launch_mistakes.no_barrier[1, 8](np.full(8, -1, np.int32), out)
    assert out.tolist() == [*range(1, 9)]
    orders, wrong = launch_mistakes.tried(launch_mistakes.no_barrier)
    assert 0.1 < wrong / orders < 0.9


def test_a_tail_grid_sees_what_every_thread_of_its_parent_wrote_without_a_barrier():
    arguments = np.full(64, -1, np.int32), np.full(64, -1, np.int32)
    found = gpusim.explore_schedules(tail_then_write[2, 32], *arguments, device="H200", schedules=8)
    assert [one.arguments["seen"].tolist() for one in found.outcomes] == [[*range(64)]]


@cuda.jit
def look(data, seen):
    seen[cuda.grid(1)] = data[cuda.grid(1)]


@cuda.jit
def tail_then_write(data, seen):
    i = cuda.grid(1)
    if i == 0:
        look[cuda.gridDim.x, cuda.blockDim.x, cudart.cudaStreamTailLaunch](data, seen)
    data[i] = i


def test_a_copy_from_a_threads_own_memory_is_refused_under_both_runtimes():
    told = memory_across_launches.told_of_copies()
    assert told == "the address of local memory for 'source': only its thread sees that, to cudaMemcpyAsync"


def drawing_kernels():
    """The chapter's `flat`, `by_pool`, and `by_heap`, whose cell is of one language."""
    cpp = chapters.Kernels("memory-across-launches").cpp
    page = (chapters.BOOK / "memory-across-launches.md").read_text(encoding="utf-8")
    (cell,) = (cell for cell in chapters.CELL.findall(page) if "void by_heap" in cell)
    course = f"-I{chapters.BOOK / 'course'}"
    heap = gpusim.RawModule(code=cell.partition("-Icourse\n")[2], options=(course,))
    by_heap, give_back = map(heap.get_function, ("by_heap", "give_back"))
    return SimpleNamespace(flat=cpp.flat, by_pool=cpp.by_pool, by_heap=by_heap, give_back=give_back)


def test_the_heaps_curves_take_longer_than_the_pools_whatever_was_given_back_before():
    """Rooms that others had given back were searched, by one lane apart, and the pool came out slower."""
    cpp = drawing_kernels()
    first, again = (bezier.modelled(bezier.ways(cpp)) for _ in range(2))
    assert first == again
    assert abs(sum(int(first[name]) for name in ("first", "chain", "rest")) - float(first["pool_micros"])) < 1
    assert int(first["heap_instructions"]) > 0
    assert float(first["heap_more"]) > 0
