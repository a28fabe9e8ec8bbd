"""The sector view's report: the same addresses under three rules, each as the counters count them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import ReportError

RULE_OF = {"G80": "cc1.0", "GT200": "cc1.2", "H200": "sectors32", "MetaX C500": "sectors32"}


@cuda.jit
def strided(x, y, stride):
    t = cuda.threadIdx.x
    if t != 3:
        y[t] = x[stride * t + 1]


@cuda.jit
def add_to_one(x):
    cuda.atomic.add(x, 0, 1.0)


def profiled(device, stride, threads=32, first=0):
    x, y = np.zeros(64 * 40, np.float32), np.zeros(64, np.float32)
    with gpusim.profile(device) as run:
        strided[1, threads](x[first:], y, stride)
    return run


def pictures(run):
    return run.sector_report().as_dict()["variants"][0]["accesses"]


def test_one_float_off_under_three_rules_by_hand():
    """1.0: 31 transactions of 32 bytes. 1.2: 128 bytes for lanes 0-15, and 64 + 32 for the rest. Today: 5."""
    load, store = pictures(profiled("H200", 1))
    assert load["expression"] == "x[stride * t + 1]"
    assert load["wants"] == [[lane, 4 * lane + 4] for lane in range(32) if lane != 3]
    assert load["bytes_wanted"] == 124
    assert {rule: (found["transfers"], found["bytes_moved"]) for rule, found in load["rules"].items()} == {
        "cc1.0": (31, 31 * 32),
        "cc1.2": (3, 128 + 64 + 32),
        "sectors32": (5, 160),
    }
    assert load["rules"]["sectors32"]["percent_wanted"] == 77.5
    assert load["rules"]["sectors32"]["moves"][-1] == [128, 32, [31], 160]
    # the idle lane 3 disturbs nobody
    assert [move[:3] for move in store["rules"]["cc1.0"]["moves"]] == [
        [0, 64, [lane for lane in range(16) if lane != 3]],
        [64, 64, [*range(16, 32)]],
    ]


@pytest.mark.parametrize("device", RULE_OF)
@pytest.mark.parametrize("stride", [1, 2, 32])
@pytest.mark.parametrize("first", [0, 5])
def test_the_pictures_sum_to_the_runs_counters(device, stride, first):
    run = profiled(device, stride, threads=64, first=first)
    rule, (variant,) = RULE_OF[device], run.sector_report().as_dict()["variants"]
    assert variant["rule"] == rule
    for kind in ("load", "store"):
        own = [access for access in variant["accesses"] if access["kind"] == kind]
        moved = sum(access["times"] * access["rules"][rule]["bytes_moved"] for access in own)
        assert moved == 32 * getattr(run, f"global_{kind}_sectors")
        if rule != "sectors32":
            transfers = sum(access["times"] * access["rules"][rule]["transfers"] for access in own)
            assert transfers == getattr(run, f"global_{kind}_transactions")
    assert variant["totals"]["requests"] == run.global_load_requests + run.global_store_requests
    assert variant["totals"][rule]["bytes_moved"] == 32 * (run.global_load_sectors + run.global_store_sectors)


@pytest.mark.parametrize("device", RULE_OF)
def test_every_lane_is_served_once_by_bytes_that_hold_what_it_wants(device):
    for access in pictures(profiled(device, 3, threads=64)):
        wants = dict(access["wants"])
        for found in access["rules"].values():
            served = [lane for _, _, lanes, _ in found["moves"] for lane in lanes]
            assert sorted(served) == sorted(wants)
            for first, length, lanes, _ in found["moves"]:
                for lane in lanes:
                    assert first <= wants[lane] <= wants[lane] + access["width"] - 1 < first + length


def test_the_bytes_moved_so_far_end_at_all_bytes_moved():
    for access in pictures(profiled("H200", 2)):
        for found in access["rules"].values():
            assert found["moves"][-1][3] == found["bytes_moved"] == sum(move[1] for move in found["moves"])


def test_where_an_array_begins_within_its_line_is_told():
    x, y = cuda.to_device(np.zeros(64, np.float32)), np.zeros(64, np.float32)
    with gpusim.profile() as run:
        strided[1, 32](x[3:], y, 1)
    load, _ = pictures(run)
    assert load["array_byte"] == 12
    assert load["wants"][0] == [0, 16]


def test_atomics_are_not_transfers():
    with gpusim.profile() as run:
        add_to_one[1, 32](np.zeros(1))
    with pytest.raises(ReportError, match="no load or store of global memory"):
        run.sector_report()


def test_a_view_of_six_runs_stays_small():
    runs = [profiled("H200", stride) for stride in (1, 2, 4, 8, 16, 32)]
    report = gpusim.views.sector_view(*runs).report
    assert len(json.dumps(report.as_dict(), separators=(",", ":"))) < 40_000
