"""Many expressions as one text, which runs as a kernel and as a C function: what does each of them give?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

import gpusim
from tests.frontends.cuda_cpp import c_reference
from tests.frontends.cuda_cpp.c_reference import Reference
from tests.frontends.cuda_cpp.c_types import BOOL, TYPES, CType
from tests.frontends.cuda_cpp.expressions import COLUMNS, PARAMETERS, Case, Expression

ROWS, BLOCK = 96, 48  # blocks of a full warp of 32 lanes and half a one
INTEGER_EDGES = [0, 1, -1, 2, -2, 7, 31, 32, 63, 64, 100, -100, 127, 128, -128, -129, 255, 256, 32767, 65536]
FLOAT_EDGES = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.75, 3.0, 7.0, 100.25, -1000.0, 255.0, 32768.0, 65536.5, 0.1,
    2.0**24 + 1, 2.0**31, -(2.0**31), 2.0**32, 2.0**53, 2.0**63, -(2.0**63), 2.0**64, 1e-40, -1e-45, 5e-324,
    1e-310, 3.4e38, 1e300, -1e300, np.inf, -np.inf, np.nan,
]  # fmt: skip


def columns(type_: CType, random: np.random.Generator) -> np.ndarray:
    """What the variables of a type hold, (COLUMNS, ROWS): its edges, and random numbers of all magnitudes."""
    if type_ is BOOL:
        return random.integers(0, 2, (COLUMNS, ROWS)).astype(bool)
    if type_.is_float:
        edges = np.array(FLOAT_EDGES)
        more = random.standard_normal(ROWS) * 10.0 ** random.integers(-3, 6, ROWS)
    else:
        highest = np.iinfo(type_.dtype).max
        limits = [-highest - 1, -highest, highest, highest - 1]
        edges = np.array(INTEGER_EDGES + [limit % 2**64 for limit in limits], dtype=object)
        more = random.integers(0, 2**64, ROWS, np.uint64) >> random.integers(0, 64, ROWS).astype(np.uint64)
        edges, more = (np.array([int(x) % 2**64 for x in some], np.uint64) for some in (edges, more))
    with np.errstate(over="ignore"):
        numbers = np.concatenate((edges, more))[:ROWS].astype(type_.dtype)
    return np.stack([random.permutation(numbers) for _ in range(COLUMNS)])


class Program:
    """Expressions as one text, for a kernel and for a C function; and the arrays it reads and writes."""

    def __init__(
        self, name: str, expressions: Iterable[tuple[Expression, CType]], prologue: str = ""
    ) -> None:
        self.name, self.prologue = name, prologue
        self.counts: Counter[CType] = Counter()
        self.cases: list[Case] = []
        for expression, type_ in expressions:
            self.cases.append(Case(expression, type_, self.counts[type_]))
            self.counts[type_] += 1
        self.body = "\n".join(case.text(ROWS) for case in self.cases)

    @property
    def function(self) -> str:
        """As C++, without the prologue, which a text needs once."""
        return c_reference.function(self.name, PARAMETERS, self.body)

    @property
    def kernel(self) -> str:
        """As CUDA C++."""
        return self.prologue + c_reference.kernel(self.name, PARAMETERS, self.body)

    def results(self, run: Callable[[list[np.ndarray]], None]) -> dict[CType, np.ndarray]:
        """What `run(arrays)` leaves for each type, (expressions, ROWS)."""
        random = np.random.default_rng(0)
        given = [columns(type_, random) for type_ in TYPES]
        results = {type_: np.zeros((max(self.counts[type_], 1), ROWS), type_.dtype) for type_ in TYPES}
        run([*given, *results.values()])
        return results

    def expected(self, reference: Reference) -> dict[CType, np.ndarray]:
        """What the C function gives."""
        return self.results(lambda arrays: reference.call(self.name, ROWS, arrays))

    def found(self) -> dict[CType, np.ndarray]:
        """What the kernel gives."""
        kernel = gpusim.RawModule(code=self.kernel).get_function(self.name)
        return self.results(lambda arrays: kernel((ROWS // BLOCK,), (BLOCK,), tuple(arrays)))


def same(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Where are two results equal to the last bit? One NaN is as good as another; 0 and -0 differ."""
    equal = (one == other) & (np.signbit(one) == np.signbit(other)) if one.dtype.kind == "f" else one == other
    return equal | ((one != one) & (other != other))


def differences(program: Program, reference: Reference) -> list[tuple[Case, str]]:
    """The cases that differ between kernel and C, and where each does first."""
    expected, found, differing = program.expected(reference), program.found(), []
    for case in program.cases:
        theirs, ours = (results[case.type][case.index] for results in (expected, found))
        rows = np.flatnonzero(~same(theirs, ours))
        if rows.size:
            row = rows[0]
            differing.append((case, f"row {row}: C gives {theirs[row]}, gpusim {ours[row]}"))
    return differing


def smallest_parts(case: Case, folder: Path, prologue: str = "") -> str:
    """Which innermost parts of an expression differ? One line each, and the kernel of the smallest."""
    parts, waiting = [], [case.expression]
    while waiting:
        parts.append(part := waiting.pop())
        waiting += part.parts
    program = Program("parts", [(part, part.type) for part in parts], prologue)
    found = differences(program, Reference(prologue + program.function, folder))
    if not found:
        return f"only as a whole, stored as {case.type.name}:\n{case.text(ROWS)}"
    found.sort(key=lambda differing: len(differing[0].expression.text))
    return (
        "\n".join(f"{part.expression.text}    {what}" for part, what in found) + "\n" + found[0][0].text(ROWS)
    )
