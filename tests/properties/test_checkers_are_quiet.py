"""Is a right kernel left in peace, whatever the model, the width and the schedule? Random ones."""

from __future__ import annotations

import math
from itertools import product

from hypothesis import given

import gpusim
from tests.hunting import some
from tests.properties.kernels import Kernel, kernels
from tests.properties.test_machine_agrees import BLOCKS, DEVICES, GRIDS, SEEDS, Dim3


@given(kernel=kernels(), grid=GRIDS, block=BLOCKS, seed=SEEDS)
def test_no_tool_finds_anything(kernel: Kernel, grid: Dim3, block: Dim3, seed: int) -> None:
    schedules = (None, *some(("serial", seed), 2, first=seed))
    for device, scheduling, schedule in product(DEVICES, kernel.models, schedules):
        arguments = kernel.arguments(math.prod(grid) * math.prod(block))
        with gpusim.sanitize(device=device, scheduling=scheduling, schedule=schedule) as report:
            kernel.function[grid, block](*arguments)
        assert report.clean, report
