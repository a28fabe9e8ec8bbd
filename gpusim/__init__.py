"""A GPU that runs in Python: real kernels, whole grids, and the counters that Nsight Compute would show."""

from gpusim import cuda, cudart, devices, views
from gpusim.checkers.explore_order import explore_order
from gpusim.checkers.sanitize import sanitize
from gpusim.cpp.kernel import RawKernel
from gpusim.cpp.module import RawModule
from gpusim.errors import GpuSimError
from gpusim.measurements.carveouts import explore_carveouts
from gpusim.measurements.groups import explore_groups
from gpusim.measurements.occupancies import explore_occupancy
from gpusim.measurements.strides import explore_strides
from gpusim.measurements.tiles import explore_tile
from gpusim.notebook import load_ipython_extension
from gpusim.packing import pack_parameters
from gpusim.profile import profile
from gpusim.profile.compare import compare
from gpusim.runtime.residency import occupancy
from gpusim.runtime.settings import use
from gpusim.schedules.explore import explore_schedules
from gpusim.timing.placements import explore_placement
from gpusim.timing.timeline import explore_timeline
from gpusim.views import predict
from gpusim.views import roofline as show_roofline
from gpusim.views.table import table

__version__ = "0.1.0"
__all__ = [
    "GpuSimError",
    "RawKernel",
    "RawModule",
    "compare",
    "cuda",
    "cudart",
    "devices",
    "explore_carveouts",
    "explore_groups",
    "explore_occupancy",
    "explore_order",
    "explore_placement",
    "explore_schedules",
    "explore_strides",
    "explore_tile",
    "explore_timeline",
    "load_ipython_extension",
    "occupancy",
    "pack_parameters",
    "predict",
    "profile",
    "sanitize",
    "show_roofline",
    "table",
    "use",
    "views",
]
