"""In which order does the device work? Streams and events as in Numba, on a device that is never late.

A grid comes after all work that its stream was given before it, and a launch from the host runs at once: when
the call returns, its work is done. That is one of the orders that a GPU may take for any program of streams
and events. So waiting takes no time here, and leaving it out shows no wrong result either.
"""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gpusim.errors import LaunchError, UnsupportedConstruct
from gpusim.machine.configuration import Configuration
from gpusim.runtime import settings
from gpusim.runtime.grids import Look, Submitted
from gpusim.whole import is_whole

if TYPE_CHECKING:
    import asyncio

_numbers = itertools.count(1)


class HostTimeWarning(UserWarning):
    """A time is the simulator's own, on this computer; it says nothing about a GPU."""


class Stream:
    """A queue of work. Work in one stream keeps its order; work in two streams has none on a GPU."""

    def __init__(self, name: str = "") -> None:
        self.name = name or f"stream {next(_numbers)}"
        self._last: tuple[Submitted, ...] = ()

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def before_next(self) -> tuple[Submitted, ...]:
        """What comes before its next work: its own so far, and the default stream's, which waits for all."""
        if self is DEFAULT:
            return settings.current().grids.unfinished()
        return tuple(one for one in (*self._last, *DEFAULT._last) if not one.over)

    def launch(self, configuration: Configuration, look: Look | None = None) -> None:
        """Give the device a grid, watched by the observers in force, and let it run until nothing is left."""
        now = settings.current()
        with now.grids.lock:
            try:
                self._last = (now.grids.submit(configuration, now.observers, self.before_next()),)
                now.grids.drain(look)
            except BaseException as error:  # an interrupt may come between the two
                now.grids.abandon(error)
                raise

    def follow(self, work: tuple[Submitted, ...]) -> None:
        """Let all later work of the stream come after this."""
        self._last = (*self._last, *work)

    def synchronize(self) -> None:
        """Wait until all work of the stream is done."""
        settings.current().grids.drain()

    @contextmanager
    def auto_synchronize(self) -> Iterator[Stream]:
        """`with stream.auto_synchronize():` waits for the stream at the end of the block."""
        yield self
        self.synchronize()

    def add_callback(self, callback: Callable[[Stream, int, Any], Any], arg: Any = None) -> None:
        """Call `callback(stream, status, arg)` once the work so far is done, which is now; status is 0."""
        self.synchronize()
        callback(self, 0, arg)

    def async_done(self) -> asyncio.Future[Stream]:
        """Something to await in a coroutine: the stream, once its work so far is done."""
        import asyncio  # takes longer to load than all of this package's runtime

        self.synchronize()
        future: asyncio.Future[Stream] = asyncio.get_running_loop().create_future()
        future.set_result(self)
        return future


DEFAULT, PER_THREAD = Stream("default stream"), Stream("per-thread default stream")


def stream() -> Stream:
    """A new stream."""
    return Stream()


def default_stream() -> Stream:
    """The stream of work that names none, as in Numba: it waits for all others, and all others for it."""
    return DEFAULT


legacy_default_stream = default_stream


def per_thread_default_stream() -> Stream:
    """The default stream that waits for nobody."""
    return PER_THREAD


def external_stream(_ptr: int) -> Stream:
    """Refused: a stream of another library is on a real GPU."""
    raise UnsupportedConstruct("cuda.external_stream(…) names a stream of a real GPU; use cuda.stream()")


def of(given: Any) -> Stream:
    """The stream that is meant by a `Stream`, or by 0."""
    return given if isinstance(given, Stream) else DEFAULT


def checked(given: Any) -> Any:
    """What was given as a stream: a `Stream`, or 0 for the default one. Raises `LaunchError` otherwise."""
    if isinstance(given, Stream) or (is_whole(given) and given == 0):
        return given
    raise LaunchError(f"a stream is what cuda.stream() returns, or 0 for the default one, not {given!r}")


class Event:
    """A point in a stream that others can wait for."""

    def __init__(self, timing: bool = True) -> None:
        self.timing = timing
        self._recorded_s: float | None = None
        self._work: tuple[Submitted, ...] = ()

    def __repr__(self) -> str:
        state = "not recorded" if self._recorded_s is None else "done" if self.query() else "pending"
        return f"<event, {state}>"

    def record(self, stream: Any = 0) -> None:
        """Let the event stand for all work that the stream was given so far."""
        self._work = of(checked(stream)).before_next()
        self._recorded_s = time.perf_counter()

    def query(self) -> bool:
        """Is that work done?"""
        return all(one.over for one in self._work)

    def synchronize(self) -> None:
        """Let the host wait for that work."""
        settings.current().grids.drain()

    def wait(self, stream: Any = 0) -> None:
        """Let later work of `stream` wait for that work."""
        of(checked(stream)).follow(self._work)

    def elapsed_time(self, end: Event) -> float:
        """See `event_elapsed_time`."""
        return event_elapsed_time(self, end)


def event(timing: bool = True) -> Event:
    """A new event."""
    return Event(timing)


def event_elapsed_time(evtstart: Event, evtend: Event) -> float:
    """How many milliseconds did *this computer* take between two events? A warning says so.

    A simulator of what a GPU does, not of how fast, has no other clock. Compare counters instead.
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
    warnings.warn(
        "these are milliseconds of the simulator on this computer, not of a GPU; compare counters of "
        "gpusim.profile() instead",
        HostTimeWarning,
        stacklevel=2,
    )
    return 1000 * (seconds[1] - seconds[0])


def synchronize() -> None:
    """Wait until all work of the device is done."""
    settings.current().grids.drain()
