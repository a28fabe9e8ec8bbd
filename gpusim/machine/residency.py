"""How many thread blocks are on a multiprocessor at once? The scarcest of four resources decides.

On an H200, 256 threads of 32 registers each make 8 blocks: 2048 threads is the limit there.
"""

from __future__ import annotations

from gpusim.devices import Device


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
            device,
            threads=threads,
            registers_per_thread=registers_per_thread,
            shared_bytes=shared_bytes,
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
