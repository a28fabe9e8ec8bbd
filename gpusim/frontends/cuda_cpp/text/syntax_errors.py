"""What is wrong with a text that is no C++, and where? `x[i] = 1` without its semicolon: at the end of `1`.

tree-sitter says where its reading broke down, often far from the mistake. So numbers, brackets and headers of
loops are looked at first, word by word; what is left is found by trying: which one word, put in or left out
near the break, lets the grammar read on furthest? That word is what a compiler would say it expected.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from tree_sitter import Node

from gpusim.errors import KernelSyntaxError
from gpusim.frontends.cuda_cpp.text.preprocessor import Expanded, tokens
from gpusim.source import Span

CLOSERS = {"(": ")", "[": "]", "{": "}", "<<<": ">>>"}
OPENERS = {closer: opener for opener, closer in CLOSERS.items()}
NUMBER = re.compile(
    r"(0[xX][\da-fA-F']+(\.[\da-fA-F']*)?([pP][+-]?\d+)?|0[bB][01']+|(\d[\d']*\.?\d*|\.\d+)([eE][+-]?\d+)?)"
    r"([uUlL]{1,3}|[fF]|_\w+)?"
)
STATEMENT_WORDS = frozenset(
    ["if", "else", "for", "while", "do", "switch", "case", "break", "continue", "return", "goto"]
)
TYPE_WORDS = frozenset(
    [
        "void",
        "bool",
        "char",
        "short",
        "int",
        "long",
        "float",
        "double",
        "signed",
        "unsigned",
        "const",
        "struct",
    ]
)
CUDA_WORDS = (
    "__global__", "__device__", "__host__", "__shared__", "__constant__", "__managed__", "__restrict__",
    "__launch_bounds__", "__forceinline__", "__noinline__", "__align__",
)  # fmt: skip
BEFORE, BEHIND = 3, 12  # words around the break in which the mistake is looked for


@dataclass(frozen=True)
class Word:
    """A word of the expanded text: not white space."""

    value: str
    start: int
    line: int

    @property
    def end(self) -> int:
        return self.start + len(self.value)

    @property
    def is_operand(self) -> bool:
        """Is it a name, a number or a string?"""
        return self.value[0] in "\"'_" or self.value[0].isalnum()


def words(expanded: Expanded) -> list[Word]:
    """The words of a text in their order."""
    return [
        Word(token.value, token.lexpos, expanded.before.line(expanded.places[token.lexpos]))
        for token in tokens(expanded.text)
        if token.type not in ("CPP_WS", "CPP_LINECONT")
    ]


@dataclass(frozen=True)
class Edit:
    """A change that might set the text right, and what to say if it does."""

    rank: int
    start: int
    end: int
    piece: str
    message: str
    span: Span
    word: Word


class Words:
    """The words of a text that is no C++, on the way to the message about it."""

    def __init__(self, expanded: Expanded) -> None:
        self.expanded = expanded
        self.words = words(expanded)

    def at(self, word: Word) -> Span:
        return self.expanded.before.span(self.expanded.places[word.start])

    def behind(self, word: Word) -> Span:
        """Where something is missing behind a word."""
        if self.expanded.macros[word.start] is not None:
            return self.at(word)
        span = self.expanded.before.span(self.expanded.places[word.end - 1])
        return replace(span, column=span.column + 1)

    def refuse(self, message: str, span: Span, word: Word, hint: str = "") -> NoReturn:
        macro = self.expanded.macros[word.start]
        raise KernelSyntaxError(
            message, span, hint or (f"in what the macro {macro} expands to" if macro else "")
        )

    def expected(self, what: str, word: Word, hint: str = "") -> NoReturn:
        self.refuse(f"expected {what} after `{word.value}`", self.behind(word), word, hint)

    def check_numbers(self) -> None:
        for word in self.words:
            if re.match(r"\.?\d", word.value) and not NUMBER.fullmatch(word.value):
                kind = "neither a number nor a name" if word.value.isalnum() else "not a number"
                self.refuse(f"`{word.value}` is {kind}", self.at(word), word)

    def check_brackets(self) -> None:
        open_at: list[int] = []
        outdented: list[int] = []  # braces closed by one further left than they began: one is missing between
        heads: list[Word] = []  # parentheses closed outside of every function, before a line of statements
        for index, word in enumerate(self.words):
            opener = self.words[open_at[-1]] if open_at else None
            if word.value in CLOSERS:
                open_at.append(index)
            elif opener and word.value == CLOSERS[opener.value]:
                if word.value == "}" and self.opens_line(index) and self.indent(word) < self.indent(opener):
                    outdented.append(open_at[-1])
                open_at.pop()
                if word.value == ")" and not open_at and self.begins_statement(index + 1):
                    heads.append(word)
            elif word.value in (")", "]", "}"):
                paired = any(self.words[i].value == OPENERS[word.value] for i in open_at)
                if opener and (paired or opener.value != "{"):
                    self.unclosed(open_at[-1], index)
                if word.value == "}" and heads:
                    self.expected("`{`", heads[-1])
                message = f"unexpected `{word.value}`: no `{OPENERS[word.value]}` is open here"
                self.refuse(message, self.at(word), word)
            elif opener and opener.value != "{" and self.ends(word, open_at[-1]):
                self.unclosed(open_at[-1], index)
        if open_at:
            self.unclosed((outdented or open_at[-1:])[0], len(self.words))

    def opens_line(self, index: int) -> bool:
        return self.words[index - 1].line != self.words[index].line

    def indent(self, word: Word) -> int:
        line = self.expanded.before.source.line(word.line).expandtabs()
        return len(line) - len(line.lstrip())

    def begins_statement(self, index: int) -> bool:
        """Does a word stand first in its line, and is it none with which a declaration goes on?"""
        if index >= len(self.words) or not self.opens_line(index):
            return False
        return self.words[index].is_operand and self.words[index].value not in CUDA_WORDS

    def ends(self, word: Word, opener: int) -> bool:
        """Does this word end the statement in which a bracket is open?"""
        in_header = opener > 0 and self.words[opener - 1].value == "for"
        return word.value in STATEMENT_WORDS or (word.value == ";" and not in_header)

    def unclosed(self, opener: int, end: int) -> NoReturn:
        """Say of an open bracket where it should have been closed: at the latest before word `end`."""
        word = self.words[opener]
        if word.value in ("{", "<<<"):
            message = f"this `{word.value}` is never closed"
            self.refuse(message, self.at(word), word, f"`{CLOSERS[word.value]}` is missing")
        depth = 0
        for index in range(opener + 1, min(end, len(self.words) - 1)):
            inner, following = self.words[index], self.words[index + 1]
            apart = inner.value == "{" or (inner.is_operand and following.is_operand)
            if depth == 0 and following.line != inner.line and apart:
                end = index + (inner.value != "{")
                break
            depth += (inner.value in CLOSERS) - (inner.value in OPENERS)
        previous = self.words[end - 1]
        hint = f"it closes the `{word.value}` of line {word.line}" if word.line != previous.line else ""
        self.expected(f"`{CLOSERS[word.value]}`", previous, hint)

    def check_headers(self) -> None:
        """The parentheses of `if`, `for`, `while` and `switch`, and those of a launch."""
        launched = False
        for index, word in enumerate(self.words[:-1]):
            following = self.words[index + 1]
            if word.value in ("if", "for", "while", "switch") and following.value not in ("(", "constexpr"):
                self.expected("`(`", word)
            launched |= word.value == "<<<"
            if word.value == ">>>" and launched and following.value != "(":
                self.expected("`(` and the arguments of the kernel", word)
            if word.value == "for":
                self.check_for(index + 2)

    def check_for(self, start: int) -> None:
        depth, semicolons = 1, 0
        for word in self.words[start:]:
            depth += (word.value in CLOSERS) - (word.value in OPENERS)
            semicolons += depth == 1 and word.value == ";"
            if depth == 1 and word.value == ":" and not semicolons:
                return  # for (float v : values)
            if not depth or semicolons > 2:
                if semicolons != 2:
                    hint = "write for (start; condition; step)"
                    self.refuse("the header of a `for` has two `;`", self.at(word), word, hint)
                return

    def search(self, root: Node, read: Callable[[str], Node]) -> NoReturn:
        """Which one word, put in or left out near the break, lets the grammar read on furthest?"""
        text, broken = self.expanded.text, _first_error(root)
        start, end = _offset(text, broken.start_byte), _offset(text, broken.end_byte)
        first = next((i for i, word in enumerate(self.words) if word.end > start), len(self.words) - 1)
        last = max((i for i, word in enumerate(self.words) if word.start < end), default=first)
        nearby = range(max(first - BEFORE, 0), min(max(last, first), first + BEHIND) + 1)
        for word in (self.words[index] for index in nearby):
            near = difflib.get_close_matches(word.value, CUDA_WORDS, n=1, cutoff=0.8)
            if near and word.value not in CUDA_WORDS:
                self.refuse(
                    f"`{word.value}` means nothing here", self.at(word), word, f"did you mean `{near[0]}`?"
                )

        def unread(text: str, root: Node) -> int:
            """How many characters stand behind the first place where the reading breaks down?"""
            return len(text) - _offset(text, _first_error(root).start_byte) if root.has_error else -1

        word = self.words[first]
        best, found = unread(text, root), Edit(9, 0, 0, "", f"unexpected `{word.value}`", self.at(word), word)
        for edit in sorted(self.edits(nearby), key=lambda edit: edit.rank):
            edited = text[: edit.start] + edit.piece + text[edit.end :]
            left = unread(edited, read(edited))
            if left < best:
                best, found = left, edit
        self.refuse(found.message, found.span, found.word)

    def edits(self, nearby: Sequence[int]) -> Iterator[Edit]:
        """What might be meant; the likeliest has the lowest rank."""
        for index in nearby:
            word = self.words[index]
            following = self.words[index + 1] if index + 1 < len(self.words) else None
            last = following is None or following.line != word.line or following.value == "}"
            ends = word.is_operand or word.value in (")", "]", "}", "++", "--")
            before = [other.value for other in self.words[max(index - BEHIND, 0) : index + 1]]

            def put(piece: str, what: str, rank: int, word: Word = word) -> Edit:
                message = f"expected {what} after `{word.value}`"
                return Edit(rank, word.end, word.end, piece, message, self.behind(word), word)

            if ends:
                yield put(";", "`;`", 0 if last else 4)
            if ends and "?" in before:
                yield put(": x", "`:` and the other value", 3)
            if ends and ("case" in before or "default" in before):
                yield put(":", "`:`", 3)
            if ends and "template" in before:
                yield put(">", "`>`", 3)
            if ends and following is not None and following.is_operand:
                yield put(",", "`,`" if following.value in TYPE_WORDS else "`,` or an operator", 3)
            if word.value in (".", "->", "::") or (following is not None and following.value == "("):
                yield put(" x ", "a name", 2)
            elif not ends and following is not None and not following.is_operand:
                yield put(" x ", "an expression", 1)
            place = self.at(word)
            if word.value in (":", ","):
                yield Edit(1, word.start, word.end, ";", f"expected `;`, not `{word.value}`", place, word)
            yield Edit(5, word.start, word.end, " ", f"unexpected `{word.value}`", place, word)


def _first_error(node: Node) -> Node:
    """The innermost node where the reading first broke down."""
    for child in node.children:
        if child.has_error or child.is_missing:
            return _first_error(child)
    return node


def _offset(text: str, byte: int) -> int:
    return byte if text.isascii() else len(text.encode()[:byte].decode(errors="ignore"))


def refuse(expanded: Expanded, root: Node, read: Callable[[str], Node]) -> NoReturn:
    """Raise the `KernelSyntaxError` of a text that the grammar cannot read; `read` gives any text's tree."""
    text = Words(expanded)
    text.check_numbers()
    text.check_brackets()
    text.check_headers()
    text.search(root, read)
