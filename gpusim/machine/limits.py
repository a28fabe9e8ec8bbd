"""What may a launch ask for, and how many of its blocks are on the device at once? Refusals name limits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from gpusim.devices import Device, carveout, occupancy
from gpusim.devices.carveout import Carveout
from gpusim.devices.device import Dim3
from gpusim.devices.occupancy import round_up
from gpusim.errors import LaunchError, UnsupportedConstruct
from gpusim.ir.program import Function
from gpusim.machine.attributes import Attributes
from gpusim.source import spelled

WINDOW_UNIT_BYTES = 16
OPT_IN = (
    "cudart.cudaFuncSetAttribute(kernel, "
    "cudart.cudaFuncAttribute.cudaFuncAttributeMaxDynamicSharedMemorySize, {})"
)


@lru_cache(maxsize=256)
def check_shape(device: Device, grid: Dim3, block: Dim3) -> None:
    """Raise `LaunchError` where a grid or block is outside the device's limits, and say which limit."""
    for what, extents, limits in (
        ("grid", grid, device.max_grid_dim),
        ("block", block, device.max_block_dim),
    ):
        for axis, extent, limit in zip("xyz", extents, limits, strict=True):
            if not 1 <= extent <= limit:
                raise LaunchError(
                    f"{what} {extents}: {axis} is {extent}, and {device.name} takes 1 to {limit} there "
                    f"(max_{what}_dim)"
                )
    threads = math.prod(block)
    if threads > device.max_threads_per_block:
        raise LaunchError(
            f"block {block} has {threads} threads; {device.name} allows {device.max_threads_per_block} "
            "a block (max_threads_per_block)"
        )


def fitted(
    function: Function, attributes: Attributes, device: Device, block: Dim3, dynamic_shared_bytes: int
) -> Carveout:
    """How does a launch have a multiprocessor configured? Raises `LaunchError` where no block fits on it."""
    threads = math.prod(block)
    if function.max_threads is not None and threads > function.max_threads:
        raise LaunchError(
            f"block {block} has {threads} threads; {function.name} was compiled for at most "
            f"{function.max_threads} (launch_bounds)"
        )
    if dynamic_shared_bytes < 0:
        raise LaunchError(f"a launch cannot have {dynamic_shared_bytes} bytes of dynamic shared memory")
    _check_shared(function, attributes, device, dynamic_shared_bytes)
    if function.constant_bytes > device.constant_bytes:
        raise LaunchError(
            f"{function.name} uses {function.constant_bytes} bytes of constant arrays; {device.name} has "
            f"{device.constant_bytes} bytes of constant memory (constant_bytes)",
            hint="pass large arrays as arguments",
        )
    if function.local_bytes > device.local_bytes_per_thread:
        raise LaunchError(
            f"{function.name} declares {function.local_bytes} bytes of local memory; {device.name} allows "
            f"{device.local_bytes_per_thread} a thread (local_bytes_per_thread)"
        )
    fitting = configured(function, attributes, device, threads, dynamic_shared_bytes)
    if fitting.blocks == 0:
        raise LaunchError(
            f"a block of {threads} threads with {function.registers_per_thread} "
            f"registers each does not fit on {device.name}: it has {device.registers_per_block} registers "
            "for a block (registers_per_block)"
        )
    return fitting


def resident_blocks(
    function: Function, attributes: Attributes, device: Device, threads: int, dynamic_shared_bytes: int
) -> int:
    """Blocks of a kernel that a multiprocessor takes; none with more shared memory than it may ask for."""
    if dynamic_shared_bytes > most_dynamic_shared(function, attributes, device):
        return 0
    return configured(function, attributes, device, threads, dynamic_shared_bytes).blocks


def most_dynamic_shared(function: Function, attributes: Attributes, device: Device) -> int:
    """How many bytes of dynamic shared memory may a launch ask for? What was opted in to, or 48 KiB."""
    asked = attributes.max_dynamic_shared_bytes
    return max(0, device.shared_bytes_per_block - function.shared_bytes) if asked is None else asked


def _check_shared(
    function: Function, attributes: Attributes, device: Device, dynamic_shared_bytes: int
) -> None:
    """Raise `LaunchError` where a block has more shared memory than it may have, and say how it gets more."""
    shared_bytes = block_shared_bytes(function, dynamic_shared_bytes)
    opted_in = attributes.max_dynamic_shared_bytes
    if opted_in is not None and dynamic_shared_bytes > opted_in:
        raise LaunchError(
            f"the launch asks for {dynamic_shared_bytes} bytes of dynamic shared memory; {function.name} has "
            f"opted in to {opted_in} (max_dynamic_shared_size_bytes)"
        )
    too_much_declared = function.shared_bytes > device.shared_bytes_per_block
    opted = opted_in is not None and not too_much_declared
    limit = "shared_bytes_per_block_optin" if opted else "shared_bytes_per_block"
    if shared_bytes <= getattr(device, limit):
        return
    most, hint = device.shared_bytes_per_block_optin, ""
    if shared_bytes > most > getattr(device, limit):
        hint = f"with an opt-in it is {most}, and never more ({device.cited('shared_bytes_per_block_optin')})"
    elif shared_bytes > most:
        hint = f"no block gets more on {device.name}"
    elif too_much_declared:
        hint = (
            "for arrays of a fixed size there is no more, and a GPU's assembler, ptxas, refuses them, too: "
            "declare `cuda.shared.array(0, dtype)`, give its bytes with the launch, and opt in before it: "
            + OPT_IN.format(shared_bytes)
        )
    else:
        hint = f"opt in to more before the launch: {OPT_IN.format(dynamic_shared_bytes)}"
    extra = f", and the launch adds {dynamic_shared_bytes}" if dynamic_shared_bytes else ""
    raise LaunchError(
        f"{function.name} declares {function.shared_bytes} bytes of shared memory{extra}; {device.name} "
        f"allows {getattr(device, limit)} a block ({device.cited(limit)})",
        hint=spelled(hint, function.source.language),
    )


def check_writable(function: Function, arguments: Sequence[Any]) -> None:
    for operand, argument in zip(function.parameters, arguments, strict=True):
        if operand in function.written and argument is not None and not argument.flags.writeable:
            raise LaunchError(f"{function.name} writes to {operand.name!r}, which is read-only; pass a copy")


def check_launches(function: Function, device: Device, cdp: int) -> None:
    """Raise where the device launches nothing from kernels, or no thread can wait for what it launched."""
    if not device.launches_from_kernels:
        at = function.launches[0].span if function.launches else None
        raise UnsupportedConstruct(
            f"{function.name} launches kernels, which takes compute capability 3.5; {device.name} has "
            f"{'.'.join(map(str, device.compute_capability or ()))}",
            at,
        )
    if cdp > 1 and function.awaits is not None:
        raise UnsupportedConstruct(
            "a kernel has no cudaDeviceSynchronize() since CUDA 12, nor for compute capability 9.0 (CDP2): a "
            "thread cannot wait for grids that it launched",
            function.awaits,
            "launch what comes after them into cudaStreamTailLaunch: it begins when this grid and all that "
            "it launched are over; or look at CDP1 with gpusim.use(cdp=1)",
        )


def block_shared_bytes(function: Function, dynamic_shared_bytes: int) -> int:
    """What does a block have of shared memory? What it declares, and behind it what the launch adds."""
    if not dynamic_shared_bytes:
        return function.shared_bytes
    return dynamic_start(function) + dynamic_shared_bytes


def dynamic_start(function: Function) -> int:
    """Dynamic shared memory begins behind the declared arrays."""
    return round_up(function.shared_bytes, WINDOW_UNIT_BYTES)


def configured(
    function: Function,
    attributes: Attributes,
    device: Device,
    threads: int,
    dynamic_shared_bytes: int = 0,
) -> Carveout:
    """For which capacity is a multiprocessor configured for this kernel, and how many of its blocks fit?"""
    shared_bytes = block_shared_bytes(function, dynamic_shared_bytes)
    return _configured(device, attributes, threads, function.registers_per_thread, shared_bytes)


@lru_cache(maxsize=256)
def _configured(
    device: Device, attributes: Attributes, threads: int, registers_per_thread: int, shared_bytes: int
) -> Carveout:
    blocks = occupancy.blocks_per_multiprocessor(
        device, threads=threads, registers_per_thread=registers_per_thread, shared_bytes=shared_bytes
    )
    return carveout.choose(
        device,
        block_bytes=occupancy.shared_allocation(device, shared_bytes),
        blocks=blocks,
        percent=attributes.carveout_percent,
        cache_config=attributes.cache_config,
    )
