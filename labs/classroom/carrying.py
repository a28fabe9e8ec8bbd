r"""What of a student's cell crosses into the interpreter that checks? Definitions as source, values as text.

A fresh interpreter runs the checks. It gets functions, kernels, imports and assignments whose right side only
computes; whatever else a cell does (`print`, a launch, a patched counter, a thread) stays behind. A value
that was computed otherwise comes as the plain value that the student's own kernel ended with.

>>> carried("K = 4\nprint(K)\ndef f(x):\n    return K * x", {"table": ("", "{1: 2}")}, frozenset()).source
'K = 4\npass\ndef f(x):\n    return K * x\ntable = {1: 2}'
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from classroom.names import bound, parsed, python_of

Value = tuple[str, str]  # the kind of an array's elements or "", and a literal
MODULES = frozenset(
    (
        *("__future__", "bisect", "cmath", "collections", "dataclasses", "decimal", "enum"),
        *("fractions", "functools", "gpusim", "heapq", "itertools", "math", "numpy", "operator"),
        *("statistics", "string", "typing"),
    )
)
COMPUTE = frozenset(
    (
        *("abs", "bool", "bytes", "dict", "divmod", "enumerate", "float", "frozenset", "int"),
        *("len", "list", "max", "min", "pow", "range", "reversed", "round", "set", "slice", "str"),
        *("sum", "tuple", "zip"),
    )
)
FROM = ("np.", "numpy.", "math.", "cuda.", "gpusim.devices.", "devices.")
MAKES = ("gpusim.RawModule", "cuda.jit", "gpusim.cuda.jit", "gpusim.cudart.RawModule")
DECORATORS = ("cuda.jit", "gpusim.cuda.jit", "functools.cache", "functools.lru_cache", "cache", "lru_cache")
# What only computes: every part of such an expression is one of these
PARTS = (
    *(ast.Constant, ast.Name, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.BinOp, ast.UnaryOp, ast.BoolOp),
    *(ast.Compare, ast.IfExp, ast.Subscript, ast.Slice, ast.Starred, ast.JoinedStr, ast.FormattedValue),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.expr_context),
    *(ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.keyword, ast.Attribute, ast.Call),
)


class Carried(NamedTuple):
    """`source` runs in place of the cell; `left` are the names that it binds and that do not cross."""

    source: str
    left: set[str]


def carried(source: str, values: Mapping[str, Value], kept: frozenset[str]) -> Carried:
    """`values`: what names hold once the cell has run. `kept`: names of locked cells, which stay theirs."""
    python = python_of(source)
    tree = parsed(python)
    if tree is None:
        return Carried("", set())
    own = {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.ClassDef)}
    stay = [each for each in tree.body if not _crosses(each, own, kept)]
    text = _without(python, stay)
    if parsed(text) is None:  # statements that share a line in a way that blanks cannot mend
        text = "\n".join(ast.unparse(each) for each in tree.body if each not in stay)
    lines = [text.rstrip("\n")]
    for name, (kind, literal) in values.items():
        if name not in kept and _is_literal(literal):
            lines.append(
                f"{name} = __import__('numpy').array({literal}, {kind!r})" if kind else f"{name} = {literal}"
            )
    result = "\n".join(lines)
    return Carried(result, bound(python) - bound(result) - kept)


def _crosses(statement: ast.stmt, own: set[str], kept: frozenset[str]) -> bool:
    match statement:
        case ast.FunctionDef():
            arguments = [each for each in (*statement.args.defaults, *statement.args.kw_defaults) if each]
            plain = all(computes(each, own) for each in arguments)
            return plain and statement.name not in kept and all(map(_decorates, statement.decorator_list))
        case ast.ClassDef():
            return statement.name not in kept and _is_simple(statement, own, kept)
        case ast.Import():
            return all(each.name.partition(".")[0] in MODULES for each in statement.names)
        case ast.ImportFrom():
            wild = any(each.name == "*" for each in statement.names)
            return (statement.module or "").partition(".")[0] in MODULES and not wild and not statement.level
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names = [
                part
                for target in targets
                for part in ast.walk(target)
                if not isinstance(part, ast.expr_context)
            ]
            plain = all(isinstance(part, ast.Name | ast.Tuple | ast.List) for part in names)
            taken = any(isinstance(part, ast.Name) and part.id in kept for part in names)
            value = statement.value
            alone = isinstance(value, ast.Lambda) and not value.args.defaults
            declared = value is None and isinstance(statement, ast.AnnAssign)
            return plain and not taken and (declared or alone or (value is not None and computes(value, own)))
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            return True
    return False


def computes(expression: ast.expr, own: set[str]) -> bool:
    """Does it only compute? It calls nothing but arithmetic, and hands none of the student's functions on."""
    makes = isinstance(expression, ast.Call) and ast.unparse(expression.func) in MAKES
    for part in ast.walk(expression):
        if not isinstance(part, PARTS):
            return False
        if isinstance(part, ast.Attribute) and part.attr.startswith("_"):
            return False
        if isinstance(part, ast.Call):
            called = ast.unparse(part.func)
            if not (called in COMPUTE or called.startswith(FROM) or called in MAKES):
                return False
            given = {each.id for each in ast.walk(part) if isinstance(each, ast.Name)}
            if (given & own and not makes) or any(each.arg == "key" for each in part.keywords):
                return False
    return True


def _decorates(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    given = (
        [*decorator.args, *(each.value for each in decorator.keywords)]
        if isinstance(decorator, ast.Call)
        else []
    )
    return ast.unparse(called) in DECORATORS and all(computes(each, set()) for each in given)


def _is_simple(statement: ast.ClassDef, own: set[str], kept: frozenset[str]) -> bool:
    """Methods and fields; no method that Python calls by itself, except to make an instance or to call it."""
    usual = ("__init__", "__call__", "__post_init__")
    methods = [each for each in statement.body if isinstance(each, ast.FunctionDef)]
    silent = all(not each.name.startswith("__") or each.name in usual for each in methods)
    plain = all(_crosses(each, own, kept) for each in statement.body)
    made = all(
        ast.unparse(each) in ("dataclass", "dataclasses.dataclass") for each in statement.decorator_list
    )
    return silent and plain and made and not statement.bases and not statement.keywords


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
