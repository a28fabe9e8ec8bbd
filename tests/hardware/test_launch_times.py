"""Do children begin and end, by the model, when they did on an H200? Are its figures what was recorded?"""

from __future__ import annotations

import functools
import json
from statistics import median

import pytest

from gpusim.devices.launching import MICROSECONDS, NOTE
from tests.hardware import launch_times

events = functools.cache(launch_times.events)


def of(beginning):
    return {
        tag: at / 1000
        for name, tags in launch_times.recorded().items()
        if name.startswith(beginning)
        for tag, at in tags
    }


@pytest.mark.parametrize("beginning", launch_times.TESTS)
def test_events_are_near_except_where_it_is_said(beginning):
    misses = [e for e in events() if e.test.startswith(beginning) and abs(e.off) > launch_times.NEAR]
    assert bool(misses) is (beginning in launch_times.MISSES)
    assert all(abs(e.off) < 0.31 for e in misses)


def test_all_recorded_times_are_compared():
    """Apart from the kernel that the host launches behind a parent, which the figure `host` is from."""
    left = [name for name in launch_times.recorded() if not name.startswith(tuple(launch_times.TESTS))]
    assert [name[:12] for name in left] == ["host launche"]


def test_a_note_takes_what_lies_between_the_two_of_an_empty_child():
    empty = [of("nested"), of("tail launches"), of("one non-blocking"), of("two non-blocking"), of("events")]
    pairs = [(tag, tag + 1) for tag in (321, 501, 601, 81, 91, 31, 41, 21)]
    spent = [tags[b] - tags[a] for tags in empty for a, b in pairs if a in tags and tags[b] - tags[a] < 1]
    assert median(spent) == pytest.approx(NOTE, abs=0.001)


def test_the_figures_are_medians_of_what_was_recorded():
    tests = json.loads((launch_times.HERE / "dynamic_parallelism.json").read_text())["tests"]
    latency = {
        one["test"].split()[2]: one["issue_cost_in_parent"]
        for one in tests
        if "launch latency" in one["test"]
    }
    two, host, free = of("parent launches"), of("host launches"), of("fire-and")
    streams, one, eight = of("two non-blocking"), of("one non-blocking"), of("8 threads")
    nested, tails, four = of("nested"), of("tail launches"), of("4 blocks")
    starts = sorted(four[tag] for tag in (2001, 2011, 2021, 2031))
    begun = [two[11] - two[3], host[11] - host[3], free[51] - free[2]]
    begun += [each[41] - each[2] for each in (streams, one)]
    followed = [each[21] - each[12] for each in (two, one, host)]
    followed += [streams[31] - streams[12], one[31] - one[22], nested[501] - nested[322]]
    found = {
        "issue": median(latency["default"][1:]) / 1000,
        "free": median(latency["fire-and-forget,"][1:]) / 1000,
        "further_lane": (eight[2] - NOTE - MICROSECONDS["issue"]) / 7,
        "begin": median(begun),
        "interval": (starts[-1] - starts[0]) / 3,
        "follow": median(followed) - NOTE,
        "tail": median([tails[81] - tails[22], nested[321] - nested[312], nested[601] - nested[502]]) - NOTE,
        "host": host[71] - host[22] - NOTE,
    }  # fmt: skip
    assert found == pytest.approx(MICROSECONDS, abs=0.001)
