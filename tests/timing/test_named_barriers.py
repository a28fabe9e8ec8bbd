"""Do warps wait in time for those only who share their barrier?"""

import numpy as np
import pytest

import gpusim

TEXT = r"""
__device__ float busy(float x, int n) { for (int k = 0; k < n; k++) x = x * 1.5f + 2; return x; }
extern "C" __global__ void uneven(float* out, int tile) {  // two warps of eight have a hundred times as much
  float x = threadIdx.x;
  for (int i = 0; i < 10; i++) {
    x = busy(x, threadIdx.x < 64 ? 1000 : 10);
    if (tile) __barrier_sync_count(threadIdx.x / tile, tile); else __syncthreads();
  }
  out[threadIdx.x] = x;
}
extern "C" __global__ void handed(float* out, int each) {  // one warp makes, the other uses
  float x = threadIdx.x;
  for (int i = 0; i < 10; i++)
    if (threadIdx.x < 32) {
      x = busy(x, each);
      asm volatile("bar.arrive 1, 64;");
      asm volatile("bar.sync 2, 64;");
    } else {
      asm volatile("bar.sync 1, 64;");
      x = busy(x, 1000);
      asm volatile("bar.arrive 2, 64;");
    }
  out[threadIdx.x] = x;
}
extern "C" __global__ void tokens(float* out, int each) {  // half of the warps come late
  float x = threadIdx.x;
  if (threadIdx.x >= 32) x = busy(x, 2000);
  __gpusim_barrier_arrive(1, 64);
  if (threadIdx.x < 32) x = busy(x, each);
  __gpusim_barrier_wait(1);
  out[threadIdx.x] = x;
}
"""


@pytest.fixture(scope="module")
def timed():
    module = gpusim.RawModule(code=TEXT)

    def measure(name, threads, number):
        with gpusim.profile() as run:
            module.get_function(name)((1,), (threads,), (np.zeros(threads, np.float32), np.int32(number)))
        return run.timing()

    return measure


def test_who_shares_a_barrier_waits_and_nobody_else(timed):
    waits = [timed("uneven", 256, tile).stalls["stalled_barrier"] for tile in (64, 128, 256, 0)]
    assert waits[0] < 0.1 < waits[1] < waits[2]
    assert waits[3] == pytest.approx(waits[2], rel=0.1)


def test_a_chain_of_hand_overs_takes_the_time_of_both(timed):
    short, long = timed("handed", 64, 10).cycles, timed("handed", 64, 1000).cycles
    assert long - short == pytest.approx(10 * 990 * 4, rel=0.1)


def test_who_comes_early_does_other_work_until_the_others_come(timed):
    idle, busy, late = (timed("tokens", 64, each).cycles for each in (1, 1900, 4000))
    assert busy == pytest.approx(idle, rel=0.03)
    assert late - idle == pytest.approx(2000 * 4, rel=0.1)
