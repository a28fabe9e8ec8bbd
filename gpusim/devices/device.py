"""What can a GPU do, and how wide is it? The figures of one device, each with its source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Scheduling = Literal["stack", "independent"]
MemoryRule = Literal["cc1.0", "cc1.2", "sectors32"]
Granularity = Literal["warp", "block"]
Dim3 = tuple[int, int, int]  # x, y, z
HALF_WARP = 16
LAUNCHES_FROM = (3, 5)  # compute capability

FILE = r" \(tests/[^)]*\)"  # of a recording


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """What does this GPU allow, and how wide is it? All sizes are bytes, all registers 32-bit words.

    "Per multiprocessor" is per SM (NVIDIA) or AP (MetaX); a "warp" is a wave on the 64-wide device.
    """

    # Who it is. `name` is the catalogue's, `product_name` what the runtime's device properties report.
    name: str
    product_name: str
    vendor: str
    architecture: str
    compute_capability: tuple[int, int] | None  # None: not NVIDIA's
    year: int  # announced

    # How lanes run: one program counter and a reconvergence stack per warp, or a program counter per lane.
    warp_size: int
    scheduling: Scheduling

    # What a launch may ask for.
    max_threads_per_block: int
    max_block_dim: Dim3
    max_grid_dim: Dim3

    # What is resident at once.
    multiprocessors: int
    max_threads_per_multiprocessor: int
    max_blocks_per_multiprocessor: int

    # Registers are handed out in units, to each warp or to the block as a whole; the warps of a block
    # count as a multiple of `warp_allocation_granularity`.
    registers_per_multiprocessor: int
    registers_per_block: int
    max_registers_per_thread: int
    register_allocation_unit: int
    register_allocation_granularity: Granularity
    warp_allocation_granularity: int

    # Shared memory. A block gets `shared_bytes_per_block`, or up to `..._optin` when its kernel asks for it;
    # the driver adds `..._reserved_per_block` and rounds up to the unit. L1 gets what the chosen carve-out
    # leaves of `l1_and_shared_bytes`; with a single carve-out the two memories are separate.
    shared_bytes_per_multiprocessor: int
    shared_bytes_per_block: int
    shared_bytes_per_block_optin: int
    shared_bytes_reserved_per_block: int
    shared_allocation_unit_bytes: int
    l1_and_shared_bytes: int
    carveouts_bytes: tuple[int, ...]
    shared_banks: int
    bank_bytes: int
    bank_group_lanes: int  # lanes whose accesses can conflict: a half-warp before compute capability 2.0

    # Other memories. `memory_rule` names the rule by which a warp's addresses become transactions.
    memory_rule: MemoryRule
    constant_bytes: int
    local_bytes_per_thread: int
    memory_bytes: int
    memory_bandwidth_gb_per_s: float

    # Caches. What L1 takes in unless a load says otherwise: "loads" and "stores" of global memory, and those
    # of "local". On a miss a cache asks for all that is missing of the aligned `..._fetch_bytes` around it.
    l1_caches: tuple[str, ...]
    l1_fetch_bytes: int
    texture_cache_bytes: int  # also of read-only loads (__ldg); 0: there is none but L1
    constant_cache_bytes: int
    l2_bytes: int  # 0: global memory is not cached
    l2_fetch_bytes: int

    # What a multiprocessor does in a clock: one instruction per scheduler, results per unit.
    clock_mhz: int
    schedulers_per_multiprocessor: int
    fp32_units: int
    fp64_units: int
    int32_units: int  # 32-bit additions; before Volta they share the FP32 cores
    sfu_units: int
    tensor_units: int
    load_store_units: int

    sources: Mapping[str, str] = field(repr=False, compare=False)

    def __repr__(self) -> str:
        capability = ".".join(map(str, self.compute_capability or ())) or "none"
        return (
            f"<device {self.name}: {self.architecture}, compute capability {capability}, "
            f"{self.multiprocessors} multiprocessors, warps of {self.warp_size} lanes>"
        )

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def moves_sectors(self) -> bool:
        """Does memory move in sectors of 32 bytes? Not before compute capability 2.0."""
        return self.memory_rule == "sectors32"

    @property
    def request_lanes(self) -> int:
        """How many lanes make one request to memory? A warp; before compute capability 2.0 a half-warp."""
        return self.warp_size if self.moves_sectors else HALF_WARP

    @property
    def max_warps_per_multiprocessor(self) -> int:
        """How many warps can be resident at once? H200: 2048 threads / 32 lanes = 64; C500: 32."""
        return self.max_threads_per_multiprocessor // self.warp_size

    @property
    def launches_from_kernels(self) -> bool:
        """Can its kernels launch kernels? From compute capability 3.5 on; the C500 is assumed to."""
        return self.compute_capability is None or self.compute_capability >= LAUNCHES_FROM

    def cited(self, name: str) -> str:
        """Where does a figure come from? Its field, and in short its source, for messages about a limit."""
        return f"{name}; {re.sub(FILE, '', self.sources[name])}"

    @property
    def assumed_fields(self) -> tuple[str, ...]:
        """Which figures has nobody published? An H200 has none; most of the C500's are."""
        return tuple(name for name, source in self.sources.items() if source.startswith("assumed"))
