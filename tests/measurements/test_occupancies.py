"""What does the occupancy explorer get to draw?"""

from __future__ import annotations

import pytest

import gpusim
from gpusim.errors import ReportError, UnknownDevice
from tests.hardware.memory import recording

KNOWN = recording("occupancy")


def test_a_kernel_is_where_it_begins():
    found = gpusim.occupancy("P100", threads=100, registers_per_thread=50, shared_bytes=4356)
    report = gpusim.explore_occupancy(found)
    assert [variant.label for variant in report.variants] == ["P100", "H200", "A100", "V100", "MetaX C500"]
    assert (report.threads, report.registers_per_thread, report.shared_bytes) == (100, 50, 4356)
    assert report.variants[0].says == found.says


def test_recorded_answers_are_those_of_the_file():
    (h200,) = gpusim.explore_occupancy(devices=["H200"], recorded={"H200": KNOWN}).variants
    known, tables = h200.recorded, dict(KNOWN["blocks_per_sm"])
    needed = {name: registers for name, registers, *_ in KNOWN["kernels"]}
    assert known.threads == tuple(KNOWN["block_sizes"])
    assert len(known.blocks) == len(known.registers) * len(known.shared) * len(known.threads) == 14_742
    for kernel in ("kreg24", "kreg192"):
        row = tables[kernel][KNOWN["dynamic_shared_bytes"].index(16384)]
        place = known.registers.index(needed[kernel]) * len(known.shared) + known.shared.index(16384)
        shown = known.blocks[place * len(known.threads) :][: len(known.threads)]
        assert [int(digit, 36) for digit in shown] == row


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"devices": []}, "needs at least one device"),
        ({"threads": 1025}, "threads is 1025; a block on H200 has at most 1024"),
        ({"shared_bytes": 233472}, "shared_bytes is 233472; a block on H200 has at most 232448"),
        ({"devices": ["V100"], "recorded": {"H200": KNOWN}}, "recorded answers of H200, which is not among"),
    ],
)
def test_what_cannot_be_drawn_is_refused(asked, message):
    with pytest.raises(ReportError, match=message):
        gpusim.explore_occupancy(**asked)
    with pytest.raises(UnknownDevice):
        gpusim.explore_occupancy(devices=["H20"])
