"""How much shared memory is a multiprocessor configured for, and what is left for L1?

Half of the 96 KiB that a V100 can have are 48 KiB, which it does not offer: it is configured for 64 KiB, and
of its 128 KiB L1 gets 64. Capacities are from `Device.carveouts_bytes`. The rules and their sources:

* A percentage (`cudaFuncAttributePreferredSharedMemoryCarveout`) is a hint: a part of the largest capacity,
  rounded up to the next that is supported. The driver takes more where one block needs more, or to avoid
  thrashing (CUDA C++ Programming Guide, "Compute Capability 7.x: Shared Memory"). The 231 answers that were
  recorded on an H200 (`carveout` in tests/hardware/occupancy.json) follow the rule. Assumed: what is
  configured already is kept where it is larger.
* Without one, the driver avoids a bottleneck (the same section): it takes the smallest capacity that holds as
  many blocks as the largest. Fermi and Kepler stay as the launch before left them, at first at the
  largest capacity, unless a block needs more (release 5.0, sections "Compute Capability 2.x" and "3.x").
* A legacy configuration (`cudaFuncSetCacheConfig`) is a requirement: a launch that requires another split
  than the one before it waits until the multiprocessors are configured anew. A larger block gets more.
  "Equal" counts as 50 %, as an H200 counts it (tests/hardware/carveout.json) and the guide for 3.5 (32 KiB).
  Assumed: a requirement prevails over a percentage.
* Where shared memory is separate from L1, none of them changes anything.

Not modelled: to what was asked for, an H200 adds the 1 KiB that it reserves for each block that fits into it,
which takes some small blocks to the next capacity (the same file; the book lists them).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from gpusim.devices.device import Device
from gpusim.whole import is_whole

DEFAULT, MAX_L1, MAX_SHARED = -1, 0, 100  # cudaSharedCarveout
CACHE_CONFIGS = ("none", "shared", "l1", "equal")  # cudaFuncCache, in the order of its values
AS_PERCENT = {"shared": MAX_SHARED, "l1": MAX_L1, "equal": 50}
CHOSEN_BY_DRIVER_FROM = (7, 0)  # before, a kernel without a preference leaves the split as it is

# Why is the capacity what it is? Filled in with the figures of `Carveout.figures`.
REASONS = {
    "separate": "{device} has shared memory ({capacity}) and L1 ({l1}) apart: a preference changes nothing.",
    "alone": "{device} has {capacity} of shared memory, which is no cache: a preference changes nothing.",
    "hint": "{percent} % of {largest} are {wanted}, a capacity that {device} offers.",
    "rounded": "{percent} % of {largest} are {wanted}, which {device} does not offer; the next capacity up "
    "is {capacity}.",
    "needed": "{asked} asks for {wanted}, but one block takes {block}: the smallest capacity that holds it "
    "is {capacity}.",
    "kept": "{device} is configured for {capacity} already, no less than the launch asks for, and stays so.",
    "chosen": "No preference: {capacity} is the smallest capacity that holds the most blocks.",
    "unchanged": "No preference: {device} stays as it was configured, at first for its largest capacity.",
    "required": "{asked} requires {wanted}: if the launch before had another split, this one waits for it.",
}
ASKED = {
    "none": "the hint",
    "shared": "cudaFuncCachePreferShared",
    "l1": "cudaFuncCachePreferL1",
    "equal": "cudaFuncCachePreferEqual",
}


@dataclass(frozen=True)
class Carveout:
    """How one launch finds a multiprocessor: bytes of shared memory and of L1, and the blocks that fit.

    `wanted_bytes` is what the preference comes to before it is rounded; None where there is none.
    A block takes `block_bytes` of shared memory; `blocks_at_most` fit where there is enough of it.
    `present_bytes` is what the launch before had left, where it was something else.
    """

    device: Device
    capacity_bytes: int
    reason: str
    percent: int
    cache_config: str
    wanted_bytes: int | None
    block_bytes: int
    blocks_at_most: int
    present_bytes: int | None = None

    @property
    def reconfigures(self) -> bool:
        """Must the multiprocessors be configured anew? Launches before and after that cannot overlap."""
        return self.present_bytes not in (None, self.capacity_bytes)

    def after(self, present_bytes: int | None) -> Carveout:
        """The same launch where the multiprocessor is configured for so much already."""
        if present_bytes in (None, self.capacity_bytes):
            return self
        capacity, reason = self.capacity_bytes, self.reason
        if reason == "unchanged":
            capacity = max(present_bytes, capacity_for(self.device, self.block_bytes))
        elif self.cache_config == "none" and present_bytes > capacity:
            capacity, reason = present_bytes, "kept"
        return replace(self, capacity_bytes=capacity, reason=reason, present_bytes=present_bytes)

    @property
    def blocks(self) -> int:
        """How many blocks fit on a multiprocessor at once?"""
        within = self.blocks_at_most
        return min(within, self.capacity_bytes // self.block_bytes) if self.block_bytes else within

    @property
    def binding_bytes(self) -> int | None:
        """The capacity that blocks must do with; None where more of them would be given a larger one."""
        preferred = self.percent != DEFAULT or self.cache_config != "none"
        return self.capacity_bytes if preferred or self.blocks < self.blocks_at_most else None

    @property
    def l1_bytes(self) -> int:
        """What is left for L1 and textures."""
        return self.device.l1_and_shared_bytes - self.capacity_bytes

    @property
    def figures(self) -> dict[str, str]:
        """What `REASONS` are filled in with."""
        return {
            "device": self.device.name,
            "capacity": kb(self.capacity_bytes),
            "l1": kb(self.l1_bytes),
            "largest": kb(self.device.carveouts_bytes[-1]),
            "percent": str(self.percent),
            "asked": ASKED[self.cache_config],
            "wanted": kb(self.wanted_bytes or 0),
            "block": kb(self.block_bytes),
        }

    @property
    def why(self) -> str:
        """The reason as a sentence."""
        return REASONS[self.reason].format(**self.figures)


def kb(size: int) -> str:
    """A size for people, in CUDA's kilobytes of 1024 bytes: 24576 is "24 KB", 100 "100 bytes"."""
    return f"{size / 1024:.4g} KB" if size % 1024 == 0 or size > 1024 else f"{size} bytes"


def is_preference(percent: Any) -> bool:
    """Is this a percentage that can be asked for, or -1 for none?"""
    return is_whole(percent) and DEFAULT <= percent <= MAX_SHARED


def is_configurable(device: Device) -> bool:
    """Can shared memory and L1 be split in more than one way? On a V100 in six, on a P100 in one."""
    return len(device.carveouts_bytes) > 1


def capacity_for(device: Device, wanted_bytes: int) -> int:
    """The next supported capacity: for 48 KiB on a V100 64 KiB; the largest where none is large enough."""
    return next((c for c in device.carveouts_bytes if c >= wanted_bytes), device.carveouts_bytes[-1])


def bytes_of_percent(device: Device, percent: int) -> int:
    """What is a percentage of the largest capacity? Half of a V100's 96 KiB are 49152 bytes."""
    return -(-percent * device.carveouts_bytes[-1] // 100)


def bytes_of_cache_config(device: Device, cache_config: str) -> int:
    """Which capacity does a legacy configuration require? PreferL1 on a K40 16 KiB, PreferEqual 32."""
    return capacity_for(device, bytes_of_percent(device, AS_PERCENT[cache_config]))


def choose(
    device: Device,
    *,
    block_bytes: int,
    blocks: int,
    percent: int = DEFAULT,
    cache_config: str = "none",
) -> Carveout:
    """For which capacity is a multiprocessor configured when this kernel is launched?

    block_bytes: shared memory that one block takes (`occupancy.shared_allocation`); blocks: how many are
    resident where shared memory has its largest capacity.
    """
    needed = capacity_for(device, block_bytes)
    wanted: int | None = None
    if not is_configurable(device):
        capacity = device.carveouts_bytes[0]
        reason = "separate" if device.l1_and_shared_bytes > capacity else "alone"
    elif cache_config != "none":
        wanted = bytes_of_cache_config(device, cache_config)
        capacity, reason = (wanted, "required") if wanted >= needed else (needed, "needed")
    elif percent != DEFAULT:
        wanted = bytes_of_percent(device, percent)
        capacity = capacity_for(device, wanted)
        reason = "hint" if capacity == wanted else "rounded"
        if capacity < needed:
            capacity, reason = needed, "needed"
    elif (device.compute_capability or CHOSEN_BY_DRIVER_FROM) >= CHOSEN_BY_DRIVER_FROM:
        capacity, reason = capacity_for(device, blocks * block_bytes), "chosen"
    else:
        capacity, reason = device.carveouts_bytes[-1], "unchanged"
    return Carveout(device, capacity, reason, percent, cache_config, wanted, block_bytes, blocks)
