"""What stands in for the packages that pages import and a browser has no room for?

Of IPython pages need a few names, which are here, and of ipywidgets what `controls` has. What draws plots
stays away: the import succeeds, and the first use says so, so that a cell that defines more than a plot goes
on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib import abc, import_module, machinery, util
from types import ModuleType
from typing import Any

CONTROLS = ("ipywidgets", "gpusim.views.widgets")


class NotHere(RuntimeError):
    """A cell used what this site does not carry."""


class Absent(ModuleType):
    """A module whose every name is absent too, until it is called."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__ = []  # a package, whose modules are absent as well

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(f"{self.__name__}.{name}")


class Missing:
    """A function or class of an absent module."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, name: str) -> Missing:
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(f"{self.__name__}.{name}")

    def __call__(self, *args: Any, **named: Any) -> Any:
        package = self.__name__.partition(".")[0]
        raise NotHere(f"This cell draws with {package}, which is not here: its picture stays as it was.")

    __getitem__ = __setitem__ = __iter__ = __call__


class Finder(abc.MetaPathFinder, abc.Loader):
    """Finds modules of these names, or of packages of these names, and makes each."""

    def __init__(self, names: Iterable[str], make: Callable[[str], ModuleType]) -> None:
        self.names, self.make = {*names}, make

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> machinery.ModuleSpec | None:
        known = not self.names.isdisjoint((name, name.partition(".")[0]))
        return util.spec_from_loader(name, self) if known else None

    def create_module(self, spec: machinery.ModuleSpec) -> ModuleType:
        return self.make(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""


def control(name: str) -> ModuleType:
    stand_in: ModuleType = import_module("controls").modules()[name]
    return stand_in


class HTML:
    """What `IPython.display.HTML` shows."""

    def __init__(self, data: str) -> None:
        self.data = data

    def _repr_html_(self) -> str:
        return self.data


def install(display: Any) -> None:
    """Put the stand-ins where imports look: controls first, plots where nobody else finds them.

    `display` shows a value.
    """
    sys.meta_path.insert(0, Finder(CONTROLS, control))
    sys.meta_path.append(Finder(["matplotlib"], Absent))
    named: dict[str, dict[str, Any]] = {
        "IPython": {},
        "IPython.core": {},
        "IPython.core.getipython": {"get_ipython": lambda: None},
        "IPython.core.interactiveshell": {"InteractiveShell": object},
        "IPython.display": {"HTML": HTML, "display": display},
    }
    for name, contents in named.items():
        module = ModuleType(name)
        module.__dict__.update(contents)
        sys.modules[name] = module
