"""Do threads that share a barrier of their own wait for each other, and for nobody else?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim.errors import BarrierMisused, Deadlock
from gpusim.events import NamedBarrierUsed
from gpusim.ir import reference
from gpusim.runtime import settings
from tests.observing import EveryGrid

SCHEDULES = [None, "serial", 1, 2, 11]
TEXT = r"""
#define OWN (1ull << 50)  // a number that no program has, as a cuda::barrier's address is
extern "C" __global__ void rotate(int* out, int tile, int rounds) {  // within each tile, round after round
  extern __shared__ int s[];
  int t = threadIdx.x, k = t / tile;
  s[t] = t;
  for (int round = 0; round < rounds + k; round++) {
    __barrier_sync_count(k, tile);
    int next = s[k * tile + (t + 1) % tile];
    asm volatile("bar.sync %0, %1;" :: "r"(k), "r"(tile));
    s[t] = next;
  }
  out[blockIdx.x * blockDim.x + t] = s[t];
}
extern "C" __global__ void pipe(int* out, int n) {  // one warp makes what another uses
  __shared__ int s[64];
  int t = threadIdx.x, warps = blockDim.x / 2;
  for (int i = 0; i < n; i++) {
    if (t < warps) {
      asm volatile("bar.sync 2, %0;" :: "r"(blockDim.x));
      s[t] = i * 100 + t;
      asm volatile("bar.arrive 1, %0;" :: "r"(blockDim.x));
    } else {
      asm volatile("bar.arrive 2, %0;" :: "r"(blockDim.x));
      asm volatile("bar.sync 1, %0;" :: "r"(blockDim.x));
      out[i * warps + t - warps] = s[t - warps];
    }
  }
}
extern "C" __global__ void tokens(int* out) {  // come, do something else, and wait
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = t;
  __gpusim_barrier_arrive(7, 0);
  out[t] = 1000;
  __gpusim_barrier_wait(7);
  out[t] += s[blockDim.x - 1 - t];
}
extern "C" __global__ void waits_twice(int* out) {
  __gpusim_barrier_arrive(7, 0);
  __gpusim_barrier_wait(7);
  __gpusim_barrier_wait(7);
}
extern "C" __global__ void some_leave(int* out) {
  if (threadIdx.x >= 40) return;
  __barrier_sync(3);
  out[threadIdx.x] = 1;
}
extern "C" __global__ void not_all_come(int* out) {
  if (threadIdx.x < blockDim.x / 2) __barrier_sync_count(3, blockDim.x);
}
extern "C" __global__ void too_many(int* out) { __gpusim_barrier_sync(OWN, 16); }
extern "C" __global__ void no_whole_warps(int* out) { __barrier_sync_count(3, warpSize + 16); }
extern "C" __global__ void parted(int* out) {  // 16 lanes of a warp at one barrier, the others at another
  bool few = threadIdx.x < 16;
  __gpusim_barrier_sync(OWN + few, few ? 16 : blockDim.x - 16);
  out[threadIdx.x] = 1;
}
extern "C" __global__ void counts_apart(int* out) { __gpusim_barrier_sync(OWN, threadIdx.x + 1); }
extern "C" __global__ void number_0(int* out) {
  if (threadIdx.x < warpSize) __syncthreads();
  else __barrier_sync(0);
  out[threadIdx.x] = 1;
}
extern "C" __global__ void come_and_leave(int* out) {  // who has left counts as having come
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = 7;
  __gpusim_barrier_arrive(3, 0);
  if (t < warpSize) return;
  __gpusim_barrier_wait(3);
  out[t] = s[blockDim.x - 1] + s[t - warpSize];
}
extern "C" __global__ void leave_first(int* out) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = 7;
  if (t >= blockDim.x / 2) return;
  __barrier_sync(3);
  out[t] = s[t + blockDim.x / 2];
}
extern "C" __global__ void arrive_and_leave(int* out) {
  if (threadIdx.x / warpSize == 1) {
    asm volatile("barrier.arrive 1, 256;");
    return;
  }
  __syncthreads();
  out[threadIdx.x] = 1;
}
extern "C" __global__ void drop_out(int* out) {  // warp by warp; the last counts who is left
  __shared__ int s[256];
  int t = threadIdx.x, warp = t / warpSize, warps = blockDim.x / warpSize;
  for (int round = 0; round < warps; round++) {
    s[t] = round;
    if (warp == round && warp < warps - 1) {
      __gpusim_barrier_drop(OWN, blockDim.x);
      return;
    }
    __gpusim_barrier_sync(OWN, blockDim.x);
    if (warp == warps - 1)
      for (int other = 0; other < warps; other++) out[t] += s[other * warpSize] == round;
    __gpusim_barrier_sync(OWN, blockDim.x);
  }
}
extern "C" __global__ void number(int* out, int number) { __barrier_sync(number); }
extern "C" __global__ void pairs_of_warps(int* out) {
  __barrier_sync_count(3, 2 * warpSize);  // whichever two come
  out[threadIdx.x] = 1;
}
"""


@pytest.fixture(scope="module")
def module():
    return gpusim.RawModule(code=TEXT)


def launch(module, name, out, threads, *arguments, blocks=1, **how):
    module.get_function(name)((blocks,), (threads,), (out, *map(np.int32, arguments)), **how)
    return out


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_each_tile_waits_for_its_own_threads_only(module, machine, schedule):
    out, tile = np.zeros((3, 256), np.int32), 128
    with gpusim.use(schedule=schedule):
        launch(module, "rotate", out, 256, tile, 5, blocks=3, shared_mem=1024)
    thread = np.arange(256)
    rounds = 5 + thread // tile
    assert (out == thread // tile * tile + (thread + rounds) % tile).all()


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_who_only_arrives_goes_on_at_once(module, machine, schedule):
    lanes = gpusim.devices.get(machine).warp_size
    with gpusim.use(schedule=schedule):
        out = launch(module, "pipe", np.zeros((6, lanes), np.int32), 2 * lanes, 6)
    assert (out == 100 * np.arange(6)[:, None] + np.arange(lanes)).all()


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_thread_waits_for_those_among_whom_it_came(module, machine, schedule):
    with gpusim.use(schedule=schedule):
        out = launch(module, "tokens", np.zeros(256, np.int32), 256)
    assert (out == 1000 + np.arange(256)[::-1]).all()


def test_the_definition_of_the_ir_says_the_same(module):
    for name, threads, arguments, shared in (("rotate", 128, (64, 3), 512), ("tokens", 64, (), 0)):
        kernel = module.get_function(name)
        expected = launch(module, name, np.zeros(threads, np.int32), threads, *arguments, shared_mem=shared)
        left = np.zeros(threads, np.int32)
        reference.run(
            kernel.function, (1, 1, 1), (threads, 1, 1), (left, *map(np.int32, arguments)), 32, shared
        )
        assert (left == expected).all()


def test_a_token_is_waited_for_once(module, machine):
    with pytest.raises(BarrierMisused, match=r"thread \(0, 0, 0\) .* has not arrived since it last waited"):
        launch(module, "waits_twice", np.zeros(64, np.int32), 64)


def test_a_barrier_of_all_does_not_wait_for_threads_that_have_left(module, machine):
    assert launch(module, "some_leave", np.zeros(128, np.int32), 128).sum() == 40


def test_threads_that_do_not_come_are_counted(module, machine):
    with pytest.raises(Deadlock, match="128 of the 256 threads that barrier 3 counts have come"):
        launch(module, "not_all_come", np.zeros(256, np.int32), 256)


def test_more_threads_than_it_counts_cannot_come_at_once(module, machine):
    with pytest.raises(BarrierMisused, match=r"is one too many: \d+ come to barrier \d+, which counts 16"):
        launch(module, "too_many", np.zeros(64, np.int32), 64)


def test_a_barrier_with_a_number_counts_whole_warps(module, machine):
    with pytest.raises(BarrierMisused, match=r"says that barrier 3 counts \d+ threads, no whole warps"):
        launch(module, "no_whole_warps", np.zeros(128, np.int32), 128)


def test_of_several_warps_the_one_that_counts_wrongly_is_told():
    code = """__global__ void one(int* out) {
        asm volatile("bar.sync 3, %0;" :: "r"(threadIdx.x < 32 ? 64 : 50));
    }"""
    with pytest.raises(BarrierMisused, match=r"thread \(32, 0, 0\) .* barrier 3 counts 50 threads"):
        gpusim.RawKernel(code, "one")((1,), (64,), (np.zeros(1, np.int32),))


def test_a_barrier_begins_anew_when_it_has_opened(module, machine):
    lanes = gpusim.devices.get(machine).warp_size
    assert launch(module, "pairs_of_warps", np.zeros(4 * lanes, np.int32), 4 * lanes).all()
    with pytest.raises(Deadlock):
        launch(module, "pairs_of_warps", np.zeros(3 * lanes, np.int32), 3 * lanes)


def test_observers_hear_who_comes_before_who_goes_on(module, machine):
    class Heard(EveryGrid):
        wants = frozenset({NamedBarrierUsed})

    heard = []
    ear = Heard()
    ear.observe = heard.append
    with settings.during(settings.changed(observer=ear)):
        launch(module, "rotate", np.zeros(256, np.int32), 256, 128, 1, shared_mem=1024)
    lanes = gpusim.devices.get(machine).warp_size
    for number in (0, 1):
        of_it = [event for event in heard if event.number == number]
        assert [event.arrives for event in of_it] == [True, False] * 2 * (1 + number)
        assert all(len(event.warps) == 128 // lanes and event.active.all() for event in of_it)
        assert [int(event.phases[0, 0]) for event in of_it[::2]] == list(range(2 * (1 + number)))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_racecheck_knows_whom_a_barrier_orders(module, machine, schedule):
    with gpusim.use(schedule=schedule):
        with gpusim.sanitize() as report:
            launch(module, "rotate", np.zeros(256, np.int32), 256, 128, 3, shared_mem=1024)
            launch(module, "pipe", np.zeros((4, 64), np.int32), 128, 4)
        assert report.clean, report


def test_lanes_of_one_warp_may_share_barriers_with_others(module):
    assert launch(module, "parted", np.zeros(64, np.int32), 64).all()


def test_all_name_the_same_count(module, machine):
    with pytest.raises(BarrierMisused, match=r"says that barrier \d+ counts 1 threads, where another lane"):
        launch(module, "counts_apart", np.zeros(64, np.int32), 64)


def test_barrier_0_of_all_threads_is_the_blocks_own(module, machine):
    assert launch(module, "number_0", np.zeros(256, np.int32), 256).all()


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("name", "expected"), [("come_and_leave", 14), ("leave_first", 7)])
def test_who_has_left_counts_as_having_come_to_a_barrier_of_all(module, machine, schedule, name, expected):
    out = np.zeros(256, np.int32)
    with gpusim.use(schedule=schedule), gpusim.sanitize("racecheck") as report:
        launch(module, name, out, 256)
    assert report.clean, report
    assert set(out.tolist()) == {0, expected}


def test_the_definition_opens_a_barrier_of_all_when_the_others_have_left(module):
    left = np.zeros(64, np.int32)
    reference.run(module.get_function("leave_first").function, (1, 1, 1), (64, 1, 1), (left,), 32)
    assert (left == 7 * (np.arange(64) < 32)).all()


def test_who_only_arrives_at_a_numbered_barrier_is_not_at_the_blocks(module, machine):
    with gpusim.sanitize("synccheck") as report:
        launch(module, "arrive_and_leave", np.zeros(256, np.int32), 256)
    assert report.clean, report


@pytest.mark.parametrize("number", [16, 77, -1])
def test_a_block_has_sixteen_barriers_with_a_number(module, machine, number):
    launch(module, "number", np.zeros(64, np.int32), 64, 15)
    told = rf"thread \(0, 0, 0\) .* comes to barrier {number % 2**32}, and a block has those from 0 to 15"
    with pytest.raises(BarrierMisused, match=told):
        launch(module, "number", np.zeros(64, np.int32), 64, number)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_who_drops_out_has_come_to_each_later_phase(module, machine, schedule):
    lanes, out = gpusim.devices.get(machine).warp_size, np.zeros(256, np.int32)
    with gpusim.use(schedule=schedule), gpusim.sanitize("racecheck") as report:
        launch(module, "drop_out", out, 256)
    assert report.clean, report
    warps = 256 // lanes
    expected = sum(range(1, warps + 1))  # in each round one fewer writes, and who dropped out did so before
    assert set(out[-lanes:].tolist()) == {expected}
    assert not out[:-lanes].any()


def test_the_definition_knows_who_has_dropped_out(module):
    left = np.zeros(64, np.int32)
    reference.run(module.get_function("drop_out").function, (1, 1, 1), (64, 1, 1), (left,), 32)
    assert (left == 3 * (np.arange(64) >= 32)).all()
