"""Where is the text of a function that stands in no file? For `python -c`, for `exec(text)`, at a prompt.

Python keeps a function's code and not its text. A text is looked for where it may still be, compiled again,
and taken only if the same code comes out: so it is never another function's.
"""

from __future__ import annotations
import __future__

import linecache
import os
import stat
import sys
import textwrap
from collections import deque
from collections.abc import Iterator
from inspect import getblock
from types import CodeType, FrameType, FunctionType
from typing import Any

KEPT = "__gpusim_text__"
REMEMBERED = 1000  # texts
_compiled_texts: deque[str] = deque(maxlen=REMEMBERED)
LONGEST_TYPED = 200  # lines
_FUTURE = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})


def remember() -> None:
    """From now on, keep what is compiled and stands in no file: who called exec(text) may be gone by then."""

    def heard(event: str, about: tuple[Any, ...]) -> None:
        if event == "compile" and about[0] is not None and str(about[1]).startswith("<"):
            text = about[0].decode(errors="replace") if isinstance(about[0], bytes) else str(about[0])
            if text not in _compiled_texts and ("def " in text or "lambda" in text):
                _compiled_texts.append(text)

    sys.addaudithook(heard)


def keep(function: FunctionType) -> None:
    """Look for the text while those who have it still run, and keep it with the function."""
    code = function.__code__
    if KEPT in vars(function) or not code.co_filename.startswith("<"):
        return
    for text in _candidates(code, sys._getframe(1)):
        if code in _codes(_compiled(text, code)):
            lines = text.splitlines(keepends=True)[code.co_firstlineno - 1 :]
            vars(function)[KEPT] = getblock(lines), code.co_firstlineno
            return


def kept(function: FunctionType) -> tuple[list[str], int] | None:
    """The function's lines and the number of the first, as `inspect.getsourcelines` has them."""
    keep(function)
    found: tuple[list[str], int] | None = vars(function).get(KEPT)
    return found


def _candidates(code: CodeType, frame: FrameType | None) -> Iterator[str]:
    """Texts that may hold the function, the likely ones first."""
    yield "".join(linecache.getlines(code.co_filename))
    for argument in sys.orig_argv:  # python -c
        yield argument
        yield textwrap.dedent(argument)  # Python 3.14 does so
    yield _standard_input()
    seen: set[int] = set()
    while frame is not None:  # who calls exec(text) has the text in a variable, or wrote it there
        for values in (frame.f_locals.values(), frame.f_globals.values(), frame.f_code.co_consts):
            for value in list(values):
                if isinstance(value, str) and id(value) not in seen and _names(value, code):
                    seen.add(id(value))
                    yield value
        frame = frame.f_back
    yield from reversed(tuple(_compiled_texts))
    yield from _typed(code)


def _names(text: str, code: CodeType) -> bool:
    return ("lambda" if code.co_name == "<lambda>" else code.co_name) in text


def _compiled(text: str, code: CodeType) -> CodeType | None:
    if not _names(text, code):
        return None
    try:
        again: CodeType = compile(text, code.co_filename, "exec", code.co_flags & _FUTURE, dont_inherit=True)
    except (SyntaxError, ValueError):  # a null byte is the latter
        return None
    return again


def _codes(code: CodeType | None) -> Iterator[CodeType]:
    """All code in a text, that of its functions and of theirs."""
    if code is not None:
        yield code
        for value in code.co_consts:
            if isinstance(value, CodeType):
                yield from _codes(value)


def _standard_input() -> str:
    """`python < program.py`: a file that can be read once more. What comes through a pipe is gone."""
    try:
        status = os.fstat(0)
        return os.pread(0, status.st_size, 0).decode() if stat.S_ISREG(status.st_mode) else ""
    except (AttributeError, OSError, UnicodeDecodeError):  # no pread on Windows, or no standard input
        return ""


def _typed(code: CodeType) -> Iterator[str]:
    """What was typed at a plain prompt, statement by statement, the latest first."""
    history = sys.modules.get("readline")
    length = history.get_current_history_length() if history and hasattr(sys, "ps1") else 0
    lines = [f"{history.get_history_item(number + 1)}\n" for number in range(length)]  # type: ignore[union-attr]
    for first in reversed(range(len(lines))):
        if lines[first].startswith(("@", "def ")) or code.co_name == "<lambda>":
            for last in range(first + 1, min(first + LONGEST_TYPED, len(lines)) + 1):
                yield "".join(lines[first:last])
