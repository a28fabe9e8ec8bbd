"""Which value does a literal stand for?"""

from __future__ import annotations

from clang.cindex import Cursor

from gpusim.frontends import fold
from gpusim.frontends.cuda_cpp import clang, types
from gpusim.frontends.cuda_cpp.lowering import Lowering, number_type
from gpusim.frontends.cuda_cpp.types import bare
from gpusim.frontends.cuda_cpp.values import NULL, NumberValue, PointerValue, TextValue, Value


def number(low: Lowering, cursor: Cursor) -> Value:
    """`42`, `1e-3f`, `'a'`, `true`."""
    type_ = bare(low.type(cursor))
    kind = number_type(type_)
    found = None if kind is None else clang.constant(cursor)
    if kind is None or found is None:
        raise low.refused(f"`{low.text(cursor)}`" + (f", of type {type_}," if kind is None else ""))
    return NumberValue(type_, fold.constant(found, kind.scalar))


def text(low: Lowering, cursor: Cursor) -> Value:
    """`"a text"`; one letter a byte."""
    return TextValue(low.type(cursor), clang.letters(cursor).decode("latin-1"))


def null(low: Lowering, _cursor: Cursor) -> Value:
    """`nullptr`."""
    return PointerValue(types.NULLPTR, NULL)
