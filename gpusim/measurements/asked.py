"""Which question did a branch put to its lanes? As its author wrote it, or nothing where that is not sure.

>>> from gpusim.source import Source, Span
>>> question(Span(Source("f", "f.py", 1, ("while n != 1:", "    n //= 2")), 1, 6))
'n != 1'
"""

from __future__ import annotations

import ast
from functools import lru_cache

from gpusim.source import PYTHON, Span

CLOSING = {"(": ")", "[": "]", "{": "}"}
CONJUNCTIONS = (" and ", " or ", "&&", "||")
KEYWORDS = ("if", "while", "for", "switch")


def question(span: Span, alone: bool = True) -> str | None:
    """The condition at a branch's place. Where its line has several branches, each asks a part of it."""
    found = _python(span) if span.source.language == PYTHON else _cpp(span)
    partial = not alone and found is not None and any(word in found for word in CONJUNCTIONS)
    return None if partial else found


def _python(span: Span) -> str | None:
    source = span.source
    place = span.line - source.first_line + 1, span.column - source.indent
    nodes = [
        node
        for node in ast.walk(_tree(source.text))
        if isinstance(node, ast.expr | ast.For) and (node.lineno, node.col_offset) == place
    ]
    if not nodes:
        return None
    node = nodes[0]  # the widest of those that begin here comes first
    if isinstance(node, ast.For):
        return f"{ast.unparse(node.target)} in {ast.unparse(node.iter)}"
    return " ".join((ast.get_source_segment(source.text, node) or "").split()) or None


@lru_cache
def _tree(text: str) -> ast.Module:
    return ast.parse(text)


def _cpp(span: Span) -> str | None:
    text = span.text[span.column :]
    for keyword in KEYWORDS:
        inner = text[len(keyword) :].lstrip()
        if text.startswith(keyword) and inner.startswith("("):
            parts = _up_to_closing(inner[1:]).split(";")
            return parts[len(parts) // 2].strip() or None
    if text.startswith("case "):
        return text.split(":")[0]
    return _up_to_closing(text).split(";")[0].split("?")[0].strip() or None


def _up_to_closing(text: str) -> str:
    """Text up to a bracket that it did not open."""
    open_brackets: list[str] = []
    for place, letter in enumerate(text):
        if letter in CLOSING:
            open_brackets.append(CLOSING[letter])
        elif letter in CLOSING.values():
            if not open_brackets:
                return text[:place]
            open_brackets.pop()
    return text
