"""A GPU that runs in Python: real kernels, whole grids, and the counters that Nsight Compute would show."""

from gpusim import cuda, cudart, devices, views
from gpusim.compare import compare
from gpusim.context import use
from gpusim.cpp.kernel import RawKernel
from gpusim.cpp.module import RawModule
from gpusim.explore import explore_schedules
from gpusim.measurements.carveouts import explore_carveouts
from gpusim.notebook import load_ipython_extension
from gpusim.profile import profile
from gpusim.sanitize import sanitize

__version__ = "0.1.0"
__all__ = [
    "RawKernel",
    "RawModule",
    "compare",
    "cuda",
    "cudart",
    "devices",
    "explore_carveouts",
    "explore_schedules",
    "load_ipython_extension",
    "profile",
    "sanitize",
    "use",
    "views",
]
