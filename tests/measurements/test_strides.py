"""How many sectors does a stride take? The stride explorer's report, checked by hand."""

from __future__ import annotations

import pytest

import gpusim
from gpusim.errors import ReportError
from gpusim.measurements.strides import sectors


def test_strides_of_floats():
    (four, *_) = gpusim.explore_strides().variants
    assert four.sectors[:9] == (1, 4, 8, 12, 16, 20, 24, 28, 32)
    assert set(four.sectors[8:]) == {32}
    assert len(four.sectors) == 33
    assert sectors(4, 1, offset=1) == 5
    assert sectors(4, 1, offset=8) == 4


@pytest.mark.parametrize(("width", "most"), [(1, 32), (2, 32), (8, 16), (16, 8)])
def test_wide_elements_have_smaller_strides(width, most):
    (variant,) = gpusim.explore_strides(widths=(width,)).variants
    assert len(variant.sectors) == most + 1
    assert variant.sectors[1] == width


@pytest.mark.parametrize("choice", [{"widths": (3,)}, {"widths": ()}, {"stride": 33}, {"offset": -1}])
def test_what_cannot_be_is_refused(choice):
    with pytest.raises(ReportError, match=r"1, 2, 4, 8 or 16 bytes|from 0 to 32"):
        gpusim.explore_strides(**choice)
