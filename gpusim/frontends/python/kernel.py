"""How does a Python kernel become IR? Parameters, its body, and passes until variable types settle."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from gpusim.errors import GpuSimError
from gpusim.frontends import flow
from gpusim.frontends.python import (
    assignments,
    calls,
    conditions,
    indices,
    loops,
    names,
    operators,
    statements,
)
from gpusim.frontends.python.lowering import Language, Lowering, Meanings, Variables
from gpusim.frontends.python.scope import open_scope
from gpusim.frontends.python.values import Item, MemberValue, NamedValue, Static, Typed, Value, whole
from gpusim.ir.builder import Builder
from gpusim.ir.instructions import ArrayOperand
from gpusim.ir.program import Function
from gpusim.ir.types import Array, Record, Space

PYTHON = Language(
    expressions={
        ast.Attribute: names.attribute,
        ast.BinOp: operators.two_sided,
        ast.BoolOp: conditions.logical,
        ast.Call: calls.call,
        ast.Compare: operators.comparison,
        ast.Constant: names.literal,
        ast.IfExp: conditions.choice,
        ast.Lambda: names.inner,
        ast.Name: names.name,
        ast.NamedExpr: assignments.walrus,
        ast.Subscript: indices.subscript,
        ast.Tuple: names.pair,
        ast.UnaryOp: operators.one_sided,
        operators.Kept: operators.kept,
    },
    statements={
        ast.AnnAssign: assignments.annotated,
        ast.Assert: statements.insist,
        ast.Assign: assignments.plain,
        ast.AugAssign: assignments.augmented,
        ast.Break: loops.leave_loop,
        ast.Continue: loops.next_round,
        ast.Expr: statements.evaluated,
        ast.For: loops.for_loop,
        ast.FunctionDef: statements.inner,
        ast.Global: statements.outside,
        ast.If: statements.branches,
        ast.Nonlocal: statements.outside,
        ast.Pass: statements.nothing,
        ast.Raise: statements.give_up,
        ast.Return: statements.give_back,
        ast.While: loops.while_loop,
    },
)


def compile_kernel(
    function: Callable[..., Any],
    argument_types: Sequence[Any],
    warp_size: int = 32,
    cooperative: bool = False,
    debug: bool = False,
    sanitized: bool = False,
    overloads: Meanings | None = None,
) -> Function:
    """Compile a Python function for arguments of these types and warps of this size, `cooperative` or not.

    With `debug`, a division by zero ends the launch; where it is `sanitized`, that of an integer. What names
    outside it mean is kept in `overloads`, and taken from there.

    An argument of type None is the object None, and no parameter of the function that is returned. Each
    value of a variable has its own type, up to where ways meet: `total = 0` meets `total += 0.5` at the head
    of their loop. Passes repeat until nothing widens there any more. Raises `UnsupportedConstruct` and
    `KernelTypeError`, which point at the place.
    """
    variables = Variables(cooperative=cooperative, debug=debug, sanitized=sanitized)

    def lower() -> Function:
        variables.overloads.clear()
        scope = open_scope(function)
        scope.frozen = variables.overload({} if overloads is None else overloads, argument_types)
        builder = Builder(scope.source.name, scope.source)
        lowering = Lowering(builder, scope, variables, PYTHON, warp_size)
        variables.learned = False
        _declare_parameters(lowering, argument_types)
        try:
            lowering.body(scope.tree.body)
        except GpuSimError:  # what is wrong may be what this pass did not know yet
            if not variables.learned:
                raise
        if variables.learned:
            raise flow.Again
        return builder.finish(scope.span(scope.tree.body[-1]))

    compiled = flow.settled(lower)
    variables.keep()
    return compiled


def _declare_parameters(lowering: Lowering, argument_types: Sequence[Any]) -> None:
    """The kernel's parameters get the types of this launch."""
    scope = lowering.scope
    given = scope.tree.args
    for refused, what in (
        (given.vararg, "`*`"),
        (given.kwarg, "`**`"),
        (next(iter(given.kwonlyargs), None), "a parameter that is passed by name"),
        (next(iter(given.posonlyargs), None), "`/`"),
    ):
        if refused is not None:
            raise lowering.unsupported(refused, "kernels are passed every argument, by its position", what)
    if len(scope.parameters) != len(argument_types):
        raise lowering.wrong(
            f"{scope.source.name}() takes {len(scope.parameters)} argument(s), {len(argument_types)} given",
            scope.tree,
        )
    for name, type_ in zip(scope.parameters, argument_types, strict=True):
        scope.values[name] = _declared(lowering, name, type_)


def _declared(lowering: Lowering, name: str, type_: Any) -> Value:
    """Declare a parameter, or those of a tuple, and give its value."""
    if isinstance(type_, tuple):
        parts = tuple(_declared(lowering, f"{name}.{place}", part) for place, part in enumerate(type_))
        if isinstance(type_, Typed):
            return (MemberValue if issubclass(type_.type, Enum) else NamedValue)(parts, type_.type)
        return parts
    if isinstance(type_, Array):
        array = ArrayOperand(name, type_.element, type_.dimensions, Space.GLOBAL, layout=type_.layout)
        lowering.builder.parameters.append(array)
        is_record = isinstance(type_.element, Record) and not type_.dimensions
        return Item(whole(array)) if is_record else whole(array)
    if type_ is None:
        return Static(None)
    register = lowering.scope.register(name, type_)
    lowering.builder.parameters.append(register)
    return register
