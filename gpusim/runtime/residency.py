"""How full is a multiprocessor with blocks like these, and what must they do without for one block more?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from gpusim import devices
from gpusim.devices import Device
from gpusim.devices.carveout import Carveout
from gpusim.devices.occupancy import (
    Resource,
    SharedBytes,
    blocks_per_multiprocessor,
    fullest_block_size,
    most_for,
    shares,
)
from gpusim.errors import LaunchError
from gpusim.ir.program import Function
from gpusim.machine.attributes import Attributes
from gpusim.machine.limits import block_shared_bytes, resident_blocks
from gpusim.reports.occupancy import OccupancyReport, ResourceLimit
from gpusim.runtime import settings
from gpusim.whole import listed, number_of, whole

UNITS = {"registers": "registers per thread", "shared memory": "bytes of shared memory per block"}


def occupancy(
    device: str | Device | None = None,
    *,
    threads: int,
    registers_per_thread: int,
    shared_bytes: int = 0,
    shared_capacity_bytes: int | None = None,
) -> OccupancyReport:
    """How many blocks of `threads` threads fit on a multiprocessor, and which resource lets no more in?

    `shared_bytes`: of a block, declared and dynamic. `shared_capacity_bytes`: what the multiprocessor is
    configured for; all that it can have, unless given. `device`: the one in force, unless given.

    >>> found = occupancy("H200", threads=256, registers_per_thread=64)
    >>> found.blocks, found.warps, found.theoretical_occupancy, found.limited_by
    (4, 32, 0.5, 'registers')
    >>> found["registers"].at_most, found["registers"].must_go
    (48, 16)
    """
    gpu = settings.current().device if device is None else devices.get(device)
    registers = whole(registers_per_thread, "a thread has 0 registers or more", least=0)
    if registers > gpu.max_registers_per_thread:
        raise LaunchError(
            f"a thread of {gpu.name} has at most {gpu.max_registers_per_thread} registers "
            f"({gpu.cited('max_registers_per_thread')}), not {registers}"
        )
    return _occupancy(
        gpu,
        whole(threads, "a block has a positive number of threads", least=1),
        registers,
        whole(shared_bytes, "a block has 0 bytes of shared memory or more", least=0),
        shared_capacity_bytes,
    )


def of(function: Function, threads: int, dynamic_shared_bytes: int, split: Carveout) -> OccupancyReport:
    """The same of a kernel, where the multiprocessor is split like this between shared memory and L1."""
    gpu = split.device
    return _occupancy(
        gpu,
        threads,
        min(function.registers_per_thread, gpu.max_registers_per_thread),
        block_shared_bytes(function, dynamic_shared_bytes),
        split.binding_bytes,
    )


def active_blocks(function: Function, attributes: Attributes, threads: int, dynamic_shared_bytes: int) -> int:
    """How many blocks of a kernel fit on a multiprocessor, split as it prefers? 0: not even one.

    Nor with more dynamic shared memory than it has opted in to.
    """
    whole(threads, "cudaErrorInvalidValue: blockSize is a positive number of threads", least=1)
    whole(
        dynamic_shared_bytes,
        "cudaErrorInvalidValue: dynamicSMemSize is a number of bytes, 0 or more",
        least=0,
    )
    return resident_blocks(function, attributes, settings.current().device, threads, dynamic_shared_bytes)


def best_launch(
    function: Function, attributes: Attributes, dynamic_shared_bytes: SharedBytes, block_size_limit: int
) -> tuple[int, int]:
    """Which block size fills a multiprocessor best, and how many such blocks fill the device?

    `dynamic_shared_bytes` may be a function of the block size. `block_size_limit`: 0 for none. (0, 0) where
    no block fits.
    """
    whole(
        block_size_limit, "cudaErrorInvalidValue: blockSizeLimit is a number of threads, 0 for none", least=0
    )
    device, asked = settings.current().device, dynamic_shared_bytes

    def resident(threads: int) -> int:
        return active_blocks(function, attributes, threads, asked(threads) if callable(asked) else asked)

    limits = [block_size_limit, function.max_threads, device.max_threads_per_block]
    best = fullest_block_size(device, resident, min(filter(None, limits)))
    return (resident(best) * device.multiprocessors, best) if best else (0, 0)


@lru_cache(maxsize=256)
def _occupancy(
    gpu: Device, threads: int, registers: int, shared: int, shared_capacity_bytes: int | None
) -> OccupancyReport:
    def resident(size: int) -> int:
        return blocks_per_multiprocessor(
            gpu,
            threads=size,
            registers_per_thread=registers,
            shared_bytes=shared,
            shared_capacity_bytes=shared_capacity_bytes,
        )

    width, most_warps = gpu.warp_size, gpu.max_warps_per_multiprocessor
    warps, blocks = -(-threads // width), resident(threads)
    asked = {"warps": warps, "blocks": 1, "shared memory": shared, "registers": registers}
    limits = []
    for resource, share in shares(
        gpu,
        threads=threads,
        registers_per_thread=registers,
        shared_bytes=shared,
        shared_capacity_bytes=shared_capacity_bytes,
    ).items():
        at_most = None
        if share.blocks == blocks:
            at_most = most_for(
                gpu,
                resource,
                threads=threads,
                blocks=blocks + 1,
                shared_capacity_bytes=shared_capacity_bytes,
            )
        must_go = None if at_most is None else asked[resource] - at_most
        taken = blocks * share.per_block
        limits.append(
            ResourceLimit(
                resource,
                share.blocks,
                asked[resource],
                share.per_block,
                taken,
                share.capacity,
                at_most,
                must_go,
            )
        )
    smaller = next((size for size in range((warps - 1) * width, 0, -width) if resident(size) > blocks), None)
    best = fullest_block_size(gpu, resident)
    best_warps = resident(best) * -(-best // width) if best else 0
    limiting = tuple(limit for limit in limits if limit.blocks == blocks)
    names = [limit.resource for limit in limiting]
    needs = _needs(gpu, blocks, warps, limiting)
    return OccupancyReport(
        device=gpu.name,
        threads=threads,
        registers_per_thread=registers,
        shared_bytes=shared,
        blocks=blocks,
        warps=blocks * warps,
        max_warps=most_warps,
        theoretical_occupancy=blocks * warps / most_warps,
        limited_by=limiting[0].resource,
        limiting=tuple(names),
        limits=tuple(limits),
        smaller_block=smaller,
        best_block=best,
        best_occupancy=best_warps / most_warps,
        needs=needs,
        says=_sentence(gpu, blocks, warps, names, needs),
    )


def _needs(gpu: Device, blocks: int, warps: int, limiting: Sequence[ResourceLimit]) -> str:
    """`at most 48 registers per thread (16 fewer)`: what one block more needs; empty where nothing helps."""
    needs, width = [], warps * gpu.warp_size
    for limit in limiting:
        at_most = limit.at_most
        if limit.resource == "registers" and width < warps * gpu.warp_size:  # of the smaller block
            at_most = most_for(gpu, "registers", threads=width, blocks=blocks + 1)
        if at_most is None:
            return ""
        if limit.resource == "warps":
            width = at_most * gpu.warp_size
            needs.append(f"blocks of at most {number_of(width, 'thread')}")
        elif at_most < limit.asked:
            needs.append(f"at most {at_most:,} {UNITS[limit.resource]} ({limit.asked - at_most:,} fewer)")
    return listed(needs)


def _sentence(gpu: Device, blocks: int, warps: int, limiting: Sequence[Resource], needs: str) -> str:
    """`4 blocks, 32 of 64 warps. Registers let no more in: one block more needs at most 48 … (16 fewer).`"""
    most_warps = gpu.max_warps_per_multiprocessor
    held = f"{number_of(blocks, 'block')}, {blocks * warps} of {most_warps} warps."
    if "blocks" in limiting:
        more = "it is full" if blocks * warps == most_warps else "only larger ones bring more warps"
        return f"{held} A multiprocessor takes no more than {blocks} blocks: {more}."
    letting = "lets" if limiting == ["shared memory"] else "let"
    more = f"needs {needs}" if needs else "does not fit, however little it asks for"
    return f"{held} {listed(limiting).capitalize()} {letting} no more in: one block more {more}."
