"""How did a warp run before Volta? One program counter, and a stack of masks that pops where sides meet.

The top of the stack stands in arrays of its own: `pc`, `meeting`, `mask`. Where a branch splits the mask, the
top becomes the entry that waits at the meeting point, and both sides are pushed, `then` above `otherwise`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gpusim.machine.models.scheduling import Masks, Rows, SchedulingModel, unpack

NONE = -1
SIDES = ("whole warp", "reconverge", "if side", "else side")
WHOLE, MEETING, THEN, OTHERWISE = range(4)
FIRST_DEPTH = 4


class StackModel(SchedulingModel):
    """Warps with a reconvergence stack."""

    splits_groups, lanes_can_wait = False, False

    def _start(self, block: int) -> None:
        warps = len(self.alive)
        self.pc = np.full(warps, block, np.int32)
        self.meeting = np.full(warps, NONE, np.int32)
        self.side = np.full(warps, WHOLE, np.int8)
        self.mask = self.alive.copy()
        self.depth = np.zeros(warps, np.int64)
        self.waiting = np.zeros(warps, bool)
        self.elsewhere = self.waiting.copy()  # not at the block's barrier
        self.after_barrier = np.zeros(warps, np.int32)
        self._make_room(FIRST_DEPTH)

    def _make_room(self, depth: int) -> None:
        shape = len(self.pc), depth
        self.below_pc, self.below_meeting = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
        self.below_side, self.below_mask = np.zeros(shape, np.int8), np.zeros(shape, self.mask.dtype)

    def blocks(self) -> list[int]:
        """Where the tops of the stacks stand that neither wait nor are empty."""
        able = (self.mask != 0) & ~self.waiting
        return np.flatnonzero(np.bincount(self.pc[able])).tolist()

    def standing(self, block: int) -> Masks:
        """The mask on top; there is no choice within a warp."""
        return np.where((self.pc == block) & ~self.waiting, self.mask, 0).astype(self.mask.dtype)

    def held(self) -> Masks:
        """At named barriers only, the mask on top: a warp cannot leave some lanes waiting and run others."""
        return np.where(self.elsewhere, self.mask, 0).astype(self.mask.dtype)

    def hold(self, rows: Rows, _masks: Masks, _block: int) -> None:
        """The whole warp waits."""
        self.waiting[rows] = self.elsewhere[rows] = True

    def resume(self, rows: Rows, _masks: Masks, _block: int, target: int) -> None:
        """And goes on."""
        self.departures += 1
        self.waiting[rows] = self.elsewhere[rows] = False
        self._move(rows, _masks, _block, target)

    def at_barrier(self) -> Masks:
        """Barriers count warps: the mask on top stands for all of it."""
        return np.where(self.waiting & ~self.elsewhere, self.mask, 0).astype(self.mask.dtype)

    def positions(self) -> npt.NDArray[np.int32]:
        """Lanes below the top wait where the highest entry that holds them goes on."""
        where = np.zeros(unpack(self.mask).shape, np.int32)
        for depth in range(self.below_pc.shape[1]):
            held = unpack(np.where(self.depth > depth, self.below_mask[:, depth], 0).astype(self.mask.dtype))
            where = np.where(held, self.below_pc[:, depth, None], where)
        return np.where(unpack(self.mask), self.pc[:, None], where)

    def fingerprint(self) -> bytes:
        """The tops, how deep the stacks are, and what lies below."""
        tops = self.pc, self.mask, self.meeting, self.side, self.depth, self.waiting
        below = self.below_pc, self.below_mask, self.below_meeting, self.below_side
        return b"".join(array.tobytes() for array in (*tops, *below))

    def release_waiting(self) -> bool:
        """Never: the top runs until it pops. That is why a spin lock within a warp hangs here."""
        return False

    def stack(self, row: int, _mask: int) -> list[tuple[str, int, int, int | None]]:
        """The real stack."""
        arrays = self.below_side, self.below_mask, self.below_pc, self.below_meeting
        below = [tuple(array[row, depth] for array in arrays) for depth in range(int(self.depth[row]))]
        top = (self.side[row], self.mask[row], self.pc[row], self.meeting[row])
        return [
            (SIDES[side], int(mask) & int(self.alive[row]), int(pc), None if meets == NONE else int(meets))
            for side, mask, pc, meets in [*below, top]
        ]

    def _move(self, rows: Rows, _masks: Masks, _block: int, target: int) -> None:
        self.pc[rows] = target
        self._pop(rows[self.meeting[rows] == target])

    def _branch(self, rows: Rows, taken: Masks, others: Masks, block: int, then: int, otherwise: int) -> None:
        self.pc[rows] = np.where(taken != 0, then, otherwise)
        split = (taken != 0) & (others != 0)
        whole = rows[~split]
        self._pop(whole[self.meeting[whole] == self.pc[whole]])
        if not split.any():
            return
        rows, taken, others = rows[split], taken[split], others[split]
        meeting = self.reconvergence[block]
        meets = NONE if meeting is None else meeting
        if meeting is not None:
            # where an outer branch meets at the same block, its entry serves this one too
            outer = rows[self.meeting[rows] != meets]
            self.pc[outer] = meets
            self.side[outer] = np.where(self.side[outer] == WHOLE, WHOLE, MEETING)
            self._push(outer)
        sides = [(otherwise, others, OTHERWISE), (then, taken, THEN)]
        pushed = [side for side in sides if side[0] != meets]
        for number, (target, masks, side) in enumerate(pushed):
            self.pc[rows], self.meeting[rows] = target, meets
            self.mask[rows], self.side[rows] = masks, side
            if number < len(pushed) - 1:
                self._push(rows)

    def _push(self, rows: Rows) -> None:
        """Put a copy of the top below it."""
        room = self.below_pc.shape[1]
        if rows.size and self.depth[rows].max() == room:
            pc, meeting, side, mask = self.below_pc, self.below_meeting, self.below_side, self.below_mask
            self._make_room(2 * room)
            self.below_pc[:, :room], self.below_meeting[:, :room] = pc, meeting
            self.below_side[:, :room], self.below_mask[:, :room] = side, mask
        depth = self.depth[rows]
        self.below_pc[rows, depth], self.below_meeting[rows, depth] = self.pc[rows], self.meeting[rows]
        self.below_side[rows, depth], self.below_mask[rows, depth] = self.side[rows], self.mask[rows]
        self.depth[rows] += 1

    def _pop(self, rows: Rows) -> None:
        """Drop tops that met the others or lost all lanes, until one has something to run."""
        while (rows := rows[self.depth[rows] > 0]).size:
            depth = self.depth[rows] - 1
            self.depth[rows] = depth
            self.pc[rows], self.meeting[rows] = self.below_pc[rows, depth], self.below_meeting[rows, depth]
            self.side[rows] = self.below_side[rows, depth]
            self.mask[rows] = self.below_mask[rows, depth] & self.alive[rows]
            rows = rows[(self.pc[rows] == self.meeting[rows]) | (self.mask[rows] == 0)]

    def _leave(self, rows: Rows, _masks: Masks, _block: int) -> Masks | None:
        self.mask[rows] &= self.alive[rows]
        self._pop(rows[self.mask[rows] == 0])
        return self._open_barriers()

    def _wait(self, rows: Rows, _masks: Masks, _block: int, target: int) -> Masks | None:
        self.waiting[rows], self.after_barrier[rows] = True, target
        return self._open_barriers()

    def _open_barriers(self) -> Masks | None:
        """A barrier opens when every warp of the block has arrived or has no lane left."""
        waiting = self.waiting & ~self.elsewhere
        if not waiting.any():
            return None
        opened = np.flatnonzero(self.whole_blocks(waiting | (self.alive == 0)) & waiting)
        if not opened.size:
            return None
        released = np.zeros_like(self.mask)
        released[opened] = self.mask[opened]
        self.waiting[opened], self.pc[opened] = False, self.after_barrier[opened]
        self._pop(opened[self.meeting[opened] == self.pc[opened]])
        return released
