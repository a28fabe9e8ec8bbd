"""What does a call in a kernel do? Intrinsics, methods of arrays, casts, and device functions, inlined."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Hashable
from functools import partial
from typing import Any, NamedTuple

from gpusim.frontends import flow, host_calls
from gpusim.frontends.python import arrays, launches, types
from gpusim.frontends.python.builtins.functions import FUNCTIONS
from gpusim.frontends.python.builtins.groups import Group
from gpusim.frontends.python.builtins.intrinsics import Intrinsic
from gpusim.frontends.python.families import memory, numbers, runtime, threads
from gpusim.frontends.python.families.call import Call
from gpusim.frontends.python.lowering import Into, Lowering
from gpusim.frontends.python.names import from_outside
from gpusim.frontends.python.scope import open_scope
from gpusim.frontends.python.values import (
    Configured,
    GroupValue,
    Method,
    Static,
    Value,
    VectorValue,
    View,
    described,
)
from gpusim.frontends.python.variables import RESULT, bind
from gpusim.frontends.site import Site
from gpusim.ir.instructions import Constant, Register
from gpusim.ir.types import F64, PRED, S64, Array, Scalar

FAMILIES = memory.FAMILIES | numbers.FAMILIES | runtime.FAMILIES | threads.FAMILIES
CASTS: dict[Hashable, Scalar] = {int: S64, float: F64, bool: PRED}
# what to do instead of calling a function of the host, of NumPy, of `math` or of Python
NOT_IN_KERNELS = host_calls.INSTEAD | {
    **dict.fromkeys(
        ("cudaMalloc", "cudaFree"),
        "kernels in Python take no memory: pass an array, or write the kernel in CUDA C++",
    ),
    **dict.fromkeys(
        ("cudaGetErrorName", "cudaGetErrorString"),
        "kernels in Python have no texts: store the number, and ask on the host",
    ),
}
INSTEAD = {
    "use cuda.local.array or cuda.shared.array for storage, or pass an array": (
        "zeros ones empty full array arange zeros_like ones_like empty_like list dict set device_array "
        "device_array_like managed_array pinned_array pinned_array_like mapped_array mapped_array_like"
    ),
    "a kernel creates one with cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)": "stream",
    "a kernel creates one with cudart.cudaEventCreateWithFlags(cudart.cudaEventDisableTiming)": "event",
    "threads wait with cuda.syncthreads(); what comes after grids that a kernel launched is launched into "
    "cudart.cudaStreamTailLaunch": "synchronize",
    "write a loop": "sum prod mean dot sort sorted any all min max argmin argmax map filter",
    "use math.{}": "sqrt exp floor ceil trunc fabs",
}


class Given(NamedTuple):
    """What a call passes: values in order, and by name."""

    arguments: list[Value]
    keywords: dict[str, Value]


def call(lowering: Lowering, node: ast.Call, into: Into) -> Value:
    """`f(a, *pair, key=b)`."""
    target = lowering.value(node.func)
    if not isinstance(target, Static):
        raise lowering.wrong(f"{described(target)} cannot be called", node)
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
    if isinstance(called, Intrinsic):
        made = Call(lowering, called, _complete(lowering, called, given, node), node)
        if called.family == "chosen":
            chosen, *arguments = called.detail(made)
            arguments = [Static(one) if isinstance(one, type) else one for one in arguments]
            return _of(lowering, chosen, Given(arguments, {}), node, into)
        return FAMILIES[called.family](made)
    if isinstance(called, type) and issubclass(called, Group):
        return GroupValue([lowering.number_as(part, S64, node) for part in given.arguments], called)
    device_function = getattr(called, "device_function", None)
    if device_function is None:
        return _cast(lowering, called, given, node, into)
    if called.declared is None:
        return _inlined(lowering, device_function, given, node)
    given = Given(_as_declared(lowering, called.declared.args, given, node), {})
    result, wanted = _inlined(lowering, device_function, given, node), called.declared.result
    return result if wanted is None else lowering.number_as(result, wanted, node)


# arguments --------------------------------------------------------------------------------------------------


def _given(lowering: Lowering, node: ast.Call) -> Given:
    """What the call passes; `*pair` stands for the items of a tuple."""
    arguments: list[Value] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            items = lowering.value(argument.value)
            if type(items) is not tuple:
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
        raise lowering.wrong("wrong arguments", node, f"use {called.home}{called.usage}")
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
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*given.arguments, **given.keywords).arguments
    except TypeError:
        count = len(given.arguments) + len(given.keywords)
        what = f"{function.__name__}{signature} called with {count} argument(s)"
        raise lowering.wrong("wrong arguments" if usage else what, node, usage) from None
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            raise lowering.unsupported(node, "name the parameters", f"`**{name}`")
        if parameter.kind is parameter.VAR_POSITIONAL:
            bound.setdefault(name, ())
        elif name not in bound:
            bound[name] = from_outside(lowering, parameter.default, node)
    return bound


# bodies -----------------------------------------------------------------------------------------------------


def _inlined(lowering: Lowering, function: Any, given: Given, node: ast.Call, usage: str = "") -> Value:
    """Lower the body of a device function here, with its own names; one of ours has a `usage`."""
    span, caller = lowering.span(node), lowering.scope
    function = inspect.unwrap(function)
    if function in caller.calls:
        raise lowering.wrong(f"{function.__name__}() calls itself", span, "write it as a loop")
    callee = open_scope(function, span, caller.calls, caller.path_to(node), bool(usage))
    bound = _bound(lowering, function, given, node, usage)
    names = [part for part in ast.walk(callee.tree) if isinstance(part, ast.Name)]
    written = {name.id for name in names if isinstance(name.ctx, ast.Store)}

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
        lowering.scope = caller

    flow.inlined(Site(lowering.builder, span, callee.exits), body)
    return callee.values.get(RESULT, Static(None))


def _way_out(called: Any) -> str:
    """What to write instead of a call that a kernel cannot make."""
    module = getattr(called, "__module__", None) or ""
    if module.startswith("numba"):
        return "import cuda from gpusim, not from numba"
    name = getattr(called, "__name__", "")
    if module.startswith("gpusim.cudart") and name in NOT_IN_KERNELS:
        return NOT_IN_KERNELS[name]
    kernel = getattr(called, "__self__", called)
    if hasattr(kernel, "launched_with"):
        return f"it is a kernel: launch it with {kernel.__name__}[grid, block](…)"
    of_the_host = module.startswith("gpusim.")
    if hasattr(called, "__code__") and not of_the_host:
        return "mark it @cuda.jit(device=True)"
    known = (hint.format(name) for hint, names in INSTEAD.items() if name in names.split())
    return next(known, "call it on the host, and pass what it gives" if of_the_host else "")


def _cast(lowering: Lowering, called: Any, given: Given, node: ast.Call, into: Into) -> Value:
    """`int(x)`, `np.float32(x)`, `numba.float32(x)`; nothing else is left that could be called."""
    cast = CASTS.get(called) if isinstance(called, Hashable) else None
    if (cast is None and isinstance(called, type)) or hasattr(called, "bitwidth"):
        cast = types.of_name(called)
    if cast is None or len(given.arguments) != 1 or given.keywords:
        name = f"{ast.unparse(node.func)}()"
        if cast is not None:
            raise lowering.unsupported(node, f"{name} takes one number", f"this call of {name}")
        hint = _way_out(called) or ("it takes no keyword arguments" if given.keywords else "")
        raise lowering.unsupported(node, hint, name)
    number = lowering.number(given.arguments[0], node)
    if cast is PRED:
        return lowering.truth(number, node)
    if (called is int and number.type.is_integer) or (called is float and number.type.is_float):
        return number
    return lowering.convert(number, cast, node, into)
