"""The stills: the same reports where nothing can move."""

from __future__ import annotations

from dataclasses import replace

import pytest

import gpusim
from gpusim.reports import bank
from gpusim.reports.timeline import unpacked
from gpusim.views import embed, text
from tests.views import handmade, real, trees


def test_the_warp_player_as_text():
    report = handmade.warp_report(64)
    rows = text.warp_player(report).splitlines()
    gap = "." * 24
    assert rows[0] == "halve, 40 threads"
    assert rows[2] == (
        "handmade, 64 lanes, independent: 15 instructions, 27.6 of 64 lanes active in each, "
        "2 of 2 branches diverged"
    )
    assert rows[4] == f"   1    14  {'c' * 40}{gap}      i = cuda.grid(1)"
    assert rows[6] == f"   3    16  i{'s' * 39}{gap}          return"
    assert rows[8] == f"   5    18  x{'si' * 19}s{gap}          values[i] /= 2"
    assert rows[9] == f"   6    20  x{'es' * 19}e{gap}          values[i] = 0"
    assert rows[-1].strip().startswith("c coherent, i if side")


@pytest.mark.parametrize("explored", ["carveouts", "groups", "occupancy", "parameters", "strides", "tile"])
def test_what_shows_nothing_itself_names_its_view(explored):
    report = getattr(gpusim, f"explore_{explored}")()
    assert embed.REPORTS[report.view] is type(report)
    assert repr(report).endswith(f": gpusim.views.{report.view}(…) draws it>")


def test_with_several_warps_every_row_names_its_warp():
    rows = text.warp_player(handmade.warp_report(32)).splitlines()
    assert rows[3].split()[:4] == ["step", "warp", "line", "lanes"]
    assert rows[4].split()[:3] == ["1", "0", "14"]
    assert rows[13].split()[:3] == ["10", "1", "14"]


def test_a_long_run_is_cut_and_says_so():
    report = handmade.warp_report(64)
    report = handmade.first_changed(report, frames=report.variants[0].frames * 5)
    assert f"… {45 - text.FRAMES_SHOWN} more steps" in text.warp_player(report)


def test_the_block_mapper_as_text():
    assert (
        text.block_mapper(handmade.block_report(((200, 1, 1), 64)))
        == """\
From threads to warps

200 threads, 64 lanes (by hand): block (200, 1, 1)
  warp 0: 64 threads (0, 0, 0) to (63, 0, 0)
  warp 1: 64 threads (64, 0, 0) to (127, 0, 0)
  warp 2: 64 threads (128, 0, 0) to (191, 0, 0)
  warp 3: 8 threads (192, 0, 0) to (199, 0, 0), 56 of 64 lanes idle"""
    )


def test_the_bank_view_as_text():
    assert (
        text.bank_view(handmade.bank_report(4))
        == """\
Strides

stride 4: 2 requests, 5 wavefronts, 3 bank conflicts
line 9, store data[4 * t], 4 bytes per lane, warp 0: 4 wavefronts, 3 by bank conflicts: \
lane 8 waits for lane 0 at bank 0
line 11, load data[3], 4 bytes per lane, warp 0: 1 wavefront, no bank conflict"""
    )


def test_phases_are_counted_where_there_are_several():
    report = handmade.bank_report(1)
    store, load = report.variants[0].accesses
    phases = tuple(
        bank.Phase((first, first + 15), "half-warp", ((bank.Served(3, 3, (first, first + 1)),),), ())
        for first in (0, 16)
    )
    report = handmade.first_changed(report, accesses=(store, replace(load, phases=phases, wavefronts=2)))
    assert text.bank_view(report).endswith("2 wavefronts in 2 phases, no bank conflict")


def test_the_sector_view_as_text():
    assert (
        text.sector_view(handmade.sector_report(2))
        == """\
Strides

stride 2: 1 request
line 5, load x[2 * t], 4 bytes per lane, warp 0: the lanes want 128 bytes; \
32 transactions, 1,024 bytes (12.5 % wanted) under compute capability 1.0 and 1.1; \
2 segments, 256 bytes (50.0 % wanted) under compute capability 1.2 and 1.3; \
8 sectors, 256 bytes (50.0 % wanted) under 32-byte sectors, 2.0 and later, this device"""
    )


@pytest.mark.parametrize(
    ("still", "report"),
    [(text.bank_view, handmade.bank_report()), (text.sector_view, handmade.sector_report())],
)
def test_accesses_that_are_not_drawn_are_counted(still, report):
    assert still(handmade.first_changed(report, left_out=7)).endswith("… and 7 more of its accesses")


def test_accesses_of_many_warps_say_so():
    report = handmade.sector_report()
    (access,) = report.variants[0].accesses
    access = replace(access, made=replace(access.made, alike=(1, 2, 3), times=12))
    report = handmade.first_changed(report, accesses=(access,))
    assert "warp 0 and 3 more alike, made 12 times" in text.sector_view(report)


def test_the_schedule_explorer_as_text():
    assert (
        text.schedule_explorer(handmade.schedule_report())
        == """\
neighbour, 4 threads: 8 schedules
  1. 5 × x = [10, 20, 30, 0]
  2. 2 × x[0]: -1, not 10; x[1]: -1, not 20; x[2]: -1, not 30
  3. 1 × OutOfBounds: made up for the picture

friendly, outcome 1
step  warp  line  mask
   1     0     5  0000000f
   2     0     6  0000000f  <- first difference

seed 3, outcome 2
step  warp  line  mask
   1     0     5  00000001
   2     0     6  00000001  <- first difference
   3     0     5  00000002
   4     0     6  00000002
   5     0     5  00000004
   6     0     6  00000004
   7     0     5  00000008
   8     0     6  00000008

thread 0 reads 10 from s[1], which thread 1 wrote in step 1 (line 5); \
in the other schedule it reads -1 from s[1], where nobody had written
there, thread 0 read s[1] in step 2, before thread 1 wrote it in step 3 (line 5)"""
    )


def test_the_carveout_explorer_as_text():
    report = gpusim.explore_carveouts(
        ["V100", "H200", "P100", "K40"],
        start={"shared_bytes": 64 * 1024, "threads": 256, "percent": 50, "cache_config": "none"},
    )
    assert (
        text.carveout_explorer(report)
        == """\
Shared memory and L1: 64 KB of shared memory and 256 threads a block, 50 %

    shared        L1  blocks  (V100)
      0 KB    128 KB       0
      8 KB    120 KB       0
     16 KB    112 KB       0
     32 KB     96 KB       0
     64 KB     64 KB       1  <- chosen
     96 KB     32 KB       1

V100: 50 % of 96 KB are 48 KB, which V100 does not offer; the next capacity up is 64 KB. \
Blocks at once: 1 × 64 KB, 12.5 % occupancy; other limits would allow 8. \
More than 48 KB a block: the array must be dynamic, and the kernel must opt in.
H200: 50 % of 228 KB are 114 KB, which H200 does not offer; the next capacity up is 132 KB. \
Blocks at once: 2 × 65 KB (1 KB of it reserved), 25 % occupancy; other limits would allow 8. \
More than 48 KB a block: the array must be dynamic, and the kernel must opt in.
P100: P100 refuses the launch: one block may have 48 KB of shared memory at most.
K40: K40 refuses the launch: one block may have 48 KB of shared memory at most."""
    )


def test_the_carveout_explorer_as_text_with_a_requirement():
    report = gpusim.explore_carveouts(["K40"], start={"shared_bytes": 4096, "cache_config": "l1"})
    rows = text.carveout_explorer(report).splitlines()
    assert rows[0] == (
        "Shared memory and L1: 4 KB of shared memory and 256 threads a block, cudaFuncCachePreferL1"
    )
    assert rows[3] == "     16 KB     48 KB       4  <- chosen"
    assert rows[-1] == (
        "K40: cudaFuncCachePreferL1 requires 16 KB: if the launch before had another split, this one waits "
        "for it. Blocks at once: 4 × 4 KB, 50 % occupancy; other limits would allow 8."
    )


def test_the_occupancy_explorer_as_text():
    report = gpusim.explore_occupancy(gpusim.occupancy("V100", threads=96, registers_per_thread=32))
    assert text.occupancy_explorer(report).splitlines()[:3] == [
        "What fits on a multiprocessor: 96 threads per block, 32 registers per thread, 0 bytes of shared "
        "memory per block",
        "  V100: 21 blocks, 63 of 64 warps. Warps and registers let no more in: one block more needs blocks "
        "of at most 64 threads.",
        "  H200: 21 blocks, 63 of 64 warps. Warps and registers let no more in: one block more needs blocks "
        "of at most 64 threads.",
    ]


def test_the_block_placement_as_text():
    assert text.block_placement(gpusim.explore_placement()).splitlines()[:3] == [
        "Which block runs where",
        "H200: 4 multiprocessors, made up: 10 blocks on 4 multiprocessors, 2 at once on each: 2 waves, "
        "2 blocks in the last, over after 2 turns. For the last 50 % of the time nobody waits: 50 % of the "
        "multiprocessors' time and 75 % of the places' are free.",
        "    0: blocks 0 (0–1), 4 (0–1), 8 (1–2)",
    ]


def test_the_group_map_as_text():
    tiles = gpusim.explore_groups(20, tile=16, lanes=[64])
    assert (
        text.group_map(tiles)
        == """\
Who works together: tiles in a block of 20 threads
warps of 64 lanes
  group 0 of 2: size 16, from thread 0 on, mask 0x000000000000ffff
  group 1 of 2: size 16, from thread 16 on, mask 0x00000000000f0000"""
    )
    some = gpusim.explore_groups(groups="binary", tile=1, lanes=[32], conditions={"t > 0": lambda t: t > 0})
    assert text.group_map(some).splitlines()[2] == "  group 0 of 1: size 1, from thread 0 on, mask 0x00000001"
    assert text.group_map(some).splitlines()[-1] == "  … and 48 more groups"


def test_the_parameter_packer_as_text():
    report = gpusim.explore_parameters(["char c", "const int* p", "short s"], address_bits=32)
    assert text.parameter_packer(report).splitlines() == [
        "The parameters of a kernel, 32-bit addresses: the buffer begins at 0x10000040, a multiple of 64",
        "`char c` may begin at any address: byte 0.",
        "`const int *p` needs an address divisible by 4: 3 bytes of padding, then bytes 4 to 7.",
        "`short s` needs an address divisible by 2: no padding, bytes 8 to 9.",
        "10 bytes, 3 of them padding between parameters. "
        "In the order p, s, c it would be 7, without padding.",
    ]


def test_the_timeline_as_text():
    run = real.launched(2)
    report = gpusim.explore_timeline({"L2": run, "DRAM": run.timeline(warm=False)}, title="A load", clocks=70)
    rows = text.timeline(report).splitlines()
    used = report.variants[0].used
    assert rows[:2] == ["A load", f"L2, H200: {used} of 280 issue slots used"]
    assert rows[2] == "  scheduler  warp  clocks 0 to 69 of one multiprocessor"
    states = [unpacked(warp.states) for warp in report.variants[0].warps]
    assert rows[3:5] == [f"          {warp}     {warp}  {each}" for warp, each in enumerate(states)]
    assert rows[5].startswith("DRAM: ")
    assert rows[6].startswith("issued: F FP32; I INT32; ")
    assert "m stalled_long_scoreboard" in rows[6]


def test_the_tile_explorer_as_text():
    assert (
        text.tile_explorer(gpusim.explore_tile())
        == """\
A tile in 32 banks: wavefronts of a warp that reads a column of 32 rows
  4 bytes: pitch 30: 2, pitch 31: 1, pitch 32: 32, pitch 33: 1, pitch 34: 2, pitch 35: 1, pitch 36: 4; \
pitch 32, swizzled: 1
  8 bytes: pitch 14: 4, pitch 15: 2, pitch 16: 32, pitch 17: 2, pitch 18: 4; pitch 16, swizzled: 2
  16 bytes: pitch 6: 8, pitch 7: 4, pitch 8: 32, pitch 9: 4; pitch 8, swizzled: 4"""
    )


def test_the_memory_chart_as_text():
    assert (
        text.memory_chart(handmade.memory_chart(2))
        == """\
Lines

2 lines
  Kernel and Global, loads: 1 request, 256 bytes
  Global and L1, loads: 8 sectors, 256 bytes
  Kernel and Global, stores: 1 request, 32 bytes
  Global and L1, stores: 1 sector, 32 bytes
  L1 and L2, loads: 8 sectors, 256 bytes
  L1 and L2, stores: 1 sector, 32 bytes
  Global: 4.5 sectors per request
  L1: 0.0 % hit of loads
  L2: 100.0 % hit of loads"""
    )


def test_the_stride_explorer_as_text():
    rows = text.stride_explorer(gpusim.explore_strides(widths=(16, 4))).splitlines()
    assert rows[0] == "A warp loads x[offset + stride * t]: sectors that 32 lanes touch, without an offset"
    assert rows[1].startswith("  16 bytes: stride 0: 1, stride 1: 16, stride 2: 32, stride 3: 32")
    assert rows[2].startswith("  4 bytes: stride 0: 1, stride 1: 4, stride 2: 8, stride 3: 12")


def test_the_roofline_as_text():
    assert text.roofline(handmade.roofline_report()).splitlines() == [
        "Rooflines",
        "small: FP32 64, FP64 32, DRAM 4, L2 8",
        "large: FP32 64, FP64 32, DRAM 4, L2 8",
        "kernel 0: Bound by latency.",
        "  1e+12 of 4e+12 by DRAM.",
        "  1e+12 of 8e+12 by L2.",
        "kernel 1: Bound by latency.",
        "  It computes no floats; of DRAM it moves 1 TB/s.",
        "  It computes no floats; of L2 it moves 1 TB/s.",
    ]


def test_the_launch_tree_as_text():
    lines = text.launch_tree(trees.with_tails().growth_report()).splitlines()
    first = trees.tails.py_func.__code__.co_firstlineno + 2
    assert lines[:5] == [
        "tails",
        "",
        "tails: 6 grids on H200, CDP2",
        "  tails #0<<<1, 1, 0 bytes>>> by the host",
        "    child #1<<<1, 1, 0 bytes, default stream>>> by thread (0, 0, 0) of block (0, 0, 0) of tails #0, "
        f"line {first}",
    ]
    assert lines[9] == "  1. The host launches tails #0. It waits for nothing."
    assert lines[-1].endswith("tails #0 is over: all that it launched is over.")
