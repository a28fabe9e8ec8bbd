"""Do blocks get the multiprocessors, and the times, that an H200 gave them? Records in `placement.json`.

Numbers of multiprocessors do not count: a GPU goes around its clusters, and each has its own broken ones.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from gpusim import devices
from gpusim.devices.occupancy import blocks_per_multiprocessor
from gpusim.timing.placement import placed

RECORDED = json.loads((Path(__file__).parent / "placement.json").read_text())
MULTIPROCESSORS, LONG, CLOCK_MHZ, LEAVING_MICROSECONDS = 132, 8, 1980, 0.2


@pytest.mark.parametrize("row", RECORDED["rows"], ids=lambda row: "-".join(map(str, row[:5])))
def test_blocks_spread_start_in_order_and_follow_whoever_leaves(row):
    blocks, threads, shared_bytes, cycles, each, multiprocessors, starts, _ends = row
    resident = blocks_per_multiprocessor(
        devices.get("H200"), threads=threads, registers_per_thread=16, shared_bytes=shared_bytes
    )
    work = np.where((np.arange(blocks) % each == 0) if each else np.zeros(blocks, bool), LONG, 1.0)
    stays = placed(work, float(resident), 1.0, MULTIPROCESSORS, resident)
    turn = cycles / CLOCK_MHZ + LEAVING_MICROSECONDS
    assert [round(start / turn) for start in starts] == [round(stay.start) for stay in stays]
    latest = np.maximum.accumulate(starts)
    assert (latest - starts <= 1).all(), "in the order of their numbers, to a microsecond"
    together = [number for number, start in enumerate(starts) if round(start / turn) == 0]
    spread = Counter(multiprocessors[number] for number in together)
    assert sorted(spread.values()) == sorted(Counter(stays[n].multiprocessor for n in together).values())
