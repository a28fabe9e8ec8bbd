"""Do all recorded accesses count here as on the H200, by the rules alone and in kernels that run?"""

from __future__ import annotations

import pytest

from tests.hardware import memory

# table -> how many records it has at least
TABLES = {"global": 450, "shared": 1070, "local": 230, "global_atomics": 430, "shared_atomics": 430}
# table -> the records for which the simulator counts something else: their numbers, what the H200 counted
# (requests and sectors of global memory), and what the simulator does
EXCEPTIONS = {"global": {3202: ((1, 12), (1, 11)), 3214: ((1, 18), (1, 17))}}
# operations on shared memory for which the H200 has no instruction, but a loop of attempts to swap
LOOPS = {
    f"{operation}{result}" for operation in ("add_f32", "add_u64", "add_f64") for result in ("", "_result")
}


@pytest.mark.parametrize("counted", [memory.by_rule, memory.by_kernel])
@pytest.mark.parametrize("table", TABLES)
def test_every_recorded_access_counts_as_on_an_h200_but_for_those_listed(table, counted):
    records = list(memory.patterns(table))
    assert len(records) >= TABLES[table]
    found = [miss for miss in memory.misses(records, counted) if not in_a_loop(miss.record)]
    listed = EXCEPTIONS.get(table, {})
    assert {miss.record.number: (miss.record.counted, miss.simulated) for miss in found} == listed


def in_a_loop(record):
    return record.space == "shared" and record.operation in LOOPS


def test_an_atomic_that_the_h200_loops_for_takes_more_wavefronts_than_the_rule_says():
    looping = [record for record in memory.patterns("shared_atomics") if in_a_loop(record)]
    assert len(looping) == 144
    for record in looping:
        wavefronts, conflicts = memory.by_rule(record)
        assert record.counted[0] > wavefronts
        assert record.counted[1] == 0 <= conflicts
        if record.operation.startswith("add_f32"):
            assert record.counted[0] == 2 * wavefronts


def test_rules_and_kernels_are_told_apart_from_wrong_ones():
    record = next(memory.patterns("shared"))._replace(counted=(7, 6))
    assert [miss.simulated for miss in memory.misses([record], memory.by_rule)] == [(1, 0)]
    assert [miss.simulated for miss in memory.misses([record], memory.by_kernel)] == [(1, 0)]
