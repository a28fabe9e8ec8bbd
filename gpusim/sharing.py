"""Which calls of the host use one byte, one of them writing, with nothing that orders them? And what would?

What orders calls is said in `gpusim.runtime.calls`, and by every call of itself (`HostCall.before`). Loads
may meet loads, and atomics atomics.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from gpusim.host_events import HostCall, Piece, Touched

DID = {"load": "reads", "store": "writes", "atomic": "updates"}


class Meeting(NamedTuple):
    """An earlier call and a later one that meet at `place`, in `piece`, and what each does there."""

    earlier: HostCall
    later: HostCall
    kinds: tuple[str, str]
    piece: Piece
    place: str

    def __str__(self) -> str:
        first, second = (DID[kind] for kind in self.kinds)
        return f"{named(self.earlier)} {first} {self.place}, {named(self.later)} {second} it"


class Sharing:
    """What calls have touched that later ones may meet."""

    def __init__(self) -> None:
        self._of: defaultdict[Piece, list[tuple[HostCall, Touched]]] = defaultdict(list)

    def meetings(self, call: HostCall, touched: list[Touched]) -> list[Meeting]:
        """With calls that this one does not follow: at most one for each of them and piece of memory."""
        found: dict[tuple[int, Piece], Meeting] = {}
        for mine in sorted(touched, key=lambda one: one.kind):
            for earlier, theirs in self._of[mine.piece]:
                pair = earlier.number, mine.piece
                harmless = mine.kind == theirs.kind != "store"
                if earlier is call or harmless or call.follows(earlier) or pair in found:
                    continue
                shared = mine.shared_with(theirs)
                if shared is not None:
                    kinds = theirs.kind, mine.kind
                    found[pair] = Meeting(earlier, call, kinds, mine.piece, mine.piece.part(*shared))
        if call.waits or not call.stream:  # all that comes from here on comes after it
            for piece, known in self._of.items():
                self._of[piece] = [one for one in known if not call.follows(one[0])]
        for mine in touched:
            self._of[mine.piece].append((call, mine))
        return list(found.values())

    def note(self, call: HostCall, touched: list[Touched]) -> None:
        """The call keeps what it meets."""
        for meeting in self.meetings(call, touched):
            earlier = meeting.earlier
            call.met.append((earlier.number, meeting.place, str(meeting), hint(earlier, call)))


def named(call: HostCall) -> str:
    """`produce in stream 1`, `the host`."""
    if not call.stream:
        return f"the host in line {call.at.line}"
    what = {"launch": f"kernel {call.text}", "host function": "the host function"}.get(call.what, call.text)
    return f"{what} in {call.stream}"


def hint(earlier: HostCall, later: HostCall) -> str:
    """What would order the two?"""
    line = f"before line {later.at.line}"
    if not later.stream:
        return f"let the host wait for {earlier.stream or 'the other'} {line}: synchronize it"
    why = ""
    if "default stream" in (earlier.stream, later.stream):
        why = "a non-blocking stream and the default stream do not wait for each other: "
    recorded = f"record an event in {earlier.stream} after line {earlier.at.line}"
    return f"{why}{recorded} and let {later.stream} wait for it {line}; or give both to one stream"
