"""How far does the simulator agree with an H200? One line for each rule that a recording can check.

"What the simulator models" in the book is made of these lines, whenever it is built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from course.kept import kept
from tests.hardware import (
    cache_sequences,
    caching,
    checks,
    cpp_language,
    divergence_cpp,
    intrinsics_cpp,
    limits,
    memory,
    placements,
    textures,
)
from tests.hardware.comparison import COUNTS, LOOKS, OUTCOMES, SAME, SIDE


class Agreement(NamedTuple):
    """How many of a recording's records a rule reproduces."""

    rule: str
    recording: str
    records: int
    equal: int


@cache
def masks() -> dict[str, str]:
    """Each scenario of divergence, from its recorded source: how the events compare."""
    return {name: divergence_cpp.outcome(name) for name in OUTCOMES}


class Counted(NamedTuple):
    """A kernel's divergent branches, and its instructions: of the H200's machine code, and of the IR."""

    kernel: str
    ways: int
    threads: int
    split: int
    split_here: int
    instructions: int
    instructions_here: int


@cache
def branches() -> list[Counted]:
    """Each kernel whose branches were counted."""
    found = []
    for name, k, threads, _cycles, instructions, *_, split, _uniform, _all in COUNTS:
        here, split_here = divergence_cpp.counted(name, k, threads)
        found.append(Counted(name, k, threads, split, split_here, instructions, here))
    return found


def accesses(name: str, table: str, kinds: Sequence[str]) -> Agreement:
    """Accesses of these kinds, by the rule alone."""
    records = [record for record in memory.patterns(table) if record.kind in kinds]
    wrong = len(memory.misses(records, memory.by_rule))
    file = "memory_spaces" if table in memory.OF_OTHER_SPACES else f"{table}_patterns"
    return Agreement(name, f"{file}.json", len(records), len(records) - wrong)


def configurations() -> list[Agreement]:
    """Carve-outs: how a multiprocessor was configured, and how many blocks the driver says would fit."""
    launches = list(limits.chosen())
    return [
        Agreement(
            "Carve-out of a launch",
            "carveout.json",
            len(launches),
            sum(launch.bytes == launch.bytes_here for launch in launches),
        ),
        Agreement(
            "Blocks that fit under it",
            "carveout.json",
            len(launches),
            sum(launch.blocks == launch.blocks_here for launch in launches),
        ),
    ]


def caches() -> list[Agreement]:
    """Constant loads, and hits in L1 to a hundredth of all sectors."""
    sequences, loads = cache_sequences.sequences(), caching.constants()
    rereads = [*caching.rereads(), *caching.operators()]
    return [
        Agreement(
            "Loads of constants",
            "memory_spaces.json",
            len(loads),
            sum(load.recorded == load.simulated for load in loads),
        ),
        Agreement(
            "Loads, stores and fences in the caches",
            "caches.json",
            len(sequences),
            sum(sequence.recorded == sequence.simulated for sequence in sequences),
        ),
        Agreement(
            "Hits in L1, within 1 % of all sectors",
            "carveout.json",
            len(rereads),
            sum(abs(reread.hits - reread.hits_here) <= 0.01 for reread in rereads),
        ),
    ]


def fetches() -> Agreement:
    """What textures give between and outside their texels."""
    found = [textures.compared(row) for row in textures.RECORDED["rows"]]
    records = sum(len(each.recorded) for each in found)
    return Agreement("Fetches of textures", "textures.json", records, sum(each.equal for each in found))


def starts() -> Agreement:
    """Blocks that start in the same turn."""
    launches = [placements.launch(row) for row in placements.RECORDED["rows"]]
    equal = (np.count_nonzero(np.equal(each.starts, each.starts_here)) for each in launches)
    blocks = sum(len(each.starts) for each in launches)
    return Agreement("Turns in which blocks start", "placement.json", blocks, int(sum(equal)))


def answers(name: str, asked: Callable[[], Iterable[limits.Answer]]) -> Agreement:
    """Answers of the driver."""
    given = list(asked())
    equal = sum(answer.recorded == answer.simulated for answer in given)
    return Agreement(name, "occupancy.json", len(given), equal)


@kept
def agreements() -> list[Agreement]:
    """All of them, in the order of the page."""
    outcomes, split = masks().values(), branches()
    functions, language, structs = intrinsics_cpp.summary(), cpp_language.summary(), memory.structs()
    alike = sum(outcome in (SAME, SIDE, LOOKS) for outcome in outcomes)
    same = sum(kernel.split == kernel.split_here for kernel in split)
    counted = sum(count.recorded == count.simulated for count in structs)
    moves, atomics = ("load", "store"), ("atomic", "cas")
    verdicts = list(checks.verdicts())
    return [
        Agreement("Masks and reconvergence", "divergence.json", len(outcomes), alike),
        Agreement("Divergent branches", "divergence.json", len(split), same),
        Agreement(
            "Warp functions and operations on bits",
            "intrinsics.json",
            sum(row[1] for row in functions),
            sum(row[2] for row in functions),
        ),
        Agreement(
            "Results of CUDA C++ kernels",
            "cpp_language.json",
            sum(row[1] for row in language),
            sum(row[2] for row in language),
        ),
        Agreement(
            "Verdicts of the checkers",
            "sanitizer.json",
            len(verdicts),
            sum(verdict.recorded == verdict.simulated for verdict in verdicts),
        ),
        accesses("Global loads and stores", "global", moves),
        accesses("Global atomics, 4-byte additions", "global", atomics),
        accesses("Global atomics of all kinds", "global_atomics", atomics),
        accesses("Local loads and stores", "local", moves),
        accesses("Shared loads and stores", "shared", moves),
        accesses("Shared atomics, 4-byte additions", "shared", atomics),
        accesses("Shared atomics of all kinds", "shared_atomics", atomics),
        Agreement("Structs and arrays of three floats", "vec3_struct.json", len(structs), counted),
        answers("Blocks on a multiprocessor", limits.blocks),
        answers("Proposed block sizes", limits.block_sizes),
        answers("Proposed block sizes with bytes by size", limits.variable_block_sizes),
        answers("Blocks seen together", limits.resident),
        answers("Blocks under a preferred carve-out", limits.carveouts),
        *configurations(),
        *caches(),
        fetches(),
        starts(),
    ]
