"""Reports written by hand, small enough to check on paper: a kernel of 40 threads whose lanes part twice.

Lanes 0-31 (or 0-39 of 64) enter; thread 0 leaves early; even threads take the if side, odd ones the
else side; all meet at a barrier. Every lane state occurs.
"""

from itertools import pairwise
from typing import Any

THREADS = 40
FIRST_LINE = 12
SOURCE = """\
@cuda.jit
def halve(values):
    i = cuda.grid(1)
    if i == 0:
        return
    if i % 2 == 0:  # even threads
        values[i] /= 2
    else:
        values[i] = 0
        values[i] += 1 < 2
    cuda.syncthreads()""".splitlines()
PARTS, JOINS = 17, 22

Lanes = set[int]


def hex_mask(members: Lanes, lanes: int) -> str:
    return f"{sum(1 << lane for lane in members):0{lanes // 4}x}"


def warp_frames(index: int, threads: range, lanes: int) -> list[dict[str, Any]]:
    """The frames of one warp, in order."""
    everyone = {thread - threads.start for thread in threads}
    gone = everyone & ({0} if threads.start == 0 else set())
    rest = everyone - gone
    even = {lane for lane in rest if (threads.start + lane) % 2 == 0}
    odd = rest - even

    frames: list[dict[str, Any]] = []
    counted = {"instructions": 0, "thread_instructions": 0}

    def step(
        line: int,
        running: dict[str, Lanes],
        stack: list[tuple[str, Lanes, int, int | None]],
        instructions: str,
        event: str = "",
    ) -> None:
        states = ["."] * lanes
        for lane in everyone:
            states[lane] = "s"
        for state, members in running.items():
            for lane in members:
                states[lane] = state
        active = sum(state in "cie" for state in states)
        listing = instructions.split("; ") if instructions else []
        counted["instructions"] += len(listing)
        counted["thread_instructions"] += len(listing) * active
        ratio = counted["thread_instructions"] / counted["instructions"]
        frames.append(
            {
                "warp": index,
                "line": line,
                "instructions": listing,
                "states": "".join(states),
                "event": event,
                "active": active,
                "stack": [
                    {"what": what, "mask": hex_mask(members, lanes), "line": at, "reconverges_at": join}
                    for what, members, at, join in stack
                ],
                "so_far": {**counted, "active_lanes_per_instruction": ratio},
            }
        )

    whole = ("whole warp", everyone, 14, None)
    step(14, {"c": everyone}, [whole], "mad.s32 %i, %ctaid.x, %ntid.x, %tid.x")
    if gone:
        step(
            15,
            {"c": everyone},
            [whole],
            "setp.eq.s32 %p1, %i, 0; bra %p1",
            "diverges: 1 lane takes the if side, the others wait",
        )
        step(
            16,
            {"i": gone},
            [("whole warp", rest, 17, None), ("if side", gone, 16, 17)],
            "exit",
            "lane 0 leaves the kernel",
        )
    else:
        step(15, {"c": everyone}, [whole], "setp.eq.s32 %p1, %i, 0; bra %p1")
    left = {"x": gone}
    joined = ("reconverge", rest, JOINS, None)
    other = ("else side", odd, 19, JOINS)
    step(
        PARTS,
        {"c": rest, **left},
        [("whole warp", rest, PARTS, None)],
        "and.b32 %r1, %i, 1; setp.ne.s32 %p2, %r1, 0; bra %p2",
        f"diverges: {len(even)} lanes take the if side, {len(odd)} wait",
    )
    step(
        18,
        {"i": even, **left},
        [joined, other, ("if side", even, 18, JOINS)],
        "ld.global.f64 %x, values[%i]; div.f64 %x, %x, 2.0; st.global.f64 values[%i], %x",
        f"{len(even)} lanes reach line {JOINS} and wait there",
    )
    step(20, {"e": odd, **left}, [joined, other], "st.global.f64 values[%i], 0.0")
    step(
        21,
        {"e": odd, **left},
        [joined, other],
        "ld.global.f64 %x, values[%i]; add.f64 %x, %x, 1.0; st.global.f64 values[%i], %x",
        "lanes reconverge",
    )
    step(JOINS, {"c": rest, **left}, [("whole warp", rest, JOINS, None)], "bar.sync")
    if index == 0:
        step(
            JOINS,
            {"b": rest, **left},
            [("whole warp", rest, JOINS, None)],
            "",
            "warp 0 waits at the barrier for the other warps",
        )
    return frames


def variant(lanes: int, scheduling: str = "independent") -> dict[str, Any]:
    cuts = [*range(0, THREADS, lanes), THREADS]
    parts = [range(start, stop) for start, stop in pairwise(cuts)]
    frames = [frame for index, threads in enumerate(parts) for frame in warp_frames(index, threads, lanes)]
    instructions = sum(len(frame["instructions"]) for frame in frames)
    thread_instructions = sum(len(frame["instructions"]) * frame["active"] for frame in frames)
    return {
        "label": f"handmade, {lanes} lanes, {scheduling}",
        "device": "by hand",
        "lanes": lanes,
        "scheduling": scheduling,
        "warps": [
            {"block": [0, 0, 0], "warp": index, "threads": len(threads)}
            for index, threads in enumerate(parts)
        ],
        "frames": frames,
        "totals": {
            "instructions": instructions,
            "thread_instructions": thread_instructions,
            "active_lanes_per_instruction": thread_instructions / instructions,
            "branches": 2 * len(parts),
            "divergent_branches": len(parts) + 1,
        },
    }


def warp_report(*lanes: int) -> dict[str, Any]:
    return {
        "title": "halve, 40 threads",
        "source": {"name": "halve", "first_line": FIRST_LINE, "lines": SOURCE},
        "variants": [variant(width) for width in lanes or (32,)],
    }


def block_report(*shapes: tuple[tuple[int, int, int], int]) -> dict[str, Any]:
    """One variant for each (block, lanes)."""
    variants = []
    for (width, height, depth), lanes in shapes or [((16, 4, 1), 32)]:
        threads = [[x, y, z] for z in range(depth) for y in range(height) for x in range(width)]
        warps = [
            {"warp": start // lanes, "threads": threads[start : start + lanes]}
            for start in range(0, len(threads), lanes)
        ]
        variants.append(
            {
                "label": f"{len(threads)} threads, {lanes} lanes",
                "device": "by hand",
                "lanes": lanes,
                "block": [width, height, depth],
                "warps": warps,
            }
        )
    return {"title": "From threads to warps", "variants": variants}
