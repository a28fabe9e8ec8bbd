"""What is in the report that the carve-out explorer draws? The machine's rules, case by case."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import gpusim
from gpusim import cuda, devices
from gpusim.devices.carveout import CACHE_CONFIGS, choose
from gpusim.devices.occupancy import blocks_per_multiprocessor, shared_allocation
from gpusim.errors import ReportError
from gpusim.views import text

KIB = 1024
SIZES = (0, 20 * KIB, 24 * KIB, 100 * KIB)
REPORT = gpusim.explore_carveouts(
    devices.names(), shared_bytes=SIZES, threads=(256, 1024), percents=(-1, 0, 50)
).as_dict()


def test_every_case_is_what_the_rules_give():
    preferences = [(percent, "none") for percent in REPORT["percents"]]
    preferences += [(-1, config) for config in CACHE_CONFIGS[1:]]
    seen = 0
    for variant in REPORT["variants"]:
        device = devices.get(variant["label"])
        for size, row in zip(SIZES, variant["cases"], strict=True):
            for threads, case in zip(REPORT["threads"], row, strict=True):
                if case is None:
                    assert threads > device.max_threads_per_block
                    continue
                others, fitting, capacities, reasons = case
                block = shared_allocation(device, size)
                blocks = blocks_per_multiprocessor(
                    device, threads=threads, registers_per_thread=32, shared_bytes=size
                )
                assert fitting[-1] == blocks <= others
                for place, (percent, config) in enumerate(preferences):
                    found = choose(
                        device, block_bytes=block, blocks=blocks, percent=percent, cache_config=config
                    )
                    capacity = variant["capacities"][int(capacities[place])]
                    assert capacity[0] == found.capacity_bytes
                    assert capacity[2] == f"{found.l1_bytes // KIB} KB"
                    assert fitting[int(capacities[place])] == found.blocks
                    assert REPORT["reasons"][int(reasons[place])] == found.reason
                    seen += 1
    assert seen > 400


def test_occupancy_is_that_of_so_many_blocks():
    for variant in REPORT["variants"]:
        device = devices.get(variant["label"])
        for threads, shares in zip(REPORT["threads"], variant["occupancy"], strict=True):
            warps = -(-threads // device.warp_size)
            assert shares == [
                round(100 * n * warps / device.max_warps_per_multiprocessor, 1) for n in range(len(shares))
            ]
            assert shares[-1] <= 100


def test_hit_rates_are_of_every_capacity():
    with pytest.raises(ReportError, match="V100 offers 6 capacities, not 2"):
        gpusim.explore_carveouts(["V100"], hit_rates={"V100": [1, 2]})


def test_without_other_requests_blocks_ask_for_nothing_to_160_kib():
    """As much as a whole multiprocessor of an A100 has for them, less what is reserved."""
    report = gpusim.explore_carveouts(["A100"]).as_dict()
    sizes = [size for size, *_ in report["variants"][0]["blocks"]]
    assert (sizes[0], sizes[-1]) == (1 * KIB, 161 * KIB)
    assert sizes == sorted(set(sizes))


def test_a_percentage_wants_that_much_and_the_block_nothing():
    h200 = next(variant for variant in REPORT["variants"] if variant["label"] == "H200")
    wanted = dict(zip(REPORT["percents"], h200["wanted"], strict=False))
    assert wanted[0] == [0, "0 KB"]
    assert wanted[50] == [114 * KIB, "114 KB"]


def test_one_case_by_hand():
    """24 KB and 256 threads on a V100 at 50 %: of 96 KB 48, rounded up to 64, which hold 2 of 8 blocks."""
    v100 = next(variant for variant in REPORT["variants"] if variant["label"] == "V100")
    others, fitting, capacities, _ = v100["cases"][SIZES.index(24 * KIB)][0]
    percent = REPORT["percents"].index(50)
    assert (others, fitting) == (8, [0, 0, 0, 1, 2, 4])
    assert v100["wanted"][percent] == [48 * KIB, "48 KB"]
    assert v100["capacities"][int(capacities[percent])] == [64 * KIB, "64 KB", "64 KB"]


@pytest.mark.parametrize(
    ("device", "kib", "verdict"),
    [
        ("V100", 48, ""),
        ("V100", 49, "opt_in"),
        ("V100", 96, "opt_in"),
        ("V100", 97, "refused"),
        ("K40", 49, "refused"),
    ],
)
def test_more_than_48_kib_needs_an_opt_in_and_more_than_the_device_has_is_refused(device, kib, verdict):
    report = gpusim.explore_carveouts([device], shared_bytes=[kib * KIB], start={"shared_bytes": kib * KIB})
    assert report.variants[0].blocks == ((kib * KIB, f"{kib} KB", verdict, 0),)


def test_what_is_reserved_is_said():
    report = gpusim.explore_carveouts(["H200"], shared_bytes=[24 * KIB])
    assert report.variants[0].blocks == ((25 * KIB, "25 KB (1 KB of it reserved)", "", KIB),)


def test_the_sweep_of_six_devices_stays_small():
    assert len(json.dumps(gpusim.explore_carveouts().as_dict(), separators=(",", ":"))) < 60_000


def test_a_run_shows_its_own_launch_first():
    @cuda.jit(shared_memory_carveout=66)
    def kernel(x):
        tile = cuda.shared.array(3000, np.float32)
        tile[cuda.threadIdx.x] = x[cuda.threadIdx.x]
        x[cuda.threadIdx.x] = tile[0]

    with gpusim.profile("T4") as run:
        kernel[1, 96](np.zeros(96, np.float32))
    report = run.carveout_report(percents=(0, 50, 100)).as_dict()
    shared, threads, percent, config = report["start"]
    assert report["title"] == "kernel"
    assert report["variants"][0]["label"] == "T4"
    assert report["shared"][shared] == "11.72 KB"
    assert (report["threads"][threads], report["percents"], report["percents"][percent]) == (
        96,
        [0, 50, 66, 100],
        66,
    )
    assert config == 0
    assert report["registers_per_thread"] == run.kernels[0].registers_per_thread
    case = report["variants"][0]["cases"][shared][threads]
    assert report["variants"][0]["capacities"][int(case[2][percent])][0] == run.kernels[0].carveout_bytes
    with gpusim.profile() as empty:
        pass
    with pytest.raises(ReportError, match="a picture shows one launch; this run has 0"):
        empty.carveout_report()


def test_what_cannot_be_asked_for_is_refused():
    with pytest.raises(ReportError, match="cache_config is one of none, shared, l1, equal, not 'bogus'"):
        gpusim.explore_carveouts(start={"cache_config": "bogus"})
    with pytest.raises(ReportError, match="percents are from 0 to 100, and -1 for no preference"):
        gpusim.explore_carveouts(percents=[250])


def test_one_device_is_a_list_of_one():
    assert gpusim.explore_carveouts("H200") == gpusim.explore_carveouts(["H200"])


def test_a_device_may_offer_more_capacities_than_there_are_digits():
    many = replace(devices.get("H200"), carveouts_bytes=tuple(size * KIB for size in range(0, 228, 19)))
    report = gpusim.explore_carveouts([many], shared_bytes=[0], threads=[64], percents=[100])
    case = report.variants[0].cases[0][0]
    assert len(case.capacities) == len(report.percents) + 3
    place = int(case.capacities[report.percents.index(100)], 36)
    assert place == len(many.carveouts_bytes) - 1 == 11
    at_most = replace(report, start=report.start._replace(percent=report.percents.index(100)))
    rows = text.carveout_explorer(at_most).splitlines()
    assert [row.split()[0] for row in rows if row.endswith("<- chosen")] == [
        str(many.carveouts_bytes[-1] // KIB)
    ]
