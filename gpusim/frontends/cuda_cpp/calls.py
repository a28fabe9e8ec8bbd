"""What is called? A function of the text or a built-in one, a method, an operator, a lambda, a pointer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from clang.cindex import Cursor, CursorKind

from gpusim.frontends import flow
from gpusim.frontends.cuda_cpp import (
    allocation,
    changed,
    clang,
    conditions,
    lambdas,
    launches,
    layout,
    values,
)
from gpusim.frontends.cuda_cpp.conversions import as_function, converted, decayed
from gpusim.frontends.cuda_cpp.dispatch import by_number, called, dispatch, is_dynamic, is_use
from gpusim.frontends.cuda_cpp.functions.families import lowered
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.inlining import again, all_given, inline, referred, results_of
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.names import as_object
from gpusim.frontends.cuda_cpp.objects import constructed, copy, end, given, manner
from gpusim.frontends.cuda_cpp.types import FunctionType, Pointer, bare
from gpusim.frontends.cuda_cpp.values import Place, Result, Results, Value
from gpusim.ir.instructions import Constant

K = CursorKind
Cursors = Sequence[Cursor]
NO_FUNCTION = "a pointer to a function that is null, or to none of this kernel's"


def call(low: Lowering, cursor: Cursor) -> Result:
    function, below = cursor.referenced, clang.children(cursor)
    if (launch := launches.found(cursor)) is not None:
        return launches.launched(low, launch)
    if function is None and not below:
        raise low.refused(f"`{low.text(cursor)}`")
    kind, arguments = getattr(function, "kind", None), given(cursor)
    if kind is K.CONSTRUCTOR:
        return constructed(low, cursor, function)
    if kind is K.DESTRUCTOR and below:
        return ended(low, function, below)
    if kind in clang.METHODS and not function.is_static_method():
        return _of_object(low, function, arguments, cursor)
    if kind not in (K.FUNCTION_DECL, *clang.METHODS):
        callee = clang.inner(below[0])
        if is_use(callee):
            return called(low, callee, arguments, cursor)
        return through_pointer(low, low.value(below[0]), arguments, cursor)
    if function.spelling in ("__builtin_unreachable", "__builtin_prefetch"):
        return values.VoidValue()
    if function.spelling.startswith("__builtin_"):
        return low.number(cursor)
    if (chosen := low.unit.parsed.builtin(function)) is None:
        known = low.known(cursor, low.type(cursor)) if clang.is_constexpr(function) else None
        return known or inline(low, function, results_of(low, function, arguments), None, cursor)
    if chosen.family == "assert":
        test, said = arguments
        written, site = low.value(said), low.site_of(cursor)
        assert isinstance(written, values.TextValue)
        text = written.text.encode("latin-1").decode("utf-8", "replace")
        flow.insisted(site, partial(conditions.condition, low, test), f"Assertion `{text}` failed")
        return values.VoidValue()
    if chosen.family in ("memcpy", "memset"):
        return allocation.moved(low, chosen, arguments, cursor)
    return built_in(low, chosen, [low.evaluate(argument) for argument in arguments], cursor)


def _of_object(low: Lowering, function: Cursor, arguments: list[Cursor], cursor: Cursor) -> Result:
    """`a.f(x)` and `p->f(x)`; and an operator of a class, for which the object is the first argument."""
    below = clang.children(cursor)
    callee = clang.inner(below[0]) if below else None
    if callee is not None and callee.kind is K.MEMBER_REF_EXPR and callee.referenced.kind in clang.METHODS:
        named = below[0]
        owner: Result = _this_of(low, named)
    else:
        named = arguments.pop(0)
        owner = low.evaluate(named)
    is_lambda = bare(owner.type) in low.unit.closures
    if is_lambda and function.kind is K.CONVERSION_FUNCTION:
        return as_function(low, owner)
    if is_lambda:
        results = results_of(low, function, arguments)
        this, outer = lambdas.opened(low, as_object(low, owner))
        return inline(low, function, results, this, cursor, outer=outer)
    this = as_object(low, owner)
    if not function.spelling.endswith("=") and any(map(changed.assigns, arguments)):
        this = referred(low, this, this.type)  # the object is known before its arguments are
    if function.spelling == "operator=" and low.unit.classes.is_implicit(function):
        source = conditions.place_of(low, arguments[0])
        low.go_to(cursor)
        whole = isinstance(source, values.StructValue) and low.unit.classes.ends(source.type)
        copy(low, this, as_object(low, source) if whole else source, manner(function))
        return this
    if is_dynamic(function, named):
        return virtual(low, function, this, arguments, cursor)
    return inline(low, function, results_of(low, function, arguments), this, cursor)


def _this_of(low: Lowering, cursor: Cursor) -> Place:
    found = low.evaluate(cursor)
    assert isinstance(found, values.FunctionValue)
    assert found.this is not None
    return found.this


def virtual(low: Lowering, function: Cursor, this: Place, arguments: Cursors, cursor: Cursor) -> Result:
    """A method that the object has, perhaps that of a derived class."""
    type_ = low.unit.types.read(function.result_type)
    given = all_given(low, function, results_of(low, function, arguments))
    results = [again(low, one) for one in given]
    low.go_to(cursor)
    return dispatch(low, this, function, lambda found, at: inline(low, found, results, at, cursor), type_)


def ended(low: Lowering, function: Cursor, below: Cursors) -> Value:
    """`p->~T()`."""
    this = _this_of(low, below[0])
    if is_dynamic(function, below[0]):
        dispatch(low, this, function, lambda _found, place: end(low, place))
    else:
        end(low, this)
    return values.VoidValue()


def built_in(low: Lowering, chosen: Builtin, results: Results, cursor: Cursor) -> Value:
    given = list[Value]()
    low.go_to(cursor)
    for position, result in enumerate(results[: None if chosen.variadic else len(chosen.parameters)]):
        value = low.read(result)
        if isinstance(value, values.FunctionValue):
            value = decayed(low, value)
        if position < len(chosen.parameters) and not isinstance(value, values.TextValue):
            value = converted(low, value, chosen.parameters[position])
        given.append(value)
    missing = chosen.parameters[len(given) :]
    for default, type_ in zip(chosen.defaults[len(chosen.defaults) - len(missing) :], missing, strict=True):
        given.append(values.NumberValue(bare(type_), Constant(default, layout.register_of(type_))))
    return lowered(low, chosen, given)


def _is_plain(low: Lowering, function: Cursor) -> bool:
    """Does it take no object, and is no kernel? A lambda without captures is handed out as a function."""
    if "__global__" in clang.attributes(function):
        return False
    if function.kind is not K.CXX_METHOD or function.is_static_method():
        return True
    return low.unit.types.read(function.semantic_parent.type) in low.unit.closures


def _run(
    low: Lowering, cursor: Cursor, function: Cursor, results: Results, this: Place | None = None
) -> Result:
    """A function of the text, or a built-in one that was handed on: `apply(sqrtf, x)`."""
    if (chosen := low.unit.parsed.builtin(function)) is not None:
        return built_in(low, chosen, results, cursor)
    return inline(low, function, results, this, cursor)


def through_pointer(low: Lowering, value: Value, arguments: Cursors, cursor: Cursor) -> Result:
    """A call of what a pointer to a function points to: of each function that it may be, by its number."""
    if isinstance(value, values.FunctionValue):
        function = value.declaration
        return _run(low, cursor, function, results_of(low, function, arguments), value.this)
    type_ = bare(value.type)
    signature = bare(type_.target) if isinstance(type_, Pointer) else None
    if not isinstance(value, values.NumberValue) or not isinstance(signature, FunctionType):
        raise low.refused(f"the call `{low.text(cursor)}`")
    run, fits = partial(_run, low, cursor), partial(_is_plain, low)
    return by_number(low, value, signature, arguments, cursor, fits, run, NO_FUNCTION)
