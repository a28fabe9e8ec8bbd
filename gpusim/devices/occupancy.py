"""How many thread blocks are on a multiprocessor at once? The scarcest of four resources decides.

On an H200, 256 threads of 32 registers each make 8 blocks: 2048 threads is the limit there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from gpusim.devices.device import Device

Resource = Literal["warps", "blocks", "shared memory", "registers"]
SharedBytes = int | Callable[[int], int]  # of a block, or what a block of so many threads takes


def round_up(value: int, unit: int) -> int:
    """The next multiple of `unit`."""
    return -(-value // unit) * unit


def shared_allocation(device: Device, shared_bytes: int) -> int:
    """What does a block take of shared memory? On an H200, 1 KiB more than it asked for; in whole units."""
    return round_up(
        shared_bytes + device.shared_bytes_reserved_per_block, device.shared_allocation_unit_bytes
    )


class Share(NamedTuple):
    """What a block takes of a resource, what there is of it, and how many blocks that alone lets in.

    `blocks` is None where a block takes nothing. The capacity need not hold so many without a remainder:
    registers lie in one file per scheduler, and no warp has some in two.
    """

    per_block: int
    capacity: int
    blocks: int | None


def shares(
    device: Device,
    *,
    threads: int,
    registers_per_thread: int,
    shared_bytes: int,
    shared_capacity_bytes: int | None = None,
) -> dict[Resource, Share]:
    """How many blocks does each resource let in? On an H200, 64 registers for each of 256 threads: 4.

    Registers and shared memory are handed out in the device's units. `shared_capacity_bytes`: how much shared
    memory the multiprocessor is configured for, at most and unless given all that it can have.
    """
    warps, most_warps = -(-threads // device.warp_size), device.max_warps_per_multiprocessor
    by_warps = most_warps // warps if threads <= device.max_threads_per_block else 0
    capacity = (
        device.shared_bytes_per_multiprocessor if shared_capacity_bytes is None else shared_capacity_bytes
    )
    taken = shared_allocation(device, shared_bytes)
    allowed = shared_bytes <= device.shared_bytes_per_block_optin
    return {
        "warps": Share(warps, most_warps, by_warps),
        "blocks": Share(1, device.max_blocks_per_multiprocessor, device.max_blocks_per_multiprocessor),
        "shared memory": Share(taken, capacity, capacity // taken * allowed if taken else None),
        "registers": _register_share(device, warps, registers_per_thread),
    }


def _register_share(device: Device, warps: int, registers_per_thread: int) -> Share:
    registers = min(max(registers_per_thread, 1), device.max_registers_per_thread)
    capacity, unit = device.registers_per_multiprocessor, device.register_allocation_unit
    granularity = device.warp_allocation_granularity
    if device.register_allocation_granularity == "block":
        per_block = round_up(registers * device.warp_size * round_up(warps, granularity), unit)
        return Share(per_block, capacity, capacity // per_block)
    per_warp = round_up(registers * device.warp_size, unit)
    fits = per_warp * round_up(warps, granularity) <= device.registers_per_block
    blocks = capacity // granularity // per_warp * granularity // warps
    return Share(per_warp * warps, capacity, blocks if fits else 0)


def blocks_per_multiprocessor(
    device: Device,
    *,
    threads: int,
    registers_per_thread: int,
    shared_bytes: int,
    shared_capacity_bytes: int | None = None,
) -> int:
    """Blocks of `threads` threads that are resident together on one multiprocessor: the least of `shares`.

    Checked on the H200's 24,948 recorded answers (tests/hardware/occupancy.json).
    """
    found = shares(
        device,
        threads=threads,
        registers_per_thread=registers_per_thread,
        shared_bytes=shared_bytes,
        shared_capacity_bytes=shared_capacity_bytes,
    )
    return min(share.blocks for share in found.values() if share.blocks is not None)


def best_block_size(
    device: Device,
    *,
    registers_per_thread: int,
    shared_bytes: SharedBytes,
    max_threads: int | None = None,
) -> int:
    """The block size with the most resident threads, the largest of equals; 0 where no block fits.

    24 registers and no shared memory on an H200: 1024, of which two are resident. `shared_bytes` may be a
    function of the block size, such as `lambda threads: 8 * threads`. The driver's answers
    (cudaOccupancyMaxPotentialBlockSize, …VariableSMem) are in tests/hardware/occupancy.json.
    """

    def resident(threads: int) -> int:
        return blocks_per_multiprocessor(
            device,
            threads=threads,
            registers_per_thread=registers_per_thread,
            shared_bytes=shared_bytes(threads) if callable(shared_bytes) else shared_bytes,
        )

    return fullest_block_size(device, resident, max_threads)


def fullest_block_size(device: Device, resident: Callable[[int], int], max_threads: int | None = None) -> int:
    """The same, where `resident` says how many blocks of so many threads fit."""
    limit = min(device.max_threads_per_block, max_threads or device.max_threads_per_block)
    sizes = [limit, *range((limit - 1) // device.warp_size * device.warp_size, 0, -device.warp_size)]
    best = max(sizes, key=lambda threads: threads * resident(threads))
    return best if resident(best) else 0


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


# what a block may ask for, so that so many fit --------------------------------------------------------------


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


def most_for(
    device: Device, resource: Resource, *, threads: int, blocks: int, shared_capacity_bytes: int | None = None
) -> int | None:
    """How much may a block ask of this resource, so that it lets `blocks` blocks in? None: never so many.

    Registers per thread, bytes of shared memory per block, or warps per block. On an H200, 5 blocks of 256
    threads: 48 registers, 45,568 bytes, or 12 warps.
    """
    if resource == "warps":
        most = min(
            device.max_warps_per_multiprocessor // blocks, device.max_threads_per_block // device.warp_size
        )
        return most or None
    if resource == "shared memory":
        unit, capacity = device.shared_allocation_unit_bytes, shared_capacity_bytes
        if capacity is None:
            capacity = device.shared_bytes_per_multiprocessor
        room = capacity // blocks // unit * unit - device.shared_bytes_reserved_per_block
        return None if room < 0 else min(room, device.shared_bytes_per_block_optin)
    if resource == "registers":
        warps = -(-threads // device.warp_size)
        for registers in range(device.max_registers_per_thread, 0, -1):
            if (_register_share(device, warps, registers).blocks or 0) >= blocks:
                return registers
    return None
