"""Where is a mistake shown? Not always where Clang notices it: a `;` is missing behind the word before."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gpusim.frontends.cuda_cpp.reader import Parsed
from gpusim.frontends.cuda_cpp.wording import Place
from gpusim.source import Span


class Finding:
    """One of Clang's findings, and the reader's text around it."""

    def __init__(self, parsed: Parsed, found: Any) -> None:
        self.parsed, self.found = parsed, found
        asked = [note for note in found.children if note.spelling.endswith("requested here")]
        seen = [one.location for one in (found, *asked) if parsed.source_of(one.location)]
        self.here = parsed.place(seen[0] if seen else found.location)
        self.before, rest = self.here.text[: self.here.column], self.here.text[self.here.column :]
        self.context = f"{self.before}\t{rest}"
        self.token = (re.match(r"\w+|<<|>>|[=!<>]=|&&|\|\||\S|", rest) or [""])[0]
        notes = [str(note.spelling) for note in found.children if note.spelling.startswith("candidate")]
        self.words = "; ".join([str(found.spelling), *notes[:1]])

    def at(self, column: int) -> Span:
        """A place in the line."""
        return Span(self.here.source, self.here.line, max(column, 0))

    @property
    def marked(self) -> list[Span]:
        """Where the pieces begin that Clang underlines."""
        starts = [one.start for one in self.found.ranges]
        return [self.parsed.place(start) for start in starts if self.parsed.source_of(start)]


def names_opener(note: Any) -> bool:
    """Is it the note about the bracket that is open?"""
    return str(note.spelling).startswith("to match this")


def first(finding: Finding) -> Span:
    """Where the piece begins that is wrong, or the first thing in it that is underlined."""
    marked = [span for span in finding.marked[:1] if span.source is finding.here.source]
    return min([finding.here, *marked], key=lambda span: (span.line, span.column))


def operand(finding: Finding) -> Span:
    """The first piece that Clang underlines."""
    return finding.marked[0] if finding.marked else finding.here


def last(finding: Finding) -> Span:
    """The later of two that do not go together: Clang names them in either order."""
    places = [finding.parsed.place(note.location) for note in finding.found.children]
    return max(finding.here, *places, key=lambda span: (span.line, span.column))


def behind(finding: Finding) -> Span:
    """Behind the word before: there something is missing."""
    line, text, source = finding.here.line, finding.before, finding.here.source
    text = re.sub(r"__\w+__$", "", text)  # Clang goes behind a word of CUDA's, for those are macros
    text = re.sub(r"^\s*\(\s*\w+\s*$", "", text)  # and takes `(void)x` in a new line for a call
    while not _code(text) and line > source.first_line:
        line -= 1
        text = source.line(line)
    return Span(source, line, len(_code(text)))


def opener(finding: Finding) -> Span:
    """The bracket that is open; of nested braces, the one that a brace further left than its line closes."""
    notes = [note.location for note in finding.found.children if names_opener(note)]
    if not notes:
        return finding.here
    start, opened = finding.parsed.place(notes[0]), list[Span]()
    for line in range(start.line, finding.here.line + 1 if start.text[start.column :][:1] == "{" else 0):
        text = re.sub(r'"[^"]*"|//.*', lambda found: " " * len(found[0]), start.source.line(line))
        for column, sign in enumerate(text):
            if sign == "{" and (line, column) >= (start.line, start.column):
                opened.append(Span(start.source, line, column))
            elif sign == "}" and opened:
                if not text[:column].strip() and column < _indent(opened[-1].text):
                    return opened[-1]
                opened.pop()
    return start


def header(finding: Finding) -> Span:
    """The end of the header of a loop: the `)` that closes its `(`."""
    text, depth = finding.here.text, 0
    for column in range(max(finding.before.rfind("for"), 0), len(text)):
        depth += (text[column] == "(") - (text[column] == ")")
        if text[column] == ")" and not depth:
            return finding.at(column)
    return finding.here


def statement(finding: Finding) -> Span:
    """Where the statement begins."""
    text = re.split(r"[;{}]", finding.before)[-1]
    return finding.at(len(finding.before) - len(text.lstrip()))


def word(finding: Finding) -> Span:
    """Where the word or number begins in which Clang found something."""
    return finding.at(len(re.sub(r"[\w.]*$", "", finding.before)))


def macro(finding: Finding) -> Span:
    """Where the macro is used that a note names."""
    names = [re.search(r"macro '(\w+)'", note.spelling) for note in finding.found.children]
    columns = [finding.before.rfind(name[1]) for name in names if name]
    return finding.at(max(columns)) if columns else finding.here


PLACES: dict[Place, Callable[[Finding], Span]] = {
    "here": lambda finding: finding.here,
    "first": first,
    "operand": operand,
    "behind": behind,
    "opener": opener,
    "header": header,
    "statement": statement,
    "word": word,
    "macro": macro,
    "stars": lambda finding: finding.at(finding.before.rfind("*")),
    "sign": lambda finding: finding.at(len(finding.before.rstrip("<=>"))),
    "last": last,
    "bracket": lambda finding: finding.at(len(finding.before.rstrip(" ("))),
}


def _code(line: str) -> str:
    """A line without a comment at its end."""
    return re.sub(r"\s*(//.*|/\*.*\*/)?\s*$", "", line)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
