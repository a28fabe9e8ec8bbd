"""Who says what a check shows? What a kernel prints meanwhile is marked as the kernel's own text."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TextIO

MARK = "the kernel prints: "


class _Marked(io.TextIOBase):
    """Writes on, with the mark before each line."""

    def __init__(self, onto: TextIO) -> None:
        self._onto, self.begins = onto, True

    def write(self, text: str) -> int:
        for line in text.splitlines(keepends=True):
            self._onto.write(f"{MARK}{line}" if self.begins else line)
            self.begins = line.endswith(("\n", "\r"))
        return len(text)


@contextmanager
def marked() -> Iterator[None]:
    """What is printed meanwhile begins with the mark, line by line, and ends with its line."""
    onto = sys.stdout
    with redirect_stdout(_Marked(onto)) as text:
        try:
            yield
        finally:
            if not text.begins:
                onto.write("\n")
