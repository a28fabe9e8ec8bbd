r"""Does a cell reach for more than its task? Lines to look at; a finding is a flag, no verdict.

What a cell does by itself never runs beside the checks (carrying.py), so it costs nothing to let it be; what
a *function* does may run there: such a submission is to be looked at by hand.

>>> [str(each) for each in findings("import os\ndef f():\n    return globals()", frozenset())]
['line 1: `import os`, by itself', 'line 3: `globals`, in a function that checks may call']
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from classroom.carrying import MODULES
from classroom.names import parsed, python_of

COMPUTING = frozenset(("copy", "random", "time"))
HARMLESS = COMPUTING | {"matplotlib", "pandas", "IPython", "ipywidgets", "pprint"}
REACH = frozenset(
    (
        *(
            "__import__",
            "breakpoint",
            "compile",
            "delattr",
            "eval",
            "exec",
            "exit",
            "getattr",
            "get_ipython",
            "globals",
        ),
        *("input", "locals", "memoryview", "open", "quit", "setattr", "vars"),
    )
)
QUIET_MAGICS = ("time", "timeit", "matplotlib", "prun", "pip", "pinfo", "cuda")
DUNDERS = frozenset(("__name__", "__doc__", "__init__", "__version__", "__getitem__", "__len__"))


@dataclass(frozen=True)
class Finding:
    """`what` is done in `line`; `inside`: in a function, or else by the cell itself."""

    line: int
    what: str
    inside: bool

    def __str__(self) -> str:
        where = "in a function that checks may call" if self.inside else "by itself"
        return f"line {self.line}: {self.what}, {where}"


def findings(source: str, kept: frozenset[str]) -> list[Finding]:
    """What of this cell is worth a look? `kept` are the names that locked cells define."""
    python = python_of(source)
    tree = parsed(python)
    if tree is None:
        return []
    own = {Finding(*found) for found in _walk(tree, kept, inside=False)}
    return sorted(own, key=lambda each: (each.line, each.what))


def _walk(node: ast.AST, kept: frozenset[str], *, inside: bool) -> Iterator[tuple[int, str, bool]]:
    for each in ast.iter_child_nodes(node):
        if _is_quiet(each):
            continue
        yield from ((each.lineno, what, inside) for what in _reaches(each, kept, inside=inside))
        function = isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from _walk(each, kept, inside=inside or function)


def _reaches(node: ast.AST, kept: frozenset[str], *, inside: bool) -> list[str]:
    match node:
        case ast.Import(names=names):
            return [f"`import {each.name}`" for each in names if _is_foreign(each.name, inside=inside)]
        case ast.ImportFrom(module=module):
            return [f"`from {module} import`"] if _is_foreign(module or ".", inside=inside) else []
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) if not inside:
            return [f"`{name}` is redefined, which locked cells define"] if name in kept else []
        case ast.Global(names=names):
            return [f"`global {each}`, which locked cells define" for each in names if each in kept]
        case ast.Name(id=name) if name in REACH:
            return [f"`{name}`"]
        case ast.Attribute(value=ast.Call(func=ast.Name(id="get_ipython")), attr=name):
            return [f"`get_ipython().{name}`"]
        case ast.Attribute(attr=name) if name == "get_ipython" or _is_private(name):
            return [f"`.{name}`"]
        case ast.Assign(targets=targets):
            return [found for target in targets for found in _onto(target, kept, inside=inside)]
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return _onto(target, kept, inside=inside)
        case ast.Delete(targets=targets):
            return [found for target in targets for found in _onto(target, kept, inside=inside)]
    return []


def _onto(target: ast.expr, kept: frozenset[str], *, inside: bool) -> list[str]:
    """Is it bound onto something that locked cells define, or in its place? A local name is not."""
    if isinstance(target, ast.Tuple | ast.List):
        return [found for each in target.elts for found in _onto(each, kept, inside=inside)]
    root: ast.expr = target
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name) or root.id not in kept or (inside and root is target):
        return []
    return [f"`{ast.unparse(target)}` is bound, which locked cells define"]


def _is_quiet(node: ast.AST) -> bool:
    """A magic such as `%time`, as IPython spells it out, that only looks or measures."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Call(func=ast.Name(id="get_ipython"))),
            args=[ast.Constant(value=magic), *_],
        ):
            return magic in QUIET_MAGICS
    return False


def _is_private(name: str) -> bool:
    return name.startswith("_") and name not in DUNDERS


def _is_foreign(module: str, *, inside: bool) -> bool:
    """A function has less reason to import than a cell: nothing that shows, nothing of the notebook."""
    root = module.partition(".")[0]
    return root not in MODULES and root not in (COMPUTING if inside else HARMLESS)
