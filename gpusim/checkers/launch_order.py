"""What orders a grid that a thread launched? Its launch, and that it is over.

Before its first access comes what its thread knew at the launch, and what comes before those grids that are
over when it begins: the earlier ones of its stream; those that an event stands for which the stream waits
for; under CDP1 those that its thread knows to have been waited for with cudaDeviceSynchronize. A grid of the
tail launch comes after its parent's threads and all other grids that these launched.

A grid is over when all are over that it led to. Who of the parent learns that? Under CDP2 nobody. Under CDP1
a thread that waits: it waits for the grids of its block whose launch comes before.

Of one block, the grids of a stream are numbered: who comes after one comes after those before it. A *clock*
says up to which number each stream is over.

Sources: CUDA C++ Programming Guide, CUDA Dynamic Parallelism, Memory Coherence and Consistency, of CDP1 and
CDP2; Synchronization in the tail launch stream.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from gpusim.checkers.geometry import Numbers
from gpusim.checkers.knowledge import Knowledge, joined
from gpusim.checkers.known import Known
from gpusim.events import ChildLaunched
from gpusim.ir.launched import LaunchedBy
from gpusim.source import Span

Clock = dict[Hashable, int]


@dataclass(frozen=True, eq=False)
class Requested:
    """A grid that `thread` launched at `time`: what is over when it begins, and what comes before it."""

    by: LaunchedBy
    thread: int
    time: int
    stream: Hashable
    number: int
    known: Known
    over: Clock

    def follows(self, other: Requested) -> bool:
        """Does it begin when another is over that its parent's threads launched, too?"""
        return self.follows_as_tail(other) or self.over.get(other.stream, -1) >= other.number

    def follows_as_tail(self, other: Requested) -> bool:
        """Is it a tail launch, and so comes after all others, and after earlier ones of its kind?"""
        return self.by.is_tail and (not other.by.is_tail or other.number < self.number)


@dataclass(frozen=True, eq=False)
class Waited:
    """A thread waited for its block's grids, at `time`."""

    thread: int
    time: int
    span: Span
    over: Clock


@dataclass
class LaunchOrder:
    """What the threads of one grid launch and wait for. By block: streams, and who waited, by thread."""

    knowledge: Knowledge
    requested: dict[LaunchedBy, Requested] = field(default_factory=dict)
    streams: dict[int, dict[Hashable, list[Requested]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    waited: dict[int, dict[int, list[Waited]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )

    def launch(self, event: ChildLaunched, thread: int, time: int) -> Requested:
        """A thread launched a grid."""
        known, block = Known.by(self.knowledge, thread, time), self._block(thread)
        over = self._over(known)
        for by in event.after:
            before = self.requested[by]
            known = known.with_what(before.known)
            over = joined(joined(over, before.over), {before.stream: before.number})
        stream: Hashable = event.by if event.by.is_free else event.by.stream
        number = len(self.requested)
        found = Requested(event.by, thread, time, (block, stream), number, known, over)
        self.streams[block][block, stream].append(found)
        self.requested[event.by] = found
        return found

    def wait(self, thread: int, time: int, span: Span) -> None:
        """A thread waits until all is over that its block launched."""
        known = Known.by(self.knowledge, thread, time)
        over, block = self._over(known), self._block(thread)
        for stream, queue in self.streams[block].items():
            for one in reversed(queue):
                if known.covers(np.array([one.thread]), np.array([one.time]))[0]:
                    over = joined(joined(over, one.over), {stream: one.number})
                    break
        self.waited[block][thread].append(Waited(thread, time, span, over))

    def knows_over(self, one: Requested, threads: Numbers) -> npt.NDArray[np.bool_]:
        """(n,): does each of these threads know by now that a grid is over?"""
        waited = [
            waits[first]
            for waits in self._who_waited(self._block(one.thread))
            if (first := bisect_left(waits, one.number, key=lambda wait: wait.over.get(one.stream, -1)))
            < len(waits)
        ]
        if not waited:
            return np.zeros(len(threads), bool)
        known = np.tile([wait.thread for wait in waited], len(threads))
        times = np.tile([wait.time for wait in waited], len(threads))
        ordered = self.knowledge.orders(np.repeat(threads, len(waited)), known, times)
        return np.asarray(ordered.reshape(len(threads), -1).any(axis=1))

    def waited_by(self, thread: int) -> list[Waited]:
        """When a thread waited, in order."""
        return self.waited[self._block(thread)][thread]

    def who_waited(self, one: Requested) -> Waited | None:
        """A thread that waited for a grid."""
        last = (waits[-1] for waits in self.waited[self._block(one.thread)].values())
        return next((wait for wait in last if wait.over.get(one.stream, -1) >= one.number), None)

    def _over(self, known: Known) -> Clock:
        """What somebody knows to be over, because others waited of whom he knows."""
        over: Clock = {}
        for waits in self._who_waited(known.block):
            threads, times = np.array([(wait.thread, wait.time) for wait in waits]).T
            covered = np.flatnonzero(known.covers(threads, times))
            if covered.size:
                over = joined(over, waits[covered[-1]].over)
        return over

    def _who_waited(self, block: int) -> Iterator[list[Waited]]:
        """Of that block; of others too, where anything is known beyond a block."""
        everywhere = bool(self.knowledge.channels) or self.knowledge.everybody > 0
        for number in list(self.waited) if everywhere else [block]:
            yield from self.waited[number].values()

    def _block(self, thread: int) -> int:
        return thread // self.knowledge.geometry.threads_per_block
