"""Do warps split in the recorded CUDA C++ as they did on an H200, and as the same kernels in Python do?"""

from __future__ import annotations

import pytest

from tests.hardware import comparison, divergence_cpp
from tests.hardware.comparison import COUNTS, LOOKS, RECORDED, SAME, SIDE
from tests.hardware.scenarios import KERNELS
from tests.hardware.test_divergence import COMPILER_PREDICATES, SPLITS

# of the kernels with as many ways as lanes, the shorter ones: `python -m tests.hardware` compares all
SHORT = [row for row in SPLITS if row[0] not in ("c_kway", "c_kgroup") or row[1] <= 8]


@pytest.mark.parametrize("name", RECORDED)
def test_lanes_pass_points_together_as_on_an_h200(name):
    assert divergence_cpp.outcome(name) == divergence_cpp.expected(name)


@pytest.mark.parametrize("name", KERNELS)
def test_both_languages_give_the_same_events(name):
    """All lanes pass the same points; how often one looks at a lock is a matter of time."""
    same = comparison.compared(divergence_cpp.simulated(name), comparison.simulated(name))
    assert same in ((SAME, LOOKS) if comparison.OUTCOMES[name] == LOOKS else (SAME, SIDE))


def test_shuffles_and_reductions_meet_across_branches():
    """A full mask in both branches: all 32 lanes take part, 16 of them in the other branch."""
    sums = {
        value for point, _mask, value in divergence_cpp.simulated("reduce_both_branches_full_mask") if value
    }
    assert sums == {16 * 1 + 16 * 100}


@pytest.mark.parametrize("row", SHORT)
def test_divergent_branches_are_those_that_an_h200_counted(row):
    _instructions, split = divergence_cpp.counted(*row)
    assert split == COMPILER_PREDICATES.get(row, SPLITS[row])


@pytest.mark.parametrize("threads", [32, 1024])
@pytest.mark.parametrize("ways", [2, 4, 8])
def test_ways_within_a_warp_cost_as_much_more_as_on_an_h200(threads, ways):
    there = {row[1]: row[4] for row in COUNTS if (row[0], row[2]) == ("c_kway", threads)}
    here = {k: divergence_cpp.counted("c_kway", k, threads)[0] for k in (1, ways)}
    assert here[ways] / here[1] == pytest.approx(there[ways] / there[1], rel=0.1)
