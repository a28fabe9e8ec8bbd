"""Does the summary of "What the simulator models" count what the tests find?"""

from __future__ import annotations

from tests.hardware import summary

# rule -> records that differ; each is listed in the test of its rule
OTHERS = {
    "Masks and reconvergence": 1,
    "Divergent branches": 1,
    "Results of CUDA C++ kernels": 3,
    "Verdicts of the checkers": 11,
    "Global atomics, 4-byte additions": 2,
    "Shared atomics of all kinds": 144,
    "Structs and arrays of three floats": 4,
    "Carve-out of a launch": 40,
    "Loads, stores and fences in the caches": 1,
    "Hits in L1, within 1 % of all sectors": 30,
}


def test_each_rule_differs_where_its_own_test_says_so_and_nowhere_else():
    agreements = summary.agreements()
    assert all(agreement.records >= agreement.equal > 0 for agreement in agreements)
    assert {a.rule: a.records - a.equal for a in agreements if a.records != a.equal} == OTHERS
