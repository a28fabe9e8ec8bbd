"""How does Clang get to read the launch of a template from a kernel? As that of a lambda.

Among templates and overloads it finds no kernel for code of the device, but for that of a lambda it does. So
such a launch is read as `[&]{child<int><<<1, n>>>(x);}();`, and lowered as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from gpusim.frontends.cuda_cpp import clang, shapes

NO_KERNEL = "no matching function for call to"
BEFORE, BEHIND = "[&]{", ";}()"
OPENED = re.compile(r"[\w:\s<>,*&()]*?<<<")


def in_lambdas(text: str, diagnostics: Sequence[Any], file: str) -> str:
    """The text with launches in lambdas for which Clang has found no kernel; blanks before them are taken."""
    letters = bytearray(text.encode())
    wrong = {
        place[1]
        for one in diagnostics
        if one.spelling.startswith(NO_KERNEL)
        for place in (clang.offset(one.location),)
        if clang.name(place[0]) == file
    }
    for begin in sorted(wrong, reverse=True):
        plain = shapes.plain(letters[begin:].decode(errors="replace"))
        opened = OPENED.match(plain)
        if opened is None or bytes(letters[:begin]).endswith(BEFORE.encode()):
            continue
        closed = plain.find(">>>", opened.end())
        bracket = plain.find("(", closed)
        if closed < 0 or bracket < 0:
            continue
        end = begin + shapes.closing(plain, bracket)
        blanks = len(letters[:begin]) - len(letters[:begin].rstrip(b" "))
        taken = min(blanks, len(BEFORE))
        letters[end:end] = BEHIND.encode()
        letters[begin - taken : begin] = BEFORE.encode()
    return letters.decode()
