"""What is a pointer to a member? How far on a variable lies in its struct, or the number of a method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from clang.cindex import Cursor, CursorKind

from gpusim.frontends.cuda_cpp import clang, conversions, types
from gpusim.frontends.cuda_cpp.inlining import inline
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.names import as_object
from gpusim.frontends.cuda_cpp.operators import pointee
from gpusim.frontends.cuda_cpp.types import FunctionType, MemberPointer, bare
from gpusim.frontends.cuda_cpp.values import NumberValue, Place, PointerValue, Result, Variable
from gpusim.frontends.cuda_cpp.virtual import by_number, dispatch
from gpusim.ir.instructions import Constant
from gpusim.ir.types import S64

NONE = "a pointer to a method that is null, or to none of this kernel's"
SIGNS = (".*", "->*")


def made(low: Lowering, type_: MemberPointer, cursor: Cursor) -> NumberValue:
    """`&S::x`, `&S::method`."""
    member = cursor.referenced
    if type_.of_method:
        return NumberValue(type_, Constant(low.unit.number_of(member.get_definition() or member), S64))
    start = next(low.unit.types.subobjects(type_.struct, _home(low, member), nameless=True))
    return NumberValue(type_, Constant(start + member.get_field_offsetof() // 8, S64))


def is_use(cursor: Cursor) -> bool:
    """Is it `object.*pointer` or `object->*pointer`?"""
    return cursor.kind is CursorKind.BINARY_OPERATOR and clang.sign(cursor) in SIGNS


def _sides(low: Lowering, cursor: Cursor) -> tuple[Place, MemberPointer, NumberValue]:
    left, right = clang.children(cursor)
    owner = low.value(left) if clang.sign(cursor) == "->*" else low.evaluate(left)
    owner, number = pointee(owner) if isinstance(owner, PointerValue) else owner, low.value(right)
    type_ = bare(number.type)
    assert isinstance(number, NumberValue)
    assert isinstance(type_, MemberPointer)
    low.go_to(cursor)
    return conversions.based(low, as_object(low, owner), type_.struct), type_, number


def used(low: Lowering, cursor: Cursor) -> Place:
    """The variable in the object."""
    owner, type_, number = _sides(low, cursor)
    if isinstance(number.operand, Constant):
        return owner.part(int(number.operand.value), type_.target)
    if isinstance(owner.address.region, Variable):
        low.into_memory(owner.address.region)
    terms = (*owner.address.terms, (low.copied(number.operand), 1))
    return Place(type_.target, replace(owner.address, terms=terms))


def called(low: Lowering, use: Cursor, arguments: Sequence[Cursor], cursor: Cursor) -> Result:
    """`(object.*pointer)(…)`: of each method that it may be, by its number."""
    owner, type_, number = _sides(low, use)
    signature = bare(type_.target)
    assert isinstance(signature, FunctionType)

    def fits(one: Cursor) -> bool:
        method = one.kind is CursorKind.CXX_METHOD and low.unit.types.read(one.type) == signature
        return method and conversions.base_offset(low, type_.struct, _home(low, one)) is not None

    run = partial(_run, low, owner, cursor)
    return by_number(low, number, signature, (arguments, cursor), fits, run, NONE)


def _home(low: Lowering, member: Cursor) -> types.Struct:
    return types.struct_of(low.unit.types.read(member.semantic_parent.type))


def _run(low: Lowering, owner: Place, cursor: Cursor, method: Cursor, results: Sequence[Result]) -> Result:
    this = conversions.based(low, owner, _home(low, method))
    if not method.is_virtual_method():
        return inline(low, method, results, this, cursor)
    result = low.unit.types.read(method.result_type)
    return dispatch(low, this, method, lambda one, at: inline(low, one, results, at, cursor), result)
