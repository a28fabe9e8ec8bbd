"""How is a kernel to be launched? CUDA's function attributes: nothing of them changes what was compiled.

They are of the kernel, not of a launch: what is set holds for all launches that follow, on every device.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpusim.devices import Device
from gpusim.devices.carveout import DEFAULT, is_preference
from gpusim.errors import LaunchError
from gpusim.whole import is_whole


@dataclass(frozen=True)
class Attributes:
    """What was set. `max_dynamic_shared_bytes`: None where the kernel has not opted in to more than 48 KiB.

    `carveout_percent` and `cache_config` say how it would have shared memory and L1 split
    (`gpusim.devices.carveout`). The blocks of a `cooperative` launch must all be resident.
    """

    max_dynamic_shared_bytes: int | None = None
    carveout_percent: int = DEFAULT
    cache_config: str = "none"
    cooperative: bool = False


UNASKED = Attributes()


def checked_dynamic_bytes(name: str, device: Device, static_bytes: int, size: int) -> int:
    """Can a block have so much dynamic shared memory beside what it declares? Raises `LaunchError` if not."""
    most = device.shared_bytes_per_block_optin
    if not is_whole(size) or not 0 <= size <= most - static_bytes:
        raise LaunchError(
            f"cudaErrorInvalidValue: {name} cannot have {size!r} bytes of dynamic shared memory: "
            f"{device.name} allows {most} a block ({device.cited('shared_bytes_per_block_optin')}), of which "
            f"{static_bytes} are static"
        )
    return int(size)


def checked_percent(name: str, device: Device, percent: int) -> int:
    """Is this a carve-out? -1, or 0 to 100; raises `LaunchError` for anything else."""
    if not is_preference(percent):
        raise LaunchError(
            f"cudaErrorInvalidValue: {name} cannot prefer a carve-out of {percent!r}: it is a whole number "
            f"of percent, from 0 (cudaSharedmemCarveoutMaxL1) to 100 (cudaSharedmemCarveoutMaxShared) of the "
            f"{device.shared_bytes_per_multiprocessor} bytes that a multiprocessor of {device.name} has at "
            f"most ({device.cited('shared_bytes_per_multiprocessor')}), or -1 (cudaSharedmemCarveoutDefault)"
        )
    return int(percent)
