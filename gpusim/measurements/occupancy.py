"""How full can a multiprocessor be? 8 blocks of 256 threads are 64 warps: all that an H200's holds.

Theoretical occupancy is what fits, from threads, registers and shared memory; nothing of it is timed.
"""

from __future__ import annotations

from typing import NamedTuple

from gpusim import devices
from gpusim.devices import Device
from gpusim.machine.residency import blocks_per_multiprocessor


class Occupancy(NamedTuple):
    """Blocks and warps that fit on one multiprocessor, their share of the most, and what limits them.

    `limited_by` is "shared memory", "registers", "warps" or "blocks": what a block must use less of, or be
    larger or smaller in, before more fit.
    """

    blocks: int
    warps: int
    theoretical_occupancy: float
    limited_by: str


def theoretical(
    device: str | Device,
    *,
    threads: int,
    registers_per_thread: int,
    shared_bytes: int = 0,
    shared_capacity_bytes: int | None = None,
) -> Occupancy:
    """How many blocks of `threads` threads fit on a multiprocessor, and which resource lets no more in?

    `shared_capacity_bytes`: what the multiprocessor is configured for; all that it can have, unless given.

    >>> theoretical("H200", threads=256, registers_per_thread=32)
    Occupancy(blocks=8, warps=64, theoretical_occupancy=1.0, limited_by='warps')
    >>> theoretical("H200", threads=256, registers_per_thread=32, shared_bytes=48 * 1024)
    Occupancy(blocks=4, warps=32, theoretical_occupancy=0.5, limited_by='shared memory')
    """
    gpu = devices.get(device)

    def fitting(registers: int, shared: int, capacity: int | None) -> int:
        return blocks_per_multiprocessor(
            gpu,
            threads=threads,
            registers_per_thread=registers,
            shared_bytes=shared,
            shared_capacity_bytes=capacity,
        )

    warps = -(-threads // gpu.warp_size)
    blocks = fitting(registers_per_thread, shared_bytes, shared_capacity_bytes)
    if blocks == fitting(1, 0, None):
        by_warps = gpu.max_warps_per_multiprocessor // warps
        limited_by = "warps" if by_warps <= gpu.max_blocks_per_multiprocessor else "blocks"
    else:
        by_shared = fitting(1, shared_bytes, shared_capacity_bytes)
        limited_by = "shared memory" if by_shared == blocks else "registers"
    return Occupancy(blocks, blocks * warps, blocks * warps / gpu.max_warps_per_multiprocessor, limited_by)
