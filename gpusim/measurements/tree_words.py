"""How are the grids of a tree, who launched them, and what they wait for called in a sentence?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from gpusim.measurements.lives import Life
from gpusim.tree_events import Why
from gpusim.whole import listed

NAMED_ONE_BY_ONE = 3
# why grids begin: where one other grid, {}, is the reason of all, and where several are
BECAUSE: dict[str, tuple[str, str]] = {
    "nothing": ("nothing else comes first", "nothing else comes first"),
    "early": (
        "nothing keeps it back, though {} still runs",
        "nothing keeps them back, though their parents run",
    ),
    "stuck": ("{} gets no further before that", "their parents get no further before that"),
    "parent": ("the threads of {} have left", "the threads of their parents have left"),
    "stream": ("{}, before it in its stream, is over", "those before them in their streams are over"),
    "event": ("{}, for whose event its stream waits, is over", "those are over for whose events they wait"),
    "tail": ("nothing but tail launches is left of {}", "nothing but tail launches is left of their parents"),
    "several": ("", "what they waited for is over"),
}
# when they begin that wait, likewise
UNTIL: dict[str, tuple[str, str]] = {
    "parent": ("the threads of {} have left or get no further", "the threads of their parents have left"),
    "stream": ("{}, before it in its stream, is over", "those before them in their streams are over"),
    "event": ("{}, for whose event its stream waits, is over", "those are over for whose events they wait"),
    "tail": ("nothing but tail launches is left of {}", "nothing but tail launches is left of their parents"),
}


def names(lives: Sequence[Life]) -> str:
    """`child #3`, `child #1 and #2`, `4 grids of child`, `5 grids (3 of a, 2 of b)`."""
    kernels = Counter(life.launched.kernel for life in lives)
    if len(kernels) > 1:
        parts = ", ".join(f"{many:,} of {kernel}" for kernel, many in kernels.items())
        return f"{len(lives):,} grids ({parts})"
    (kernel,) = kernels
    if len(lives) > NAMED_ONE_BY_ONE:
        return f"{len(lives):,} grids of {kernel}"
    return f"{kernel} {listed([f'#{life.number}' for life in lives])}"


def children(count: int, whose: str) -> str:
    """`1 child of parent #0 is not over.`"""
    return (
        f"1 child of {whose} is not over." if count == 1 else f"{count:,} children of {whose} are not over."
    )


def block_of(life: Life, number: int) -> str:
    """`block (1, 0, 0) of parent #0`, of a block's number."""
    x, y, _ = life.launched.extents
    return f"block {number % x, number // x % y, number // (x * y)} of {life.name}"


def who_launches(lives: Sequence[Life]) -> str:
    """`Thread (0, 0, 0) of block (0, 0, 0) of parent #0 launches child #1 at line 12.`"""
    first, parents = lives[0], dict.fromkeys(life.parent for life in lives)
    by, parent = first.launched.by, first.parent
    if by is None or parent is None:
        return f"The host launches {first.name}."
    where = f"at line {by.span.line}"
    if len(lives) == 1:
        return f"Thread {by.thread} of block {by.block} of {parent.name} launches {first.name} {where}."
    threads = "threads" if len(parents) == 1 else "Threads"
    whose = f"{len(lives):,} threads of {parent.name}" if len(parents) == 1 else ""
    whose = whose or f"{threads} of {names([one for one in parents if one is not None])}"
    return f"{whose} launch {names(lives)} {where}."


def may_begin(lives: Sequence[Life], of_number: Mapping[int, Life]) -> str:
    """When do grids that were launched begin?"""
    by_why: dict[Why, list[Life]] = {}
    for life in lives:
        for why in dict.fromkeys(blocker.why for blocker in life.launched.after):
            by_why.setdefault(why, []).append(life)
    if not by_why:
        return "They wait for nothing." if len(lives) > 1 else "It waits for nothing."
    whole, of_some = list[str](), list[str]()
    for why, some in by_why.items():
        after = (blocker for life in some for blocker in life.launched.after if blocker.why == why)
        others = list(dict.fromkeys(of_number[blocker.grid] for blocker in after))
        is_one = len(some) == 1 or (len(others) == 1 and why in ("parent", "tail"))
        until = UNTIL[why][not is_one].format(names(others))
        if len(some) == len(lives):
            whole.append(until)
        else:
            which = f"{len(some):,} of them" if len(some) > 1 else some[0].name
            of_some.append(f"{which} only when {until}")
    begin = "They begin" if len(lives) > 1 else "It begins"
    return f"{begin} {', '.join([*([f'when {listed(whole)}'] if whole else []), *of_some])}."


def told(tally: Counter[tuple[str, str]]) -> str:
    """`12 grids of child begin, 9 are over`: many steps in one sentence."""
    verbs = {
        "launch": ("is launched", "are launched"),
        "refuse": ("does not come about", "do not come about"),
        "begin": ("begins", "begin"),
        "leave": ("has its threads leave", "have their threads leave"),
        "end": ("is over", "are over"),
        "wait": ("waits for its children", "wait for their children"),
        "fail": ("fails", "fail"),
        "stop": ("is ended", "are ended"),
    }
    by_kernel: dict[str, list[str]] = {}
    for (verb, kernel), count in tally.items():
        by_kernel.setdefault(kernel, []).append(f"{count:,} {verbs[verb][count > 1]}")
    return "; ".join(f"of {kernel}, {listed(parts)}" for kernel, parts in by_kernel.items())


def ended_by(life: Life, running: int, waiting: int) -> str:
    """`far #3 fails: OutOfBounds … That ends all: …`"""
    parts = [
        *([f"{running:,} that had not ended"] if running else []),
        *([f"{waiting:,} that had not begun"] if waiting else []),
    ]
    ends = f" That ends all others: {listed(parts)}." if parts else " That ends the run."
    return f"{life.name} fails: {life.error.rstrip('.')}.{ends}"
