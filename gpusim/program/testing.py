"""What does a test for Numba's CUDA target import from `numba.cuda.testing`? Decorators, by what is so here.

A test that Numba's own simulator cannot run is run; one that needs parts of CUDA itself is skipped.
"""

from __future__ import annotations

import unittest
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

from gpusim.runtime.device import close, get_current_device


def _always(_reason: str) -> Any:
    return lambda test: test


def _never(reason: str) -> Any:
    return unittest.skip(reason)


def cc_X_or_above(major: int, minor: int) -> bool:
    """Has the device in force this compute capability, or a later one?"""
    capability = get_current_device().compute_capability
    return capability is not None and capability >= (major, minor)


def _unless(major: int, minor: int) -> Callable[[Any], Any]:
    return lambda test: unittest.skipUnless(cc_X_or_above(major, minor), f"requires cc >= {major}.{minor}")(
        test
    )


class ForeignArray:
    """An array of the device that shows nothing but its CUDA array interface."""

    def __init__(self, arr: Any) -> None:
        self._arr = arr
        self.__cuda_array_interface__ = arr.__cuda_array_interface__


NEVER = (
    "skip_unless_cudasim", "skip_without_nvdisasm", "skip_unless_conda_cudatoolkit",
)  # fmt: skip
ALWAYS = (
    "skip_on_cudasim", "skip_if_external_memmgr", "skip_under_cuda_memcheck", "skip_with_nvdisasm",
    "skip_on_arm", "skip_if_mvc_enabled", "skip_with_cuda_python",
)  # fmt: skip
NAMES: dict[str, Any] = {
    "unittest": unittest,
    "cc_X_or_above": cc_X_or_above,
    "ForeignArray": ForeignArray,
    **dict.fromkeys(ALWAYS, _always),
    **dict.fromkeys(NEVER, _never),
    "skip_if_cudadevrt_missing": lambda test: test,
    "xfail_unless_cudasim": lambda test: test,
    "skip_if_cuda_includes_missing": unittest.skip("there is no toolkit of CUDA"),
    "skip_if_mvc_libraries_unavailable": unittest.skip("there is no toolkit of CUDA"),
    **{
        f"skip_unless_cc_{major}{minor}": _unless(major, minor)
        for major, minor in ((5, 0), (5, 3), (6, 0), (7, 5))
    },
}


@cache
def _classes() -> dict[str, Any]:
    """The classes of tests: Numba's with its assertions, where it is installed. They are slow to import."""
    try:
        from numba.tests.support import SerialMixin, TestCase
    except ImportError:
        TestCase, SerialMixin = unittest.TestCase, object  # type: ignore[misc, assignment]

    class CUDATestCase(SerialMixin, TestCase):
        """A test that uses the device."""

        def skip_if_lto(self, reason: str) -> None:
            """Skip what linking optimises away: nothing is linked."""

    class ContextResettingTestCase(CUDATestCase):
        """A test after which the device's memory is freed."""

        def tearDown(self) -> None:
            super().tearDown()
            close()

    return {
        "CUDATestCase": CUDATestCase,
        "ContextResettingTestCase": ContextResettingTestCase,
        "SerialMixin": SerialMixin,
        "TestCase": TestCase,
    }


def module(name: str) -> ModuleType:
    """The module of this name, whose classes are made when they are asked for."""
    made = ModuleType(name)
    vars(made).update(NAMES, __path__=[])

    def found(name: str) -> Any:
        if name in ("CUDATestCase", "ContextResettingTestCase", "SerialMixin", "TestCase"):
            return _classes()[name]
        raise AttributeError(f"numba.cuda.testing has no {name!r} here")

    vars(made)["__getattr__"] = found
    return made
