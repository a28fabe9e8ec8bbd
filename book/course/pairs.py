"""Does a kernel do the same in Python and in CUDA C++? Launch both; compare what came out and what it took.

    both = Pairs()
    both.check(scale[4, 256], cpp.scale[4, 256], x, sizes=(x.size,))
    both.table()                            # what agreed, and the counts that may differ, side by side

What must agree: the arrays afterwards, every counter of memory, atomics, barriers and branches, and the
active mask of every line that runs, where the grid is small enough to be traced. Instructions and registers
may differ: integers of Numba's dialect have 64 bits, so its kernels convert more and keep wider numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Any

import numpy as np

from gpusim.errors import GpuSimError, ReportError
from gpusim.ir.terminators import Jump, Return
from gpusim.profile import profile
from gpusim.reports.counters import COUNTERS
from gpusim.runtime.launching import LaunchConfiguration
from gpusim.views.table import Table, table

MAY_DIFFER = ("instructions", "thread_instructions")
DEVICES = ("H200", "MetaX C500")  # 32 lanes with a program counter each, and 64 with a stack of masks
HEADINGS = (
    "kernel",
    "requests → sectors",
    "branches that split",
    "equal masks",
    "instructions, Python · C++",
    "registers, Python · C++",
)


class Launched:
    """What a launch did: its run, its arrays afterwards, and the error that ended it."""

    def __init__(self, launch: LaunchConfiguration, arguments: tuple[Any, ...], **settings: Any) -> None:
        self.arguments = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
        self.error = ""
        with profile(**settings) as self.run:
            try:
                launch(*self.arguments)
            except GpuSimError as error:
                if not self.run.kernels:
                    raise
                self.error = type(error).__name__

    def outcome(self) -> dict[str, Any]:
        """What must be equal in both languages, by name."""
        counters = {name: getattr(self.run, name) for name in COUNTERS if name not in MAY_DIFFER}
        arrays = (a for a in self.arguments if isinstance(a, np.ndarray))
        after = {f"array {k} afterwards": array for k, array in enumerate(arrays, start=1)}
        if self.error:  # how far the other threads had come is a matter of order
            return {"the error": self.error}
        return {"the error": "none", **after, **counters}

    def steps(self) -> list[tuple[int, str, int]]:
        """(warp, active mask, line) of every line that ran, warp by warp; none for too large a grid.

        Where nothing is done but to jump or to leave the kernel, no line is counted: C++ leaves on the line
        of the last brace, which a Python kernel does not have.
        """
        try:
            taken = self.run.steps()
        except ReportError:
            return []
        steps = (
            (step.warp, step.mask, step.line)
            for step in taken
            if not all(isinstance(part, (Jump, Return)) for part in step.parts)
        )
        return [step for step, _ in groupby(sorted(steps, key=lambda step: step[0]))]

    @property
    def registers(self) -> int:
        """Registers of a thread."""
        return self.run.kernels[0].registers_per_thread


def _text(value: Any) -> str:
    return str(value.tolist() if isinstance(value, np.ndarray) else value)


def _differ(here: Any, there: Any) -> bool:
    """As texts, since a NaN is equal to a NaN there; those of large arrays take long."""
    if isinstance(here, np.ndarray) and here.tobytes() == there.tobytes():
        return False
    return _text(here) != _text(there)


@dataclass(frozen=True, repr=False)
class Pair:
    """One launch in both languages."""

    name: str
    python: Launched
    cpp: Launched

    def __repr__(self) -> str:
        return f"{self.name}: the same in Python and in CUDA C++"

    def differences(self, masks: bool) -> list[str]:
        """Where do they disagree? One sentence each."""
        here, there = self.python.outcome(), self.cpp.outcome()
        found = [
            f"{name}: {_text(value)} in Python, {_text(there[name])} in C++"
            for name, value in here.items()
            if name in there and _differ(value, there[name])
        ]
        steps, cpp_steps = self.python.steps(), self.cpp.steps()
        if masks and steps and cpp_steps:
            both = zip_longest(steps, cpp_steps, fillvalue=(0, "no step", 0))
            for number, ((_, mask, line), (_, other, other_line)) in enumerate(both, start=1):
                if mask != other:
                    found.append(
                        f"the mask at step {number}: {mask} in Python (line {line}), {other} in C++ "
                        f"(line {other_line})"
                    )
                    break
        return found

    def row(self, masks: bool) -> tuple[Any, ...]:
        """One row of the table."""
        run, cpp = self.python.run, self.cpp.run
        requests = run.global_load_requests + run.global_store_requests
        sectors = run.global_load_sectors + run.global_store_sectors
        steps = (min(len(self.python.steps()), len(self.cpp.steps())) if masks else 0) or "–"
        memory = f"{requests:,} → {sectors:,}"
        instructions = f"{run.instructions:,} · {cpp.instructions:,}"
        registers = f"{self.python.registers} · {self.cpp.registers}"
        return self.name, memory, run.divergent_branches, steps, instructions, registers


class Pairs:
    """The pairs that were checked, in order, as a table of those that no error ended."""

    def __init__(self) -> None:
        self.checked: dict[str, Pair] = {}
        self._rows: dict[str, tuple[Any, ...]] = {}

    def check(
        self,
        python: LaunchConfiguration,
        cpp: LaunchConfiguration,
        *arguments: Any,
        sizes: tuple[Any, ...] = (),
        devices: tuple[str, ...] = DEVICES,
        masks: bool = True,
        **settings: Any,
    ) -> Pair:
        """Launch both on copies of the arrays, on each device; the pair on the first one is in the table.

        sizes: what the C++ kernel is passed behind the arguments: its arrays do not know how long they are.
        masks: are the two written statement by statement alike, so that their active masks must be equal?
        The settings are those of `gpusim.profile`. Raises `ReportError` where the two disagree.
        """
        name, pairs = python.kernel.__name__, []
        for device in devices:
            here = Launched(python, arguments, device=device, **settings)
            there = Launched(cpp, (*arguments, *sizes), device=device, **settings)
            pairs.append(Pair(name, here, there))
            if found := pairs[-1].differences(masks):
                raise ReportError(f"{name} is not the same in both languages on {device}; {'; '.join(found)}")
        self.checked[name] = pairs[0]
        if not pairs[0].python.error:
            self._rows[name] = pairs[0].row(masks)
        return pairs[0]

    def __getitem__(self, name: str) -> Pair:
        return self.checked[name]

    def table(self) -> Table:
        """Every pair that was checked and that no error ended."""
        return table(self._rows.values(), HEADINGS)
