"""How does a warp run since Volta? A program counter per lane, and lanes that wait for each other to meet.

`ready[block]` says which lanes of every warp stand at a block and can run. A branch that splits names its
lanes as `expected` at the meeting point; a lane that arrives there is `parked` until all that are expected
have arrived or left the kernel. That is a courtesy for efficiency: it is given up where it would keep another
lane from finishing, so every lane makes progress.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gpusim.machine.models.scheduling import Masks, Rows, SchedulingModel, unpack


class IndependentModel(SchedulingModel):
    """Warps whose lanes are scheduled on their own."""

    lanes_can_wait = True

    def _start(self, block: int) -> None:
        self.ready = np.zeros((len(self.reconvergence), len(self.alive)), self.alive.dtype)
        self.ready[block] = self.alive
        self._occupied = {block}
        self.expected: dict[int, Masks] = {}
        self.parked: dict[int, Masks] = {}
        self.barrier: dict[int, Masks] = {}
        self.exchange: dict[int, Masks] = {}
        self._after_barrier: dict[int, int] = {}
        self._given_up: set[int] = set()

    @property
    def splits_groups(self) -> bool:  # type: ignore[override]
        """Lanes at one block of one warp may be scheduled apart where they need not meet."""
        return not self.convergent

    def blocks(self) -> list[int]:
        """Every block with ready lanes."""
        self._occupied = {block for block in self._occupied if self.ready[block].any()}
        return sorted(self._occupied)

    def standing(self, block: int) -> Masks:
        """All ready lanes of a warp at one block run together."""
        masks: Masks = self.ready[block]
        return masks

    def held(self) -> Masks:
        """They wait where they are."""
        return self._union(self.exchange)

    def hold(self, rows: Rows, masks: Masks, block: int) -> None:
        """The others run on."""
        self.ready[block][rows] &= ~masks
        self.exchange.setdefault(block, np.zeros_like(self.alive))[rows] |= masks

    def resume(self, rows: Rows, masks: Masks, block: int, target: int) -> None:
        """Each goes on from where it waited."""
        self.departures += 1
        self.exchange[block][rows] &= ~masks
        if not self.exchange[block].any():
            del self.exchange[block]
        self._put(rows, masks, target)

    def at_barrier(self) -> Masks:
        """Barriers count threads."""
        return self._union(self.barrier)

    def positions(self) -> npt.NDArray[np.int32]:
        """Each lane has its own."""
        where = np.zeros(unpack(self.alive).shape, np.int32)
        for waiting in (dict(enumerate(self.ready)), self.parked, self.barrier, self.exchange):
            for block, masks in waiting.items():
                where[unpack(masks)] = block
        return where

    def fingerprint(self) -> bytes:
        """All masks, by where and how their lanes stand."""
        kept = (self.expected, self.parked, self.barrier, self.exchange)
        return self.ready.tobytes() + b"".join(
            bytes([kind]) + block.to_bytes(4, "little") + masks.tobytes()
            for kind, waiting in enumerate(kept)
            for block, masks in sorted(waiting.items())
        )

    def release_waiting(self) -> bool:
        """Give up every wait for a meeting, and wait at these points no more."""
        self._given_up |= self.parked.keys()
        waited = bool(self._union(self.parked).any())
        for block, masks in self.parked.items():
            self.ready[block] |= masks
            self._occupied.add(block)
        self.parked.clear()
        self.expected.clear()
        return waited

    def stack(self, row: int, mask: int) -> list[tuple[str, int, int, int | None]]:
        """Meeting points with those who are expected there, lanes that stand elsewhere, who runs now."""
        alive, here = int(self.alive[row]), 0
        expected = {m: int(masks[row]) & alive for m, masks in self.expected.items()}
        widest_first = sorted(expected, key=lambda meeting: -expected[meeting].bit_count())
        entries: list[tuple[str, int, int, int | None]] = [
            ("reconverge", expected[meeting], meeting, None) for meeting in widest_first if expected[meeting]
        ]

        def nearest(lanes: int) -> int | None:
            return next((meeting for meeting in reversed(widest_first) if expected[meeting] & lanes), None)

        for block in reversed(self.blocks()):
            ready = int(self.ready[block][row])
            here = block if ready & mask else here
            if ready & ~mask:
                entries.append(("lanes elsewhere", ready & ~mask, block, nearest(ready & ~mask)))
        together = "whole warp" if mask == alive == int(self.present[row]) else "lanes together"
        return [*entries, (together, mask, here, nearest(mask))]

    # moving lanes -----------------------------------------------------------------------------------------

    def _union(self, waiting: dict[int, Masks]) -> Masks:
        union = np.zeros_like(self.alive)
        for masks in waiting.values():
            union |= masks
        return union

    def _put(self, rows: Rows, masks: Masks, block: int) -> None:
        """Lanes arrive at a block; those who are expected there wait for the rest."""
        if block in self.expected:
            waits = masks & self.expected[block][rows]
            if waits.any():
                self.parked.setdefault(block, np.zeros_like(self.alive))[rows] |= waits
                self._meet(rows, block)
                masks = masks & ~waits
        self.ready[block][rows] |= masks
        self._occupied.add(block)

    def _meet(self, rows: Rows, block: int) -> None:
        """Where all who are expected and have not left have arrived, they go on together."""
        parked = self.parked.get(block, np.zeros_like(self.alive))
        here, expected = parked[rows], self.expected[block][rows]
        complete = expected & self.alive[rows] & ~here == 0
        met = rows[complete]
        self.ready[block][met] |= here[complete]
        self._occupied.add(block)
        parked[met] = self.expected[block][met] = 0
        if not self.expected[block].any():
            del self.expected[block]
            self.parked.pop(block, None)

    def _move(self, rows: Rows, masks: Masks, block: int, target: int) -> None:
        self.ready[block][rows] &= ~masks
        self._put(rows, masks, target)

    def _branch(self, rows: Rows, taken: Masks, others: Masks, block: int, then: int, otherwise: int) -> None:
        meeting = self.reconvergence[block]
        courteous = self.convergent and meeting not in self._given_up and block not in self.unreconverged
        if meeting is not None and courteous:
            parted = (taken != 0) & (others != 0)
            if parted.any():
                expected = self.expected.setdefault(meeting, np.zeros_like(self.alive))
                expected[rows[parted]] |= taken[parted] | others[parted]
        self.ready[block][rows] &= ~(taken | others)
        for masks, target in ((taken, then), (others, otherwise)):
            if masks.any():
                self._put(rows, masks, target)

    def _leave(self, rows: Rows, masks: Masks, block: int) -> Masks | None:
        self.ready[block][rows] &= ~masks
        for meeting in list(self.expected):
            self._meet(rows, meeting)
        return self._open_barriers()

    def _wait(self, rows: Rows, masks: Masks, block: int, target: int) -> Masks | None:
        self.ready[block][rows] &= ~masks
        self.barrier.setdefault(block, np.zeros_like(self.alive))[rows] |= masks
        self._after_barrier[block] = target
        return self._open_barriers()

    def _open_barriers(self) -> Masks | None:
        """A barrier opens when every thread of the block that is left is there, a warp's at one place."""
        if not self.barrier:
            return None
        arrived = self.alive == 0
        for masks in self.barrier.values():
            arrived |= masks == self.alive
        waiting = self.at_barrier()
        released = np.where(self.whole_blocks(arrived), waiting, 0).astype(waiting.dtype)
        opened = np.flatnonzero(released)
        if not opened.size:
            return None
        for block, masks in list(self.barrier.items()):
            lanes = masks[opened]
            masks[opened] = 0
            if not masks.any():
                del self.barrier[block]
            self._put(opened, lanes, self._after_barrier[block])
        return released
