"""Is a right kernel left in peace, whatever the model, the width and the schedule? Random ones."""

from __future__ import annotations

import math

import pytest
from hypothesis import given

import gpusim
from tests.properties.kernels import Kernel, kernels
from tests.properties.test_machine_agrees import BLOCKS, DEVICES, GRIDS, SEEDS, Dim3


@pytest.mark.parametrize("device", DEVICES)
@given(kernel=kernels(), grid=GRIDS, block=BLOCKS, seed=SEEDS)
def test_no_tool_finds_anything(device: str, kernel: Kernel, grid: Dim3, block: Dim3, seed: int) -> None:
    for scheduling in kernel.models:
        for schedule in (None, "serial", seed):
            arguments = kernel.arguments(math.prod(grid) * math.prod(block))
            with gpusim.sanitize(device=device, scheduling=scheduling, schedule=schedule) as report:
                kernel.function[grid, block](*arguments)
            assert report.clean, report
