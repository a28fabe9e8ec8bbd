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

from gpusim.grading.failing import PACKAGE, CheckFailed, line_of, require, short
from gpusim.grading.kept import names_stay, put_back

FIGURES = {str(PACKAGE / "devices" / name) for name in ("device.py", "catalogue.py")}
# Python's own errands beside the package's: to import a module and to show a warning it opens files
ERRANDS = {("<frozen importlib._bootstrap>", "_find_and_load"), (warnings.__file__, "_showwarnmsg")}
# What Python tells its auditors of code that looks around: at its callers, at files, at other programs
AROUND = ("sys.", "gc.", "_thread.", "ctypes.", "subprocess.", "socket.", "open", "os.")
FRAMES = {"tb_frame", "gi_frame", "cr_frame", "ag_frame"}
ALONE = "Write the rule itself, from the arguments alone."
UNSEEN = (_thread.start_new_thread, _thread.start_new)

_watching: list[Watch] = []


class Watch:
    """Notes what a function does beside computing, in the thread that calls it."""

    def __init__(self, checks: frozenset[str] = frozenset()) -> None:
        self.asked: list[str] = []
        self.looked: list[str] = []
        self._checks = checks  # the cells whose functions the reader may not call
        self.thread = threading.get_ident()
        self._errands = 0

    def called(self, frame: FrameType, event: str, argument: Any) -> None:
        """For `sys.setprofile`: a function begins or ends."""
        file, name = frame.f_code.co_filename, frame.f_code.co_name
        if event == "c_call":
            if argument in UNSEEN and not self._errands:
                self.looked.append("a thread of its own")
            return
        if file == __file__:
            return
        if file.startswith(str(PACKAGE)) or (file, name) in ERRANDS:
            self._errands = max(0, self._errands + {"call": 1, "return": -1}.get(event, 0))
        if event == "call" and file.startswith(str(PACKAGE)) and file not in FIGURES:
            self.asked.append(f"{Path(file).stem}.{name}")
        elif event == "call" and file in self._checks:
            self.looked.append(f"{name}, which belongs to the check")
        elif event == "call" and (Path(file).name, name) == ("displayhook.py", "__call__"):
            self.looked.append("the notebook's output")

    def audited(self, event: str, arguments: tuple[Any, ...]) -> None:
        """For `sys.addaudithook`."""
        if self._errands or threading.get_ident() != self.thread:
            return
        if event.startswith(AROUND) or (event == "object.__getattr__" and arguments[1] in FRAMES):
            self.looked.append(event)


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if _watching:
        _watching[-1].audited(event, arguments)


sys.addaudithook(_audit)


@contextmanager
def watched(checks: frozenset[str] = frozenset()) -> Iterator[Watch]:
    """What does the reader's code do meanwhile? What it changed of the checks is put back afterwards."""
    watch, before = Watch(checks), sys.getprofile()
    sys.setprofile(watch.called)
    _watching.append(watch)
    try:
        yield watch
    finally:
        _watching.remove(watch)
        sys.setprofile(before)


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
    own, found = [[*map(_own, arguments)] for arguments in asked], list[Any]()
    failed: BaseException | None = None
    with names_stay(), watched(_checks_of(function)) as watch:
        for copies in own:
            try:
                found.append(function(*copies))
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
    if failed is not None:
        raise CheckFailed(
            f"{call} has no answer; it ends with {type(failed).__name__}: {failed}", line_of(failed)
        ) from None
    return found


def _own(argument: Any) -> Any:
    """A GPU is handed over as a copy: who changes its figures changes none of the check's."""
    return replace(argument) if is_dataclass(argument) and not isinstance(argument, type) else argument
