"""Are the rows of "Parent and child grids" those of the record that stands beside them?"""

from __future__ import annotations

import pytest

from course import row_sums
from tests.hardware.probes import nesting


@pytest.mark.parametrize(("longest", "rows"), [(4096, 2048), (4096, 8192), (65536, 2048)])
def test_the_page_runs_what_was_recorded(longest: int, rows: int) -> None:
    assert row_sums.lengths(longest, rows) == nesting.lengths(longest, rows)


def test_every_way_of_the_page_was_recorded() -> None:
    assert {(row_sums.LONGEST, 2048, most) for most in (*row_sums.MOST, row_sums.BY_BLOCKS)} <= {
        *nesting.sums()
    }
    assert row_sums.TIMES.keys() == {*nesting.sums()}
