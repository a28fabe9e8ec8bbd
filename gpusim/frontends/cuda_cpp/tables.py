"""Which function lowers which kind of cursor?"""

from __future__ import annotations

import re

from clang.cindex import Cursor, CursorKind

from gpusim.frontends.cuda_cpp import (
    allocation,
    assembly,
    calls,
    clang,
    expressions,
    initializers,
    lambdas,
    names,
    ranges,
    statements,
    types,
)
from gpusim.frontends.cuda_cpp.conditions import conditional, without_middle
from gpusim.frontends.cuda_cpp.conversions import adapted
from gpusim.frontends.cuda_cpp.initializers import zero
from gpusim.frontends.cuda_cpp.lowering import Expression, Lowering, Statement
from gpusim.frontends.cuda_cpp.types import Array, Struct, bare
from gpusim.frontends.cuda_cpp.values import Result
from gpusim.ir.types import PRED

K = CursorKind


def added(low: Lowering, cursor: Cursor) -> Result:
    """What clang adds around an expression: a conversion, mostly."""
    below = [child for child in clang.children(cursor) if child.kind.is_expression()]
    type_ = low.type(cursor)
    if not below:
        known = types.number_type(type_) and clang.constant(cursor)
        return zero(type_) if known is None else low.number(cursor)
    if len(below) > 2 and re.search(r"\?\s*:", clang.text(cursor)):
        return without_middle(low, cursor)
    inner = below[0]
    if len(below) > 1 and not isinstance(type_, Array):
        raise low.refused(f"`{low.text(cursor)}`")
    if isinstance(type_, Struct) and type_.name.startswith("std::initializer_list<"):
        array = bare(low.type(inner))
        if isinstance(array, Array):
            return initializers.listing(low, type_, array, inner)
    if inner.kind is K.UNEXPOSED_EXPR and getattr(type_, "scalar", PRED).is_float and _widens(low, inner):
        inner = clang.children(inner)[0]
    return adapted(low, low.evaluate(inner), type_)


def _widens(low: Lowering, cursor: Cursor) -> bool:
    """Is it a whole number that becomes a wider one before it becomes a float? Then it need not."""
    below = clang.children(cursor)
    if len(below) != 1 or not below[0].kind.is_expression():
        return False
    narrow, wide = (getattr(low.type(one), "scalar", None) for one in (below[0], cursor))
    if narrow is None or wide is None or not (narrow.is_integer and wide.is_integer):
        return False
    return bool(narrow.bits < wide.bits and (wide.kind == "i" or narrow.kind == "u"))


def refused(word: str, hint: str) -> Expression:
    """What C++ has, and kernels have not."""

    def refuse(low: Lowering, _cursor: Cursor) -> Result:
        raise low.refused(f"`{word}`", hint)

    return refuse


EXPRESSIONS: dict[CursorKind, Expression] = {
    K.UNEXPOSED_EXPR: added,
    K.PAREN_EXPR: lambda low, cursor: low.evaluate(clang.children(cursor)[0]),
    **dict.fromkeys(
        (K.INTEGER_LITERAL, K.FLOATING_LITERAL, K.CHARACTER_LITERAL, K.CXX_BOOL_LITERAL_EXPR), Lowering.number
    ),
    K.STRING_LITERAL: expressions.text,
    K.CXX_NULL_PTR_LITERAL_EXPR: expressions.null,
    K.GNU_NULL_EXPR: expressions.null,
    K.BINARY_OPERATOR: expressions.operator,
    K.COMPOUND_ASSIGNMENT_OPERATOR: expressions.compound,
    K.UNARY_OPERATOR: expressions.single,
    K.CONDITIONAL_OPERATOR: conditional,
    **dict.fromkeys(
        (
            K.CSTYLE_CAST_EXPR, K.CXX_STATIC_CAST_EXPR, K.CXX_REINTERPRET_CAST_EXPR, K.CXX_CONST_CAST_EXPR,
            K.CXX_FUNCTIONAL_CAST_EXPR,
        ),
        expressions.cast,
    ),
    K.CXX_UNARY_EXPR: expressions.measured,
    K.SIZE_OF_PACK_EXPR: expressions.measured,
    K.DECL_REF_EXPR: names.named,
    K.MEMBER_REF_EXPR: names.member,
    K.CXX_THIS_EXPR: names.this,
    K.ARRAY_SUBSCRIPT_EXPR: names.element,
    K.CALL_EXPR: calls.call,
    K.INIT_LIST_EXPR: lambda low, cursor: initializers.initial(low, low.type(cursor), cursor),
    K.LAMBDA_EXPR: lambdas.made,
    K.CXX_NEW_EXPR: allocation.made,
    K.CXX_DELETE_EXPR: allocation.deleted,
    K.CXX_DYNAMIC_CAST_EXPR: refused("dynamic_cast", "ask a virtual method of the object"),
    K.StmtExpr: statements.valued,
    K.COMPOUND_LITERAL_EXPR: initializers.literal,
}  # fmt: skip
STATEMENTS: dict[CursorKind, Statement] = {
    K.COMPOUND_STMT: statements.block,
    K.DECL_STMT: statements.declarations,
    K.IF_STMT: statements.branch,
    K.WHILE_STMT: statements.while_,
    K.DO_STMT: statements.do_while,
    K.FOR_STMT: statements.for_,
    K.CXX_FOR_RANGE_STMT: ranges.for_range,
    K.SWITCH_STMT: statements.switch,
    K.CASE_STMT: statements.case,
    K.DEFAULT_STMT: statements.case,
    K.LABEL_STMT: statements.label,
    K.GOTO_STMT: statements.goto,
    K.BREAK_STMT: statements.leave,
    K.CONTINUE_STMT: statements.leave,
    K.RETURN_STMT: statements.returned,
    K.ASM_STMT: assembly.assembly,
    K.UNEXPOSED_STMT: statements.attributed,
    K.NULL_STMT: lambda _low, _cursor: None,
    # expressions whose value is not wanted
    K.UNARY_OPERATOR: expressions.unary_for_effect,
    K.BINARY_OPERATOR: expressions.binary_for_effect,
    K.COMPOUND_ASSIGNMENT_OPERATOR: lambda low, cursor: low.unused(expressions.compound(low, cursor)),
    K.CALL_EXPR: lambda low, cursor: low.unused(calls.call(low, cursor)),
    K.CONDITIONAL_OPERATOR: lambda low, cursor: low.unused(conditional(low, cursor)),
}
