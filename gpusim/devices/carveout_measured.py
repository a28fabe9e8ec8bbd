"""For which carve-outs was a real GPU configured where `carveout.choose` says something else?

An H200 with a kernel of 16 registers per thread and no static shared memory: of the 302 launches in
tests/hardware/carveout.json all that differ, in KB. With a preference, blocks had 128 threads.
"""

from __future__ import annotations

from gpusim.devices.carveout import DEFAULT

WITH_PREFERENCE_THREADS = 128
Preference = tuple[int, str]  # percent, and `cudaFuncCache`

# (dynamic bytes of shared memory, threads) of a block -> percent or `cudaFuncCache` -> KB
H200: dict[tuple[int, int], dict[int | str, int]] = {
    (0, 128): {DEFAULT: 32, **dict.fromkeys(range(8), 32), "l1": 32},
    (0, 256): {DEFAULT: 32},
    (1024, 128): {DEFAULT: 64, 10: 64, 25: 132, 50: 228, 57: 228, 58: 228, 75: 228, "l1": 16, "equal": 228},
    (1024, 256): {DEFAULT: 32},
    (4096, 128): {DEFAULT: 132, 25: 100, 50: 164, 57: 164, 58: 196, 75: 228, "l1": 16, "equal": 164},
    (4096, 256): {DEFAULT: 100},
    (8192, 128): {57: 164, "l1": 32},
    (8192, 256): {DEFAULT: 132},
    (16384, 128): {57: 164, "l1": 64},
    (32768, 128): {"l1": 100},
}


def taken(device: str, shared_bytes: int, threads: int, preference: Preference) -> tuple[int, int] | None:
    """How many bytes did a real device take, with how many threads? None where it is as the rule says.

    Without a preference the number of blocks decides, so only the same number of threads will do.
    """
    percent, config = preference
    asked: int | str = percent if config == "none" else config
    recorded = threads if asked == DEFAULT else WITH_PREFERENCE_THREADS
    found = H200.get((shared_bytes, recorded), {}).get(asked) if device == "H200" else None
    return None if found is None else (found * 1024, recorded)
