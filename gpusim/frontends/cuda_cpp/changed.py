"""Which variables may a function's body change? A parameter that nobody changes stands for its argument."""

from __future__ import annotations

from collections.abc import Iterator

from clang.cindex import Cursor, CursorKind, TypeKind

from gpusim.frontends.cuda_cpp import clang

K = CursorKind
STEPS = ("++p", "--p", "p++", "p--")
ARRAYS = (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY)


def changed(body: Cursor) -> frozenset[int]:
    """Declarations that are used in any way but reading, by hash; rather one too many."""
    return frozenset(_used(body, False))


def assigns(cursor: Cursor) -> bool:
    """Is there an assignment in it, or a call that may make one?"""
    operators = K.BINARY_OPERATOR, K.UNARY_OPERATOR
    return any(
        one.kind in (K.COMPOUND_ASSIGNMENT_OPERATOR, K.CALL_EXPR)
        or (one.kind in operators and clang.sign(one) in ("=", *STEPS))
        for one in clang.walk(cursor)
    )


def _used(cursor: Cursor, reading: bool) -> Iterator[int]:
    kind, below = cursor.kind, clang.children(cursor)
    if kind is K.DECL_REF_EXPR and not reading:
        declaration = cursor.referenced
        if declaration is not None and not declaration.type.is_const_qualified():
            yield declaration.hash
        return
    for child in below:
        if kind is K.UNEXPOSED_EXPR and len(below) == 1:
            # an array that becomes a pointer is handed out; all else that clang adds reads
            reads = reading or child.type.get_canonical().kind not in ARRAYS
        elif kind is K.CONDITIONAL_OPERATOR:
            reads = reading and child is not below[0]
        else:
            points = below[0].type.get_canonical().kind is TypeKind.POINTER
            owner = kind is K.MEMBER_REF_EXPR and not points
            owner = owner or (kind is K.ARRAY_SUBSCRIPT_EXPR and _decays(below[0]))
            reads = reading and (owner or kind is K.PAREN_EXPR)
        yield from _used(child, reads)


def _decays(cursor: Cursor) -> bool:
    """Is it an array, no parameter, that becomes a pointer of which one element is wanted?"""
    named = clang.inner(cursor).referenced
    array = named is not None and named.kind is K.VAR_DECL and cursor.kind is K.UNEXPOSED_EXPR
    return array and named.type.get_canonical().kind in ARRAYS
