"""What is a lambda? Its body, and the variables that it took along; it runs where it is called."""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind

from gpusim.frontends.clang_cpp import clang, shapes
from gpusim.frontends.clang_cpp.lowering import Lowering
from gpusim.frontends.clang_cpp.values import LambdaValue
from gpusim.frontends.clang_cpp.variables import declare
from gpusim.frontends.cuda_cpp.layout import leaves
from gpusim.frontends.cuda_cpp.types import Array, bare
from gpusim.frontends.cuda_cpp.values import MemoryPlace, Place, Result, is_place

K = CursorKind


def made(low: Lowering, cursor: Cursor) -> LambdaValue:
    """`[=](int a) { … }`: what it captures by value is copied now."""
    value = LambdaValue(low.type(cursor), low.frame, mutable=shapes.is_mutable(cursor))
    by_value, named = shapes.captures(cursor)
    body = next(c for c in reversed(clang.children(cursor)) if c.kind is K.COMPOUND_STMT)
    for child in clang.children(cursor):
        if child.kind is K.VARIABLE_REF and low.frame.find(child.referenced.hash) is None:
            declare(low, child.referenced)  # [x = expression]
    for declaration in _used(body):
        known = low.frame.find(declaration.hash)
        copied = named.get(declaration.spelling, by_value)
        if known is None or not copied or declaration.hash in value.captured:
            continue
        value.captured[declaration.hash] = copy(low, known, declaration.spelling, (clang.begin(cursor), declaration.hash))
    return value


def copy(low: Lowering, known: Result, name: str, key: object) -> Result:
    """A variable of its own with the same value."""
    if not is_place(known):
        return known
    place: Place = known  # type: ignore[assignment]
    made_ = low.variable(name, place.type, (low.frame.path, "captured", key))
    inner = bare(place.type)
    if isinstance(inner, Array):
        assert isinstance(place, MemoryPlace)
        assert isinstance(made_, MemoryPlace)
        for leaf in leaves(inner):
            value = low.load(place.address.moved(leaf.offset), leaf.type, low.at)
            low.store(made_.address.moved(leaf.offset), value, low.at)
    else:
        low.write(made_, low.read(place, low.at), low.at)
    return made_


def _used(cursor: Cursor) -> list[Cursor]:
    """Declarations of variables that are named in it."""
    found = {}
    waiting = [cursor]
    while waiting:
        one = waiting.pop()
        if one.kind is K.DECL_REF_EXPR and one.referenced.kind in (K.VAR_DECL, K.PARM_DECL):
            found[one.referenced.hash] = one.referenced
        waiting += clang.children(one)
    return list(found.values())
