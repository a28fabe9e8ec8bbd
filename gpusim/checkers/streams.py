"""Do two calls of the host use one byte, one of them writing, with nothing that orders them? streamcheck.

What orders calls is said in `gpusim.runtime.calls`, and by every call of itself (`HostCall.before`). Loads
may meet loads, and atomics atomics. It is judged by what the calls touched when they ran, not by
which came first, so a race is found though the simulator takes one order that may be the right one. Calls
beyond `gpusim.runtime.calls.MOST_CALLS` are not compared. Kernels that hand data over by flags race here.
"""

from __future__ import annotations

from collections import defaultdict

from gpusim.checkers.findings import Findings
from gpusim.events import HostCall, Piece, Touched
from gpusim.reports.findings import Access, Finding

WRITES = ("store", "atomic")
HOST = "the host's program"
DID = {"load": "reads", "store": "writes", "atomic": "updates"}


class StreamRaces:
    """Streamcheck, for the calls inside one `sanitize`."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._of: defaultdict[Piece, list[tuple[HostCall, Touched]]] = defaultdict(list)

    def follow(self, call: HostCall, touched: list[Touched]) -> None:
        """Compare what a call touched with what those did that it does not follow."""
        told: set[tuple[int, Piece]] = set()  # one finding a pair of calls and piece of memory is enough
        for mine in sorted(touched, key=lambda one: one.kind):
            for earlier, theirs in self._of[mine.piece]:
                pair = earlier.number, mine.piece
                harmless = mine.kind == theirs.kind != "store"
                if earlier is call or harmless or call.follows(earlier) or pair in told:
                    continue
                shared = mine.shared_with(theirs)
                if shared is not None:
                    told.add(pair)
                    self._report(earlier, theirs.kind, call, mine, shared)
        if call.waits or not call.stream:  # all that comes from here on comes after it
            for piece, known in self._of.items():
                self._of[piece] = [one for one in known if not call.follows(one[0])]
        for mine in touched:
            self._of[mine.piece].append((call, mine))

    def _report(
        self, earlier: HostCall, kind: str, later: HostCall, mine: Touched, shared: tuple[int, int]
    ) -> None:
        hazard = ("W" if mine.kind in WRITES else "R") + "A" + ("W" if kind in WRITES else "R")
        key = "streamcheck", earlier.at, later.at, hazard, mine.piece
        if self._findings.count(key, 1):
            return
        place = mine.piece.part(*shared)
        did = f"{named(earlier)} {DID[kind]} {place}, {named(later)} {DID[mine.kind]} it"
        message, told = f"{did}, and nothing orders the two", hint(earlier, later)
        accesses = tuple(_access(call) for call in (earlier, later))
        self._findings.found[key] = Finding(
            "streamcheck", hazard, "error", message, told, HOST, place, None, 1, accesses
        )


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


def _access(call: HostCall) -> Access:
    indent = len(call.at.source) - len(call.at.source.lstrip())
    return Access(f"{call.what} in {call.stream or 'the host'}", None, None, indent, call.at, ())
