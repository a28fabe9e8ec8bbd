"""What does the compiler see once macros are expanded, and where did each character stand before?

`#define N 4` turns `x[N]` into `x[4]`; a message about that 4 must point at the N that the reader wrote.
`expand` gives the text to parse and, for each of its characters, its place in the reader's text: characters
that were copied have their own place, those of a macro's body have the place where the macro is used.

The work is done by `pcpp`. Here it gets the tokens of C++ (raw strings, digit separators), which know their
offset, the macros that stand before every kernel, and headers that are known by name: no file is read.
"""

from __future__ import annotations

import re
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import accumulate
from pathlib import PurePath
from typing import Any, NoReturn

from pcpp import Action, OutputDirective, Preprocessor

from gpusim.devices import Device
from gpusim.errors import GpuSimError, KernelSyntaxError, UnsupportedConstruct
from gpusim.frontends.cuda_cpp.text.macros import HEADER_MACROS, NOT_OFFERED, headers, predefined
from gpusim.source import Source, Span

Definitions = Iterable[tuple[str, str]]


@dataclass(frozen=True)
class Pragma:
    """A `#pragma` and its place. It changes no result: a loop does the same unrolled."""

    text: str
    span: Span


@dataclass(frozen=True)
class Text:
    """The reader's text as one string, in which every white space is a blank, a tab or a newline."""

    source: Source

    @cached_property
    def characters(self) -> str:
        return re.sub("[\r\f\v\ufeff]", " ", "\n".join(self.source.lines) + "\n")

    @cached_property
    def line_starts(self) -> list[int]:
        return [0, *accumulate(len(line) + 1 for line in self.source.lines)]

    def line(self, place: int) -> int:
        return self.source.first_line + bisect_right(self.line_starts, place) - 1

    def span(self, place: int) -> Span:
        """Where stands the character that is `place` characters behind the first?"""
        line = bisect_right(self.line_starts, place) - 1
        return Span(self.source, self.source.first_line + line, place - self.line_starts[line])


@dataclass(frozen=True)
class Expanded:
    """The text behind the preprocessor.

    Of each character: its place in the text `before`, and the macro whose body it comes from, or None.
    """

    before: Text
    text: str
    places: list[int]
    macros: list[str | None]
    pragmas: tuple[Pragma, ...] = ()

    def insert(self, pieces: Iterable[tuple[int, str]]) -> Expanded:
        """The same with each `(offset, piece)` put in; a piece has the place of what is behind it."""
        text, places, macros = self.text, list(self.places), list(self.macros)
        for offset, piece in sorted(pieces, reverse=True):
            text = text[:offset] + piece + text[offset:]
            places[offset:offset] = [places[offset]] * len(piece)
            macros[offset:offset] = [macros[offset]] * len(piece)
        return replace(self, text=text, places=places, macros=macros)


# The token types are pcpp's; operators that its expressions do not know are CPP_OTHER.
TOKEN = re.compile(
    r"""
    (?P<CPP_WS>[ \t]+|\n)
  | (?P<CPP_STRING>(?:u8|[uUL])?
      (?:R"(?P<mark>[^()\\\s]{0,16})\([\s\S]*?\)(?P=mark)"|"(?:[^"\\\n]|\\[\s\S])*"))
  | (?P<CPP_CHAR>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
  | (?P<CPP_ID>[^\W\d]\w*)
  | (?P<CPP_FLOAT>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)
  | (?P<CPP_COMMENT1>/\*[\s\S]*?\*/)
  | (?P<CPP_COMMENT2>//(?:[^\\\n]|\\[ \t]*\n|\\)*)
  | (?P<CPP_LINECONT>\\[ \t]*\n)
  | (?P<CPP_OTHER>/\*|<<<|>>>|<<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|::|\#\#|.)
    """,
    re.VERBOSE,
)
INTEGER = re.compile(r"(?:0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)[uUlL]*")
OPERATORS = {
    "#": "CPP_POUND", "##": "CPP_DPOUND", "+": "CPP_PLUS", "-": "CPP_MINUS", "*": "CPP_STAR",
    "/": "CPP_FSLASH", "%": "CPP_PERCENT", "|": "CPP_BAR", "&": "CPP_AMPERSAND", "~": "CPP_TILDE",
    "^": "CPP_HAT", "<": "CPP_LESS", ">": "CPP_GREATER", "!": "CPP_EXCLAMATION", "?": "CPP_QUESTION",
    ":": "CPP_COLON", "(": "CPP_LPAREN", ")": "CPP_RPAREN", ",": "CPP_COMMA", "<<": "CPP_LSHIFT",
    ">>": "CPP_RSHIFT", "<=": "CPP_LESSEQUAL", ">=": "CPP_GREATEREQUAL", "==": "CPP_EQUALITY",
    "!=": "CPP_INEQUALITY", "||": "CPP_LOGICALOR", "&&": "CPP_LOGICALAND",
}  # fmt: skip
BODY = -1  # the offset of a token in a macro's body


class Token:
    """A token as pcpp takes it. `lexpos` is its own offset in the reader's text.

    pcpp hands `lineno` of a macro's use down to all that it expands to: so that is an offset too, not a line.
    """

    __slots__ = ("expanded_from", "lexpos", "lineno", "source", "type", "value")
    expanded_from: list[str]

    def __init__(self, type: str, value: str, lexpos: int) -> None:
        self.type, self.value, self.lexpos, self.lineno, self.source = type, value, lexpos, lexpos, ""

    def __copy__(self) -> Token:
        twin = Token(self.type, self.value, self.lexpos)
        twin.lineno = self.lineno
        if hasattr(self, "expanded_from"):
            twin.expanded_from = list(self.expanded_from)
        return twin


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a C++ text, with white space and comments: together they are the text."""
    for match in TOKEN.finditer(text):
        kind, value = str(match.lastgroup), match.group()
        if kind == "CPP_OTHER":
            kind = OPERATORS.get(value, kind)
        elif kind == "CPP_FLOAT" and INTEGER.fullmatch(value):
            kind = "CPP_INTEGER"
        elif kind == "CPP_LINECONT":
            value = " "
        elif kind == "CPP_STRING" and "R" not in value[:3]:
            value = value.replace("\\\n", "")
        yield Token(kind, value, match.start())


class _Preprocessor(Preprocessor):  # type: ignore[misc]
    """pcpp, with errors that point into the reader's text."""

    def __init__(self, device: Device) -> None:
        self.before = Text(Source("", "", 1, ()))
        super().__init__()
        self.macros.clear()
        self.expand_filemacro = False
        self.known_headers = headers(device)
        for line in filter(None, predefined(device).splitlines()):
            self.define(line)

    def start(self, before: Text, definitions: Definitions) -> _Preprocessor:
        """A preprocessor for one text, as if newly made."""
        twin = copy(self)
        twin.before, twin.macros, twin.pragmas = before, dict(self.macros), []
        twin.include_once, twin.include_times = {}, []
        name = PurePath(before.source.filename).name.replace("\\", "/").replace('"', "'")
        for macro, value in (("__FILE__", f'"{name}"'), *definitions):
            if not re.fullmatch(r"[^\W\d]\w*(\([\w\s,.]*\))?", macro):
                raise GpuSimError(f"-D{macro} defines no macro: a name is wanted, as in -DN=4")
            twin.define(f"{macro} {value}")
        twin.drop_assertions()
        return twin

    def drop_assertions(self) -> None:
        """With NDEBUG, `assert` checks nothing from here on."""
        if "NDEBUG" in self.macros:
            self.define("assert(condition) ((void)0)")

    # pcpp keeps here what it puts in for `__LINE__`; its tokens tell it an offset.
    @property
    def linemacro(self) -> int:
        return self.before.line(self.use)

    @linemacro.setter
    def linemacro(self, offset: int) -> None:
        self.use = offset

    def group_lines(self, input: str, source: str) -> Iterator[list[Token]]:
        line: list[Token] = []
        for token in tokens(self.before.characters):
            line.append(token)
            if token.value == "/*":
                self.refuse("this comment is never closed", token, "`*/` is missing")
            if token.value == "\n":
                yield line
                line = []

    def tokenize(self, text: str) -> list[Token]:
        return list(tokens(text))

    def define(self, definition: str | list[Token]) -> None:
        definition = self.tokenize(definition) if isinstance(definition, str) else definition
        super().define(definition)
        for token in self.macros[definition[0].value].value:
            token.lexpos = BODY

    def collect_args(self, following: list[Token], ignore_errors: bool = False) -> Any:
        count, arguments, positions = super().collect_args(following, ignore_errors)
        if not count:
            self.refuse("the arguments of this macro are never closed", following[0], "`)` is missing")
        return count, arguments, positions

    def include(self, name: list[Token], line: list[Token]) -> Iterator[Token]:
        text = "".join(token.value for token in name)
        header = text[1:-1]
        if not re.fullmatch(r'<[^>]+>|"[^"]+"', text):
            self.refuse('a header is wanted: #include <name> or "name"', name[0] if name else line[0])
        if header in NOT_OFFERED:
            raise UnsupportedConstruct(f"{header} is not offered", self.place(name[0]), NOT_OFFERED[header])
        directories = tuple(known for known in self.known_headers if known.endswith("/"))
        if header not in self.known_headers and not header.startswith(directories):
            hint = "only headers of CUDA and of the C++ library are; paste what the kernel needs of it here"
            raise UnsupportedConstruct(f"the header {text} is not known", self.place(name[0]), hint)
        for definition in HEADER_MACROS.get(header, "").strip().splitlines():
            self.define(definition)
        if header in ("assert.h", "cassert"):
            self.drop_assertions()
        return iter(())

    def on_directive_handle(self, directive: Token, arguments: list[Token], *rest: Any) -> bool | None:
        name = directive.value
        if name == "pragma" and not arguments:
            raise OutputDirective(Action.IgnoreAndRemove)
        if name in ("define", "undef", "ifdef", "ifndef") and (
            not arguments or arguments[0].type != "CPP_ID"
        ):
            self.refuse(f"a macro's name is wanted behind #{name}", directive)
        if name in ("if", "elif") and not arguments:
            self.refuse(f"#{name} has no condition", directive)
        return super().on_directive_handle(directive, arguments, *rest)  # type: ignore[no-any-return]

    def on_directive_unknown(self, directive: Token, arguments: list[Token], *rest: Any) -> bool:
        text = "".join(token.value for token in arguments).strip()
        if directive.value == "pragma":
            self.pragmas.append(Pragma(text, self.place(directive)))
        elif directive.value == "warning":
            warnings.warn(self.place(directive).describe(f"#warning {text}"), stacklevel=2)
        else:
            known = directive.value == "error"
            self.refuse(f"#error {text}" if known else f"#{directive.value} is no directive", directive)
        return True

    def on_unknown_macro_in_expr(self, name: str) -> int:
        return int(name == "true")

    def on_error(self, file: str, line: int, message: str) -> NoReturn:
        for pattern, wording in PCPP_MESSAGES:
            if match := re.match(pattern, message, re.DOTALL):
                message = match.expand(wording)
                break
        raise KernelSyntaxError(message, self.before.span(line))

    def place(self, token: Token) -> Span:
        return self.before.span(token.lineno if token.lexpos == BODY else token.lexpos)

    def refuse(self, message: str, token: Token, hint: str = "") -> NoReturn:
        raise KernelSyntaxError(message, self.place(token), hint)


PCPP_MESSAGES = (
    (r"Misplaced (#\w+)", r"\1 without #if"),
    (r"Unterminated (.*\S)", r"\1 is never closed: #endif is missing"),
    (r"Macro (\w+) requires (\d+) arguments but was passed (\d+)", r"macro \1 takes \2 arguments, not \3"),
    (r"Macro (\w+) must have at least (\d+)", r"macro \1 takes at least \2"),
    (
        r"Could not evaluate expression.*passed to evaluator: '(.*)'",
        r"the condition `\1` has no integer value",
    ),
    (r"Empty expression", r"the condition is empty"),
    (r"Malformed defined", r"`defined` wants a macro's name: defined(NAME)"),
)


@cache
def _prepared(device: Device) -> _Preprocessor:
    return _Preprocessor(device)


def expand(source: Source, device: Device, definitions: Definitions = ()) -> Expanded:
    """Expand all macros of a text, as nvcc would with `-DNAME=VALUE` for each of the `definitions`.

    Raises `KernelSyntaxError` for directives that are wrong, and for `#error`; `UnsupportedConstruct` for a
    header that is not known.
    """
    before = Text(source)
    preprocessor = _prepared(device).start(before, definitions)
    pieces: list[str] = []
    places: list[int] = []
    macros: list[str | None] = []
    last, end, body = (
        0,
        0,
        False,
    )  # of the token before: where it begins, where it ends; is it of a macro's body?
    for token in preprocessor.parsegen(before.characters):
        value, was_body = token.value, body
        body = token.lexpos == BODY
        place = token.lineno if body else token.lexpos
        macro = token.expanded_from[-1] if body else None
        apart = body != was_body or place != (last if body else end)
        if apart and pieces and not value.isspace() and not pieces[-1].isspace():
            pieces.append(" ")  # with `#define M -1`, `-M` is `- -1`
            places.append(place)
            macros.append(macro)
        pieces.append(value)
        last, end = place, place + len(value)
        places.extend([place] * len(value) if body else range(place, end))
        macros.extend([macro] * len(value))
        if value in "\"'" or not (token.type != "CPP_OTHER" or value.isascii()):
            _refuse_character(value, preprocessor.place(token))
    return Expanded(before, "".join(pieces), places, macros, tuple(preprocessor.pragmas))


def _refuse_character(character: str, span: Span) -> NoReturn:
    if character in "\"'":
        raise KernelSyntaxError(f"this {character} is never closed", span, f"a second {character} is missing")
    message = f"the character {character} (U+{ord(character):04X}) has no meaning in C++"
    raise KernelSyntaxError(message, span, "was it pasted from a formatted page? type it anew")
