"""Does the cache model agree with an H200? Each comparison says how far the two may be apart, and why."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda, devices
from gpusim.measurements.caches import L1_WAYS, L2_WAYS
from gpusim.measurements.sectored_cache import SectoredCache
from tests.hardware import cache_sequences
from tests.hardware.cache_sequences import GLOBAL
from tests.hardware.memory import STRUCTS

HERE = Path(__file__).parent
VEC3 = json.loads((HERE / "vec3_struct.json").read_text())
TIMING = json.loads((HERE / "timing.json").read_text())
CACHES = json.loads((HERE / "caches.json").read_text())
CARVEOUT = json.loads((HERE / "carveout.json").read_text())
H200 = devices.get("H200")
LINE_BYTES, SECTORS_PER_LINE = 128, 4

# Cache operators, stores, fences, constants: the GPU ran the same text.

SECTORS_OF_A_LAUNCH = 100  # that DRAM delivers for the launch itself
# After an atomic the L2 of an H200, which has two parts, looks for its sectors anew; the model finds them.
EXCEPTIONS = {"load_add_load": {"l2_load_sector_hits": [0, 4]}}


def test_every_recorded_sequence_of_accesses():
    found = cache_sequences.sequences()
    assert len(found) == 98
    differ = {
        sequence.kernel: {
            name: pair
            for name, *pair in zip(GLOBAL, sequence.recorded, sequence.simulated, strict=True)
            if pair[0] != pair[1]
        }
        for sequence in found
        if sequence.recorded != sequence.simulated
    }
    assert differ == EXCEPTIONS
    looked = [sequence for sequence in found if sequence.dram_recorded is not None]
    assert len(looked) == 63
    for sequence in looked:
        assert 0 <= sequence.dram_recorded - sequence.dram_simulated <= SECTORS_OF_A_LAUNCH, sequence


def test_every_recorded_constant_load():
    """The recorded counters have the kernel's own one to three parameters in them: constants, too."""
    found = cache_sequences.constants()
    assert len(found) == 115
    for load in found:
        assert 1 <= load.passes - load.passes_here <= 3, load
        assert -1 <= load.hits - load.hits_here <= 2, load


@pytest.mark.parametrize("row", CACHES["lines_twice"], ids=lambda row: f"{row[0]} lines, {row[1]} apart")
def test_lines_that_are_read_twice(row):
    """Up to 216 KiB all are still there, however far from each other; beyond 256 KiB nothing is.

    In between, where an L1 of 224 KiB overflows, the model is up to 24 of 100 lines off.
    """
    lines, apart, _sectors, hits, *_ = row
    cache = SectoredCache(224 * 1024, L1_WAYS, scattered=True)
    places = np.arange(lines) * apart * SECTORS_PER_LINE
    cache.load(places)
    modelled = int(cache.load(places).hits.sum())
    assert modelled == pytest.approx(hits, abs=0.24 * lines if lines > 1728 else 0)


# The same array read several times by one block, in an L1 of what the carve-out leaves.


def test_what_is_read_again_in_every_recorded_l1():
    differences = []
    for operator, floats, apart, passes, _percent, shared_bytes, sectors, hits, *_ in CARVEOUT["rereads"]:
        if operator == 0:
            cache = SectoredCache(H200.l1_and_shared_bytes - shared_bytes, L1_WAYS, scattered=True)
            touched = np.arange(0, floats * apart // 8, max(apart // 8, 1))
            modelled = sum(int(cache.load(touched).hits.sum()) for _ in range(passes))
            differences.append(abs(modelled - hits) / sectors)
    assert len(differences) > 100
    assert max(differences) < 0.17
    assert np.mean(differences) < 0.02


REREADS = gpusim.RawModule(path=HERE / "cache_rereads.cu")


@pytest.mark.parametrize(
    "row",
    [row for row in CARVEOUT["rereads"] if row[0] > 0],
    ids=lambda row: f"operator {row[0]}, {row[4]} %",
)
def test_what_each_operator_reads_again(row):
    operator, floats, apart, passes, percent, shared_bytes, sectors, hits, l2_sectors, *_ = row
    kernel = REREADS.get_function(f"reread<{operator}>")
    kernel.preferred_shared_memory_carveout = percent
    x, sink = (cuda.to_device(np.zeros(count, np.float32)) for count in (floats * apart, 1))
    with gpusim.profile("H200", caches=True) as run:
        kernel((1,), (256,), (x, np.int32(floats), np.int32(apart), np.int32(passes), sink))
    assert run.kernels[0].carveout_bytes <= shared_bytes
    assert (run.global_load_sectors, run.l1_load_sector_hits, run.l2_load_sectors) == (
        sectors,
        hits,
        l2_sectors,
    )


@pytest.mark.parametrize("row", CARVEOUT["rewrites"], ids=lambda row: f"{row[0]} floats, {row[1]}, {row[2]}")
def test_what_is_read_after_it_was_written(row):
    floats, before, after, _percent, _shared_bytes, sectors, hits, l2_sectors, _misses, _l2_hits, *stores = (
        row
    )
    x, sink = (cuda.to_device(np.zeros(count, np.float32)) for count in (floats, 1))
    with gpusim.profile("H200", caches=True) as run:
        kernel = REREADS.get_function("rewrite")
        kernel((1,), (256,), (x, np.int32(floats), np.int32(before), np.int32(after), sink))
    assert (run.global_load_sectors, run.l1_load_sector_hits, run.l2_load_sectors) == (
        sectors,
        hits,
        l2_sectors,
    )
    assert [run.global_store_sectors, run.l1_store_sector_hits] == stores


# Arrays of three floats: 1/512 of the recorded elements, on one multiprocessor with 1/512 of the L2.
SCALE = 512
ELEMENTS = 67_108_864 // SCALE
SMALL = replace(H200, multiprocessors=1, l2_bytes=H200.l2_bytes // SCALE)


@pytest.mark.parametrize("row", VEC3["rows"], ids=lambda row: row[0])
def test_every_record_of_the_structs(row):
    recorded = dict(zip(VEC3["header"]["fields"], row, strict=True))
    kernel, dtypes = STRUCTS[row[0]]
    arrays = [cuda.to_device(np.zeros(ELEMENTS, dtype)) for dtype in (*dtypes, np.float32)]
    function = gpusim.RawModule(path=HERE / "vec3_struct.cu").get_function(kernel)
    with gpusim.profile(SMALL, caches=True) as run:
        function((ELEMENTS // 256,), (256,), arrays)
    assert run.l2_load_sectors * SCALE == recorded["L2 sectors read by L1"]
    # some lines leave the L1 of a GPU a little too early: it finds up to 1.1 % fewer
    assert 100 * run.l1_hit_rate == pytest.approx(recorded["L1 sector hit rate %"], abs=1.1)
    # of sectors that were written in part, those that are in L2 at the end were not completed; a GPU is ahead
    # of the model there, by up to 5 % (only "write 16-byte aligned struct"; all others agree within 0.01 %)
    partly = row[0] == "write 16-byte aligned struct"
    assert 32 * run.dram_load_sectors * SCALE == pytest.approx(
        recorded["DRAM bytes read"], rel=0.05 if partly else 1e-4
    )


def misses_of_a_second_pass(cache, size_bytes):
    """Which part of the lines of an array are missed when it is read again from its beginning?"""
    lines = np.arange(size_bytes // LINE_BYTES) * SECTORS_PER_LINE
    cache.load(lines)
    return 1 - float(cache.load(lines).hits.mean())


CHASE = {row[0]: row for row in TIMING["chase"][1:]}
L1_CYCLES, L2_CYCLES, DRAM_CYCLES = CHASE[4096][3], CHASE[4096][2], CHASE[1073741824][2]


@pytest.mark.parametrize("size_bytes", [size for size, row in CHASE.items() if row[3] > 0])
def test_where_l1_stops_hitting(size_bytes):
    """One thread follows a chain through all lines, twice: a step takes 40 cycles in L1, 284 in L2.

    224 KiB are left for L1 where 32 one-thread blocks would fit. Of them the H200 misses 13 %, the model
    none; of 256 KiB the H200 66 % by this clock (95 % by its counters, in caches.json), the model all.
    """
    measured = (CHASE[size_bytes][3] - L1_CYCLES) / (L2_CYCLES - L1_CYCLES)
    cache = SectoredCache(224 * 1024, L1_WAYS, scattered=True)
    modelled = misses_of_a_second_pass(cache, size_bytes)
    assert modelled == pytest.approx(measured, abs=0.01 if size_bytes <= 192 << 10 else 0.35)


@pytest.mark.parametrize("size_bytes", [size for size in CHASE if size <= 1 << 27])
def test_where_l2_stops_hitting(size_bytes):
    """In lines loaded with ld.cg: all of 48 MiB are in the L2 of 60 MiB, not all of 64 MiB, and few of 128.

    Scaled down by 256. In between the latency also has misses of the TLB in it, and a GPU does not drop the
    oldest: of 128 MiB it still finds a third, the model nothing.
    """
    measured = (CHASE[size_bytes][2] - L2_CYCLES) / (DRAM_CYCLES - L2_CYCLES)
    cache = SectoredCache(H200.l2_bytes // SCALE, L2_WAYS, scattered=True)
    modelled = misses_of_a_second_pass(cache, max(size_bytes // SCALE, LINE_BYTES))
    assert modelled == pytest.approx(measured, abs=0.05 if size_bytes <= 48 << 20 else 0.35)


def test_dram_delivers_64_bytes_at_a_time():
    """A strided read is as fast as the bytes that DRAM delivers for it: strides 1 to 24, in floats."""

    @cuda.jit
    def strided(x, stride, out):
        if x[cuda.grid(1) * stride] == 77:
            out[0] = 1

    delivered = {}
    for elem_bytes, stride, _n, useful_gb_per_s, *_ in TIMING["stride_read"][1:]:
        if elem_bytes == 4 and stride <= 24:
            threads = 2048
            x, out = cuda.to_device(np.zeros(threads * stride, np.float32)), cuda.to_device(np.zeros(1))
            with gpusim.profile("H200", caches=True) as run:
                strided[threads // 256, 256](x, stride, out)
            delivered[stride] = useful_gb_per_s * 32 * run.dram_load_sectors / (4 * threads)
    assert len(delivered) == 24
    assert min(delivered.values()) > 0.95 * delivered[1]
    assert max(delivered.values()) < 1.06 * delivered[1]
