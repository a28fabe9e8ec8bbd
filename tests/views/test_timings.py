"""Does a time say what bounds it, why warps stood, and where?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.reports.timing import NSIGHT, STALLS, TimingReport, stall_metric
from gpusim.whole import quantity


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@pytest.fixture(scope="module")
def time():
    n = 1 << 20
    with gpusim.profile("H200") as run:
        saxpy[n // 256, 256](np.float32(2), np.ones(n, np.float32), np.ones(n, np.float32))
    return run.timing()


def test_the_text_begins_with_what_bounds_it(time):
    first, second, *rest = repr(time).splitlines()
    assert first.startswith("saxpy on H200: ")
    assert first.endswith("by the model of time")
    assert second.startswith(f"Bound by {time.bound_by}: ")
    assert any("y[i] += a * x[i]" in line for line in rest)
    assert max(map(len, rest)) < 160


def test_the_html_has_three_small_tables(time):
    page = time._repr_html_()
    assert page.count("<table") == 3
    heads = [part.count("<th ") for part in page.split("</thead>")[:3]]
    assert max(heads) <= 6
    assert "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio" in page


def test_latency_names_what_warps_wait_for():
    with gpusim.profile("H200") as run:
        saxpy[1, 32](np.float32(2), np.ones(32, np.float32), np.ones(32, np.float32))
    assert "warps wait for data from global or local memory" in repr(run.timing())


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (4.37e12, "bytes/s", "4.37 TB/s"),
        (1.5e9, "blocks/s", "1.5 G blocks/s"),
        (12, "requests/s", "12 requests/s"),
        (6.7e13, "FLOP/s", "67 TFLOP/s"),
    ],
)
def test_quantities(value, unit, said):
    assert quantity(value, unit) == said


def test_each_field_and_stall_has_its_name_in_nsight():
    assert set(NSIGHT) <= set(TimingReport.__dataclass_fields__)
    assert stall_metric("selected") == "smsp__average_warps_issue_stalled_selected_per_issue_active.ratio"
    assert len({stall_metric(name) for name in STALLS}) == len(STALLS)
