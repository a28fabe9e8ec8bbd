"""Where did the bytes go? The memory chart of a run, made of its counters with caches.

A request's bytes are those of the sectors that it touches, 32 each; of shared memory those that its
wavefronts could move, a word from every bank; of constant memory a word of 4 bytes for each pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from gpusim.devices import Device
from gpusim.measurements.requests import SECTOR_BYTES
from gpusim.reports.memory import Arrow, Box, MemoryChart, MemoryVariant, Place

Counters = Mapping[str, float]
WORD_BYTES = 4
Kind = Literal["load", "store", "atomic"]
KINDS: tuple[Kind, ...] = ("load", "store", "atomic")
MEMORIES: tuple[Place, ...] = ("global", "local", "shared", "constant")
# what a request is made of, and thus how much it moves
MOVES = {"global": "sectors", "local": "sectors", "shared": "wavefronts", "constant": "passes"}


def of(title: str, device: Device, counters: Counters) -> MemoryChart:
    """The chart of what these counters say, with L1 and L2 where the device has them."""
    arrows = tuple(arrow for arrow in _arrows(device, counters) if arrow.count)
    used = {place for arrow in arrows for place in (arrow.source, arrow.target)}
    boxes = tuple(box for box in _boxes(device, counters) if box.place in used | {"kernel"})
    return MemoryChart(title, (MemoryVariant(device.name, boxes, arrows),))


def _boxes(device: Device, counters: Counters) -> Iterator[Box]:
    yield Box("kernel", "Kernel", 0, ())
    spread = counters["sectors_per_request"]
    yield Box("global", "Global", 1, (f"{spread:.1f} sectors", "per request") if spread else ())
    yield Box("local", "Local", 1, ())
    conflicts = int(sum(counters[f"shared_{kind}_bank_conflicts"] for kind in KINDS))
    yield Box("shared", "Shared", 1, (f"{conflicts:,}", "conflicts"))
    passes = counters["constant_load_passes"]
    yield Box("constant", "Constant", 1, _hits(counters["constant_load_pass_hits"], passes))
    if device.l2_bytes:
        # of loads, as what goes on to the next level says: stores go on whether they hit or not
        found = counters["l1_load_sector_hits"] + counters["l1_local_load_sector_hits"]
        loads = counters["global_load_sectors"] + counters["local_load_sectors"]
        yield Box("l1", "L1", 2, _hits(found, loads, "of loads"))
        yield Box(
            "l2", "L2", 3, _hits(counters["l2_load_sector_hits"], counters["l2_load_sectors"], "of loads")
        )
    yield Box("dram", "DRAM", 4 if device.l2_bytes else 2, ())


def _hits(found: float, asked: float, *of: str) -> tuple[str, ...]:
    return (f"{100 * found / asked:.1f} % hit", *of) if asked else ()


def _arrows(device: Device, counters: Counters) -> Iterator[Arrow]:
    def sectors(source: Place, target: Place, kind: Kind, counter: str) -> Arrow:
        count = int(counters[counter])
        return Arrow(source, target, kind, counter, count, "sector", count * SECTOR_BYTES)

    each = {"sectors": SECTOR_BYTES, "passes": WORD_BYTES}
    each["wavefronts"] = device.shared_banks * device.bank_bytes
    for memory, kind in ((memory, kind) for memory in MEMORIES for kind in KINDS):
        requests = f"{memory}_{kind}_requests"
        if requests not in counters:
            continue
        moved = int(counters[f"{memory}_{kind}_{MOVES[memory]}"]) * each[MOVES[memory]]
        yield Arrow("kernel", memory, kind, requests, int(counters[requests]), "request", moved)
        if MOVES[memory] == "sectors":
            yield sectors(memory, "l1" if device.l2_bytes else "dram", kind, f"{memory}_{kind}_sectors")
    if device.l2_bytes:
        for kind in KINDS:
            yield sectors("l1", "l2", kind, f"l2_{kind}_sectors")
        for kind in KINDS[:2]:
            yield sectors("l2", "dram", kind, f"dram_{kind}_sectors")
