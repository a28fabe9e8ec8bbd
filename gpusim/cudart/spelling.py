"""What do all calls return and refuse, and how else are their names spelled?"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from gpusim.errors import LaunchError
from gpusim.runtime.device_figures import Spelled
from gpusim.whole import is_whole


class cudaError_t(IntEnum, metaclass=Spelled):
    """What became of a call?"""

    cudaSuccess = 0
    cudaErrorInvalidValue = 1
    cudaErrorInvalidConfiguration = 9
    cudaErrorInvalidMemcpyDirection = 21
    cudaErrorInvalidDeviceFunction = 98
    cudaErrorInvalidDevice = 101
    cudaErrorInvalidResourceHandle = 400


SUCCESS = cudaError_t.cudaSuccess


def member(kind: type[IntEnum], value: Any) -> Any:
    """The member of an enumeration, or a number of one."""
    known = {int(member): member for member in kind}
    if not is_whole(value) or value not in known:
        raise LaunchError(
            f"cudaErrorInvalidValue: {value!r} is no {kind.__name__}; there are {', '.join(kind.__members__)}"
        )
    return known[value]
