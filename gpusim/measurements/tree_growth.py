"""How did a tree of launches grow? Its nodes and its steps, with what repeats told once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gpusim.measurements.lives import Life
from gpusim.measurements.tree_nodes import FEW, Folded, Node, folded
from gpusim.measurements.tree_steps import Step, Story
from gpusim.measurements.tree_words import may_begin, told
from gpusim.reports.tree_growth import DOING, GotArgument, TreeGrid, TreeNode, TreeStep, TreeVariant
from gpusim.tree_events import Began, Moment
from gpusim.whole import extents_of, number_of

MOST_STEPS = 400
FIRST, LAST = 4, 3  # that are told of many steps of grids that are drawn as one
MOST_SHOWN = 96  # grids that are drawn as one, told one by one
COUNTED = (
    "instructions",
    "global_load_sectors",
    "global_store_sectors",
    "global_atomic_sectors",
    "shared_load_wavefronts",
)


def variant(
    label: str, device: str, launches: int, moments: Sequence[Moment], lives: Mapping[int, Life]
) -> TreeVariant:
    """What the launch tree view draws of a run of so many launches, of which these lives are known."""
    tree = folded(lives.values())
    told_steps = [
        step for step in Story(moments, lives).steps() if any(life in tree.of for life in step.doing)
    ]
    steps = _fewer(_merged(told_steps, tree))
    order = {node: place for place, node in enumerate(_down(tree.nodes))}
    spans = _spans(steps)
    hidden = tree.left_out + launches - sum(Began in life.moments for life in lives.values())
    return TreeVariant(
        label=label,
        device=device,
        cdp=next(iter(lives.values())).launched.cdp,
        launches=launches,
        nodes=tuple(_node(node, order, tree, spans, lives) for node in order),
        steps=tuple(_changes(steps, order, tree)),
        left_out=f"Not drawn: {number_of(hidden, 'grid')} more." if hidden > 0 else "",
    )


# nodes ------------------------------------------------------------------------------------------------------


def _down(nodes: Sequence[Node]) -> Iterator[Node]:
    """Each node, and then all below it."""
    below: dict[Node | None, list[Node]] = {}
    for node in nodes:
        below.setdefault(node.parent, []).append(node)
    stack = below.get(None, [])[::-1]
    while stack:
        node = stack.pop()
        yield node
        stack += below.get(node, [])[::-1]


def _node(
    node: Node,
    order: Mapping[Node, int],
    tree: Folded,
    spans: Mapping[Life, list[int]],
    lives: Mapping[int, Life],
) -> TreeNode:
    first, one = node.lives[0], node.lives[0].launched
    streams = len({life.stream for life in node.lives})
    counts = Counter[str]()
    counted = all(life.counts is not None for life in node.lives)
    for life in node.lives:
        counts.update(life.counts or {})
    before = [tree.of.get(lives[blocker.grid]) for blocker in one.after if blocker.why == "stream"]
    behind = next((order[each] for each in before if each is not None), -1)
    at = first.at
    return TreeNode(
        parent=-1 if node.parent is None else order[node.parent],
        kernel=one.kernel,
        count=len(node.lives),
        depth=first.depth,
        blocks=math.prod(one.extents),
        configuration=f"{extents_of(one.extents)}, {extents_of(one.block)}, {one.shared_bytes} bytes",
        stream=f"{streams} streams" if streams > 1 else first.stream.replace("default", "default stream"),
        line=0 if at is None else at.line,
        source="" if at is None else at.source.strip(),
        behind=behind,
        counters={name: counts[name] for name in COUNTED if counts[name]} if counted else {},
        grids=tuple(_grid(life, spans, lives) for life in node.lives[:MOST_SHOWN]),
        error=next((life.error for life in node.lives if life.error), ""),
    )


def _grid(life: Life, spans: Mapping[Life, list[int]], lives: Mapping[int, Life]) -> TreeGrid:
    by, parent = life.launched.by, life.parent
    who = "" if by is None or parent is None else f"thread {by.thread} of block {by.block} of {parent.name}"
    begins, ends = spans.get(life, (-1, -1))
    arguments = tuple(GotArgument(*each) for each in life.launched.arguments)
    waits = may_begin([life], lives) if life.exists else ""
    return TreeGrid(life.number, who or "the host", arguments, waits, life.launched.of_block, begins, ends)


def _spans(steps: Sequence[Step]) -> dict[Life, list[int]]:
    """The steps in which each grid is launched, and is over."""
    found: dict[Life, list[int]] = {}
    for number, step in enumerate(steps):
        for life in step.doing:
            found.setdefault(life, [number, number])[1] = number
    return found


# steps ------------------------------------------------------------------------------------------------------


def _merged(steps: Sequence[Step], tree: Folded) -> Iterator[Step]:
    """Of many steps in a row that are of grids drawn as one, the first and the last; between them one."""
    run = list[Step]()
    for step in steps:
        nodes = {tree.of[life] for life in step.doing if life in tree.of}
        if all(len(node.lives) > FEW for node in nodes):
            run.append(step)
            continue
        yield from _shortened(run)
        yield step
        run = []
    yield from _shortened(run)


def _shortened(run: Sequence[Step]) -> Iterable[Step]:
    if len(run) <= FIRST + LAST + 1:
        return run
    return [*run[:FIRST], _together(run[FIRST:-LAST], "So it goes on, "), *run[-LAST:]]


def _fewer(steps: Iterable[Step]) -> list[Step]:
    """At most `MOST_STEPS`: several in a row become one."""
    all_steps = list(steps)
    each = -(-len(all_steps) // MOST_STEPS)
    if each == 1:
        return all_steps
    return [_together(all_steps[at : at + each], "") for at in range(0, len(all_steps), each)]


def _together(steps: Sequence[Step], how: str) -> Step:
    if len(steps) == 1:
        return steps[0]
    tally, doing = Counter[tuple[str, str]](), dict[Life, str]()
    for step in steps:
        tally += step.tally
        doing |= step.doing
    times = sum(step.times for step in steps)
    return Step(f"{how}{times:,} steps as one: {told(tally)}.", doing, tally, times)


def _changes(steps: Sequence[Step], order: Mapping[Node, int], tree: Folded) -> Iterator[TreeStep]:
    """How many grids of each node do what, where that changes."""
    now: dict[Node, Counter[str]] = {node: Counter() for node in order}
    doing = dict[Life, str]()
    for step in steps:
        changed = dict[Node, None]()
        for life, does in step.doing.items():
            if life in tree.of:
                node = tree.of[life]
                now[node][doing.get(life, "")] -= 1
                now[node][does] += 1
                doing[life] = does
                changed[node] = None
        counts = tuple((order[node], *(now[node][each] for each in DOING)) for node in changed)
        yield TreeStep(step.says, counts)
