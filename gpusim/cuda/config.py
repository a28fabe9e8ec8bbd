"""Which settings of Numba does a program find? Those that the environment may change, with their defaults.

`NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS=0` in the environment switches a warning off.
"""

from __future__ import annotations

import os


def _set(name: str, default: int) -> int:
    return int(os.environ.get(f"NUMBA_{name}", default))


ENABLE_CUDASIM = _set("ENABLE_CUDASIM", 0)
CUDA_LOW_OCCUPANCY_WARNINGS = _set("CUDA_LOW_OCCUPANCY_WARNINGS", 1)
CUDA_WARN_ON_IMPLICIT_COPY = _set("CUDA_WARN_ON_IMPLICIT_COPY", 1)
DISABLE_PERFORMANCE_WARNINGS = _set("DISABLE_PERFORMANCE_WARNINGS", 0)
DISABLE_JIT = _set("DISABLE_JIT", 0)
