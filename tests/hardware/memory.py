"""How do the rules of memory agree with what Nsight Compute counted on an H200? Each record, in two ways.

A record is one warp instruction with its counters. `by_rule` asks a pure function of `gpusim.measurements`
about its addresses; `by_kernel` runs the text that the GPU ran, `memory_patterns.cu`, under `gpusim.profile`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import gpusim
from gpusim import cuda
from gpusim.measurements import banks, coalescing

HERE = Path(__file__).parent
WINDOW_BYTES, BASE_BYTES = 36864, 1 << 17
MAGIC = 0xC0FFEE11
TYPES = {1: "unsigned char", 2: "unsigned short", 4: "unsigned", 8: "uint2", 16: "uint4"}
# what a rule counts, for each space of memory
COUNTED = {
    "global": ("requests", "sectors"),
    "shared": ("wavefronts", "bank_conflicts"),
    "local": ("requests", "sectors"),
}
# tables of memory_spaces.json, and the space that each is about
OF_OTHER_SPACES = {"local": "local", "global_atomics": "global", "shared_atomics": "shared"}
Counts = tuple[int, ...]


class Record(NamedTuple):
    """One warp instruction on the H200: what it was, and how much each counter of `COUNTED` rose."""

    number: int
    name: str
    space: str
    operation: str
    width: int
    mask: int
    offsets: list[int]
    counted: Counts

    @property
    def kind(self) -> str:
        """Is it a load, a store, a compare-and-swap ("cas") or another atomic?"""
        if self.operation in ("load", "store"):
            return self.operation
        return "cas" if self.operation.startswith("cas") else "atomic"

    @property
    def kernel(self) -> str:
        """The kernel in `memory_patterns.cu`."""
        if self.space == "local":
            return f"local_access<{TYPES[self.width]}>"
        if self.kind in ("atomic", "cas"):
            operation = "add_u32" if self.operation == "atomic_add" else self.operation
            return f"{self.space}_{operation}"
        return f"{'shared_' if self.space == 'shared' else ''}{self.operation}<{TYPES[self.width]}>"


class Miss(NamedTuple):
    """A record for which the simulator counts something else."""

    record: Record
    simulated: Counts


@cache
def recording(name: str) -> dict[str, Any]:
    """A file of recordings."""
    found: dict[str, Any] = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return found


def patterns(table: str) -> Iterator[Record]:
    """The records of a table: "global", "shared", or one of `OF_OTHER_SPACES`."""
    if table in OF_OTHER_SPACES:
        yield from _of_other_spaces(table)
    else:
        yield from _of_patterns(table)


def _of_other_spaces(table: str) -> Iterator[Record]:
    space = OF_OTHER_SPACES[table]
    for number, name, operation, width, mask, offsets, *counted in recording("memory_spaces")[table]:
        if table == "global_atomics":  # those without and with a result have counters of their own
            counted = [counted[0] + counted[2], counted[1] + counted[3]]
        yield Record(number, name, space, operation, width, int(mask, 16), offsets, tuple(counted[:2]))


def _of_patterns(space: str) -> Iterator[Record]:
    rows = recording(f"{space}_patterns")["rows"]
    for number, name, _family, operation, width, mask, offsets, *counted in rows:
        yield Record(number, name, space, operation, width, int(mask, 16), offsets, tuple(counted[:2]))


def by_rule(record: Record) -> Counts:
    """What the pure functions count."""
    active = [record.mask >> lane & 1 for lane in range(32)]
    access = record.offsets, active, record.width, "H200", record.kind
    if record.space == "shared":
        return int(banks.wavefronts(*access)[0]), int(banks.conflicts(*access)[0])
    if record.space == "local":
        where, on = np.array([record.offsets]), np.array([active], bool)
        requests = coalescing.local_words(record.width) * int(on.any())
        return requests, int(coalescing.local_sectors(where, on, record.width)[0])
    counted = coalescing.transactions(*access)
    return int(counted.requests[0]), int(counted.sectors[0])


def by_kernel(record: Record) -> Counts:
    """What a run of the same text counts."""
    module = _module()
    base, sink = cuda.to_device(np.zeros(BASE_BYTES, np.uint8)), cuda.to_device(np.zeros(1, np.uint32))
    offsets = np.array(record.offsets, np.uint32)
    module.get_global("offsets")[:] = offsets
    module.get_global("others")[:] = offsets
    module.get_global("mask")[:] = np.array([record.mask], np.uint32)
    kernel = _kernel(record.kernel)
    with gpusim.profile("H200") as run:
        kernel((1,), (32,), (base, sink, MAGIC), shared_mem=WINDOW_BYTES * (record.space == "shared"))
    kind = "atomic" if record.kind == "cas" else record.kind
    names = (f"{record.space}_{kind}_{what}" for what in COUNTED[record.space])
    return tuple(int(getattr(run, name)) for name in names)


@cache
def _module() -> gpusim.RawModule:
    return gpusim.RawModule(path=HERE / "memory_patterns.cu")


@cache
def _kernel(name: str) -> Any:
    return _module().get_function(name)


def misses(records: Iterable[Record], counted: Callable[[Record], Counts]) -> list[Miss]:
    """The records for which `counted` gives something else than the H200 did."""
    return [Miss(record, found) for record in records if (found := counted(record)) != record.counted]


# arrays of three floats ------------------------------------------------------------------------------------

ELEMENTS, FEWER = 67_108_864, 4096  # on the H200; here, where each block costs as much as any other
VECTOR = np.dtype([("x", np.float32), ("y", np.float32), ("z", np.float32)])
WIDE = np.dtype({"names": ["x", "y", "z"], "formats": [np.float32] * 3, "itemsize": 16})
# record -> its kernel in `vec3_struct.cu`, and the arrays it takes before one of floats
STRUCTS: dict[str, tuple[str, list[Any]]] = {
    "12-byte struct, all fields": ("sum_of_fields", [VECTOR]),
    "16-byte aligned struct, all fields": ("sum_of_wide", [WIDE]),
    "SoA": ("sum_of_arrays", [np.float32] * 3),
    "12-byte struct staged through shared memory, 4-byte loads": ("staged", [VECTOR]),
    "12-byte struct staged through shared memory, 16-byte loads": ("staged_by_16_bytes", [VECTOR]),
    "12-byte struct, field x only": ("first_field<Vec3>", [VECTOR]),
    "16-byte aligned struct, field x only": ("first_field<Wide3>", [WIDE]),
    "write 12-byte struct": ("write_fields", [VECTOR]),
    "write 16-byte aligned struct": ("write_wide", [WIDE]),
}
# field of the recording -> the counter here
STRUCT_COUNTERS = {
    "load requests": "global_load_requests",
    "load sectors": "global_load_sectors",
    "store requests": "global_store_requests",
    "store sectors": "global_store_sectors",
    "shared load wavefronts": "shared_load_wavefronts",
    "shared load bank conflicts": "shared_load_bank_conflicts",
}


class StructCount(NamedTuple):
    """One counter of one kernel of `vec3_struct.json`."""

    name: str
    field: str
    recorded: int
    simulated: int


@cache
def structs() -> list[StructCount]:
    """Every counter that both have, for every recorded kernel."""
    fields = recording("vec3_struct")["header"]["fields"]
    module = gpusim.RawModule(path=HERE / "vec3_struct.cu")
    found = []
    for row in recording("vec3_struct")["rows"]:
        kernel, dtypes = STRUCTS[row[0]]
        arrays = [cuda.to_device(np.zeros(FEWER, dtype)) for dtype in (*dtypes, np.float32)]
        with gpusim.profile("H200") as run:
            module.get_function(kernel)((FEWER // 256,), (256,), arrays)
        for field, counter in STRUCT_COUNTERS.items():
            simulated = int(getattr(run, counter)) * (ELEMENTS // FEWER)
            found.append(StructCount(row[0], field, row[fields.index(field)], simulated))
    return found
