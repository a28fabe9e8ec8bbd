r"""Does a cell reach for more than its task? Lines to look at; a finding is a flag, no verdict.

What a cell does by itself never runs beside the checks (carrying.py), so it costs nothing to let it be; what
a *function* does may run there: such a submission is to be looked at by hand.

>>> cell = "import os\ndef f():\n    return globals()"
>>> [str(each) for each in findings(cell, Names.of([cell], frozenset()))]
['line 1: `import os`, by itself', 'line 3: `globals`, in a function that checks may call']
"""

from __future__ import annotations

import ast
import re
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from classroom.carrying import MADE_OF, Names
from classroom.names import is_pythons, is_text, parsed, python_of
from classroom.roots import MODULES, SCOPES, is_listed
from classroom.scopes import own_names
from classroom.slight import slight

HARMLESS = frozenset(("matplotlib", "pandas", "IPython", "ipywidgets"))
REACH = frozenset(
    (
        *("__import__", "breakpoint", "compile", "delattr", "dir", "eval", "exec", "exit", "getattr"),
        *("get_ipython", "globals", "hasattr", "input", "locals", "memoryview", "open", "quit", "setattr"),
        *("super", "vars"),
    )
)
QUIET_MAGICS = ("time", "timeit", "matplotlib", "prun", "pip", "pinfo", "cuda")
DUNDERS = frozenset(("__name__", "__doc__", "__init__", "__version__", "__getitem__", "__len__"))
OF_NAMEDTUPLES = frozenset(("_asdict", "_fields", "_make", "_replace"))
OWN_METHODS = frozenset(("__init__", "__call__", "__post_init__"))
# By these an array's address is read, and memory by an address
OF_MEMORY = frozenset(("ctypes", "from_address", "from_buffer"))
# What frames, tracebacks, generators and codes let see of the one who called
OF_FRAMES = frozenset(
    name
    for kind in (
        *(types.FrameType, types.TracebackType, types.GeneratorType, types.CoroutineType),
        *(types.AsyncGeneratorType, types.CodeType),
    )
    for name in vars(kind)
    if name.startswith(("f_", "tb_", "gi_", "cr_", "ag_", "co_"))
)
# A text that names what only Python itself names; CUDA C++ has names of that form
IN_TEXT = re.compile(
    r"__(?!global__|device__|host__|shared__|constant__|restrict__|managed__)[a-z]+__|/proc\b"
)
# A part of a text of which such a name is put together
OF_TEXT = re.compile(r"_+|__[a-z]+|[a-z]+__")
# Modules that reach the system: no answer of the course needs one
SYSTEM = frozenset(("os", "posix", "subprocess", "multiprocessing", "ctypes", "_ctypes", "pty", "signal"))
OF_JUDGES = re.compile(r"\b(?:grading|check_\w+)\b")


@dataclass(frozen=True)
class Finding:
    """`what` is done in `line`; `inside`: in a function, or else by the cell itself; `intent`: for no other
    reason than to reach what is not the cell's; `slight`: harmless, as nothing is reached by it.
    """

    line: int
    what: str
    inside: bool
    intent: bool = False
    slight: bool = False

    @property
    def look(self) -> bool:
        """Is a person to look at it? Else it is a note."""
        return self.intent or (self.inside and not self.slight)

    def __str__(self) -> str:
        where = "in a function that checks may call" if self.inside else "by itself"
        return f"line {self.line}: {self.what}, {where}"


class Cell(NamedTuple):
    """What `names` stand for; by their `id`, which `ast.Name` is a function's own, and what is slight."""

    names: Names
    own: frozenset[int]
    slight: frozenset[int]

    def is_slight(self, node: ast.AST) -> bool:
        """A part of a text is nothing by itself where no text names what is taken."""
        return id(node) in self.slight or (
            isinstance(node, ast.BinOp | ast.Assign) and not self.names.formats
        )

    def module(self, name: ast.expr) -> str:
        """What imports bind it to; "" where it is something else, such as a function's own."""
        if not isinstance(name, ast.Name) or id(name) in self.own:
            return ""
        return self.names.roots.root(name.id)


def findings(source: str, names: Names) -> list[Finding]:
    """What of this cell is worth a look?"""
    python = python_of(source)
    tree = parsed(python)
    if tree is None:
        return []
    cell = Cell(names, own_names(python, tree), slight(tree))
    found = {Finding(*each) for each in (*_walk(tree, cell, inside=False), *_hiding(tree, names))}
    return sorted(found, key=lambda each: (each.line, each.what))


def _walk(node: ast.AST, cell: Cell, *, inside: bool) -> Iterator[tuple[Any, ...]]:
    for each in ast.iter_child_nodes(node):
        if _is_quiet(each) or is_text(each) or _is_spelled_out(each, node, cell):
            continue
        if isinstance(each, ast.expr | ast.stmt | ast.pattern):
            told = _reaches(each, cell, inside=inside)
            later = inside or _is_handed_on(each, node, cell)
            yield from (
                (each.lineno, what, later, _is_intent(each, what, cell), cell.is_slight(each))
                for what in told
            )
        function = isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if function and not inside:
            for part in _hidden(each, cell):
                yield part.lineno, f"`{ast.unparse(part)}`, which its module does not offer", True, False
        yield from _walk(each, cell, inside=inside or function)


def _hiding(node: ast.AST, names: Names) -> Iterator[tuple[int, str, bool, bool]]:
    """What of the cell binds a name of Python's own. A number is a note; what can be called is no accident.

    What is imported keeps its own name: `from numpy import *` is none.
    """
    for each in ast.iter_child_nodes(node):
        found: list[tuple[str, bool]] = []
        match each:
            case ast.Import(names=given) | ast.ImportFrom(names=given):
                found = [(alias.asname, True) for alias in given if alias.asname not in (None, alias.name)]
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found = [(name, True)]
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                found = [(name, False)]
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                value = getattr(node, "value", None)
                called = isinstance(value, ast.Lambda) or (
                    isinstance(value, ast.expr) and _answers(value, names)
                )
                found = [(name, called)]
        for name, called in found:
            if is_pythons(name):
                what = f"`{name}` is bound, which is Python's own"
                yield getattr(each, "lineno", 0), what, False, called or name.startswith("__")
        if not isinstance(each, (*SCOPES, ast.ClassDef, ast.comprehension)):
            yield from _hiding(each, names)


def _answers(value: ast.expr, names: Names) -> bool:
    """Is it a function, by its name?"""
    return bool(names.roots.full(value)) or (isinstance(value, ast.Name) and value.id in names.callable)


def _is_handed_on(node: ast.AST, parent: ast.AST, cell: Cell) -> bool:
    """`f = eval`: whoever has it may call it later, a function as well."""
    called = isinstance(parent, ast.Call) and parent.func is node
    return isinstance(node, ast.Name) and node.id in REACH and _is_reach(node, cell) and not called


def _is_reach(name: ast.Name, cell: Cell) -> bool:
    """Is it Python's own function that reaches for more, and not a function's own name?"""
    dunder = name.id.startswith("__") and name.id not in DUNDERS
    return isinstance(name.ctx, ast.Load) and (name.id in REACH or dunder) and id(name) not in cell.own


def _reaches(node: ast.AST, cell: Cell, *, inside: bool) -> list[str]:
    names, kept = cell.names, cell.names.kept
    match node:
        case ast.Import():
            return [f"`import {each.name}`" for each in node.names if _is_foreign(each.name, inside=inside)]
        case ast.ImportFrom(module=module):
            strange = _is_foreign(module or ".", inside=inside) or not (
                is_listed(node) or (module or "").partition(".")[0] in HARMLESS
            )
            return [f"`from {module} import`"] if strange else []
        case ast.FunctionDef(name=name) if not inside:
            return [f"`{name}` is redefined, which locked cells define"] if name in kept else []
        case ast.ClassDef(name=name):
            if not inside:
                return [f"`{name}` is redefined, which locked cells define"] if name in kept else []
            return (
                [] if _is_plain(node, names) else [f"`class {name}`, which is more than fields and methods"]
            )
        case ast.Global():
            taken = [each for each in node.names if each in kept or is_pythons(each)]
            whose = {True: "which locked cells define", False: "which is Python's own"}
            return [f"`global {each}`, {whose[each in kept]}" for each in taken]
        case ast.Name(id=name) if _is_reach(node, cell):
            return [f"`{name}`"]
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return [f"`{name}` is bound, which locked cells define"] if name in kept and not inside else []
        case ast.Attribute(value=ast.Call(func=ast.Name(id="get_ipython")), attr=name):
            return [f"`get_ipython().{name}`"]
        case ast.Attribute() | ast.Subscript():
            private = isinstance(node, ast.Attribute) and _is_private(node.attr)
            found = [f"`.{node.attr}`"] if isinstance(node, ast.Attribute) and private else []
            if not isinstance(node.ctx, ast.Load) and _is_anothers(node, cell):
                found.append(f"`{ast.unparse(node)}` is bound, which locked cells define")
            return found
        case ast.MatchClass(cls=cls, patterns=patterns, kwd_attrs=attributes):
            positional = [f"`{ast.unparse(cls)}(…)`, which looks into what it matches"] if patterns else []
            return positional + [f"`.{each}`" for each in attributes if _is_private(each)]
        case ast.Call(func=ast.Name(id="type") | ast.Call(func=ast.Name(id="type")), args=[_, _, _, *_]):
            return ["`type(…)`, which makes a class"]
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[target, *_]) if _is_anothers(
            target, cell
        ):
            return [f"what `{ast.unparse(target)}` has is bound, which locked cells define"]
        case ast.Call(func=ast.Attribute(attr="register")):
            return ["`.register(…)`"]
        case ast.BinOp(left=left, right=right):
            parts = [each.value for each in (left, right) if isinstance(each, ast.Constant)]
            made = [each for each in parts if isinstance(each, str) and OF_TEXT.fullmatch(each)]
            return [f"a text is put together with `{made[0]}`"] if made else []
        case ast.Assign(value=ast.Constant(value=str(text))) if OF_TEXT.fullmatch(text):
            return [f"a text is put together with `{text}`"]
        case ast.Constant(value=str(text)):
            return [f"the text `{found[0]}`" for found in IN_TEXT.finditer(text)]
    return []


def _is_intent(node: ast.AST, what: str, cell: Cell) -> bool:
    """A module that reaches the system has one reason where a cell reads what it has of it."""
    match node:
        case ast.Import(names=found):
            return any(
                f"`import {each.name}`" == what
                and _is_of_system(each.name, (each.asname or each.name.partition(".")[0]) in cell.names.read)
                for each in found
            )
        case ast.ImportFrom(module=str(module), names=found):
            return _is_of_system(
                module, any((each.asname or each.name) in {*cell.names.read, "*"} for each in found)
            )
        case ast.Constant():
            return "/proc" in what
        case ast.Call(args=[target, *_]) | ast.Attribute(value=target) | ast.Subscript(value=target):
            judges = cell.module(_base(target)).startswith("gpusim.grading")
            return "which locked cells define" in what and (judges or _names_judges(what))
        case ast.Name() | ast.FunctionDef() | ast.ClassDef():
            return "which locked cells define" in what and _names_judges(what)
    return False


def _names_judges(what: str) -> bool:
    return OF_JUDGES.search(what) is not None


def _is_of_system(module: str, read: bool) -> bool:
    return (read and module.partition(".")[0] in SYSTEM) or module.startswith("gpusim.grading.")


def _hidden(function: ast.AST, cell: Cell) -> Iterator[ast.expr]:
    """What it takes of modules that these do not offer; what draws is not there when checks run."""
    for part in cell.names.roots.hidden(function):
        base = _base(part)
        drawn = part is base and cell.module(part).partition(".")[0] in HARMLESS
        if id(base) not in cell.own and not drawn:
            yield part


def _is_anothers(target: ast.expr, cell: Cell) -> bool:
    """Does it belong to what locked cells define, or to a module? What a function has to itself does not."""
    base = _base(target)
    if not isinstance(base, ast.Name) or id(base) in cell.own:
        return False
    return base.id in cell.names.kept or cell.names.roots.is_anothers(base.id)


def _base(target: ast.expr) -> ast.expr:
    """The `a` of `a.b[0].c`."""
    while isinstance(target, ast.Attribute | ast.Subscript):
        target = target.value
    return target


def _is_plain(made: ast.ClassDef, names: Names) -> bool:
    methods = [each.name for each in made.body if isinstance(each, ast.FunctionDef)]
    own = all(each in OWN_METHODS or not each.startswith("__") for each in methods)
    return own and all(names.roots.full(each) == MADE_OF for each in made.bases) and not made.keywords


def _is_quiet(node: ast.AST) -> bool:
    """A magic such as `%time`, as IPython spells it out, that only looks or measures."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Call(func=ast.Name(id="get_ipython"))),
            args=[ast.Constant(value=magic), *_],
        ):
            return magic in QUIET_MAGICS
    return False


def _is_spelled_out(node: ast.AST, parent: ast.AST, cell: Cell) -> bool:
    """The `hasattr` of `hasattr(device, "warp_size")`, which is no more than `device.warp_size`."""
    match parent:
        case ast.Call(
            func=ast.Name(id="hasattr" | "getattr") as func, args=[it, ast.Constant(value=str(name)), *_]
        ):
            modules = any(cell.module(part) for part in ast.walk(it) if isinstance(part, ast.Name))
            return node is func and not modules and name.isidentifier() and not _is_private(name)
    return False


def _is_private(name: str) -> bool:
    return (
        name == "get_ipython"
        or name in OF_MEMORY
        or name in OF_FRAMES
        or (name.startswith("_") and name not in DUNDERS | OF_NAMEDTUPLES)
    )


def _is_foreign(module: str, *, inside: bool) -> bool:
    """A function has less reason to import than a cell: nothing that shows, nothing of the notebook."""
    return module not in MODULES and (inside or module.partition(".")[0] not in HARMLESS)
