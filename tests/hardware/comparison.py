"""How does gpusim's divergence compare with what an H200 recorded? Run, group into events, compare.

An event is (point, active mask, value): the lanes of the mask passed the point together.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gpusim
from tests.from_text import define
from tests.hardware.scenarios import KERNELS, MOST_EVENTS

HERE = Path(__file__).parent
LANES = 32
Events = list[tuple[int, str, Any]]

SAME = "equal, in the same order"
SIDE = "equal; sides ran in another order"
ALONE = "equal for each lane by itself; others passed together"
LOOKS = "equal, but for how often the waiting lanes looked: a matter of time"
RECORDING = json.loads((HERE / "divergence.json").read_text())
RECORDED = {scenario["name"]: scenario for scenario in RECORDING["scenarios"]}
# scenario -> how gpusim's events compare with the H200's, or why there are none
OUTCOMES = {
    "if_odd": SAME,
    "if_no_else": SAME,
    "if_uniform": SAME,
    "switch4": SAME,
    "nested_if": SIDE,
    "loop_trip_lane_mod4": SAME,
    "do_while_trip": SAME,
    "break_loop": SIDE,
    "continue_loop": SAME,
    "return_all_but_one": SAME,
    "short_or": SIDE,
    "ternary": SAME,
    "function_pointers": "not expressible: the dialect has no function pointers",
    "goto_unstructured": "not expressible: Python has no goto",
    "guarded_reduce_ballot": SAME,
    "guarded_reduce_activemask": SAME,
    "unequal_paths": SIDE,
    "load_in_branches": SIDE,
    "ld_loop_in_branches": SIDE,
    "nanosleep_in_branch": SIDE,
    "spin_lock_naive": LOOKS,
    "producer_consumer": LOOKS,
    "shfl_xor1_both_branches_full_mask": SIDE,
    "reduce_both_branches_full_mask": "not expressible: the dialect has no reduce_add_sync",
    "syncthreads_one_branch": SIDE,
    "syncthreads_after_early_return": SAME,
}


def recorded(name: str) -> Events:
    """What the H200 did, in its order."""
    return [(point, mask, value) for _clock, point, mask, _lanes, value in RECORDED[name]["events"]]


@cache
def simulated(name: str) -> Events:
    """What gpusim does, in its order."""
    rows = no_tickets(np.int64)
    with gpusim.use("H200"):
        KERNELS[name][1, LANES](rows, np.zeros(1, np.int32), np.zeros(2 * LANES, np.float32))
    return grouped(name, rows)


def no_tickets(dtype: type[np.integer[Any]]) -> NDArray[Any]:
    """Rows of tickets (point, mask, lane, value), of which none is taken; the first holds the next ticket."""
    rows = np.zeros((MOST_EVENTS, 4), dtype)
    rows[0, 0] = 1
    return rows


def grouped(name: str, rows: NDArray[Any]) -> Events:
    """Events in the order of their tickets. Raises `AssertionError` if others passed than a mask tells."""
    rest, events = rows[1 : rows[0, 0]], []
    while len(rest):
        point, mask = int(rest[0, 0]), int(rest[0, 1]) % (1 << LANES)
        together, rest = rest[: mask.bit_count()], rest[mask.bit_count() :]
        lanes = [lane for lane in range(LANES) if mask >> lane & 1]
        assert together[:, 2].tolist() == lanes, f"{name}: others than {mask:#x} passed point {point}"
        assert set(together[:, 0]) == {point}, f"{name}: lanes of {mask:#x} passed different points"
        values = together[:, 3].tolist()
        events.append((point, f"{mask:08x}", values[0] if len(set(values)) == 1 else values))
    return events


def by_lane(events: Events) -> list[list[int]]:
    """The points that each lane passed, in its own order."""
    return [[point for point, mask, _ in events if int(mask, 16) >> lane & 1] for lane in range(LANES)]


def outcome(name: str) -> str:
    """How do the two compare, in Python?"""
    return compared(simulated(name), recorded(name)) if name in KERNELS else OUTCOMES[name]


def compared(ours: Events, theirs: Events) -> str:
    """How do the two compare? Lanes' own orders and all values count, which side ran first does not."""
    if ours == theirs:
        return SAME
    if by_lane(ours) != by_lane(theirs):
        return "different"
    if sorted(ours, key=repr) == sorted(theirs, key=repr):
        return SIDE
    masks = [sorted((point, mask) for point, mask, _ in events) for events in (ours, theirs)]
    return LOOKS if masks[0] == masks[1] else ALONE


# counted kernels: divergent branches and instructions ------------------------------------------------------

ROUNDS = 64
COUNTS = RECORDING["counts"]
SWITCH = "\n".join(
    f"    {'if' if case == 0 else 'elif'} case == {case}:\n        x = body(x, n)" for case in range(32)
)
BODIES = {
    "c_kway": f"    case = lane % k\n{SWITCH}",
    "c_warpway": f"    case = cuda.threadIdx.x // 32 % k\n{SWITCH}",
    "c_kgroup": f"    case = lane * k // 32\n{SWITCH}",
    "c_if_half": "    if lane < 16:\n        x = body(x, n)\n    else:\n        x = body(x, n)",
    "c_if_odd": "    if lane & 1:\n        x = body(x, n)\n    else:\n        x = body(x, n)",
    "c_if_noelse": "    if lane < k:\n        x = body(x, n)",
    "c_nested": """\
    if lane < 16:
        if lane & 1:
            x = body(x, n)
        else:
            x = body(x, n)
        x = body(x, n)
    else:
        if lane < 20:
            x = body(x, n)
        x = body(x, n)""",
    "c_trip_lane": "    x = body(x, lane * k)",
    "c_trip_mod": "    x = body(x, (lane % k + 1) * 16)",
    "c_short": """\
    if lane < k:
        x = x * 3 + 1
    else:
        x = (x + 2) * 5""",
}
TEXT = """\
@cuda.jit(device=True)
def body(x, n):
    for _ in range(n):
        x = x * np.float32(0.5) + np.float32(1)
        x = x * np.float32(0.5) + np.float32(1)
        x = x * np.float32(0.5) + np.float32(1)
        x = x * np.float32(0.5) + np.float32(1)
    return x


@cuda.jit
def kernel(out, k, n):
    lane = cuda.threadIdx.x % 32
    x = out[cuda.threadIdx.x]
{}
    out[cuda.threadIdx.x] = x
"""


@cache
def _counted_kernel(name: str) -> Any:
    return define(TEXT.format(BODIES[name]))


@cache
def counted(name: str, k: int, threads: int) -> tuple[int, int]:
    """Warp instructions and divergent branches of a counted kernel in gpusim."""
    with gpusim.profile("H200") as run:
        _counted_kernel(name)[1, threads](np.zeros(threads, np.float32), k, ROUNDS)
    return int(run.instructions), int(run.divergent_branches)
