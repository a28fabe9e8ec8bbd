"""Which GPUs are there, what are their limits, and what fits on a multiprocessor?"""

from gpusim.devices.catalogue import CATALOGUE, get, names
from gpusim.devices.device import Device

__all__ = ["CATALOGUE", "Device", "get", "names"]
