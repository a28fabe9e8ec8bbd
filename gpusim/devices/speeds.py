"""How long does a device take for one thing after another, and how many can it do at once?

Latencies are in clocks of the multiprocessor, from an instruction's issue to that of one that needs its
result. The H200's are measured (tests/hardware/timing.json and kernels.json), those of P100, V100 and A100
published, the others assumed; `Speeds.source` says which.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from gpusim.devices.catalogue import get
from gpusim.devices.device import Device


@dataclass(frozen=True, kw_only=True)
class Speeds:
    """The figures of one device that the model of time needs and counters do not.

    `*_latency`: clocks until the result is there. `l2_sectors` and `dram_sectors`: sectors of 32 bytes that
    all multiprocessors together get per clock, `port_sectors` one alone. A store of part of a sector takes
    L2 `partial_store` times as long as one of all of it. A block starts every `block_interval` clocks on the
    whole GPU, and `block_replacement` clocks after another left its place; `grid_start` is what every grid
    takes, and `events_microseconds` what two events around a launch measure beside it.
    """

    arithmetic_latency: int
    double_latency: int
    special_latency: int
    shuffle_latency: int
    shared_latency: int
    l1_latency: int
    l2_latency: int
    dram_latency: int
    barrier_latency: int
    barrier_interval: float
    atomic_latency: int
    atomic_interval: float
    l2_sectors: float
    port_sectors: float
    dram_sectors: float
    partial_store: float
    block_interval: float
    block_replacement: int
    grid_start: int
    events_microseconds: float
    source: str


MEASURED = "measured: H200 (tests/hardware/timing.json, kernels.json)"
H200 = Speeds(
    arithmetic_latency=4,
    double_latency=8,
    special_latency=18,
    shuffle_latency=25,
    shared_latency=23,
    l1_latency=36,
    l2_latency=285,
    dram_latency=740,
    barrier_latency=10,
    barrier_interval=2.0,
    atomic_latency=200,
    atomic_interval=4.2,
    l2_sectors=92.0,
    port_sectors=2.0,
    dram_sectors=69.0,
    partial_store=3.0,
    block_interval=1.2,
    block_replacement=400,
    grid_start=2900,
    events_microseconds=4.2,
    source=MEASURED,
)
DISSECTED = "published: Jia et al., Dissecting the NVIDIA {} GPU Architecture via Microbenchmarking"
# what is known of other devices: latencies of arithmetic, double, special, shared, L1, L2, DRAM
PUBLISHED = {
    "P100": ((6, 8, 18, 24, 82, 234, 500), DISSECTED.format("Volta") + " (2018), its figures for P100"),
    "V100": ((4, 8, 18, 19, 28, 193, 425), DISSECTED.format("Volta") + " (2018)"),
    "T4": ((4, 40, 18, 19, 32, 188, 430), DISSECTED.format("Turing T4") + " (2019)"),
    "A100": (
        (4, 8, 18, 23, 33, 200, 490),
        "published: Abdelkhalik et al., Demystifying the Nvidia Ampere Architecture (2022)",
    ),
}
EFFICIENCY = 0.92  # of the memory's bandwidth that a kernel gets: 4.43 of an H200's 4.81 TB/s
SECTOR_BYTES = 32


@cache
def speeds(device: str | Device) -> Speeds:
    """The figures of a device. What nobody published is assumed to be the H200's, scaled by its size."""
    gpu = get(device)
    bandwidth = gpu.memory_bandwidth_gb_per_s * 1e9 * EFFICIENCY / (gpu.clock_mhz * 1e6) / SECTOR_BYTES
    size = gpu.multiprocessors / get("H200").multiprocessors
    if gpu == get("H200"):
        return H200
    scaled = replace(
        H200,
        dram_sectors=bandwidth,
        l2_sectors=max(H200.l2_sectors * size, 1.3 * bandwidth),
        block_interval=H200.block_interval / size,
        source="assumed: as an H200, by the number of its multiprocessors and the bandwidth of its memory",
    )
    if gpu.name not in PUBLISHED:
        return scaled
    latencies, source = PUBLISHED[gpu.name]
    arithmetic, double, special, shared, l1, l2, dram = latencies
    return replace(
        scaled,
        arithmetic_latency=arithmetic,
        double_latency=double,
        special_latency=special,
        shared_latency=shared,
        shuffle_latency=shared + 2,
        l1_latency=l1,
        l2_latency=l2,
        dram_latency=dram,
        source=f"{source}; the rest {scaled.source}",
    )


@dataclass(frozen=True, kw_only=True)
class Link:
    """How does memory of the host come to the device? GB/s from pinned memory and from other; its latency."""

    pinned_gb_per_s: float
    pageable_gb_per_s: float
    latency_microseconds: float
    source: str


# PCI Express of the card, 16 lanes: the generation, and GB/s in one direction by its specification
PCI_EXPRESS = {1: 4.0, 2: 8.0, 3: 15.75, 4: 31.5, 5: 63.0}
GENERATIONS = {
    "G80": 1, "GT200": 2, "C2050": 2, "K40": 3, "K80": 3, "P100": 3, "GTX 1080": 3, "V100": 3, "T4": 3,
    "A100": 4, "RTX 4090": 4, "H100": 5, "H200": 5,
}  # fmt: skip
ASSUMED_GENERATION = 4
KNOWN = {
    "TX2": "assumed, though it shares its memory with its CPU, so that no copy takes such a way",
    "MetaX C500": "assumed",
}
# measured: H200 (tests/hardware/streams.json)
LINK_EFFICIENCY = 0.875  # of that is left for the data of packets
STAGED = 0.26  # of it from memory that is not pinned, which the driver copies once more
LINK_LATENCY_MICROSECONDS = 5.5


@cache
def link(device: str | Device) -> Link:
    """How fast are copies between host and device? By the published generation, and an H200's record."""
    gpu = get(device)
    generation = GENERATIONS.get(gpu.name, ASSUMED_GENERATION)
    bandwidth = LINK_EFFICIENCY * PCI_EXPRESS[generation]
    how = "measured" if gpu == get("H200") else "assumed, as measured on an H200"
    return Link(
        pinned_gb_per_s=bandwidth,
        pageable_gb_per_s=STAGED * bandwidth,
        latency_microseconds=LINK_LATENCY_MICROSECONDS,
        source=f"{how}: {LINK_EFFICIENCY:.0%} of the bandwidth of PCI Express {generation}.0 with 16 lanes "
        f"({KNOWN.get(gpu.name, 'published: its data sheet')}), {STAGED:.0%} of that for memory that is not "
        f"pinned, and {LINK_LATENCY_MICROSECONDS} µs",
    )
