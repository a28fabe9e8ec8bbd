"""What do lanes of a warp tell each other? Shuffles, votes and matches among the lanes that a mask names.

k warps, L lanes. taking: bool (k, L), the lanes that take part; bits: uint64 (k, L), what each brings, as it
stands in a register; argument: int64, the lane or distance that a shuffle is given, (k, L) or (k, 1). A rule
gives one or two parts of a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.events import Lanes
from gpusim.ir.instructions import Opcode
from gpusim.ir.terminators import Exchange
from gpusim.machine.models.scheduling import Masks, Rows, pack, unpack

Bits = npt.NDArray[np.uint64]
Sources = Callable[[npt.NDArray[np.int64], npt.NDArray[np.int64]], npt.NDArray[np.int64]]
Rule = Callable[[Lanes, Bits, npt.NDArray[np.int64]], tuple[Any, ...]]
PARTS = 2
NOTHING = np.uint64(0)


SOURCES: dict[Opcode, Sources] = {
    Opcode.SHFL_IDX: lambda _lane, source: source,
    Opcode.SHFL_UP: lambda lane, distance: lane - distance,
    Opcode.SHFL_DOWN: lambda lane, distance: lane + distance,
    Opcode.SHFL_XOR: lambda lane, mask: lane ^ mask,
}


def lanes_read(source_of: Sources, lanes: int, argument: Any) -> tuple[Any, Any]:
    """Which lane does each lane of a shuffle ask for, and the nearest that there is?"""
    source = source_of(np.arange(lanes, dtype=np.int64), argument & (lanes - 1))
    return source, np.clip(source, 0, lanes - 1)


def reads_absent(opcode: Opcode, taking: Lanes, argument: npt.NDArray[np.int64]) -> Lanes | None:
    """Which lanes does a shuffle give the value of a lane that takes no part? None for other exchanges."""
    if opcode not in SOURCES:
        return None
    source, within = lanes_read(SOURCES[opcode], taking.shape[1], argument)
    return np.asarray(taking & (source == within) & ~np.take_along_axis(taking, within, axis=1))


def shuffle(source_of: Sources) -> Rule:
    """Each lane reads another's value; its own where there is no such lane.

    A lane that takes no part gives 0. That is undefined in CUDA; an H200 was seen to do so.
    """

    def rule(taking: Lanes, bits: Bits, argument: npt.NDArray[np.int64]) -> tuple[Any, ...]:
        lanes = bits.shape[1]
        brought = bits if taking.all() else np.where(taking, bits, NOTHING)
        alike = bool((argument == argument[0, 0]).all())
        source, within = lanes_read(source_of, lanes, np.full(lanes, argument[0, 0]) if alike else argument)
        if alike:  # in all warps each lane reads the same other lane
            read = brought.take(within, axis=1)
        else:
            read = np.take_along_axis(brought, np.broadcast_to(within, bits.shape), axis=1)
        return (np.where(source == within, read, bits),)

    return rule


def vote(decide: Callable[[Lanes, Lanes], Any]) -> Rule:
    """All lanes get one answer about their predicates: `decide(flags, taking)` gives it a warp, (k,)."""

    def rule(taking: Lanes, bits: Bits, _argument: Any) -> tuple[Any, ...]:
        return (np.asarray(decide((bits != 0) & taking, taking)).astype(np.uint64)[:, None],)

    return rule


def match_any(taking: Lanes, bits: Bits, _argument: Any) -> tuple[Any, ...]:
    """Each lane gets the mask of the lanes whose value equals its own."""
    equal = (bits[:, :, None] == bits[:, None, :]) & taking[:, None, :]
    lanes = bits.shape[1]
    return (pack(equal.reshape(-1, lanes)).reshape(-1, lanes).astype(np.uint64),)


def match_all(taking: Lanes, bits: Bits, _argument: Any) -> tuple[Any, ...]:
    """The mask of all, and true, if all values are equal; else no lane, and false."""
    first = np.take_along_axis(bits, taking.argmax(axis=1)[:, None], axis=1)
    same = ((bits == first) | ~taking).all(axis=1)[:, None]
    return np.where(same, pack(taking)[:, None], 0).astype(np.uint64), same.astype(np.uint64)


def reduction(combine: np.ufunc, type_: type[np.number[Any]], neutral: int) -> Rule:
    """All lanes get one number that combines theirs, of 32 bits; those that are off count as `neutral`."""

    def rule(taking: Lanes, bits: Bits, _argument: Any) -> tuple[Any, ...]:
        numbers = np.where(taking, bits.astype(np.uint32).view(type_), type_(neutral))
        return (combine.reduce(numbers, axis=1, dtype=type_).view(np.uint32).astype(np.uint64)[:, None],)

    return rule


def meet(_taking: Lanes, _bits: Bits, _argument: Any) -> tuple[Any, ...]:
    """Nothing is exchanged."""
    return ()


RULES: dict[Opcode, Rule] = {
    **{opcode: shuffle(source_of) for opcode, source_of in SOURCES.items()},
    Opcode.BALLOT: vote(lambda flags, _taking: pack(flags)),
    Opcode.VOTE_ALL: vote(lambda flags, taking: (flags == taking).all(axis=1)),
    Opcode.VOTE_ANY: vote(lambda flags, _taking: flags.any(axis=1)),
    Opcode.VOTE_EQ: vote(lambda flags, taking: (flags == taking).all(axis=1) | ~flags.any(axis=1)),
    Opcode.MATCH_ANY: match_any,
    Opcode.MATCH_ALL: match_all,
    Opcode.REDUCE_ADD: reduction(np.add, np.uint32, 0),
    Opcode.REDUCE_MIN: reduction(np.minimum, np.int32, 2**31 - 1),
    Opcode.REDUCE_MAX: reduction(np.maximum, np.int32, -(2**31)),
    Opcode.REDUCE_MIN_UNSIGNED: reduction(np.minimum, np.uint32, 2**32 - 1),
    Opcode.REDUCE_MAX_UNSIGNED: reduction(np.maximum, np.uint32, 0),
    Opcode.REDUCE_AND: reduction(np.bitwise_and, np.uint32, 2**32 - 1),
    Opcode.REDUCE_OR: reduction(np.bitwise_or, np.uint32, 0),
    Opcode.REDUCE_XOR: reduction(np.bitwise_xor, np.uint32, 0),
    Opcode.SYNC_WARP: meet,
}
CODES = {opcode: code for code, opcode in enumerate(RULES)}


def register_bits(value: Any, warps: int) -> Bits:
    """A register value, (n, L), or (n, 1) or scalar where uniform, as unsigned numbers: (n, L) or (n, 1)."""
    numbers = np.ascontiguousarray(value if np.ndim(value) else np.full((warps, 1), value))
    return numbers.view(f"u{numbers.itemsize}").astype(np.uint64)


class Exchanges:
    """Lanes that wait at an exchange, what they brought, and what each lane got last.

    `received`: two uint64 (W, L), the parts of a result. `waiting`: masks (W,). `argument`: int64 (W, L), the
    lane or distance that each lane brought when it began to wait.
    """

    def __init__(self, present: Masks, lanes: int) -> None:
        shape = len(present), lanes
        self.waiting = np.zeros_like(present)
        self.received = [np.zeros(shape, np.uint64) for _ in range(PARTS)]
        self.site = np.zeros(shape, np.int32)
        self._named, self._bits = np.zeros(shape, np.uint64), np.zeros(shape, np.uint64)
        self.argument, self._code = np.zeros(shape, np.int64), np.zeros(shape, np.int8)

    def at_once(
        self, rows: Rows, masks: Masks, alive: Masks, end: Exchange, values: Sequence[Any]
    ) -> tuple[npt.NDArray[np.bool_], list[tuple[Rows, Masks]]]:
        """(n,): in which warps do the lanes that execute name just each other, all of them or in groups?

        Those exchange now; with whom, as positions among the n warps and masks of lanes.
        """
        taking = unpack(masks)
        named = register_bits(values[0], len(rows)) & alive[rows, None].astype(np.uint64)
        theirs = named == masks[:, None].astype(np.uint64)
        complete = (theirs | ~taking).all(axis=1) if theirs.shape == taking.shape else theirs[:, 0]
        free = self.waiting[rows] == 0
        complete = np.asarray(complete & free)
        if complete.all():
            self._give(rows, taking, end.opcode, *self._brought(values, taking.shape))
            return complete, [(np.arange(len(rows), dtype=np.int64), masks)]
        groups = [(np.flatnonzero(complete), masks[complete])]
        if theirs.shape == taking.shape:
            apart = np.flatnonzero(free & ~complete)
            groups += self._groups(apart, taking[apart], named[apart])
            complete[np.concatenate([where for where, _ in groups])] = True
        groups = [group for group in groups if len(group[0])]
        if groups:
            bits, given = self._brought(values, taking.shape)
            argument = np.broadcast_to(given, (len(rows), given.shape[1]))
            for where, members in groups:
                self._give(rows[where], unpack(members), end.opcode, bits[where], argument[where])
        return complete, groups

    def _groups(self, where: Rows, taking: Lanes, named: Bits) -> list[tuple[Rows, Masks]]:
        """Groups of lanes that name just each other, in warps all of whose lanes do; tiles, for example."""
        found: list[tuple[Rows, Masks]] = []
        whole = np.ones(len(where), np.bool_)
        for mask in np.unique(named[taking]):
            members = pack(taking & (named == mask))
            whole &= (members == 0) | (members == mask)
            found.append((where, members))
        return [(where[(members != 0) & whole], members[(members != 0) & whole]) for _, members in found]

    def arrive(self, rows: Rows, masks: Masks, block: int, end: Exchange, values: Sequence[Any]) -> None:
        """Lanes bring their values and wait."""
        shape = len(rows), self.site.shape[1]
        lanes = unpack(masks)
        bits, argument = self._brought(values, shape)
        brought: list[tuple[Any, Any]] = [
            (self._named, register_bits(values[0], len(rows))),
            (self._bits, bits),
            (self.argument, argument),
            (self._code, CODES[end.opcode]),
            (self.site, block),
        ]
        for kept, given in brought:
            kept[rows] = np.where(lanes, given, kept[rows])
        self.waiting[rows] |= masks

    def complete(self, rows: Rows, alive: Masks) -> Iterator[tuple[Rows, Masks]]:
        """Groups of waiting lanes that name just each other, with what they get already given to them."""
        for row in rows[self.waiting[rows] != 0]:
            where, living = np.array([row]), int(alive[row])
            lanes = unpack(self.waiting[where])
            for named in np.unique(self._named[where][lanes]):
                taking = lanes & (self._named[where] == named)
                members, codes = pack(taking), np.unique(self._code[where][taking])
                if int(named) & living == int(members[0]) and len(codes) == 1:
                    opcode = list(RULES)[codes[0]]
                    self._give(where, taking, opcode, self._bits[where], self.argument[where])
                    self.waiting[where] &= ~members
                    yield where, members

    def _brought(self, values: Sequence[Any], shape: tuple[int, ...]) -> tuple[Bits, npt.NDArray[np.int64]]:
        bits = np.broadcast_to(register_bits(values[1] if len(values) > 1 else NOTHING, shape[0]), shape)
        argument = values[2] if len(values) > 2 else 0
        return bits, np.asarray(argument if np.ndim(argument) else np.full((shape[0], 1), argument), np.int64)

    def _give(self, rows: Rows, taking: Lanes, opcode: Opcode, bits: Bits, argument: Any) -> None:
        for kept, given in zip(self.received, RULES[opcode](taking, bits, argument), strict=False):
            if len(rows) == len(kept):
                np.copyto(kept, given, where=taking)
            else:
                kept[rows] = np.where(taking, given, kept[rows])
