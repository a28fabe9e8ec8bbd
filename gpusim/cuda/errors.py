"""Under which of Numba's names does a program catch errors? `numba.core.errors`, as far as these are here."""

from __future__ import annotations

from gpusim.errors import GpuSimError as NumbaError
from gpusim.errors import KernelTypeError as TypingError
from gpusim.errors import LaunchError as KernelRuntimeError
from gpusim.errors import UnsupportedConstruct

LoweringError = UnsupportedError = CudaLoweringError = UnsupportedBytecodeError = UnsupportedConstruct


class NumbaWarning(Warning):
    """What Numba warns of."""


class NumbaPerformanceWarning(NumbaWarning):
    """What Numba thinks slow."""


NumbaDeprecationWarning = NumbaWarning
__all__ = [
    "CudaLoweringError", "KernelRuntimeError", "LoweringError", "NumbaDeprecationWarning", "NumbaError",
    "NumbaPerformanceWarning", "NumbaWarning", "TypingError", "UnsupportedBytecodeError", "UnsupportedError",
]  # fmt: skip
