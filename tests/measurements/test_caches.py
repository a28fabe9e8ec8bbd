"""Where does a load find its data? By hand, on devices with caches of a few lines and on real ones."""

from __future__ import annotations

import weakref
from dataclasses import replace

import numpy as np
import pytest

import gpusim
from gpusim import cuda, devices
from gpusim.measurements import caches
from gpusim.reports import counters
from tests.from_text import define

KIB = 1024
H200 = devices.get("H200")
WARP = 32
FLOATS = 32  # a line of 128 bytes


def tiny(l2_bytes=64 * KIB, multiprocessors=1):
    """An H200 with little of everything; its L1 has one set of six lines."""
    return replace(
        H200,
        multiprocessors=multiprocessors,
        l2_bytes=l2_bytes,
        carveouts_bytes=(228 * KIB,),
        l1_and_shared_bytes=228 * KIB + 6 * 128,
    )


def on_device(count, dtype=np.float32):
    return cuda.to_device(np.zeros(count, dtype))


def counted(run, *names):
    return tuple(getattr(run, name) for name in names)


LOADED = (
    "global_load_sectors",
    "l1_load_sector_hits",
    "l2_load_sectors",
    "l2_load_sector_hits",
    "dram_load_sectors",
)


@cuda.jit
def read(x, out):
    i = cuda.grid(1)
    if x[i] == 77:
        out[0] = 1


@cuda.jit
def read_twice(x, out):
    i = cuda.grid(1)
    if x[i] + x[i] == 77:
        out[0] = 1


@cuda.jit
def read_and_later_again(x, between, out):
    """`between` elements lie between what a thread reads first and last."""
    i = cuda.grid(1)
    total = x[i]
    for k in range(1, between + 1):
        total += x[i + k * 32]
    total += x[i]
    if total == 77:
        out[0] = 1


# by hand


def test_a_second_read_is_found_in_l1():
    with gpusim.profile("H200", caches=True) as run:
        read_twice[1, WARP](on_device(WARP), on_device(1))
    assert counted(run, *LOADED) == (8, 4, 4, 0, 4)
    assert counted(run, "l1_load_hit_rate", "l1_hit_rate", "l2_load_hit_rate") == (0.5, 0.5, 0)


@pytest.mark.parametrize(("between", "hits"), [(0, 4), (5, 4), (6, 0)])
def test_a_line_stays_until_six_others_have_come(between, hits):
    with gpusim.profile(tiny(), caches=True) as run:
        read_and_later_again[1, WARP](on_device((between + 1) * 32), between, on_device(1))
    assert run.l1_load_sector_hits == hits
    assert run.l2_load_sector_hits == 4 - hits  # what left L1 is still in L2
    assert run.dram_load_sectors == 4 * (between + 1)


def test_each_multiprocessor_has_its_own_l1_and_blocks_go_to_them_in_turn():
    @cuda.jit
    def all_read_the_same(x, out):
        if x[cuda.threadIdx.x] == 77:
            out[0] = 1

    for multiprocessors in (1, 2, 3):
        with gpusim.profile(tiny(multiprocessors=multiprocessors), caches=True) as run:
            all_read_the_same[6, WARP](on_device(WARP), on_device(1))
        misses = 4 * multiprocessors
        assert counted(run, *LOADED) == (24, 24 - misses, misses, misses - 4, 4)


def test_three_fields_of_a_struct_hit_twice_in_three():
    @cuda.jit
    def fields(v, out):
        i = cuda.grid(1)
        if v[3 * i] + v[3 * i + 1] + v[3 * i + 2] == 77:
            out[0] = 1

    with gpusim.profile("H200", caches=True) as run:
        fields[1, WARP](on_device(3 * WARP), on_device(1))
    assert counted(run, *LOADED) == (36, 24, 12, 0, 12)
    assert run.l1_load_hit_rate == pytest.approx(2 / 3)


def test_half_a_sector_that_was_written_is_read_when_it_leaves_l2():
    @cuda.jit
    def write(x, stride):
        x[cuda.grid(1) * stride] = 1

    stay = 4 * KIB // 32
    for stride, completed in ((1, 0), (2, 1)):
        with gpusim.profile(tiny(l2_bytes=4 * KIB), caches=True) as run:
            write[64, WARP](on_device(64 * WARP * stride), stride)
        assert run.l2_store_sectors == 256 * stride
        assert run.dram_store_sectors == 256 * stride - stay
        assert run.dram_load_sectors == completed * run.dram_store_sectors


def test_dram_delivers_pairs_of_sectors_on_an_h200_and_single_ones_before():
    @cuda.jit
    def sparse(x, out):
        if x[cuda.grid(1) * 16] == 77:
            out[0] = 1

    loaded = {}
    for device in ("H200", "V100"):
        with gpusim.profile(device, caches=True) as run:
            sparse[1, WARP](on_device(16 * WARP), on_device(1))
        loaded[device] = counted(run, "l2_load_sectors", "dram_load_sectors")
    assert loaded == {"H200": (32, 64), "V100": (32, 32)}


# how long it lasts


def test_l1_forgets_between_launches_and_l2_does_not():
    x, out = on_device(WARP), on_device(1)
    with gpusim.profile("H200", caches=True) as run:
        read[1, WARP](x, out)
        read[1, WARP](x, out)
    first, second = (kernel.as_dict() for kernel in run.kernels)
    assert [first[name] for name in LOADED] == [4, 0, 4, 0, 4]
    assert [second[name] for name in LOADED] == [4, 0, 4, 4, 0]


def test_each_profile_begins_with_empty_caches():
    x, out = on_device(WARP), on_device(1)
    for _ in range(2):
        with gpusim.profile("H200", caches=True) as run:
            read[1, WARP](x, out)
        assert run.dram_load_sectors == 4


def test_an_array_of_the_host_is_new_memory_in_each_launch():
    x, out = np.zeros(WARP, np.float32), np.zeros(1, np.float32)
    with gpusim.profile("H200", caches=True) as run:
        read_twice[1, WARP](x, out)
        read_twice[1, WARP](x, out)
    assert counted(run, *LOADED) == (16, 8, 8, 0, 8)


def test_each_device_of_a_profile_has_its_own_l2():
    x, out = on_device(WARP), on_device(1)
    with gpusim.profile("H200", caches=True) as run:
        for device in ("H200", "V100", "H200"):
            with gpusim.use(device):
                read[1, WARP](x, out)
    assert [kernel.as_dict()["dram_load_sectors"] for kernel in run.kernels] == [4, 4, 0]


def test_memory_does_not_grow_with_launches(monkeypatch):
    """L2 stays; what the multiprocessors had goes with the grid."""
    made = []

    class Remembered(caches.Hierarchy):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            made.append((weakref.ref(self.l1), self.l2))

    monkeypatch.setattr(caches, "Hierarchy", Remembered)
    x, out = on_device(WARP), on_device(1)
    with gpusim.profile("H200", caches=True):
        for _ in range(2):
            read[1, WARP](x, out)
    (first, l2), (second, same) = made
    assert (first(), second()) == (None, None)
    assert l2 is same


def test_nested_profiles_see_one_and_the_same_caches():
    """However many look on: the launch before the inner profile filled L2, and no access counts twice."""
    x, out = on_device(WARP), on_device(1)
    with gpusim.profile("H200", caches=True) as outer:
        read[1, WARP](x, out)
        with gpusim.profile("H200", caches=True) as inner:
            read[1, WARP](x, out)
    assert [kernel.dram_load_sectors for kernel in outer.kernels] == [4, 0]
    assert inner.kernels[0].counters() == outer.kernels[1].counters()


# cache operators


@pytest.mark.parametrize(
    ("first", "second", "l1", "l2"),
    [
        ("ldca", "ldca", 4, 0),
        ("ldca", "ldcg", 0, 4),
        ("ldcg", "ldca", 0, 4),
        ("ldcs", "ldca", 4, 0),
        ("ldlu", "ldca", 0, 4),
        ("ldca", "ldlu", 4, 0),
        ("ldcv", "ldcv", 0, 4),
    ],
)
def test_operators_of_loads(first, second, l1, l2):
    kernel = define(
        "@cuda.jit\ndef kernel(x, out):\n    i = cuda.threadIdx.x\n"
        f"    v = cuda.{first}(x, i)\n    v += cuda.{second}(x, i)\n    if v == 77:\n        out[0] = 1\n"
    )
    with gpusim.profile("H200", caches=True) as run:
        kernel[1, WARP](on_device(WARP), on_device(1))
    assert counted(run, "l1_load_sector_hits", "l2_load_sector_hits") == (l1, l2)


@pytest.mark.parametrize(("operator", "hits"), [("ldca", 0), ("ldcs", 4 * 8)])
def test_a_stream_that_is_evicted_first_leaves_a_table_in_l1(operator, hits):
    """A line of a table is read again after each 16 lines of a stream, in an L1 of six lines."""
    kernel = define(
        "@cuda.jit\ndef kernel(table, stream, out):\n    i = cuda.threadIdx.x\n    v = np.float32(0)\n"
        "    for k in range(9):\n"
        "        v += table[i]\n"
        "        for line in range(16):\n"
        f"            v += cuda.{operator}(stream, i + 32 * (16 * k + line))\n"
        "    if v == 77:\n        out[0] = 1\n"
    )
    with gpusim.profile(tiny(), caches=True) as run:
        kernel[1, WARP](on_device(WARP), on_device(9 * 16 * 32), on_device(1))
    assert run.l1_load_sector_hits == hits


def test_a_load_past_l1_drops_what_l1_has():
    kernel = define(
        "@cuda.jit\ndef kernel(x, out):\n    i = cuda.threadIdx.x\n"
        "    v = x[i]\n    v += cuda.ldcg(x, i)\n    v += x[i]\n    if v == 77:\n        out[0] = 1\n"
    )
    with gpusim.profile("H200", caches=True) as run:
        kernel[1, WARP](on_device(WARP), on_device(1))
    assert counted(run, *LOADED) == (12, 0, 12, 8, 4)


@pytest.mark.parametrize("operator", ["stwb", "stcs", "stcg", "stwt"])
def test_every_store_takes_a_place_in_l1_and_stays_in_l2(operator):
    kernel = define(
        "@cuda.jit\ndef kernel(x):\n    i = cuda.threadIdx.x\n"
        f"    cuda.{operator}(x, i, 1)\n    cuda.{operator}(x, i, 2)\n"
    )
    with gpusim.profile("H200", caches=True) as run:
        kernel[1, WARP](on_device(WARP))
    assert counted(run, "l1_store_sector_hits", "l2_store_sectors", "dram_store_sectors") == (4, 8, 0)


def test_a_load_finds_the_bytes_that_were_stored_and_no_others():
    @cuda.jit
    def store_and_load(x, further):
        i = 2 * cuda.threadIdx.x
        x[i] = 1
        x[i] = x[i + further]

    for further, hits in ((0, 8), (1, 0)):
        with gpusim.profile("H200", caches=True) as run:
            store_and_load[1, WARP](on_device(2 * WARP), further)
        assert run.l1_load_sector_hits == hits


@pytest.mark.parametrize(
    ("between", "hits"),
    [("cuda.threadfence_block()", 4), ("cuda.syncthreads()", 4), ("cuda.threadfence()", 0)],
)
def test_a_fence_for_the_whole_device_empties_l1(between, hits):
    kernel = define(
        "@cuda.jit\ndef kernel(x, out):\n    i = cuda.threadIdx.x\n"
        f"    v = x[i]\n    {between}\n    v += x[i]\n    if v == 77:\n        out[0] = 1\n"
    )
    with gpusim.profile("H200", caches=True) as run:
        kernel[1, WARP](on_device(WARP), on_device(1))
    assert counted(run, "l1_load_sector_hits", "l2_load_sector_hits") == (hits, 4 - hits)


def test_a_barrier_of_the_whole_grid_is_such_a_fence():
    @cuda.jit
    def meet(x, out):
        i = cuda.threadIdx.x
        v = x[i]
        cuda.cg.this_grid().sync()
        if v + x[i] == 77:
            out[0] = 1

    with gpusim.profile("H200", caches=True) as run:
        meet[2, WARP](on_device(WARP), on_device(1))
    assert counted(run, *LOADED) == (16, 0, 16, 12, 4)


# what each device caches


@pytest.mark.parametrize(
    ("device", "operator", "l1", "l2_sectors"),
    [
        ("H200", "x[i]", 4, 4),
        ("P100", "x[i]", 4, 4),
        ("GTX 1080", "x[i]", 0, 8),  # L1 is for read-only data, unless a load asks for it
        ("GTX 1080", "cuda.ldca(x, i)", 4, 4),
        ("K40", "x[i]", 0, 8),
        ("K40", "cuda.ldca(x, i)", 4, 4),
        ("C2050", "x[i]", 0, 8),
        ("C2050", "cuda.ldca(x, i)", 4, 4),
    ],
)
def test_which_loads_l1_serves(device, operator, l1, l2_sectors):
    kernel = define(
        "@cuda.jit\ndef kernel(x, out):\n    i = cuda.threadIdx.x\n"
        f"    v = {operator}\n    v += {operator}\n    if v == 77:\n        out[0] = 1\n"
    )
    with gpusim.profile(device, caches=True) as run:
        kernel[1, WARP](on_device(WARP), on_device(1))
    assert counted(run, "l1_load_sector_hits", "l2_load_sectors") == (l1, l2_sectors)


@pytest.mark.parametrize(("device", "l2_sectors"), [("K40", 4), ("GTX 1080", 1), ("H200", 1)])
def test_l1_of_2_x_and_3_x_fetches_whole_lines(device, l2_sectors):
    @cuda.jit
    def one(x, out):
        if cuda.ldca(x, 0) == 77:
            out[0] = 1

    with gpusim.profile(device, caches=True) as run:
        one[1, WARP](on_device(WARP), on_device(1))
    assert counted(run, "global_load_sectors", "l2_load_sectors") == (1, l2_sectors)


def test_read_only_loads_of_a_k40_go_through_the_texture_cache():
    code = """
    extern "C" __global__ void twice(const int* x, int* out) {
        int v = __ldg(x + threadIdx.x);
        v += __ldg(x + threadIdx.x);
        if (v == 77) *out = 1;
    }"""
    kernel = gpusim.RawModule(code=code).get_function("twice")
    for device, hits in (("K40", 4), ("GTX 1080", 4), ("H200", 4), ("C2050", 4), ("G80", 0)):
        with gpusim.profile(device, caches=True) as run:
            kernel((1,), (32,), (on_device(32, np.int32), on_device(1, np.int32)))
        assert run.l1_load_sector_hits == hits, device


@pytest.mark.parametrize(("stride", "sectors"), [(1, 4), (2, 32)])
def test_on_1_x_all_that_coalescing_leaves_goes_to_dram(stride, sectors):
    @cuda.jit
    def twice(x, stride, out):
        i = cuda.grid(1) * stride
        if x[i] + x[i] == 77:
            out[0] = 1

    with gpusim.profile("G80", caches=True) as run:
        twice[1, WARP](on_device(stride * WARP), stride, on_device(1))
    assert counted(run, *LOADED) == (2 * sectors, 0, 0, 0, 2 * sectors)


# atomics, local memory, constants


def test_atomics_are_performed_in_l2_and_l1_forgets_them():
    @cuda.jit
    def count(x, out):
        i = cuda.threadIdx.x
        v = x[i]
        cuda.atomic.add(x, i, 1)
        if v + x[i] == 77:
            out[0] = 1

    with gpusim.profile("H200", caches=True) as run:
        count[1, WARP](on_device(WARP), on_device(1))
    assert counted(run, "l2_atomic_sectors", "l2_atomic_sector_hits") == (4, 4)
    assert counted(run, *LOADED) == (8, 0, 8, 4, 4)


def test_a_threads_local_array_is_in_l1_word_by_word():
    @cuda.jit
    def local(out):
        a = cuda.local.array(4, np.float32)
        i = cuda.threadIdx.x
        for k in range(4):
            a[k] = k
        out[i] = a[i % 4] + a[(i + 1) % 4]

    with gpusim.profile("H200", caches=True) as run:
        local[2, WARP](on_device(WARP))
    assert run.local_store_sectors == 2 * 4 * 4
    assert run.l1_local_load_sector_hits == run.local_load_sectors == 2 * 2 * 16
    assert run.dram_load_sectors == 0


def test_wide_elements_of_local_arrays_have_two_words():
    @cuda.jit
    def local(out):
        a = cuda.local.array(2, np.float64)
        i = cuda.threadIdx.x
        a[0] = i
        out[i] = a[0]

    with gpusim.profile("H200", caches=True) as run:
        local[1, WARP](on_device(WARP, np.float64))
    assert run.local_load_sectors == run.l1_local_load_sector_hits == 8
    assert run.l2_store_sectors == run.local_store_sectors + run.global_store_sectors


def walk_twice(lines):
    """A kernel that reads one constant of each line of 64 bytes, and then again."""
    table = np.arange(16 * lines, dtype=np.int32)

    @cuda.jit
    def walk(out):
        constants = cuda.const.array_like(table)
        total = 0
        for _ in range(2):
            for line in range(lines):
                total += constants[16 * line]
        out[0] = total

    return walk


@pytest.mark.parametrize(("device", "kib"), [("H200", 2), ("P100", 4), ("V100", 8), ("G80", 8)])
def test_a_table_that_fits_into_the_constant_cache_is_found_there(device, kib):
    for lines, hits in ((16 * kib, 16 * kib), (32 * kib, 0)):
        with gpusim.profile(device, caches=True) as run:
            walk_twice(lines)[1, 16](on_device(1, np.int64))
        assert counted(run, "constant_load_passes", "constant_load_pass_hits") == (2 * lines, hits)


# off unless asked for


def test_without_caches_nothing_is_said_of_them():
    with gpusim.profile("H200") as run:
        read[1, WARP](on_device(WARP), on_device(1))
    assert not set(run.as_dict()) & {*counters.CACHE_COUNTERS, *counters.CACHE_RATIOS}
    assert not set(dir(run)) & {*counters.CACHE_COUNTERS, *counters.CACHE_RATIOS}
    with pytest.raises(AttributeError, match="caches=True"):
        _ = run.l1_load_hit_rate


def test_with_caches_each_line_and_launch_has_their_counters():
    with gpusim.profile("H200", caches=True) as run:
        read_twice[1, WARP](on_device(WARP), on_device(1))
    names = {*counters.CACHE_COUNTERS, *counters.CACHE_RATIOS}
    for report in (run.as_dict(), run.kernels[0].as_dict(), run.kernels[0].lines[0]):
        assert names <= set(report)
    assert names <= set(dir(run))


def test_other_counters_are_the_same_with_caches(machine):
    x, out = on_device(64), on_device(1)
    with gpusim.profile() as without:
        read_twice[1, 64](x, out)
    with gpusim.profile(caches=True) as run:
        read_twice[1, 64](x, out)
    assert without.counters().items() <= run.counters().items()
