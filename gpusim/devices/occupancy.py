"""How many thread blocks are on a multiprocessor at once? The scarcest of four resources decides.

On an H200, 256 threads of 32 registers each make 8 blocks: 2048 threads is the limit there.
"""

from __future__ import annotations

from typing import NamedTuple

from gpusim.devices.catalogue import get
from gpusim.devices.device import Device


def round_up(value: int, unit: int) -> int:
    """The next multiple of `unit`."""
    return -(-value // unit) * unit


def shared_allocation(device: Device, shared_bytes: int) -> int:
    """What does a block take of shared memory? On an H200, 1 KiB more than it asked for; in whole units."""
    return round_up(
        shared_bytes + device.shared_bytes_reserved_per_block, device.shared_allocation_unit_bytes
    )


def blocks_per_multiprocessor(
    device: Device,
    *,
    threads: int,
    registers_per_thread: int,
    shared_bytes: int,
    shared_capacity_bytes: int | None = None,
) -> int:
    """Blocks of `threads` threads that are resident together on one multiprocessor.

    Registers and shared memory are handed out in the device's units. `shared_capacity_bytes`: how much shared
    memory the multiprocessor is configured for, at most and unless given all that it can have. Checked on the
    H200's 49,896 recorded answers (tests/hardware/occupancy.json).
    """
    warps = -(-threads // device.warp_size)
    registers = min(max(registers_per_thread, 1), device.max_registers_per_thread)
    unit = device.register_allocation_unit
    if device.register_allocation_granularity == "warp":
        per_warp = round_up(registers * device.warp_size, unit)
        granularity = device.warp_allocation_granularity
        if per_warp * round_up(warps, granularity) > device.registers_per_block:
            return 0
        by_registers = device.registers_per_multiprocessor // granularity // per_warp * granularity // warps
    else:
        per_block = round_up(
            registers * device.warp_size * round_up(warps, device.warp_allocation_granularity), unit
        )
        by_registers = device.registers_per_multiprocessor // per_block
    shared = shared_allocation(device, shared_bytes)
    capacity = (
        device.shared_bytes_per_multiprocessor if shared_capacity_bytes is None else shared_capacity_bytes
    )
    by_shared = capacity // shared if shared else device.max_blocks_per_multiprocessor
    return min(
        device.max_blocks_per_multiprocessor,
        device.max_warps_per_multiprocessor // warps,
        by_registers,
        by_shared,
    )


def best_block_size(
    device: Device, *, registers_per_thread: int, shared_bytes: int, max_threads: int | None = None
) -> int:
    """The block size with the most resident threads, the largest of equals; 0 where no block fits.

    24 registers and no shared memory on an H200: 1024, of which two are resident. The driver's answers
    (cudaOccupancyMaxPotentialBlockSize) are in tests/hardware/occupancy.json.
    """
    limit = min(device.max_threads_per_block, max_threads or device.max_threads_per_block)
    sizes = [limit, *range((limit - 1) // device.warp_size * device.warp_size, 0, -device.warp_size)]

    def resident_threads(threads: int) -> int:
        blocks = blocks_per_multiprocessor(
            device, threads=threads, registers_per_thread=registers_per_thread, shared_bytes=shared_bytes
        )
        return blocks * threads

    best = max(sizes, key=resident_threads)
    return best if resident_threads(best) else 0


def largest_block(device: Device, *, registers_per_thread: int) -> int:
    """The most threads a block may have: with 66 registers each 896 on an H200, whole warps; 0 for none."""
    return next(
        (
            threads
            for threads in range(device.max_threads_per_block, 0, -device.warp_size)
            if blocks_per_multiprocessor(
                device, threads=threads, registers_per_thread=registers_per_thread, shared_bytes=0
            )
        ),
        0,
    )


def registers_for_residency(device: Device, *, threads: int, blocks: int) -> int:
    """The most registers a thread may use so that `blocks` blocks of `threads` threads are resident together.

    On an H200, 1 block of 1024 threads: 64; 4 blocks of 256: 64, too. 0 where they never fit.
    """
    for registers in range(device.max_registers_per_thread, 0, -1):
        resident = blocks_per_multiprocessor(
            device, threads=threads, registers_per_thread=registers, shared_bytes=0
        )
        if resident >= blocks:
            return registers
    return 0


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
    gpu = get(device)

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
