"""Does a name that checks use still mean what it did? After every cell it does, and the reader is told.

A lab's first cell ends with `grading.keep(globals())`. Who calls a number `lanes_of` or `sum` by accident
would otherwise be told by a check that something else is wrong. It is no guard: a cell can change what its
own notebook says. Where a class is graded, none of a student's Python runs beside the checks.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from gpusim.grading.lacking import Lacking
from gpusim.grading.so_far import note

NOT_KEPT = {"input", "get_ipython", "display"}  # a notebook has its own
CALLED = {name for name, value in vars(builtins).items() if callable(value) and name[0] != "_"} - NOT_KEPT
ABSENT = object()


@dataclass(frozen=True)
class _Keeper:
    """Among `names`, those of `held` stay what they are there."""

    names: dict[str, Any]
    held: dict[str, Any]
    lacking: Lacking

    def __call__(self, result: Any) -> None:
        """A cell has run."""
        names, held = self.names, self.held
        changed = [name for name, value in held.items() if not _alike(names.get(name, ABSENT), value)]
        hiding = sorted(names.keys() & CALLED - held.keys())  # functions of Python's that checks call
        names.update({name: held[name] for name in changed})
        for name in hiding:
            del names[name]
        if changed or hiding:
            listed = ", ".join(sorted(changed + hiding))
            print(f"Put back, as checks use it: {listed}. Take another name for your own.")
        self.lacking.ran(str(result.info.raw_cell), success=result.success)
        note(str(result.info.raw_cell), success=result.success, value=result.result)


def keep(names: dict[str, Any]) -> None:
    """The modules, functions, classes and CONSTANTS among `globals()` stay what they are now.

    Where that cell runs again, they are what it makes of them.
    """
    shell = names["get_ipython"]() if "get_ipython" in names else None
    if shell is None:
        return
    for known in shell.events.callbacks["post_run_cell"]:
        if isinstance(known, _Keeper):
            known.held.update({name: names[name] for name in known.held.keys() & names.keys() - CALLED})
            return
    held = {name: value for name, value in names.items() if name not in NOT_KEPT and _is_kept(name, value)}
    # what is the shell's stays: all else of Python's that a cell before this one has bound goes
    held |= {name: value for name, value in shell.user_ns_hidden.items() if name in CALLED}
    lacking = Lacking()
    shell.events.register("post_run_cell", _Keeper(names, held, lacking))
    shell.set_custom_exc((NameError,), lacking.shown)


def _is_kept(name: str, value: Any) -> bool:
    return (
        name[0] != "_"
        and name not in CALLED
        and (callable(value) or isinstance(value, ModuleType) or name.isupper())
    )


def _alike(now: Any, before: Any) -> bool:
    return now is before or (type(now) is type(before) and type(now) in (int, str) and now == before)
