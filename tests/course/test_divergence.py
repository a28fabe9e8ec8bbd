"""With one way into each body, do a stack and program counters give the masks that the chapter promises?"""

from __future__ import annotations

import numpy as np
import pytest

from course.chapters import Kernels
from course.divergence import launch

ZEROS = np.zeros(64, np.int32)
LAUNCHES = {
    "two_sides": (32, ZEROS, 16),
    "nested": (32, ZEROS),
    "trips": (32, np.arange(32, dtype=np.int32) % 5, ZEROS),
    "leave_loop": (32, ZEROS),
    "guarded": (128, np.zeros(70)),
    "price_branch": (64, np.linspace(0, 150, 64), np.zeros(64)),
}
OUTLIERS = (32, np.tile([-2.0, 0.0, 2.0, 0.0], 5), ZEROS)


@pytest.fixture(scope="module")
def of():
    return Kernels("divergence-and-masks")


def masks(kernel, scheduling, *arguments):
    (variant,) = launch(kernel, *arguments, scheduling=scheduling).warp_report().variants
    return sorted((frame.warp, frame.line, frame.stack[-1].mask) for frame in variant.frames)


@pytest.mark.parametrize("name", LAUNCHES)
def test_both_models_give_the_same_masks_at_every_line(of, name):
    kernel, arguments = getattr(of, name), LAUNCHES[name]
    assert masks(kernel, "stack", *arguments) == masks(kernel, "independent", *arguments)


def test_a_body_with_two_ways_into_it_runs_once_for_each_under_a_stack(of):
    runs = [launch(of.outliers, *OUTLIERS, scheduling=model) for model in ("stack", "independent")]
    assert [run.masks(6) for run in runs] == [["00011111", "00044444"], ["00055555"]]
