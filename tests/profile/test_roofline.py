"""Where does a run lie under the roofs of its device?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.timing.roofline import roofs


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    y[i] += a * x[i]


@cuda.jit
def doubles(x, rounds):
    i = cuda.grid(1)
    p = x[i]
    for _ in range(rounds):
        p = p * 0.5 + 0.5
    x[i] = p


def run(kernel, grid, block, *arguments):
    with gpusim.profile("H200") as found:
        kernel[grid, block](*arguments)
    return found


def test_the_roofs_of_an_h200_are_its_published_and_measured_figures():
    compute, levels = (
        {limit.name: limit.most for limit in row} for row in (roofs("H200").compute, roofs("H200").levels)
    )
    assert compute["FP32"] == pytest.approx(66.9e12, rel=0.01)
    assert compute["FP64"] == pytest.approx(compute["FP32"] / 2)
    assert levels["DRAM"] == pytest.approx(4.4e12, rel=0.05)
    assert levels["DRAM"] < levels["L2"] < levels["L1 and shared memory"]


def test_saxpy_has_two_operations_for_twelve_bytes():
    """Two floats are read and one is written: with empty caches all 12 bytes go to DRAM and back."""
    n = 1 << 20
    (point,) = (
        run(saxpy, n // 256, 256, np.float32(2), np.ones(n, np.float32), np.ones(n, np.float32))
        .roofline_report()
        .variants
    )
    dram, l2, _ = point.places
    assert dram.intensity == pytest.approx(2 / 12, rel=0.02)
    assert l2.intensity == pytest.approx(2 / 12, rel=0.02)
    assert point.performance < dram.attainable
    assert "0.167 operations per byte of DRAM" in dram.says


def test_doubles_lie_under_their_own_roof():
    found = run(doubles, 132, 1024, np.ones(132 * 1024), 512).roofline_report(devices=("V100",))
    assert [device.name for device in found.devices] == ["H200", "V100"]
    (point,) = found.variants
    assert point.places[0].attainable == pytest.approx(33.5e12, rel=0.01)
    assert "of what FP64 allows" in point.places[0].says


def test_what_computes_nothing_has_no_place_by_intensity():
    @cuda.jit
    def copied(to, x):
        i = cuda.grid(1)
        to[i] = x[i]

    (point,) = run(copied, 64, 256, np.zeros(1 << 14), np.ones(1 << 14)).roofline_report().variants
    assert [place.intensity for place in point.places] == [None, None, None]
    assert point.places[0].says.startswith("It computes no floats; of DRAM it moves ")


def test_views_take_several_runs_and_devices():
    one = run(doubles, 1, 32, np.ones(32), 4)
    view = gpusim.show_roofline(one, one, labels=["a", "b"], devices=("C500", "V100"), title="Two")
    assert [point.label for point in view.report.variants] == ["a", "b"]
    assert [device.name for device in view.report.devices] == ["H200", "MetaX C500", "V100"]
    assert one.show_roofline(devices=("C500",)).report.title == "Roofline: doubles"
