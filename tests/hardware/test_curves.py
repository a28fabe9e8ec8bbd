"""Does the model of time bend as the H200 does? The curves of `timing.json`; thresholds leave room."""

from __future__ import annotations

import pytest

from tests.hardware.curves import curves

CURVES = list(curves())
QUICK = [each for each in CURVES if each.group in ("barriers", "width", "ILP")]


def test_each_curve_has_a_launch_for_each_point():
    """Nothing is run for this."""
    assert len({each.label for each in CURVES}) == len(CURVES)
    assert all(point.work > 0 and point.short != point.long for each in CURVES for point in each.points)


@pytest.mark.parametrize("each", QUICK, ids=lambda each: each.label)
def test_a_quick_curve(each):
    assert each.error < 0.25
    assert each.flat or each.rank > 0.4
