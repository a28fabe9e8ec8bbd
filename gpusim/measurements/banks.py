"""How often must the banks of shared memory work for a warp? Lanes that want different words of a bank wait.

W warps, L lanes; active: bool (W, L); addresses: int64 (W, L), the first byte of each lane's access in the
shared memory of its block. Banks hold words of 4 bytes in turn. A *phase* is lanes that are served together:
P phases of G lanes. An access of N words takes its lane to N banks; what a lane takes there is an *item*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpusim.devices import Device
from gpusim.events import Event, GridObserver, MemoryAccess
from gpusim.ir.types import Space
from gpusim.measurements.ledger import Ledger
from gpusim.measurements.requests import ATOMICS, NOWHERE, Addresses, Counts, Lanes, checked, kind_of

WIDTHS = (1, 2, 4, 8, 16)
PARTNERS = (1, 2)  # lanes i and i^x: the pairs whose equal addresses let a wide load take fewer phases
TURNS = {"cas": 2}  # a bank compares, then swaps

Wavefront = dict[int, tuple[int, tuple[int, ...]]]  # bank -> the address of its word, and the lanes it serves


class Phase(NamedTuple):
    """Lanes that are served together, idle ones too, and the wavefronts that takes."""

    lanes: tuple[int, ...]
    wavefronts: list[Wavefront]


def wavefronts(
    addresses: ArrayLike, active: ArrayLike, width: int, device: str | Device = "H200", kind: str = "load"
) -> Counts:
    """Passes through the banks for one instruction of W warps, int64 (W,); `width` is 1, 2, 4, 8 or 16 bytes.

    32 banks: a phase is 32 lanes of up to 4 bytes, 16 of 8 or 8 of 16 bytes. It costs the largest number of
    distinct words that its lanes want of one bank. Loads of 8 and 16 bytes take half as many phases if every
    pair of active lanes (i, i^1), or every pair (i, i^2), has one address. Of an atomic, a bank serves one
    lane at a time, and of a compare-and-swap ("cas") it does so twice. Agrees with all patterns recorded on
    an H200 (tests/hardware/shared_patterns.json, memory_spaces.json), but for atomics that its compiler turns
    into loops: additions of floats and of 64 bits.

    16 banks (compute capability 1.x): a phase is one word of each lane of a half-warp. Each step of a load
    serves all lanes on one word, and one lane in every other bank; which word, the hardware leaves open: here
    the one that most lanes want. Stores to different places in a bank take turns. Source: CUDA Programming
    Guide 2.3, section 5.1.2.5.

    Raises `ValueError` for shapes, widths or addresses that no access can have.
    """
    return _counted(addresses, active, width, device, kind)[0]


def conflicts(
    addresses: ArrayLike, active: ArrayLike, width: int, device: str | Device = "H200", kind: str = "load"
) -> Counts:
    """Wavefronts beyond one for each phase with an active lane, int64 (W,): 0 if no bank is wanted twice."""
    return _counted(addresses, active, width, device, kind)[1]


def phases(
    addresses: ArrayLike, active: ArrayLike, width: int, device: str | Device = "H200", kind: str = "load"
) -> list[list[Phase]]:
    """Which lanes are served together, and when? The phases with an active lane for each of W warps.

    A wavefront maps a bank to the address of the word that it works on, and the lanes it does that for. Where
    a bank must work several times, the lowest lane comes first.

    16 bytes a lane on an H200: four phases, lanes 0 to 7, 8 to 15, 16 to 23 and 24 to 31.
    """
    where, on, found = _checked(addresses, active, width, device, kind)
    warps: list[list[Phase]] = [[] for _ in where]
    for cut in PHASES[found.shared_banks](where, on, width, found, kind):
        for number in np.flatnonzero(cut.active.any(axis=1)).tolist():
            lanes = tuple(cut.lanes[number].tolist())
            turns = [turn for turn in _turns(cut, number) for _ in range(TURNS.get(kind, 1))]
            warps[cut.warps[number]].append(Phase(lanes, turns))
    return [sorted(warp, key=lambda phase: phase.lanes[0]) for warp in warps]


def _counted(
    addresses: ArrayLike, active: ArrayLike, width: int, device: str | Device, kind: str
) -> tuple[Counts, Counts]:
    where, on, found = _checked(addresses, active, width, device, kind)
    passes, needed = np.zeros(len(where), np.int64), np.zeros(len(where), np.int64)
    for phases in PHASES[found.shared_banks](where, on, width, found, kind):
        np.add.at(passes, phases.warps, _passes(phases))
        np.add.at(needed, phases.warps, phases.active.any(axis=1))
    return passes * TURNS.get(kind, 1), passes - needed


def _checked(
    addresses: ArrayLike, active: ArrayLike, width: int, device: str | Device, kind: str
) -> tuple[Addresses, Lanes, Device]:
    where, on, found = checked(addresses, active, width, device, kind)
    if width not in WIDTHS:
        raise ValueError(f"a lane accesses 1, 2, 4, 8 or 16 bytes of shared memory at once, not {width}")
    odd = on & (where % width != 0)
    if odd.any():
        warp, lane = np.argwhere(odd)[0].tolist()
        raise ValueError(
            f"lane {lane} of warp {warp} accesses {width} bytes at address {where[warp, lane]}, which is not "
            f"a multiple of {width}: no GPU can do that"
        )
    return where, on, found


# which lanes are served together ----------------------------------------------------------------------------


class _Phases(NamedTuple):
    """Phases of one size: their warps (P,), lanes (P, G), words and items (P, G, N), active (P, G).

    Lanes that want the same item of a bank are served together. If `one_shared`, only those of one bank are.
    """

    warps: Counts
    lanes: Counts
    words: Addresses
    items: Addresses
    active: Lanes
    device: Device
    one_shared: bool = False


def _of_32_banks(
    addresses: Addresses, active: Lanes, width: int, device: Device, kind: str
) -> Iterator[_Phases]:
    group = device.bank_group_lanes
    words = range(max(1, width // device.bank_bytes))
    grouped, on = addresses.reshape(-1, group), active.reshape(-1, group)
    everyone = np.arange(len(grouped), dtype=np.int64)
    if kind in ATOMICS:
        yield _one_by_one(_cut(grouped, on, everyone, group // len(words), words, device))
    elif kind == "store" or len(words) == 1:
        yield _cut(grouped, on, everyone, group // len(words), words, device)
    else:
        merged = _pairs_agree(grouped, on)
        yield _cut(grouped, on, everyone[merged], 2 * group // len(words), words, device)
        yield _cut(grouped, on, everyone[~merged], group // len(words), words, device)


def _of_16_banks(
    addresses: Addresses, active: Lanes, width: int, device: Device, kind: str
) -> Iterator[_Phases]:
    group = device.bank_group_lanes
    grouped, on = addresses.reshape(-1, group), active.reshape(-1, group)
    for word in range(max(1, width // device.bank_bytes)):  # each is a request of its own
        phases = _cut(
            grouped, on, np.arange(len(grouped), dtype=np.int64), group, range(word, word + 1), device
        )
        if kind in ATOMICS:
            phases = _one_by_one(phases)
        elif kind == "store":
            phases = phases._replace(items=grouped[..., None])
        yield phases._replace(one_shared=kind == "load")


PHASES: dict[int, Callable[[Addresses, Lanes, int, Device, str], Iterator[_Phases]]] = {
    16: _of_16_banks,
    32: _of_32_banks,
}


def _cut(
    grouped: Addresses, active: Lanes, groups: Counts, size: int, words: range, device: Device
) -> _Phases:
    """Some groups of lanes, cut into phases of `size` lanes, with these words of each access."""
    pieces = grouped.shape[1] // size
    number = groups[:, None] * pieces + np.arange(pieces, dtype=np.int64)  # among all phases of all warps
    phases_a_warp = device.warp_size // size
    wanted = grouped[groups].reshape(-1, size, 1) // device.bank_bytes + np.array(words)
    return _Phases(
        number.ravel() // phases_a_warp,
        (number.ravel() % phases_a_warp * size)[:, None] + np.arange(size, dtype=np.int64),
        wanted,
        wanted,
        active[groups].reshape(-1, size),
        device,
    )


def _one_by_one(phases: _Phases) -> _Phases:
    """The same phases with an item of its own for each lane: no two are served together."""
    return phases._replace(items=np.broadcast_to(phases.lanes[..., None], phases.words.shape))


def _pairs_agree(addresses: Addresses, active: Lanes) -> Lanes:
    """Groups in which all lanes agree with their partner (i^1, or i^2); an idle lane agrees with any."""
    lanes = np.arange(addresses.shape[1], dtype=np.int64)
    agree = np.zeros(len(addresses), bool)
    for partner in PARTNERS:
        other = lanes ^ partner
        same = (addresses == addresses[:, other]) | ~active | ~active[:, other]
        agree |= same.all(axis=1)
    return agree


# how often the banks work for a phase -----------------------------------------------------------------------


def _passes(phases: _Phases) -> Counts:
    """Wavefronts of each phase, (P,): 0 where no lane is active."""
    counts = np.array(phases.active.any(axis=1), np.int64)
    several = counts > 0
    if phases.items is phases.words:
        # words closer together than there are banks are in different banks: one wavefront serves them all
        on, near = phases.active[..., None], 1 if phases.one_shared else phases.device.shared_banks
        low = np.where(on, phases.words, NOWHERE).min(axis=(1, 2), initial=NOWHERE)
        high = np.where(on, phases.words, -NOWHERE).max(axis=(1, 2), initial=-NOWHERE)
        several &= high - low >= near
    hard = np.flatnonzero(several)
    if phases.one_shared:
        counts[hard] = [len(_turns(phases, phase)) for phase in hard.tolist()]
    elif len(hard):
        counts[hard] = _most_items(phases, hard)
    return counts


def _most_items(phases: _Phases, chosen: Counts) -> Counts:
    """The largest number of distinct items that one bank must give, for each chosen phase."""
    banks = phases.device.shared_banks
    on = np.broadcast_to(phases.active[chosen, :, None], phases.words[chosen].shape).reshape(len(chosen), -1)
    bank = phases.words[chosen].reshape(on.shape) % banks
    item = phases.items[chosen].reshape(on.shape)
    key = np.sort(np.where(on, item * banks + bank, NOWHERE), axis=1)
    fresh = key != NOWHERE
    fresh[:, 1:] &= key[:, 1:] != key[:, :-1]
    rows = np.arange(len(chosen), dtype=np.int64)[:, None] * banks
    counts = np.bincount((rows + key % banks)[fresh].astype(np.intp), minlength=len(chosen) * banks)
    most: Counts = counts.reshape(-1, banks).max(axis=1)
    return most


def _turns(phases: _Phases, phase: int) -> list[Wavefront]:
    """The wavefronts of one phase: each bank gives its items in the order of their lowest lanes."""
    waiting, turns = _waiting(phases, phase), []
    while waiting:
        chosen = {bank: next(iter(items)) for bank, items in waiting.items()}
        shared = set(chosen)  # the banks that serve all lanes on an item
        if phases.one_shared:
            _, _, bank, item = max(
                (len(lanes), -lanes[0], bank, item)
                for bank, items in waiting.items()
                for item, (_, lanes) in items.items()
            )
            chosen[bank], shared = item, {bank}
        turn: Wavefront = {}
        for bank, item in chosen.items():
            address, lanes = waiting[bank][item]
            count = len(lanes) if bank in shared else 1
            turn[bank] = address, tuple(lanes[:count])
            del lanes[:count]
            if not lanes:
                del waiting[bank][item]
        waiting = {bank: items for bank, items in waiting.items() if items}
        turns.append(turn)
    return turns


def _waiting(phases: _Phases, phase: int) -> dict[int, dict[int, tuple[int, list[int]]]]:
    """Bank -> item -> the address of its word, and the lanes that want it."""
    waiting: dict[int, dict[int, tuple[int, list[int]]]] = {}
    for lane in np.flatnonzero(phases.active[phase]).tolist():
        wanted = zip(phases.words[phase, lane].tolist(), phases.items[phase, lane].tolist(), strict=True)
        for word, item in wanted:
            items = waiting.setdefault(word % phases.device.shared_banks, {})
            _, lanes = items.setdefault(item, (word * phases.device.bank_bytes, []))
            lanes.append(int(phases.lanes[phase, lane]))
    return waiting


class Banks(GridObserver):
    """Counts requests to shared memory, their wavefronts and conflicts, into a ledger."""

    wants = frozenset({MemoryAccess})

    def __init__(self, ledger: Ledger, device: Device, warps_per_block: int) -> None:
        self._ledger, self._device, self._warps_per_block = ledger, device, warps_per_block

    def observe(self, event: Event) -> None:
        """Count one memory instruction of some warps."""
        if not isinstance(event, MemoryAccess) or event.space is not Space.SHARED:
            return
        warps, rows = len(event.warps), self._rows_that_repeat(event)
        passes, extra = _counted(
            event.addresses[:rows], event.active[:rows], event.width, self._device, kind_of(event)
        )
        counts = {
            "requests": warps,
            "wavefronts": int(passes.sum()) * (warps // rows),
            "bank_conflicts": int(extra.sum()) * (warps // rows),
        }
        for what, amount in counts.items():
            self._ledger.add(event.instruction.span, f"shared_{event.kind}_{what}", amount)
        if counts["bank_conflicts"]:
            self._ledger.illustrate(event, passes, passes - extra)

    def _rows_that_repeat(self, event: MemoryAccess) -> int:
        """The warps of one block if those of all others do the same in their own memory; else all warps."""
        warps, rows = len(event.warps), self._warps_per_block
        if warps % rows == 0 and _repeat(event.addresses, rows) and _repeat(event.active, rows):
            return rows
        return warps


def _repeat(values: NDArray[Any], rows: int) -> bool:
    blocks = values.reshape(-1, rows, values.shape[1])
    return bool((blocks == blocks[0]).all())
