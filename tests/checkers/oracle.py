"""Happens-before in its plainest form: a whole vector clock for every thread, every access compared with all.

It takes the same events as the checker and gives every pair of racing accesses, as
((time, thread), (time, thread), cell), the earlier access first; a cell is four bytes wide, at (space, block
or None, address).
"""

from __future__ import annotations

import numpy as np

from gpusim.events import BarrierPassed, LanesSynchronized, MemoryAccess, NamedBarrierUsed
from gpusim.ir.details import Scope
from gpusim.ir.instructions import Opcode
from gpusim.ir.types import Space

ALWAYS = 1 << 40


class Oracle:
    """All races of one launch."""

    def __init__(self, launched):
        self.lanes, self.warps_per_block = launched.device.warp_size, launched.warps_per_block
        self.per_block = self.lanes * self.warps_per_block
        self.width = self.lanes if launched.scheduling == "stack" else 1
        agents = launched.grid[0] * self.per_block // self.width
        self.clock = np.zeros((agents, agents), np.int64)
        np.fill_diagonal(self.clock, ALWAYS)
        self.time = 0
        self.released = {}  # agent -> [what it knew at its last fence of any scope, … of device scope]
        self.pending = {agent: [] for agent in range(agents)}
        self.operations = {}  # cell -> [(block, knowledge within the block, knowledge across blocks)]
        self.accesses = {}  # cell -> [(time, thread, kind, wide)]
        self.races = set()
        self.brought = {}  # (block, number, phase) -> what those knew who came

    def observe(self, event):
        self.time += 1
        if isinstance(event, MemoryAccess):
            self._access(event)
        elif isinstance(event, BarrierPassed) and event.whole_grid:
            self._meet(range(len(self.clock) * self.width))
        elif isinstance(event, BarrierPassed):
            for block in {int(warp) // self.warps_per_block for warp in event.warps}:
                first = block * self.per_block
                self._meet(range(first, first + self.per_block))
        elif isinstance(event, NamedBarrierUsed):
            self._named(event)
        elif isinstance(event, LanesSynchronized):
            if event.opcode is Opcode.SYNC_WARP:
                for warp, lanes in zip(event.warps, event.active, strict=True):
                    self._meet([int(warp) * self.lanes + int(lane) for lane in np.flatnonzero(lanes)])
        else:
            for thread in self._threads(event):
                self._acquire(self.agent(thread), event.scope is not Scope.CTA)
            for thread in self._threads(event):
                self._release(self.agent(thread), event.scope is not Scope.CTA)

    def _named(self, event):
        for row, warp in enumerate(event.warps):
            for lane in np.flatnonzero(event.active[row]):
                agent = self.agent(int(warp) * self.lanes + int(lane))
                key = self._block(agent), event.number, int(event.phases[row, lane])
                before = self.brought.get(key, np.zeros(len(self.clock), np.int64))
                if event.arrives:
                    self._acquire(agent, True)
                    knows = self.clock[agent].copy()
                    knows[agent] = self.time
                    self.brought[key] = np.maximum(before, knows)
                else:
                    self.clock[agent] = np.maximum(self.clock[agent], before)
                    self.clock[agent, agent] = ALWAYS

    def agent(self, thread):
        return thread // self.width

    def _block(self, agent):
        return agent * self.width // self.per_block

    def _threads(self, event):
        return [
            int(warp) * self.lanes + int(lane)
            for warp, lanes in zip(event.warps, event.active, strict=True)
            for lane in np.flatnonzero(lanes)
        ]

    def _meet(self, threads):
        members = sorted({self.agent(thread) for thread in threads})
        for member in members:
            self._acquire(member, True)
        together = self.clock[members].max(axis=0)
        together[members] = self.time
        for member in members:
            self.clock[member] = together
            self.clock[member, member] = ALWAYS

    def _acquire(self, agent, across):
        later = []
        for cell, count, wide in self.pending[agent]:
            for block, within, beyond in self.operations[cell][:count]:
                if block == self._block(agent) and within is not None:
                    np.maximum(self.clock[agent], within, out=self.clock[agent])
                if across and wide and beyond is not None:
                    np.maximum(self.clock[agent], beyond, out=self.clock[agent])
            if wide and not across:
                later.append((cell, count, wide))
        self.pending[agent] = later

    def _release(self, agent, across):
        known = self.clock[agent].copy()
        known[agent] = self.time
        before = self.released.get(agent, [None, None])
        self.released[agent] = [known, known if across else before[1]]

    def _ordered(self, thread, earlier):
        """Which accesses to a cell come before what a thread does now? Backwards, so that of atomics it is
        known which atomics that come later, and so observed them, do.
        """
        ordered = []
        wide_follows, blocks_following = False, set()
        for time, other, kind, wide in reversed(earlier):
            a, b, block = self.agent(other), self.agent(thread), other // self.per_block
            known = time != self.time and (a == b or self.clock[b, a] >= time)
            if kind == "atomic":
                known = known or (wide and wide_follows) or block in blocks_following
                wide_follows |= known and wide
                blocks_following |= {block} if known else set()
            ordered.append(known)
        return ordered[::-1]

    def _access(self, event):
        rows = [
            (int(warp) * self.lanes + int(lane), int(event.addresses[row, lane]) + byte)
            for row, warp in enumerate(event.warps)
            for lane in np.flatnonzero(event.active[row])
            for byte in range(0, event.width, 4)
        ]
        wide = event.instruction.detail is not Scope.CTA
        for thread, address in rows:
            block = thread // self.per_block
            cell = event.space, block if event.space is Space.SHARED else None, address
            earlier = self.accesses.get(cell, ())
            for access, ordered in zip(earlier, self._ordered(thread, earlier), strict=True):
                time, other, kind, other_wide = access
                if event.kind == kind == "load" or other == thread or ordered:
                    continue
                same_block = other // self.per_block == block
                if event.kind == kind == "atomic" and (same_block or (wide and other_wide)):
                    continue
                self.races.add(((time, other), (self.time, thread), cell))
            self.accesses.setdefault(cell, []).append((self.time, thread, event.kind, wide))
            if event.kind == "atomic":
                agent, log = self.agent(thread), self.operations.setdefault(cell, [])
                self.pending[agent].append((cell, len(log), wide))
                within, beyond = self.released.get(agent, (None, None))
                log.append((block, within, beyond if wide else None))
