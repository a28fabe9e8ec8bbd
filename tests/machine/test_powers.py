"""What is a number to the power of one half? Not always its root."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from gpusim import cuda
from gpusim.ir.instructions import Opcode
from gpusim.machine.functions.arithmetic import ARITHMETIC


def powers(x: Any, n: Any, result: Any) -> None:
    """A kernel of one thread, and a function."""
    for k in range(x.size):
        result[k] = x[k] ** n[k]


def assert_alike(base: Any, exponents: Any, of_angles: int = 0) -> None:
    """Ours and Numba's are the same bits; sines and cosines differ by some of the last place."""
    ours, theirs = np.zeros_like(base), np.zeros_like(base)
    cuda.jit(powers)[1, 1](base, exponents, ours)
    numba.njit(powers, error_model="numpy")(base, exponents, theirs)
    np.testing.assert_allclose(ours, theirs, rtol=4 * np.finfo(base.dtype).eps * of_angles)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (1, 4)])
def test_a_half_is_a_power_like_any_other(dtype, shape):
    """C: pow(-inf, 0.5) is inf and pow(-0.0, 0.5) is 0.0, where sqrt gives NaN and -0.0."""
    base = np.array([[-np.inf, -0.0, 4.0, 0.0]], dtype)
    powers = ARITHMETIC[Opcode.POW](base, np.full(shape, 0.5, dtype))
    assert powers.dtype == dtype
    assert powers.tolist() == [[np.inf, 0.0, 2.0, 0.0]]
    assert not np.signbit(powers).any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("whole", [np.int8, np.int64, np.uint32, np.uint64])
def test_a_float_to_a_whole_number_is_multiplied_as_numba_does(dtype: type, whole: type) -> None:
    chance = np.random.default_rng(1)
    base = chance.uniform(0.3, 3, 400).astype(dtype)
    exponents = chance.integers(0, 40, 400).astype(whole)
    if np.dtype(whole).kind == "i":
        exponents[::2] *= -1
    assert_alike(base, exponents)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_a_complex_number_to_any_power_is_numbas(dtype: type) -> None:
    chance = np.random.default_rng(1)
    base = (chance.normal(size=400) + 1j * chance.normal(size=400)).astype(dtype)
    assert_alike(base, chance.integers(-9, 9, 400), of_angles=64)
    assert_alike(base, chance.normal(size=400).astype(dtype) + dtype(1j), of_angles=64)


def test_complex_powers_of_zero_are_those_of_numbas_device_code():
    """Numba's `cpow_implement`: 0 to -1 is infinite; 3j to 2j is 0, which is 0.04 to mathematics."""
    base, result = np.array([0, 0, 0, 3j]), np.zeros(4, complex)
    cuda.jit(powers)[1, 1](base, np.array([0, 2, -1, 2j]), result)
    assert result[[0, 1, 3]].tolist() == [1, 0, 0]
    assert np.isinf(result[2].real)
