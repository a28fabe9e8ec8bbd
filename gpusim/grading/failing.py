"""How does a check say no? With a sentence and the reader's own line; a notebook shows nothing else."""

from __future__ import annotations

import sysconfig
import textwrap
import traceback
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent
NOT_THE_READERS = (str(PACKAGE), *(sysconfig.get_path(each) for each in ("stdlib", "purelib", "platlib")))
BOLD, PLAIN, WIDTH = "\x1b[1;31m", "\x1b[0m", 100


class CheckFailed(AssertionError):
    """A check does not hold: the `sentence` says what was seen, `line` is the reader's line it is about."""

    def __init__(self, sentence: str, line: str = "") -> None:
        self.sentence, self.line = sentence, line
        super().__init__(f"{sentence}\n    your line: {line}" if line else sentence)

    def _render_traceback_(self) -> list[str]:
        """What IPython shows instead of a traceback."""
        shown = wrapped(self.sentence)
        own = ["", f"    your line:  {self.line}"] if self.line else []
        return [f"{BOLD}Not yet.{PLAIN} {shown[0]}", *shown[1:], *own]


def wrapped(text: str) -> list[str]:
    """The lines of a text, none longer than a notebook is wide; what is set in stays so."""
    lines = ((line, line[: len(line) - len(line.lstrip())]) for line in text.splitlines())
    return [
        part for line, inset in lines for part in textwrap.wrap(line, WIDTH, subsequent_indent=inset) or [""]
    ]


def require(holds: object, sentence: str, line: str = "") -> None:
    """Raise `CheckFailed` unless this holds."""
    if not holds:
        raise CheckFailed(sentence, line)


def line_of(error: BaseException) -> str:
    """In which line of the reader was it raised? The last one outside of all packages."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.line and not frame.filename.startswith(("<frozen", *NOT_THE_READERS)):
            return frame.line
    return ""


def short(value: Any, most: int = 60) -> str:
    """A device by its name, and no long arrays."""
    name = getattr(value, "name", None)
    text = str(name) if isinstance(name, str) else repr(value)
    return text if len(text) <= most else f"{text[: most - 3]}..."
