"""How does a kernel of `kernels/*.cu` become a test? Its launch, its arguments and what NumPy expects.

>>> @launch("numbers.cu", 1, 64)
... def test_promotions():
...     x, y = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
...     return (x, y), {1: x + 1}

launches the kernel `promotions` of that file with one block of 64 threads on each machine, and compares what
argument 1 then holds.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gpusim

KERNELS = Path(__file__).parent / "kernels"
EVERYWHERE = [(device, model) for device in ("H200", "MetaX C500") for model in ("stack", "independent")]
DIFFERENT = [("H200", "independent"), ("MetaX C500", "stack")]  # each width and each model once

LANES_32 = EVERYWHERE[:2]
LANES_64 = EVERYWHERE[2:]
INDEPENDENT = [("H200", "independent"), ("MetaX C500", "independent")]
TOLERANCE = {2: 2e-3, 4: 2e-5, 8: 1e-12}

Extents = int | tuple[int, ...]
Expected = Mapping[int, Any]
Worked = Callable[[], tuple[tuple[Any, ...], Expected]]


@functools.cache
def module(file: str, *names: str) -> Any:
    """The kernels of a file, compiled once for all tests; `names` lists its template kernels."""
    return gpusim.RawModule(path=str(KERNELS / file), name_expressions=names)


def fresh(file: str, *names: str, options: tuple[str, ...] = ()) -> Any:
    """A module whose `__device__` variables hold their initial values."""
    return gpusim.RawModule(path=str(KERNELS / file), name_expressions=names, options=options)


def function(file: str, name: str) -> Any:
    """A kernel of a file, ready to launch."""
    return module(file, *([name] if "<" in name else [])).get_function(name)


def extents(given: Extents) -> tuple[int, ...]:
    """Blocks or threads as CuPy takes them."""
    return (given,) if isinstance(given, int) else given


def compare(found: np.ndarray[Any, Any], expected: Any, tolerance: float | None = None) -> None:
    """Equal, or for floats as close as their width allows."""
    if found.dtype.kind == "f":
        close = tolerance or TOLERANCE[found.dtype.itemsize]
        np.testing.assert_allclose(found.astype(np.float64), expected, close, close)
    else:
        np.testing.assert_array_equal(found, expected)


def launch(
    file: str,
    grid: Extents,
    block: Extents,
    *,
    shared: int = 0,
    name: str = "",
    machines: list[tuple[str, str]] = DIFFERENT,
    tolerance: float | None = None,
) -> Callable[[Worked], Callable[..., None]]:
    """A test of the kernel that the decorated function is named after; which gives its arguments."""

    def decorate(worked: Worked) -> Callable[..., None]:
        kernel = name or worked.__name__.removeprefix("test_")

        @pytest.mark.parametrize(("device", "model"), machines)
        def test(device: str, model: str) -> None:
            arguments, expected = worked()
            with gpusim.use(device, scheduling=model):
                function(file, kernel)(extents(grid), extents(block), arguments, shared_mem=shared)
            for position, wanted in expected.items():
                compare(arguments[position], wanted, tolerance)

        test.__name__, test.__doc__ = worked.__name__, worked.__doc__
        return test

    return decorate


def integers(count: int, low: int = -100, high: int = 100, dtype: Any = np.int32) -> Any:
    """Numbers that are the same in every run, in [low, high)."""
    return np.random.default_rng(count).integers(low, high, count).astype(dtype)


def floats(*shape: int, dtype: Any = np.float32) -> Any:
    """Numbers in [-1, 1) that are the same in every run."""
    return np.random.default_rng(sum(shape)).uniform(-1, 1, shape).astype(dtype)
