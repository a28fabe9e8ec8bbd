"""What does a name mean inside a kernel? The function being lowered, and what its free names mean."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from gpusim import source as sources
from gpusim.errors import UnsupportedConstruct
from gpusim.frontends.python import liveness
from gpusim.frontends.python.values import Value
from gpusim.frontends.site import Exits
from gpusim.ir.instructions import Constant, Register
from gpusim.ir.types import Scalar
from gpusim.source import Source, Span

Position = tuple[int, int]  # line, column
Path = tuple[tuple[int, ...], ...]  # calls, each by where it begins and ends
Outside = dict[Any, Any]  # names, and (module, attribute) -> what each was when it was first looked up


class Origin(NamedTuple):
    """Which assignment gave a name its value: its place, its basic block, and the number, if it is known."""

    span: Span
    block: int
    constant: Constant | None


class Spot(NamedTuple):
    """A name at a place: in which call, which copy of each `literal_unroll` around, which line and column."""

    path: Path
    copies: tuple[int, ...]
    place: Position
    name: str


class Way(NamedTuple):
    """What variables are at the end of a basic block, from which control goes on to where ways meet.

    Unless another way begins there, too, it is the `only` one.
    """

    block: int
    values: dict[str, Value]
    origins: dict[str, Origin]
    only: bool = True


@dataclass
class Scope:
    """One function being lowered: the kernel, or a device function inlined at `caller`.

    `calls` are the functions on the way here, itself the last; `path` is where they are called, which tells
    apart two inlined copies of one function. What is `pinned` stands at its caller, for readers: it is ours.
    Its `computed` parameters get numbers that its caller does not write out, as a shape must be. An inner
    function sees the variables of the one that is `enclosing` it. What names outside mean is `frozen` when
    they are first looked up for arguments of its types, as in Numba. `ways` lead to labels that are placed
    further on. `copies`: in which copy of each `literal_unroll` around.
    """

    source: Source
    tree: ast.FunctionDef
    outer: dict[str, Any]
    assigned: frozenset[str]
    parameters: tuple[str, ...]
    calls: tuple[Any, ...]
    caller: Span | None = None
    path: Path = ()
    pinned: bool = False
    computed: frozenset[str] = frozenset()
    enclosing: Scope | None = None
    frozen: Outside = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    copies: tuple[int, ...] = ()
    origins: dict[str, Origin] = field(default_factory=dict)
    ways: defaultdict[int, list[Way]] = field(default_factory=lambda: defaultdict(list))
    registers: dict[tuple[str, Scalar], Register] = field(default_factory=dict)
    exits: Exits = field(default_factory=Exits)

    def holder(self, name: str) -> Scope | None:
        """Whose variable is it: this function's, or that of one around it? None: nobody's."""
        if name in self.assigned:
            return self
        return self.enclosing.holder(name) if self.enclosing is not None else None

    def register(self, name: str, type_: Scalar) -> Register:
        """Where a variable is while it has this type: two of its values are never needed at once."""
        prefix = f"{self.source.name}." if self.path else ""
        return self.registers.setdefault((name, type_), Register(prefix + name, type_))

    def follow(self, way: Way) -> None:
        """Go on as if control came this way."""
        self.values, self.origins = dict(way.values), dict(way.origins)

    @cached_property
    def liveness(self) -> liveness.Liveness:
        """Which of its names are still needed where ways meet."""
        inner = [as_def(node) if isinstance(node, ast.Lambda) else node for node in own(self.tree)]
        used = [captured(node) for node in inner if isinstance(node, ast.FunctionDef)]
        return liveness.Liveness(self.tree.body, frozenset().union(*used), self._decided)

    def _decided(self, test: ast.expr) -> bool | None:
        """The truth of a constant, or of a number from outside the function; None for anything else."""
        match test:
            case ast.Constant(value=value):
                return bool(value)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                truth = self._decided(operand)
                return None if truth is None else not truth
            case ast.Name(id=name) if self.holder(name) is None and self.knows(name):
                value = self.free(name)
                return bool(value) if value is None or isinstance(value, bool | int | float) else None
        return None

    @cached_property
    def literals(self) -> frozenset[str]:
        """Names that hold what was last written above: assigned once, or where all threads come once."""
        given = Counter([name.id for name in liveness.stores([self.tree])])
        plain = [statement for statement in self.tree.body if isinstance(statement, ast.Assign)]
        straight = Counter(name.id for one in plain for name in liveness.stores(one.targets))
        given.update(set(self.parameters) & set(given))
        passed = set(self.parameters) - set(given)
        return frozenset({name for name in given if given[name] in (1, straight[name])} | passed)

    @cached_property
    def given(self) -> dict[str, dict[Span, ast.expr | None]]:
        """For each name that the text gives values: where, and the expressions; None for what is none."""
        found = defaultdict[str, dict[Span, ast.expr | None]](dict)
        waiting = [pair for node in ast.walk(self.tree) for pair in _given(node)]
        for target, value in waiting:
            if isinstance(target, ast.Name):
                found[target.id][self.span(target)] = value
            elif isinstance(target, ast.Tuple):
                waiting += zip(target.elts, _items(value, len(target.elts)), strict=False)
        return found

    def definition(self, name: str) -> ast.expr | None:
        """The expression that a name has its value of; None where it is none, or a parameter's."""
        given, origin = self.given.get(name, {}), self.origins.get(name)
        if len(given) == 1 and name not in self.parameters:
            return next(iter(given.values()))
        return given.get(origin.span) if origin else None

    def span(self, node: ast.AST) -> Span:
        """Where a piece of syntax stands in the reader's file."""
        if self.pinned and self.caller:
            return self.caller
        line = self.source.first_line + getattr(node, "lineno", 1) - 1
        return Span(self.source, line, getattr(node, "col_offset", 0) + self.source.indent, self.caller)

    def path_to(self, call: ast.expr) -> Path:
        """The path of a function that is called there."""
        place = call.lineno, call.col_offset, call.end_lineno or 0, call.end_col_offset or 0
        return (*self.path, place + self.copies)

    def knows(self, name: str) -> bool:
        """Is there such a name outside the function?"""
        return name in self.frozen or name in self.outer or name in vars(builtins)

    def free(self, name: str) -> Any:
        """A name from outside the function: closure, module globals, builtins. Raises `KeyError`."""
        return self._frozen(name, self.outer if name in self.outer else vars(builtins), name)

    def attribute(self, owner: Any, name: str) -> Any:
        """`owner.name`, of an object from outside the function."""
        if isinstance(owner, ModuleType):
            return self._frozen((owner, name), vars(owner), name)
        return getattr(owner, name)

    def _frozen(self, key: Any, names: Mapping[str, Any], name: str) -> Any:
        if key not in self.frozen:
            self.frozen[key] = _as_now(names[name])
        return self.frozen[key]


def _as_now(found: Any) -> Any:
    """What it is, whatever becomes of it: of arrays of the host, in tuples too, a copy."""
    if isinstance(found, tuple):
        parts = map(_as_now, found)
        return found._make(parts) if hasattr(found, "_make") else tuple(parts)
    return found.copy("K") if type(found) is np.ndarray else found


def open_scope(
    function: Callable[..., Any],
    caller: Span | None = None,
    calls: tuple[Any, ...] = (),
    path: Path = (),
    pinned: bool = False,
) -> Scope:
    """Parse a function and look up what its free names mean now, as Numba does when it compiles."""
    function = inspect.unwrap(function)
    source = sources.of_function(function)
    try:
        tree = ast.parse(source.text).body[0]
    except SyntaxError as error:
        raise UnsupportedConstruct(f"the source of {source.name!r} cannot be parsed: {error.msg}") from None
    if not isinstance(tree, ast.FunctionDef):
        lambdas = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
        lambdas = [node for node in lambdas if len(lambdas) == 1 or _is_of(node, function, source)][-1:]
        if not lambdas:
            raise UnsupportedConstruct(
                f"{source.name!r} is not a `def`",
                Span(source, source.first_line),
                "write the kernel with def",
            )
        tree = as_def(lambdas[0])
    closure = inspect.getclosurevars(function).nonlocals
    parameters = tuple(inspect.signature(function).parameters)
    outer = {**function.__globals__, **closure}
    known, calls = assigned(tree).union(parameters), (*calls, function)
    return Scope(source, tree, outer, known, parameters, calls, caller, path, pinned)


@dataclass(frozen=True, eq=False, repr=False)
class Inner:
    """A function, or a `lambda`, that a kernel defines, with the values of its last parameters' defaults."""

    tree: ast.FunctionDef
    scope: Scope
    defaults: tuple[Value, ...] = ()

    @property
    def __name__(self) -> str:
        return self.tree.name

    @property
    def signature(self) -> inspect.Signature:
        """Its parameters, with what their defaults were where it was defined."""
        given = self.tree.args
        positional, either = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
        names = [*((one, positional) for one in given.posonlyargs), *((one, either) for one in given.args)]
        defaults = [inspect.Parameter.empty] * (len(names) - len(self.defaults)) + list[Any](self.defaults)
        return inspect.Signature(
            [
                inspect.Parameter(one.arg, kind, default=default)
                for (one, kind), default in zip(names, defaults, strict=True)
            ]
        )

    def opened(self, caller: Scope, span: Span, call: ast.expr) -> Scope:
        """Its scope for one call."""
        parameters, around = tuple(self.signature.parameters), self.scope
        return Scope(
            source=around.source,
            tree=self.tree,
            outer=around.outer,
            assigned=assigned(self.tree).union(parameters),
            parameters=parameters,
            calls=(*caller.calls, self.tree),
            caller=span,
            path=caller.path_to(call),
            pinned=around.pinned,
            enclosing=around,
            frozen=around.frozen,
        )


def signature_of(function: Any) -> inspect.Signature:
    """The parameters of a function from outside, or of an inner one."""
    return function.signature if isinstance(function, Inner) else inspect.signature(function)


def _given(node: ast.AST) -> list[tuple[ast.expr, ast.expr | None]]:
    """What a piece of syntax gives a value, and which."""
    match node:
        case ast.Assign(targets=targets, value=value):
            return [(target, value) for target in targets]
        case ast.AnnAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
            return [(target, value)]
        case ast.For(target=target) | ast.AugAssign(target=target):
            return [(target, None)]
    return []


def _items(value: ast.expr | None, count: int) -> list[ast.expr | None]:
    """What `a, b = value` gives each name: to `b, 2` Python makes no tuple, as it does to `1, 2`."""
    if isinstance(value, ast.Tuple) and not all(isinstance(one, ast.Constant) for one in value.elts):
        return [*value.elts]  # if the lengths differ, the assignment is refused
    return [value and ast.Subscript(value, ast.Constant(place)) for place in range(count)]


def own(tree: ast.FunctionDef) -> Iterator[ast.AST]:
    """The syntax of a function without that of its inner functions, but with their names."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)


def assigned(tree: ast.FunctionDef) -> frozenset[str]:
    """The names that a function gives values."""
    stored = {n.id for n in own(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return frozenset(stored | {node.name for node in own(tree) if isinstance(node, ast.FunctionDef)})


def captured(tree: ast.FunctionDef) -> set[str]:
    """The names in a function, and in those within it, that are not its own."""
    within = {node.id for node in own(tree) if isinstance(node, ast.Name)}
    for node in own(tree):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            within |= captured(as_def(node) if isinstance(node, ast.Lambda) else node)
    return within - assigned(tree) - {one.arg for one in (*tree.args.posonlyargs, *tree.args.args)}


def _position(node: ast.stmt | ast.expr) -> Position:
    return node.lineno, node.col_offset


def _is_of(node: ast.Lambda, function: Callable[..., Any], source: Source) -> bool:
    """Among several in a line: does some of the function's code stand within the body of this one?"""
    begin, end = _position(node.body), (node.body.end_lineno or 0, node.body.end_col_offset or 0)
    return any(
        begin <= (line - source.first_line + 1, column - source.indent) < end
        for line, _, column, _ in function.__code__.co_positions()
        if line is not None and column is not None
    )


def as_def(function: ast.Lambda) -> ast.FunctionDef:
    """`lambda a, b: a + b` as a function that returns its value."""
    result = ast.copy_location(ast.Return(function.body), function.body)
    return ast.copy_location(ast.FunctionDef("<lambda>", function.args, [result], []), function)
