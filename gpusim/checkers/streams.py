"""Do two calls of the host use one byte, one of them writing, with nothing that orders them? streamcheck.

It is judged by what the calls touched when they ran (`gpusim.sharing`), not by
which came first, so a race is found though the simulator takes one order that may be the right one. Calls
beyond `gpusim.runtime.calls.MOST_CALLS` are not compared. Kernels that hand data over by flags race here.
"""

from __future__ import annotations

from gpusim.checkers.findings import Findings
from gpusim.host_events import HostCall, Touched
from gpusim.reports.findings import Access, Finding
from gpusim.sharing import Meeting, Sharing, hint

WRITES = ("store", "atomic")
HOST = "the host's program"


class StreamRaces:
    """Streamcheck, for the calls inside one `sanitize`."""

    def __init__(self, findings: Findings) -> None:
        self._findings, self._sharing = findings, Sharing()

    def follow(self, call: HostCall, touched: list[Touched]) -> None:
        """Compare what a call touched with what those did that it does not follow."""
        for meeting in self._sharing.meetings(call, touched):
            self._report(meeting)

    def tell_left_out(self, kept: int, left_out: int) -> None:
        """Of calls beyond those that are kept nothing is known: nobody is to take that for clean."""
        if left_out:
            message = f"{left_out} calls after the first {kept} were not compared"
            told = "check a shorter part of the program, or fewer accesses to pinned memory by the host"
            self._findings.found["streamcheck", "not compared"] = Finding(
                "streamcheck", "not compared", "warning", message, told, HOST, "", None, left_out, ()
            )

    def _report(self, meeting: Meeting) -> None:
        earlier, later, kinds, piece, place = meeting
        hazard = "A".join("W" if kind in WRITES else "R" for kind in reversed(kinds))
        key = "streamcheck", earlier.at, later.at, hazard, piece
        if self._findings.count(key, 1):
            return
        message, told = f"{meeting}, and nothing orders the two", hint(earlier, later)
        accesses = tuple(_access(call) for call in (earlier, later))
        self._findings.found[key] = Finding(
            "streamcheck", hazard, "error", message, told, HOST, place, None, 1, accesses
        )


def _access(call: HostCall) -> Access:
    indent = len(call.at.source) - len(call.at.source.lstrip())
    return Access(f"{call.what} in {call.stream or 'the host'}", None, None, indent, call.at, ())
