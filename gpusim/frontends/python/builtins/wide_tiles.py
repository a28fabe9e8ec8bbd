"""What do tiles of several warps do? They meet at a barrier of their own, and exchange in shared memory.

As in the headers for C++, with a tile of each warp for what its lanes do. Written in Numba's dialect.
"""

from __future__ import annotations

import functools
from typing import Any, ClassVar

import numpy as np

from gpusim.frontends.python.builtins.groups import (
    GridGroup,
    Group,
    Number,
    coalesced_group,
    cuda,
    like,
    rank_in_block,
    thread_block,
    thread_block_tile,
    thread_group,
    tile_of_block,
    token_of,
    written,
)
from gpusim.frontends.python.builtins.intrinsics import Intrinsic
from gpusim.ir.instructions import Opcode

part_barrier = Intrinsic("part_barrier(number, threads)", "barrier", Opcode.NAMED_SYNC)
# an array in shared memory of a value of each warp of the block, in the type of another
of_warps = Intrinsic("of_warps(sample)", "of_warps")
either, both = written(lambda a, b: a | b), written(lambda a, b: a & b)


class wide_tile(Group):
    """A power of two of threads, `SIZE`, in `WARPS` warps of `LANES` lanes, each a tile of the kind `WARP`.

    A warp writes only its own place of what is exchanged: others may still read theirs for another tile.
    """

    HINT = "tiles of one warp have it: cuda.cg.tiled_partition(tile, 32)"
    LANES: ClassVar[int]
    WARPS: ClassVar[int]
    WARP: ClassVar[Any]
    lanes: ClassVar[Number] = 0

    def _barrier(self) -> Number:
        return self.SIZE << 32 | rank_in_block() // self.SIZE

    def sync(self) -> None:
        part_barrier(self._barrier(), self.SIZE)

    def size(self) -> Number:
        return self.SIZE

    def thread_rank(self) -> Number:
        return rank_in_block() % self.SIZE

    is_valid = thread_group.is_valid
    barrier_arrive = thread_block.barrier_arrive
    barrier_wait = thread_block.barrier_wait
    meta_group_rank = coalesced_group.meta_group_rank
    meta_group_size = coalesced_group.meta_group_size

    def _own_warp(self) -> Number:
        return self.WARP(tile_of_block(self.LANES), 0, 1)

    def _first_warp(self) -> Number:
        return rank_in_block() // self.SIZE * self.WARPS

    def _folded(self, value: Number, warps: Number, combine: Number) -> Number:
        """What the last lanes of its first `warps` warps bring, put together in the order of ranks."""
        places: Number = of_warps(value)
        first = self._first_warp()
        if cuda.laneid == self.LANES - 1:
            places[rank_in_block() // self.LANES] = value
        self.sync()
        folded = places[first]
        warp = 1
        while warp < warps:
            folded = like(combine(folded, places[first + warp]), value)
            warp += 1
        self.sync()
        return folded

    def shfl(self, value: Number, rank: Number) -> Number:
        places: Number = of_warps(value)
        if self.thread_rank() == rank:
            places[rank_in_block() // self.LANES] = value
        self.sync()
        found = places[self._first_warp() + rank // self.LANES]
        self.sync()
        return found

    def any(self, predicate: Number) -> Number:
        return self._folded(np.int32(self._own_warp().any(predicate)), self.WARPS, either) != 0

    def all(self, predicate: Number) -> Number:
        return self._folded(np.int32(self._own_warp().all(predicate)), self.WARPS, both) != 0

    def _reduced(self, value: Number, combine: Number) -> Number:
        return self._folded(self._own_warp()._reduced(value, combine), self.WARPS, combine)

    def _scanned(self, value: Number, combine: Number) -> Number:
        scanned = self._own_warp()._scanned(value, combine)
        warps = self.thread_rank() // self.LANES  # that come before
        before = self._folded(scanned, warps, combine)
        return like(combine(before, scanned), value) if warps else scanned

    def _scanned_before(self, value: Number, combine: Number) -> Number:
        scanned = self._own_warp()._scanned(value, combine)
        within = self._own_warp().shfl_up(scanned, 1)
        warps = self.thread_rank() // self.LANES
        before = self._folded(scanned, warps, combine)
        nothing: Number = like(0, value)
        if cuda.laneid == 0:
            return before if warps else nothing
        return like(combine(before, within), value) if warps else within


@functools.cache
def tile_of(size: int, warp: int) -> type[Group]:
    """The kind of tiles of this size, where warps have so many lanes."""
    name = f"thread_block_tile<{size}>"
    if size <= warp:
        return type(name, (thread_block_tile,), {"SIZE": size, "PARTS": thread_group.PARTS})
    own = {"SIZE": size, "LANES": warp, "WARPS": size // warp, "WARP": tile_of(warp, warp)}
    return type(name, (wide_tile,), {**own, "PARTS": ("number", "groups"), "TOKEN": token_of(name)})


KINDS = (thread_group, thread_block, GridGroup, coalesced_group, thread_block_tile, wide_tile)
METHODS = {name for kind in KINDS for name, found in vars(kind).items() if isinstance(found, Intrinsic)}
