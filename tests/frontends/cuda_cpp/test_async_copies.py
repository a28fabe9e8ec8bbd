"""Do copies to shared memory arrive that are waited for, and is told who uses what has not arrived?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim.errors import KernelTypeError

TEXT = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
extern "C" __global__ void plain(float* out, const float* in, int wait) {
  __shared__ float s[256];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in + 256 * blockIdx.x, sizeof(float) * 256);
  if (wait) cg::wait(block); else block.sync();
  out[256 * blockIdx.x + threadIdx.x] = s[255 - threadIdx.x];
}
extern "C" __global__ void staged(float* out, const float* in, int n) {
  __shared__ float s[2][128];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s[0], in, sizeof(float) * 128);
  float sum = 0;
  for (int i = 0; i < n; i++) {
    if (i + 1 < n) {
      cg::memcpy_async(block, s[(i + 1) % 2], 128, in + 128 * (i + 1), 128);
      cg::wait_prior<1>(block);
    } else cg::wait(block);
    sum += s[i % 2][(threadIdx.x + 1) % 128];
    block.sync();
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void bar(float* out, const float4* in) {
  __shared__ float4 s[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&b, block.size());
  block.sync();
  for (int i = 0; i < 3; i++) {
    cuda::memcpy_async(block, s, in + 64 * i, cuda::aligned_size_t<16>(sizeof(float4) * 64), b);
    auto token = b.arrive();
    b.wait(std::move(token));
    out[64 * i + threadIdx.x] = s[63 - threadIdx.x].y;
    b.arrive_and_wait();
  }
}
extern "C" __global__ void pipe(float* out, const float* in, int n) {
  __shared__ float s[2][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto p = cuda::make_pipeline(block, &state);
  float sum = 0;
  for (int compute = 0, fetch = 0; compute < n; ++compute) {
    for (; fetch < n && fetch < compute + 2; ++fetch) {
      p.producer_acquire();
      cuda::memcpy_async(block, s[fetch % 2], in + 128 * fetch, sizeof(float) * 128, p);
      p.producer_commit();
    }
    p.consumer_wait();
    sum += s[compute % 2][(threadIdx.x + 1) % 128];
    p.consumer_release();
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void roles(float* out, const float* in, int n) {
  __shared__ float s[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  bool produces = threadIdx.x < 64;
  auto role = produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto p = cuda::make_pipeline(block, &state, role);
  if (produces) for (int i = 0; i < n; i++) {
    p.producer_acquire();
    cuda::memcpy_async(&s[i % 2][threadIdx.x], in + 64 * i + threadIdx.x, sizeof(float), p);
    p.producer_commit();
  } else for (int i = 0; i < n; i++) {
    p.consumer_wait();
    out[64 * i + threadIdx.x - 64] = s[i % 2][127 - threadIdx.x];
    p.consumer_release();
  }
}
extern "C" __global__ void own(float4* out, const float4* in, int n) {
  __shared__ float4 s[4][32];
  int t = threadIdx.x;
  for (int i = 0; i < 3; i++) { __pipeline_memcpy_async(&s[i][t], in + 32 * i + t, 16); __pipeline_commit(); }
  for (int i = 0; i < n; i++) {
    if (i + 3 < n) __pipeline_memcpy_async(&s[(i + 3) % 4][t], in + 32 * (i + 3) + t, 16);
    __pipeline_commit();
    __pipeline_wait_prior(3);
    out[32 * i + t] = s[i % 4][t];
  }
}
"""
# what each kernel is launched with, and what it makes of x: (threads, results, integers, the results)
CASES = {
    "plain": (256, 256, (1,), lambda x: x[:256][::-1]),
    "staged": (128, 128, (5,), lambda x: np.roll(x[:640].reshape(5, 128), -1, 1).sum(0)),
    "bar": (64, 192, (), lambda x: x[:768].reshape(3, 64, 4)[:, ::-1, 1].ravel()),
    "pipe": (128, 128, (7,), lambda x: np.roll(x[:896].reshape(7, 128), -1, 1).sum(0)),
    "roles": (128, 448, (7,), lambda x: x[:448].reshape(7, 64)[:, ::-1].ravel()),
    "own": (32, 768, (6,), lambda x: x[:768]),
}


@pytest.fixture(scope="module")
def module():
    return gpusim.RawModule(code=TEXT)


def launch(module, name, *integers):
    threads, results, usual, made = CASES[name]
    x = np.random.default_rng(1).random(1024, np.float32)
    out = np.zeros(results, np.float32)
    module.get_function(name)((1,), (threads,), (out, x, *map(np.int32, integers or usual)))
    return out, made(x)


@pytest.mark.parametrize("schedule", [None, "serial", 5])
@pytest.mark.parametrize("name", CASES)
def test_what_was_waited_for_is_there(module, machine, schedule, name):
    with gpusim.use(schedule=schedule), gpusim.sanitize("racecheck", "synccheck") as report:
        out, expected = launch(module, name)
    np.testing.assert_allclose(out, expected, rtol=1e-6)
    assert report.clean, report


def test_a_barrier_alone_does_not_bring_a_copy(module, machine):
    with gpusim.sanitize("racecheck") as report:
        launch(module, "plain", 0)
    (found,) = report.findings
    assert (found.hazard, found.count) == ("not delivered", 256)
    assert "thread (0, 0, 0) of block (0, 0, 0) uses shared s[255]" in found.message
    assert [access.thread for access in found.accesses] == [(0, 0, 0), (255, 0, 0)]
    assert "cg::wait(group)" in found.hint


LATE = r"""
#include <cuda_pipeline.h>
extern "C" __global__ void late(int* out, const int* in, int left) {
  __shared__ int s[3][32];
  for (int i = 0; i < 3; i++) {
    __pipeline_memcpy_async(&s[i][threadIdx.x], in + 32 * i + threadIdx.x, 4);
    __pipeline_commit();
  }
  __pipeline_wait_prior(left);
  out[threadIdx.x] = s[1][threadIdx.x];
}
extern "C" __global__ void overwritten(int* out, const int* in) {
  __shared__ int s[32];
  __pipeline_memcpy_async(&s[threadIdx.x], in + threadIdx.x, 4);
  s[threadIdx.x] = 1;
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void too_early(int* out, const int* in) {
  __shared__ int s[32];
  __pipeline_memcpy_async(&s[threadIdx.x], in + threadIdx.x, 4);
  __pipeline_wait_prior(0);
  __pipeline_commit();
  out[threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void filled(int* out, const int* in) {
  __shared__ int4 s;
  __pipeline_memcpy_async(&s, in, 16, 8);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[0] = s.x; out[1] = s.y; out[2] = s.z; out[3] = s.w;
}
"""


@pytest.mark.parametrize(("left", "clean"), [(0, True), (1, True), (2, False), (3, False)])
def test_of_several_groups_the_oldest_are_there_first(left, clean):
    out, given = np.zeros(32, np.int32), np.arange(96, dtype=np.int32)
    with gpusim.sanitize("racecheck") as report:
        gpusim.RawModule(code=LATE).get_function("late")((1,), (32,), (out, given, np.int32(left)))
    assert report.clean == clean
    assert (out == given[32:64]).all()
    if not clean:
        assert f"left its {left} newest batches on their way" in report.findings[0].hint


@pytest.mark.parametrize("waits", [True, False])
def test_nothing_orders_two_copies_to_one_place(waits):
    code = r"""#include <cuda_pipeline.h>
    __global__ void twice(int* out, const int* in, bool waits) {
        __shared__ int s[32];
        for (int i = 0; i < 2; i++) {
            __pipeline_memcpy_async(&s[threadIdx.x], in + 32 * i + threadIdx.x, 4);
            __pipeline_commit();
            if (waits) __pipeline_wait_prior(0);
        }
        __pipeline_wait_prior(0);
        out[threadIdx.x] = s[threadIdx.x];
    }"""
    with gpusim.sanitize("racecheck") as report:
        arguments = np.zeros(32, np.int32), np.arange(64, dtype=np.int32), waits
        gpusim.RawKernel(code, "twice")((1,), (32,), arguments)
    assert [finding.hazard for finding in report] == ["not delivered"] * (not waits)


def test_a_wait_before_the_commit_is_not_one_for_the_copy():
    out, given = np.zeros(32, np.int32), np.arange(96, dtype=np.int32)
    with gpusim.sanitize("racecheck") as report:
        gpusim.RawModule(code=LATE).get_function("too_early")((1,), (32,), (out, given))
    assert report.findings[0].hint.startswith("wait once it is committed")


def test_a_store_does_not_wait_for_the_copy_either():
    out, given = np.zeros(32, np.int32), np.arange(96, dtype=np.int32)
    with gpusim.sanitize("racecheck") as report:
        gpusim.RawModule(code=LATE).get_function("overwritten")((1,), (32,), (out, given))
    assert [found.accesses[0].kind for found in report.findings] == ["store"]


def test_the_rest_of_a_copy_can_be_zeros():
    out = np.full(4, 9, np.int32)
    gpusim.RawModule(code=LATE).get_function("filled")((1,), (1,), (out, np.arange(1, 5, dtype=np.int32)))
    assert out.tolist() == [1, 2, 0, 0]


def test_each_byte_is_one_of_a_request():
    """16 bytes a thread where the alignment is known, 4 where only the type is."""
    text = r"""
    #include <cooperative_groups/memcpy_async.h>
    #include <cuda/barrier>
    namespace cg = cooperative_groups;
    extern "C" __global__ void both(float* in, int wide) {
      __shared__ alignas(16) float s[512];
      auto block = cg::this_thread_block();
      if (wide) cg::memcpy_async(block, s, in, cuda::aligned_size_t<16>(2048));
      else cg::memcpy_async(block, s, in, 2048);
      cg::wait(block);
    }"""
    kernel, x = gpusim.RawModule(code=text).get_function("both"), np.zeros(512, np.float32)
    for wide, requests in ((1, 4), (0, 16)):
        with gpusim.profile() as run:
            kernel((1,), (128,), (x, np.int32(wide)))
        assert (run.global_load_requests, run.global_load_sectors) == (requests, 64)


PRIMITIVE = r"""
#include <cuda_pipeline.h>
#include <cuda/pipeline>
extern "C" __global__ void part(unsigned* out, const unsigned* in, int bytes, int zeros) {
  __shared__ uint4 s;
  __pipeline_memcpy_async(&s, in, bytes, zeros);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[0] = s.x;
}
extern "C" __global__ void in_turn(int* out, const int* in) {
  __shared__ int s[2][32];
  auto pipe = cuda::make_pipeline();
  pipe.consumer_wait();
  int t = threadIdx.x;
  for (int i = 0; i < 2; i++) {
    pipe.producer_acquire();
    cuda::memcpy_async(&s[i][t], in + 32 * i + t, sizeof(int), pipe);
    pipe.producer_commit();
    if (i == 0) cuda::pipeline_consumer_wait_prior<0>(pipe);
    else pipe.consumer_wait();
    out[32 * i + t] = s[i][t];
    pipe.consumer_release();
  }
}
"""


def test_zeros_are_counted_in_bytes_and_other_sizes_are_refused():
    kernel, given = gpusim.RawModule(code=PRIMITIVE).get_function("part"), np.array([0x11223344], np.uint32)
    out = np.zeros(1, np.uint32)
    for zeros, left in ((1, 0x223344), (2, 0x3344), (4, 0)):
        kernel((1,), (1,), (out, given, np.int32(4), np.int32(zeros)))
        assert out[0] == left
    with pytest.raises(gpusim.errors.AssertionFailed, match="bytes == 4"):
        kernel((1,), (1,), (out, given, np.int32(2), np.int32(0)))


def test_a_pipeline_knows_for_which_copies_it_has_waited():
    out, given = np.zeros(64, np.int32), np.arange(64, dtype=np.int32)
    with gpusim.sanitize("racecheck") as report:
        gpusim.RawModule(code=PRIMITIVE).get_function("in_turn")((1,), (32,), (out, given))
    assert report.clean, report
    assert (out == given).all()


NAMED = r"""
#include <cuda/pipeline>
using barrier = cuda::barrier<cuda::thread_scope_block>;
extern "C" __global__ void of_array(int* out) {
  __shared__ barrier one, several[3];
  if (threadIdx.x < 3) init(several + threadIdx.x, blockDim.x);
  if (threadIdx.x == 0) init(&one, blockDim.x);
  __syncthreads();
  while (!one.try_wait(one.arrive())) {}
  if (threadIdx.x < 64) several[2].arrive_and_wait();
}
extern "C" __global__ void of_one(int* out) {
  __shared__ barrier one;
  if (threadIdx.x == 0) init(&one, 33);
  __syncthreads();
  one.arrive_and_wait();
}
extern "C" __global__ void of_nobody(int* out) {
  __shared__ barrier one;
  if (threadIdx.x == 0) init(&one, 0);
  __syncthreads();
  one.arrive_and_wait();
}
extern "C" __global__ void never_made(int* out) {
  __shared__ barrier one;
  one.arrive_and_wait();
}
extern "C" __global__ void of_stage(int* out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
  for (int i = 0; i < 2; i++) {
    pipe.producer_acquire();
    if (i == 0 || threadIdx.x < 64) pipe.producer_commit();
    if (i == 0 || threadIdx.x < 64) pipe.consumer_wait();
    pipe.consumer_release();
  }
}
"""


@pytest.mark.parametrize(
    ("name", "error", "told"),
    [
        ("of_nobody", "BarrierMisused", "comes to barrier `one`, which counts 0 threads"),
        ("never_made", "BarrierMisused", "comes to barrier `one`, which counts 4,294,967,295 threads"),
        ("of_array", "Deadlock", r"64 of the 128 threads that barrier `several\[2\]` counts have come"),
        ("of_one", "BarrierMisused", "come to barrier `one`, which counts 33"),
        ("of_stage", "Deadlock", "64 of the 128 threads that stage 1 of pipeline `state` counts have come"),
    ],
)
def test_a_barrier_in_shared_memory_is_called_by_its_variable(machine, name, error, told):
    with pytest.raises(getattr(gpusim.errors, error), match=told):
        gpusim.RawModule(code=NAMED).get_function(name)((1,), (128,), (np.zeros(1, np.int32),))


ASSEMBLY = r"""
__device__ void copy(void* to, const void* from, int kept) {
  unsigned address = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2, %3;"
               :: "r"(address), "l"(from), "n"(16), "r"(kept));
}
extern "C" __global__ void tiles(const int4* in, int* out, int left) {
  __shared__ int4 s[2][32];
  int t = threadIdx.x;
  for (int i = 0; i < 2; i++) {
    copy(&s[i][t], in + 32 * i + t, t < 30 ? 16 : 4);
    asm volatile("cp.async.commit_group;");
  }
  if (left) asm volatile("cp.async.wait_group %0;" :: "n"(1));
  else asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  int4 mine = s[1][31 - t];
  out[t] = mine.x + mine.w;
  unsigned first;
  asm("ld.shared.u32 %0, [%1 + 4];" : "=r"(first) : "r"((unsigned)__cvta_generic_to_shared(s[1])));
  out[32 + t] = first;
}
"""


@pytest.mark.parametrize("left", [0, 1])
def test_copies_in_assembly_are_those_of_the_pipeline(machine, left):
    given, out = np.arange(256, dtype=np.int32).reshape(64, 4), np.zeros((2, 32), np.int32)
    with gpusim.sanitize("racecheck") as report:
        gpusim.RawModule(code=ASSEMBLY).get_function("tiles")((1,), (32,), (given, out, left))
    brought = given[32:].copy()
    brought[30:, 1:] = 0
    assert (out[0] == (brought[:, 0] + brought[:, 3])[::-1]).all()
    assert (out[1] == given[32, 1]).all()
    assert {found.hazard for found in report.findings} == ({"not delivered"} if left else set())


@pytest.mark.parametrize("header", ["", "#include <cuda/barrier>", "#include <cuda/pipeline>"])
def test_a_count_of_aligned_bytes_needs_its_header(header):
    """As with nvcc: <cooperative_groups/memcpy_async.h> alone does not define it."""
    text = f"""
    #include <cooperative_groups/memcpy_async.h>
    {header}
    namespace cg = cooperative_groups;
    __global__ void stage(const float* in, float* out) {{
      __shared__ alignas(16) float s[64];
      auto block = cg::this_thread_block();
      cg::memcpy_async(block, s, in, cuda::aligned_size_t<16>(sizeof s));
      cg::wait(block);
      out[threadIdx.x] = s[threadIdx.x];
    }}"""
    if header:
        x, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
        gpusim.RawModule(code=text).get_function("stage")((1,), (64,), (x, out))
        assert (x == out).all()
    else:
        with pytest.raises(KernelTypeError, match="`cuda::aligned_size_t<16>` is not declared") as raised:
            gpusim.RawModule(code=text).get_function("stage")
        assert raised.value.hint == "it is in <cuda/barrier>"
