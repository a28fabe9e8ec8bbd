"""What if a brace is missing, and a function swallows all behind it? It is left out, the rest read again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from clang.cindex import CursorKind

from gpusim.frontends.cuda_cpp import clang, shapes

K = CursorKind
WITH_BODY = (K.FUNCTION_DECL, K.FUNCTION_TEMPLATE, K.STRUCT_DECL, K.CLASS_DECL)
BROKEN = re.compile(r"expected |extraneous |function definition is not allowed|kernel function '")
NEXT = re.compile(
    r"^(?:template\b|(?:[\w\"]+[ \t]+)*__(?:global|device)__)", re.MULTILINE
)  # without an indent


def without_body(cursors: list[Any], diagnostics: list[Any], text: str) -> tuple[Any, str] | None:
    """The first declaration that goes on where another begins, and the text without its body."""
    wrong = [one for one in diagnostics if BROKEN.match(one.spelling)]
    letters = text.encode()
    for cursor in cursors if wrong else ():
        (file, begin), end = clang.offset(cursor.extent.start), clang.end(cursor)
        if cursor.kind in WITH_BODY and file == clang.offset(wrong[0].location)[0]:
            end = max([end, *_ends(wrong, begin, end)])
            written = shapes.plain(letters[begin:end].decode(errors="replace"))
            brace = written.find("{")
            found = NEXT.search(written, brace) if brace >= 0 else None
            if found and any(begin <= clang.offset(one.location)[1] <= end for one in wrong):
                lost = letters[begin + brace : begin + found.start()]
                kept = letters[: begin + brace] + b";" + re.sub(rb"[^\n]", b" ", lost[1:])
                return cursor, (kept + letters[begin + found.start() :]).decode()
    return None


def _ends(wrong: list[Any], begin: int, end: int) -> Iterator[int]:
    """Where does a body end whose `{` stands right behind a struct's name, and is never closed?"""
    for one in wrong:
        for note in one.children:
            if (
                note.spelling.startswith("to match this")
                and begin <= clang.offset(note.location)[1] <= end + 2
            ):
                yield clang.offset(one.location)[1]
