"""What is wrong with a text, and what do we say? Clang's findings, in the course's words and with a hint.

Clang reads on after a mistake, so that an unknown type in host code leaves the kernels below it whole. Only
what lies in the code of a kernel counts: `errors_within` picks that. `RULES` says what becomes of a finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from clang import cindex
from clang.cindex import CursorKind

from gpusim.errors import GpuSimError, KernelSyntaxError, KernelTypeError
from gpusim.frontends.cuda_cpp import clang, names_meant, shapes
from gpusim.frontends.cuda_cpp.places import PLACES, Finding, names_opener
from gpusim.frontends.cuda_cpp.reader import OWN, Parsed
from gpusim.frontends.cuda_cpp.type_names import VECTORS
from gpusim.frontends.cuda_cpp.wording import HINTS, RULES, Rule
from gpusim.source import Span

FUNCTIONS = (
    CursorKind.FUNCTION_DECL,
    CursorKind.FUNCTION_TEMPLATE,
    CursorKind.CXX_METHOD,
    CursorKind.CONSTRUCTOR,
)
RECORDS = (CursorKind.STRUCT_DECL, CursorKind.CLASS_DECL, CursorKind.UNION_DECL, CursorKind.ENUM_DECL)
MEMBERS = (CursorKind.FIELD_DECL, CursorKind.CXX_METHOD, CursorKind.VAR_DECL, CursorKind.ENUM_CONSTANT_DECL)
SYNTAX = re.compile(r"expected .|extraneous |unterminated ")
# of such a name, all that follows in its line is but a consequence
OF_NAMES = re.compile(
    r"use of undeclared|unknown type name|no (member|type|template) named|expected '[(]' for function"
)
ALWAYS = re.compile(r"unterminated (/\*|conditional)|#\w+ without #if")
OUTSIDE = re.compile(  # of functions and structs, these concern all
    r"static assertion|macro name|(expected|missing) .* in macro parameter|invalid preprocessing"
    r"|expected (value in|.FILENAME)"
)


class Extent(NamedTuple):
    """A piece of a file, by the offsets of its first letter and behind its last."""

    file: int
    begin: int
    end: int


def extent(cursor: Any) -> Extent:
    """Where a declaration stands, with its body."""
    file, begin = clang.offset(cursor.extent.start)
    return Extent(file, begin, clang.offset(cursor.extent.end)[1])


def errors_within(parsed: Parsed, cursors: Iterable[Any]) -> GpuSimError | None:
    """The first mistake in these declarations: functions of a kernel, the types and variables that they use.

    What is wrong outside of all declarations, such as a `#if` without its end, counts too.
    """
    if not parsed.diagnostics:
        return None
    users = list(cursors)
    wanted = {extent(cursor) for cursor in users}
    stray = _stray_braces(parsed, wanted)
    found = [one for one in parsed.diagnostics if _counts(parsed, one, wanted) or one in stray]
    found = found or [one for one in parsed.diagnostics if _hides(parsed, one, users)]
    return _error(parsed, _worst(found)) if found else None


def first_error(parsed: Parsed) -> GpuSimError | None:
    """The first mistake anywhere: it may be what hides a kernel."""
    return _error(parsed, _worst(parsed.diagnostics)) if parsed.diagnostics else None


def _counts(parsed: Parsed, found: Any, wanted: set[Extent]) -> bool:
    if ALWAYS.match(found.spelling) or re.match(r"\s*#\s*error", parsed.place(found.location).text):
        return True
    if OUTSIDE.match(found.spelling):
        bodies = (one for one in parsed.cursors if one.kind in (*FUNCTIONS, *RECORDS))
        if not any(_lies_in(found.location, extent(one)) for one in bodies):
            return True
    places = [found.location, *(note.location for note in found.children if names_opener(note))]
    if parsed.source_of(found.location) is None or found.spelling.startswith("redefinition of"):
        places = [note.location for note in found.children]  # it is in our header, or in what came before
    return any(_lies_in(location, one) for location in places for one in wanted)


def _lies_in(location: Any, one: Extent) -> bool:
    file, offset = clang.offset(location)
    return file == one.file and one.begin <= offset <= one.end


def _hides(parsed: Parsed, found: Any, users: Sequence[Any]) -> bool:
    """Is a declaration wrong that these name? Clang says no more of it, and leaves out what uses it."""
    declared = cindex.Cursor.from_location(parsed.unit, found.location)
    while (scope := declared.semantic_parent) is not None and (
        scope.kind in RECORDS or declared.kind is CursorKind.PARM_DECL
    ):
        declared = scope
    name = str(declared.spelling)
    if not declared.kind.is_declaration() or not name or scope is None or scope.kind in FUNCTIONS:
        return False
    word = rf"\b{re.escape(name)}\b"
    macros = re.findall(
        rf"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:.*\\\n)*.*{word}", parsed.source.text, re.MULTILINE
    )
    for user in users:
        text, (file, begin) = shapes.plain(clang.text(user)), clang.offset(user.extent.start)
        if any(re.search(rf"\b{macro}\b", text) for macro in macros):
            return True
        for used in re.finditer(word, text) if file else ():
            cursor = clang.cursor_at(parsed.unit, file, begin + len(text[: used.start()].encode()))
            if cursor.spelling != name or cursor.referenced == declared:
                return True
    return False


def _stray_braces(parsed: Parsed, wanted: set[Extent]) -> list[Any]:
    """Braces that close nothing, behind a wanted declaration: it ended too early."""
    stray = [one for one in parsed.diagnostics if one.spelling.startswith("extraneous closing brace")]
    with_body = (*FUNCTIONS, *RECORDS, CursorKind.NAMESPACE)
    others = [extent(cursor) for cursor in parsed.cursors if stray and cursor.kind in with_body]
    found = []
    for one in stray:
        file, offset = clang.offset(one.location)
        before = [other for other in others if other.file == file and other.end <= offset]
        if before and max(before, key=lambda other: other.end) in wanted:
            found.append(one)
    return found


def _worst(found: Sequence[Any]) -> Any:
    """The first, but what breaks the syntax of a line goes before what it does to types."""
    first = found[0]
    if first.spelling.startswith(("function definition is not allowed", "kernel function '")):
        first = next((one for one in found if one.spelling.startswith("expected '}'")), first)
    if not SYNTAX.match(first.spelling) and not OF_NAMES.match(first.spelling):
        line = clang.place(first.location)[:2]
        for one in found:
            if SYNTAX.match(one.spelling) and clang.place(one.location)[:2] == line:
                return one
    return first


# the message ------------------------------------------------------------------------------------------------


def _error(parsed: Parsed, found: Any) -> GpuSimError:
    finding = Said(parsed, found)
    for rule in RULES:
        matched = rule.pattern.match(finding.words)
        if matched and re.search(rule.context, finding.context):
            return finding.say(rule, matched)
    return finding.plain()


class Said(Finding):
    """A finding on the way to its message."""

    def say(self, rule: Rule, matched: re.Match[str]) -> GpuSimError:
        """A finding by its rule."""
        span = PLACES[rule.place](self)
        groups = [ticked(group or "") for group in matched.groups()]
        if rule.names:
            return names_meant.unknown(self.parsed, groups[0], rule.message, span)
        words = {"token": self.token, "after": self.word_before(span), "what": self.text_of(span)}
        wording = rule.message if words["after"] or "{after}" not in rule.message else "unexpected `{token}`"
        message, hint = (text.format(*groups, **words) for text in (wording, rule.hint))
        return rule.error(message, span, hint or self.hint())

    def plain(self) -> GpuSimError:
        """A finding in Clang's own words."""
        message, _, proposal = str(self.found.spelling).partition("; did you mean ")
        hint = f"did you mean {ticked(proposal)}" if proposal else self.hint()
        error = KernelSyntaxError if SYNTAX.match(message) else KernelTypeError
        return error(ticked(message.rstrip(".")), PLACES["first"](self), hint)

    def hint(self) -> str:
        """What Clang proposes, or says about other places."""
        for pattern, hint in HINTS:
            if matched := re.search(pattern, self.found.spelling):
                return hint.format(*matched.groups())
        if known := self.candidate() or self.members():
            return known
        for note in self.found.children:
            place = self.parsed.place(note.location)
            text = ticked(str(note.spelling)).partition("; ")[0]
            if text.startswith("expanded from macro") and SYNTAX.match(self.found.spelling):
                return f"in what the macro {text.rpartition(' ')[2].strip('`')} expands to"
            if names_opener(note) and place.line != self.here.line:
                return f"it closes the {text.rpartition(' ')[2]} of line {place.line}"
            if self.parsed.source_of(note.location) and not text.startswith(
                ("to match", "expanded", "in ins")
            ):
                where = f"line {place.line}" if place.source is self.here.source else place.where
                return f"{text} ({where})"
        return ""

    def members(self) -> str:
        """What a struct has, where it lacks what is asked for."""
        asked = re.match(r"no member named '.*' in '(?:const )?(\w+)'", self.found.spelling)
        name = asked[1] if asked else ""
        if name in VECTORS:
            return f"it has {', '.join(field.name for field in VECTORS[name].fields or ())}"
        for cursor in self.parsed.cursors if name else ():
            if cursor.spelling == name and cursor.kind in RECORDS:
                named = [str(child.spelling) for child in clang.children(cursor) if child.kind in MEMBERS]
                return f"it has {', '.join(named)}" if named else "it has none"
        return ""

    def candidate(self) -> str:
        """The function that may be meant, and why it does not fit; of CUDA's, the first in its table."""
        notes = [note for note in self.found.children if note.spelling.startswith("candidate")]
        ours = [(clang.place(note.location), self.parsed.builtin_at(note.location)) for note in notes]
        known = sorted((place, str(builtin)) for place, builtin in ours if builtin)
        if known:
            return f"{'it is' if len(known) == 1 else 'there is'} {known[0][1]}"
        for note in notes:
            cursor = cindex.Cursor.from_location(self.parsed.unit, note.location)
            why = ticked(str(note.spelling).partition(": ")[2].partition("; ")[0])
            if cursor.kind in FUNCTIONS and why:
                name = cursor.displayname.replace("<>", "")
                result = f"{cursor.result_type.spelling} " * (cursor.kind is not CursorKind.CONSTRUCTOR)
                return f"it is {result}{name}: {why}"
        return ""

    def word_before(self, span: Span) -> str:
        """The last word before a place."""
        found = re.search(r"""("[^"]*"|'[^']*'|[\w.]*\w|\+\+|--|>>>|\S)\s*$""", span.text[: span.column])
        return found[1] if found else ""

    def text_of(self, span: Span) -> str:
        """The part of the text that begins at a place and ends where Clang's mark does."""
        for one in self.found.ranges:
            start, end = self.parsed.place(one.start), self.parsed.place(one.end)
            if (start.line, start.column) == (span.line, span.column) and end.line == span.line:
                return span.text[span.column : end.column].strip()
        return (re.match(r"[\w.:]+|\S|", span.text[span.column :]) or [""])[0]


def ticked(text: str) -> str:
    """Clang's 'int' is our `int`."""
    text = re.sub(r"\((lambda|unnamed \w+) at [^()]*\)", r"(\1)", text.replace(OWN, ""))
    return re.sub(r"(?<!\w)'([^']+)'( \(aka '[^']*'\))?", r"`\1`", text)
