"""Which names from outside a kernel mean something in it? Not a function of the host, nor an object."""

from __future__ import annotations

from collections.abc import Hashable
from enum import Enum, EnumMeta
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from gpusim.frontends.python import types
from gpusim.frontends.python.builtins.functions import FUNCTIONS
from gpusim.frontends.python.builtins.groups import Group
from gpusim.frontends.python.builtins.intrinsics import Intrinsic
from gpusim.ir.details import SpecialRegister

KINDS = (
    str,
    tuple,
    np.ndarray,
    np.dtype,
    Enum,
    EnumMeta,
    ModuleType,
    SimpleNamespace,
    Intrinsic,
    SpecialRegister,
)
# what marks a function of the runtime, a device function, Numba's own, a kernel, an array on the device
MARKS = ("in_kernels", "device_function", "targetoptions", "launched_with", "device_ctypes_pointer")


def is_usable(found: Any) -> bool:
    """May a kernel name it? `np`, a number, an array, a device function: yes; `display`: no.

    >>> import math
    >>> [is_usable(each) for each in (math, math.sqrt, np.float32, 5, print, open, Exception)]
    [True, True, True, True, True, False, False]
    """
    if isinstance(found, KINDS) or types.of_constant(found) is not None or types.of_name(found) is not None:
        return True
    if isinstance(found, type):
        return issubclass(found, Group) or (issubclass(found, tuple) and hasattr(found, "_fields"))
    return any(hasattr(found, mark) for mark in MARKS) or (isinstance(found, Hashable) and found in FUNCTIONS)
