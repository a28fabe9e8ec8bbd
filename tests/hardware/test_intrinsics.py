"""Do lanes get what those of an H200 got? All records that Numba's dialect can express, under both models."""

from __future__ import annotations

import numpy as np
import pytest

from gpusim import cuda
from tests.hardware import intrinsics
from tests.hardware.intrinsics import BITS, KERNELS, RECORDED


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("scheduling", ["independent", "stack"])
def test_lanes_get_what_those_of_an_h200_got(name, scheduling):
    records = intrinsics.warp_records(name)
    assert len(records) >= 7
    assert [record for record in records if not intrinsics.agrees(record, scheduling)] == []


@pytest.mark.parametrize("name", BITS)
def test_bits_as_an_h200_answers(name):
    answers = intrinsics.bits_agree(name)
    assert len(answers) == 64
    assert all(answers)


def test_every_record_is_compared_or_said_to_be_inexpressible():
    rows = intrinsics.summary()
    assert sum(records for _name, records, *_ in rows) == len(RECORDED["warp"]) + sum(
        len(row[1]) for row in RECORDED["bits"]
    )
    assert all(equal == compared for _name, _records, compared, equal, _why in rows)
    assert all(why or compared == records for _name, records, compared, _equal, why in rows)


def test_matches_of_64_bits():
    @cuda.jit
    def match(x, out):
        out[cuda.laneid] = cuda.match_any_sync(0xFFFFFFFF, x[cuda.laneid])

    row = next(row for row in RECORDED["other"] if row["kind"] == "match_any_64")
    out = np.zeros(32, np.uint32)
    match[1, 32](np.array(row["in"]), out)
    assert out.tolist() == row["out"]


def test_shuffles_of_doubles():
    @cuda.jit
    def shift(out):
        out[cuda.laneid] = cuda.shfl_down_sync(0xFFFFFFFF, cuda.laneid + 0.5, 3)

    row = next(row for row in RECORDED["other"] if row["kind"] == "shfl_double")
    out = np.zeros(32)
    shift[1, 32](out)
    # what follows in the record is a shuffle with a width, which the dialect cannot express
    assert out.tolist() == row["out_down3_then_shfl40_width16"][:32]
