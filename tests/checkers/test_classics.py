"""Is every classic fault found, whatever the schedule, and is the repaired kernel left in peace?"""

import functools
import math

import pytest

import gpusim
from tests.checkers.kernels import CLASSICS
from tests.hunting import some

FAST, SLOW = (None, "serial", *some(range(4), 2)), (None, "serial", 0)


@functools.cache
def _kernel(name, wrong, lanes):
    """One kernel for all schedules: it is compiled once."""
    return CLASSICS[name].make(wrong, lanes)


def _run(name, wrong, device, model, schedule):
    classic = CLASSICS[name]
    lanes = gpusim.devices.get(device).warp_size
    grid, block, arrays = classic.arguments(lanes)
    with gpusim.sanitize(device=device, scheduling=model, schedule=schedule) as report:
        _kernel(name, wrong, lanes)[grid, block](*arrays)
    return classic, report, classic.result(lanes, *arrays), block


@pytest.mark.parametrize("name", CLASSICS)
def test_the_right_version_is_clean_under_every_schedule(name, device, scheduling):
    for schedule in SLOW if CLASSICS[name].slow else FAST:
        _classic, report, correct, _block = _run(name, False, device, scheduling, schedule)
        assert report.clean, (schedule, report)
        assert not report.warnings
        assert correct, schedule


@pytest.mark.parametrize("name", CLASSICS)
def test_the_fault_is_found_under_every_schedule(name, device, scheduling):
    for schedule in SLOW if CLASSICS[name].slow else FAST:
        classic, report, _correct, block = _run(name, True, device, scheduling, schedule)
        if scheduling not in classic.models:
            assert report.clean, (schedule, report)
            continue
        found = [f for f in report.findings if f.tool == classic.tool]
        assert found, (schedule, report)
        assert {f.hazard for f in found} <= set(classic.hazards), (schedule, report)
        # a broken hand-over lets more than one pair of lines race
        assert any(set(f.lines) <= classic.lines() for f in found), (schedule, report)
        for finding in found:
            for access in finding.accesses:
                assert access.thread is None or access.thread[0] < math.prod(
                    block if isinstance(block, tuple) else (block,)
                )
