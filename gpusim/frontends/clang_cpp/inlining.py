"""How does the body of a function come to stand where it is called?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from clang.cindex import Cursor, CursorKind

from gpusim.frontends import flow
from gpusim.frontends.clang_cpp import clang
from gpusim.frontends.clang_cpp.conversions import based, converted
from gpusim.frontends.clang_cpp.frame import Frame
from gpusim.frontends.clang_cpp.lowering import Lowering
from gpusim.frontends.clang_cpp.memory import MEMBERS_AT_ONCE, has_array
from gpusim.frontends.clang_cpp.values import LambdaValue
from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.layout import leaves
from gpusim.frontends.cuda_cpp.types import VOID, CType, Reference, Struct, bare, is_const
from gpusim.frontends.cuda_cpp.values import (
    FunctionValue,
    MemoryPlace,
    NumberValue,
    Place,
    PointerValue,
    RegisterPlace,
    Result,
    StructPlace,
    StructValue,
    Value,
    VoidValue,
    is_place,
)
from gpusim.ir.instructions import ArrayOperand

K = CursorKind


def body_of(function: Cursor) -> Cursor | None:
    """What stands in the braces of a function; None where it is only declared."""
    return next((c for c in reversed(clang.children(function)) if c.kind is K.COMPOUND_STMT), None)


def parameters_of(function: Cursor) -> list[Cursor]:
    """Its parameters, in order."""
    return [child for child in clang.children(function) if child.kind is K.PARM_DECL]


def inline(
    low: Lowering,
    function: Cursor,
    results: Sequence[Result],
    this: Place | None,
    cursor: Cursor,
    outer: Frame | None = None,
    first: Callable[[Cursor], None] | None = None,
) -> Result:
    """Lower a function where it is called, at `cursor`. `first` is what a constructor does before its body."""
    definition = low.unit.definition(function)
    body = body_of(definition)
    span, caller = low.span(cursor), low.frame
    low.at = span
    if body is None:
        low.unit.check_defined(low, definition)
    low.unit.check_callable(low, definition)
    if definition.hash in caller.path:
        raise low.refused(f"`{definition.spelling}`, which calls itself,", "write it as a loop")
    path = (*caller.path, clang.begin(cursor), definition.hash)
    result_type = low.unit.types.read(definition.result_type) if definition.kind is not K.CONSTRUCTOR else VOID
    frame = Frame(low.unit.excerpt(definition), path, span, result_type, this=_steady_place(low, this), outer=outer)
    changes = low.unit.changed(definition)
    shared = _shares_variables(low, definition, results, this)
    parameters = parameters_of(definition)
    for position, parameter in enumerate(parameters):
        type_ = low.type(parameter)
        if position < len(results):
            result = results[position]
        else:
            result = _default(low, function, definition, position)
        if shared and not isinstance(type_, Reference):
            result = standing(low, low.read(result, span) if is_place(result) else result)
        frame.names[parameter.hash] = passed(low, parameter, type_, result, changes, frame)
    low.frame = frame
    try:
        if first is not None:
            first(definition)
        result = lowered(low, body) if body is not None else VoidValue(VOID)
    finally:
        low.frame = caller
    low.at = span
    return result


def _default(low: Lowering, function: Cursor, definition: Cursor, position: int) -> Result:
    for one in (definition, function, function.canonical):
        parameter = parameters_of(one)[position]
        given = [child for child in clang.children(parameter) if child.kind.is_expression()]
        if given:
            return low.evaluate(given[-1])
    raise low.refused(f"the default of `{function.spelling}`", "write the argument out")


def lowered(low: Lowering, body: Cursor) -> Result:
    """The body of a called function, up to where it leaves; what it returns."""
    frame, statements = low.frame, clang.children(body)
    span = low.span(body)
    count = returns(body)
    frame.single = bool(statements) and statements[-1].kind is K.RETURN_STMT and count == 1
    flow.inlined(low.site(span), lambda: low.statement(body))
    if not count and not isinstance(bare(frame.result_type), types.Void):
        raise low.wrong("a function that should return a value returns none", "return a value")
    if frame.result is None:
        return VoidValue(VOID)
    if frame.single or not is_place(frame.result) or isinstance(frame.result_type, Reference):
        return frame.result  # type: ignore[no-any-return]
    return low.read(frame.result, span)


def returns(cursor: Cursor) -> int:
    """How many `return`s stand in a body?"""
    if cursor.kind is K.RETURN_STMT:
        return 1
    return sum(returns(child) for child in clang.children(cursor) if child.kind is not K.LAMBDA_EXPR)


def standing(low: Lowering, value: Result) -> Result:
    """What a later change of the variables it came from does not change."""
    if isinstance(value, StructValue):
        return replace(value, leaves=tuple(low.kept(leaf) for leaf in value.leaves))  # type: ignore[misc]
    return low.kept(value)  # type: ignore[arg-type]


def passed(
    low: Lowering, parameter: Cursor, type_: CType, result: Result, changes: frozenset[int], frame: Frame
) -> Result:
    """What a parameter stands for: the argument itself where nobody can tell the difference."""
    name, span = parameter.spelling, low.at
    if isinstance(result, LambdaValue | FunctionValue) and not isinstance(bare(type_), types.Pointer):
        return result
    if isinstance(type_, Reference):
        if is_place(result):
            return referred(low, result, type_.target)  # type: ignore[arg-type]
        value = converted(low, result, type_.target)  # type: ignore[arg-type]
        return materialized(low, value, name, (frame.path, name)) if not is_const(type_.target) or isinstance(value, StructValue) else held(low, value)
    value = converted(low, low.read(result, span) if is_place(result) else result, type_)  # type: ignore[arg-type]
    memory = isinstance(value, StructValue) and has_array(value.type)
    if parameter.hash in changes or memory:
        return materialized(low, value, name, (frame.path, name))
    return held(low, value)


def held(low: Lowering, value: Value) -> Value:
    """The value, which is needed more than once."""
    if isinstance(value, NumberValue) and getattr(value.operand, "is_temporary", False):
        low.builder.hold(value.operand)
    elif isinstance(value, PointerValue):
        low.builder.hold(*(operand for operand, _ in value.address.terms))
    elif isinstance(value, StructValue):
        for leaf in value.leaves:
            held(low, leaf)
    return value


def materialized(low: Lowering, value: Value, name: str, key: Any) -> Place:
    """A variable with this value."""
    place = low.variable(name, value.type or VOID, key)
    low.write(place, value, low.at, among_last=MEMBERS_AT_ONCE)
    return place


def duplicate(low: Lowering, known: Result, name: str, key: object) -> Result:
    """A variable of its own with the same value."""
    if not is_place(known):
        return known
    place: Place = known  # type: ignore[assignment]
    made = low.variable(name, place.type, (low.frame.path, "copy", key))
    inner = bare(place.type)
    if isinstance(inner, types.Array):
        assert isinstance(place, MemoryPlace)
        assert isinstance(made, MemoryPlace)
        for leaf in leaves(inner):
            value = low.load(place.address.moved(leaf.offset), leaf.type, low.at)
            low.store(made.address.moved(leaf.offset), value, low.at)
    else:
        low.write(made, low.read(place, low.at), low.at)
    return made


def referred(low: Lowering, place: Place, type_: CType) -> Place:
    """The same object under the type of a reference."""
    if isinstance(place, MemoryPlace):
        place = MemoryPlace(place.type, low.frozen(place.address))
    given, wanted = bare(place.type), bare(type_)
    if isinstance(given, Struct) and isinstance(wanted, Struct):
        return based(low, place, type_)
    if isinstance(place, RegisterPlace):
        return RegisterPlace(type_, place.variable)
    return replace(place, type=type_)


def _steady_place(low: Lowering, this: Place | None) -> Place | None:
    if isinstance(this, MemoryPlace):
        return MemoryPlace(this.type, low.frozen(this.address))
    return this


def _shares_variables(low: Lowering, function: Cursor, results: Sequence[Result], this: Place | None) -> bool:
    """May it change variables of its caller: through a reference, a pointer, or as a method?"""
    places: list[Result] = [] if this is None or function.kind is K.CONSTRUCTOR else [this]
    pointers: list[Any] = []
    for parameter, result in zip(parameters_of(function), results, strict=False):
        type_ = low.type(parameter)
        if isinstance(result, LambdaValue):
            return True
        if isinstance(type_, Reference):
            places += [] if is_const(type_.target) else [result]
        else:
            pointers += result.leaves if isinstance(result, StructPlace | StructValue) else [result]
    regions = [
        pointer.address.region if isinstance(pointer, PointerValue) else pointer.variable.region
        for pointer in pointers
        if isinstance(pointer, PointerValue | RegisterPlace)
    ]
    return any(not isinstance(place, MemoryPlace) for place in places) or any(
        region is not None and not isinstance(region, ArrayOperand) for region in regions
    )
