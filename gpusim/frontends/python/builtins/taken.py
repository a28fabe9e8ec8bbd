"""Which arguments run here that Numba's own functions do not take? By NumPy's names of their types.

`OPTIONAL` stands for a number that may be None. Asked of numba-cuda 0.30's compiler.
"""

from __future__ import annotations

from typing import NamedTuple

WHOLE = "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
INEXACT = "float16 float32 float64 complex64 complex128"
OPTIONAL = "optional"
ALL = f"bool {WHOLE} {INEXACT} {OPTIONAL}".split()
NUMBER = "write + before it: that is a number"
# families of functions, and functions, whose parameters Numba knows by name, too
BY_NAME = {"sum", "block_vote", "grid", "gridsize", "shuffle", "storage"}


class Untaken(NamedTuple):
    """Which types Numba refuses for a parameter, or for `*` all, and what to write for both."""

    parameter: str
    types: str
    hint: str


def all_but(taken: str) -> str:
    """Every other type."""
    return " ".join(type_ for type_ in ALL if type_ not in taken.split())


ROWS = {
    "all_sync any_sync eq_sync ballot_sync": Untaken(
        "predicate", f"{INEXACT} {OPTIONAL}", "Numba takes a bool or a whole number: compare it"
    ),
    "syncthreads_count syncthreads_and syncthreads_or": Untaken(
        "predicate", f"bool {INEXACT} {OPTIONAL}", "Numba takes a whole number: np.int32(…) of a comparison"
    ),
    "shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync": Untaken(
        "value",
        all_but("int32 int64 float32 float64"),
        "lanes exchange int32, int64, float32 and float64: convert it",
    ),
    "ffs": Untaken("x", "int8 int16 uint8 uint16", "convert it: np.int32(…)"),
    "complex": Untaken("*", f"bool {OPTIONAL}", "convert it: np.float64(+…)"),
    "cmath.phase cmath.polar": Untaken(
        "z", f"bool {WHOLE} float16 float32 float64 {OPTIONAL}", "convert it: np.complex128(…)"
    ),
    "cmath.rect": Untaken("*", f"bool {WHOLE} float16 {OPTIONAL}", "convert it: np.float64(+…)"),
    "print": Untaken("*", OPTIONAL, NUMBER),
}
UNTAKEN = {name: row for names, row in ROWS.items() for name in names.split()}
