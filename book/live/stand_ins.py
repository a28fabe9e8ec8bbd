"""What stands in for the packages that pages import and a browser has no room for?

Of IPython and MyST-NB pages need a few names, which are here, and of ipywidgets what `controls` has. What
draws plots stays away: the import succeeds, and the first use says so, so that a cell that defines more than
a plot goes on.
"""

from __future__ import annotations

import sys
from importlib import abc, import_module, machinery, util
from types import ModuleType
from typing import Any

PLOTS, CONTROLS = ("matplotlib",), ("ipywidgets", "gpusim.views.widgets")


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


class Finder(abc.MetaPathFinder, abc.Loader):
    """Finds the packages that are absent, and what stands in for controls."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> machinery.ModuleSpec | None:
        known = name in CONTROLS or name.partition(".")[0] in PLOTS
        return util.spec_from_loader(name, self) if known else None

    def create_module(self, spec: machinery.ModuleSpec) -> ModuleType:
        if spec.name in CONTROLS:
            stand_in: ModuleType = import_module("controls").modules()[spec.name]
            return stand_in
        return Absent(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""


class HTML:
    """What `IPython.display.HTML` shows."""

    def __init__(self, data: str) -> None:
        self.data = data

    def _repr_html_(self) -> str:
        return self.data


def install(display: Any) -> None:
    """Put the stand-ins where imports look, of packages that are not installed; `display` shows a value."""
    if util.find_spec("matplotlib") is None:
        sys.meta_path.insert(0, Finder())
    named: dict[str, dict[str, Any]] = {
        "IPython": {},
        "IPython.core": {},
        "IPython.core.getipython": {"get_ipython": lambda: None},
        "IPython.core.interactiveshell": {"InteractiveShell": object},
        "IPython.display": {"HTML": HTML, "display": display},
        "myst_nb": {"glue": lambda name, value, display=True: None},
    }
    for name, contents in named.items():
        module = ModuleType(name)
        module.__dict__.update(contents)
        sys.modules[name] = module
