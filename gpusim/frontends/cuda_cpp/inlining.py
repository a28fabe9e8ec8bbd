"""How does the body of a function come to stand where it is called?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from clang.cindex import Cursor, CursorKind

from gpusim.frontends import flow
from gpusim.frontends.cuda_cpp import clang, recursion, types, values
from gpusim.frontends.cuda_cpp.changed import assigns
from gpusim.frontends.cuda_cpp.conditions import place_of
from gpusim.frontends.cuda_cpp.conversions import based, converted
from gpusim.frontends.cuda_cpp.frame import Frame
from gpusim.frontends.cuda_cpp.layout import leaves
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.memory import MEMBERS_AT_ONCE, has_array
from gpusim.frontends.cuda_cpp.operators import address_of, pointee
from gpusim.frontends.cuda_cpp.types import VOID, CType, Reference, Struct, bare, is_const
from gpusim.ir.instructions import ArrayOperand

K = CursorKind
Slot = values.Result


def body_of(function: Cursor) -> Cursor | None:
    """What stands in the braces of a function; None where it is only declared."""
    return next((c for c in reversed(clang.children(function)) if c.kind is K.COMPOUND_STMT), None)


def parameters_of(function: Cursor) -> list[Cursor]:
    """Its parameters, in order."""
    return [child for child in clang.children(function) if child.kind is K.PARM_DECL]


def results_of(
    low: Lowering, function: Cursor, arguments: Sequence[Cursor], in_order: bool = False
) -> list[values.Result]:
    """Arguments as their parameters take them: places for references, else values; in braces `in_order`."""
    found: list[values.Result] = []
    parameters = parameters_of(low.unit.definition(function))
    for position, argument in enumerate(arguments):
        type_ = low.type(parameters[position]) if position < len(parameters) else None
        found.append(place_of(low, argument) if isinstance(type_, Reference) else low.evaluate(argument))
        if in_order and any(map(assigns, arguments[position + 1 :])):
            steady = isinstance(type_, Reference)
            found[-1] = stable(low, found[-1] if steady else low.read(found[-1], low.at))
    return found


def inline(
    low: Lowering,
    function: Cursor,
    results: Sequence[values.Result],
    this: values.Place | None,
    cursor: Cursor,
    outer: Frame | None = None,
    first: Callable[[Cursor], None] | None = None,
) -> values.Result:
    """Lower a function where it is called, at `cursor`. `first` is what a constructor does at first."""
    definition = low.unit.definition(function)
    body = body_of(definition)
    span, caller = low.span(cursor), low.frame
    low.at = span
    if body is None:
        low.unit.check_defined(low, definition)
    low.unit.check_callable(low, definition)
    result_type = (
        low.unit.types.read(definition.result_type) if definition.kind is not K.CONSTRUCTOR else VOID
    )
    active, choice = low.activations.get(definition.hash), ("recursive", definition.hash)
    if definition.hash in caller.path and active is None:
        low.choose(choice, "stack")
    path = (*caller.path, clang.begin(cursor), definition.hash)
    frame = Frame(
        low.unit.excerpt(definition), path, span, result_type, this=_steady_place(low, this), outer=outer
    )
    if choice in low.choices:
        missing = range(len(results), len(parameters_of(definition)))
        whole = [*results, *(default_argument(low, function, position) for position in missing)]
        if active is not None:
            return _called_again(low, definition, active, frame, whole)
        return _recursive(low, definition, frame, whole, first)
    changes = low.unit.changed(definition)
    shared = outer is not None or _shares_variables(low, definition, results, this)
    parameters = parameters_of(definition)
    for position, parameter in enumerate(parameters):
        type_ = low.type(parameter)
        is_given = position < len(results)
        result = results[position] if is_given else default_argument(low, function, position)
        if shared and not isinstance(type_, Reference):
            result = low.kept(low.read(result, span))
        frame.names[parameter.hash] = passed(low, parameter, type_, result, changes, frame)
    low.frame = frame
    try:
        if first is not None:
            first(definition)
        result = lowered(low, body) if body is not None else values.VoidValue(VOID)
    finally:
        low.frame = caller
    low.at = span
    return result


def default_argument(low: Lowering, function: Cursor, position: int) -> values.Result:
    """What a parameter is given where the call gives nothing."""
    for one in (low.unit.definition(function), function, function.canonical):
        parameter = parameters_of(one)[position]
        given = [child for child in clang.children(parameter) if child.kind.is_expression()]
        if given:
            return low.evaluate(given[-1])
    raise low.refused(f"the default of `{function.spelling}`", "write the argument out")


def lowered(low: Lowering, body: Cursor) -> values.Result:
    """The body of a called function, up to where it leaves; what it returns."""
    frame, statements = low.frame, clang.children(body)
    span = low.span(body)
    leaving = returns(body)
    count, named = len(leaving), {returned_variable(one) for one in leaving}
    frame.kept = named.pop() if len(named) == 1 else None
    at_end = bool(statements) and statements[-1].kind is K.RETURN_STMT
    frame.single = at_end and count == 1 and not frame.recursive
    flow.inlined(low.site(span), lambda: low.statement(body))
    if not count and not isinstance(bare(frame.result_type), types.Void):
        raise low.wrong("a function that should return a value returns none", "return a value")
    if frame.result is None:
        return values.VoidValue(VOID)
    if not values.is_place(frame.result) or (frame.single and isinstance(frame.result_type, Reference)):
        return frame.result  # type: ignore[no-any-return]
    return _result(low)


def _result(low: Lowering) -> values.Result:
    """What a function with several `return`s has left."""
    if low.frame.result is None:
        return values.VoidValue(VOID)
    value = low.read(low.frame.result, low.at)
    return pointee(low, value) if isinstance(low.frame.result_type, Reference) else value  # type: ignore[arg-type]


# functions that call themselves -----------------------------------------------------------------------------


def _recursive(
    low: Lowering,
    definition: Cursor,
    frame: Frame,
    given: Sequence[values.Result],
    first: Callable[[Cursor], None] | None,
) -> values.Result:
    """The first call: its body is lowered for all others, too."""
    caller, span, frame.recursive = low.frame, low.at, True
    if not isinstance(bare(frame.result_type), types.Void):
        frame.result = result_place(low, frame)
    prepared = _prepared(low, definition, frame, given)
    active = recursion.begun(low, definition.hash, frame, span)
    for (name, _type), value in zip(_slots(low, definition, frame), prepared, strict=True):
        if isinstance(value, values.FunctionValue):
            active.slots.append(value)
        else:
            active.slots.append(materialized(low, value, name, (frame.path, name)))
    low.frame, places = frame, list(active.slots)
    if frame.this is not None and frame.outer is None:
        frame.this = _referred_to(low, places.pop())
    for parameter, place in zip(parameters_of(definition), places, strict=True):
        refers = isinstance(low.type(parameter), Reference)
        frame.names[parameter.hash] = _referred_to(low, place) if refers else place

    body = body_of(definition)
    assert body is not None

    def run() -> None:
        if first is not None:
            first(definition)
        lowered(low, body)

    recursion.run(low, active, low.span(body), run)
    recursion.ended(low, definition.hash, low.closing(body))
    result, low.at = _result(low), span
    low.frame = caller
    return result


def _referred_to(low: Lowering, slot: Slot) -> Slot:
    """What a variable for a reference refers to."""
    pointer = low.read(slot, low.at)
    return pointee(low, pointer) if isinstance(pointer, values.PointerValue) else slot


def _called_again(
    low: Lowering,
    definition: Cursor,
    active: recursion.Activation,
    frame: Frame,
    given: Sequence[values.Result],
) -> values.Result:
    """A call from inside its own body."""
    span, prepared = low.at, _prepared(low, definition, frame, given)
    for value in prepared:
        recursion.check_outlives(low, active, value)

    def write() -> None:
        for slot, value in zip(active.slots, prepared, strict=True):
            if isinstance(slot, values.RegisterPlace | values.StructPlace | values.MemoryPlace):
                low.write(slot, value, span)
            elif slot != value:
                hint = "pass a pointer to a function, or a number that says which"
                raise low.refused("a function that calls itself with another lambda or function", hint)

    recursion.again(low, active, span, write)
    caller, low.frame = low.frame, active.frame
    result = _result(low)
    low.frame = caller
    if isinstance(result, values.MemoryPlace):
        return values.MemoryPlace(result.type, low.frozen(result.address))
    return result if values.is_place(result) else low.kept(result)  # type: ignore[arg-type]


def _slots(low: Lowering, definition: Cursor, frame: Frame) -> list[tuple[str, CType]]:
    """The parameters of a function, by name and type; of a method the object is one more."""
    found = [(parameter.spelling, low.type(parameter)) for parameter in parameters_of(definition)]
    if frame.this is not None and frame.outer is None:
        found.append(("this", Reference(frame.this.type)))
    return found


def _prepared(low: Lowering, definition: Cursor, frame: Frame, given: Sequence[Slot]) -> list[values.Value]:
    """Arguments as values that stand, whatever is assigned meanwhile; addresses for references."""
    found, slots = list[values.Value](), _slots(low, definition, frame)
    for (name, type_), result in zip(slots, [*given, frame.this][: len(slots)], strict=True):
        by_name = isinstance(type_, Reference)
        if isinstance(result, values.FunctionValue) and by_name:
            found.append(result)
            continue
        if isinstance(type_, Reference):
            if not values.is_place(result):
                value = converted(low, result, type_.target)
                result = materialized(low, value, name, (frame.path, "given", name))
            address = address_of(low, referred(low, result, type_.target)).address
            read: values.Value = values.PointerValue(types.Pointer(type_.target), address)
        else:
            read = low.pointed(converted(low, low.read(result, low.at), type_))
        found.append(low.kept(read))
    return found


def result_place(low: Lowering, frame: Frame) -> values.Place:
    """A variable for what a function returns; for a reference, a pointer."""
    wanted = frame.result_type
    type_ = types.Pointer(wanted.target) if isinstance(wanted, Reference) else bare(wanted)
    return low.variable("result", type_, (frame.path, "result"))


def returns(cursor: Cursor) -> list[Cursor]:
    """The `return`s of a body."""
    if cursor.kind is K.RETURN_STMT:
        return [cursor]
    below = [child for child in clang.children(cursor) if child.kind is not K.LAMBDA_EXPR]
    return [one for child in below for one in returns(child)]


def returned_variable(cursor: Cursor) -> int | None:
    """The variable that a `return` names, perhaps for a constructor that copies it."""
    while len(below := clang.children(cursor)) == 1:
        called = cursor.referenced if cursor.kind is K.CALL_EXPR else None
        if cursor.kind is K.CALL_EXPR and (called is None or called.kind is not K.CONSTRUCTOR):
            return None
        cursor = below[0]
    named = cursor.kind is K.DECL_REF_EXPR and cursor.referenced.kind is K.VAR_DECL
    return cursor.referenced.hash if named else None


def stable(low: Lowering, result: values.Result) -> values.Result:
    """An argument of several functions, of which one will run."""
    if values.is_place(result):
        return referred(low, result, result.type)  # type: ignore[arg-type]
    return held(low, low.kept(result))  # type: ignore[arg-type]


def passed(
    low: Lowering,
    parameter: Cursor,
    type_: CType,
    result: values.Result,
    changes: frozenset[int],
    frame: Frame,
) -> values.Result:
    """What a parameter stands for: the argument itself where nobody can tell the difference."""
    name, span = parameter.spelling, low.at
    if isinstance(result, values.FunctionValue) and not isinstance(bare(type_), types.Pointer):
        return result
    if isinstance(type_, Reference):
        if values.is_place(result):
            return referred(low, result, type_.target)  # type: ignore[arg-type]
        value = converted(low, result, type_.target)  # type: ignore[arg-type]
        if low.unit.ends(low, type_.target):
            return low.temporary(value)
        if is_const(type_.target) and not isinstance(value, values.StructValue):
            return held(low, value)
        return materialized(low, value, name, (frame.path, name))
    value = converted(low, low.read(result, span), type_)
    memory = isinstance(value, values.StructValue) and has_array(value.type)
    if isinstance(value, values.StructValue) and low.unit.ends(low, value.type):
        place = materialized(low, value, name, (frame.path, name))
        low.ends_behind(place)
        return place
    if parameter.hash in changes or memory:
        return materialized(low, value, name, (frame.path, name))
    return held(low, value)


def held(low: Lowering, value: values.Value) -> values.Value:
    """The value, which is needed more than once."""
    if isinstance(value, values.NumberValue) and getattr(value.operand, "is_temporary", False):
        low.builder.hold(value.operand)
    elif isinstance(value, values.PointerValue):
        low.builder.hold(*(operand for operand, _ in value.address.terms))
    elif isinstance(value, values.StructValue):
        for leaf in value.leaves:
            held(low, leaf)
    return value


def materialized(low: Lowering, value: values.Value, name: str, key: Any) -> values.Place:
    """A variable with this value."""
    place = low.variable(name, value.type or VOID, key)
    low.write(place, value, low.at, among_last=MEMBERS_AT_ONCE)
    return place


def duplicate(low: Lowering, known: values.Result, name: str, key: object) -> values.Result:
    """A variable of its own with the same value."""
    if not values.is_place(known):
        return known
    place: values.Place = known  # type: ignore[assignment]
    made = low.variable(name, place.type, (low.frame.path, "copy", key))
    inner = bare(place.type)
    if isinstance(inner, types.Array):
        assert isinstance(place, values.MemoryPlace)
        assert isinstance(made, values.MemoryPlace)
        for leaf in leaves(inner):
            value = low.load(place.address.moved(leaf.offset), leaf.type, low.at)
            low.store(made.address.moved(leaf.offset), value, low.at)
    else:
        low.write(made, low.read(place, low.at), low.at)
    return made


def referred(low: Lowering, place: values.Place, type_: CType) -> values.Place:
    """The same object under the type of a reference."""
    if isinstance(place, values.MemoryPlace):
        place = values.MemoryPlace(place.type, low.frozen(place.address))
    given, wanted = bare(place.type), bare(type_)
    if isinstance(given, Struct) and isinstance(wanted, Struct):
        return based(low, place, type_)
    if isinstance(place, values.RegisterPlace):
        return values.RegisterPlace(type_, place.variable)
    return replace(place, type=type_)


def _steady_place(low: Lowering, this: values.Place | None) -> values.Place | None:
    if isinstance(this, values.MemoryPlace):
        return values.MemoryPlace(this.type, low.frozen(this.address))
    return this


def _shares_variables(
    low: Lowering, function: Cursor, results: Sequence[values.Result], this: values.Place | None
) -> bool:
    """May it change variables of its caller: through a reference, a pointer, or as a method?"""
    places: list[values.Result] = [] if this is None or function.kind is K.CONSTRUCTOR else [this]
    pointers: list[Any] = []
    for parameter, result in zip(parameters_of(function), results, strict=False):
        type_ = low.type(parameter)
        if isinstance(type_, Reference):
            places += [] if is_const(type_.target) else [result]
        else:
            pointers += (
                result.leaves if isinstance(result, values.StructPlace | values.StructValue) else [result]
            )
    regions = [
        pointer.address.region if isinstance(pointer, values.PointerValue) else pointer.variable.region
        for pointer in pointers
        if isinstance(pointer, values.PointerValue | values.RegisterPlace)
    ]
    return any(not isinstance(place, values.MemoryPlace) for place in places) or any(
        region is not None and not isinstance(region, ArrayOperand) for region in regions
    )
