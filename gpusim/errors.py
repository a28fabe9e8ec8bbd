"""What can go wrong, by name. Every message says what happened, where, and what to do about it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from functools import cache, wraps
from typing import Any, ParamSpec, Protocol, Self, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Place(Protocol):
    """A place in a source that can show itself; `gpusim.source.Span` is one."""

    def describe(self, message: str, hint: str = "") -> str:
        """The message with its place, the source line and a caret."""

    def spelled(self, hint: str) -> str:
        """A hint in the words of the source's language."""


def _remade(kind: type[GpuSimError], arguments: tuple[Any, ...]) -> GpuSimError:
    return kind.__new__(kind, *arguments)


class GpuSimError(Exception):
    """Anything the simulator refuses or finds wrong; catch this one to catch them all.

    Where Python has a name for what went wrong, it catches that, too: `IndexError` an index out of bounds.

    With a `span` the message opens with file and line and shows the source under a caret::

        tiled.py:14: `try` is not supported in a kernel
            try:
            ^ test the condition before you index
    """

    def __init__(self, message: str, span: Place | None = None, hint: str = "") -> None:
        hint = span.spelled(hint) if span else hint
        self.message, self.span, self.hint, self.launch_tree = message, span, hint, ""
        # not of the next class in line, which may be one of the kernel's author
        Exception.__init__(
            self, span.describe(message, hint) if span else f"{message}; {hint}" if hint else message
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """To another process it goes as it is, whatever its kind is made of."""
        return _remade, (type(self), self.args), self.__dict__

    def launched(self, tree: str) -> None:
        """Say who launched the grid that it ended: lines, the nearest first."""
        self.launch_tree = tree
        self.args = (f"{self.args[0]}\n{tree}",)

    def bare(self) -> Self:
        """Itself without the frames in which it was raised: they hold the launch's arrays."""
        self.__context__ = None
        return self.with_traceback(None)


def without_traceback(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Where did it go wrong? In the caller's line: what is below it in a traceback is the simulator's own."""

    @wraps(function)
    def called(*arguments: Parameters.args, **keywords: Parameters.kwargs) -> Result:
        try:
            return function(*arguments, **keywords)
        except GpuSimError as error:
            del arguments, keywords  # this frame is in the traceback
            raise error.bare() from None

    return called


def suggestion(name: object, known: Iterable[str], otherwise: str = "") -> str:
    """Which names were perhaps meant? At most three that are close, or contain it; a hint.

    >>> suggestion("gird", ["grid", "gridDim", "syncthreads"])
    'did you mean `grid`?'
    """
    given, by_key = str(name).casefold(), {one.casefold(): one for one in known}
    near = difflib.get_close_matches(given, by_key, cutoff=0.7) or [key for key in by_key if given in key]
    return f"did you mean {' or '.join(f'`{by_key[key]}`' for key in near[:3])}?" if near else otherwise


def absent(owner: object, name: str) -> AttributeError:
    """What `owner.name` raises where there is no such thing: what was perhaps meant, or what there is."""
    found = f"{type(owner).__name__} has no {name!r}"
    if name.startswith("_"):  # who asks is Python, or a notebook
        return AttributeError(found)
    names = {*dir(type(owner)), *getattr(owner, "__dict__", ())}
    public = sorted(one for one in names if not one.startswith("_"))
    hint = suggestion(name, public, f"it has {', '.join(public)}")
    return AttributeError(f"{found}; {hint}")


def lacking(key: object, known: Iterable[str]) -> KeyError:
    """What `figures[key]` raises where there is no such figure: what was perhaps meant, or what there is."""
    known = list(known)
    hint = suggestion(key, known, f"there are {', '.join(known)}")
    return KeyError(f"there is no {key!r}; {hint}")


def kind_of(value: object) -> str:
    """`a list`, `an int`: what a reader has given."""
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


class UnsupportedConstruct(GpuSimError, NotImplementedError):
    """The kernel uses something of its language that a GPU, or this simulator, does not run."""


class KernelSyntaxError(GpuSimError):
    """A kernel's text is no C++: a bracket, a semicolon or a directive is missing or stands wrong."""


class KernelTypeError(GpuSimError, TypeError):
    """Names, types or argument counts in a kernel do not fit together."""


class UndefinedName(KernelTypeError, NameError):
    """A kernel uses a name that means nothing."""


class KernelIndexError(KernelTypeError, IndexError):
    """A kernel indexes a tuple or an array beyond its end, as is known before it runs."""


class KernelValueError(KernelTypeError, ValueError):
    """A kernel's numbers do not fit, as is known before it runs: a step of 0, a shape of other elements."""


class NotOffered(UnsupportedConstruct, AttributeError):
    """A name of `numba.cuda` that the simulator knows and does not have; the message says what to use."""


class ArrayError(GpuSimError, ValueError):
    """Arrays of host and device do not fit together, or the device cannot lay one out so."""


class LaunchError(GpuSimError, ValueError):
    """A launch asks for what the device cannot give: the message names the limit."""


class UnknownDevice(GpuSimError, LookupError):
    """No device of that name is in the catalogue."""


class ThreadError(GpuSimError):
    """A thread did what it must not. `thread` and `block` say which one; None where it was the host."""

    def __init__(
        self,
        message: str,
        span: Place | None = None,
        hint: str = "",
        *,
        thread: tuple[int, ...] | None = None,
        block: tuple[int, ...] | None = None,
    ) -> None:
        super().__init__(message, span, hint)
        self.thread, self.block = thread, block


class KernelRaised(ThreadError):
    """An `assert` failed in a kernel, a `raise` was reached, or a shape does not fit its array.

    `raised`: the class that the kernel named. What it names is caught by that name, too: see `raised_as`.
    """

    raised: type[Exception] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        made = type(self).__dict__.get("made_for", type(self))
        return _raised_again, (made, self.args), self.__dict__


class AssertionFailed(KernelRaised, AssertionError):
    """An `assert` does not hold for a thread."""

    raised = AssertionError


class IntegerDividedByZero(KernelRaised, ZeroDivisionError):
    """A thread divides an integer by zero, which the GPU does not tell, and `gpusim.sanitize` does."""

    raised = ZeroDivisionError


@cache
def raised_as(kind: Any) -> type[KernelRaised]:
    """The error of ours that `except kind` catches as well, as under Numba; of None, ours alone.

    >>> issubclass(raised_as(ValueError), ValueError)
    True
    """
    if kind is None or kind is AssertionError:
        return KernelRaised if kind is None else AssertionFailed
    if issubclass(kind, KernelRaised):
        return kind  # type: ignore[no-any-return]
    namespace = {
        "__str__": Exception.__str__,
        "__module__": kind.__module__,
        "raised": kind,
        "made_for": kind,
    }
    return type(kind.__name__, (KernelRaised, kind), namespace)


def _raised_again(kind: Any, arguments: tuple[Any, ...]) -> GpuSimError:
    return _remade(raised_as(kind), arguments)


class StreamMisused(ThreadError):
    """A kernel asks the device runtime for what it must not: a stream of another block, a pointer to its own
    memory for a kernel that it launches.
    """


class AccessError(ThreadError):
    """A thread used memory that it must not use: of which `array`?"""

    def __init__(self, *message: Any, array: str = "", **who: Any) -> None:
        super().__init__(*message, **who)
        self.array = array


class OutOfBounds(AccessError, IndexError):
    """An `index` is outside its array; empty where a view reaches beyond the memory it is a part of."""

    def __init__(self, *message: Any, index: tuple[int, ...], **who: Any) -> None:
        super().__init__(*message, **who)
        self.index = index


class MisalignedAccess(AccessError):
    """An `address` is not a multiple of the element's size."""

    def __init__(self, *message: Any, address: int, **who: Any) -> None:
        super().__init__(*message, **who)
        self.address = address


class UseAfterFree(AccessError):
    """An array is used whose memory was given back."""


class InvalidMask(GpuSimError):
    """A `*_sync` names lanes that cannot take part, or not the lane that calls it."""


class BarrierMisused(GpuSimError):
    """A thread comes to a barrier for a part of its block that does not expect it, or waits there twice."""


class NoProgress(GpuSimError):
    """The kernel cannot finish. The message says where its lanes are and what they wait for."""


class Deadlock(NoProgress):
    """No lane can run: each waits for another."""


class Livelock(NoProgress):
    """Lanes run for ever without changing anything, or past the step budget."""


class ReportError(GpuSimError):
    """A report is asked for something that its run did not record."""


class NotCounted(ReportError, AttributeError):
    """A run has no counter of that name."""
