"""Do the names that checks use still mean what they did? After every cell they are put back.

A lab's first cell ends with `grading.keep(globals())`. What an answer makes of `lanes_of`, of what stands in
`DEVICES`, of `grading.same` or of `numpy.array_equal` is gone again when its cell is over, and the reader is
told.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields
from enum import EnumType
from functools import cache, cached_property
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from gpusim import devices
from gpusim.grading.failing import CheckFailed
from gpusim.grading.plain import NotPlain
from gpusim.grading.so_far import note
from gpusim.grading.wire import packed, unpacked

ROOM = __name__.rpartition(".")[0]
PACKAGES = (ROOM.partition(".")[0], "numpy", "builtins", "math", "operator", "itertools", "dataclasses")
LATE = "numpy.random"  # which NumPy loads only when it is first used: perhaps behind an answer
NOT_KEPT = {"input", "get_ipython", "display"}  # a notebook has its own
TRANSFORMERS = ("ast_transformers", "input_transformers_cleanup", "input_transformers_post")
READ_BY = "transform_cell"  # what makes Python of a cell
# Who reads a cell and shows how it ends; an instance that has one of these hides the class's own
SHOWN_BY = ("custom_exceptions", "CustomTB", "showtraceback", "_showtraceback", READ_BY)
# What checks call while an answer runs; the rest is put back when its cell is over
CALLED = ("gpusim.grading", "gpusim.devices", "gpusim.reports.occupancy")
TOP = {"gpusim", "builtins", "numpy", LATE, "math"}
CODE = ("__code__", "__defaults__", "__kwdefaults__")
BEHIND = {property: "fget", cached_property: "func", staticmethod: "__func__", classmethod: "__func__"}
CHECK = "# Check"  # how the cell of a check begins
ABSENT = object()


class Kept(NamedTuple):
    """`owner.name` was `value`, and is to be it again. `names` are its owner's."""

    owner: Any
    name: str
    value: Any
    names: Mapping[str, Any]


_notebooks: list[tuple[dict[str, Any], dict[str, Any]]] = []
_codes: list[tuple[FunctionType, list[Any]]] = []  # of the functions that notebooks keep
_contents: list[tuple[str, Any, Any]] = []  # of the tables and arrays among the CONSTANTS


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
    _codes.extend((each, _code_of(each)) for each in held.values() if isinstance(each, FunctionType))
    for name, value in held.items():
        with suppress(NotPlain):
            if isinstance(value, dict | list | set | np.ndarray):
                _contents.append((name, value, packed(value)))
    _packages()
    shell = names["get_ipython"]() if "get_ipython" in names else None
    if shell is None:
        return
    before, profiling = {kind: list(getattr(shell, kind)) for kind in TRANSFORMERS}, sys.getprofile()
    shown_by = {name: vars(shell).get(name, ABSENT) for name in SHOWN_BY}
    read_by = [(each, vars(each)[READ_BY]) for each in type(shell).__mro__ if READ_BY in vars(each)]

    def after_a_cell(result: Any) -> None:
        hidden = [name for name in SHOWN_BY if vars(shell).get(name, ABSENT) is not shown_by[name]]
        for name in hidden:
            vars(shell).pop(name, None)
            if shown_by[name] is not ABSENT:
                setattr(shell, name, shown_by[name])
        if hidden and (error := result.error_in_exec) is not None:
            shell.showtraceback((type(error), error, error.__traceback__))
        if isinstance(result.error_in_exec, SystemExit):  # which a notebook does not show as an error
            failed = CheckFailed("this cell tells Python to end; take the `exit` out")
            shell.showtraceback((CheckFailed, failed, None))
        for each, reads in read_by:
            setattr(each, READ_BY, reads)
        for kind, transformers in before.items():
            getattr(shell, kind)[:] = transformers
        for event, callbacks in called.items():
            shell.events.callbacks[event][:] = callbacks
        if sys.getprofile() is not profiling:  # a function that would see the checks begin
            sys.setprofile(profiling)
        if put_back() and result.success and str(result.info.raw_cell).startswith(CHECK):
            result.error_in_exec = CheckFailed("names that this check uses were changed while it ran")
            shell.showtraceback((CheckFailed, result.error_in_exec, None))
        note(str(result.info.raw_cell), success=result.success, value=result.result)

    shell.events.register("post_run_cell", after_a_cell)
    called = {event: list(callbacks) for event, callbacks in shell.events.callbacks.items()}


@contextmanager
def names_stay() -> Iterator[None]:
    """What an answer binds in its notebook while it runs is bound as before afterwards."""
    before = [(names, dict(names)) for names, _ in _notebooks]
    try:
        yield
    finally:
        for names, bound in before:
            for name in [name for name in names if name not in bound]:
                del names[name]
            names.update(bound)


@contextmanager
def unmoved(*, everything: bool = False) -> Iterator[list[str]]:
    """What of all that grades is another at the end? It is put back. The list is filled at the end.

    What was there lies in this call, and nowhere that a name leads to. `everything`: of all packages as well.
    """
    packages = _packages().kept if everything and _notebooks else []
    before = [(each, each.names.get(each.name, ABSENT)) for each in packages]
    rooms = [(vars(each), {**vars(each)}) for name, each in sys.modules.items() if name.startswith(ROOM)]
    functions = {each for _, held in rooms for each in held.values() if isinstance(each, FunctionType)}
    codes = [(each, _code_of(each)) for each in functions]
    lists = [(each, [*each]) for each in (_notebooks, _codes)]
    moved: list[str] = []
    try:
        yield moved
    finally:
        for each, value in before:
            if each.names.get(each.name, ABSENT) is not value:
                moved.append(each.name)
                setattr(each.owner, each.name, value)
        for names, held in rooms:
            moved += [name for name, value in held.items() if names.get(name, ABSENT) is not value]
            names.update(held)
        for function, code in codes:
            if _code_of(function) != code:
                moved.append(function.__name__)
                for part, value in zip(CODE, code, strict=True):
                    setattr(function, part, value)
        for known, entries in lists:
            if [*map(id, known)] != [*map(id, entries)]:
                moved.append("what is kept")
                known[:] = entries


def put_back(*, everything: bool = True) -> list[str]:
    """Bind every kept name as it was; those that were not. Without `everything` fewer are looked at."""
    if not _notebooks:
        return []
    packages, changed = _packages(), []
    for kept in packages.kept if everything else packages.called:
        if kept.names.get(kept.name, ABSENT) is not kept.value:
            setattr(kept.owner, kept.name, kept.value)
            changed.append(kept.name)
    for names, held in _notebooks:
        for name, value in held.items():
            if not _alike(names.get(name, ABSENT), value):
                names[name] = value
                changed.append(name)
        for name in names.keys() & packages.builtins - held.keys():  # it hides what checks call
            del names[name]
            changed.append(name)
    changed += [name for name, value, before in _contents if _refilled(value, before)]
    for each, known in packages.classes.items():
        for name in vars(each).keys() - known if everything or _is_called(each) else ():
            hidden = any(name in vars(base) for base in each.__mro__[1:]) or hasattr(each, "__getattr__")
            if hidden or _is_bound(vars(each)[name]):  # it hides what was there, or what is looked up
                delattr(each, name)
                changed.append(name)
    for device, figures in packages.figures:
        for name, value in figures.items():
            if getattr(device, name) is not value:
                object.__setattr__(device, name, value)
                changed.append(f"{name} of {figures['name']}")
    for function, code in [*_codes, *packages.codes]:
        if _code_of(function) != code:
            for part, value in zip(CODE, code, strict=True):
                setattr(function, part, value)
            changed.append(function.__name__)
    if changed:
        listed = ", ".join(sorted(set(changed)))
        print(f"Put back, as checks use it: {listed}. Take another name for your own.")
    return changed


def _refilled(value: Any, before: Any) -> bool:
    """Had it other contents than before? It has the same again."""
    with suppress(NotPlain):
        if packed(value) == before:
            return False
    held = unpacked(before)
    if isinstance(value, np.ndarray):
        value[...] = held
    elif isinstance(value, list):
        value[:] = held
    else:
        value.clear()
        value.update(held)
    return True


def _alike(now: Any, before: Any) -> bool:
    """The same, or defined by the same text: the first cell may run twice."""
    if isinstance(now, FunctionType) and isinstance(before, FunctionType):
        return _code_of(now) == _code_of(before)
    return now is before or (type(now) is type(before) and type(now) in (int, str, tuple) and now == before)


def _code_of(function: FunctionType) -> list[Any]:
    return [getattr(function, part) for part in CODE]


class Packages(NamedTuple):
    """What packages hold: functions, classes, modules, methods, the code of own functions, GPUs' figures."""

    kept: list[Kept]
    called: list[Kept]
    builtins: frozenset[str]
    figures: list[tuple[Any, dict[str, Any]]]
    classes: dict[type, frozenset[str]]
    codes: list[tuple[FunctionType, list[Any]]]


@cache
def _packages() -> Packages:
    import_module(LATE)
    modules = [module for name, module in sys.modules.items() if name.split(".")[0] in PACKAGES]
    kept = [
        Kept(module, name, value, vars(module))
        for module in modules
        for name, value in vars(module).items()
        if name not in NOT_KEPT and (callable(value) or isinstance(value, ModuleType))
    ]
    classes = {each.value for each in kept if isinstance(each.value, type) and _is_own(each.value)}
    classes = {each for each in classes if not isinstance(each, EnumType)}
    kept += [
        Kept(each, name, value, vars(each))
        for each in classes
        for name, value in vars(each).items()
        if _is_bound(value)
    ]
    behind = (getattr(each.value, BEHIND.get(type(each.value), ""), each.value) for each in kept)
    functions = {id(each): each for each in behind if isinstance(each, FunctionType)}
    return Packages(
        kept,
        [each for each in kept if _is_called(each.owner)],
        frozenset(name for name, value in vars(builtins).items() if callable(value) and name[0] != "_")
        - NOT_KEPT,
        [
            (device, {field.name: getattr(device, field.name) for field in fields(device)})
            for device in map(devices.get, devices.names())
        ],
        {each: frozenset(vars(each)) for each in classes},
        [(each, _code_of(each)) for each in functions.values() if _is_own(each)],
    )


def _is_bound(value: Any) -> bool:
    """A method, a property, the place of a field: what answers when an instance is asked for the name."""
    return hasattr(type(value), "__get__")


def _is_called(owner: Any) -> bool:
    name = owner.__module__ if isinstance(owner, type) else owner.__name__
    return name in TOP or name.startswith(CALLED)


def _is_own(each: Any) -> bool:
    return str(each.__module__).partition(".")[0] == PACKAGES[0]
