"""Do as many blocks of the book's kernel fit as an H200's driver said? Is the figure's caption true?"""

from __future__ import annotations

import pytest

import gpusim
from course.occupancy import ATTRACT


@pytest.mark.parametrize("asked", ATTRACT)
def test_as_many_blocks_fit_as_the_driver_said(asked):
    _, threads, shared_bytes = asked
    row = ATTRACT[asked]
    found = gpusim.occupancy(
        "H200", threads=threads, registers_per_thread=row["registers"], shared_bytes=shared_bytes
    )
    assert found.blocks == row["blocks_per_sm"]


def test_beyond_the_knee_more_warps_gain_nothing_and_spilling_loses():
    """The figure's caption."""
    by_blocks = {
        kernel: {row["blocks_per_sm"]: row["ms"] for key, row in ATTRACT.items() if key[:2] == (kernel, 128)}
        for kernel in ("plain", "bounded")
    }
    at_the_knee = by_blocks["plain"][6]
    assert all(ms > 0.99 * at_the_knee for ms in by_blocks["plain"].values())
    assert min(by_blocks["bounded"].values()) > 3 * at_the_knee
    assert by_blocks["plain"][1] > 3 * at_the_knee
