"""How many thread blocks are on a multiprocessor at once? The scarcest of four resources decides.

On an H200, 256 threads of 32 registers each make 8 blocks: 2048 threads is the limit there.
"""

from __future__ import annotations

from gpusim.devices import Device


def round_up(value: int, unit: int) -> int:
    """The next multiple of `unit`."""
    return -(-value // unit) * unit


def blocks_per_multiprocessor(
    device: Device, *, threads: int, registers_per_thread: int, shared_bytes: int
) -> int:
    """Blocks of `threads` threads that are resident together on one multiprocessor.

    Registers and shared memory are handed out in the device's units. Checked on the H200's 49,896 recorded
    answers (tests/hardware/occupancy.json).
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
    shared = round_up(
        shared_bytes + device.shared_bytes_reserved_per_block, device.shared_allocation_unit_bytes
    )
    by_shared = (
        device.shared_bytes_per_multiprocessor // shared if shared else device.max_blocks_per_multiprocessor
    )
    return min(
        device.max_blocks_per_multiprocessor,
        device.max_warps_per_multiprocessor // warps,
        by_registers,
        by_shared,
    )
