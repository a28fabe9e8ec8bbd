"""How does a check say no? With a sentence and the reader's own line; a notebook shows nothing else."""

from __future__ import annotations

import textwrap
import traceback
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
BOLD, PLAIN, WIDTH = "\x1b[1;31m", "\x1b[0m", 100


class CheckFailed(AssertionError):
    """A check does not hold: the `sentence` says what was seen, `line` is the reader's line it is about."""

    def __init__(self, sentence: str, line: str = "") -> None:
        self.sentence, self.line = sentence, line
        super().__init__(f"{sentence}\n    your line: {line}" if line else sentence)

    def _render_traceback_(self) -> list[str]:
        """What IPython shows instead of a traceback."""
        first, *rest = self.sentence.splitlines()
        shown = textwrap.wrap(first, WIDTH) + rest
        own = ["", f"    your line:  {self.line}"] if self.line else []
        return [f"{BOLD}Not yet.{PLAIN} {shown[0]}", *shown[1:], *own]


def require(holds: object, sentence: str, line: str = "") -> None:
    """Raise `CheckFailed` unless this holds."""
    if not holds:
        raise CheckFailed(sentence, line)


def line_of(error: BaseException) -> str:
    """In which line of the reader was it raised? The last one outside of the package."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.line and not Path(frame.filename).is_relative_to(PACKAGE):
            return frame.line
    return ""
