"""Which of Clang's findings concern a kernel? Only what lies in its code, or in what it uses.

Clang reads on after a mistake, so that an unknown type in host code leaves the kernels below it whole.
`errors_within` picks what counts; `messages` says it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clang import cindex
from clang.cindex import CursorKind

from gpusim.errors import GpuSimError
from gpusim.frontends.cuda_cpp import clang, reader, shapes, texts
from gpusim.frontends.cuda_cpp.clang import Extent, extent
from gpusim.frontends.cuda_cpp.messages import BREAKING, OPENER, Finding

OF_NAMES, ALWAYS, OUTSIDE = (texts.pattern("wording", name) for name in ("of_names", "always", "outside"))
METHOD = re.compile(
    r"^\s*(static|friend)\b|\boperator\b|\b(?!alignas|__align__|__attribute__|decltype|sizeof)\w+\s*\("
)


def errors_within(parsed: reader.Parsed, cursors: Iterable[Any]) -> GpuSimError | None:
    """The first mistake in these declarations: functions of a kernel, the types and variables that they use.

    What is wrong outside of all declarations, such as a `#if` without its end, counts too.
    """
    if not parsed.diagnostics:
        return None
    users = list(cursors)
    wanted = {extent(cursor): cursor for cursor in users}
    stray = _stray_braces(parsed, wanted)
    found = [one for one in parsed.diagnostics if _counts(parsed, one, wanted) or one in stray]
    found = found or [one for one in parsed.diagnostics if _hides(parsed, one, users)]
    return Finding(parsed, _worst(found)).error() if found else None


def doubts_within(parsed: reader.Parsed, cursors: Iterable[Any]) -> tuple[str, ...]:
    """What a compiler would warn of in these functions, as messages."""
    wanted = {extent(cursor) for cursor in cursors if parsed.doubts}
    found = (one for one in parsed.doubts if any(within.holds(one.location) for within in wanted))
    return tuple(dict.fromkeys(str(Finding(parsed, one).error()) for one in found))


def first_error(parsed: reader.Parsed) -> GpuSimError | None:
    """The first mistake anywhere: it may be what hides a kernel."""
    return Finding(parsed, _worst(parsed.diagnostics)).error() if parsed.diagnostics else None


def _counts(parsed: reader.Parsed, found: Any, wanted: Mapping[Extent, Any]) -> bool:
    if ALWAYS.match(found.spelling) or re.match(r"\s*#\s*error", parsed.place(found.location).text):
        return True
    if OUTSIDE.match(found.spelling):
        bodies = (one for one in parsed.cursors if one.kind in (*clang.FUNCTIONS, *clang.RECORDS))
        if not any(extent(one).holds(found.location) for one in bodies):
            return True
    places = [found.location, *(note.location for note in found.children if note.spelling.startswith(OPENER))]
    if parsed.source_of(found.location) is None or found.spelling.startswith("redefinition of"):
        places = [note.location for note in found.children]  # it is in our header, or in what came before
    breaks = BREAKING.match(found.spelling)
    return any(
        one.holds(location) and (breaks or not _in_method(user, location))
        for location in places
        for one, user in wanted.items()
    )


def _in_method(struct: Any, location: Any) -> bool:
    """Does a mistake lie in a function of a struct, or in what is no part of its objects?

    Clang may have left it out, so the text is asked.
    """
    kinds = (*clang.RECORDS, CursorKind.CLASS_TEMPLATE)
    if struct.kind not in kinds or not extent(struct).holds(location):
        return False
    text, at = shapes.plain(clang.text(struct)), clang.offset(location)[1] - clang.begin(struct)
    depth, begin = 0, 0
    for place, sign in enumerate(text[:at]):
        depth += (sign == "{") - (sign == "}")
        if depth == 1 and sign in "{};":
            begin = place + 1
    member = re.sub(r"<[^<>]*(<[^<>]*>[^<>]*)*>", "", re.split("[{;=]", text[begin:])[0])
    return METHOD.search(member) is not None


def _hides(parsed: reader.Parsed, found: Any, users: Sequence[Any]) -> bool:
    """Is a declaration wrong that these name? Clang says no more of it, and leaves out what uses it."""
    declared = cindex.Cursor.from_location(parsed.unit, found.location)
    while (scope := declared.semantic_parent) is not None and (
        scope.kind in clang.RECORDS or declared.kind is CursorKind.PARM_DECL
    ):
        declared = scope
    name = str(declared.spelling)
    if not declared.kind.is_declaration() or not name or scope is None or scope.kind in clang.FUNCTIONS:
        return False
    if _in_method(declared, found.location):
        return False
    word = rf"\b{re.escape(name)}\b"
    defined = rf"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:.*\\\n)*.*{word}"
    macros = re.findall(defined, parsed.source.text, re.MULTILINE)
    for user in users:
        if _in_method(user, found.location):
            continue
        text, (file, begin) = shapes.plain(clang.text(user)), clang.offset(user.extent.start)
        if any(re.search(rf"\b{macro}\b", text) for macro in macros):
            return True
        for used in re.finditer(word, text) if file else ():
            cursor = clang.cursor_at(parsed.unit, file, begin + len(text[: used.start()].encode()))
            if cursor.spelling != name or cursor.referenced == declared:
                return True
    return False


def _stray_braces(parsed: reader.Parsed, wanted: Iterable[Extent]) -> list[Any]:
    """Braces that close nothing, behind a wanted declaration: it ended too early."""
    stray = [one for one in parsed.diagnostics if one.spelling.startswith("extraneous closing brace")]
    with_body = (*clang.FUNCTIONS, *clang.RECORDS, CursorKind.NAMESPACE)
    others = [extent(cursor) for cursor in parsed.cursors if stray and cursor.kind in with_body]

    def follows(location: Any) -> bool:
        file, offset = clang.offset(location)
        before = [other for other in others if other.file == file and other.end <= offset]
        return bool(before) and max(before, key=lambda other: other.end) in wanted

    return [one for one in stray if follows(one.location)]


def _worst(found: Sequence[Any]) -> Any:
    """The first, but what breaks the syntax of a line goes before what it does to types."""
    first = found[0]
    if first.spelling == "variable has incomplete type 'void'":  # a function with a parameter of no type
        first = found[1] if len(found) > 1 else first
    if first.spelling.startswith(("function definition is not allowed", "kernel function '")):
        first = next((one for one in found if one.spelling.startswith("expected '}'")), first)
    if not BREAKING.match(first.spelling) and not OF_NAMES.match(first.spelling):
        line = clang.place(first.location)[:2]
        for one in found:
            if BREAKING.match(one.spelling) and clang.place(one.location)[:2] == line:
                return one
    return first
