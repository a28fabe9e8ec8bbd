"""Which grids began with one launch of the host, and what of one comes before what another does?

Threads are numbered over all grids of the tree: those of a grid count from its `first`. Of two grids the one
may have led to the other; else both are below two grids that one has launched. Either way, what counts is a
grid's launch and that it is over (`launch_order`): of an access below, neither thread nor time matters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import numpy.typing as npt

from gpusim.checkers.findings import Places
from gpusim.checkers.geometry import Numbers, Region, widths
from gpusim.checkers.knowledge import Knowledge, Times
from gpusim.checkers.launch_order import LaunchOrder, Requested
from gpusim.events import GridLaunched
from gpusim.ir.instructions import Instruction, Opcode
from gpusim.ir.program import Function
from gpusim.ir.types import Space


@dataclass
class Tree:
    """All its grids, in the order in which they begin; `alone`: there is one, and there will be no other.

    done: what each event was, by time; None where it was no access. regions: global memory that they use.
    """

    alone: bool
    granules: dict[Space, int]
    done: list[Instruction | None] = field(default_factory=lambda: [None])
    grids: list[OfTree] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    _firsts: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    _per_block: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def of(cls, launched: GridLaunched) -> Tree:
        """That which begins with this grid."""
        functions = reachable(launched.function)
        own = (instruction for block in launched.blocks for instruction in block.instructions)
        granules = widths(chain(own, *(function.instructions for function in functions)))
        if any(one.opcode is Opcode.RUNTIME for function in functions for one in function.launches):
            granules[Space.GLOBAL] = 1  # the runtime copies or sets memory
        return cls(not launched.function.launches, granules)

    def add(self, grid: OfTree) -> int:
        """One more begins. The number of its first thread."""
        per_block = grid.knowledge.geometry.threads_per_block
        first = 0
        if self.grids:
            last = self.grids[-1]
            first = last.first + math.prod(last.launched.grid) * last.knowledge.geometry.threads_per_block
        if len(self.grids) == len(self._firsts):
            room = np.full(max(16, len(self.grids)), np.iinfo(np.int64).max)
            self._firsts = np.concatenate([self._firsts, room])
            self._per_block = np.concatenate([self._per_block, np.ones_like(room)])
        self._firsts[len(self.grids)], self._per_block[len(self.grids)] = first, per_block
        self.grids.append(grid)
        return first

    def numbers_of(self, threads: Numbers) -> Numbers:
        """(n,): of which grids are these?"""
        return np.searchsorted(self._firsts, threads, side="right") - 1

    def grid_of(self, thread: int) -> OfTree:
        """The grid of one thread."""
        return self.grids[int(self.numbers_of(np.array([thread]))[0])]

    def block_of(self, threads: Numbers) -> Numbers:
        """(n,): one number for each thread block: that of its first thread."""
        numbers = self.numbers_of(threads)
        firsts, per_block = self._firsts[numbers], self._per_block[numbers]
        return threads - (threads - firsts) % per_block


class OfTree:
    """One grid of a tree: `parent` launched it, as `requested` says; None where the host did."""

    def __init__(
        self,
        tree: Tree,
        launched: GridLaunched,
        knowledge: Knowledge,
        parent: OfTree | None = None,
        requested: Requested | None = None,
    ) -> None:
        self.tree, self.launched, self.knowledge = tree, launched, knowledge
        self.parent, self.requested, self.places = parent, requested, Places(launched)
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.order = LaunchOrder(knowledge)
        self.first = tree.add(self)
        self.end = self.first + math.prod(launched.grid) * knowledge.geometry.threads_per_block

    def holds(self, threads: Numbers) -> npt.NDArray[np.bool_]:
        """(n,): are these its own?"""
        return (threads >= self.first) & (threads < self.end)

    def block_of(self, threads: Numbers) -> Numbers:
        """(n,): one number for each thread block."""
        if not self.tree.alone:
            return self.tree.block_of(threads)
        return threads - threads % self.knowledge.geometry.threads_per_block

    def orders(self, knowing: Numbers, known: Numbers, times: Times) -> npt.NDArray[np.bool_]:
        """(n,): does what `known` did at `times` come before what `knowing`, threads of this grid, do now?"""
        if self.tree.alone:
            return self.knowledge.orders(knowing, known, times)
        ordered, whose = np.zeros(len(known), bool), self.tree.numbers_of(known)
        for number in np.unique(whose).tolist():
            here, grid = np.flatnonzero(whose == number), self.tree.grids[number]
            now, then = knowing[here] - self.first, known[here] - grid.first
            if grid is self:
                ordered[here] = self.knowledge.orders(now, then, times[here])
            else:
                ordered[here] = self._follows(grid, now, then, times[here])
        return ordered

    def _follows(self, other: OfTree, now: Numbers, then: Numbers, times: Times) -> npt.NDArray[np.bool_]:
        """(n,): the same, where `then` are threads of another grid."""
        common, mine, its = self.parting(other)
        if mine is None:
            assert its is not None
            return common.order.knows_over(its, now)
        if its is not None:
            return np.full(len(now), mine.follows(its))
        return np.full(len(now), True) if mine.by.is_tail else mine.known.covers(then, times)

    def parting(self, other: OfTree) -> tuple[OfTree, Requested | None, Requested | None]:
        """The grid that both are below, and which two of its launches led to this one and to the other.

        None for the one that is that grid itself.
        """
        one, mine, its = self, None, None
        while one is not other:
            if one.depth >= other.depth:
                one, mine = one.above()
            else:
                other, its = other.above()
        return one, mine, its

    def above(self) -> tuple[OfTree, Requested]:
        """Its parent, and how that launched it."""
        assert self.parent is not None
        assert self.requested is not None
        return self.parent, self.requested


def reachable(function: Function) -> list[Function]:
    """A kernel, and all that it leads to."""
    found = {function: None}
    queue = [function]
    for one in queue:
        for child in one.children:
            if child.function not in found:
                found[child.function] = None
                queue.append(child.function)
    return queue
