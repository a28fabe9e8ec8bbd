"""Why does nothing order accesses of two grids of one tree, and what would? In words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpusim.checkers.launch_order import Requested
from gpusim.checkers.tree import OfTree
from gpusim.source import Span

DID = {"load": "read", "store": "wrote", "atomic": "updated"}
TAIL = "launched into cudaStreamTailLaunch"


class Done(NamedTuple):
    """An access by a thread of a grid, numbered within it. time: None for the one that is made just now."""

    grid: OfTree
    thread: int
    kind: str
    span: Span
    time: int | None

    @property
    def who(self) -> str:
        """`thread (0, 0, 0) of block (1, 0, 0) of child`."""
        thread, block = self.grid.places.thread(self.thread)
        return f"thread {thread} of block {block} of {self.grid.launched.function.name}"


class Unordered(NamedTuple):
    """Why nothing orders two accesses, and what would."""

    why: str
    hint: str


def unordered(earlier: Done, later: Done) -> Unordered:
    """What is to be said of two accesses that race, of two grids."""
    common, mine, its = later.grid.parting(earlier.grid)
    if mine is not None and its is not None:
        return _siblings(common, its, mine)
    launched = mine or its
    assert launched is not None
    return _with_descendant(earlier if mine else later, launched, later if mine else earlier)


def _siblings(common: OfTree, first: Requested, second: Requested) -> Unordered:
    """Two grids that `common` launched, or what they led to."""
    lines = f"the launches at line {first.by.span.line} and line {second.by.span.line}"
    if first.by.is_free or second.by.is_free:
        why = "a fire-and-forget grid is ordered with nothing but its launch"
        return Unordered(
            why, f"{lines}: give both to one stream of the block, the later one behind the other"
        )
    if first.by.block == second.by.block:
        why = f"their grids are in two streams: {first.by.stream} and {second.by.stream}"
        return Unordered(why, f"{lines}: use one stream for both, or let one wait with cudaStreamWaitEvent")
    why = f"block {first.by.block} and block {second.by.block} launched them, and each has its own streams"
    late = "after cudaDeviceSynchronize()" if common.launched.cdp == 1 else TAIL
    return Unordered(why, f"{lines}: let one block launch both; or what must come last, {late}")


def _with_descendant(own: Done, launched: Requested, below: Done) -> Unordered:
    """A grid's own access, and one of a grid that it launched or that came of that."""
    grid, by = own.grid, launched.by
    at = f"the launch at line {by.span.line}"
    if not _comes_after(own, launched):
        thread, block = grid.places.thread(own.thread)
        why = f"a grid sees what thread {by.thread} of block {by.block} knew that launched it at line "
        why += str(by.span.line)
        if block != by.block:
            hint = (
                f"no barrier spans thread blocks: let block {block} launch, or the host launch two kernels; "
            )
            hint += "or hand over with cuda.threadfence() before one atomic operation and after the other"
            return Unordered(why, hint)
        told = f"thread {thread} {DID[own.kind]} it at line {own.span.line}"
        hint = f"put cuda.syncthreads() before the launch: {told}, thread {by.thread} launched at line "
        return Unordered(why, f"{hint}{by.span.line}")
    if grid.launched.cdp == 1:
        return _unawaited(own, launched, at)
    if own.kind == "load":
        why = "under CDP2 a parent never sees what its children write"
        return Unordered(why, f"read it in a grid {TAIL}, or after the parent's end")
    why = f"{at} comes first, and under CDP2 a parent never waits for its children"
    return Unordered(
        why, f"{'write' if own.kind == 'store' else 'update'} it before the launch, or in a grid {TAIL}"
    )


def _unawaited(own: Done, launched: Requested, at: str) -> Unordered:
    """Under CDP1, what a grid does behind a launch."""
    by, (thread, block) = launched.by, own.grid.places.thread(own.thread)
    waited = own.grid.order.who_waited(launched)
    if waited is None:
        why = f"nobody waited for the grid of {at}"
        hint = f"let thread {by.thread} call cudaDeviceSynchronize() behind it"
        hint += (
            "" if (thread, block) == (by.thread, by.block) else ", and then all meet in cuda.syncthreads()"
        )
        return Unordered(why, hint)
    waiter, _ = own.grid.places.thread(waited.thread)
    why = (
        f"thread {waiter} of block {by.block} waited for the grid at line {waited.span.line}, and told nobody"
    )
    if block != by.block:
        return Unordered(why, "no barrier spans thread blocks: let the host launch a second kernel")
    return Unordered(why, "put cuda.syncthreads() between cudaDeviceSynchronize() and this access")


def _comes_after(own: Done, launched: Requested) -> bool:
    """Does an access come after a launch of its grid? Where nothing orders them, lines say what is meant."""
    knowledge = own.grid.knowledge
    if own.thread // knowledge.lanes_per_agent == launched.thread // knowledge.lanes_per_agent:
        return own.time is None or own.time > launched.time
    if own.time is None:
        one, other, time = (np.array([number]) for number in (own.thread, launched.thread, launched.time))
        if knowledge.orders(one, other, time)[0]:
            return True
    return own.span.line > launched.by.span.line
