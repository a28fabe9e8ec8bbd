"""The stills: the same reports where nothing can move."""

from __future__ import annotations

from gpusim.views import text
from tests.views import handmade


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


def test_with_several_warps_every_row_names_its_warp():
    rows = text.warp_player(handmade.warp_report(32)).splitlines()
    assert rows[3].split()[:4] == ["step", "warp", "line", "lanes"]
    assert rows[4].split()[:3] == ["1", "0", "14"]
    assert rows[13].split()[:3] == ["10", "1", "14"]


def test_a_long_run_is_cut_and_says_so():
    report = handmade.warp_report(64)
    report["variants"][0]["frames"] *= 5
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

thread 0 reads 10 from s[1]; in the other schedule it reads -1 from s[1]"""
    )
