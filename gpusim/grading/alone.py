"""What does the reader's function answer by itself? One that asks the simulator is told to write the rule.

In a notebook this is a hint to who learns, and nothing that a cheat could not undo. Where a class is
graded, a function is asked in a process of its own (asking.py), and can change its own answers only.

>>> from gpusim.grading import answered
>>> answered(lambda lanes: 2 * lanes, 32)
64
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from gpusim.grading.asking import answers
from gpusim.grading.failing import PACKAGE, CheckFailed, line_of, require, short
from gpusim.grading.wire import NotPlain, packed, unpacked

FIGURES = {str(PACKAGE / "devices" / name) for name in ("device.py", "catalogue.py")}
NOT_ASKED = FIGURES | {__file__, packed.__code__.co_filename}
# What ends that calls are followed, whatever those names stand for later
UNFOLLOWED = tuple(
    getattr(sys, name) for name in ("setprofile", "_setprofileallthreads") if hasattr(sys, name)
)


def answered(function: Callable[..., Any], *arguments: Any) -> Any:
    """What does the reader's function answer? It may read a device's figures, but not ask the simulator."""
    return answered_each(function, [arguments])[0]


def answered_each(function: Callable[..., Any], calls: Iterable[Sequence[Any]]) -> list[Any]:
    """What does the reader's function answer to each of these? As `answered`, thousands of times a second."""
    asked = list(calls)
    if name := getattr(function, "asked", ""):
        return answers(name, asked)
    return [unpacked(each) for each in packed_answers(function, asked)]


def packed_answers(function: Callable[..., Any], calls: Sequence[Sequence[Any]]) -> list[Any]:
    """The answers as they go to another process. Raises `CheckFailed` about the first that is none."""
    require(callable(function), f"a function is asked for, and there is {short(function)}")
    found = list[Any]()
    failed: BaseException | None = None
    asked: Sequence[str] = ()
    began = time.monotonic()
    last: Sequence[Any] = ()
    with _asking() as asks:
        for last in calls:
            try:
                found.append(packed(function(*last)))
            except BaseException as error:  # SystemExit as well, which a notebook would not show
                failed = error
            asked = asks()
            if failed is not None or asked:
                break
    name = getattr(function, "__name__", type(function).__name__)
    call = f"{name}({', '.join(map(short, last))})"
    require(not asked, f"{call} asks the simulator ({asked[0] if asked else ''}). Write the rule itself")
    if isinstance(failed, KeyboardInterrupt):  # a notebook's, or that of a cell's limit
        raise CheckFailed(f"{call} did not answer within {time.monotonic() - began:.0f} s") from None
    if isinstance(failed, NotPlain):
        raise CheckFailed(f"{call} answers with no plain value: {failed}") from None
    if failed is not None:
        raise CheckFailed(
            f"{call} has no answer; it ends with {type(failed).__name__}: {failed}", line_of(failed)
        ) from None
    return found


@contextmanager
def _asking() -> Iterator[Callable[[], list[str]]]:
    """Which functions of the package were called meanwhile, but for those that say a device's figures?

    Who ends that calls are followed may have asked as well, even where it is taken up again.
    """
    asked, before = list[str](), sys.getprofile()

    def called(frame: FrameType, event: str, what: Any) -> None:
        file = frame.f_code.co_filename
        if event == "c_call" and what in UNFOLLOWED and file != __file__:
            asked.append(what.__name__)
        if event == "call" and file.startswith(str(PACKAGE)) and file not in NOT_ASKED:
            asked.append(f"{Path(file).stem}.{frame.f_code.co_name}")

    def asks() -> list[str]:
        return asked if sys.getprofile() is called else [*asked, "unseen"]

    sys.setprofile(called)
    try:
        yield asks
    finally:
        sys.setprofile(before)
