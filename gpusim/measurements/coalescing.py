"""How much memory moves for a warp's request? 32 neighbouring floats are 128 bytes: 4 sectors of 32 bytes.

W warps, L lanes; active: bool (W, L); addresses: int64 (W, L), the first byte of each lane's access.
H groups of lanes (warps, or half-warps on compute capability 1.x), G lanes in each; a *piece* is the part of
a lane's access that lies in one unit of memory: one for each lane, unless an access crosses a boundary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gpusim import devices
from gpusim.devices.device import HALF_WARP, Device, MemoryRule
from gpusim.events import Event, GridObserver, MemoryAccess, TexelsAccessed
from gpusim.ir.instructions import Kind
from gpusim.ir.types import Space
from gpusim.measurements.ledger import Ledger
from gpusim.measurements.requests import (
    ATOMICS,
    NOWHERE,
    SECTOR_BYTES,
    Addresses,
    Counts,
    Lanes,
    checked,
)
from gpusim.measurements.touched_sectors import WORD_BYTES, interleaved, touched

SECTOR_BITS = 5


class Transactions(NamedTuple):
    """What W warps' requests need, each int64 (W,).

    requests: 1 if any lane is active. transactions: how many pieces of memory move. sectors: how much moves,
    in units of 32 bytes; for an atomic, how often a sector is worked on.
    """

    requests: Counts
    transactions: Counts
    sectors: Counts


class Transfer(NamedTuple):
    """A piece of memory that moves, `bytes` from `address`, and the lanes that wanted it."""

    address: int
    bytes: int
    lanes: tuple[int, ...]


def transactions(
    addresses: ArrayLike, active: ArrayLike, width: int, device: str | Device = "H200", kind: str = "load"
) -> Transactions:
    """Requests, transactions and sectors of one instruction of W warps; `width` is bytes a lane.

    Which rule holds is the device's `memory_rule`:

    - "sectors32", since compute capability 2.0: the distinct 32-byte sectors of the active lanes. Agrees
      with every load and store recorded on an H200 (tests/hardware/global_patterns.json).
    - "cc1.2": for each half-warp the segments that it touches: 32 bytes for 1-byte accesses, 64 for 2-byte,
      128 for wider ones, halved while all that is wanted lies in one half.
    - "cc1.0": one transaction of 64 bytes, one of 128 or two of 128 for a half-warp, if lane k accesses word
      k of 4, 8 or 16 bytes from a multiple of 16 words on; else 32 bytes for each active lane.

    Source: CUDA Programming Guide, sections "Global Memory" of each compute capability (release 3.0, G.3.2).
    Atomics ("atomic") work on a sector once for each lane on its most wanted word, so said 31 of 33 recorded
    patterns; on 1.x each lane's is a transaction (assumed). Raises `ValueError` for shapes that do not fit
    the device's warps.
    """
    where, on, found = checked(addresses, active, width, device, kind)
    requests = np.array(on.any(axis=1), np.int64)
    if found.moves_sectors:
        sectors = (_atomic_sectors if kind in ATOMICS else _distinct_sectors)(where, on, width)
        return Transactions(requests, sectors, sectors)
    moved, sectors = np.zeros(len(where), np.int64), np.zeros(len(where), np.int64)
    rule = _each_lane if kind in ATOMICS else RULES[found.memory_rule]
    halves = where.shape[1] // HALF_WARP
    for move in rule(where.reshape(-1, HALF_WARP), on.reshape(-1, HALF_WARP), width):
        np.add.at(moved, move.groups // halves, 1)
        np.add.at(sectors, move.groups // halves, move.bytes // SECTOR_BYTES)
    return Transactions(requests, moved, sectors)


def transfers(
    addresses: ArrayLike, active: ArrayLike, width: int, device: str | Device = "H200", kind: str = "load"
) -> list[list[Transfer]]:
    """What moves for each of W warps, one transfer after the other: their number is `transactions`' count.

    32 neighbouring floats on an H200 are four transfers of 32 bytes with 8 lanes each, on a GT200 two of 64
    bytes with 16. Atomics are not transfers of a warp: kind is "load" or "store".
    """
    where, on, found = checked(addresses, active, width, device, kind)
    if kind in ATOMICS:
        raise ValueError("an atomic is performed where the memory is: only loads and stores are transfers")
    lanes = where.shape[1]
    group = found.request_lanes
    moves: list[list[Transfer]] = [[] for _ in where]
    for half in range(lanes // group):
        own = slice(half * group, (half + 1) * group)
        for move in RULES[found.memory_rule](where[:, own], on[:, own], width):
            for index, warp in enumerate(move.groups.tolist()):
                wanted = tuple((np.flatnonzero(move.lanes[index]) + own.start).tolist())
                moves[warp].append(Transfer(int(move.first[index]), int(move.bytes[index]), wanted))
    return moves


def ideal_sectors(active: ArrayLike, width: int, device: str | Device = "H200", kind: str = "load") -> Counts:
    """How few sectors would do for each of W warps, (W,), if the active lanes accessed neighbouring elements?

    In lane order from an aligned address on, under the device's own rule: 4 for 32 floats, 1 for the last one
    alone. Lanes that share elements may need fewer: a counter never has more than they took.
    """
    on, found = np.atleast_2d(np.asarray(active, bool)), devices.get(device)
    if len(on) == 1:
        return np.array([_of_a_warp(on.tobytes(), width, found, kind)])
    counts = np.full(len(on), _of_a_warp(b"\1" * found.warp_size, width, found, kind), np.int64)
    partial = np.flatnonzero(~on.all(axis=1))
    if len(partial):
        counts[partial] = _side_by_side(on[partial], width, found, kind)
    return counts


def _side_by_side(on: Lanes, width: int, device: Device, kind: str) -> Counts:
    addresses = np.broadcast_to(np.arange(device.warp_size, dtype=np.int64) * width, on.shape)
    return transactions(addresses, on, width, device, kind).sectors


@lru_cache(1024)
def _of_a_warp(on: bytes, width: int, device: Device, kind: str) -> int:
    return int(_side_by_side(np.frombuffer(on, bool)[None], width, device, kind)[0])


# the rules: each yields what moves, at most one transfer a group of lanes at a time ------------------------


class _Moves(NamedTuple):
    """Transfers of some groups: their numbers, first bytes and bytes (N,), and the lanes served (N, G)."""

    groups: Counts
    first: Addresses
    bytes: Counts
    lanes: Lanes


def _segments(addresses: Addresses, active: Lanes, width: int, unit: int) -> Iterator[_Moves]:
    """The segment of the lowest lane that is left, made as small as may be, until no lane is left."""
    lanes = addresses.shape[1]
    first, last, left = _pieces(addresses, active, width, unit)
    while left.any():
        groups = np.flatnonzero(left.any(axis=1))
        leader = left[groups].argmax(axis=1)
        segment = first[groups, leader] // unit
        here = left[groups] & (first[groups] // unit == segment[:, None])
        low = np.where(here, first[groups], NOWHERE).min(axis=1)
        high = np.where(here, last[groups], -NOWHERE).max(axis=1)
        size, start = np.full(len(groups), unit), segment * unit
        while (halved := (size > SECTOR_BYTES) & (low // (size // 2) == high // (size // 2))).any():
            size = np.where(halved, size // 2, size)
            start = np.where(halved, low // size * size, start)
        yield _Moves(groups, start, size, here.reshape(len(groups), -1, lanes).any(axis=1))
        left[groups] &= ~here


def _pieces(addresses: Addresses, active: Lanes, width: int, unit: int) -> tuple[Addresses, Addresses, Lanes]:
    """First and last bytes of the pieces, and which are wanted; all lanes' second pieces come second."""
    end = addresses + (width - 1)
    parts, wanted = [(addresses, end)], [active]
    crossing = int(np.where(active, end // unit - addresses // unit, 0).max(initial=0))
    for step in range(1, crossing + 1):
        boundary = (addresses // unit + step) * unit
        parts[-1] = (parts[-1][0], np.minimum(end, boundary - 1))
        parts.append((boundary, end))
        wanted.append(active & (boundary <= end))
    firsts, lasts = (np.concatenate(side, axis=1) for side in zip(*parts, strict=True))
    return firsts, lasts, np.concatenate(wanted, axis=1)


def _in_order(addresses: Addresses, active: Lanes, width: int) -> Iterator[_Moves]:
    """One or two large transfers for the groups that keep to the rule of 1.0, one for each lane of others."""
    lanes = np.arange(addresses.shape[1], dtype=np.int64)
    base = addresses - lanes * width
    leader = active.argmax(axis=1)[:, None]
    start = np.take_along_axis(base, leader, axis=1)[:, 0]
    kept = (~active | (base == start[:, None])).all(axis=1) & (start % (HALF_WARP * width) == 0)
    kept &= active.any(axis=1) & (width in (4, 8, 16))
    groups, size = np.flatnonzero(kept), min(HALF_WARP * width, 128)
    for first in range(0, HALF_WARP * width, size):
        inside = (lanes * width // size == first // size) & active[groups]
        yield _Moves(groups, start[groups] + first, np.full(len(groups), size), inside)
    yield from _each_lane(addresses, active & ~kept[:, None], width)


def _each_lane(addresses: Addresses, active: Lanes, width: int) -> Iterator[_Moves]:
    """A transfer for every lane: the 32 bytes that its access lies in, or as many as it needs."""
    for lane in range(addresses.shape[1]):
        groups = np.flatnonzero(active[:, lane])
        first = addresses[groups, lane] >> SECTOR_BITS
        sectors = (addresses[groups, lane] + (width - 1) >> SECTOR_BITS) - first + 1
        alone = np.zeros((len(groups), addresses.shape[1]), bool)
        alone[:, lane] = True
        yield _Moves(groups, first << SECTOR_BITS, sectors * SECTOR_BYTES, alone)


RULES: dict[MemoryRule, Callable[[Addresses, Lanes, int], Iterator[_Moves]]] = {
    "cc1.0": _in_order,
    "cc1.2": lambda addresses, active, width: _segments(
        addresses, active, width, {1: 32, 2: 64}.get(width, 128)
    ),
    "sectors32": lambda addresses, active, width: _segments(addresses, active, width, SECTOR_BYTES),
}


# today's rule once more, for large grids -------------------------------------------------------------------


def _distinct_sectors(addresses: Addresses, active: Lanes, width: int) -> Counts:
    """How many there are in each row: what its rule would yield, counted all at once."""
    sectors = addresses >> SECTOR_BITS
    lanes, everyone = addresses.shape[1], bool(active.all())
    if SECTOR_BYTES % width or np.bitwise_or.reduce(addresses, axis=None) & (width - 1):
        # an access across a boundary needs every sector from its first to its last byte
        last = addresses + (width - 1) >> SECTOR_BITS
        more = range(1, int((last - sectors).max()) + 1)
        sectors = np.concatenate([sectors, *(np.minimum(sectors + step, last) for step in more)], axis=1)
    if not everyone:
        wanted = np.tile(active, (1, sectors.shape[1] // lanes))
        sectors = np.where(wanted, sectors, NOWHERE)
    if (sectors[:, 1:] < sectors[:, :-1]).any():
        sectors = np.sort(sectors, axis=1)
    fresh = np.ones(sectors.shape, bool)
    np.not_equal(sectors[:, 1:], sectors[:, :-1], out=fresh[:, 1:])
    if not everyone:
        fresh &= sectors != NOWHERE
    words = np.packbits(fresh.reshape(-1)).view(np.uint32)
    counts: Counts = np.bitwise_count(words).reshape(len(sectors), -1).sum(axis=1, dtype=np.int64)
    return counts


def _atomic_sectors(addresses: Addresses, active: Lanes, width: int) -> Counts:
    """Over the sectors of each row, the sum of the most lanes on one word."""
    words = np.sort(np.where(active, addresses // width, NOWHERE), axis=1)
    starts = np.ones(words.shape, bool)
    np.not_equal(words[:, 1:], words[:, :-1], out=starts[:, 1:])
    first = np.flatnonzero(starts)  # of each run of equal words
    rows, word = first // words.shape[1], words.ravel()[first]
    lanes = np.where(word == NOWHERE, 0, np.diff(first, append=words.size))
    sector = word * width >> SECTOR_BITS
    groups = np.flatnonzero(np.r_[True, (rows[1:] != rows[:-1]) | (sector[1:] != sector[:-1])])
    most = np.maximum.reduceat(lanes, groups)
    return np.bincount(rows[groups], weights=most, minlength=len(words)).astype(np.int64)


# local memory ----------------------------------------------------------------------------------------------


def local_words(width: int) -> int:
    """How many requests is an access to local memory? One for each word of 4 bytes: a double is two.

    Measured: all records of local memory in tests/hardware/memory_spaces.json.
    """
    return -(-width // WORD_BYTES)


def local_sectors(offsets: Addresses, active: Lanes, width: int) -> Counts:
    """How many sectors of local memory does each warp touch, for `offsets` in each lane's own memory?

    The threads' memories are interleaved word by word: 32 lanes that read a float at the same offset touch 4
    sectors, and at 32 different ones 32. Source: CUDA Programming Guide, "Device Memory Accesses: Local
    Memory"; measured: tests/hardware/memory_spaces.json.
    """
    places, wanted, word = interleaved(offsets, active, width, np.zeros(len(offsets), np.int64), 0)
    return _distinct_sectors(places, wanted, word)


class Coalescing(GridObserver):
    """Counts requests to global and local memory, and of textures, what moves for them, and atomics."""

    wants = frozenset({MemoryAccess, TexelsAccessed})

    def __init__(self, ledger: Ledger, device: Device) -> None:
        self._ledger, self._device = ledger, device

    def observe(self, event: Event) -> None:
        """Count one memory instruction of some warps."""
        if isinstance(event, TexelsAccessed):
            rows, _sectors, _bytes = touched(event.addresses, event.active, event.width)
            self._ledger.add(event.instruction.span, "texture_requests", len(event.warps))
            self._ledger.add(event.instruction.span, "texture_sectors", len(rows))
        if not isinstance(event, MemoryAccess) or event.instruction.opcode.kind is Kind.TEXTURE:
            return
        if event.kind == "atomic":
            self._ledger.add(event.instruction.span, "atomics", len(event.warps))
        if event.space is Space.GLOBAL:
            counted = transactions(event.addresses, event.active, event.width, self._device, event.kind)
            self._add(event, "requests", len(event.warps))
            self._add(event, "sectors", int(counted.sectors.sum()))
            self._compare(event, counted.sectors)
            if not self._device.moves_sectors and event.kind != "atomic":
                self._add(event, "transactions", int(counted.transactions.sum()))
        elif event.space is Space.LOCAL and event.kind != "atomic":
            self._add(event, "requests", len(event.warps) * local_words(event.width))
            self._add(event, "sectors", int(local_sectors(event.addresses, event.active, event.width).sum()))

    def _compare(self, event: MemoryAccess, sectors: Counts) -> None:
        side_by_side = ideal_sectors(event.active, event.width, self._device, event.kind)
        ideal = np.minimum(side_by_side, sectors)  # lanes that share an element may need fewer
        self._add(event, "ideal_sectors", int(ideal.sum()))
        self._ledger.illustrate(event, sectors, ideal)

    def _add(self, event: MemoryAccess, what: str, amount: int) -> None:
        self._ledger.add(event.instruction.span, f"{event.space.value}_{event.kind}_{what}", amount)
