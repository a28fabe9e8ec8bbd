"""What is wrong with a text, and what do we say? Clang's findings, in the words of the course and with a hint.

Clang reads on after a mistake, so that an unknown type in host code leaves the kernels below it whole. Only
what lies in the code of a kernel counts: `errors_within` picks that. `RULES` says what becomes of a finding.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from gpusim.errors import GpuSimError, KernelSyntaxError, KernelTypeError, UnsupportedConstruct
from gpusim.frontends.clang_cpp import clang, names_meant
from gpusim.frontends.clang_cpp.reader import Parsed
from gpusim.frontends.clang_cpp.wording import HINTS, RULES, Place, Rule
from gpusim.source import Span

SYNTAX = re.compile(r"expected .|extraneous |unterminated ")
# of such a name, all that follows in its line is but a consequence
OF_NAMES = re.compile(
    r"use of undeclared|unknown type name|no (member|type|template) named|expected '[(]' for function"
)
ALWAYS = re.compile(r"static assertion failed|unterminated ")


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
    wanted = {extent(cursor) for cursor in cursors}
    stray = _stray_braces(parsed, wanted)
    found = [one for one in parsed.diagnostics if _counts(parsed, one, wanted) or one in stray]
    return _error(parsed, _worst(found)) if found else None


def first_error(parsed: Parsed) -> GpuSimError | None:
    """The first mistake anywhere: it may be what hides a kernel."""
    return _error(parsed, _worst(parsed.diagnostics)) if parsed.diagnostics else None


def _counts(parsed: Parsed, found: Any, wanted: set[Extent]) -> bool:
    if ALWAYS.match(found.spelling) or parsed.place(found.location).text.lstrip().startswith("#"):
        return True
    places = [found.location, *(note.location for note in found.children if _names_opener(note))]
    if parsed.source_of(found.location) is None:  # in our header, or in what Clang makes of a template of it
        places = [note.location for note in found.children]
    return any(_lies_in(location, one) for location in places for one in wanted)


def _names_opener(note: Any) -> bool:
    return str(note.spelling).startswith("to match this")


def _lies_in(location: Any, one: Extent) -> bool:
    file, offset = clang.offset(location)
    return file == one.file and one.begin <= offset <= one.end


def _stray_braces(parsed: Parsed, wanted: set[Extent]) -> list[Any]:
    """Braces that close nothing, behind a wanted declaration: it ended too early."""
    stray = [one for one in parsed.diagnostics if one.spelling.startswith("extraneous closing brace")]
    others = [extent(cursor) for cursor in parsed.cursors] if stray else []
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
    if not SYNTAX.match(first.spelling) and not OF_NAMES.match(first.spelling):
        line = clang.place(first.location)[:2]
        for one in found:
            if SYNTAX.match(one.spelling) and clang.place(one.location)[:2] == line:
                return one
    return first


# the message -------------------------------------------------------------------------------------------------


def _error(parsed: Parsed, found: Any) -> GpuSimError:
    finding = Finding(parsed, found)
    for rule in RULES:
        matched = rule.pattern.match(found.spelling)
        if matched and re.search(rule.token, finding.token):
            return finding.say(rule, matched)
    return finding.plain()


class Finding:
    """One of Clang's findings, and the reader's text around it."""

    def __init__(self, parsed: Parsed, found: Any) -> None:
        self.parsed, self.found = parsed, found
        seen = [one.location for one in (found, *found.children) if parsed.source_of(one.location)]
        self.here = parsed.place(seen[0] if seen else found.location)
        self.before, rest = self.here.text[: self.here.column], self.here.text[self.here.column :]
        self.token = (re.match(r"\w+|\S|", rest) or [""])[0]

    def say(self, rule: Rule, matched: re.Match[str]) -> GpuSimError:
        """A finding by its rule."""
        span = self.places[rule.place](self)
        groups = [_ticked(group or "") for group in matched.groups()]
        words = {"token": self.token, "after": self.word_before(span), "what": self.text_of(span)}
        if rule.names:
            return names_meant.unknown(self.parsed, rule, groups[0], span, self.text_of(span))
        message, hint = rule.message.format(*groups, **words), rule.hint.format(*groups, **words)
        return rule.error(_ticked(message), span, hint or self.hint())

    def plain(self) -> GpuSimError:
        """A finding in Clang's own words."""
        message, _, proposal = str(self.found.spelling).partition("; did you mean ")
        hint = f"did you mean {_ticked(proposal)}" if proposal else self.hint()
        error = KernelSyntaxError if SYNTAX.match(message) else KernelTypeError
        return error(_ticked(message.rstrip(".")), self.places["first"](self), hint)

    def hint(self) -> str:
        """What Clang proposes, or says about other places."""
        for pattern, hint in HINTS:
            if matched := re.search(pattern, self.found.spelling):
                return hint.format(*matched.groups())
        for note in self.found.children:
            place = self.parsed.place(note.location)
            text = _ticked(str(note.spelling)).partition("; ")[0]
            if text.startswith("expanded from macro") and SYNTAX.match(self.found.spelling):
                return f"in what the macro {text.rpartition(' ')[2].strip('`')} expands to"
            if _names_opener(note) and place.line != self.here.line:
                return f"it closes the {text.rpartition(' ')[2]} of line {place.line}"
            if self.parsed.builtin_at(note.location) and text.startswith("candidate"):
                return f"there is {self.parsed.builtin_at(note.location)}"
            if self.parsed.source_of(note.location) and not text.startswith(
                ("to match", "expanded", "in ins")
            ):
                where = f"line {place.line}" if place.source is self.here.source else place.where
                return f"{text} ({where})"
        return ""

    # places -----------------------------------------------------------------------------------------------

    def first(self) -> Span:
        """Where the expression begins that is wrong."""
        starts = [self.parsed.place(one.start) for one in self.found.ranges]
        starts = [span for span in starts if span.source is self.here.source and span.line <= self.here.line]
        return (
            min([self.here, *starts[:1]], key=lambda span: (span.line, span.column)) if starts else self.here
        )

    def operand(self) -> Span:
        """The first part of the text that Clang marks."""
        starts = [self.parsed.place(one.start) for one in self.found.ranges]
        return starts[0] if starts else self.here

    def behind(self) -> Span:
        """Behind the word before: there something is missing."""
        line, text = self.here.line, self.before
        if re.search(r"__\w+__$", text) and "macro" not in self.token:  # such a word of CUDA's is a macro
            text = re.sub(r"\w+$", "", text)
        while not _code(text) and line > self.here.source.first_line:
            line -= 1
            text = self.here.source.line(line)
        return Span(self.here.source, line, len(_code(text)))

    def opener(self) -> Span:
        """The bracket that is open."""
        notes = [note.location for note in self.found.children if _names_opener(note)]
        return self._outdented(self.parsed.place(notes[0])) if notes else self.here

    def header(self) -> Span:
        """The end of the header of a loop: the `)` that closes its `(`."""
        text, start = self.here.text, self.before.rfind("for")
        depth = 0
        for column in range(max(start, 0), len(text)):
            depth += (text[column] == "(") - (text[column] == ")")
            if text[column] == ")" and not depth:
                return Span(self.here.source, self.here.line, column)
        return self.here

    def statement(self) -> Span:
        """Where the statement begins."""
        begin = re.search(r"[^;{}]*$", self.before)
        text = begin[0] if begin else ""
        return Span(self.here.source, self.here.line, len(self.before) - len(text.lstrip()))

    places: dict[Place, Callable[[Finding], Span]] = {
        "here": lambda finding: finding.here,
        "first": first,
        "operand": operand,
        "behind": behind,
        "opener": opener,
        "header": header,
        "statement": statement,
    }

    def _outdented(self, opener: Span) -> Span:
        """Of nested braces, the one that is closed by a brace further left than its line: that one is open."""
        source, opened = opener.source, list[Span]()
        if opener.text[opener.column : opener.column + 1] != "{":
            return opener
        for line in range(opener.line, self.here.line + 1):
            text = re.sub(r'"[^"]*"|//.*', lambda found: " " * len(found[0]), source.line(line))
            for column, sign in enumerate(text):
                if (line, column) < (opener.line, opener.column):
                    continue
                if sign == "{":
                    opened.append(Span(source, line, column))
                elif sign == "}" and opened:
                    if not text[:column].strip() and column < _indent(opened[-1].text):
                        return opened[-1]
                    opened.pop()
        return opener

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


def _ticked(text: str) -> str:
    """Clang's 'int' is our `int`."""
    return re.sub(r"'([^']+)'( \(aka '[^']*'\))?", r"`\1`", text)


def _code(line: str) -> str:
    """A line without a comment at its end."""
    return re.sub(r"\s*(//.*|/\*.*\*/)?\s*$", "", line)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
