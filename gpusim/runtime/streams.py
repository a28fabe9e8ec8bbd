"""In which order does the device work? Streams and events as in Numba, on a device that is never late.

A grid comes after all work before it, whatever its stream, and a launch from the host runs at once: when the
call returns, its work is done. That is one of the orders that a GPU may take for any program of streams and
events, unless a kernel waits for what one of another stream does later. So waiting takes no time here, and
leaving it out shows no wrong result either: what was left out, `gpusim.sanitize("streamcheck")` finds in the
calls, and `run.streams()` shows when a GPU would do them.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from gpusim.errors import LaunchError, ReportError, UnsupportedConstruct
from gpusim.host_events import HostCall
from gpusim.ir.launched import NAMED
from gpusim.machine.configuration import Configuration
from gpusim.machine.memory.address_space import AnyArray
from gpusim.runtime import calls, pieces, settings
from gpusim.runtime.calls import Calls
from gpusim.runtime.grids import Look
from gpusim.runtime.submitted import Submitted
from gpusim.runtime.touched import TouchedBytes
from gpusim.whole import is_whole

if TYPE_CHECKING:
    import asyncio


class HostTimeWarning(UserWarning):
    """A time is the simulator's own, on this computer; it says nothing about a GPU."""


class Stream:
    """A queue of work. Work in one stream keeps its order; work in two streams has none on a GPU.

    `blocking`: do it and the legacy default stream wait for each other? `priority`: a hint, lower is sooner;
    here it changes nothing.
    """

    def __init__(
        self, name: str = "", *, blocking: bool = True, priority: int = 0, legacy: bool = False
    ) -> None:
        self.name = name  # "": those who follow calls number such streams
        self.blocking, self.priority, self.legacy = blocking, priority, legacy
        self.destroyed = False

    def __repr__(self) -> str:
        return f"<{self.name or f'stream {id(self):#x}'}>"

    def launch(self, configuration: Configuration, look: Look | None = None) -> None:
        """Give the device a grid, watched by the observers in force, and let it run until nothing is left."""
        checked(self)
        now, observers = settings.current(), settings.current().observers
        noted = _note("launch", configuration.function.name, self, engine="multiprocessors")
        of = TouchedBytes([])
        if any(kept.watches(self) for kept, _ in noted):
            heap = now.grids.state.heap_address
            of = TouchedBytes([one for one in now.grids.state.memory.live() if one.address != heap])
            pieces.name_pieces(calls.caller(), [pieces.piece_of(one.data)[0] for one in of.allocations])
            observers = (*observers, of)
        with now.grids.lock, ExitStack() as within:
            for kept, call in noted:
                within.enter_context(kept.during(call))
            try:
                now.grids.submit(configuration, observers, now.grids.unfinished())
                now.grids.drain(look)
            except BaseException as error:  # an interrupt may come between the two
                now.grids.abandon(error)
                raise
            finally:
                touched = list(of.found())
                for kept, call in noted:
                    kept.done(call, touched)

    def synchronize(self) -> None:
        """Wait until all work of the stream is done."""
        checked(self)
        settings.current().grids.drain()
        _note_wait("synchronize", self)

    @contextmanager
    def auto_synchronize(self) -> Iterator[Stream]:
        """`with stream.auto_synchronize():` waits for the stream at the end of the block."""
        yield self
        self.synchronize()

    def add_callback(self, callback: Callable[[Stream, int, Any], Any], arg: Any = None) -> None:
        """Call `callback(stream, status, arg)` once the work so far is done, which is now; status is 0."""
        self.host_function(lambda: callback(self, 0, arg))

    def host_function(self, function: Callable[[], Any]) -> None:
        """Let the host call this once the work so far is done, which is now; later work comes after it."""
        checked(self)
        settings.current().grids.drain()
        with ExitStack() as within:
            for kept, call in _note("host function", "host function", self, engine="host"):
                within.enter_context(kept.during(call))
            function()

    def async_done(self) -> asyncio.Future[Stream]:
        """Something to await in a coroutine: the stream, once its work so far is done."""
        import asyncio  # takes longer to load than all of this package's runtime

        self.synchronize()
        future: asyncio.Future[Stream] = asyncio.get_running_loop().create_future()
        future.set_result(self)
        return future


DEFAULT, PER_THREAD = Stream("default stream", legacy=True), Stream("per-thread default stream")


def stream() -> Stream:
    """A new stream."""
    return Stream()


def default_stream() -> Stream:
    """The stream of work that names none, as in Numba: it waits for all others, and all others for it."""
    return DEFAULT


legacy_default_stream = default_stream


def per_thread_default_stream() -> Stream:
    """The default stream of a thread of the host: to others a blocking stream like any."""
    return PER_THREAD


def external_stream(_ptr: int) -> Stream:
    """Refused: a stream of another library is on a real GPU."""
    raise UnsupportedConstruct("cuda.external_stream(…) names a stream of a real GPU; use cuda.stream()")


def of(given: Any) -> Stream:
    """The stream that is meant by a `Stream`, or by 0."""
    return given if isinstance(given, Stream) else DEFAULT


def checked(given: Any) -> Any:
    """What was given as a stream: a `Stream`, or 0 for the default one. Raises `LaunchError` otherwise."""
    if getattr(given, "destroyed", False):
        raise LaunchError(f"cudaErrorInvalidResourceHandle: {given!r} was destroyed")
    if isinstance(given, Stream) or (is_whole(given) and given == 0):
        return given
    of_kernels = is_whole(given) and given in NAMED
    hint = f"only a kernel launches into the {NAMED[given]} stream" if of_kernels else ""
    what = "a stream is what cuda.stream() returns, or 0 for the default one"
    raise LaunchError(f"{what}, not {given!r}", hint=hint)


class Event:
    """A point in a stream that others can wait for."""

    def __init__(self, timing: bool = True) -> None:
        self.timing = timing
        self._recorded_s: float | None = None
        self._work: tuple[Submitted, ...] = ()
        self._numbers: WeakKeyDictionary[Calls, int] = WeakKeyDictionary()  # of the last record

    def __repr__(self) -> str:
        state = "not recorded" if self._recorded_s is None else "done" if self._done() else "pending"
        return f"<event, {state}>"

    def record(self, stream: Any = 0) -> None:
        """Let the event stand for all work that the stream was given so far."""
        stream = of(checked(stream))
        self._work, self._recorded_s = settings.current().grids.unfinished(), time.perf_counter()
        self._numbers.update({kept: call.number for kept, call in _note("record", "record", stream)})

    def query(self) -> bool:
        """Is that work done? Who is told so may go on as after `synchronize`."""
        if self._done():
            _note_wait("query", event=self)
        return self._done()

    def _done(self) -> bool:
        return all(one.over for one in self._work)

    def synchronize(self) -> None:
        """Let the host wait for that work."""
        settings.current().grids.drain()
        _note_wait("synchronize", event=self)

    def wait(self, stream: Any = 0) -> None:
        """Let later work of `stream` wait for that work."""
        _note_wait("wait", of(checked(stream)), event=self)

    def elapsed_time(self, end: Event) -> float:
        """See `event_elapsed_time`."""
        return event_elapsed_time(self, end)


def event(timing: bool = True) -> Event:
    """A new event."""
    return Event(timing)


def event_elapsed_time(evtstart: Event, evtend: Event) -> float:
    """How many milliseconds are there between two events? By the model of time, if they were recorded in one
    `gpusim.profile()`.

    Otherwise they are those that *this computer* took, and a warning says so.
    """
    seconds = []
    for which, given in (("first", evtstart), ("second", evtend)):
        if not isinstance(given, Event):
            raise LaunchError(f"the time between two cuda.event() is asked for; the {which} is {given!r}")
        if not given.timing:
            raise LaunchError(f"the {which} event keeps no time: it was made with cuda.event(timing=False)")
        if given._recorded_s is None:
            raise LaunchError(f"the {which} event was never recorded; call its record() first")
        seconds.append(given._recorded_s)
    for kept, number in evtstart._numbers.items():
        if kept.clock is not None and kept in evtend._numbers:
            with suppress(ReportError):  # of a launch that cannot be timed
                return 1e3 * kept.clock(number, evtend._numbers[kept])
    warnings.warn(
        "these are milliseconds of the simulator on this computer, not of a GPU; record both events in one "
        "gpusim.profile() for those of the model of time, or compare counters",
        HostTimeWarning,
        stacklevel=2,
    )
    return 1000 * (seconds[1] - seconds[0])


def synchronize() -> None:
    """Wait until all work of the device is done."""
    settings.current().grids.drain()
    _note_wait("synchronize")


# for those who follow ---------------------------------------------------------------------------------------


def _note(what: str, text: str, stream: Stream | None, **how: Any) -> list[tuple[Calls, HostCall]]:
    """Tell those who keep the host's calls of one; the calls as they keep them."""
    keeping = settings.current().calls
    if not keeping:
        return []
    at = calls.place(calls.caller())
    noted = [(kept, kept.note(what, text, at, stream, **how)) for kept in keeping]
    return [(kept, call) for kept, call in noted if call is not None]


def _note_wait(text: str, stream: Stream | None = None, event: Event | None = None) -> None:
    """A stream waits for an event; or the host for an event, a stream or, without either, for all."""
    for kept in settings.current().calls:
        at = calls.place(calls.caller())
        if event is None:
            kept.note("synchronise", text, at, after=kept.unfinished(stream), engine="host")
        else:
            after = [(event._numbers[kept], "event")] if kept in event._numbers else []
            what, engine = ("synchronise", "host") if stream is None else ("wait", "")
            kept.note(what, text, at, stream, after=after, engine=engine)


def note_copy(
    text: str,
    stream: Any,
    source: AnyArray | None,
    target: AnyArray | None,
    direction: str,
    *,
    waits: bool = False,
) -> None:
    """The bytes of one array go to another: "to device", "to host", or "on device" by multiprocessors.

    None stands for memory that nobody else knows. waits: does the host wait for it? It does for a copy to
    memory that is not pinned, in any case; a copy from such memory has read it when the call returns.
    """
    if not settings.current().calls:
        return
    of_host = source if direction == "to device" else target
    pinned = direction == "on device" or (of_host is not None and pieces.is_pinned(of_host))
    staged = direction == "to device" and not waits and not pinned
    waits = waits or (direction == "to host" and not pinned)
    engine = f"copy {direction}" if direction != "on device" else "multiprocessors"
    used = (("store", target), ("load", None if staged else source))
    touched = [pieces.touched(kind, array) for kind, array in used if array is not None]
    pieces.name_pieces(calls.caller(), [one.piece for one in touched])
    size = next(array.nbytes for array in (target, source) if array is not None)
    how = {"engine": engine, "size": size, "waits": waits, "pinned": pinned}
    for kept, call in _note("copy", text, of(stream), **how):
        kept.done(call, touched)


def note_set(text: str, stream: Stream, octets: AnyArray) -> None:
    """Bytes on the device are set, by its multiprocessors."""
    if settings.current().calls:
        touched = pieces.touched("store", octets)
        pieces.name_pieces(calls.caller(), [touched.piece])
        for kept, call in _note("memset", text, stream, engine="multiprocessors", size=octets.nbytes):
            kept.done(call, [touched])


def note_host_access(kind: str, array: AnyArray) -> None:
    """The host reads or writes memory that the device reaches by itself."""
    if not settings.current().calls or not array.size:
        return
    frame = calls.caller()
    touched = pieces.touched(kind, array)
    pieces.name_pieces(frame, [touched.piece])
    for kept in settings.current().calls:
        kept.host_access("read" if kind == "load" else "write", calls.place(frame), touched)
