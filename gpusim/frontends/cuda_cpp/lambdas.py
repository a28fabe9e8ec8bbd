"""What is a lambda? Its body, and the variables that it took along; it runs where it is called."""

from __future__ import annotations

from dataclasses import replace

from clang.cindex import Cursor, CursorKind

from gpusim.frontends.cuda_cpp import clang, types
from gpusim.frontends.cuda_cpp.inlining import duplicate
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.names import part_of
from gpusim.frontends.cuda_cpp.operators import pointee
from gpusim.frontends.cuda_cpp.types import Reference, Struct, bare
from gpusim.frontends.cuda_cpp.values import Captured, LambdaValue, Result, is_place
from gpusim.frontends.cuda_cpp.variables import declare

K = CursorKind


def made(low: Lowering, cursor: Cursor) -> LambdaValue:
    """`[=](int a) { … }`: what it captures by value is copied now."""
    closure = bare(low.type(cursor))
    assert isinstance(closure, Struct)
    this = low.frame.this
    captures = _captures(low, cursor)
    low.unit.closures[closure] = captures, low.frame
    value = LambdaValue(closure, low.frame, this)
    for declaration, type_, _offset in captures:
        key = clang.begin(cursor), declaration and declaration.hash
        if declaration is None:
            value.this = duplicate(low, this, "this", key) if isinstance(type_, Struct) else this
            continue
        known = low.frame.find(declaration.hash)
        if known is None:
            known = declare(low, declaration)  # [x = expression]
        elif not isinstance(type_, Reference):
            known = duplicate(low, known, declaration.spelling, key)
        value.captured[declaration.hash] = known
    return value


def _captures(low: Lowering, cursor: Cursor) -> list[Captured]:
    """What it captures, in the order of the fields that clang makes of that; None for `this`."""
    declarations = dict[int, Cursor]()
    for child in clang.children(cursor):
        if child.kind.is_expression() and clang.text(child)[:1] in ("=", "&"):  # [=] takes it along
            while child.kind is not K.DECL_REF_EXPR and (below := clang.children(child)):
                child = below[0]
        elif child.kind is not K.VARIABLE_REF:
            continue
        if child.kind in (K.VARIABLE_REF, K.DECL_REF_EXPR) and child.referenced is not None:
            declarations.setdefault(child.referenced.hash, child.referenced)
    waiting, found = list(declarations.values()), list[Captured]()
    for field in cursor.type.get_fields():
        type_, offset = low.unit.types.read(field.type), field.get_field_offsetof() // 8
        of_next = low.unit.types.read(waiting[0].type) if waiting else None
        same = of_next is not None and types.same_apart_from_const(bare(of_next), bare(type_))
        found.append((waiting.pop(0) if same else None, type_, offset))
    return found


def opened(low: Lowering, owner: Result) -> LambdaValue:
    """A lambda from the object that holds what it captured."""
    closure = bare(owner.type or types.VOID)
    assert isinstance(closure, Struct)
    captures, frame = low.unit.closures[closure]
    value = LambdaValue(closure, frame)
    for declaration, type_, offset in captures:
        part = part_of(low, owner, offset, type_)
        if declaration is not None:
            value.captured[declaration.hash] = part
        elif isinstance(type_, Struct):
            value.this = part
        else:
            pointer = low.read(part, low.at) if is_place(part) else part
            value.this = pointee(low, pointer)  # type: ignore[arg-type]
    return value


def copied(low: Lowering, value: LambdaValue, key: object) -> LambdaValue:
    """Another lambda, which changes nothing that the first one captured by value."""
    captures, _frame = low.unit.closures[value.type]
    made_ = replace(value, captured=dict(value.captured))
    for declaration, type_, _offset in captures:
        if declaration is not None and not isinstance(type_, Reference):
            known = value.captured[declaration.hash]
            made_.captured[declaration.hash] = duplicate(
                low, known, declaration.spelling, (key, declaration.hash)
            )
    return made_
