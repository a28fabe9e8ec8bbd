"""What orders two things that were done, call by call, and what does not? For the happens-before view."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gpusim.reports.report import Drawn, Report


@dataclass(frozen=True, slots=True)
class Arrow(Report):
    """From an earlier box, by number, by those in `via`; why: a key of `OrderVariant.whys`."""

    box: int
    why: str
    via: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class OrderBox(Report):
    """What was done in some lanes, in a row of the picture. `called` names it in a sentence.

    next: of each earlier box, which one comes next on the way from it to this one; -1 where none leads here.
    """

    row: int
    lanes: tuple[int, ...]
    kind: str
    text: str
    called: str
    after: tuple[Arrow, ...]
    next: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OrderRow(Report):
    """A line of the program, and what happens there in words."""

    line: int
    source: str
    says: str


@dataclass(frozen=True, slots=True)
class Pair(Report):
    """Two boxes that nothing orders; is it a race, and what would order them?"""

    boxes: tuple[int, int]
    race: bool
    says: str
    hint: str


@dataclass(frozen=True, slots=True)
class OrderVariant(Report):
    """Boxes in the order in which they were asked for. `apart` is said of two that nothing orders, if no pair
    says more; whys: what orders -> what it means.
    """

    label: str
    what: str
    lanes: tuple[str, ...]
    whys: Mapping[str, str]
    rows: tuple[OrderRow, ...]
    boxes: tuple[OrderBox, ...]
    pairs: tuple[Pair, ...]
    apart: str
    left_out: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class OrderReport(Drawn):
    """Runs to choose from. As text, what happens in each, and which pairs nothing orders."""

    variants: tuple[OrderVariant, ...]

    def __str__(self) -> str:
        found = [self.title]
        for one in self.variants:
            found += [f"  {row.says}" for row in one.rows]
            for pair in one.pairs:
                found += [
                    f"  Not ordered: {pair.says}",
                    *([f"    To order them: {pair.hint}"] if pair.hint else []),
                ]
        return "\n".join(found)

    __repr__ = __str__


def nexts(before: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """`OrderBox.next` of every box. before: what each comes directly after."""
    ways = (towards(last, before) for last in range(len(before)))
    return [tuple(way.get(earlier, -1) for earlier in range(last)) for last, way in enumerate(ways)]


def towards(last: int, before: Sequence[Iterable[int]]) -> dict[int, int]:
    """Of all that is before `last`: what comes next on the shortest way? before: of each, directly."""
    found = {last: last}
    queue = [last]
    for number in queue:
        for earlier in before[number]:
            if earlier not in found:
                found[earlier] = number
                queue.append(earlier)
    return found
