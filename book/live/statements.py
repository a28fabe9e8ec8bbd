"""What does a statement of a cell do to names? It uses and gives them, and may change what they mean.

Read from its text; nothing is run. Where it is not sure, a name counts as changed: by a call that is not
known to read only, and by a kernel that gets it and writes there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache

from lasting import ANYTHING, SETS, gives_anything, sets
from own import NONE, Own, dotted, is_own, own
from session import UNREADABLE, is_cpp, without_magics

# what these name is not changed by its use
FIRM = ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom
# calls that change none of what they get, and those of them whose result shares nothing with it
READS = re.compile(
    r"(gpusim\.)?(views\.\w+|predict|table|explore_\w+)|say|percent|print|list|tuple|dict|set|zip|enumerate|map"
    r"|sorted|min|max|(.*\.)?(reshape|items|keys|values|view|T)|(np|gpusim)\.(devices\.get|asarray|profile)"
)
FRESH = re.compile(
    r"len|range|sum|int|float|str|repr|any|all|abs|round|bool|np\.\w+_like|np\.(array|array_equal|arange|zeros|ones)"
    r"|(.*\.)?(copy|tolist|astype|sum|counters|format|join|index|count)"
)
# what such a call gives can be read once
ONCE = re.compile(r"iter|map|zip|enumerate|filter|reversed|open|itertools\.\w+")
MARGIN = re.compile(r"^(?:def|class|import) +(\w+)|^(\w[\w, ]*?) *=(?!=)|\bas +(\w+)", re.MULTILINE)
INTO = {"file", "out"}  # a call writes into what gets it by these
# draws from a state that all share; what makes a state of its own is none
DRAWS = re.compile(r"(numpy\.)?random\.(?!default_rng|Random|Generator|SeedSequence|mtrand)\w+")
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
CHANCE = "random …"  # that state, as a name; no name of Python's has a space
STAYS = (
    ast.Constant | ast.Name | ast.Attribute | ast.UnaryOp
)  # a default that no call of the function changes
Parameter = tuple[str, int | str]  # of a kernel or another function, by its place or its name


@dataclass
class Statement:
    """What a statement at the top of a cell does to names."""

    uses: set[str]
    gives: set[str]
    sure: set[str]  # of these, what it gives whatever happens, and does not use
    firm: bool
    function: bool  # defines one
    takes_any: bool  # arguments that it does not name
    sets: bool  # what no name holds (lasting.py)
    anything: bool = False  # gives names that it does not say
    touches: set[str] = field(default_factory=set)  # what it may change in place
    passes: set[tuple[Parameter, str]] = field(
        default_factory=set
    )  # the name that a kernel or a function of the page gets there
    writes: set[Parameter] = field(
        default_factory=set
    )  # what a function that it gives may change of what it gets
    asks: set[str] = field(default_factory=set)  # uses of names other than `name[…]`, a launch
    kernels: set[str] = field(default_factory=set)  # gives functions with a decorator
    launch: str = ""  # how such a one runs: "first[1, 32](x)"
    declared: set[str] = field(default_factory=set)  # `global` in a function: a call may give them
    makes: Statement | None = None  # what runs where a function is defined: its decorators and defaults
    holds: bool = False  # defines what may hold what is changed in place: a class, a function with `a=[]`
    once: bool = False  # what it gives may be read only once: an iterator, or a function that makes one
    follows: set[str] = field(default_factory=set)  # is such a thing, if one of these is
    later: set[str] = field(default_factory=set)  # used by functions without a name, when somebody calls them
    kept: set[str] = field(default_factory=set)  # names that it gives on as they are, or within a table
    handed: set[str] = field(default_factory=set)  # those that it hands to calls
    fills: set[str] = field(default_factory=set)  # what it puts something into: `x[0] = y`, `x.append(y)`
    given: set[str] = field(default_factory=set)  # of what it gives, what may be of what it hands to a call
    nests: bool = False  # gives a function that may give another


class Names(ast.NodeVisitor):
    """The names that a piece of a text loads from outside of its functions, and those that it stores."""

    def __init__(self) -> None:
        self.loads, self.stores, self.asks = set[str](), set[str](), set[str]()
        self.touches, self.passes = set[str](), set[tuple[Parameter, str]]()
        self.kept, self.handed, self.later = set[str](), set[str](), set[str]()
        self.fills = set[str]()

    def visit_Call(self, node: ast.Call) -> None:
        kernel = node.func.value if isinstance(node.func, ast.Subscript) else None
        reads = is_one_of(node, READS, FRESH) and all(map(only_reads, called_by(node)))
        to = kernel or (node.func if is_own(node.func) else None)
        stars = any(isinstance(each, ast.Starred) for each in node.args)
        callee = to.id if isinstance(to, ast.Name) and not stars else ""
        for parameter, value in (*enumerate(node.args), *((each.arg, each.value) for each in node.keywords)):
            if callee and parameter is not None:
                self.passes |= {((callee, parameter), name) for name in flowing(value)}
            elif parameter in INTO or not reads:
                self.touches |= flowing(value)
        if kernel is None and not reads:
            self.touches |= flowing(node.func)
            self.fills |= flowing(node.func) if isinstance(node.func, ast.Attribute) else set()
        kept = {*self.kept}
        self.visit(node.func)
        self.kept = {*kept}  # what it gives is of another kind
        for part in (*node.args, *node.keywords):
            self.visit(part)
        self.handed |= self.kept - kept
        self.kept = kept

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.touches |= flowing(node.value)
            self.fills |= flowing(node.value)
        self._draws(node)
        self.generic_visit(node)

    def _draws(self, node: ast.Attribute | ast.Name) -> None:
        if DRAWS.fullmatch(getattr(node, "means", "")):
            for names in (self.loads, self.touches, self.kept):
                names.add(CHANCE)

    def visit_With(self, node: ast.With) -> None:
        for item in node.items:
            self.visit(item)
        loads, held = {*self.loads}, held_by(node)
        for each in node.body:
            self.visit(each)
        self.loads -= held - loads

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.touches |= flowing(node.value)
            self.fills |= flowing(node.value)
        asks = {*self.asks}
        self.visit(node.value)
        if isinstance(node.value, ast.Name):
            self.asks = asks
        self.visit(node.slice)

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.stores.add(node.id)
        if not isinstance(node.ctx, ast.Store):  # `del x` needs one
            self.loads.add(node.id)
            self.kept.add(node.id)
            self._draws(node)
        self.asks |= {node.id} & self.loads

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.loads.add(node.target.id)
            self.touches.add(node.target.id)
        self.generic_visit(node)

    def visit_alias(self, node: ast.alias) -> None:
        self.stores.add((node.asname or node.name).partition(".")[0])

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        self.stores.update(filter(None, [node.name]))
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self.stores.update(filter(None, [node.rest]))
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.stores.add(node.name)
        self._within(names_of(ast.Module(node.body, [])), set())  # what it stores are its attributes
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        for part in (node.annotation, *([node.target, node.value] if node.value else [])):
            self.visit(part)

    def _within(self, inner: Names, own: set[str]) -> None:
        """What stands within a function or a comprehension, whose own names are nobody else's."""
        self.loads |= inner.loads - own
        self.asks |= inner.asks - own
        self.kept |= inner.kept - own
        self.handed |= inner.handed - own
        self.fills |= inner.fills - own
        self.later |= inner.later - own
        self.touches |= inner.touches - own
        self.passes |= {each for each in inner.passes if each[1] not in own}

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.stores.add(node.name)
        inner = names_of(ast.Module(node.body, []))
        declared = globals_of(node)
        self._within(inner, (arguments_of(node) | inner.stores) - declared)
        self.loads |= declared
        self.touches |= declared
        for part in (*node.decorator_list, node.args, *filter(None, [node.returns])):
            self.visit(part)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        inner, own = names_of(node.body), arguments_of(node)
        self._within(inner, own)
        self.later |= inner.loads - own
        self.visit(node.args)

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        inner, parts = Names(), node.generators
        inner.generic_visit(node)
        own = set[str]().union(*(names_of(each.target).stores for each in parts))
        self._within(inner, own)
        self.stores |= inner.stores - own
        if not own.isdisjoint(inner.touches | {name for _, name in inner.passes}):
            self.touches.update(*(flowing(each.iter) for each in parts))  # they come from there

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp


def arguments_of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
    return {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}


def globals_of(node: ast.AST) -> set[str]:
    return {name for each in ast.walk(node) if isinstance(each, ast.Global) for name in each.names}


def called_by(node: ast.Call) -> list[ast.expr]:
    """The functions that a call gets to call them: `map(f, x)`, `sorted(x, key=f)`."""
    first = node.args[:1] if dotted(node.func) == "map" else []
    return [*first, *(each.value for each in node.keywords if each.arg == "key")]


def only_reads(function: ast.expr) -> bool:
    """Is nothing changed by a call of this: `str`, `lambda x: x[1]`?"""
    if isinstance(function, ast.Lambda):
        inner = names_of(function.body)
        return arguments_of(function).isdisjoint(inner.touches | {name for _, name in inner.passes})
    return any(each.fullmatch(dotted(function)) for each in (READS, FRESH))


def is_one_of(node: ast.AST, *patterns: re.Pattern[str]) -> bool:
    """Is it a call of such a function?"""
    return isinstance(node, ast.Call) and any(each.fullmatch(dotted(node.func)) for each in patterns)


def flowing(node: ast.AST) -> set[str]:
    """The names of which a value, or a part of it, may be what a piece of a text gives."""
    if is_one_of(node, FRESH):
        return set()
    own = {node.id} if isinstance(node, ast.Name) else set[str]()
    return own.union(*map(flowing, ast.iter_child_nodes(node)))


def held_by(node: ast.AST) -> set[str]:
    """The names that a `with` gives before its body runs."""
    items = node.items if isinstance(node, ast.With) else []
    return {item.optional_vars.id for item in items if isinstance(item.optional_vars, ast.Name)}


def parameters(kernel: ast.FunctionDef) -> list[str]:
    return [each.arg for each in (*kernel.args.posonlyargs, *kernel.args.args, *kernel.args.kwonlyargs)]


def launch_of(kernel: ast.FunctionDef) -> str:
    """How does it run? "launch it in this cell, `first[1, 32](x)`"; a function of the device is called."""
    call = f"({', '.join(parameters(kernel))})"
    if any("device=True" in ast.unparse(each) for each in kernel.decorator_list):
        return f"call `{kernel.name}{call}` in a kernel that is launched"
    return f"launch it in this cell, `{kernel.name}[1, 32]{call}`, and print what it wrote"


def written_by(kernel: ast.FunctionDef) -> set[Parameter]:
    """The parameters that are not only read there."""
    names = names_of(ast.Module(kernel.body, []))
    written = names.touches | {name for _, name in names.passes}
    gives = [
        (names_of(node).stores, node.iter if isinstance(node, ast.For) else node.value)
        for node in ast.walk(kernel)
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.For)
    ]
    known = -1
    while known < len(written):  # what a name that is written is, or is a part of
        known = len(written)
        for names_given, value in gives:
            if value and not written.isdisjoint(names_given):
                written |= flowing(value)
    places = ((place, name) for place, name in enumerate(parameters(kernel)) if name in written)
    return {(kernel.name, key) for both in places for key in both}


def names_of(node: ast.AST) -> Names:
    found = Names()
    found.visit(node)
    return found


def targets_of(node: ast.Assign | ast.AnnAssign | ast.NamedExpr) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def values(statement: ast.stmt) -> Iterator[ast.expr]:
    """What may be given as it is to a name of a statement: of `a, b = c, d` both, of `a, b = f()` nothing."""
    waiting = [
        node.value
        for node in ast.walk(statement)
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr)
        and node.value
        and (isinstance(node.value, ast.Tuple) or any(isinstance(to, ast.Name) for to in targets_of(node)))
    ]
    while waiting:
        match waiting.pop():
            case ast.Tuple(elts=parts) | ast.BoolOp(values=parts):
                waiting += parts
            case ast.IfExp(body=one, orelse=other):
                waiting += [one, other]
            case value:
                yield value


def is_once(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.FunctionDef):
        return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(statement))
    return any(isinstance(each, ast.GeneratorExp) or is_one_of(each, ONCE) for each in values(statement))


def followed(statement: ast.stmt) -> set[str]:
    """The names that are given as they are to another, or called for it."""
    named = (each.func if isinstance(each, ast.Call) else each for each in values(statement))
    return {each.id for each in named if isinstance(each, ast.Name)}


@cache
def read(text: str, of_page: Own = NONE) -> tuple[Statement, ...]:
    """The statements of a cell, on a page that gives that."""
    if is_cpp(text):
        return ()
    try:
        tree = ast.parse(without_magics(text))
        (of_page | own(text)).mark(tree)
        return tuple(map(described, tree.body))
    except UNREADABLE:  # it may be meant to give what stands at its margin
        lines = (each for names in MARGIN.findall(text) for each in names)
        gives = {name for line in lines for name in re.findall(r"\w+", line)}
        calls = re.findall(r"(\w+)\(", text)
        lasts, anything = any(map(SETS.match, calls)), any(map(ANYTHING.match, calls))
        none = Statement(set(), gives, sure=set(), firm=False, function=False, takes_any=False, sets=lasts)
        return (replace(none, anything=anything),)


def defaults_of(function: ast.FunctionDef) -> list[ast.expr]:
    return [*function.args.defaults, *filter(None, function.args.kw_defaults)]


def heads_of(function: ast.FunctionDef) -> list[ast.expr]:
    return [*function.decorator_list, *defaults_of(function)]


def described(statement: ast.stmt) -> Statement:
    names, is_firm = names_of(statement), isinstance(statement, FIRM)
    is_plain = is_firm or isinstance(statement, ast.Assign | ast.AnnAssign)
    function = statement if isinstance(statement, ast.FunctionDef) else None
    kernel = function if function and function.decorator_list else None
    parts = (node for node in ast.walk(statement) if isinstance(node, ast.Attribute))
    sets_parts = not is_firm and any(not isinstance(each.ctx, ast.Load) for each in parts)
    return Statement(
        uses=names.loads,
        gives=names.stores,
        sure=(names.stores if is_plain else held_by(statement)) - names.loads,
        firm=is_firm,
        function=bool(function),
        takes_any=bool(function and (function.args.vararg or function.args.kwarg)),
        sets=not kernel and (sets_parts or sets(statement)),  # a kernel cannot
        anything=gives_anything(statement),
        touches=names.touches,
        passes=names.passes,
        writes=written_by(function) if function else set(),
        asks=names.asks,
        kernels={kernel.name} if kernel else set(),
        launch=launch_of(kernel) if kernel else "",
        declared=globals_of(statement),
        makes=described(ast.Expr(ast.Tuple(heads_of(function), ast.Load()))) if function else None,
        holds=isinstance(statement, ast.ClassDef)
        or bool(function and not all(isinstance(each, STAYS) for each in defaults_of(function))),
        once=is_once(statement),
        follows=set() if is_firm else followed(statement),
        later=names.later,
        kept=names.kept,
        handed=names.handed,
        given=set() if isinstance(statement, ast.Expr) else names.stores,
        fills=names.fills,
        nests=isinstance(statement, ast.ClassDef)
        or sum(isinstance(e, FUNCTIONS) for e in ast.walk(statement)) > 1,
    )
