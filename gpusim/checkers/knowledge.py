"""Up to which moment does a thread know what another did? Happens-before, as synchronisation makes it.

Events are numbered as they come; the number is the *time*. "a knows b up to t" means that all that b did
until t happens before all that a does from now on. Knowledge comes from

* the thread's own program order;
* a block barrier: all threads of the block know each other, and what any of them knew of others. A thread
  that has left counts as having arrived. It does not matter at which line each waited;
* a barrier of the grid: the same for all threads;
* a barrier of a part of the block: those who go on from it know what those knew who had come to it;
* `syncwarp`: the same for the lanes that met. Shuffles, votes and matches order no memory: CUDA's guide says
  of each that it does "not imply a memory barrier";
* hand-over: a fence, then an atomic on X by a; an atomic on X by b that comes later, then a fence of b. b
  gets what a knew at its fence. In place of b's fence stands a barrier or `syncwarp`, which passes it on to
  all who meet there: the programming guide's "last block sums the partial results" does so. A hand-over
  between blocks needs device scope of both fences and of both atomics; within a block any scope will do.

Besides, an atomic on X comes before whatever comes after an atomic on X that observed it: see `races`.

Under the stack model (before Volta) the lanes of a warp run in lock-step: there, the warp takes the place of
the thread (the *agent*), and what it did before, with whichever lanes, happens before what it does now.

Sources: PTX ISA, Memory Consistency Model (release and acquire patterns, causality order, morally strong);
CUDA C++ Programming Guide, Memory Fence Functions, Synchronization Functions, Warp Functions.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from gpusim.checkers.geometry import Geometry, Numbers
from gpusim.events import Lanes, Warps

K = TypeVar("K")
Times = npt.NDArray[np.int64]
Variable = tuple[int, int]  # of which region, which cell: where an atomic hands over
Channel = tuple[Variable, int | None]  # hand-overs on a variable: within one block, or (None) across blocks
Heard = dict[Channel, int]  # how many hand-overs of each channel a thread has heard of

NOTHING: Heard = {}


@dataclass
class HandOvers:
    """What was handed over through one channel, in order; after p hand-overs, `heard[p]` is known besides.

    The rest is indexed by agent, block and warp: at which position something new was handed over, and the
    time up to which that agent, all of that block, or (by lane) that warp is known from there on.
    """

    heard: list[Heard] = field(default_factory=lambda: [NOTHING])
    positions: dict[Any, list[int]] = field(default_factory=lambda: defaultdict(list))
    times: dict[Any, list[Any]] = field(default_factory=lambda: defaultdict(list))

    def add(self, known: Iterable[tuple[Any, Any]], heard: Heard) -> None:
        """One more, with what its sender knew: of whom, up to when."""
        position = len(self.heard)
        for whom, time in known:
            times = self.times[whom]
            self.positions[whom].append(position)
            times.append(np.maximum(times[-1], time) if times else time)
        self.heard.append(joined(self.heard[-1], heard))

    def known(self, whom: Any, count: int) -> Any:
        """Up to which time do those who heard `count` hand-overs know them? -1: not at all."""
        last = bisect_left(self.positions[whom], count + 1) if whom in self.positions else 0
        return self.times[whom][last - 1] if last else -1


def joined(first: dict[K, int], second: dict[K, int]) -> dict[K, int]:
    """What two know together: of each the higher number, from 0."""
    if not second or first is second:
        return first
    both = dict(first)
    for channel, count in second.items():
        both[channel] = max(both.get(channel, 0), count)
    return both


class Knowledge:
    """Of all threads of the batch, about all threads of the grid. `hands_over`: does the kernel have fences?

    barrier: int64 (blocks,), when each block last met at a barrier; `everybody`: when the grid last did.
    warp: int64 (W,), when all lanes of a warp last met; lane: int64 (W, L, L), up to when each lane knows
    each other one, where only some met. fenced: int64 (2, agents), time of the last fence, of any scope and
    of device scope, with what the agent knew then in `barrier_then`, `warp_then` and `heard_then`.
    """

    def __init__(self, geometry: Geometry, lock_step: bool, hands_over: bool) -> None:
        self.geometry, self.lock_step, self.hands_over = geometry, lock_step, hands_over
        self.lanes_per_agent = geometry.lanes if lock_step else 1
        self.agents = geometry.threads // self.lanes_per_agent
        self.agents_per_block = geometry.threads_per_block // self.lanes_per_agent
        self.channels: dict[Channel, HandOvers] = {}
        self.everybody = 0
        self.start_batch()

    def start_batch(self) -> None:
        """Other blocks run now. They know nothing of anybody."""
        geometry = self.geometry
        self.barrier, self.warp = np.zeros(geometry.blocks, np.int64), np.zeros(geometry.warps, np.int64)
        self.lane: Times | None = None
        # by block: up to when each agent knows each thread, (agents, threads); what came to a barrier's phase
        self.part: dict[int, Times] = {}
        self.brought: dict[tuple[int, int, int], tuple[Times, Heard]] = {}
        if self.hands_over:
            self.fenced = np.full((2, self.agents), -1, np.int64)
            self.barrier_then = np.zeros_like(self.fenced)
            self.heard_then: tuple[dict[int, Heard], dict[int, Heard]] = ({}, {})
            self.warp_then: tuple[dict[int, Any], dict[int, Any]] = ({}, {})
            self.part_then: tuple[dict[int, Times], dict[int, Times]] = ({}, {})
        # by block: atomics whose fence is still to come, and what agents know beyond their block
        self.pending: dict[int, dict[int, Heard]] = defaultdict(dict)
        self.heard_by: dict[int, dict[int, Heard]] = defaultdict(dict)
        self.heard_by_block: dict[int, Heard] = {}

    # what is known ----------------------------------------------------------------------------------------

    def orders(self, knowing: Numbers, known: Numbers, times: Times) -> npt.NDArray[np.bool_]:
        """(n,): does what thread `known` did at `times` happen before what thread `knowing` does now?"""
        geometry = self.geometry
        block = knowing // geometry.threads_per_block
        warp, warp_known = knowing // geometry.lanes, known // geometry.lanes
        ordered = knowing // self.lanes_per_agent == known // self.lanes_per_agent
        same_block = block == known // geometry.threads_per_block
        ordered |= same_block & (times <= self.barrier[block % geometry.blocks])
        ordered |= times <= self.everybody
        same_warp = warp == warp_known
        slot = warp % geometry.warps
        ordered |= same_warp & (times <= self.warp[slot])
        if self.lane is not None:
            ordered |= same_warp & (
                times <= self.lane[slot, knowing % geometry.lanes, known % geometry.lanes]
            )
        for number in self.part.keys() & set(block[same_block & ~ordered].tolist()) if self.part else ():
            here = np.flatnonzero(same_block & (block == number))
            agents = knowing[here] // self.lanes_per_agent % self.agents_per_block
            up_to = self.part[number][agents, known[here] % geometry.threads_per_block]
            ordered[here] |= times[here] <= up_to
        if self.channels:
            for position in np.flatnonzero(~ordered):
                told = self.told(
                    self.heard(int(knowing[position]) // self.lanes_per_agent), int(known[position])
                )
                ordered[position] = times[position] <= told
        return np.asarray(ordered)

    def block_orders(self, threads: Numbers) -> Times:
        """(n,): up to which time does all of a thread's block happen before what it does now?"""
        return self.barrier[threads // self.geometry.threads_per_block % self.geometry.blocks]

    def told(self, heard: Heard, known: int) -> int:
        """Up to when does one know thread `known` who heard of these hand-overs?"""
        geometry, latest = self.geometry, -1
        for channel, count in heard.items():
            handed = self.channels[channel]
            by_lane = handed.known(("warp", known // geometry.lanes), count)
            latest = max(
                latest,
                handed.known(("agent", known // self.lanes_per_agent), count),
                handed.known(("block", known // geometry.threads_per_block), count),
                int(by_lane if np.ndim(by_lane) == 0 else by_lane[known % geometry.lanes]),
            )
        return latest

    def heard(self, agent: int) -> Heard:
        """Of which hand-overs has an agent heard?"""
        block = agent // self.agents_per_block
        found = self.heard_by[block].get(agent) if block in self.heard_by else None
        return self.heard_by_block.get(block, NOTHING) if found is None else found

    # how it grows -----------------------------------------------------------------------------------------

    def meet_blocks(self, warps: Warps, time: int) -> None:
        """All warps of some blocks passed a barrier."""
        geometry = self.geometry
        blocks = warps // geometry.warps_per_block
        self.barrier[blocks % geometry.blocks] = time
        if self.brought:
            met = set(blocks.tolist())
            self.part = {block: known for block, known in self.part.items() if block not in met}
            self.brought = {key: known for key, known in self.brought.items() if key[0] not in met}
        if not self.channels:
            return
        for block in np.unique(blocks).tolist():
            self._acquire(block, list(self.pending.get(block, ())), across_blocks=True)
            for heard in self.heard_by.pop(block, {}).values():
                self.heard_by_block[block] = joined(self.heard_by_block.get(block, NOTHING), heard)

    def meet_all(self, time: int) -> None:
        """All threads of the grid passed its barrier: what was heard before is known to everybody."""
        self.everybody = time
        self.barrier[:] = time
        for known in (self.part, self.brought):
            known.clear()
        self.pending.clear()
        self.heard_by.clear()
        self.heard_by_block.clear()

    def meet_lanes(self, warps: Warps, active: Lanes, time: int) -> None:
        """Lanes of each warp passed a `syncwarp` together."""
        geometry = self.geometry
        slots = warps % geometry.warps
        whole = (active == geometry.present[warps % geometry.warps_per_block]).all(axis=1)
        self.warp[slots[whole]] = time
        if not whole.all() and not self.lock_step:
            self._meet_some(slots[~whole], active[~whole], time)
        for warp, met in zip(warps.tolist(), active, strict=True):
            members = (warp * geometry.lanes + np.flatnonzero(met)) // self.lanes_per_agent
            block = warp // geometry.warps_per_block
            if block in self.part:
                own = members % self.agents_per_block
                self.part[block][own] = self.part[block][own].max(axis=0)
            if not self.channels:
                continue
            self._acquire(block, np.unique(members).tolist(), across_blocks=True)
            together = NOTHING
            for agent in members.tolist():
                together = joined(together, self.heard(agent))
            if together:
                self.heard_by[block].update(dict.fromkeys(members.tolist(), together))

    def _meet_some(self, slots: Numbers, active: Lanes, time: int) -> None:
        geometry = self.geometry
        if self.lane is None:
            self.lane = np.zeros((geometry.warps, geometry.lanes, geometry.lanes), np.int64)
        known = np.maximum(self.lane[slots], self.warp[slots, None, None])
        together = np.where(active[:, :, None], known, 0).max(axis=1)
        together = np.where(active, time, together)
        self.lane[slots] = np.where(active[:, :, None], together[:, None, :], known)

    def come(self, number: int, warps: Warps, active: Lanes, phases: Times, time: int) -> None:
        """Lanes came to the barrier with this number, of a part of their block, and tell what they know."""
        for block, phase, members in self.parties(warps, active, phases):
            self._acquire(block, members.tolist(), across_blocks=True)
            brought, heard = self.brought.get((block, number, phase), (self._strangers(), NOTHING))
            brought = np.maximum(brought, self.known_in_block(block, members, time))
            for agent in members.tolist() if self.channels else ():
                heard = joined(heard, self.heard(agent))
            self.brought[block, number, phase] = brought, heard

    def go_on(self, number: int, warps: Warps, active: Lanes, phases: Times) -> None:
        """Lanes went on from that barrier: they know what those knew who came."""
        for block, phase, members in self.parties(warps, active, phases):
            brought, heard = self.brought.get((block, number, phase), (self._strangers(), NOTHING))
            if block not in self.part:
                self.part[block] = np.tile(self._strangers(), (self.agents_per_block, 1))
            own = members % self.agents_per_block
            self.part[block][own] = np.maximum(self.part[block][own], brought)
            if heard:
                for agent in members.tolist():
                    self.heard_by[block][agent] = joined(self.heard(agent), heard)

    def parties(self, warps: Warps, active: Lanes, phases: Times) -> Iterator[tuple[int, int, Numbers]]:
        """(block, phase, agents) of those who are at one barrier in one phase."""
        threads = self.geometry.threads_of(warps, active)
        blocks, phases = threads // self.geometry.threads_per_block, phases[active]
        for block, phase in sorted(set(zip(blocks.tolist(), phases.tolist(), strict=True))):
            together = threads[(blocks == block) & (phases == phase)]
            yield block, phase, np.unique(together // self.lanes_per_agent)

    def _strangers(self) -> Times:
        return np.full(self.geometry.threads_per_block, -1, np.int64)

    def known_in_block(self, block: int, members: Numbers, time: int) -> Times:
        """Up to when agents of a block together know each thread of it, (threads,); themselves until now."""
        geometry, width = self.geometry, self.lanes_per_agent
        own = members % self.agents_per_block
        known = np.full(geometry.threads_per_block, self.barrier[block % geometry.blocks])
        if block in self.part:
            known = np.maximum(known, self.part[block][own].max(axis=0))
        if not self.lock_step:
            warps = known.reshape(-1, geometry.lanes)
            for warp in set((own // geometry.lanes).tolist()):
                lanes = own[own // geometry.lanes == warp] % geometry.lanes
                slot = block % geometry.blocks * geometry.warps_per_block + warp
                heard = self.warp[slot] if self.lane is None else self.lane[slot, lanes].max(axis=0)
                warps[warp] = np.maximum(warps[warp], np.maximum(heard, self.warp[slot]))
        known.reshape(-1, width)[own] = time
        return known

    def fence(self, across_blocks: bool, warps: Warps, active: Lanes, time: int) -> None:
        """Lanes executed a fence: what they know now is what their later atomics hand over."""
        geometry = self.geometry
        threads = geometry.threads_of(warps, active)
        agents = np.unique(threads // self.lanes_per_agent) if self.lock_step else threads
        if self.channels:
            for agent in agents.tolist():
                self._acquire(agent // self.agents_per_block, [agent], across_blocks)
        slots = agents % self.agents
        for wide in range(1 + across_blocks):
            self.fenced[wide, slots] = time
            self.barrier_then[wide, slots] = self.barrier[slots // self.agents_per_block]
            if self.channels:
                self.heard_then[wide].update((agent, self.heard(agent)) for agent in agents.tolist())
            for agent in agents.tolist() if self.part else ():
                if agent // self.agents_per_block in self.part:
                    block, alone = agent // self.agents_per_block, np.array([agent])
                    self.part_then[wide][agent] = self.known_in_block(block, alone, time)
            if not self.lock_step and (self.lane is not None or self.warp.any()):
                for agent in agents.tolist():
                    self.warp_then[wide][agent] = self._warp_knowledge(agent)

    def _warp_knowledge(self, thread: int) -> Any:
        """Up to when a thread knows the lanes of its warp: one time for all, or (L,)."""
        geometry = self.geometry
        slot = thread // geometry.lanes % geometry.warps
        if self.lane is None:
            return self.warp[slot]
        return np.maximum(self.lane[slot, thread % geometry.lanes], self.warp[slot])

    def atomics(self, region: int, cells: Numbers, threads: Numbers, across_blocks: bool, used: Any) -> None:
        """Threads operated on cells, one after the other. `used`: bool (cells,), variables of hand-overs."""
        agents = threads // self.lanes_per_agent
        fenced = self.fenced[0, agents % self.agents] >= 0
        used[cells[fenced]] = True
        concerned = np.flatnonzero(used[cells])
        for cell, agent in zip(cells[concerned].tolist(), agents[concerned].tolist(), strict=True):
            block, variable = agent // self.agents_per_block, (region, cell)
            for wide in range(1 + across_blocks):
                channel = (variable, None if wide else block)
                handed = self.channels.setdefault(channel, HandOvers())
                if len(handed.heard) > 1:
                    self.pending[block].setdefault(agent, {})[channel] = len(handed.heard) - 1
                if self.fenced[wide, agent % self.agents] >= 0:
                    handed.add(self._released(agent, wide), self.heard_then[wide].get(agent, NOTHING))

    def _released(self, agent: int, wide: int) -> Iterator[tuple[Any, Any]]:
        """Of whom did the agent know at its fence, up to when?"""
        slot, thread = agent % self.agents, agent * self.lanes_per_agent
        yield ("agent", agent), int(self.fenced[wide, slot])
        yield ("block", agent // self.agents_per_block), int(self.barrier_then[wide, slot])
        if agent in self.part_then[wide]:
            first = agent // self.agents_per_block * self.geometry.threads_per_block
            for other, time in enumerate(self.part_then[wide][agent].tolist()):
                if time >= 0:
                    yield ("agent", (first + other) // self.lanes_per_agent), time
        if agent in self.warp_then[wide]:
            yield ("warp", thread // self.geometry.lanes), self.warp_then[wide][agent]

    def _acquire(self, block: int, agents: list[int], across_blocks: bool) -> None:
        """After a fence, agents know what was handed over to the atomics that they did before it."""
        waiting = self.pending.get(block)
        if not waiting:
            return
        for agent in agents:
            pending = waiting.pop(agent, NOTHING)
            later = {} if across_blocks else {c: count for c, count in pending.items() if c[1] is None}
            if later:
                waiting[agent] = later
            heard = self.heard(agent)
            for channel, count in pending.items():
                if channel not in later and heard.get(channel, 0) < count:
                    heard = joined(joined(heard, {channel: count}), self.channels[channel].heard[count])
            if heard:
                self.heard_by[block][agent] = heard
