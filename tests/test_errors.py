"""How does a program catch what goes wrong? All of it as `gpusim.GpuSimError`, and some by Python's names."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda, errors
from gpusim.machine.device_state import DeviceState
from gpusim.profile.run import Run


@cuda.jit
def fill(x):
    x[cuda.grid(1)] = 1


@cuda.jit
def ill_typed(x):
    x[0] = x + 1


@cuda.jit
def insists(x):
    assert x[0] > 5


@cuda.jit
def undefined(x):
    x[0] = lenght  # noqa: F821


@cuda.jit
def unsupported(x):
    x[0] = sum(x)


@pytest.mark.parametrize(
    ("wrong", "ours", "pythons"),
    [
        (lambda x: fill[1, 9](x), errors.OutOfBounds, IndexError),
        (lambda x: ill_typed[1, 1](x), errors.KernelTypeError, TypeError),
        (lambda x: fill[1, 2000](x), errors.LaunchError, ValueError),
        (lambda x: insists[1, 1](x), errors.AssertionFailed, AssertionError),
        (lambda x: undefined[1, 1](x), errors.UndefinedName, NameError),
        (lambda x: unsupported[1, 1](x), errors.UnsupportedConstruct, NotImplementedError),
        (lambda x: gpusim.use("abacus"), errors.UnknownDevice, LookupError),
        (lambda x: Run(DeviceState()).secotrs, errors.NotCounted, AttributeError),
    ],
)
def test_errors_are_pythons_too(wrong, ours, pythons):
    for kind in (ours, pythons, gpusim.GpuSimError):
        with pytest.raises(kind) as caught:
            wrong(np.zeros(8))
        assert type(caught.value) is ours
        assert caught.value.message in str(caught.value)
