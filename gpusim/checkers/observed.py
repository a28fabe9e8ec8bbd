"""Which earlier atomics does an access not come after? Whoever sees the later of two has seen the earlier."""

from __future__ import annotations

import numpy as np

from gpusim.checkers.geometry import Numbers
from gpusim.checkers.history import Accessors, History, threads_of, times_of

ATOMICS = ("atomic", "block atomic")


def unobserved(
    positions: Numbers, members: Numbers, histories: dict[str, History], cells: Numbers, now: Accessors
) -> tuple[Numbers, Numbers]:
    """Of pairs with earlier atomics, those that race all the same.

    An atomic that follows another one on its cell observes it, if the scopes of both include both. So an
    access that comes after the later one comes after the earlier one (PTX, observation and causality order):
    whoever draws the last of n tickets comes after all n, and may put the counter back with a plain store.
    """
    asked = np.unique(positions)
    pieces = [(kind, *histories[kind].remembered(cells, asked)) for kind in ATOMICS if kind in histories]
    place = np.concatenate([piece[1] for piece in pieces])
    stamps = np.concatenate([piece[2] for piece in pieces])
    wide = np.repeat([kind == "atomic" for kind, _places, _stamps in pieces], [len(p[1]) for p in pieces])
    known = now.grid.orders(now.threads[place], threads_of(stamps), times_of(stamps))
    _, own = np.unique(np.stack([place, now.block_of(stamps)]), axis=1, return_inverse=True)
    settled = -1
    while settled != int(np.count_nonzero(known)):
        settled = int(np.count_nonzero(known))
        for group, among in ((place, wide), (own.ravel(), True)):
            latest = np.full(group.max() + 1, -1, np.int64)  # stamps: in a browser the default is int32
            np.maximum.at(latest, group[known & among], stamps[known & among])
            known |= among & (stamps < latest[group])
    _, number = np.unique(np.concatenate([stamps, members]), return_inverse=True)
    pairs = np.concatenate([place, positions]).astype(np.int64) * (number.max() + 1) + number
    racing = ~np.isin(pairs[len(place) :], pairs[: len(place)][known])
    return positions[racing], members[racing]
