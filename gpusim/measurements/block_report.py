"""How are the threads of a launch's blocks cut into warps? The block mapper's report."""

from __future__ import annotations

from typing import Protocol

from gpusim.devices import Device
from gpusim.reports.block import BlockReport, BlockVariant, Place, WarpThreads


class Launch(Protocol):
    """Of a launch: its kernel's name, its device, and the extents of its grid and blocks."""

    kernel: str
    device: Device
    grid: Place
    block: Place
    warps_per_block: int


def of(launch: Launch) -> BlockReport:
    """The report of one launch."""
    lanes, threads = launch.device.warp_size, coordinates(launch.block)
    shape = " × ".join(str(extent) for extent in launch.block)
    variant = BlockVariant(
        label=f"block {shape}, {lanes} lanes",
        device=launch.device.product_name,
        lanes=lanes,
        block=launch.block,
        warps=tuple(
            WarpThreads(warp, len(members), members[0], members[-1])
            for warp in range(launch.warps_per_block)
            if (members := threads[warp * lanes : (warp + 1) * lanes])
        ),
    )
    return BlockReport(launch.kernel, (variant,))


def coordinates(extents: Place) -> tuple[Place, ...]:
    """All (x, y, z) in linear order, x fastest."""
    x, y, z = extents
    return tuple((i, j, k) for k in range(z) for j in range(y) for i in range(x))
