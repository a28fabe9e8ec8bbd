"""Which room of the package knows which? A picture of what modules import: `python -m course.rooms`.

A line goes from a room down to one that knows it, as data goes. What a room knows through another has no
line: the machine knows events and so the IR, and all below knows both through the machine.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from statistics import fmean

import grimp

PICTURE = Path(__file__).parents[1] / "_static" / "rooms.svg"
Rooms = dict[str, set[str]]  # a room -> the rooms that it knows
Place = tuple[str, int]  # a room, or a line that passes by: its name, and its row
WIDTH, HEIGHT, ROW, GAP, PASSING = 112, 26, 52, 16, 10
STYLE = """\
svg { --ink: #1f2328; --muted: #8c959f; --page: #fff; --panel: #f6f8fa; \
background: var(--page) }
@media (prefers-color-scheme: dark) { svg { --ink: #e6e9ec; \
 --muted: #7d8894; --page: #14181e; --panel: #1d232b } }
text { fill: var(--ink); font: 13px system-ui, "Segoe UI", sans-serif; text-anchor: middle }
rect { fill: var(--panel); stroke: var(--muted) } path { fill: none; stroke: var(--muted) }"""


def known() -> Rooms:
    """What each room imports of others."""
    graph = grimp.build_graph("gpusim", cache_dir=None)
    rooms: Rooms = {}
    for module in sorted(graph.modules - {"gpusim", "gpusim.__main__"}):
        others = (each for each in graph.find_modules_directly_imported_by(module) if each != "gpusim")
        room = module.split(".")[1]
        rooms.setdefault(room, set()).update({each.split(".")[1] for each in others} - {room})
    return rooms


def all_known(room: str, rooms: Rooms) -> set[str]:
    """What a room knows, and what those know.

    >>> sorted(all_known("c", {"a": set(), "b": {"a"}, "c": {"b"}}))
    ['a', 'b']
    """
    return rooms[room].union(*(all_known(each, rooms) for each in rooms[room]))


def nearest(rooms: Rooms) -> Rooms:
    """Without what is known through another room.

    >>> nearest({"a": set(), "b": {"a"}, "c": {"a", "b"}})
    {'a': set(), 'b': {'a'}, 'c': {'b'}}
    """
    return {
        room: knows - set().union(*(all_known(each, rooms) for each in knows))
        for room, knows in rooms.items()
    }


def row_of(room: str, rooms: Rooms) -> int:
    """Below all that it knows.

    >>> row_of("c", {"a": set(), "b": {"a"}, "c": {"b"}})
    2
    """
    return 1 + max((row_of(each, rooms) for each in rooms[room]), default=-1)


def lines(rooms: Rooms) -> list[list[Place]]:
    """The places through which each line goes, one in a row."""
    rows = {room: row_of(room, rooms) for room in rooms}
    return [
        [
            (above, rows[above]),
            *((f"{above} {room}", row) for row in range(rows[above] + 1, rows[room])),
            (room, rows[room]),
        ]
        for room, knows in rooms.items()
        for above in sorted(knows)
    ]


def middles(drawn: list[list[Place]]) -> dict[Place, float]:
    """Where in its row is each place? Near those that its lines come from and go to."""
    beside: dict[Place, list[Place]] = {}
    for line in drawn:
        for above, below in pairwise(line):
            beside.setdefault(above, []).append(below)
            beside.setdefault(below, []).append(above)
    found = dict.fromkeys(sorted(beside), 0.0)
    rows = [[place for place in found if place[1] == row] for row in range(1 + max(row for _, row in found))]
    for _ in range(30):  # it settles sooner
        for row in rows:
            wanted = {place: fmean(found[each] for each in beside[place]) for place in row}
            row.sort(key=lambda place: (wanted[place], place))
            right = 0.0
            for place in row:
                half = (PASSING if " " in place[0] else WIDTH) / 2
                found[place] = right + half
                right += 2 * half + GAP
            moved = fmean(wanted.values()) - fmean(found[place] for place in row)
            found.update({place: found[place] + moved for place in row})
    return found


def picture() -> str:
    """The SVG: rooms in rows, and lines between them, which say whose they are."""
    near = nearest(known())
    drawn = lines(near)
    places = middles(drawn)
    left = min(places.values()) - WIDTH / 2 - GAP
    at = {place: (round(x - left), ROW * place[1] + GAP + HEIGHT // 2) for place, x in places.items()}
    width = max(x for x, _ in at.values()) + WIDTH // 2 + GAP
    height = max(y for _, y in at.values()) + HEIGHT // 2 + GAP
    shapes = []
    for line in drawn:
        (x, y), *further = (at[place] for place in line)
        ends = f"of-{line[0][0]} of-{line[-1][0]}"
        path = f"M{x} {y}"
        for below, y_below in further:
            path += f"C{x} {y + ROW // 2} {below} {y_below - ROW // 2} {below} {y_below}"
            x, y = below, y_below
        shapes.append(f'<path class="{ends}" d="{path}"/>')
    for (room, _), (x, y) in at.items():
        if " " not in room:
            box = f'x="{x - WIDTH // 2}" y="{y - HEIGHT // 2}" width="{WIDTH}" height="{HEIGHT}" rx="5"'
            said = f"{room} knows {', '.join(sorted(near[room])) or 'no other'}"
            shapes.append(
                f'<g id="room-{room}" tabindex="0" role="img" aria-label="{said}">'
                f'<rect {box}/><text x="{x}" y="{y + 4}">{room}</text></g>'
            )
    size = f'viewBox="0 0 {width} {height}" width="{width}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="group">'
    title = "<title>The rooms of gpusim, each below those that it knows</title>"
    return "\n".join([head, title, f"<style>{STYLE}</style>", *shapes, "</svg>\n"])


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
