"""How long does it take until a grid that a kernel launches begins, and until who follows it does?

Recorded on an H200 in microseconds (tests/hardware/dynamic_parallelism.json), with CUDA 13.0's runtime, which
is CDP2; the medians of its events and of its two tests of latency. The first launch of a process takes 2 to
5 µs more, which the model leaves out. Of other devices, and of CDP1, nothing was recorded.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from gpusim.devices.catalogue import get
from gpusim.devices.device import Device

NOTE = 0.64  # an event of the record: its clock, an atomic and a store, so that the next comes later by this
# what is known -> microseconds of an H200
MICROSECONDS = {
    "issue": 6.016,  # median of "launch latency default stream", the first left out
    "free": 5.376,  # of "launch latency fire-and-forget"
    "further_lane": (7.968 - NOTE - 6.016) / 7,  # eight lanes of a warp launch together: one record
    "begin": 0.448,  # from the return of a launch to its grid's first event, the median of five
    "interval": 0.491,  # between the first events of four grids that were launched together: one record
    "follow": 5.264 - NOTE,  # from a grid's last event to that of its follower in a stream, the median of six
    "tail": 9.28 - NOTE,  # from the last event of its children to a grid's first tail launch, of three
    "host": 9.216 - NOTE,  # from the last event of a tree to the first of the host's next launch: one record
}
MEASURED = "measured: H200 (tests/hardware/dynamic_parallelism.json)"
ASSUMED = "assumed: as long as on an H200"


@dataclass(frozen=True, kw_only=True)
class Launching:
    """Clocks of the multiprocessor.

    A launch keeps its thread for `issue`, into the fire-and-forget stream `free`, and `further_lane` for each
    lane of the warp more; its grid begins after `begin`, and `interval` after any other of a kernel. What
    follows in a stream begins `follow` after the end of what it follows, and a tail launch after another
    likewise; the first `tail` after the last child; and the host's next launch `host` after all is over.
    """

    issue: float
    free: float
    further_lane: float
    begin: float
    interval: float
    follow: float
    tail: float
    host: float
    source: str


@cache
def launching(device: str | Device) -> Launching:
    """The figures of a device: the H200's, in its own clocks."""
    gpu = get(device)
    clocks = {name: micros * gpu.clock_mhz for name, micros in MICROSECONDS.items()}
    return Launching(**clocks, source=MEASURED if gpu == get("H200") else ASSUMED)
