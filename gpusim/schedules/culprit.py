"""Who wrote last what a thread read, and what came in between in the other run? For the schedule explorer.

A thread is its number in the grid's warps: warp × L + lane. Steps count from 0 here, from 1 in sentences.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gpusim.reports.schedule import Cause
from gpusim.whole import number_of

Place = tuple[str, int]  # an array's name, and the number of an element in it
Byte = tuple[str, int, int]  # the space, the block whose window of it is meant, the address
Name = Callable[[int], str]  # "thread 37 of block 1"


@dataclass(frozen=True)
class Write:
    """What changed an element: a store, or the atomics that threads did there at once.

    `turn` counts what these threads did there, which is how the same write is found in another run; `number`
    counts all writes of the run, from 1.
    """

    threads: tuple[int, ...]
    place: Place
    turn: int
    number: int
    step: int
    line: int

    @property
    def same(self) -> tuple[tuple[int, ...], Place, int]:
        """Equal for the same write in two runs."""
        return self.threads, self.place, self.turn

    def who(self, name: Name) -> str:
        """`thread 5`, or `32 threads with atomics`."""
        several = f"{len(self.threads)} threads with atomics"
        return name(self.threads[0]) if len(self.threads) == 1 else several

    def when(self) -> str:
        """`in step 4 (line 7)`."""
        return f"in step {self.step + 1} (line {self.line})"


class Writes:
    """Every write of one run, byte by byte."""

    def __init__(self) -> None:
        self.made: dict[Place, list[Write]] = defaultdict(list)
        self._last: dict[Byte, Write] = {}
        self._turns: Counter[tuple[tuple[int, ...], Place]] = Counter()
        self.count = 0

    def add(self, octets: Iterable[Byte], place: Place, threads: Sequence[int], step: int, line: int) -> None:
        """Threads wrote to these bytes, which are an element of an array."""
        by = tuple(threads)
        self._turns[by, place] += 1
        self.count += 1
        write = Write(by, place, self._turns[by, place], self.count, step, line)
        self.made[place].append(write)
        self._last |= dict.fromkeys(octets, write)

    def last(self, octets: Iterable[Byte]) -> Write | None:
        """Which write to any of these bytes was the last one until now?"""
        found = (self._last[octet] for octet in octets if octet in self._last)
        return max(found, key=lambda write: write.number, default=None)


@dataclass(frozen=True)
class Read:
    """A thread reads an element in one run, and gets the value of the write `after`; `made` came before.

    `fresh`: the element is of shared memory, where nothing is before the first write.
    """

    thread: int
    step: int
    place: Place
    fresh: bool
    after: Write | None
    made: int
    writes: Writes

    def found(self, write: Write) -> Write | None:
        """The same write in this run."""
        return next((each for each in self.writes.made[write.place] if each.same == write.same), None)

    def had(self, write: Write) -> bool:
        """Had this run made that write before the read?"""
        found = self.found(write)
        return found is not None and found.number <= self.made


def cause(read: Read, name: Name) -> Cause:
    """Whose value was read? `which thread 5 wrote in step 4 (line 9)`."""
    if read.after is None:
        says = "where nobody had written" if read.fresh else "which nobody had changed"
        return Cause(says, None, read.place)
    return Cause(f"which {read.after.who(name)} wrote {read.after.when()}", read.after.step, read.place)


def why(here: Read, there: Read, name: Name) -> Cause | None:
    """Why did a thread not read there what it read here? None where no write explains it.

    `s[5] was overwritten by thread 5 in step 4 (line 9), before thread 4 read it in step 9`.
    """
    usual, other = here.after, there.after
    element, reader = f"{there.place[0]}[{there.place[1]}]", f"{name(there.thread)} read"
    writes = [write for write in (usual, other) if write]
    if not writes or any(len(write.threads) > 1 for write in writes):
        return None
    if usual and other and usual.same == other.same:
        return None
    if other and (usual is None or there.had(usual)):
        by = f"{other.who(name)} {other.when()}"
        verb = "written" if usual is None and there.fresh else "overwritten"
        text = f"{element} was {verb} by {by}, before {reader} it in step {there.step + 1}"
        if usual and here.had(other):  # both had come on both sides
            text = f"{element} was written by {by} after {usual.who(name)}, and not before"
        return Cause(text, other.step, there.place)
    assert usual is not None
    if other and not here.had(other):
        text = f"{element} was written by {other.who(name)} {other.when()}, and not by {usual.who(name)}"
        return Cause(text, other.step, there.place)
    late = there.found(usual)
    text = f"{reader} {element} in step {there.step + 1}, before {usual.who(name)} wrote it"
    return Cause(f"{text} {late.when()}" if late else text, late.step if late else None, there.place)


def missing(lanes: int, ran: Sequence[tuple[int, int, int]]) -> Cause | None:
    """What did lanes do last that ran together with these in the other run?

    `without 6 lanes, which last ran line 8 in step 12`. lanes: a mask; ran: of each step of their warp
    before, its number, the line and the mask.
    """
    last = Counter(
        next(((step, line) for step, line, mask in reversed(ran) if mask >> lane & 1), None)
        for lane in range(lanes.bit_length())
        if lanes >> lane & 1
    )
    if not last:
        return None
    (place, most), count = last.most_common(1)[0], last.total()
    which = "which" if most == count else f"{most} of which"
    did = f"last ran line {place[1]} in step {place[0] + 1}" if place else "have not begun"
    return Cause(f"without {number_of(count, 'lane')}, {which} {did}", place and place[0])
