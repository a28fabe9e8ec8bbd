"""How do statements become basic blocks? `if`, `return`, `assert` and `raise`; loops are in `loops`."""

from __future__ import annotations

import ast
from functools import partial

from gpusim.frontends import flow
from gpusim.frontends.python import joins
from gpusim.frontends.python.conditions import condition
from gpusim.frontends.python.decided import known
from gpusim.frontends.python.lowering import Lowering
from gpusim.frontends.python.names import inner_function
from gpusim.frontends.python.scope import Way
from gpusim.frontends.python.values import Static, described, to_call
from gpusim.frontends.python.variables import RESULT, bind
from gpusim.ir.instructions import Constant


def outside(lowering: Lowering, node: ast.Global | ast.Nonlocal) -> None:
    """`global NAME`: it says nothing where the name is only read."""
    if lowering.scope.assigned & set(node.names):
        raise lowering.unsupported(node)


def branches(lowering: Lowering, node: ast.If) -> None:
    """`if`: two ways, or one where the condition is known while compiling."""
    truth, scope = known(lowering, node.test), lowering.scope
    if truth is not None:
        lowering.body(node.body if truth else node.orelse)
        return
    before, start, ends = lowering.builder.current, list[Way](), list[Way]()

    def side(statements: list[ast.stmt]) -> None:
        start.append(joins.here(lowering))
        scope.follow(start[0])
        lowering.body(statements)
        if lowering.builder.reachable:
            ends.append(joins.here(lowering))

    sides = [
        flow.Side(partial(side, body), lowering.span(body[-1])) for body in (node.body, node.orelse) if body
    ]
    flow.choose(lowering.site(node), partial(condition, lowering, node.test), sides)
    if not node.orelse:  # what the others need is ready before lanes part
        ends.append(start[0]._replace(block=before, only=False))
    joins.meet(lowering, ends, scope.liveness.behind[node], node)


def give_back(lowering: Lowering, node: ast.Return) -> None:
    """`return`, with a value in a device function only."""
    site, value = lowering.site(node), node.value
    if site.exits.leave is not None and value is not None:
        bind(lowering, RESULT, lowering.value(value), site.span)
    elif value is not None and not (isinstance(value, ast.Constant) and value.value is None):
        raise lowering.wrong("a kernel returns nothing", node, "write the result into an array")
    if site.exits.leave is not None:
        joins.leads_to(lowering, site.exits.leave)
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
    flow.trapped(site, text, kind if issubclass(kind, Exception) else None)
    flow.left(site)


def _reason(lowering: Lowering, node: ast.expr) -> str:
    value = lowering.value(node)
    if isinstance(value, Static) and isinstance(value.object, str):
        return value.object
    if isinstance(value, Constant):
        return str(value)
    raise lowering.unsupported(node, "write a text", "a computed text")


def inner(lowering: Lowering, node: ast.FunctionDef) -> None:
    """`def` in a kernel: a function that sees its variables, inlined where it is called."""
    bind(lowering, node.name, inner_function(lowering, node), lowering.span(node))


def nothing(_lowering: Lowering, _node: ast.Pass) -> None:
    """`pass`."""


def evaluated(lowering: Lowering, node: ast.Expr) -> None:
    """An expression for its effects; a docstring has none."""
    if not isinstance(node.value, ast.Constant):
        value = lowering.value(node.value)
        if not isinstance(node.value, ast.Call) and (hint := to_call(value)):
            raise lowering.wrong(f"{described(value)} is named, and not called", node, hint)
