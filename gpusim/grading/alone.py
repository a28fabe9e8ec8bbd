"""What does the reader's function answer by itself? It may neither ask the simulator nor look at the check.

>>> from gpusim.grading import answered
>>> answered(lambda lanes: 2 * lanes, 32)
64
"""

from __future__ import annotations

import _thread
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import is_dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

from gpusim.grading.asking import answers
from gpusim.grading.failing import NOT_THE_READERS, PACKAGE, CheckFailed, line_of, require, short
from gpusim.grading.kept import names_stay, put_back, unmoved
from gpusim.grading.plain import NotPlain, plain

FIGURES = {str(PACKAGE / "devices" / name) for name in ("device.py", "catalogue.py")}
# Python's own errands: to import a module and to show a warning it opens files
ERRANDS = {("<frozen importlib._bootstrap>", "_find_and_load"), (warnings.__file__, "_showwarnmsg")}
# What Python tells its auditors of code that looks around: at its callers, at files, at other programs
AROUND = ("sys.", "gc.", "_thread.", "ctypes.", "subprocess.", "socket.", "open", "os.", "code.")
FRAMES = {"tb_frame", "gi_frame", "cr_frame", "ag_frame"}
LAUNCHES = "It copies and launches, and nothing else is asked for."
ALONE = "Write the rule itself, from the arguments alone."
UNSEEN = (_thread.start_new_thread, _thread.start_new)
OWN = {__file__, plain.__code__.co_filename}
OF_PYTHON = ("<frozen", *NOT_THE_READERS[1:])

_watching: list[Watch] = []


class Watch:
    """Notes what a function does beside computing, in the thread that calls it."""

    def __init__(self, checks: frozenset[str] = frozenset()) -> None:
        self.asked: list[str] = []
        self.looked: list[str] = []
        self._checks = checks  # the cells whose functions the reader may not call
        self.thread = threading.get_ident()
        self._busy = False

    def called(self, frame: FrameType, event: str, argument: Any) -> None:
        """For `sys.setprofile`: a function begins or ends."""
        file, name = frame.f_code.co_filename, frame.f_code.co_name
        if event == "c_call":
            if argument in UNSEEN and _is_readers(frame):
                self.looked.append("a thread of its own")
            elif _is_of_frames(argument) and not file.startswith(NOT_THE_READERS):
                self.looked.append(f"sys.{argument.__name__}")
                raise CheckFailed(f"`sys.{argument.__name__}` is not for answers. {ALONE}")
            return
        if file in OWN or event != "call":
            return
        if file.startswith(str(PACKAGE)) and file not in FIGURES:
            self.asked.append(f"{Path(file).stem}.{name}")
        elif file in self._checks:
            self.looked.append(f"{name}, which belongs to the check")
        elif (Path(file).name, name) == ("displayhook.py", "__call__"):
            self.looked.append("the notebook's output")

    def audited(self, event: str, arguments: tuple[Any, ...]) -> None:
        """For `sys.addaudithook`."""
        if self._busy or threading.get_ident() != self.thread or not _is_around(event, arguments):
            return
        self._busy = True  # to look at a frame is told as well
        try:
            if _is_readers(sys._getframe(2)):
                self.looked.append(event)
        finally:
            self._busy = False


def _is_of_frames(function: Any) -> bool:
    name = str(getattr(function, "__name__", ""))
    return getattr(function, "__module__", None) == "sys" and name.startswith(("get", "set", "_", "exc"))


def _is_around(event: str, arguments: tuple[Any, ...]) -> bool:
    if event == "compile":  # under the name of a file of the package, it would be taken for the package's
        return not str(arguments[1]).startswith(("<string>", "<unknown>"))
    if event == "object.__setattr__":
        return bool(arguments[1] == "__code__")
    return event.startswith(AROUND) or (event == "object.__getattr__" and arguments[1] in FRAMES)


def _is_readers(frame: FrameType | None) -> bool:
    """Does the reader's code do this, perhaps by way of Python's? What the package does is its own errand."""
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(str(PACKAGE)) or (file, frame.f_code.co_name) in ERRANDS:
            return False
        if not file.startswith(OF_PYTHON):
            return True
        frame = frame.f_back
    return False


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if _watching:
        _watching[-1].audited(event, arguments)


sys.addaudithook(_audit)


@contextmanager
def watched(checks: frozenset[str] = frozenset(), *, calls: bool = True) -> Iterator[Watch]:
    """What does the reader's code do meanwhile? `calls`: also which functions it calls.

    A watch that is not in its place at the end has seen that, whoever took it away.
    """
    watch, before = Watch(checks), sys.getprofile()
    own = watch.called if calls else before
    if calls:
        sys.setprofile(own)
    _watching.append(watch)
    try:
        yield watch
    finally:
        if sys.getprofile() is not own or _watching[-1:] != [watch]:
            watch.looked.append("for who watches it")
        if watch in _watching:
            _watching.remove(watch)
        if calls:
            sys.setprofile(before)


@contextmanager
def host_code(where: str) -> Iterator[None]:
    """It may ask the simulator; it may not look around, nor change what checks use. Raises `CheckFailed`."""
    with unmoved(everything=True) as moved, watched(calls=False) as watch:
        yield
    looked, changed = ", ".join(watch.looked[:1]), ", ".join(moved[:3])
    require(not looked, f"{where}: the host code looks around ({looked}). {LAUNCHES}")
    require(not changed, f"{where}: the host code changes what checks use ({changed}). {LAUNCHES}")


def _checks_of(function: Callable[..., Any]) -> frozenset[str]:
    """Where do those who ask stand? The cells of the same notebook that wait for this answer."""
    names, frame, found = getattr(function, "__globals__", None), sys._getframe(1), set[str]()
    while caller := frame.f_back:
        frame = caller
        if frame.f_globals is names:
            found.add(frame.f_code.co_filename)
    return frozenset(found - {getattr(getattr(function, "__code__", None), "co_filename", "")})


def answered(function: Callable[..., Any], *arguments: Any) -> Any:
    """What does the reader's function answer? It may read a device's figures, but not ask the simulator."""
    return answered_each(function, [arguments])[0]


def answered_each(function: Callable[..., Any], calls: Iterable[Sequence[Any]]) -> list[Any]:
    """What does the reader's function answer to each of these? As `answered`, thousands of times a second."""
    require(callable(function), f"a function is asked for, and there is {short(function)}")
    asked = list(calls)
    if name := getattr(function, "asked", ""):
        return answers(name, asked)
    own, found = [[*map(_own, arguments)] for arguments in asked], list[Any]()
    failed: BaseException | None = None
    with unmoved() as moved, names_stay(), watched(_checks_of(function)) as watch:
        for copies in own:
            try:
                found.append(plain(function(*copies)))
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # SystemExit as well, which a notebook would not show
                failed = error
            if failed is not None or watch.asked or watch.looked:
                break
    put_back(everything=False)
    name = getattr(function, "__name__", type(function).__name__)
    last = asked[len(found) - (failed is None)] if asked else ()
    call = f"{name}({', '.join(map(short, last))})"
    require(
        not watch.asked, f"{call} asks the simulator ({', '.join(watch.asked[:1])}). Write the rule itself"
    )
    require(not watch.looked, f"{call} looks around ({', '.join(watch.looked[:1])}). {ALONE}")
    require(not moved, f"{call} changes what checks use ({', '.join(moved[:1])}). {ALONE}")
    if isinstance(failed, NotPlain):
        raise CheckFailed(f"{call} answers with no plain value: {failed}") from None
    if failed is not None:
        raise CheckFailed(
            f"{call} has no answer; it ends with {type(failed).__name__}: {failed}", line_of(failed)
        ) from None
    return found


def _own(argument: Any) -> Any:
    """A GPU is handed over as a copy: who changes its figures changes none of the check's."""
    return replace(argument) if is_dataclass(argument) and not isinstance(argument, type) else argument
