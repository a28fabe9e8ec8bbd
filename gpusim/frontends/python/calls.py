"""What does a call in a kernel do? Intrinsics, methods of arrays, casts, and device functions, inlined."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from gpusim.frontends import flow, fold
from gpusim.frontends.python import arrays, joins, launches, types
from gpusim.frontends.python.assignments import for_each, store
from gpusim.frontends.python.builtins.functions import FUNCTIONS
from gpusim.frontends.python.builtins.groups import Group
from gpusim.frontends.python.builtins.intrinsics import Intrinsic
from gpusim.frontends.python.checks import insist
from gpusim.frontends.python.constants import is_literal
from gpusim.frontends.python.families import memory, numbers, operators, runtime, threads
from gpusim.frontends.python.families.call import Call
from gpusim.frontends.python.indices import extent, loaded
from gpusim.frontends.python.instead import instead_of
from gpusim.frontends.python.liveness import stored
from gpusim.frontends.python.lowering import Into, Lowering, Meanings
from gpusim.frontends.python.names import from_outside
from gpusim.frontends.python.scope import Inner, captured, open_scope, own, signature_of
from gpusim.frontends.python.values import (
    Configured,
    GroupValue,
    Item,
    Method,
    NamedValue,
    Static,
    Value,
    VectorValue,
    View,
    described,
    is_tuple,
    is_unrolling,
    type_of,
)
from gpusim.frontends.python.variables import bind
from gpusim.frontends.site import Site
from gpusim.ir.instructions import Constant, Opcode, Register
from gpusim.ir.types import F64, PRED, S64, Array, Scalar

FAMILIES = memory.FAMILIES | numbers.FAMILIES | operators.FAMILIES | runtime.FAMILIES | threads.FAMILIES
CASTS: dict[Hashable, Scalar] = {int: S64, float: F64, bool: PRED}


class Given(NamedTuple):
    """What a call passes: values in order, and by name."""

    arguments: list[Value]
    keywords: dict[str, Value]


def call(lowering: Lowering, node: ast.Call, into: Into) -> Value:
    """`f(a, *pair, key=b)`."""
    target = lowering.value(node.func)
    if not isinstance(target, Static):
        hint = "take one of its items: [0]" if isinstance(target, tuple) else "leave out the brackets"
        raise lowering.wrong(f"{described(target)} cannot be called", node, hint)
    return _of(lowering, target.object, _given(lowering, node), node, into)


def _of(lowering: Lowering, called: Any, given: Given, node: ast.Call, into: Into) -> Value:
    """What the call of an object gives."""
    if isinstance(called, Method) and not given.keywords:
        return arrays.method(lowering, called, given.arguments, node)
    if isinstance(called, Configured):
        if given.keywords:
            raise lowering.wrong("kernels take positional arguments", node)
        return launches.launch(lowering, called, given.arguments, node)
    called = getattr(called, "in_kernels", called)
    if isinstance(called, partial):
        called, given = called.func, Given([*called.args, *given.arguments], given.keywords)
    if isinstance(called, Hashable):
        called = FUNCTIONS.get(called, called)
    if isinstance(called, Intrinsic) and called.family == "written":
        return _inlined(lowering, called.detail, given, node, f"use {called.home}{called.usage}")
    if isinstance(called, Intrinsic) and _has_arrays(called, given):
        return _element_by_element(lowering, called, given.arguments, node)
    if isinstance(called, Intrinsic):
        made = Call(lowering, called, _complete(lowering, called, given, node), node)
        made.mark_arguments()
        if called.family == "chosen":
            chosen, *arguments = called.detail(made)
            arguments = [Static(one) if isinstance(one, type) else one for one in arguments]
            return _of(lowering, chosen, Given(arguments, {}), node, into)
        return FAMILIES[called.family](made)
    if isinstance(called, type) and issubclass(called, Group):
        return GroupValue([lowering.number_as(part, S64, node) for part in given.arguments], called)
    if isinstance(called, type) and issubclass(called, tuple) and hasattr(called, "_fields"):
        fields = _bound(lowering, called, given, node, "")
        return NamedValue(fields.values(), called)
    if is_unrolling(called) and len(given.arguments) == 1 and is_tuple(given.arguments[0]):
        return given.arguments[0]
    if isinstance(called, Inner):
        if given.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise lowering.wrong("an inner function takes positional arguments, written out", node)
        return _inlined(lowering, called, given, node)
    device_function = _device_function(called)
    if device_function is None:
        return _cast(lowering, called, given, node, into)
    types_ = [None if isinstance(one, Static | Item) else type_of(one) for one in given.arguments]
    declared = called.declared(tuple(types_)) if hasattr(called, "declared") else None
    if declared is None:
        return _inlined(lowering, device_function, given, node, kept=called)
    given = Given(_as_declared(lowering, declared.args, given, node), {})
    result, wanted = _inlined(lowering, device_function, given, node, kept=called), declared.result
    return result if wanted is None else lowering.number_as(result, wanted, node)


def _device_function(called: Any) -> Any:
    """The Python function behind `@cuda.jit`, or behind Numba's `@njit`; None where there is none."""
    of_numba = type(called).__module__.startswith("numba.") and hasattr(called, "targetoptions")
    return getattr(called, "py_func" if of_numba else "device_function", None)


def _has_arrays(called: Intrinsic, given: Given) -> bool:
    """Does the call name an array for the results of NumPy's function, as a kernel must?"""
    if called.family not in FAMILIES or not called.name.startswith("np."):
        return False
    if len(given.arguments) != len(called.parameters) + 1 or given.keywords:
        return False
    last = given.arguments[-1]
    return isinstance(last, View) and last.dimensions > 0


def _element_by_element(
    lowering: Lowering, called: Intrinsic, given: Sequence[Value], node: ast.Call
) -> Value:
    """`np.sin(x, out)`: a loop over arrays of one shape, and numbers."""
    arrays_ = [one for one in given if isinstance(one, View) and one.dimensions]
    *_, out = arrays_
    if any(array.dimensions != out.dimensions for array in arrays_):
        raise lowering.wrong(f"{called.name}() of arrays of different dimensions", node, "write a loop")
    for axes in zip(*(array.free for array in arrays_), strict=True):
        *others, length = [
            extent(lowering, array, axis, node) for array, axis in zip(arrays_, axes, strict=True)
        ]
        for other in others:
            alike = fold.compared(lowering.site(node), Opcode.EQ, other, length)
            insist(lowering, alike, f"{called.name}() of arrays of different shapes", node)

    def each(views: Sequence[View]) -> None:
        if views[0].dimensions:
            for_each(lowering, views, each, node)
            return
        elements = iter([loaded(lowering, view, node) for view in views[:-1]])
        parts = [next(elements) if isinstance(one, View) else one for one in given[:-1]]
        store(lowering, views[-1], FAMILIES[called.family](Call(lowering, called, parts, node)), node)

    each(arrays_)
    return out


# arguments --------------------------------------------------------------------------------------------------


def _given(lowering: Lowering, node: ast.Call) -> Given:
    """What the call passes; `*pair` stands for the items of a tuple."""
    arguments: list[Value] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            items = lowering.value(argument.value)
            if not is_tuple(items):
                raise lowering.unsupported(argument, "only a tuple can be written out with *")
            arguments += items
        else:
            arguments.append(lowering.value(argument))
    return Given(arguments, {keyword.arg or "**": lowering.value(keyword.value) for keyword in node.keywords})


def _complete(lowering: Lowering, called: Intrinsic, given: Given, node: ast.Call) -> list[Value]:
    """The arguments of an intrinsic, with keywords and defaults at their places."""
    names, (arguments, keywords) = called.parameters, given
    rest = any(name.startswith("*") for name in names)
    for name, default in list(names.items())[len(arguments) :]:
        if name in keywords:
            arguments.append(keywords.pop(name))
        elif default is not ...:
            arguments.append(Static(None) if default is None else Constant(default, S64))
    fits = len(arguments) >= len(names) - 1 if rest else len(arguments) == len(names)
    if not fits or keywords:
        what = f"wrong arguments of {called.home}{called.name}()"
        raise lowering.wrong(what, node, f"use {called.home}{called.usage}")
    return arguments


def _as_declared(lowering: Lowering, types_: tuple[Any, ...], given: Given, node: ast.Call) -> list[Value]:
    """Arguments of a device function with a signature: numbers are converted, arrays must fit."""
    if given.keywords or len(types_) != len(given.arguments):
        raise lowering.wrong(f"the signature asks for {len(types_)} positional argument(s)", node)
    arguments: list[Value] = []
    for type_, argument in zip(types_, given.arguments, strict=True):
        if isinstance(type_, Scalar):
            argument = lowering.number_as(argument, type_, node)
        elif isinstance(type_, Array) and not (
            isinstance(argument, View)
            and (argument.array.element, argument.dimensions) == (type_.element, type_.dimensions)
        ):
            raise lowering.wrong(f"{described(argument)} is not {type_}, as the signature asks", node)
        arguments.append(argument)
    return arguments


def _bound(lowering: Lowering, function: Any, given: Given, node: ast.Call, usage: str) -> dict[str, Value]:
    """Which value does each parameter of a device function get? Defaults are what they are now."""
    signature = signature_of(function)
    try:
        bound = signature.bind(*given.arguments, **given.keywords).arguments
    except TypeError:
        count = len(given.arguments) + len(given.keywords)
        shown = f"({', '.join(signature.parameters)})" if isinstance(function, Inner) else signature
        what = f"{function.__name__}{shown} called with {count} argument(s)"
        raise lowering.wrong("wrong arguments" if usage else what, node, usage) from None
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            raise lowering.unsupported(node, "name the parameters", f"`**{name}`")
        if parameter.kind is parameter.VAR_POSITIONAL:
            bound.setdefault(name, ())
        elif name not in bound:
            default, is_value = parameter.default, isinstance(function, Inner)
            bound[name] = default if is_value else from_outside(lowering, default, node)
    return bound


# bodies -----------------------------------------------------------------------------------------------------


def _inlined(
    lowering: Lowering, function: Any, given: Given, node: ast.Call, usage: str = "", kept: Any = None
) -> Value:
    """Lower the body of a device function here, with its own names; one of ours has a `usage`. What names
    outside it mean is `kept` with it.
    """
    span, caller = lowering.span(node), lowering.scope
    function = inspect.unwrap(function)
    if getattr(function, "tree", function) in caller.calls:
        raise lowering.wrong(f"{function.__name__}() calls itself", span, "write it as a loop")
    if isinstance(function, Inner):
        callee = function.opened(caller, span, node)
    else:
        callee = open_scope(function, span, caller.calls, caller.path_to(node), bool(usage))
    bound = _bound(lowering, function, given, node, usage)
    if kept is not None:
        kept_here: Meanings = vars(function).setdefault("names_outside", {})  # Numba's functions have no such
        overloads, types_ = (
            getattr(kept, "names_outside", kept_here),
            [type_of(one) for one in bound.values()],
        )
        callee.frozen = lowering.variables.overload(overloads, types_)
    for argument in () if isinstance(function, Inner) else bound.values():
        if isinstance(argument, Static) and isinstance(argument.object, Inner):
            _mark_what_is_kept(lowering, argument.object, node)
    if not usage:
        callee.computed = frozenset(_computed(lowering, function, node))
    written = stored([callee.tree])
    if any(isinstance(part, ast.FunctionDef | ast.Lambda) for part in own(callee.tree)):
        written |= bound.keys()  # a function that it gives back keeps what they are now

    def body() -> None:
        lowering.scope = callee
        for name, argument in bound.items():
            parts = argument if isinstance(argument, GroupValue) else (argument,)
            passing = any(isinstance(part, Register) and part.is_temporary for part in parts)
            if passing or type(argument) in (tuple, VectorValue) or name in written:
                bind(lowering, name, argument, span)
            else:
                callee.values[name] = argument
        lowering.body(callee.tree.body)
        if lowering.builder.reachable and callee.exits.leave is not None:
            joins.leads_to(lowering, callee.exits.leave)

    flow.inlined(Site(lowering.builder, span, callee.exits), body)
    result, lowering.scope = joins.result(lowering, span), caller
    return result


def _mark_what_is_kept(lowering: Lowering, function: Inner, node: ast.Call) -> None:
    """Numba inlines no device function: one that it is handed may keep numbers that are written out only."""
    for name in sorted(captured(function.tree)):
        holder = function.scope.holder(name)
        if holder and not isinstance(lowering.literal(holder.values[name]), Constant | Static):
            what = f"a function that uses {name!r} from around it, handed to a device function"
            lowering.here_only(what, node, f"hand {name!r} over, too")


def _computed(lowering: Lowering, function: Any, node: ast.Call) -> Iterator[str]:
    """Which parameters get what the call does not write out? Of a tuple that is written out with *, none."""
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        return
    by_name = {keyword.arg or "**": keyword.value for keyword in node.keywords}
    for name, written in signature_of(function).bind_partial(*node.args, **by_name).arguments.items():
        if isinstance(written, ast.expr) and not is_literal(lowering, written):
            yield name


def _read(lowering: Lowering, text: str, node: ast.Call) -> Constant:
    """`float("nan")`, of a text that is written out."""
    try:
        return Constant(float(text), F64)
    except ValueError:
        raise lowering.wrong(f"the text {text!r} is no number", node) from None


def _cast(lowering: Lowering, called: Any, given: Given, node: ast.Call, into: Into) -> Value:
    """`int(x)`, `np.float32(x)`, `numba.float32(x)`; nothing else is left that could be called."""
    cast = CASTS.get(called) if isinstance(called, Hashable) else None
    if (cast is None and isinstance(called, type)) or hasattr(called, "bitwidth"):
        cast = types.of_name(called)
    if cast is None or len(given.arguments) != 1 or given.keywords:
        name = f"{ast.unparse(node.func)}()"
        if cast is not None:
            raise lowering.unsupported(node, f"{name} takes one number", f"this call of {name}")
        by_name = given.keywords and isinstance(called, type)
        hint = "it takes no keyword arguments" if by_name else instead_of(called)
        raise lowering.unsupported(node, hint, name)
    if called is float and isinstance(text := getattr(given.arguments[0], "object", None), str):
        return _read(lowering, text, node)
    if cast is PRED:
        return lowering.truth(given.arguments[0], node)
    if called is not int:
        lowering.mark_maybe(given.arguments[0], node, f"an argument of {ast.unparse(node.func)}()")
    number = lowering.number(given.arguments[0], node)
    lowering.mark_member(number, node, F64 if called is int else cast)
    if called is float and number.type is PRED:
        lowering.here_only("float() of a bool", node, "write np.float64(…)")
    if (called is int and number.type.is_integer) or (called is float and number.type.is_float):
        return number
    return lowering.convert(number, cast, node, into)
