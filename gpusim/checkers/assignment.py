"""Does a thread read a variable to which it has given no value? initcheck, for registers.

`if i < n: v = 5` and then `x[i] = v`: a thread that skips the `if` reads what its register held before. Here
that is 0, and nobody promises it. Only variables that some path leaves without a value are followed; in most
kernels there are none.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from gpusim.checkers.findings import Findings, Places
from gpusim.checkers.geometry import Geometry
from gpusim.events import BlockIssued, Event, GridLaunched, GridObserver, Lanes
from gpusim.ir.control_flow import Block, live_registers, read_by
from gpusim.ir.instructions import Register
from gpusim.source import Span

NUMBERED = re.compile(r"(\.\d+)+$")
HINT = "give it a value on every path, for example before the `if`"


class Uses(NamedTuple):
    """What a basic block does with the variables that are followed: read before it writes, with the place."""

    reads: tuple[tuple[Register, Span], ...]
    writes: tuple[Register, ...]


class Assignment(GridObserver):
    """Initcheck of variables, for one grid."""

    def __init__(self, findings: Findings, launched: GridLaunched) -> None:
        self._findings, self._launch, self._places, self._batch = findings, launched, Places(launched), 0
        self._geometry = Geometry(launched)
        given = {one for one in launched.function.parameters if isinstance(one, Register)}
        first = live_registers(launched.blocks)[0] if launched.blocks else frozenset()
        followed = {one for one in first - given if not one.is_temporary}
        self._uses = [_uses(block, followed) for block in launched.blocks]
        self._has: dict[Register, Lanes] = {
            one: np.zeros((self._geometry.warps, self._geometry.lanes), bool) for one in followed
        }
        self.wants = frozenset({BlockIssued}) if followed else frozenset()

    def observe(self, event: Event) -> None:
        """Look whether what the basic block reads was written; what it writes is, from then on."""
        if not isinstance(event, BlockIssued):
            return
        batch = self._geometry.batch(event.warps)
        if batch != self._batch:
            self._batch = batch
            for has in self._has.values():
                has[:] = False
        rows, uses = event.warps % self._geometry.warps, self._uses[event.block]
        for register, span in uses.reads:
            lacking = event.active & ~self._has[register][rows]
            if lacking.any():
                self._report(event, register, span, lacking)
        for register in uses.writes:
            self._has[register][rows] |= event.active

    def _report(self, event: BlockIssued, register: Register, span: Span, lacking: Lanes) -> None:
        kernel, count = self._launch.function, int(lacking.sum())
        name = NUMBERED.sub("", register.name).rpartition(".")[2]  # a.0 is a part of the tuple or array a
        key = "initcheck", kernel, "variable", name, span.source.filename, span.line
        if self._findings.count(key, count):
            return
        access = self._places.access("read", int(self._geometry.threads_of(event.warps, lacking)[0]), span)
        read = "what is chosen" if name.startswith("<") else repr(name)
        message = (
            f"thread {access.thread} of block {access.block} reads {read}, to which it has given no value"
        )
        place = f"variable {name}" if read == repr(name) else read
        self._findings.add(
            key, kernel, "initcheck", "uninitialized read", message, HINT, (access,), count, place
        )


def _uses(block: Block, followed: set[Register]) -> Uses:
    reads: dict[Register, Span] = {}
    writes: dict[Register, None] = {}
    steps = [(one.reads, one.destination, one.span) for one in block.instructions]
    end = block.terminator
    for read, written, span in [*steps, (tuple(read_by(end)), None, end.span)]:
        for register in read:
            if register in followed and register not in writes:
                reads.setdefault(register, span)
        if written in followed:
            writes[written] = None
    return Uses(tuple(reads.items()), tuple(writes))
