"""A GPU that runs in Python: real kernels, whole grids, and the counters that Nsight Compute would show.

* Write a kernel: `cuda` (Numba's dialect), or `RawKernel` and `RawModule` (CUDA C++).
* Run it: `kernel[grid, block](…)`, on the device that `use` chose. `cudart`: the calls of a host program.
* Measure it: `with profile() as run:` counts; `run.timing()`, `run.advice()`, `run.streams()`,
  `run.launch_tree()`; `compare` two of them.
* Play with it: `playground(kernel)` in JupyterLab runs it again, and draws it, after each change of its text,
  its launch or its numbers.
* Check it: `with sanitize() as report:` finds races and stray accesses, and `report.visibility()` says what
  kernels that launch kernels see of each other's writes; `explore_schedules` tries orders.
* Launch kernels from kernels: `child[grid, block, stream](…)`, and calls that `help(gpusim.cudart)` lists;
  `explore_limits` and `pack_parameters` work out what such launches need.
* Work out what fits: `occupancy`, `devices`, and the other `explore_…`. `views` draws what you found.
"""

from typing import TYPE_CHECKING, Any

from gpusim import cuda, cudart, devices, views
from gpusim.checkers.explore_order import explore_order
from gpusim.checkers.sanitize import sanitize
from gpusim.cpp.kernel import RawKernel
from gpusim.cpp.module import RawModule
from gpusim.errors import GpuSimError, suggestion
from gpusim.limits import explore_limits
from gpusim.measurements.carveouts import explore_carveouts
from gpusim.measurements.groups import explore_groups
from gpusim.measurements.occupancies import explore_occupancy
from gpusim.measurements.strides import explore_strides
from gpusim.measurements.tiles import explore_tile
from gpusim.notebook import load_ipython_extension
from gpusim.packing import explore_parameters, pack_parameters
from gpusim.playground import playground
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
    "explore_limits",
    "explore_occupancy",
    "explore_order",
    "explore_parameters",
    "explore_placement",
    "explore_schedules",
    "explore_strides",
    "explore_tile",
    "explore_timeline",
    "load_ipython_extension",
    "occupancy",
    "pack_parameters",
    "playground",
    "predict",
    "profile",
    "sanitize",
    "show_roofline",
    "table",
    "use",
    "views",
]

if not TYPE_CHECKING:  # to mypy, what has this has every attribute

    def __getattr__(name: str) -> Any:
        hint = f"it is gpusim.cuda.{name}" if name in dir(cuda) else suggestion(name, __all__)
        raise AttributeError(f"gpusim has no {name!r}; {hint or 'dir(gpusim) lists its names'}")
