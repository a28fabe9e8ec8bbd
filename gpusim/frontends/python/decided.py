"""Which conditions are decided before types are known? Then there is no branch, and one side has no types.

Numba knows what has a name outside the kernel, what is written out, the dimensions of a parameter and that a
parameter is None; also under another name. It decides by one of these, or by one operation on two: `N == 3`
and `N + 1`, but neither `N + 1 == 4` nor `math.pi > 3`, whose sides both have a say in what type a variable
has. An inner function it writes out where it is called, before it looks. In what we have written for kernels
ourselves, all that is known decides.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence

from gpusim.frontends.python.constants import number
from gpusim.frontends.python.lowering import Lowering
from gpusim.frontends.python.operators import Kept
from gpusim.frontends.python.scope import Inner, Scope, as_def
from gpusim.frontends.python.values import Static, Value, View, is_object, is_tuple
from gpusim.ir.details import SpecialRegister
from gpusim.ir.instructions import Constant, Register

COMPUTED = (
    Kept, ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare,
    ast.expr_context, ast.operator, ast.unaryop, ast.cmpop,
)  # fmt: skip


def known(lowering: Lowering, node: ast.expr) -> bool | None:
    """The truth of a condition that is decided; else None."""
    node = _WrittenOut(lowering).visit(node)
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = known(lowering, operand)
            return None if inner is None else not inner
        case ast.BoolOp():
            rest = undecided(lowering, node)
            return known(lowering, rest[0]) if len(rest) == 1 else None
        case ast.IfExp(test=test, body=body, orelse=orelse):
            truth = known(lowering, test)
            return None if truth is None else known(lowering, body if truth else orelse)
        case ast.Tuple(elts=items) if all(isinstance(item, ast.Constant) for item in items):
            return bool(items)  # Python has dropped the branch
    if not _is_decided(lowering, node):
        return None
    holders = list(_around(lowering.scope))
    before = [holder.values for holder in holders]
    for holder in holders:
        holder.values = {name: _constant(lowering, holder, name) for name in holder.values}
    value = lowering.value(node)
    for holder, values in zip(holders, before, strict=True):
        holder.values = values
    flag = lowering.truth(value, node) if isinstance(value, Constant | Static | tuple) else None
    return bool(flag.value) if isinstance(flag, Constant) else None


class _WrittenOut(ast.NodeTransformer):
    """An expression with what inner functions give back in place of their calls, where that is known, and in
    place of names for it. Those of variables that were `seen` on the way here are left as they are.
    """

    def __init__(
        self,
        lowering: Lowering,
        names: dict[str, ast.expr | ast.FunctionDef] | None = None,
        seen: frozenset[str] = frozenset(),
    ) -> None:
        self.lowering, self.names, self.seen = lowering, names or {}, seen

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """The syntax itself is written only once, and stays."""
        if isinstance(node, Kept):
            return node
        made = copy.copy(node)
        for name, value in ast.iter_fields(node):
            setattr(made, name, [*value] if isinstance(value, list) else value)
        return super().generic_visit(made)

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        """It is written out where it is called."""
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr | ast.FunctionDef:
        """A parameter is its argument; a variable what a function gave, if that is what it was before."""
        if node.id in self.names:
            return self.names[node.id]
        scope = self.lowering.scope
        given = scope.definition(node.id) if node.id in scope.literals - self.seen else None
        if given is None:
            return node
        written = _WrittenOut(self.lowering, {}, self.seen | {node.id}).visit(given)
        parts = [*ast.walk(written)]
        calls = any(isinstance(part, ast.Call | ast.Lambda) for part in parts)
        changes = any(isinstance(part, ast.Name) and len(scope.given.get(part.id, ())) > 1 for part in parts)
        return node if calls or changes or ast.dump(written) == ast.dump(given) else _kept(written)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Nothing happens where its arguments are computed."""
        around: dict[str, ast.expr | ast.FunctionDef] = {}
        match self.visit(node.func) if isinstance(node.func, ast.Name) else node.func:
            case ast.Name(id=name):
                inner = getattr(held(self.lowering, name), "object", None)
            case ast.Lambda() | ast.FunctionDef() as function:
                tree = as_def(function) if isinstance(function, ast.Lambda) else function
                inner, around = Inner(tree, self.lowering.scope), self.names
            case _:
                return node
        given = [self.visit(argument) for argument in node.args]
        simple = (
            all(isinstance(part, COMPUTED) for one in given for part in ast.walk(one)) and not node.keywords
        )
        if not isinstance(inner, Inner) or inner.scope is not self.lowering.scope or not simple:
            return node
        written = inner.tree.args
        parameters = [one.arg for one in (*written.posonlyargs, *written.args)]
        given += written.defaults[len(given) - len(parameters) :] if len(given) < len(parameters) else []
        if len(given) != len(parameters) or not all(isinstance(one, Constant) for one in inner.defaults):
            return node
        names = {**around, **dict(zip(parameters, map(_kept, given), strict=True))}
        return _WrittenOut(self.lowering, names, self.seen)._given_back(inner.tree.body) or node

    def _given_back(self, statements: Sequence[ast.stmt]) -> ast.expr | None:
        """What a function gives back that does nothing else; None where each thread decides for itself."""
        for place, statement in enumerate(statements):
            match statement:
                case ast.Return(value=value):
                    return _kept(self.visit(value)) if value else ast.Constant(None)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.names = {**self.names, name: _kept(self.visit(value))}
                case ast.FunctionDef(name=name):
                    self.names = {**self.names, name: statement}
                case ast.If(test=test, body=body, orelse=otherwise):
                    truth = known(self.lowering, self.visit(test))
                    chosen = body if truth else otherwise
                    rest = [*chosen, *statements[place + 1 :]]
                    return None if truth is None else self._given_back(rest)
                case ast.Expr(value=ast.Constant()) | ast.Pass():
                    pass
                case _:
                    return None
        return ast.Constant(None)


def _kept(node: ast.expr) -> ast.expr:
    """What has a name now, and is no part of what is written out."""
    return node if isinstance(node, ast.Name | Kept | ast.Lambda) else ast.copy_location(Kept(node), node)


def undecided(lowering: Lowering, node: ast.BoolOp) -> list[ast.expr]:
    """The parts of `and` or `or` that matter: what is known to be neutral says nothing, what is known to
    decide is the last.
    """
    parts: list[ast.expr] = []
    for part in node.values[:-1]:
        truth = known(lowering, part)
        if truth is None and isinstance(part, ast.Name) and is_tuple(items := held(lowering, part.id)):
            truth = bool(items)
        if truth is None:
            parts.append(part)
        elif truth is isinstance(node.op, ast.Or):
            return [*parts, part]
    return [*parts, node.values[-1]]


def held(lowering: Lowering, name: str) -> Value | None:
    """What a variable is here; None for what is none, or has no value."""
    holder = lowering.scope.holder(name)
    return holder.values.get(name) if holder else None


def _is_decided(lowering: Lowering, node: ast.expr) -> bool:
    """Does it decide as a condition? Then evaluating it makes no instruction."""
    match node:
        case Kept(value=value):
            return _is_decided(lowering, value)
        case ast.Name(id=name) if (holder := lowering.scope.holder(name)) and not holder.pinned:
            given = holder.definition(name)
            if given is None and is_object(held(lowering, name), None):
                return False  # a parameter that is None is compared only
            return _is_named(lowering, node) or (given is not None and _is_decided(lowering, given))
        case ast.Compare(left=left, ops=ops, comparators=others):
            simple = not any(isinstance(op, ast.In | ast.NotIn) for op in ops)
            return simple and all(_is_named(lowering, part) for part in (left, *others))
        case ast.BinOp(left=left, right=right):
            return _is_named(lowering, left) and _is_named(lowering, right)
    return _is_named(lowering, node)


def _is_named(lowering: Lowering, node: ast.expr) -> bool:
    """Is it one of what is known without an operation?"""
    scope = lowering.scope
    match node:
        case ast.Constant():
            return True
        case Kept(value=value) | ast.NamedExpr(value=value):
            return _is_named(lowering, value)
        case ast.Name(id=name) if holder := scope.holder(name):
            return name in holder.values and _names(lowering, holder, name)
        case ast.Name(id=name):
            return scope.knows(name) and not isinstance(scope.free(name), SpecialRegister)
        case ast.Attribute(value=ast.Name() as owner, attr="ndim"):
            return isinstance(held(lowering, owner.id), View) and _is_parameter(lowering, owner)
        case ast.Attribute(value=owner, attr=attribute) if scope.pinned and _is_named(lowering, owner):
            of = lowering.value(owner)
            found = getattr(of.object, attribute, None) if isinstance(of, Static) else None
            return found is not None and not isinstance(found, SpecialRegister)
        case ast.BoolOp() | ast.IfExp() if known(lowering, node) is not None:
            return True
        case ast.Compare() | ast.UnaryOp() | ast.BinOp() if scope.pinned:
            parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
            return all(_is_named(lowering, part) for part in parts)
    return number(lowering, node) is not None


def _names(lowering: Lowering, holder: Scope, name: str) -> bool:
    """Does a variable name such a value? A parameter of an inner function does, where the call says so."""
    value, given = _constant(lowering, holder, name), holder.definition(name)
    if holder.pinned or not isinstance(value, Constant | Static | tuple):
        return isinstance(value, Constant | Static)
    if given is not None:
        return _is_named(lowering, given)
    inner = holder.enclosing is not None and name in holder.parameters and name not in holder.computed
    return inner or is_object(value, None)


def _constant(lowering: Lowering, holder: Scope, name: str) -> Value:
    """What a variable holds: the number itself, where its register holds no other."""
    value, origin = lowering.literal(holder.values[name]), holder.origins.get(name)
    return origin.constant if isinstance(value, Register) and origin and origin.constant else value


def _around(scope: Scope | None) -> Iterator[Scope]:
    """A function, and those that enclose it."""
    while scope is not None:
        yield scope
        scope = scope.enclosing


def _is_parameter(lowering: Lowering, node: ast.Name) -> bool:
    """Is it one, or another name for one?"""
    holder = lowering.scope.holder(node.id)
    given = holder.definition(node.id) if holder else None
    if given is None:
        return holder is not None and node.id in holder.parameters
    return isinstance(given, ast.Name) and _is_parameter(lowering, given)
