"""Which functions may a kernel in CUDA C++ call without declaring them? Their overloads, by name.

The tables stand in rooms of their own; `families` says how each family of functions is lowered.
"""

from __future__ import annotations

from functools import cache
from itertools import chain

from gpusim.frontends.cuda_cpp.functions import (
    half_functions,
    math_functions,
    refused_functions,
    thread_functions,
    word_functions,
)
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin, Row, overloads
from gpusim.frontends.cuda_cpp.types import VOID

TABLES = (thread_functions, math_functions, word_functions, half_functions)


@cache
def rows() -> dict[str, list[Row]]:
    """All rows of the tables, by the names of their functions."""
    found: dict[str, list[Row]] = {}
    for row in chain.from_iterable(table.rows() for table in TABLES):
        found.setdefault(row.name, []).append(row)
    return found


@cache
def find(name: str, warp_size: int) -> tuple[Builtin, ...]:
    """The overloads of a name; none where there is no such function.

    A function that CUDA has and this machine has not takes anything, and is refused when it is called.
    """
    found = tuple(builtin for row in rows().get(name, ()) for builtin in overloads(row, warp_size))
    reason = None if found else refused_functions.reason(name)
    return found if reason is None else (Builtin(name, VOID, (), "refused", reason, variadic=True),)


def names(warp_size: int) -> list[str]:
    """All names that are offered, in the order of the tables."""
    return [name for name, rows in rows().items() if any(row.lanes in (0, warp_size) for row in rows)]
