"""How does the body of a function come to stand where it is called?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clang.cindex import Cursor, CursorKind

from gpusim.frontends import flow
from gpusim.frontends.cuda_cpp import changed, clang, conditions, memory, recursion, types, values
from gpusim.frontends.cuda_cpp.conversions import Outcome, based, converted
from gpusim.frontends.cuda_cpp.lowering import Frame, Lowering
from gpusim.frontends.cuda_cpp.operators import address_of, pointee
from gpusim.frontends.cuda_cpp.types import VOID, CType, Reference, bare, is_const
from gpusim.frontends.cuda_cpp.values import Place, Result, Results, Value

K = CursorKind
Cursors = Sequence[Cursor]


def body_of(function: Cursor) -> Cursor | None:
    """What stands in the braces of a function; None where it is only declared."""
    return next((c for c in reversed(clang.children(function)) if c.kind is K.COMPOUND_STMT), None)


def parameters_of(function: Cursor) -> list[Cursor]:
    return [child for child in clang.children(function) if child.kind is K.PARM_DECL]


def results_of(low: Lowering, function: Cursor, arguments: Cursors, in_order: bool = False) -> Results:
    """Arguments as their parameters take them: places for references, else values; in braces `in_order`."""
    found: list[Result] = []
    parameters = parameters_of(low.unit.definition(function))
    for position, argument in enumerate(arguments):
        type_ = low.type(parameters[position]) if position < len(parameters) else None
        refers = isinstance(type_, Reference)
        found.append(conditions.place_of(low, argument) if refers else low.evaluate(argument))
        if in_order and any(map(changed.assigns, arguments[position + 1 :])):
            found[-1] = again(low, found[-1] if refers else low.read(found[-1]))
    return found


def inline(
    low: Lowering, function: Cursor, results: Results, this: Place | None, cursor: Cursor, **more: Any
) -> Result:
    """Lower a function where it is called, at `cursor`. `more` is for its frame: `outer`, and `first`."""
    definition, caller = low.unit.definition(function), low.frame
    body, span = body_of(definition), low.span(cursor)
    low.at = span
    low.unit.check_callable(low, definition)
    active, choice = low.activations.get(definition.hash), ("recursive", definition.hash)
    if definition.hash in caller.path and active is None:
        low.choose(choice, "stack")
    path = (*caller.path, clang.begin(cursor), definition.hash)
    frame = Frame(low.unit.excerpt(definition), definition, path, span, **more)
    if definition.kind is not K.CONSTRUCTOR:
        frame.result_type = low.unit.types.read(definition.result_type)
    frame.this = this and referred(low, this, this.type)
    given = all_given(low, function, results)
    if choice in low.choices:
        return _recursive(low, frame, given) if active is None else _called_again(low, active, frame, given)
    changes = low.unit.changed(definition)
    shared = frame.outer is not None or _shares_variables(low, definition, results, this)
    for parameter, result in zip(parameters_of(definition), given, strict=False):
        if shared and not isinstance(low.type(parameter), Reference):
            result = low.kept(low.read(result))
        frame.names[parameter.hash] = passed(low, parameter, result, parameter.hash in changes, frame)
    low.frame = frame
    try:
        result = lowered(low, body)
    finally:
        low.frame = caller
    low.at = span
    return result


def all_given(low: Lowering, function: Cursor, results: Results) -> Results:
    """What a function is given, with the defaults of parameters for which the call gives nothing."""
    found, at = list(results), low.at
    declared = low.unit.definition(function), function, function.canonical
    for one in [*zip(*map(parameters_of, declared), strict=False)][len(found) :]:
        inside = (child for parameter in one for child in reversed(clang.children(parameter)))
        default = next((child for child in inside if child.kind.is_expression()), None)
        if default is None:
            raise low.refused(f"the default of `{function.spelling}`", "write the argument out")
        found.append(low.evaluate(default))
    low.at = at
    return found


def lowered(low: Lowering, body: Cursor | None) -> Result:
    """The body of a called function, up to where it leaves; what it returns."""
    frame = low.frame
    if frame.first is not None:
        frame.first(frame.function)
    if body is None:
        return values.VoidValue()
    inside = clang.walk(body, lambda one: one.kind is not K.LAMBDA_EXPR)
    leaving = [one for one in inside if one.kind is K.RETURN_STMT]
    named = {returned_variable(one) for one in leaving}
    frame.kept = named.pop() if len(named) == 1 else None
    at_end = len(leaving) == 1 and clang.children(body)[-1].kind is K.RETURN_STMT
    frame.single = at_end and not frame.recursive
    if frame.single and low.unit.parsed.source_of(frame.function.location) is None:
        low.statement(body)  # a function of CUDA's makes no block of its own
    else:
        flow.inlined(low.site_of(body), lambda: low.statement(body))
    if not leaving and not isinstance(bare(frame.result_type), types.Void):
        raise low.wrong("a function that should return a value returns none", "return a value")
    return _result(frame)


def _result(frame: Frame) -> Result:
    """What the function has left for its caller."""
    outcome: Outcome | None = frame.outcome
    return outcome.found() if outcome is not None else frame.result or values.VoidValue()


# functions that call themselves -----------------------------------------------------------------------------


def _recursive(low: Lowering, frame: Frame, given: Results) -> Result:
    """The first call: its body is lowered for all others, too."""
    caller, span, body, frame.recursive = low.frame, low.at, body_of(frame.function), True
    assert body is not None
    outcome_of(low, frame)
    prepared = _prepared(low, frame, given)
    active = recursion.begun(low, frame)
    for (name, _type), value in zip(_slots(low, frame), prepared, strict=True):
        known = isinstance(value, values.FunctionValue)
        active.slots.append(value if known else materialized(low, value, name, (frame.path, name)))
    low.frame, places = frame, list(active.slots)
    if frame.this is not None and frame.outer is None:
        frame.this = _referred_to(low, places.pop())
    for parameter, place in zip(parameters_of(frame.function), places, strict=True):
        refers = isinstance(low.type(parameter), Reference)
        frame.names[parameter.hash] = _referred_to(low, place) if refers else place
    recursion.run(low, active, low.site_of(body), lambda: lowered(low, body))
    low.at = low.closing(body)
    recursion.ended(low, active)
    result, low.at = _result(frame), span
    low.frame = caller
    return result


def _referred_to(low: Lowering, slot: Result) -> Result:
    pointer = low.read(slot)
    return pointee(pointer) if isinstance(pointer, values.PointerValue) else slot


def _called_again(low: Lowering, active: recursion.Activation, frame: Frame, given: Results) -> Result:
    prepared = _prepared(low, frame, given)
    for value in prepared:
        recursion.check_outlives(low, active, value)

    def write() -> None:
        for slot, value in zip(active.slots, prepared, strict=True):
            if isinstance(slot, Place):
                low.write(slot, value)
            elif slot != value:
                hint = "pass a pointer to a function, or a number that says which"
                raise low.refused("a function that calls itself with another lambda or function", hint)

    recursion.again(low, active, write)
    return again(low, _result(active.frame))


def _slots(low: Lowering, frame: Frame) -> list[tuple[str, CType]]:
    """The parameters of a function, by name and type; of a method the object is one more."""
    found = [(parameter.spelling, low.type(parameter)) for parameter in parameters_of(frame.function)]
    of_object = frame.this is not None and frame.outer is None
    return [*found, ("this", Reference(frame.this.type))] if of_object else found


def _prepared(low: Lowering, frame: Frame, given: Results) -> list[Value]:
    """Arguments as values that stand, whatever is assigned meanwhile; addresses for references."""
    found, slots = list[Value](), _slots(low, frame)
    for (name, type_), result in zip(slots, [*given, frame.this][: len(slots)], strict=True):
        if not isinstance(type_, Reference):
            result = low.pointed(converted(low, low.read(result), type_))
        elif not isinstance(result, values.FunctionValue):
            if not isinstance(result, Place):
                value = converted(low, result, type_.target)
                result = materialized(low, value, name, (frame.path, "given", name))
            result = address_of(low, referred(low, result, type_.target))
        found.append(low.kept(result))
    return found


def outcome_of(low: Lowering, frame: Frame) -> Outcome:
    """The variable for what a function returns."""
    frame.outcome = frame.outcome or Outcome(low, frame.result_type, "result", (frame.path, "result"))
    return frame.outcome  # type: ignore[no-any-return]


def returned_variable(cursor: Cursor) -> int | None:
    """The variable that a `return` names, perhaps for a constructor that copies it."""
    while len(below := clang.children(cursor)) == 1:
        called = cursor.referenced if cursor.kind is K.CALL_EXPR else None
        if cursor.kind is K.CALL_EXPR and (called is None or called.kind is not K.CONSTRUCTOR):
            return None
        cursor = below[0]
    named = cursor.kind is K.DECL_REF_EXPR and cursor.referenced.kind is K.VAR_DECL
    return cursor.referenced.hash if named else None


def again(low: Lowering, result: Result) -> Result:
    """The same, as often as it is wanted and whatever is assigned meanwhile."""
    if isinstance(result, Place):
        return referred(low, result, result.type)
    return held(low, low.kept(result))


def passed(low: Lowering, parameter: Cursor, result: Result, changes: bool, frame: Frame) -> Result:
    """What a parameter stands for: the argument itself where nobody can tell the difference."""
    type_, key = low.type(parameter), (frame.path, parameter.spelling)
    if isinstance(result, values.FunctionValue) and not isinstance(bare(type_), types.Pointer):
        return result
    if isinstance(type_, Reference):
        if isinstance(result, Place):
            return referred(low, result, type_.target)
        value = converted(low, result, type_.target)
        if low.unit.classes.ends(type_.target):
            return low.temporary(value)
        changes = not is_const(type_.target) or isinstance(value, values.StructValue)
    else:
        value = converted(low, low.read(result), type_)
        if low.unit.classes.ends(value.type):
            place = materialized(low, value, parameter.spelling, key)
            low.ends_behind(place)
            return place
        changes = changes or (isinstance(value, values.StructValue) and memory.has_array(value.type))
    return materialized(low, value, parameter.spelling, key) if changes else held(low, value)


def held(low: Lowering, value: Value) -> Value:
    """The value, which is needed more than once."""
    if isinstance(value, values.NumberValue) and getattr(value.operand, "is_temporary", False):
        low.builder.hold(value.operand)
    elif isinstance(value, values.PointerValue):
        low.builder.hold(*(operand for operand, _ in value.address.terms))
    elif isinstance(value, values.StructValue):
        for leaf in value.leaves:
            held(low, leaf)
    return value


def materialized(low: Lowering, value: Value, name: str, key: Any) -> Place:
    value = low.pointed(value)
    place = low.variable(name, value.type, key)
    low.write(place, value, among_last=memory.MEMBERS_AT_ONCE)
    return place


def referred(low: Lowering, place: Place, type_: CType) -> Place:
    """The same object under the type of a reference, whatever is assigned meanwhile."""
    if isinstance(place.type, types.Bits):
        return place
    return based(low, Place(place.type, low.frozen(place.address)), type_)


def _shares_variables(low: Lowering, function: Cursor, results: Results, this: Place | None) -> bool:
    """May it change variables of its caller: through a reference, a pointer, or as a method?"""
    places = [] if this is None or function.kind is K.CONSTRUCTOR else [this]
    for parameter, result in zip(parameters_of(function), results, strict=False):
        type_ = low.type(parameter)
        if not isinstance(type_, Reference):
            places += [Place(VOID, address) for address in values.pointed_to(result)]
        elif not is_const(type_.target):
            if not isinstance(result, Place):
                return True
            places.append(result)
    return any(place.in_registers for place in places)
