r"""What do a notebook's statements give without the simulator? The same run in a box that has none.

Of `gpusim` there are the figures of devices, and nothing else to import or to read. Each statement that fails
is passed over, so that those which need no run go on.

>>> print(passing("run = profile()\nn = 4"))
try:
    run = profile()
except Exception:
    pass
try:
    n = 4
except Exception:
    pass
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode, v4

import gpusim
from classroom.mending import is_check
from classroom.names import parsed, python_of

HOME = Path(gpusim.__file__).parent
# Modules of figures, each after those that it imports
FIGURES = {
    "gpusim": "",
    "gpusim.errors": "errors.py",
    "gpusim.devices.device": "devices/device.py",
    "gpusim.devices.catalogue": "devices/catalogue.py",
    "gpusim.devices": "devices/__init__.py",
}


def only_figures(texts: dict[str, str]) -> None:
    """It runs in the kernel: these modules are all that there is of gpusim."""
    import sys
    from types import ModuleType

    for name in [each for each in sys.modules if each.partition(".")[0] in ("gpusim", "numba")]:
        del sys.modules[name]
    for name, text in texts.items():
        made = sys.modules[name] = ModuleType(name)
        made.__path__ = []  # nothing below it is found
        exec(text, vars(made))
    for name in texts:
        package, _, last = name.rpartition(".")
        if package:
            setattr(sys.modules[package], last, sys.modules[name])
    sys.modules["numba"] = None  # type: ignore[assignment] # its import fails


def begins() -> str:
    """The first cell of such a run."""
    texts = {name: (HOME / file).read_text("utf-8") if file else "" for name, file in FIGURES.items()}
    name = only_figures.__name__
    return f"{inspect.getsource(only_figures)}\n\n{name}({texts!r})\ndel {name}"


def alone(notebook: NotebookNode) -> NotebookNode:
    """The notebook to run there: its cells, without checks, by the same ids."""
    cells = [
        v4.new_code_cell("" if is_check(each) else passing(each.source), id=each.id)
        for each in notebook.cells
        if each.cell_type == "code"
    ]
    first = v4.new_code_cell(begins(), id="figures")
    made: NotebookNode = v4.new_notebook(cells=[first, *cells], metadata=notebook.metadata)
    return made


def passing(source: str) -> str:
    """The cell as Python that passes over what fails; "" where it is no Python."""
    tree = parsed(python_of(source))
    if tree is None:
        return ""
    tree.body = _passing(tree.body)
    return ast.unparse(ast.fix_missing_locations(tree))


def _passing(body: list[ast.stmt]) -> list[ast.stmt]:
    made: list[ast.stmt] = []
    for each in (part for statement in body for part in _split(statement)):
        if isinstance(each, ast.ImportFrom) and each.module == "__future__":
            made.append(each)
            continue
        instead: list[ast.stmt] = [ast.Pass()]
        if isinstance(each, ast.For | ast.If | ast.With):
            each.body = _passing(each.body)
        if isinstance(each, ast.For | ast.If):
            each.orelse = _passing(each.orelse)
        if isinstance(each, ast.With) and not any(isinstance(part, ast.With) for part in _below(each)):
            instead = each.body  # which runs all the same where a run cannot begin
        handler = ast.ExceptHandler(ast.Name("Exception", ast.Load()), None, instead)
        made.append(ast.Try([each], [handler], [], []))
    return made


def _split(statement: ast.stmt) -> Iterator[ast.stmt]:
    """Each name of an import by itself: `from gpusim import cuda, devices` gives `devices`."""
    if isinstance(statement, ast.Import):
        yield from (ast.Import([each]) for each in statement.names)
    elif isinstance(statement, ast.ImportFrom):
        yield from (ast.ImportFrom(statement.module, [each], statement.level) for each in statement.names)
    else:
        yield statement


def _below(node: ast.AST) -> Iterator[ast.AST]:
    for each in ast.iter_child_nodes(node):
        yield from ast.walk(each)
