"""A GPU that runs in Python: real kernels, whole grids, and the counters that Nsight Compute would show.

>>> import gpusim
>>> from gpusim import cuda
"""

from gpusim import cuda, devices
from gpusim.context import use

__all__ = ["cuda", "devices", "use"]
