"""Which function lowers which kind of cursor?"""

from __future__ import annotations

import re

from clang.cindex import Cursor, CursorKind

from gpusim.frontends.cuda_cpp import allocation, clang, expressions, initializers, names, statements, types
from gpusim.frontends.cuda_cpp.assembly import assembly
from gpusim.frontends.cuda_cpp.calls import call
from gpusim.frontends.cuda_cpp.conditions import conditional, without_middle
from gpusim.frontends.cuda_cpp.conversions import adapted
from gpusim.frontends.cuda_cpp.initializers import zero
from gpusim.frontends.cuda_cpp.lambdas import made
from gpusim.frontends.cuda_cpp.lowering import Expression, Lowering, Statement
from gpusim.frontends.cuda_cpp.types import Array, Struct, bare
from gpusim.frontends.cuda_cpp.values import NULL, PointerValue, Result, TextValue
from gpusim.frontends.cuda_cpp.variables import bind, declare
from gpusim.ir.types import F64, PRED

K = CursorKind
KNOWN = (
    K.INTEGER_LITERAL, K.FLOATING_LITERAL, K.CHARACTER_LITERAL, K.CXX_BOOL_LITERAL_EXPR, K.CXX_UNARY_EXPR,
    K.SIZE_OF_PACK_EXPR,
)  # fmt: skip
NULLPTR = PointerValue(types.NULLPTR, NULL)


def added(low: Lowering, cursor: Cursor) -> Result:
    """What clang adds around an expression: a conversion, mostly."""
    below = [child for child in clang.children(cursor) if child.kind.is_expression()]
    type_ = low.type(cursor)
    if not below:
        return low.known(cursor, type_) or zero(type_)
    if len(below) > 2 and re.search(r"\?\s*:", clang.text(cursor)):
        return without_middle(low, cursor)
    inner = below[0]
    if len(below) > 1 and not isinstance(type_, Array):
        raise low.refused(f"`{low.text(cursor)}`")
    if isinstance(type_, Struct) and clang.is_listing(cursor.type):
        array = bare(low.type(inner))
        if isinstance(array, Array):
            return initializers.listing(low, type_, array, inner)
    given = [child for child in clang.children(inner) if child.kind.is_expression()]
    if inner.kind is K.UNEXPOSED_EXPR and getattr(type_, "scalar", PRED).is_float and len(given) == 1:
        narrow, wide = (getattr(low.type(one), "scalar", F64) for one in (given[0], inner))
        # a whole number need not become a wider one before it becomes a float
        if narrow.is_integer and wide.is_integer and narrow.bits < wide.bits:
            inner = given[0] if wide.kind == "i" or narrow.kind == "u" else inner
    return adapted(low, low.evaluate(inner), type_)


def dynamic_cast(low: Lowering, _cursor: Cursor) -> Result:
    """What C++ has, and kernels have not."""
    raise low.refused("`dynamic_cast`", "ask a virtual method of the object")


EXPRESSIONS: dict[CursorKind, Expression] = {
    K.UNEXPOSED_EXPR: added,
    K.PAREN_EXPR: lambda low, cursor: low.evaluate(clang.children(cursor)[0]),
    **dict.fromkeys(KNOWN, Lowering.number),
    K.STRING_LITERAL: lambda low, one: TextValue(low.type(one), clang.letters(one).decode("latin-1")),
    **dict.fromkeys((K.CXX_NULL_PTR_LITERAL_EXPR, K.GNU_NULL_EXPR), lambda _low, _cursor: NULLPTR),
    K.BINARY_OPERATOR: expressions.operator,
    K.COMPOUND_ASSIGNMENT_OPERATOR: expressions.compound,
    K.UNARY_OPERATOR: expressions.single,
    K.CONDITIONAL_OPERATOR: conditional,
    **dict.fromkeys(clang.CASTS, expressions.cast),
    K.DECL_REF_EXPR: names.named,
    K.MEMBER_REF_EXPR: names.member,
    K.CXX_THIS_EXPR: names.this,
    K.ARRAY_SUBSCRIPT_EXPR: names.element,
    K.CALL_EXPR: call,
    K.INIT_LIST_EXPR: lambda low, cursor: initializers.initial(low, low.type(cursor), cursor),
    K.LAMBDA_EXPR: made,
    K.CXX_NEW_EXPR: allocation.made,
    K.CXX_DELETE_EXPR: allocation.deleted,
    K.CXX_DYNAMIC_CAST_EXPR: dynamic_cast,
    K.StmtExpr: statements.valued,
    K.COMPOUND_LITERAL_EXPR: initializers.literal,
}  # fmt: skip
STATEMENTS: dict[CursorKind, Statement] = {
    K.COMPOUND_STMT: statements.block,
    K.DECL_STMT: lambda low, cursor: statements.in_turn(low, clang.children(cursor)),
    K.VAR_DECL: declare,
    K.UNEXPOSED_DECL: bind,
    K.IF_STMT: statements.branch,
    K.WHILE_STMT: lambda low, cursor: statements.loop(low, cursor, *clang.children(cursor)),
    K.DO_STMT: statements.do_while,
    K.FOR_STMT: statements.for_,
    K.CXX_FOR_RANGE_STMT: statements.for_range,
    K.SWITCH_STMT: statements.switch,
    K.CASE_STMT: statements.case,
    K.DEFAULT_STMT: statements.case,
    K.LABEL_STMT: statements.label,
    K.GOTO_STMT: statements.goto,
    K.BREAK_STMT: statements.leave,
    K.CONTINUE_STMT: statements.leave,
    K.RETURN_STMT: statements.returned,
    K.ASM_STMT: assembly,
    K.UNEXPOSED_STMT: statements.attributed,
    K.NULL_STMT: lambda _low, _cursor: None,
    # expressions whose value is not wanted
    K.UNARY_OPERATOR: expressions.for_effect,
    K.BINARY_OPERATOR: expressions.for_effect,
    K.COMPOUND_ASSIGNMENT_OPERATOR: lambda low, cursor: low.unused(expressions.compound(low, cursor)),
    K.CALL_EXPR: lambda low, cursor: low.unused(call(low, cursor)),
    K.CONDITIONAL_OPERATOR: lambda low, cursor: low.unused(conditional(low, cursor)),
}
