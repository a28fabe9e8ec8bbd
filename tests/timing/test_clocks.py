"""How many clocks does what take? Kernels of which an H200's own figure is known, or follows from a rule."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import ReportError
from tests.timing.measuring import clocks_per_round, timed

CHAINS = gpusim.RawModule(
    code=r"""
extern "C" __global__ void products(float* x, float a, int rounds) {
    float v = x[threadIdx.x];
    for (int k = 0; k < rounds; k++) v = a * v + 0.5f;
    x[threadIdx.x] = v;
}
extern "C" __global__ void doubles(double* x, double a, int rounds) {
    double v = x[threadIdx.x];
    for (int k = 0; k < rounds; k++) v = a * v + 0.5;
    x[threadIdx.x] = v;
}
extern "C" __global__ void whole(int* x, int a, int rounds) {
    int v = x[threadIdx.x];
    for (int k = 0; k < rounds; k++) v = a * v + a;
    x[threadIdx.x] = v;
}
extern "C" __global__ void loads(int* x, const int* next, int rounds) {
    int at = 0;
    for (int k = 0; k < rounds; k++) at = next[at];
    x[threadIdx.x] = at;
}
extern "C" __global__ void shared_loads(int* x, int stride, int rounds) {
    __shared__ int words[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = i;
    __syncthreads();
    int at = threadIdx.x * stride % 1024;
    for (int k = 0; k < rounds; k++) at = words[at];
    x[threadIdx.x] = at;
}
extern "C" __global__ void loads_from_somewhere(int* x, bool near, int rounds) {
    __shared__ int words[32];
    words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int* from = near ? words : x;
    int at = threadIdx.x;
    for (int k = 0; k < rounds; k++) at = from[at];
    x[threadIdx.x] = at;
}
extern "C" __global__ void barriers(float* x, int rounds) {
    for (int k = 0; k < rounds; k++) __syncthreads();
    x[threadIdx.x] = 0;
}
"""
)


@pytest.mark.parametrize(
    ("name", "kind", "clocks"), [("products", np.float32, 4), ("doubles", np.float64, 8)]
)
def test_what_needs_the_result_before_waits_for_it(name, kind, clocks):
    def launch(rounds):
        return timed(CHAINS.get_function(name), 1, 32, np.ones(32, kind), kind(3.5), np.int32(rounds))

    assert clocks_per_round(launch, 320, 640) == pytest.approx(clocks, rel=0.1)


def test_warps_of_different_schedulers_do_not_meet_and_those_of_one_share_it():
    def launch(warps):
        return lambda rounds: timed(
            CHAINS.get_function("products"),
            1,
            32 * warps,
            np.ones(32 * warps, np.float32),
            np.float32(0.5),
            np.int32(rounds),
        )

    alone, four, many = (clocks_per_round(launch(warps), 320, 640) for warps in (1, 4, 32))
    assert four == alone
    assert many == pytest.approx(8 * 1.2, rel=0.1)  # eight a scheduler, each with its share of the counting


@pytest.mark.parametrize(
    ("bytes_", "clocks"),
    [(4096, 40), (1 << 17, 289)],
    ids=["from L1", "each line for the first time, from L2"],
)
def test_a_chain_of_loads_takes_as_long_as_the_cache_that_holds_it(bytes_, clocks):
    words = bytes_ // 4
    following = ((np.arange(words) + 32) % words).astype(np.int32)

    def launch(rounds):
        return timed(CHAINS.get_function("loads"), 1, 1, np.zeros(1, np.int32), following, np.int32(rounds))

    assert clocks_per_round(launch, 320, 640) == pytest.approx(clocks, abs=1)


def test_variables_that_move_on_together_keep_their_distance_whichever_is_declared_first():
    """A prefetch by hand: what a trip loads is needed two trips later, so three loads share 325 clocks."""
    following = np.zeros(1 << 16, np.int32)

    def clocks(declared):
        text = f"""extern "C" __global__ void kernel(int* x, const int* next, int n, int step) {{
            int s = 0; {declared};
            for (int i = 0; i < n; i += step) {{ s = s * 3 + a; int t = next[i * 32]; a = b; b = t; }}
            x[threadIdx.x] = s + a + b; }}"""
        kernel = gpusim.RawModule(code=text).get_function("kernel")

        def launch(rounds):
            return timed(kernel, 1, 32, np.zeros(32, np.int32), following, np.int32(rounds), np.int32(1))

        return clocks_per_round(launch, 320, 640)

    assert clocks("int a = 0, b = 1") == clocks("int b = 1, a = 0") == pytest.approx(108, abs=2)


@pytest.mark.parametrize(("quotient", "product"), [("v / 4.0f", "v * 0.25f"), ("v / 2.0", "v * 0.5")])
def test_a_division_by_a_power_of_two_is_a_product(quotient, product):
    def clocks(value):
        text = f"""extern "C" __global__ void kernel(float* x) {{
            float v = x[threadIdx.x]; x[threadIdx.x] = {value};
        }}"""
        return timed(
            gpusim.RawModule(code=text).get_function("kernel"), 1, 32, np.ones(32, np.float32)
        ).cycles

    assert clocks(quotient) == clocks(product) < clocks(quotient.replace(" / ", " / 1"))


@pytest.mark.parametrize(("kind", "pipe"), [(np.complex64, "FP32 pipe"), (np.complex128, "FP64 pipe")])
def test_a_product_of_complex_numbers_is_six_operations_on_their_parts(kind, pipe):
    @cuda.jit
    def square_and_add(x):
        x[cuda.threadIdx.x] = x[cuda.threadIdx.x] * x[cuda.threadIdx.x] + x[0]

    time = timed(square_and_add, 1, 32, np.ones(32, kind))
    assert time.flops == 32 * (6 + 2)
    assert [roof.name for roof in time.roofs if roof.name.startswith("FP")] == [pipe]


def test_what_l2_does_not_hold_comes_from_dram():
    words = 1 << 12
    following = ((np.arange(words) + 32) % words).astype(np.int32)
    given = 1, 1, np.zeros(1, np.int32), following, np.int32(words // 32)
    warm, cold = (timed(CHAINS.get_function("loads"), *given, warm=warm) for warm in (True, False))
    assert warm.dram_bytes == 0
    assert (
        cold.cycles - warm.cycles > 100 * words // 64
    )  # every second line: two sectors are fetched together
    assert cold.dram_bytes > 0


@cuda.jit
def add_a_few(y, x, few):
    i = cuda.grid(1)
    y[i] = x[i] + few[i % 16]


def test_two_names_of_one_memory_are_one_memory():
    n = 1 << 18
    x, y = np.ones(n, np.float32), np.zeros(n, np.float32)
    moved = [
        timed(add_a_few, n // 256, 256, y, x, few, warm=False).dram_bytes for few in (x[:16].copy(), x[:16])
    ]
    assert moved[0] == pytest.approx(moved[1], rel=0.01) == pytest.approx(8 * n, rel=0.1)


def test_local_memory_is_every_threads_own_and_dram_takes_it():
    kernel = gpusim.RawModule(
        code=r"""
extern "C" __global__ void kernel(float* x, int n) {
    float kept[32];
    for (int k = 0; k < 32; k++) kept[k] = k;
    x[blockIdx.x * blockDim.x + threadIdx.x] = kept[n & 31];
}"""
    ).get_function("kernel")
    threads = 512 * 256
    time = timed(kernel, 512, 256, np.zeros(threads, np.float32), np.int32(3), warm=False)
    assert time.dram_bytes == pytest.approx(threads * 4 * (32 + 1), rel=0.1)


@pytest.mark.parametrize(("stride", "ways"), [(1, 1), (2, 2), (8, 8), (32, 32)])
def test_a_bank_conflict_costs_two_clocks_a_way(stride, ways):
    def launch(rounds):
        return timed(
            CHAINS.get_function("shared_loads"),
            1,
            32,
            np.zeros(32, np.int32),
            np.int32(stride),
            np.int32(rounds),
        )

    assert clocks_per_round(launch, 320, 640) == pytest.approx(23.3 + 2 * (ways - 1), rel=0.05)


@pytest.mark.parametrize(("near", "clocks"), [(True, 23), (False, 36)], ids=["shared", "global, in L1"])
def test_a_generic_address_leads_to_the_memory_where_it_lies(near, clocks):
    def launch(rounds):
        given = np.arange(32, dtype=np.int32), np.bool_(near), np.int32(rounds)
        return timed(CHAINS.get_function("loads_from_somewhere"), 1, 32, *given)

    assert clocks_per_round(launch, 320, 640) == pytest.approx(clocks + 10, rel=0.2)  # and its address


@pytest.mark.parametrize(("threads", "clocks"), [(32, 14.24), (256, 28.26), (1024, 76.27)])
def test_a_barrier_waits_for_every_warp_to_arrive(threads, clocks):
    def launch(rounds):
        return timed(
            CHAINS.get_function("barriers"), 1, threads, np.zeros(threads, np.float32), np.int32(rounds)
        )

    assert clocks_per_round(launch, 64, 128) == pytest.approx(clocks, rel=0.15)


@cuda.jit
def gather(y, x, index):
    i = cuda.grid(1)
    y[i] = x[index[i]]


def test_more_lines_take_l1_longer():
    n = 1 << 16
    index = np.arange(n, dtype=np.int32)
    x, y = np.ones(n, np.float32), np.zeros(n, np.float32)
    scattered = (index * 7919 % n).astype(np.int32)
    assert (
        timed(gather, n // 256, 256, y, x, scattered).cycles
        > timed(gather, n // 256, 256, y, x, index).cycles
    )


@cuda.jit
def add_up(total, x):
    cuda.atomic.add(total, 0, x[cuda.grid(1)])


@cuda.jit
def add_apart(totals, x):
    i = cuda.grid(1)
    cuda.atomic.add(totals, i, x[i])


def test_atomics_on_one_word_wait_for_each_other():
    n = 1 << 15
    ones = np.ones(n, np.int32)
    together, apart = (
        timed(add_up, n // 256, 256, np.zeros(1, np.int32), ones),
        timed(add_apart, n // 256, 256, np.zeros(n, np.int32), ones),
    )
    assert together.bound_by == "atomics"
    assert together.cycles > 5 * apart.cycles


def test_a_launch_that_failed_and_a_profile_without_one_have_no_time():
    with gpusim.profile() as run:
        pass
    with pytest.raises(ReportError, match="nothing was launched"):
        run.timing()
    with gpusim.profile() as run, pytest.raises(gpusim.GpuSimError):
        gather[1, 32](np.zeros(32, np.float32), np.zeros(1, np.float32), np.arange(32, dtype=np.int32))
    with pytest.raises(ReportError, match="an error ended it"):
        run.timing()


def test_the_first_launches_of_a_profile_are_recorded():
    x = np.zeros(32, np.float32)
    index = np.zeros(32, np.int32)
    with gpusim.profile() as run:
        for _ in range(65):
            gather[1, 32](x, x, index)
    assert run.kernels[63].timing().cycles > 0
    with pytest.raises(ReportError, match="the first 64 launches"):
        run.timing()
