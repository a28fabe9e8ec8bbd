"""Which cells race in a tree of grids? Every order between any two steps, by transitive closure.

A program says what each thread of each grid does, step by step: `program[grid][block][thread]` is a list of
(what, argument), as long for all threads; of a barrier all threads of the block have one at that step. What
the program leaves open, who came first in a stream, is taken from the run: `launched`, the launches in the
order in which they were made, as (grid, block, thread, step).
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations, pairwise

from tests.checkers.tree_program import BARRIER, FIRE, LINK, NULL, ONE, READ, SYNC, TAIL, TWO, WRITE

LAUNCHES = {NULL, ONE, TWO, TAIL, FIRE}


class Order:
    """Steps, and which of them come before which: edges, and what follows from them."""

    def __init__(self):
        self.after = defaultdict(set)

    def add(self, before, then):
        self.after[before].add(then)

    def reachable(self, start):
        found, queue = set(), [start]
        while queue:
            for then in self.after[queue.pop()] - found:
                found.add(then)
                queue.append(then)
        return found


def steps(program):
    for grid, blocks in program.items():
        for block, threads in enumerate(blocks):
            for thread, done in enumerate(threads):
                for step, (what, argument) in enumerate(done):
                    yield (grid, block, thread, step), what, argument


def ordered(program, launched):
    """The order of a run."""
    order, child = Order(), {}
    for place, what, argument in steps(program):
        grid, block, thread, step = place
        order.add(("begin", grid) if step == 0 else (grid, block, thread, step - 1), place)
        order.add(place, ("left", grid))
        order.add(("left", grid), ("end", grid))
        if what == BARRIER:
            for other in range(len(program[grid][block])):
                order.add((grid, block, other, step - 1), place)
        if what in LAUNCHES and place in launched:
            child[place] = argument
            order.add(place, ("begin", argument))
            order.add(("end", argument), ("end", grid))
    _streams(program, launched, child, order)
    waits = [(place, place[:2]) for place, what, _ in steps(program) if what == SYNC]
    known = set()
    while True:  # a wait may make another launch known to a later one
        found = {
            (place, one)
            for one in launched
            for place, block in waits
            if block == one[:2] and place in order.reachable(one)
        }
        if found == known:
            return order
        known = found
        for place, one in known:
            order.add(("end", child[one]), place)


def _streams(program, launched, child, order):
    what = {place: kind for place, kind, _ in steps(program)}
    for grid in program:
        own = [place for place in launched if place[0] == grid]
        tails = [place for place in own if what[place] == TAIL]
        for place in own:
            if what[place] != TAIL:
                for tail in tails:
                    order.add(("end", child[place]), ("begin", child[tail]))
        for tail in tails:
            order.add(("left", grid), ("begin", child[tail]))
        for one, other in pairwise(tails):
            order.add(("end", child[one]), ("begin", child[other]))
        for block in {place[1] for place in own}:
            queue = [place for place in own if place[1] == block and what[place] == NULL]
            for one, other in pairwise(queue):
                order.add(("end", child[one]), ("begin", child[other]))
            last = {ONE: set(), TWO: set()}  # only a block's first thread uses them
            for step, (kind, _) in enumerate(program[grid][block][0]):
                place = (grid, block, 0, step)
                if kind == LINK:
                    last[TWO] |= last[ONE]
                elif kind in last and place in child:
                    for one in last[kind]:
                        order.add(("end", child[one]), ("begin", child[place]))
                    last[kind] = {place}


def racing_cells(program, launched):
    """Cells that two threads use, one of them writing, with no way from the one access to the other."""
    order = ordered(program, launched)
    arguments = {place: argument for place, _, argument in steps(program)}
    ran = {0, *(arguments[place] for place in launched)}
    used = defaultdict(list)
    for place, what, argument in steps(program):
        if what in (READ, WRITE) and place[0] in ran:
            used[argument].append((place, what))
    reach = {place: order.reachable(place) for places in used.values() for place, _ in places}
    return {
        cell
        for cell, places in used.items()
        for (one, did), (other, does) in combinations(places, 2)
        if WRITE in (did, does) and one not in reach[other] and other not in reach[one]
    }
