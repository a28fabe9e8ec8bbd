r"""What of a student's cell crosses to where it is checked? Definitions as source, values as text.

One fresh interpreter answers for the student. It gets functions, kernels, imports and assignments whose right
side only computes; whatever else a cell does (`print`, a launch, a patched counter, a thread) stays behind.
A value that was computed otherwise comes as the plain value that the student's own kernel ended with.

Another one judges, and runs nothing of the student's Python: it gets kernels, whose text is only read,
imports, and values. For a function it has a stand-in that asks the first one (`gpusim.grading.asking`).

A statement may call what is on a list, by the full name that an import gives it (roots.py).
Every expression that runs with a statement is looked at: defaults, annotations, decorators.

>>> names = Names.of([], frozenset())
>>> carried("K = 4\nprint(K)\ndef f(x):\n    return K * x", {"table": ("", "{1: 2}")}, names).source
'K = 4\npass\ndef f(x):\n    return K * x\ntable = {1: 2}'
>>> carried("K = max(4, 2 + 1)\nL = -5", {"K": ("", "4")}, names).judged
'K = 4\npass\nL = -5\nK = 4'
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from classroom.names import bound, is_pythons, is_read_as_written, parsed, python_of
from classroom.roots import COMPUTE, Roots, is_listed, outside
from classroom.slight import formats

Value = tuple[str, str]  # the kind of NumPy's numbers, "dict" for what is more than one, or ""; and a literal
KINDS = re.compile(r"[<>|=][biuf]\d{1,2}|dict")
STAND_IN = "{0} = __import__('gpusim.grading.asking').grading.asking.instead_of(globals(), {0!r})"
CALLED = COMPUTE | frozenset(
    (
        *(f"numpy.{each}" for each in ("arange", "array", "asarray", "empty", "eye", "full", "linspace")),
        *(f"numpy.{each}" for each in ("ones", "ones_like", "zeros", "zeros_like", "repeat", "tile")),
        *(f"numpy.{each}" for each in ("concatenate", "stack", "dtype", "bool_", "sqrt", "exp", "log2")),
        *(f"numpy.{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
        *(f"numpy.float{bits}" for bits in (16, 32, 64)),
        *("numpy.complex64", "numpy.complex128", "fractions.Fraction", "decimal.Decimal"),
        *(f"math.{each}" for each in ("ceil", "comb", "cos", "exp", "floor", "gcd", "isqrt", "lcm", "log")),
        *(f"math.{each}" for each in ("log2", "pow", "prod", "sin", "sqrt", "trunc")),
        *("gpusim.devices.get", "gpusim.devices.names"),
        *("collections.Counter", "collections.OrderedDict", "collections.defaultdict", "collections.deque"),
        *("collections.namedtuple", "dataclasses.field", "functools.partial"),
    )
)
MAKES = frozenset(("gpusim.RawModule", "gpusim.cudart.RawModule", "gpusim.cuda.jit"))
DECORATORS = frozenset(("gpusim.cuda.jit", "functools.cache", "functools.lru_cache"))
KEEPS = frozenset(("functools.partial",))  # a function, and calls it when it is called: no subscript does
CALLABLE = frozenset(("functools.partial", "collections.namedtuple"))  # what these make
MADE_BY = "dataclasses.dataclass"
MADE_OF = "typing.NamedTuple"
# What only computes: every part of such an expression is one of these
PARTS = (
    *(ast.Constant, ast.Name, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.BinOp, ast.UnaryOp, ast.BoolOp),
    *(ast.Compare, ast.IfExp, ast.Subscript, ast.Slice, ast.Starred, ast.JoinedStr, ast.FormattedValue),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.expr_context),
    *(ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.keyword, ast.Attribute, ast.Call),
)
# What is there as it is written, and computes nothing
WRITTEN = (
    *(ast.Constant, ast.Name, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.UnaryOp, ast.unaryop),
    *(ast.Attribute, ast.Call, ast.keyword, ast.expr_context),
)


class Names(NamedTuple):
    """What names stand for in a notebook. `kept` are those of locked cells, which stay theirs; `read` those
    that any cell reads; `formats`: does any cell format by a text that is not written there?
    """

    roots: Roots
    callable: frozenset[str]
    kept: frozenset[str]
    read: frozenset[str]
    formats: bool

    @classmethod
    def of(cls, sources: Iterable[str], kept: frozenset[str]) -> Names:
        """Of the notebook with these cells of code."""
        trees = [tree for each in sources if (tree := parsed(python_of(each))) is not None]
        roots = Roots(trees)
        read = {
            part.id
            for tree in trees
            for part in ast.walk(tree)
            if isinstance(part, ast.Name) and not _is_bound(part)
        }
        return cls(roots, frozenset(_callable(trees, roots)), kept, frozenset(read), any(map(formats, trees)))


class Carried(NamedTuple):
    """`source` answers in place of the cell, `judged` is what who judges has of it; `left` are the names that
    it binds and that do not cross; `odd` says why none of it crosses, where a kernel would read another text.
    """

    source: str
    judged: str
    left: set[str]
    odd: str = ""


def carried(source: str, values: Mapping[str, Value], names: Names) -> Carried:
    """`values`: what names hold once the cell has run."""
    python = python_of(source)
    tree = parsed(python)
    if tree is None:
        return Carried("", "", set())
    hiding = [each for each in tree.body if any(map(is_pythons, bound(ast.unparse(each))))]
    dunders = [each for each in hiding if any(name.startswith("__") for name in bound(ast.unparse(each)))]
    stay = [each for each in tree.body if each in dunders or not _crosses(each, names)]
    text = _with_pass(python, tree, stay)
    own = {each for each in bound(python) - names.kept if not is_pythons(each)}
    asked = sorted(own & names.callable)
    lines = {
        name: f"{name} = __import__('numpy').array({literal}, {kind!r}){'[()]' * (literal[:1] != '[')}"
        if kind and kind != "dict"
        else f"{name} = {literal}"
        for name, (kind, literal) in values.items()
        if name not in names.kept
        and not name.startswith("__")
        and _is_literal(literal)
        and (not kind or KINDS.fullmatch(kind))
    }
    stays = _bound_last(tree, stay)  # what is more than a dict answers as what its own statement makes
    told = [line for name, line in lines.items() if values[name][0] != "dict" or name in stays]
    answers = "\n".join([text, *told])
    unread = [each for each in tree.body if each in stay + hiding or not _is_written(each, names)]
    others = "\n".join(_but_pythons(each) for each in hiding if each not in stay)
    # values come first as well: a kernel with a signature is compiled where it is defined
    every = [line for name, line in lines.items() if not is_pythons(name)]
    read = _with_pass(python, tree, unread)
    judged = "\n".join([others, *every, read, *map(STAND_IN.format, asked), *every]).lstrip("\n")
    if not all(is_read_as_written(each) for each in (answers, judged)):
        return Carried("", "", own, "IPython reads its Python as other Python: prompts within a text")
    left = stays | (_bound_last(tree, unread) - set(asked) - bound(others))
    return Carried(answers, judged, (left & own) - lines.keys())


def _but_pythons(statement: ast.stmt) -> str:
    """Of an import, what it binds to names of the student's own; of all else nothing."""
    if not isinstance(statement, ast.Import | ast.ImportFrom):
        return ""
    rest = [each for each in statement.names if not is_pythons(each.asname or each.name)]
    made = (
        ast.ImportFrom(statement.module, rest, 0)
        if isinstance(statement, ast.ImportFrom)
        else ast.Import(rest)
    )
    return ast.unparse(made) if rest else ""


def _bound_last(tree: ast.Module, statements: list[ast.stmt]) -> set[str]:
    """The names that one of these statements binds, and none after it."""
    last = {name: each for each in tree.body for name in bound(ast.unparse(each))}
    return {name for name, each in last.items() if each in statements}


def _with_pass(python: str, tree: ast.Module, stay: list[ast.stmt]) -> str:
    """The source with `pass` in place of what stays behind."""
    text = _without(python, stay)
    if parsed(text) is None:  # statements that share a line in a way that blanks cannot mend
        text = "\n".join(ast.unparse(each) for each in tree.body if each not in stay)
    return text.rstrip("\n")


def _is_written(statement: ast.stmt, names: Names) -> bool:
    """Of what crosses: does it compute nothing? A function that is defined does not run."""
    match statement:
        case ast.FunctionDef():
            kernel = all(names.roots.is_of(_called(each), MAKES) for each in statement.decorator_list)
            parts = [*_with(statement.args, statement.returns), *statement.decorator_list]
            return kernel and all(_is_plainly_written(each, names) for each in parts)
        case ast.Assign(value=ast.Lambda(args=arguments)):
            return all(_is_plainly_written(each, names) for each in _with(arguments))
        case ast.Assign(value=value) | ast.AnnAssign(value=value):
            note = [statement.annotation] if isinstance(statement, ast.AnnAssign) else []
            return value is not None and all(_is_plainly_written(each, names) for each in (value, *note))
    return isinstance(statement, ast.Import | ast.ImportFrom | ast.Expr | ast.Pass)


def _is_plainly_written(expression: ast.expr, names: Names) -> bool:
    parts = [*ast.walk(expression)]
    made = all(names.roots.is_of(each.func, MAKES) for each in parts if isinstance(each, ast.Call))
    return made and all(isinstance(part, WRITTEN) for part in parts)


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _callable(trees: list[ast.Module], roots: Roots) -> set[str]:
    """Functions and classes of the notebook, and the names that are made of them."""
    parts = [part for tree in trees for part in outside(tree)]
    found = {each.name for each in parts if isinstance(each, ast.FunctionDef | ast.ClassDef)}
    made = [
        ({part.id for part in ast.walk(each) if isinstance(part, ast.Name)}, _makes(each, roots), each)
        for each in parts
        if isinstance(each, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr | ast.comprehension)
    ]
    makers: dict[str, list[int]] = {}  # which of `made` use this name?
    for n, (used, *_) in enumerate(made):
        for name in used:
            makers.setdefault(name, []).append(n)
    rest, done = [n for n, (_, is_made, _) in enumerate(made) if is_made], set[int]()
    rest += [n for name in found for n in makers.get(name, ())]
    while rest:
        if (n := rest.pop()) in done:
            continue
        done.add(n)
        new = {
            part.id for part in ast.walk(made[n][2]) if isinstance(part, ast.Name) and _is_bound(part)
        } - found
        found |= new
        rest += [n for name in new for n in makers.get(name, ())]
    return found


def _makes(tree: ast.AST, roots: Roots) -> bool:
    """Does it make what can be called, of no function that has a name?"""
    parts = [*ast.walk(tree)]
    called = {roots.full(part.func) for part in parts if isinstance(part, ast.Call)}
    return bool(called & CALLABLE) or any(isinstance(part, ast.Lambda) for part in parts)


def _is_bound(target: ast.Name | ast.Attribute | ast.Subscript) -> bool:
    return not isinstance(target.ctx, ast.Load)


def _crosses(statement: ast.stmt, names: Names) -> bool:
    match statement:
        case ast.FunctionDef():
            plain = all(computes(each, names) for each in _with(statement.args, statement.returns))
            listed = all(is_listed(each) for each in _imports(statement))
            decorated = all(_decorates(each, names) for each in statement.decorator_list)
            generic = getattr(statement, "type_params", None)
            return plain and listed and decorated and not generic and statement.name not in names.kept
        case ast.ClassDef():
            return statement.name not in names.kept and _is_simple(statement, names)
        case ast.Import() | ast.ImportFrom():
            own = [each.asname or each.name.partition(".")[0] for each in statement.names]
            return is_listed(statement) and all(map(names.roots.root, names.kept.intersection(own)))
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            parts = [
                part
                for target in targets
                for part in ast.walk(target)
                if not isinstance(part, ast.expr_context)
            ]
            plain = all(isinstance(part, ast.Name | ast.Tuple | ast.List) for part in parts)
            taken = any(isinstance(part, ast.Name) and part.id in names.kept for part in parts)
            if isinstance(statement, ast.AnnAssign) and not computes(statement.annotation, names):
                return False
            value = statement.value
            if isinstance(value, ast.Lambda):
                right = all(computes(each, names) for each in _with(value.args))
            else:
                right = value is None or computes(value, names)
            return plain and not taken and right
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            return True
    return False


def _with(arguments: ast.arguments, returns: ast.expr | None = None) -> Iterator[ast.expr]:
    """What runs with a `def` or a lambda: defaults and annotations."""
    every = [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    ]
    notes = [each.annotation for each in every if each is not None]
    yield from (each for each in (*arguments.defaults, *arguments.kw_defaults, *notes, returns) if each)


def _imports(function: ast.FunctionDef) -> Iterator[ast.Import | ast.ImportFrom]:
    return (each for each in ast.walk(function) if isinstance(each, ast.Import | ast.ImportFrom))


def computes(expression: ast.expr, names: Names) -> bool:
    """Does it only compute? It calls what is on the list, and hands none of the student's functions on."""
    if any(names.roots.hidden(expression)):
        return False
    for part in ast.walk(expression):
        if not isinstance(part, PARTS):
            return False
        if isinstance(part, ast.Attribute) and part.attr.startswith("_"):
            return False
        if isinstance(part, ast.Attribute | ast.Subscript) and _is_bound(part):
            return False
        if isinstance(part, ast.Call):
            if not names.roots.is_of(part.func, CALLED | MAKES):
                return False
            given = {each.id for each in ast.walk(part) if isinstance(each, ast.Name)}
            if given & names.callable and not names.roots.is_of(part.func, MAKES | KEEPS):
                return False
            if any(each.arg in (None, "key") for each in part.keywords):
                return False
    return True


def _decorates(decorator: ast.expr, names: Names) -> bool:
    called = _called(decorator)
    given = (
        [*decorator.args, *(each.value for each in decorator.keywords)]
        if isinstance(decorator, ast.Call)
        else []
    )
    return names.roots.is_of(called, DECORATORS) and all(computes(each, names) for each in given)


def _is_simple(statement: ast.ClassDef, names: Names) -> bool:
    """Methods and fields; no method that Python calls by itself, except to make an instance or to call it."""
    usual = ("__init__", "__call__", "__post_init__")
    methods = [each for each in statement.body if isinstance(each, ast.FunctionDef)]
    silent = all(not each.name.startswith("__") or each.name in usual for each in methods)
    plain = all(_crosses(each, names) for each in statement.body)
    made = all(_makes_fields(each, names) for each in statement.decorator_list)
    based = all(names.roots.full(each) == MADE_OF for each in statement.bases)
    simple = based and not (statement.keywords or getattr(statement, "type_params", None))
    return silent and plain and made and simple


def _makes_fields(decorator: ast.expr, names: Names) -> bool:
    """`@dataclass`, or `@dataclass(frozen=True)`: and none of its switches calls anything."""
    switches = decorator.keywords if isinstance(decorator, ast.Call) else []
    written = all(each.arg and isinstance(each.value, ast.Constant) for each in switches)
    positional = isinstance(decorator, ast.Call) and decorator.args
    return names.roots.full(_called(decorator)) == MADE_BY and written and not positional


def _without(source: str, statements: list[ast.stmt]) -> str:
    """The source with `pass` in place of these; every other line keeps its number."""
    lines = source.encode().splitlines(keepends=True)
    for each in reversed(statements):
        first = min([each.lineno, *(d.lineno for d in getattr(each, "decorator_list", ()))])
        column = 0 if first < each.lineno else each.col_offset
        last = each.end_lineno or each.lineno
        tail = lines[last - 1][each.end_col_offset :]
        lines[first - 1] = lines[first - 1][:column] + b"pass" + (tail if first == last else b"\n")
        if last > first:
            lines[first:last] = [b"\n"] * (last - first - 1) + [tail if tail.strip() else b"\n"]
    return b"".join(lines).decode()


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return False
    return True
