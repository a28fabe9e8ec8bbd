"""Do the names that checks use still mean what they did? After every cell they are put back.

A lab's first cell ends with `grading.keep(globals())`. What an answer makes of `lanes_of`, of `grading.same`
or of `numpy.array_equal` is gone again when its cell is over, and the reader is told.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import EnumType
from functools import cache
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from gpusim.grading.failing import CheckFailed

ROOM = __name__.rpartition(".")[0]
PACKAGES = (ROOM.partition(".")[0], "numpy", "builtins", "math", "operator", "itertools")
NOT_KEPT = {"input", "get_ipython", "display"}  # a notebook has its own
TRANSFORMERS = ("ast_transformers", "input_transformers_cleanup", "input_transformers_post")
CODE = ("__code__", "__defaults__", "__kwdefaults__")
METHODS = (FunctionType, property, classmethod, staticmethod)
ABSENT = object()


class Kept(NamedTuple):
    """`owner.name` was `value`, and is to be it again. `names` are its owner's."""

    owner: Any
    name: str
    value: Any
    names: Mapping[str, Any]


_notebooks: list[tuple[dict[str, Any], dict[str, Any]]] = []


def keep(names: dict[str, Any]) -> None:
    """The modules, functions, classes and CONSTANTS among `globals()` stay what they are now."""
    if any(known is names for known, _ in _notebooks):
        return
    held = {
        name: value
        for name, value in names.items()
        if not name.startswith("_")
        and name not in NOT_KEPT
        and (callable(value) or isinstance(value, ModuleType) or name.isupper())
    }
    _notebooks.append((names, held))
    _packages()
    shell = names["get_ipython"]() if "get_ipython" in names else None
    if shell is None:
        return
    before = {kind: list(getattr(shell, kind)) for kind in TRANSFORMERS}

    def after_a_cell(result: Any) -> None:
        if isinstance(result.error_in_exec, SystemExit):  # which a notebook does not show as an error
            failed = CheckFailed("this cell tells Python to end; take the `exit` out")
            shell.showtraceback((CheckFailed, failed, None))
        for kind, transformers in before.items():
            getattr(shell, kind)[:] = transformers
        put_back()

    shell.events.register("post_run_cell", after_a_cell)


def put_back(*, everything: bool = True) -> None:
    """Bind every kept name as it was; without `everything` only those of notebooks, and what grades."""
    changed = []
    for names, held in _notebooks:
        for name, value in held.items():
            if not _alike(names.get(name, ABSENT), value):
                names[name] = value
                changed.append(name)
    for kept in (_packages() if everything else _grading()) if _notebooks else ():
        if kept.names.get(kept.name, ABSENT) is not kept.value:
            setattr(kept.owner, kept.name, kept.value)
            changed.append(kept.name)
    for function, *code in (_codes() if everything else ()) if _notebooks else ():
        if [getattr(function, part) for part in CODE] != code:
            for part, value in zip(CODE, code, strict=True):
                setattr(function, part, value)
            changed.append(function.__name__)
    if changed:
        print(
            f"Put back, as checks use it: {', '.join(sorted(set(changed)))}. Take another name for your own."
        )


def _alike(now: Any, before: Any) -> bool:
    """The same, or defined by the same text: the first cell may run twice."""
    if isinstance(now, FunctionType) and isinstance(before, FunctionType):
        return all(getattr(now, part) == getattr(before, part) for part in CODE)
    return now is before or (type(now) is type(before) and type(now) in (int, str, tuple) and now == before)


@cache
def _packages() -> list[Kept]:
    """What modules and the package's own classes hold, of functions, classes and modules."""
    modules = [module for name, module in sys.modules.items() if name.split(".")[0] in PACKAGES]
    found = [
        Kept(module, name, value, vars(module))
        for module in modules
        for name, value in vars(module).items()
        if name not in NOT_KEPT and (callable(value) or isinstance(value, ModuleType))
    ]
    own = {
        each.value for each in found if isinstance(each.value, type) and not isinstance(each.value, EnumType)
    }
    own = {each for each in own if each.__module__.partition(".")[0] == PACKAGES[0]}
    return found + [
        Kept(each, name, value, vars(each))
        for each in own
        for name, value in vars(each).items()
        if isinstance(value, METHODS)
    ]


@cache
def _grading() -> list[Kept]:
    return [kept for kept in _packages() if str(getattr(kept.owner, "__name__", "")).startswith(ROOM)]


@cache
def _codes() -> list[tuple[Any, ...]]:
    """The code of the package's functions: (function, code, defaults, keyword defaults)."""
    functions = {id(kept.value): kept.value for kept in _packages() if isinstance(kept.value, FunctionType)}
    return [(each, *(getattr(each, part) for part in CODE)) for each in functions.values() if _is_own(each)]


def _is_own(each: Any) -> bool:
    return str(each.__module__).partition(".")[0] == PACKAGES[0]
