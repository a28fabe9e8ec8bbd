"""What did the host ask for, when would a GPU do it, and what orders two of its calls?

`happens_before(a, b)` follows the chain that lets one call begin only when another is over.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gpusim.errors import ReportError
from gpusim.reports.order import towards
from gpusim.reports.report import SPREAD, Report, Titled
from gpusim.reports.source import SourceLine

# why a call begins only when another is over
ORDERED_BY: dict[str, str] = {
    "same stream": "it is in the same stream",
    "default stream": "the default stream and blocking streams wait for each other",
    "event": "it waits for the event",
    "synchronised": "the host waits for it",
    "issued": "the host asks for it afterwards",
}


@dataclass(frozen=True, slots=True)
class After(Report):
    """Number of an earlier call, and why this one begins only when that is over: a key of `ORDERED_BY`."""

    call: int
    why: str


@dataclass(frozen=True, slots=True)
class TouchedPart(Report):
    """`bytes` that a call loads, stores, or updates atomically: they lie in `part`, such as `x[0:512]`."""

    part: str
    kind: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Met(Report):
    """An earlier call, by number, that nothing orders with this one: both touch `part`, one of them writing.

    says: who does what there; hint: what would order the two.
    """

    call: int
    part: str
    says: str
    hint: str


@dataclass(frozen=True, slots=True)
class StreamCall(Report):
    """A call of the host: asked for at `issued`, done from `start` to `end`, in microseconds of the model.

    what: "launch", "copy", "memset", "record", "wait", "synchronise", "host function" or "host access"; text:
    the kernel, or the call's name. stream: "" for what the host does itself; engine: who does it, or "".
    `waits`: the host goes on at `end`. `after`: what it comes directly after. `met`: what it races with.
    """

    number: int
    what: str
    text: str
    stream: str
    engine: str
    at: SourceLine = field(metadata=SPREAD)
    waits: bool
    issued: float
    start: float
    end: float
    bytes: int
    after: tuple[After, ...]
    touched: tuple[TouchedPart, ...]
    met: tuple[Met, ...] = ()

    @property
    def called(self) -> str:
        """`launch of scale in stream 1 (line 12)`."""
        named = f"{self.what} of {self.text}" if self.what == "launch" else f"{self.what} ({self.text})"
        named = self.what if self.text in (self.what, "synchronize") else named
        where = f" in {self.stream}" if self.stream else " by the host"
        return f"{named}{where} (line {self.at.line})"


@dataclass(frozen=True, slots=True)
class Chain(Report):
    """From one call to another that begins only when it is over. True if there is such a chain."""

    calls: tuple[StreamCall, ...]
    why: tuple[str, ...]  # of each but the first

    def __bool__(self) -> bool:
        return bool(self.calls)

    def __str__(self) -> str:
        if not self:
            return "nothing orders them so"
        later = zip(self.calls[1:], self.why, strict=True)
        steps = (f"  then {call.called}: {ORDERED_BY[why]}" for call, why in later)
        return "\n".join([self.calls[0].called, *steps])


@dataclass(frozen=True, slots=True)
class StreamsReport(Titled):
    """All calls of the host in the order in which it made them, in `lanes`: the host, streams and engines.

    `left_out`: how many were made after that. `source`: of the speeds of copies; `rules` of the model.
    """

    device: str
    lanes: tuple[str, ...]
    calls: tuple[StreamCall, ...]
    left_out: int
    microseconds: float
    rules: str
    source: str

    def happens_before(self, earlier: int | StreamCall, later: int | StreamCall) -> Chain:
        """The shortest chain from one call to the other, or an empty one; calls may be given by number."""
        first, last = (call if isinstance(call, int) else call.number for call in (earlier, later))
        for number in (first, last):
            if not 0 <= number < len(self.calls):
                raise ReportError(f"there is no call {number}; the calls are 0 to {len(self.calls) - 1}")
        found = towards(last, [[after.call for after in call.after] for call in self.calls])
        if first not in found or first == last:
            return Chain((), ())
        calls, why = [self.calls[first]], list[str]()
        while calls[-1].number != last:
            step = calls[-1].number
            calls.append(self.calls[found[step]])
            why.append(next(after.why for after in calls[-1].after if after.call == step))
        return Chain(tuple(calls), tuple(why))

    def unordered(self, one: int | StreamCall, other: int | StreamCall) -> bool:
        """May a GPU do the two in either order, or at once?"""
        return not self.happens_before(one, other) and not self.happens_before(other, one)

    def in_lane(self, lane: str) -> tuple[StreamCall, ...]:
        """What a stream, an engine or the host does."""
        return tuple(
            call
            for call in self.calls
            if lane in (call.stream, call.engine) or (lane == "host" and call.waits)
        )
