"""Which variables may a function's body change? A parameter that nobody changes stands for its argument."""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind, TypeKind

from gpusim.frontends.cuda_cpp import clang

K = CursorKind
STEPS = ("++p", "--p", "p++", "p--")
ARRAYS = (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY)


def changed(body: Cursor) -> frozenset[int]:
    """Declarations that are used in any way but reading, by hash; rather one too many."""
    found: set[int] = set()
    _look(body, False, found)
    return frozenset(found)


def assigns(cursor: Cursor) -> bool:
    """Is there an assignment in it, or a call that may make one?"""
    if cursor.kind in (K.COMPOUND_ASSIGNMENT_OPERATOR, K.CALL_EXPR):
        return True
    if cursor.kind in (K.BINARY_OPERATOR, K.UNARY_OPERATOR) and clang.sign(cursor) in ("=", *STEPS):
        return True
    return any(assigns(child) for child in clang.children(cursor))


def _look(cursor: Cursor, reading: bool, found: set[int]) -> None:
    kind = cursor.kind
    if kind is K.DECL_REF_EXPR and not reading:
        declaration = cursor.referenced
        if declaration is not None and not declaration.type.is_const_qualified():
            found.add(declaration.hash)
        return
    below = clang.children(cursor)
    if kind is K.UNEXPOSED_EXPR and len(below) == 1:
        # an array that becomes a pointer is handed out; all else that clang adds reads
        array = below[0].type.get_canonical().kind in ARRAYS
        _look(below[0], reading or not array, found)
    elif kind is K.CONDITIONAL_OPERATOR:
        for child in below:
            _look(child, reading and child is not below[0], found)
    else:
        passing = kind in (K.PAREN_EXPR, K.MEMBER_REF_EXPR)
        if kind is K.MEMBER_REF_EXPR and below and below[0].type.get_canonical().kind is TypeKind.POINTER:
            passing = False
        for child in below:
            _look(child, reading and passing, found)
