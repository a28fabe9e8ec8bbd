"""Do the kernels of each chapter do the same in both languages? One module a chapter, with `check(both, of)`.

    def check(both: Pairs, of: Kernels) -> None:
        both.check(of.look[1, 64], of.cpp.look[1, 64], x, out, 0, 1, 0)

The page "The same kernels in two languages" shows what agreed; its build fails where something does not.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from course.chapters import Kernels
from course.pairs import Pairs

CHAPTERS = sorted(module.name for module in pkgutil.iter_modules(__path__))


def checked(chapter: str) -> Pairs:
    """The pairs of a chapter's kernels, all of which agree. `chapter` is the page's name with `_` for `-`."""
    both = Pairs()
    import_module(f"course.both.{chapter}").check(both, Kernels(chapter.replace("_", "-")))
    return both
