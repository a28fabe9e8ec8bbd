"""Do blocks get the multiprocessors, and the times, that an H200 gave them? Records in `placement.json`."""

from __future__ import annotations

import numpy as np
import pytest

from tests.hardware.placements import RECORDED, launch


@pytest.mark.parametrize("row", RECORDED["rows"], ids=lambda row: "-".join(map(str, row[:5])))
def test_blocks_spread_start_in_order_and_follow_whoever_leaves(row):
    found, starts = launch(row), row[6]
    assert found.starts == found.starts_here
    assert found.shares == found.shares_here
    late = np.maximum.accumulate(starts) - starts
    assert (late <= 1).all(), "in the order of their numbers, to a microsecond"
