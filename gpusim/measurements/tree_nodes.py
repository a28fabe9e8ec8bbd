"""Which grids of a tree are drawn as one? Many that like grids launched at one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from gpusim.measurements.lives import Life

FEW, MOST_STREAMS = 8, 4  # like siblings that stand by themselves; streams in which such are told apart
MOST_NODES = 2000


@dataclass(eq=False)
class Node:
    """Grids drawn as one."""

    parent: Node | None
    lives: list[Life] = field(default_factory=list)


@dataclass
class Folded:
    """`nodes`, parents before their children; `of`: where a grid is drawn. `left_out` grids are not."""

    nodes: list[Node] = field(default_factory=list)
    of: dict[Life, Node] = field(default_factory=dict)
    left_out: int = 0


def folded(lives: Iterable[Life]) -> Folded:
    """Where is each grid drawn?"""
    found, places = Folded(), dict[Hashable, Node]()
    all_lives = list(lives)
    alike = Counter(_kind(life) for life in all_lives)
    streams_of: dict[Hashable, set[str]] = {}
    for life in all_lives:
        streams_of.setdefault(_kind(life), set()).add(life.stream)
    for life in all_lives:
        parent = None if life.parent is None else found.of.get(life.parent)
        if life.parent is not None and parent is None:
            found.left_out += 1
            continue
        kind = _kind(life)
        apart = life.stream if len(streams_of[kind]) <= MOST_STREAMS else None
        many = alike[kind] > FEW or not life.exists or (parent is not None and len(parent.lives) > 1)
        key = (parent, kind[1:], apart) if many else life
        if key not in places:
            if len(found.nodes) == MOST_NODES:
                found.left_out += 1
                continue
            places[key] = Node(parent)
            found.nodes.append(places[key])
        places[key].lives.append(life)
        found.of[life] = places[key]
    return found


def _kind(life: Life) -> tuple[Hashable, ...]:
    """Launches by one grid that are of one kind differ in the thread, the stream and the arguments."""
    one = life.launched
    line = None if one.by is None else (one.by.span.source.filename, one.by.span.line)
    parent = life.parent
    return parent, one.kernel, one.extents, one.block, one.shared_bytes, line, one.error
