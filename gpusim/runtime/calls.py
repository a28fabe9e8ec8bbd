"""What did the host ask for, and what orders it? A record of its calls, kept while somebody wants one.

Work runs at once here, in one of the orders that a GPU may take. Whether it may take another follows from
the calls alone: those of one stream keep their order; the legacy default stream and every blocking stream
wait for each other; a stream waits for an event; the host waits where it synchronises, or for a copy
to memory that is not pinned; and nothing is done before the host asks for it (CUDA Driver API, "Stream
synchronization behavior" and "API synchronization behavior").

Two things are taken as ordered of which CUDA does not say so: whoever synchronises the legacy default stream
waits for the blocking streams, too; and after a copy without "Async" from memory that is not pinned, the
array on the device is there, though the last bytes may still be on their way.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from gpusim.host_events import HostCall, Touched
from gpusim.reports.source import SourceLine
from gpusim.source import shown_name

MOST_CALLS = 4096
NOT_CALLERS = "gpusim", "numpy"
Order = tuple[int, str]
Follow = Callable[[HostCall, list[Touched]], None]


class Calls:
    """The calls of one `profile` or `sanitize`. `follow` is told of each when it is known what it touched;
    of launches in the default stream that is only asked for if `all_streams`.

    Streams without a name are "stream 1", and so on, in the order in which these calls use them.
    `clock` knows the time between the ends of two of them, in seconds, where somebody has a model of it.
    """

    def __init__(self, follow: Follow, *, most: int = MOST_CALLS, all_streams: bool = True) -> None:
        self.made: list[HostCall] = []
        self.left_out = 0
        self.clock: Callable[[int, int], float] | None = None
        self.running: list[int] = []  # launches and host functions that are not over
        self._follow, self._most, self._all_streams = follow, most, all_streams
        self._last: dict[Any, int] = {}  # of each stream
        self._names: dict[Any, str] = {}  # of streams without one, in the order in which they are used
        self._host: int | None = None  # the last thing that the host did, or waited for

    def note(
        self,
        what: str,
        text: str,
        at: SourceLine,
        stream: Any = None,
        *,
        after: Iterable[Order] = (),
        waits: bool = False,
        engine: str = "",
        size: int = 0,
        pinned: bool = True,
    ) -> HostCall | None:
        """Something is asked for, in a stream, or done by the host. None: there were too many before."""
        if len(self.made) == self._most:
            self.left_out += 1
            return None
        order = dict(reversed([*after, *self._before(stream)]))  # the first reason counts
        before = 0
        for number in order:
            before |= self.made[number].before | 1 << number
        direct = [
            (number, why)
            for number, why in order.items()
            if not any(self.made[other].before >> number & 1 for other in order)
        ]
        name = "" if stream is None else stream.name or self._names.get(stream, "")
        if stream is not None and not name:
            name = self._names[stream] = f"stream {len(self._names) + 1}"
        number = len(self.made)
        call = HostCall(
            number, what, text, name, at, tuple(sorted(direct)), before, waits, engine, size, pinned
        )
        self.made.append(call)
        if stream is not None:
            self._last[stream] = number
        if stream is None or waits:
            self._host = number
        return call

    def _before(self, stream: Any) -> Iterator[Order]:
        """What does the next call of a stream, or of the host, come after?"""
        if stream in self._last:
            yield self._last[stream], "same stream"
        if stream is not None and stream.blocking:
            for other, number in self._last.items():
                if other.blocking and other is not stream and (other.legacy or stream.legacy):
                    yield number, "default stream"
        if self._host is not None:
            yield self._host, "issued"

    def unfinished(self, stream: Any = None) -> list[Order]:
        """What must be over when a stream is done, or every stream."""
        of = [s for s in self._last if stream in (None, s) or (stream.legacy and s.blocking)]
        return [(self._last[s], "synchronised") for s in of]

    def watches(self, stream: Any) -> bool:
        """Is it asked for which bytes its launches touch?"""
        return self._all_streams or not stream.legacy

    def done(self, call: HostCall, touched: Iterable[Touched]) -> None:
        """It is known what the call touched."""
        found = [one for one in touched if len(one.starts)]
        call.touched += [one.in_all() for one in found]
        self._follow(call, found)

    def host_access(self, text: str, at: SourceLine, touched: Touched) -> None:
        """The host reads or writes memory; a host function does it in its stream."""
        last = self.made[-1] if self.made else None
        if self.running:
            last = self.made[self.running[-1]]
        elif last is None or (last.what, last.at, last.text) != ("host access", at, text):
            last = self.note("host access", text, at, engine="host")
        if last is not None:
            self.done(last, [touched])

    @contextmanager
    def during(self, call: HostCall | None) -> Iterator[None]:
        """What happens in the `with` block is a part of this call."""
        if call is None:
            yield
            return
        self.running.append(call.number)
        try:
            yield
        finally:
            self.running.pop()


# where it is said -------------------------------------------------------------------------------------------


def caller() -> FrameType:
    """The innermost frame that is neither this package's nor NumPy's."""
    frame: FrameType | None = sys._getframe(1)
    outer = frame
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in NOT_CALLERS:
        frame, outer = frame.f_back, frame
    assert outer is not None
    return frame or outer


def place(frame: FrameType) -> SourceLine:
    """The line that a frame is at."""
    file, line = frame.f_code.co_filename, frame.f_lineno
    return SourceLine(shown_name(file), line, linecache.getline(file, line, frame.f_globals).rstrip("\n"))
