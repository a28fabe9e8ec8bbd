"""Does each name that a reader meets say what it is, and does each example in a docstring run?"""

from __future__ import annotations

import doctest
import enum
import importlib
import inspect
import pkgutil
import re
import types
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import gpusim
from gpusim import cuda, cudart, devices, grading, views

ROOT = Path(__file__).resolve().parents[1]
SOURCES = {ROOT: ("gpusim", "tests"), ROOT / "book": ("course", "live"), ROOT / "labs": ("classroom",)}
NEEDS = {
    "course.": ("grimp",),
    "gpusim.cpp.": ("clang",),
    "classroom.": ("fcntl", "nbgrader"),
    "tests.": ("clang",),
}
PAGES = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "book").glob("api*.md")))
ON_PAGES = re.findall(r"^\.\. auto(?:function|class|data|exception):: ([\w.]+)", PAGES, re.M)


def with_examples() -> Iterator[str]:
    """The modules that have an example in a docstring."""
    for root, parts in SOURCES.items():
        for path in (path for part in parts for path in sorted((root / part).rglob("*.py"))):
            if "node_modules" not in path.parts and re.search(r"^\s*>>> [^>]", path.read_text("utf-8"), re.M):
                yield ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def public() -> dict[str, object]:
    """What a program imports, what the pages of the package describe, and the methods of both."""
    found: dict[str, object] = {}
    for module in (gpusim, cuda, cudart, devices, grading, views):
        names = getattr(module, "__all__", [name for name in dir(module) if name.startswith("cuda")])
        found |= {f"{module.__name__}.{name}": getattr(module, name) for name in names}
    for name in ON_PAGES:
        module, _, last = name.rpartition(".")
        found[name] = getattr(importlib.import_module(module), last)
    own = {
        name: value
        for name, value in found.items()
        if callable(value) and getattr(value, "__module__", "").startswith("gpusim")
    }
    methods = {
        f"{name}.{method}": getattr(value.fget if isinstance(value, property) else value, "func", value)
        for name, owner in own.items()
        if inspect.isclass(owner) and not issubclass(owner, enum.Enum)
        for method, value in vars(owner).items()
        if not method.startswith("_") and (callable(value) or isinstance(value, property | classmethod))
    }
    return own | methods


def test_every_public_name_says_what_it_is() -> None:
    named = public()
    assert len(named) > 300
    assert [name for name, value in named.items() if not inspect.getdoc(value)] == []


def test_every_module_says_what_it_is_for() -> None:
    modules = pkgutil.walk_packages(gpusim.__path__, "gpusim.")
    names = [found.name for found in modules if not found.name.endswith("__main__")]
    assert [name for name in names if not importlib.import_module(name).__doc__] == []


@pytest.mark.parametrize("name", [*with_examples()])
def test_examples_run(name: str) -> None:
    for begins, modules in NEEDS.items():
        for module in modules if name.startswith(begins) else ():
            pytest.importorskip(module)
    module: types.ModuleType = importlib.import_module(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        done = doctest.testmod(module)
    assert done.failed == 0
    assert done.attempted > 0
