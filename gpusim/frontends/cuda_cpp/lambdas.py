"""What is a lambda? An object that holds what it captured; its body sees that under the names outside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clang.cindex import Cursor, CursorKind, StorageClass

from gpusim.frontends.cuda_cpp import clang, initializers, names, objects, types, values, variables
from gpusim.frontends.cuda_cpp.inlining import materialized
from gpusim.frontends.cuda_cpp.lowering import Frame, Lowering
from gpusim.frontends.cuda_cpp.operators import address_of, pointee
from gpusim.frontends.cuda_cpp.types import Reference, Struct, bare, struct_of

K = CursorKind


def made(low: Lowering, cursor: Cursor) -> values.Value:
    """`[=](int a) { … }`: what it captures by value is copied now."""
    closure, captures = struct_of(low.type(cursor)), _captures(low, cursor)
    low.unit.closures[closure] = captures, low.frame
    whole = initializers.assembled(closure)
    if low.unit.classes.copies(closure):
        whole = low.variable("lambda", closure, (low.frame.path, clang.begin(cursor), "lambda"))
    for declaration, type_, offset in captures:
        known: Any = low.frame.this if declaration is None else low.frame.find(declaration.hash)
        made_here = known is None
        if made_here:  # [x = expression]: an object that is the lambda's, and ends with it
            known = variables.declare(low, declaration)
            low.frame.scopes[-1:] = [scope.without(known) for scope in low.frame.scopes[-1:]]
        is_object = isinstance(known, values.Place) and isinstance(bare(type_), types.Array | Struct)
        if isinstance(type_, Reference) or (declaration is None and not isinstance(type_, Struct)):
            if not isinstance(known, values.Place):  # a constant
                known = materialized(low, known, "captured", (low.frame.path, clang.begin(cursor), offset))
            pointer = address_of(low, known)
            low.write(whole.part(offset, pointer.type), pointer)
        elif is_object and not made_here:
            objects.copy_object(low, whole.part(offset, type_), known)
        else:
            low.write(whole.part(offset, type_), low.kept(low.read(known)))
    return low.read(whole)


def _captures(low: Lowering, cursor: Cursor) -> list[values.Captured]:
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
    for one in _named(clang.children(cursor)[-1]):  # [&] is not shown: in order of their first use
        outlives = one.storage_class is StorageClass.STATIC or "__shared__" in clang.attributes(one)
        if low.frame.find(one.hash) is not None and not outlives:
            declarations.setdefault(one.hash, one)
    waiting, found = list(declarations.values()), list[values.Captured]()
    for field in cursor.type.get_fields():
        type_, offset = low.unit.types.read(field.type), field.get_field_offsetof() // 8
        known = next((one for one in waiting if types.alike(low.unit.types.read(one.type), type_)), None)
        if known is not None:
            waiting.remove(known)
        found.append((known, type_, offset))
    return found


def _named(cursor: Cursor, reads: bool = False) -> Iterator[Cursor]:
    """The variables that are named below, except for constants of which only the value is wanted."""
    known = cursor.referenced if cursor.kind is K.DECL_REF_EXPR else None
    constant = known is not None and reads and known.type.is_const_qualified()
    if known is not None and not (constant and clang.constant(known) is not None):
        yield known
    for child in clang.children(cursor):
        yield from _named(child, cursor.kind is K.UNEXPOSED_EXPR)


def opened(low: Lowering, owner: values.Place) -> tuple[Any, Frame]:
    """The object that it took along as `this`, and the frame in which its body finds what it captured."""
    captures, frame = low.unit.closures[struct_of(owner.type)]
    outer, this = Frame(frame.source, outer=frame), None
    for declaration, type_, offset in captures:
        part = names.part_of(low, owner, offset, type_)
        if declaration is not None:
            outer.names[declaration.hash] = part
        else:
            value = part if isinstance(type_, Struct) else low.read(part)
            this = pointee(value) if isinstance(value, values.PointerValue) else value
    return this, outer
