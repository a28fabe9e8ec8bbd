"""What L1 has of what is read again: all but the first reading, or nothing, as its size goes."""

from __future__ import annotations

import gpusim
from course import rereads


def test_what_fits_into_l1_is_loaded_once():
    """48 KB, four times: a V100 has three of four readings with 64 KB of L1 or more, and none with 32."""
    rates = rereads.hit_rates(["V100", "A100"], 48)
    assert rates["V100"] == [75, 75, 75, 75, 75, 0]
    assert rates["A100"][0] is None, "a block takes 1 KB there, so that nobody gets 0 KB"
    report = gpusim.explore_carveouts(["V100", "A100"], hit_rates=rates, hits_of="Read again.")
    assert report.variants[0].hits == (75, 75, 75, 75, 75, 0)
