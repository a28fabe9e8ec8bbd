"""What does an extension of a kernel do? It says as what arguments are passed."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from gpusim import cuda
from gpusim.errors import KernelTypeError
from gpusim.runtime.passing import wrap_arg


class Thermometer:
    def __init__(self, degrees):
        self.degrees = degrees


class OfThermometers:
    """Passes the array, in other units, and writes it back afterwards."""

    def prepare_args(self, ty, val, stream, retr):
        if not isinstance(val, Thermometer):
            return ty, val
        device = cuda.to_device(val.degrees + 273.0, stream)
        retr.append(lambda: val.degrees.__setitem__(slice(None), device.copy_to_host() - 273.0))
        return ty, device


class InByDefault:
    def prepare_args(self, ty, val, **_launch):
        assert ty is None or ty == numba.typeof(val)
        return ty, wrap_arg(val, default=cuda.In)


def warm(x, by):
    x[cuda.grid(1)] += by


def test_an_argument_of_another_kind():
    kernel, thermometer = cuda.jit(extensions=[OfThermometers()])(warm), Thermometer(np.arange(3.0))
    kernel[1, 3](thermometer, 5)
    assert thermometer.degrees.tolist() == [5, 6, 7]
    with pytest.raises(KernelTypeError, match="argument 1 of warm is a Thermometer"):
        cuda.jit(warm)[1, 3](thermometer, 5)


def test_another_way_to_pass_arrays():
    kernel, x = cuda.jit(warm), np.zeros(3)
    kernel.extensions.append(InByDefault())
    kernel[1, 3](x, 5)
    assert x.tolist() == [0, 0, 0]
    kernel[1, 3](cuda.InOut(x), 5)
    assert x.tolist() == [5, 5, 5]


def test_the_last_extension_is_asked_first():
    """So the one below sees what it makes of the argument."""
    kernel, thermometer = cuda.jit(warm, extensions=[InByDefault()]), Thermometer(np.arange(3.0))
    kernel.extensions.append(OfThermometers())
    kernel[1, 3](thermometer, 5)
    assert thermometer.degrees.tolist() == [5, 6, 7]
