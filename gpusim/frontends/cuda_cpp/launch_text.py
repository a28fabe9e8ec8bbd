"""How does Clang get to read the launch of a template from a kernel? As that of a lambda.

Among templates and overloads it finds no kernel for code of the device, but for that of a lambda it does. So
such a launch is read as `[&]{child<int><<<1, n>>>(x);}();`, and lowered as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from gpusim.frontends.cuda_cpp import shapes

MACRO = re.compile(r"(\w+)\s*(?=\()")
NO_KERNEL = "no matching function for call to"
BEFORE, BEHIND = "[&]{", ";}()"
OPENED = re.compile(r"[\w:\s]+(<[^;{}]*>)?\s*<<<")


def in_lambdas(text: str, diagnostics: Sequence[Any], file: str) -> str:
    """The text with launches in lambdas for which Clang has found no kernel; blanks before them are taken."""
    letters = bytearray(text.encode())
    wrong = {
        one.location.offset  # of a macro's, where it is used
        for one in diagnostics
        if one.spelling.startswith(NO_KERNEL) and one.location.file and one.location.file.name == file
    }
    for begin in sorted(wrong, reverse=True):
        plain = shapes.plain(letters[begin:].decode(errors="replace"))
        end = _end(plain, text)
        if end is None or bytes(letters[:begin]).endswith(BEFORE.encode()):
            continue
        end += begin
        blanks = len(letters[:begin]) - len(letters[:begin].rstrip(b" "))
        taken = min(blanks, len(BEFORE))
        letters[end:end] = BEHIND.encode()
        letters[begin - taken : begin] = BEFORE.encode()
    return letters.decode()


def _end(plain: str, text: str) -> int | None:
    """Where does a launch end that a text begins with, or the use of a macro that stands for one?"""
    opened, macro = OPENED.match(plain), MACRO.match(plain)
    bracket = -1
    if opened and (closed := plain.find(">>>", opened.end())) >= 0:
        bracket = plain.find("(", closed)
    elif macro and re.search(rf"#\s*define\s+{macro[1]}\(", text):
        bracket = macro.end()
    return shapes.closing(plain, bracket) if bracket >= 0 else None
