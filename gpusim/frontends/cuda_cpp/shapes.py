"""Which part of a statement is which? clang leaves out what is not there: `for (;;)` has a body alone."""

from __future__ import annotations

import re

from clang.cindex import Cursor, CursorKind, TypeKind

from gpusim.frontends.cuda_cpp import clang

K = CursorKind
NOISE = re.compile(
    r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])|"
    r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//[^\n]*|/\*.*?\*/',
    re.DOTALL,
)


def plain(text: str) -> str:
    """The text with blanks for comments and literals, as many letters as it has bytes."""
    letters = NOISE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text.encode().decode("latin-1"))
    return re.sub(r"[^\x00-\x7f]", "_", letters)


def initializer(variable: Cursor) -> Cursor | None:
    """The first value of a variable, if it has one."""
    if not variable.kind.is_declaration():  # the library takes anything for a declaration, even a name
        return None
    found = clang.library().clang_Cursor_getVarDeclInitializer(variable)
    found._tu = variable._tu
    return None if found.kind.is_invalid() else found


def function_of(variable: Cursor) -> Cursor | None:
    """The function that a pointer is initialized with."""
    found = initializer(variable)
    while found is not None and found.kind is not K.DECL_REF_EXPR:
        found = (clang.children(found) or [None])[-1]
    return None if found is None else found.referenced


def closing(text: str, at: int, brackets: tuple[str, str] = ("([{", ")]}")) -> int:
    """Behind the bracket that closes the one that stands there."""
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] in brackets[0]) - (text[place] in brackets[1])
        if not depth:
            return place + 1
    raise AssertionError(text)


def for_parts(cursor: Cursor) -> tuple[Cursor | None, list[Cursor], Cursor | None, Cursor]:
    """What `for` starts with, its test (and a variable that is declared in it), its step, its body."""
    *header, body = clang.children(cursor)
    begin, text = clang.begin(cursor), plain(clang.text(cursor))
    text = text[: clang.begin(body) - begin]
    depth, ends = 0, list[int]()
    for position, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == ";" and depth == 1:
            ends.append(begin + position)
    slots: list[list[Cursor]] = [[], [], []]
    deciding = (at for at, part in enumerate(header) if _decides(part))
    test = 1 if len(header) == 3 else max(deciding, default=-1)
    for place, part in enumerate(header):
        if len(ends) == 2:
            slots[sum(clang.begin(part) > end for end in ends)].append(part)
        else:  # it comes from a macro, where all parts stand at one place
            first = place < test if test >= 0 else not part.kind.is_expression() or place < len(header) - 1
            slots[0 if first else 1 if place == test else 2].append(part)
    start, tests, step = slots
    return (start or [None])[0], tests, (step or [None])[0], body


def has_else(cursor: Cursor) -> bool:
    """Is the last part of an `if` its `else`? Then the test, a bool without a `;`, is two before."""
    parts = clang.children(cursor)
    if len(parts) < 3 or not _decides(parts[-3]):
        return False
    begin, (test, then) = clang.begin(cursor), parts[-3:-1]
    return ";" not in plain(clang.text(cursor))[clang.end(test) - begin : clang.begin(then) - begin]


def _decides(part: Cursor) -> bool:
    return bool(part.kind.is_expression() and part.type.get_canonical().kind is TypeKind.BOOL)


def is_constexpr(cursor: Cursor) -> bool:
    return bool(re.match(r"if\s+constexpr\b", clang.text(cursor)))


def hidden(cursor: Cursor, body: Cursor) -> list[Cursor]:
    """What `switch (int k = f(); k)` declares, which clang does not show."""
    begin, end = clang.begin(cursor), clang.begin(body)
    if ";" not in plain(clang.text(cursor))[: end - begin]:
        return []
    named = (one.referenced for one in clang.walk(cursor) if one.kind is K.DECL_REF_EXPR)
    own = (one for one in named if one and one.kind is K.VAR_DECL and begin < clang.begin(one) < end)
    return sorted({one.hash: one for one in own}.values(), key=clang.begin)


def alignment(variable: Cursor) -> int:
    """What `alignas` or `__align__` asks for, in bytes."""
    given = re.findall(r"(?:alignas|aligned|__align__)\s*\(+\s*(\d+)", clang.printed(variable))
    return max(map(int, given), default=1)
