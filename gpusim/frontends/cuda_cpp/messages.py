"""What is said of one of Clang's findings, and where is it shown? With a caret and a hint.

Not always where Clang notices a mistake: a `;` is missing behind the word before. A name that nobody knows
may be meant for one that the text or CUDA has, for a word of Python, or for one that kernels lack: a function
that this machine does not offer, one of the host, a type, or a whole library, known by its namespace.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from clang import cindex
from clang.cindex import CursorKind

from gpusim.errors import GpuSimError, KernelSyntaxError, KernelTypeError, UnsupportedConstruct
from gpusim.frontends.cuda_cpp import clang, header, reader, texts
from gpusim.frontends.cuda_cpp.functions.prototypes import REFUSED
from gpusim.frontends.cuda_cpp.types import C_TYPES, TYPEDEFS, VECTORS
from gpusim.source import Span

K = CursorKind
MEMBERS = (K.FIELD_DECL, K.CXX_METHOD, K.VAR_DECL, K.ENUM_CONSTANT_DECL)
BREAKING, SYNTACTIC, VALUE = (texts.pattern("wording", name) for name in ("breaking", "syntactic", "value"))
OPENER = "to match this"  # a note about the bracket that is open
_WORDS = """
__global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ __launch_bounds__
__forceinline__ __noinline__ __align__ threadIdx blockIdx blockDim gridDim warpSize
"""
PYTHON, HEADERS, NAMES, LIBRARIES = (
    texts.table("names_meant", name) for name in ("python", "headers", "names", "libraries")
)
FAMILIES = texts.table("functions/refused_functions", "families")


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
                return unknown_name(self.parsed, ticked(matched[1]), rule.message, span)
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
        if name in VECTORS:
            return f"it has {', '.join(field.name for field in VECTORS[name].fields or ())}"
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


# names that nobody knows ------------------------------------------------------------------------------------


def unknown_name(parsed: reader.Parsed, name: str, message: str, span: Span) -> GpuSimError:
    scope = re.search(r"(?:\w+\s*::\s*)*$", span.text[: span.column])
    if scope and scope[0]:
        span = replace(span, column=scope.start())
    full = _qualified(span.text[span.column :])
    full = full if name in full or name.endswith(f"::{full}") else name
    spaces: list[str] = re.findall(r"^\s*using\s+namespace\s+([\w:]+)", parsed.source.text, re.MULTILINE)
    known = [*_WORDS.split(), *(str(cursor.spelling) for cursor in parsed.cursors), *TYPEDEFS, *VECTORS]
    known += header.names(parsed.device.warp_size)
    meant = difflib.get_close_matches(name, known, 1, 0.9 if parsed.missing or spaces else 0.7)
    there = next((f"it is in <{header}>" for word, header in HEADERS.items() if word in full), "")
    if not there and (way_out := advice(full, () if meant else spaces)):
        return UnsupportedConstruct(f"`{full}` is not supported in a kernel", span, way_out)
    hint = PYTHON.get(name) or there
    if not hint and meant:
        hint = f"did you mean `{meant[0]}`?"
    if not hint and parsed.missing:
        lacking = parsed.missing[0]
        instead = "name its folder with options=('-I…',), or paste what the kernel needs"
        hint = f"{lacking} was not found: {reader.NOT_OFFERED.get(lacking, instead)}"
    return KernelTypeError(message.format(name, what=full), span, hint or "declare it before it is used")


def similar_type(name: str) -> list[str]:
    """The type that may be meant: `float` for `flaot`."""
    return difflib.get_close_matches(name, (*C_TYPES, *TYPEDEFS, *VECTORS), 1, 0.7)


def _qualified(text: str) -> str:
    """`space::name<arguments>` at the beginning of a text."""
    found = re.match(r"(?:\w+\s*::\s*)*\w+", text)
    if not found:
        return ""
    depth, end = 0, found.end()
    for place, sign in enumerate(text[end:] if text[end : end + 1] == "<" else "", end + 1):
        depth += (sign == "<") - (sign == ">")
        if not depth or sign in "();":
            return text[:place] if not depth else found[0]
    return found[0]


def advice(name: str, spaces: Sequence[str] = ()) -> str | None:
    """What to do instead of using a name, perhaps with its namespace and template arguments; None for others.

    `spaces` are those of `using namespace`: the name may be one of theirs.

    >>> advice("std::vector<int>")
    'pass its memory as a pointer, or declare an array of fixed length'
    """
    plain = name.partition("<")[0].replace(" ", "").removeprefix("::")
    library = LIBRARIES.get(plain.partition("::")[0]) if "::" in plain else None
    family = next((why for beginning, why in FAMILIES.items() if plain.startswith(beginning)), None)
    known = NAMES.get(plain) or REFUSED.get(plain) or family or library
    for space in spaces if known is None and "::" not in plain else ():
        library = LIBRARIES.get(space.partition("::")[0]) if space != "std" else None
        known = known or NAMES.get(f"{space}::{plain}") or library
    return known
