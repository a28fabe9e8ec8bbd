"""What is said of one of Clang's findings, and where is it shown? With a caret and a hint.

Not always where Clang notices a mistake: a `;` is missing behind the word before.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from clang import cindex
from clang.cindex import CursorKind

from gpusim.errors import GpuSimError, KernelSyntaxError, KernelTypeError, UnsupportedConstruct
from gpusim.frontends.cuda_cpp import clang, names_meant, reader, texts, types
from gpusim.source import Span

K = CursorKind
MEMBERS = (K.FIELD_DECL, K.CXX_METHOD, K.VAR_DECL, K.ENUM_CONSTANT_DECL)
BREAKING, SYNTACTIC, VALUE = (texts.pattern("wording", name) for name in ("breaking", "syntactic", "value"))
OPENER = "to match this"  # a note about the bracket that is open


class Rule(NamedTuple):
    """What `wording.txt` says of a finding whose words match `pattern`, in a line that matches `context`.

    `place` is the name of one of the `PLACES`.
    """

    pattern: str
    message: str
    place: str
    hint: str
    context: str


def _rule(row: str) -> Rule:
    pattern, *parts = row.split("\n")
    given = {key: value.strip() for key, _, value in (part.partition(":") for part in parts)}
    hint, context = given.pop("hint", ""), given.pop("line", "")
    place, message = given.popitem() if given else ("", "")
    return Rule(pattern, message, place, hint, context)


WORDING = {name: tuple(map(_rule, rows)) for name, rows in texts.rows("wording").items()}
RULES = {"syntax": KernelSyntaxError, "types": KernelTypeError, "refused": UnsupportedConstruct}


def ticked(text: str) -> str:
    """Clang's 'int' is our `int`."""
    text = re.sub(r"\((lambda|unnamed \w+) at [^()]*\)", r"(\1)", text.replace(reader.OWN, ""))
    return re.sub(r"(?<!\w)'([^']+)'( \(aka '[^']*'\))?", r"`\1`", text)


class Finding:
    """One of Clang's findings, and the reader's text around it."""

    def __init__(self, parsed: reader.Parsed, found: Any) -> None:
        self.parsed, self.found, self.words = parsed, found, str(found.spelling)
        self.notes = [(str(note.spelling), note.location) for note in found.children]
        asked = [place for words, place in self.notes if words.endswith("requested here")]
        seen = [place for place in (found.location, *asked) if parsed.source_of(place)]
        self.here = parsed.place(seen[0] if seen else found.location)
        self.before, rest = self.here.text[: self.here.column], self.here.text[self.here.column :]
        self.context = f"{self.before}\t{rest}"
        self.token = (re.match(r"\w+|<<|>>|[=!<>]=|&&|\|\||\S|", rest) or [""])[0]
        starts = [one.start for one in found.ranges if parsed.source_of(one.start)]
        # where the pieces begin that Clang underlines
        self.marked = [parsed.place(start) for start in starts]

    def error(self) -> GpuSimError:
        """By its rule, or else in Clang's own words."""
        for rule in WORDING["names"]:
            if matched := re.match(rule.pattern, self.words):
                span = PLACES[rule.place](self)
                return names_meant.unknown(self.parsed, ticked(matched[1]), rule.message, span)
        candidates = [words for words, _ in self.notes if words.startswith("candidate")]
        words = "; ".join([self.words, *candidates[:1]])
        for table, error in RULES.items():
            for rule in WORDING[table]:
                matched = re.match(rule.pattern, words)
                if matched and re.search(rule.context, self.context):
                    return self._ruled(rule, error, [ticked(group or "") for group in matched.groups()])
        message = self.words.partition("; ")[0]
        syntax = BREAKING.match(message) or SYNTACTIC.match(message)
        plain = KernelSyntaxError if syntax else KernelTypeError
        span = PLACES["operand" if VALUE.match(message) else "first"](self)
        return plain(ticked(message.rstrip(".")), span, self.hint())

    def _ruled(self, rule: Rule, error: type[GpuSimError], groups: list[str]) -> GpuSimError:
        span = PLACES[rule.place](self)
        before = re.search(r"""("[^"]*"|'[^']*'|[\w.]*\w|[-+*/%&|^<>=!]+|\S)\s*$""", span.text[: span.column])
        what = re.match(r"\w+(?:(?:\.|::)\w+)*|\S|", span.text[span.column :])
        words = {"token": self.token, "after": before[1] if before else "", "what": what[0] if what else ""}
        said = rule.message if before or "{after}" not in rule.message else "unexpected `{token}`"
        message, hint = (text.format(*groups, **words) for text in (said, rule.hint))
        refused = " is not supported in a kernel" * (error is UnsupportedConstruct)
        return error(message + refused, span, hint or self.hint())

    def hint(self) -> str:
        for rule in WORDING["hints"]:
            if matched := re.search(rule.pattern, f"{self.words}\n{self.context}"):
                return rule.hint.format(*filter(None, matched.groups()))
        proposal = ticked(self.words.partition("; ")[2])
        return proposal or self._candidate() or self._members() or self._note()

    def _candidate(self) -> str:
        """The function that may be meant, and why it does not fit; of CUDA's, the first in its table."""
        notes = [note for note in self.notes if note[0].startswith("candidate")]
        ours = [(clang.place(place), self.parsed.builtin_at(place)) for _, place in notes]
        known = sorted((place, str(builtin)) for place, builtin in ours if builtin)
        if known:
            return f"{'it is' if len(known) == 1 else 'there is'} {known[0][1]}"
        for words, place in notes:
            cursor = cindex.Cursor.from_location(self.parsed.unit, place)
            why = ticked(words.partition(": ")[2].partition("; ")[0])
            if cursor.kind in clang.FUNCTIONS and why:
                name = cursor.displayname.replace("<>", "")
                result = f"{cursor.result_type.spelling} " * (cursor.kind is not K.CONSTRUCTOR)
                return f"it is {result}{name}: {why}"
        return ""

    def _members(self) -> str:
        """What a struct has, where it lacks what is asked for."""
        asked = re.match(r"no member named '.*' in '(?:const )?(\w+)'", self.words)
        name = asked[1] if asked else ""
        if name in types.VECTORS:
            return f"it has {', '.join(field.name for field in types.VECTORS[name].fields or ())}"
        for cursor in self.parsed.cursors if name else ():
            if cursor.spelling == name and cursor.kind in clang.RECORDS:
                named = [str(child.spelling) for child in clang.children(cursor) if child.kind in MEMBERS]
                return f"it has {', '.join(named)}" if named else "it has none"
        return ""

    def _note(self) -> str:
        for words, location in self.notes:
            place, text = self.parsed.place(location), ticked(words).partition("; ")[0]
            last = text.rpartition(" ")[2]
            if text.startswith("expanded from macro") and BREAKING.match(self.words):
                return f"in what the macro {last.strip('`')} expands to"
            if text.startswith(OPENER) and place.line != self.here.line:
                return f"it closes the {last} of line {place.line}"
            if self.parsed.source_of(location) and not text.startswith(("to match", "expanded", "in ins")):
                text = "it is included" if text.startswith("in file included") else text
                where = f"line {place.line}" if place.source is self.here.source else place.where
                return f"{text} ({where})"
        return ""


def _first(finding: Finding) -> Span:
    """Where the piece begins that is wrong, or the first thing in it that is underlined."""
    marked = [span for span in finding.marked[:1] if span.source is finding.here.source]
    return min([finding.here, *marked], key=lambda span: (span.line, span.column))


def _behind(finding: Finding) -> Span:
    """Behind the word before: there something is missing."""
    line, text, source = finding.here.line, finding.before, finding.here.source
    text = re.sub(r"__\w+__$", "", text)  # Clang goes behind a word of CUDA's, for those are macros
    text = re.sub(r"^\s*\(\s*\w+\s*$", "", text)  # and takes `(void)x` in a new line for a call
    comment = re.compile(r"\s*(//.*|/\*.*\*/)?\s*$")
    while not (code := comment.sub("", text)) and line > source.first_line:
        line -= 1
        text = source.line(line)
    return Span(source, line, len(code))


def _opener(finding: Finding) -> Span:
    """The bracket that is open; of nested braces, the one that a brace further left than its line closes."""
    notes = [place for words, place in finding.notes if words.startswith(OPENER)]
    if not notes:
        return finding.here
    start, opened = finding.parsed.place(notes[0]), list[Span]()
    for line in range(start.line, finding.here.line + 1 if start.text[start.column :][:1] == "{" else 0):
        text = re.sub(r'"[^"]*"|//.*', lambda found: " " * len(found[0]), start.source.line(line))
        for column, sign in enumerate(text):
            if sign == "{" and (line, column) >= (start.line, start.column):
                opened.append(Span(start.source, line, column))
            elif sign == "}" and opened:
                outer = opened[-1].text
                if not text[:column].strip() and column < len(outer) - len(outer.lstrip()):
                    return opened[-1]
                opened.pop()
    return start


def _of_host(finding: Finding) -> Span:
    """The type of the host's in the line."""
    named = re.search(r"std::(\w+)", finding.words)
    written = named and re.search(rf"(std\s*::\s*)?\b{named[1]}\b", finding.here.text)
    return replace(finding.here, column=written.start()) if written else finding.here


PLACES: dict[str, Callable[[Finding], Span]] = {
    "host": _of_host,
    "here": lambda finding: finding.here,
    "first": _first,
    "operand": lambda finding: finding.marked[0] if finding.marked else finding.here,
    "behind": _behind,
    "opener": _opener,
    "stars": lambda finding: Span(finding.here.source, finding.here.line, max(finding.before.rfind("*"), 0)),
}
