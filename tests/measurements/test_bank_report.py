"""The bank view's report: pictures that sum to the run's counters."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import ReportError
from gpusim.measurements.accesses import MOST_ALIKE


@cuda.jit
def strided(x, stride):
    data = cuda.shared.array(1024, np.float32)
    t = cuda.threadIdx.x
    data[stride * t % 1024] = x[t]
    cuda.syncthreads()
    x[t] = data[stride * t % 1024] + data[3]
    cuda.atomic.add(data, t // 2, x[t])


@cuda.jit
def wide(x):
    data = cuda.shared.array(64, np.complex128)
    t = cuda.threadIdx.x
    data[t] = x[t]
    cuda.syncthreads()
    x[t] = data[t // 4]


def profiled(kernel, device, threads, *arguments):
    with gpusim.profile(device) as run:
        kernel[1, threads](*arguments)
    return run


def strided_run(device, stride, threads=64):
    return profiled(strided, device, threads, np.zeros(64, np.float32), stride)


def pictures(run, line=None):
    return run.bank_report(line).as_dict()["variants"][0]["accesses"]


def test_stride_two_on_32_banks_by_hand():
    store = pictures(strided_run("H200", 2, threads=32))[0]
    (phase,) = store["phases"]
    assert (phase["name"], phase["lanes"]) == ("warp", [0, 31])
    assert phase["wavefronts"][0] == [[2 * lane, 2 * lane, [lane]] for lane in range(16)]
    assert phase["wavefronts"][1] == [[2 * lane, 2 * lane + 32, [lane + 16]] for lane in range(16)]
    assert (store["wavefronts"], store["conflicts"], store["expression"]) == (2, 1, "data[stride * t % 1024]")


def test_a_broadcast_is_one_word_for_all_lanes():
    broadcast = pictures(strided_run("H200", 1, threads=32))[2]
    assert broadcast["expression"] == "data[3]"
    assert broadcast["phases"][0]["wavefronts"] == [[[3, 3, [*range(32)]]]]


def test_a_16_bank_device_serves_half_warps():
    store = pictures(strided_run("G80", 16, threads=32))[0]
    assert [(phase["name"], phase["lanes"]) for phase in store["phases"]] == [
        ("half-warp", [0, 15]),
        ("half-warp", [16, 31]),
    ]
    assert [len(phase["wavefronts"]) for phase in store["phases"]] == [16, 16]
    assert {bank for phase in store["phases"] for wave in phase["wavefronts"] for bank, _, _ in wave} == {0}
    assert (store["wavefronts"], store["conflicts"]) == (32, 30)


def test_sixteen_bytes_are_served_in_quarter_warps_and_neighbours_on_one_address_in_halves():
    store, load = pictures(profiled(wide, "H200", 32, np.zeros(32, np.complex128)))
    assert [phase["name"] for phase in store["phases"]] == ["quarter-warp"] * 4
    assert [phase["lanes"] for phase in load["phases"]] == [[0, 15], [16, 31]]
    assert store["conflicts"] == load["conflicts"] == 0


def test_on_1_x_a_wide_access_is_a_request_for_each_word():
    store, _ = pictures(profiled(wide, "G80", 32, np.zeros(32, np.complex128)))
    assert [phase["name"] for phase in store["phases"]][:4] == [
        f"half-warp, word {word} of 4:" for word in (1, 2, 3, 4)
    ]


@pytest.mark.parametrize("device", ["G80", "GT200", "P100", "H200", "MetaX C500"])
@pytest.mark.parametrize("stride", [1, 2, 3, 16, 17, 32])
def test_the_pictures_sum_to_the_runs_counters(device, stride):
    run = strided_run(device, stride)
    found, totals = pictures(run), run.bank_report().as_dict()["variants"][0]["totals"]
    for kind in ("load", "store", "atomic"):
        own = [access for access in found if access["kind"] == kind]
        drawn = sum(
            access["times"] * sum(len(phase["wavefronts"]) for phase in access["phases"]) for access in own
        )
        assert drawn == getattr(run, f"shared_{kind}_wavefronts")
        assert sum(access["times"] * access["conflicts"] for access in own) == getattr(
            run, f"shared_{kind}_bank_conflicts"
        )
        assert sum(access["times"] for access in own) == getattr(run, f"shared_{kind}_requests")
    kinds = ("load", "store", "atomic")
    assert totals == {
        "requests": sum(getattr(run, f"shared_{kind}_requests") for kind in kinds),
        "wavefronts": sum(getattr(run, f"shared_{kind}_wavefronts") for kind in kinds),
        "conflicts": sum(getattr(run, f"shared_{kind}_bank_conflicts") for kind in kinds),
    }


@pytest.mark.parametrize("device", ["G80", "H200", "MetaX C500"])
def test_every_active_lane_gets_every_word_once(device):
    lanes = 64 if device == "MetaX C500" else 32
    for access in pictures(profiled(wide, device, lanes, np.zeros(64, np.complex128))):
        served = [
            (lane, word)
            for phase in access["phases"]
            for wavefront in phase["wavefronts"]
            for _bank, word, members in wavefront
            for lane in members
        ]
        where = (lambda lane: lane) if access["kind"] == "store" else (lambda lane: lane // 4)
        wanted = [(lane, 4 * where(lane) + word) for lane in range(lanes) for word in range(4)]
        assert sorted(served) == sorted(wanted)


@cuda.jit
def swap(x):
    data = cuda.shared.array(64, np.int32)
    data[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    x[cuda.threadIdx.x] = cuda.atomic.cas(data, cuda.threadIdx.x // 4, 0, 1)


def test_a_compare_and_swap_takes_two_wavefronts_a_lane_of_which_a_conflict_adds_none():
    """Four lanes on a word: 4 turns of 2 wavefronts, and 3 of the turns are conflicts."""
    run = profiled(swap, "H200", 32, np.zeros(32, np.int32))
    _, swapped = pictures(run)
    assert (swapped["kind"], swapped["wavefronts"], swapped["conflicts"]) == ("compare-and-swap", 8, 3)
    assert swapped["phases"][0]["conflicts"] == [2, 4, 6]
    assert (run.shared_atomic_wavefronts, run.shared_atomic_bank_conflicts) == (8, 3)


@cuda.jit
def many(x, n):
    data = cuda.shared.array(4096, np.float32)
    for k in range(n):
        data[(cuda.threadIdx.x * k) % 4096] = x[0]


def test_what_is_too_much_to_draw_is_counted():
    run = profiled(many, "H200", 32, np.zeros(1, np.float32), MOST_ALIKE + 5)
    (variant,) = run.bank_report().as_dict()["variants"]
    assert (len(variant["accesses"]), variant["left_out"]) == (MOST_ALIKE, 5)
    assert variant["totals"]["wavefronts"] == run.shared_store_wavefronts


def test_one_line_alone():
    run = strided_run("H200", 2)
    line = pictures(run)[0]["line"]
    assert {access["line"] for access in pictures(run, line)} == {line}
    assert run.bank_report(line).variants[0].totals.wavefronts == run.shared_store_wavefronts == 4


def test_a_picture_shows_one_launch():
    with gpusim.profile() as run:
        for _ in range(2):
            strided[1, 32](np.zeros(64, np.float32), 1)
    with pytest.raises(ReportError, match="one launch; this run has 2"):
        run.bank_report()


def test_a_view_of_six_runs_stays_small():
    report = gpusim.views.bank_view(
        *(strided_run("H200", stride, 32) for stride in (1, 2, 4, 8, 16, 32))
    ).report
    assert len(json.dumps(report.as_dict(), separators=(",", ":"))) < 40_000
