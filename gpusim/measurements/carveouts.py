"""Which split of shared memory and L1 does a kernel get, whatever it prefers, on whichever device?

A sweep over devices, shared memory a block, threads a block and preferences: the report that the carve-out
explorer draws. Every number in it is computed here, by the rules of `gpusim.devices.carveout`.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Literal

from gpusim import devices as catalogue
from gpusim.devices import Device, carveout, carveout_measured, occupancy
from gpusim.devices.carveout import CACHE_CONFIGS, DEFAULT, REASONS, kb
from gpusim.errors import ReportError
from gpusim.reports.carveout import (
    BlockShared,
    CacheConfig,
    Capacity,
    CarveoutReport,
    CarveoutVariant,
    Case,
    Measured,
    Request,
    Size,
    Start,
)
from gpusim.whole import whole

DEVICES = ("V100", "T4", "A100", "H200", "P100", "K40")
SHARED_BYTES = tuple(size * 1024 for size in (0, 2, 4, 8, 12, 16, 24, 32, 40, 48, 64, 96, 128, 160))
THREADS = (64, 128, 256, 512, 1024)
PERCENTS = (DEFAULT, 0, 3, 10, 25, 33, 50, 66, 75, 90, 100)
PERCENTAGES = "percents are from 0 to 100, and -1 for no preference"
SENTENCES = {
    **REASONS,
    "all": "Blocks at once: {count} × {block}, {occupancy} % occupancy, as many as the other limits allow.",
    "some": "Blocks at once: {count} × {block}, {occupancy} % occupancy; other limits would allow {others}.",
    "measured": "A real {device} took {taken}: so it was recorded, with {recorded} threads per block.",
    "opt_in": "More than {limit} a block: the array must be dynamic, and the kernel must opt in.",
    "refused": "{device} refuses the launch: one block may have {limit} of shared memory at most.",
    "no_registers": "{device} refuses the launch: it cannot hold a block of so many threads.",
}
START: Request = {"shared_bytes": 24 * 1024, "threads": 256, "percent": 50, "cache_config": "none"}
DIGITS = string.digits + string.ascii_lowercase
CONFIGS = {
    "none": "none",
    "shared": "PreferShared: more shared memory",
    "l1": "PreferL1: more L1",
    "equal": "PreferEqual: half and half",
}


def explore_carveouts(
    devices: Sequence[str | Device] | str | Device = DEVICES,
    *,
    shared_bytes: Sequence[int] | int = SHARED_BYTES,
    threads: Sequence[int] | int = THREADS,
    percents: Sequence[int] | int = PERCENTS,
    registers_per_thread: int = 32,
    title: str = "Shared memory and L1",
    start: Request | None = None,
    hit_rates: Mapping[str, Sequence[float | None]] | None = None,
    hits_of: str = "",
) -> CarveoutReport:
    """How is on-chip memory split for every combination of these? A report for `views.carveout_explorer`.

    shared_bytes: what a block has of shared memory; percents: preferred carve-outs, -1 for none. `start` says
    what to show first: `shared_bytes`, `threads`, `percent` and `cache_config`; the device is the first one.
    hit_rates: of runs under each capacity the per cent of loads that L1 had, by device; hits_of: which loads.
    """
    at = START | (start or {})
    if at["cache_config"] not in CACHE_CONFIGS:
        raise ReportError(f"cache_config is one of {', '.join(CACHE_CONFIGS)}, not {at['cache_config']!r}")
    shared_bytes = _numbers(shared_bytes, at["shared_bytes"], 0, "shared_bytes are whole numbers from 0")
    threads = _numbers(threads, at["threads"], 1, "threads are whole numbers from 1")
    percents = _numbers(percents, at["percent"], DEFAULT, PERCENTAGES)
    if not all(map(carveout.is_preference, percents)):
        raise ReportError(PERCENTAGES)
    return CarveoutReport(
        title=title,
        registers_per_thread=registers_per_thread,
        shared=tuple(map(kb, shared_bytes)),
        threads=tuple(threads),
        percents=tuple(percents),
        configs=tuple(CacheConfig(carveout.ASKED[config], CONFIGS[config]) for config in CACHE_CONFIGS),
        sentences=SENTENCES,
        reasons=tuple(REASONS),
        start=Start(
            shared_bytes.index(at["shared_bytes"]),
            threads.index(at["threads"]),
            percents.index(at["percent"]),
            CACHE_CONFIGS.index(at["cache_config"]),
        ),
        hits_of=hits_of,
        variants=tuple(
            _device(
                catalogue.get(device), shared_bytes, threads, percents, registers_per_thread, hit_rates or {}
            )
            for device in _several(devices)
        ),
    )


def _several(given: Any) -> list[Any]:
    """One is a list of one."""
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]


def _numbers(given: Sequence[int] | int, asked: int, least: int, claim: str) -> list[int]:
    """Those of a sweep, and the one that is shown first, in order."""
    return sorted({whole(one, claim, least=least, error=ReportError) for one in (*_several(given), asked)})


def _device(
    device: Device,
    shared_bytes: Sequence[int],
    threads: Sequence[int],
    percents: Sequence[int],
    registers: int,
    hit_rates: Mapping[str, Sequence[float | None]],
) -> CarveoutVariant:
    """What one device offers, and what becomes of every request."""
    preferences: list[tuple[int, str]] = [(percent, "none") for percent in percents]
    preferences += [(DEFAULT, config) for config in CACHE_CONFIGS[1:]]
    asked = [
        carveout.choose(device, block_bytes=0, blocks=1, percent=p, cache_config=c) for p, c in preferences
    ]
    unified, hits = device.l1_and_shared_bytes, tuple(hit_rates.get(device.name, ()))
    if hits and len(hits) != len(device.carveouts_bytes):
        raise ReportError(f"{device.name} offers {len(device.carveouts_bytes)} capacities, not {len(hits)}")
    return CarveoutVariant(
        label=device.name,
        device=device.product_name,
        unified=_size(unified),
        configurable=carveout.is_configurable(device),
        capacities=tuple(
            Capacity(capacity, kb(capacity), kb(unified - capacity)) for capacity in device.carveouts_bytes
        ),
        limits=(kb(device.shared_bytes_per_block), kb(device.shared_bytes_per_block_optin)),
        wanted=tuple(None if one.wanted_bytes is None else _size(one.wanted_bytes) for one in asked),
        blocks=tuple(_block(device, size) for size in shared_bytes),
        cases=tuple(
            tuple(_case(device, size, count, registers, preferences) for count in threads)
            for size in shared_bytes
        ),
        occupancy=tuple(_occupancy(device, count) for count in threads),
        measured=tuple(_measured(device, shared_bytes, threads, preferences)),
        hits=hits,
    )


def _occupancy(device: Device, threads: int) -> tuple[float, ...]:
    """Per cent of a multiprocessor's warps that are in use with 0, 1, 2, … blocks of so many threads."""
    warps, most = -(-threads // device.warp_size), device.max_warps_per_multiprocessor
    return tuple(round(100 * blocks * warps / most, 1) for blocks in range(most // warps + 1))


def _measured(
    device: Device,
    shared_bytes: Sequence[int],
    threads: Sequence[int],
    preferences: Sequence[tuple[int, str]],
) -> Iterator[Measured]:
    """What a real device took where the rule says something else."""
    for size, count, preference in product(shared_bytes, threads, preferences):
        found = carveout_measured.taken(device.name, size, count, preference)
        if found and found[0] in device.carveouts_bytes:
            places = shared_bytes.index(size), threads.index(count), preferences.index(preference)
            yield Measured(*places, device.carveouts_bytes.index(found[0]), found[1])


def _size(of: int) -> Size:
    return Size(of, kb(of))


def _block(device: Device, size: int) -> BlockShared:
    """What a block of so much shared memory takes."""
    taken = occupancy.shared_allocation(device, size)
    reserved = device.shared_bytes_reserved_per_block
    words = f"{kb(taken)} ({kb(reserved)} of it reserved)" if reserved else kb(taken)
    if size > device.shared_bytes_per_block_optin:
        return BlockShared(taken, words, "refused", reserved)
    verdict: Literal["", "opt_in"] = "opt_in" if size > device.shared_bytes_per_block else ""
    return BlockShared(taken, words, verdict, reserved)


def _case(
    device: Device, size: int, threads: int, registers: int, preferences: Sequence[tuple[int, str]]
) -> Case | None:
    """What becomes of one request; None where no block of so many threads is resident."""

    def resident(shared: int, capacity: int) -> int:
        return occupancy.blocks_per_multiprocessor(
            device,
            threads=threads,
            registers_per_thread=registers,
            shared_bytes=shared,
            shared_capacity_bytes=capacity,
        )

    if threads > device.max_threads_per_block:
        return None
    others = resident(0, device.carveouts_bytes[-1])
    if others == 0:
        return None
    fitting = [resident(size, capacity) for capacity in device.carveouts_bytes]
    chosen = [
        carveout.choose(
            device,
            block_bytes=occupancy.shared_allocation(device, size),
            blocks=fitting[-1],
            percent=percent,
            cache_config=config,
        )
        for percent, config in preferences
    ]
    capacities, reasons = device.carveouts_bytes, list(REASONS)
    return Case(
        others,
        tuple(fitting),
        "".join(DIGITS[capacities.index(one.capacity_bytes)] for one in chosen),
        "".join(DIGITS[reasons.index(one.reason)] for one in chosen),
    )
