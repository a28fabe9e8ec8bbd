"""Which tool does an error belong to that ends a launch? memcheck's and synccheck's findings of the machine.

The machine stops at the first access outside an array, mask that cannot be met, or deadlock. A negative index
counts from the end of its array, as in Numba, and is no fault.
"""

from __future__ import annotations

from dataclasses import replace

from gpusim.checkers.findings import access_at
from gpusim.errors import (
    AccessError,
    BarrierMisused,
    Deadlock,
    GpuSimError,
    IntegerDividedByZero,
    InvalidMask,
    Livelock,
    MisalignedAccess,
    OutOfBounds,
    UseAfterFree,
)
from gpusim.reports.findings import Finding
from gpusim.source import Span

# error -> the tool whose business it is, what the tool calls it
ENDINGS: dict[type, tuple[str, str]] = {
    OutOfBounds: ("memcheck", "out of bounds"),
    MisalignedAccess: ("memcheck", "misaligned"),
    UseAfterFree: ("memcheck", "use after free"),
    IntegerDividedByZero: ("memcheck", "division by zero"),
    InvalidMask: ("synccheck", "invalid mask"),
    BarrierMisused: ("synccheck", "barrier misused"),
    Deadlock: ("synccheck", "deadlock"),
    Livelock: ("synccheck", "livelock"),
}


def finding_of(error: GpuSimError) -> Finding | None:
    """The error in its own words; None for an error that no tool stands for, or that no kernel made."""
    ending = next((ENDINGS[kind] for kind in type(error).__mro__ if kind in ENDINGS), None)
    if ending is None or not isinstance(error.span, Span):
        return None
    tool, hazard = ending
    access, place, kernel = access_at(error.span, hazard), "", error.span.outermost.source.name
    if isinstance(error, AccessError):
        access, place = access_at(error.span, "access", error.thread, error.block), error.array
    access = replace(access, launched=error.launch_tree)
    return Finding(tool, hazard, "error", error.message, error.hint, kernel, place, None, 1, (access,))
