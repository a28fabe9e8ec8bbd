"""How do statements become basic blocks? `if`, `return`, `assert` and `raise`; loops are in `loops`."""

from __future__ import annotations

import ast
from functools import partial

from gpusim.frontends import flow
from gpusim.frontends.python.conditions import condition, known
from gpusim.frontends.python.lowering import Lowering
from gpusim.frontends.python.values import Static, Value, described, to_call
from gpusim.frontends.python.variables import RESULT, bind
from gpusim.ir.instructions import Constant


def branches(lowering: Lowering, node: ast.If) -> None:
    """`if`: two ways, or one where the condition is known while compiling."""
    truth, scope = known(lowering, node.test), lowering.scope
    if truth is not None:
        lowering.body(node.body if truth else node.orelse)
        return
    before: dict[str, Value] = {}

    def then() -> None:
        before.update(scope.values)
        lowering.body(node.body)

    def otherwise() -> None:
        scope.values.update(before)  # what the other side rebound
        lowering.body(node.orelse)

    sides = [flow.Side(then, lowering.span(node.body[-1]))]
    if node.orelse:
        sides.append(flow.Side(otherwise, lowering.span(node.orelse[-1])))
    flow.choose(lowering.site(node), partial(condition, lowering, node.test), sides)


def give_back(lowering: Lowering, node: ast.Return) -> None:
    """`return`, with a value in a device function only."""
    site, value = lowering.site(node), node.value
    if site.exits.leave is not None and value is not None:
        bind(lowering, RESULT, lowering.value(value), site.span)
    elif value is not None and not (isinstance(value, ast.Constant) and value.value is None):
        raise lowering.wrong("a kernel returns nothing", node, "write the result into an array")
    flow.returned(site)


def insist(lowering: Lowering, node: ast.Assert) -> None:
    """`assert`: threads for which the condition does not hold end the launch with an error."""
    if known(lowering, node.test):
        return
    reason = f"{_reason(lowering, node.msg)}; " if node.msg else ""
    text = f"AssertionError: {reason}`{ast.unparse(node.test)}` does not hold"
    flow.insisted(lowering.site(node), partial(condition, lowering, node.test), text)


def give_up(lowering: Lowering, node: ast.Raise) -> None:
    """`raise`: threads that come here end the launch with an error."""
    site, error = lowering.site(node), node.exc
    called, given = (error.func, error.args) if isinstance(error, ast.Call) else (error, [])
    kind = getattr(lowering.value(called), "object", None) if called else None
    if node.cause or not isinstance(kind, type) or not issubclass(kind, BaseException):
        raise lowering.unsupported(node, "raise an exception of Python, with constants")
    reasons = ", ".join(_reason(lowering, argument) for argument in given)
    text = f"{kind.__name__}: {reasons}" if reasons else kind.__name__
    flow.trapped(site, text)
    flow.left(site)


def _reason(lowering: Lowering, node: ast.expr) -> str:
    value = lowering.value(node)
    if isinstance(value, Static) and isinstance(value.object, str):
        return value.object
    if isinstance(value, Constant):
        return str(value)
    raise lowering.unsupported(node, "write a text", "a computed text")


def nothing(_lowering: Lowering, _node: ast.Pass) -> None:
    """`pass`."""


def evaluated(lowering: Lowering, node: ast.Expr) -> None:
    """An expression for its effects; a docstring has none."""
    if not isinstance(node.value, ast.Constant):
        value = lowering.value(node.value)
        if not isinstance(node.value, ast.Call) and (hint := to_call(value)):
            raise lowering.wrong(f"{described(value)} is named, and not called", node, hint)
