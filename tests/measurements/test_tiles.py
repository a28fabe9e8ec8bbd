"""How often do the banks work for a column of a tile? The tile explorer's report, checked by a run."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import ReportError
from gpusim.measurements import tiles

PITCH = 34


@cuda.jit
def column(y):
    tile = cuda.shared.array((32, PITCH), np.float32)
    y[cuda.threadIdx.x] = tile[cuda.threadIdx.x, 5]


def test_a_run_counts_the_same():
    with gpusim.profile("H200") as run:
        column[1, 32](np.zeros(32, np.float32))
    (four, *_) = gpusim.explore_tile(pitch=PITCH).variants
    assert run.shared_load_wavefronts == four.wavefronts[PITCH - four.first_pitch] == 2


@pytest.mark.parametrize(("width", "least"), [(4, 1), (8, 2), (16, 4)])
def test_an_odd_pitch_and_the_swizzle_take_the_least_and_every_column_the_same(width, least):
    columns = 128 // width
    for at in range(columns - 2):
        assert tiles.wavefronts(width, columns + 1, column=at) == least
        assert tiles.wavefronts(width, columns, column=at, swizzle=True) == least
        assert tiles.wavefronts(width, columns, column=at) == 32


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"widths": (2, 4)}, "4, 8 or 16 bytes"),
        ({"widths": ()}, "4, 8 or 16 bytes"),
        ({"pitch": 37}, "from 30 to 36"),
        ({"pitch": 33, "swizzle": True}, "with a swizzle 32"),
        ({"column": 32}, "one of the first 30"),
    ],
)
def test_what_no_tile_has_is_refused(choice, message):
    with pytest.raises(ReportError, match=message):
        gpusim.explore_tile(**choice)
