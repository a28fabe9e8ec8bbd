"""Which lane accessed which byte? A full record of small grids, for the bank view and the sector view.

A loop that reads the same 32 words a hundred times is one access, made 100 times. So are a hundred warps of
which each reads the row below: the same picture, whole lines of 128 bytes further on.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from gpusim.errors import ReportError
from gpusim.events import Event, GridLaunched, GridObserver, MemoryAccess, Placement
from gpusim.ir.types import Space
from gpusim.measurements.requests import KINDS, NOWHERE, kind_of
from gpusim.reports.source import AccessMade
from gpusim.source import Span

IN_WORDS = {"cas": "compare-and-swap"}
MOST_WARPS = 64
MOST_ACCESSES = 512
MOST_TIMES = 50_000
MOST_DRAWN, MOST_ALIKE = 16, 4  # pictures in a view, and of one instruction
LINE_BYTES = 128  # as many as 32 banks of 4 bytes: a shift by it changes neither banks nor sectors
WIDE_LINE_BYTES = 256  # the alignment that compute capability 1.0 wants of 16 lanes of 16 bytes


@dataclass
class Access:
    """What one memory instruction asked for: `addresses` int64 (L,) and `active` bool (L,) of the first warp.

    `warps` did the same, at other lines perhaps; `times` counts all of it. `array_address` is where the array
    begins. Addresses of shared memory count from the start of the block's window.
    """

    span: Span
    space: Space
    kind: str
    width: int
    array: str
    array_address: int
    addresses: npt.NDArray[np.int64]
    active: npt.NDArray[np.bool_]
    warps: list[int] = field(default_factory=list)
    times: int = 0

    def made(self) -> AccessMade:
        """Where it stands in the source, who made it and how often: what both views say of an access."""
        return AccessMade(
            line=self.span.outermost.line,
            source=self.span.outermost.text.strip(),
            kind=IN_WORDS.get(self.kind, self.kind),
            width=self.width,
            array=self.array,
            expression=_expression(self.span, self.array),
            warp=self.warps[0],
            alike=tuple(sorted(self.warps[1:])),
            times=self.times,
        )


class Accesses(GridObserver):
    """Records accesses to global and shared memory; `too_large` says why there are none."""

    def __init__(self, launched: GridLaunched, too_large: str = "") -> None:
        self.too_large = too_large
        self._found: dict[tuple[object, ...], Access] = {}
        self._times = 0
        self._arrays: tuple[Placement, ...] = ()
        warps = math.prod(launched.grid) * launched.warps_per_block
        if not too_large and warps > MOST_WARPS:
            self.too_large = f"its grid has {warps} warps, more than {MOST_WARPS}"
        if not self.too_large:
            self.wants, self._arrays = frozenset({MemoryAccess}), launched.arrays

    def ended(self, error: BaseException | None) -> None:
        """Let go of the arrays, which hold the kernel's memory."""
        self._arrays = ()

    def observe(self, event: Event) -> None:
        if isinstance(event, MemoryAccess) and not self.too_large:
            if event.space in (Space.GLOBAL, Space.SHARED):
                self._record(event)
            if len(self._found) > MOST_ACCESSES:
                self._found, self.too_large = {}, f"it makes more than {MOST_ACCESSES} different accesses"
            elif self._times > MOST_TIMES:
                self._found, self.too_large = {}, f"it makes more than {MOST_TIMES:,} accesses"

    def _record(self, event: MemoryAccess) -> None:
        line = WIDE_LINE_BYTES if event.width == 16 else LINE_BYTES
        first = np.where(event.active, event.addresses, NOWHERE).min(axis=1, keepdims=True)
        within = np.where(event.active, event.addresses - first // line * line, -1)
        self._times += len(within)
        for row, warp in enumerate(event.warps.tolist()):
            key = event.instruction, event.space, within[row].tobytes()
            access = self._found.get(key)
            if access is None:
                access = self._found[key] = self._access(event, row)
            access.times += 1
            if warp not in access.warps:
                access.warps.append(warp)

    def _access(self, event: MemoryAccess, row: int) -> Access:
        active, addresses = event.active[row].copy(), event.addresses[row].copy()
        array, address = self._array(event, addresses[active])
        span, space, kind, width = event.instruction.span, event.space, kind_of(event), event.width
        return Access(span, space, kind, width, array, address, addresses, active)

    def _array(self, event: MemoryAccess, addresses: npt.NDArray[np.int64]) -> tuple[str, int]:
        """What the array is called and where it begins; of a pointer, the arrays that its lanes reach."""
        assert event.instruction.array is not None
        operand = event.instruction.array.memory
        placements = {
            (placed.name, placed.first): placed
            for placed in self._arrays
            if placed.space is event.space
            and ((addresses >= placed.first) & (addresses < placed.first + placed.bytes)).any()
            and (operand.space is Space.GENERIC or placed.name == operand.name)
        }
        if not placements:
            return operand.name, int(addresses.min())
        names = dict.fromkeys(name for name, _ in placements)
        return ", ".join(names), min(placed.first for placed in placements.values())

    def of(self, kernel: str, space: Space, line: int | None, kinds: tuple[str, ...] = KINDS) -> list[Access]:
        """The accesses to one kind of memory, of one source line or of all, in the order they came first.

        Raises `ReportError` where the grid was too large, or the line makes no such access.
        """
        if self.too_large:
            raise ReportError(
                f"the accesses of {kernel} were not recorded: {self.too_large}; launch a smaller grid"
            )
        here = [access for access in self._found.values() if access.space is space and access.kind in kinds]
        found = [access for access in here if line in (None, access.span.line, access.span.outermost.line)]
        if not found:
            where = "" if line is None else f" in line {line}"
            what = " or ".join(kind for kind in kinds if kind != "cas")
            raise ReportError(f"{kernel} makes no {what} of {space.value} memory{where}{_lines_of(here)}")
        return found


def drawn(accesses: Sequence[Access]) -> list[int]:
    """Which of them has a view room for? The first few of every instruction, and not more than `MOST_DRAWN`.

    The warps that read the columns of a tile make 32 pictures, of which 4 show what there is to see.
    """
    seen: Counter[Span] = Counter()
    few = []
    for number, access in enumerate(accesses):
        seen[access.span] += 1
        if seen[access.span] <= MOST_ALIKE:
            few.append(number)
    return few[:MOST_DRAWN]


def _expression(span: Span, array: str) -> str:
    """The access as it is written, `data[2 * t]`: the span begins there, or in C++ within."""
    written = array
    for name in re.finditer(rf"\b{re.escape(array)}\s*(?=\[)", span.text):
        if name.start() <= span.column:
            written = span.text[name.start() : _end_of_index(span.text, name.end())]
    return written


def _end_of_index(text: str, opening: int) -> int:
    """The position behind `[i][j].field` that begins at `opening`."""
    depth = 0
    for position in range(opening, len(text)):
        depth += {"[": 1, "]": -1}.get(text[position], 0)
        if depth == 0 and not text[position + 1 :].lstrip().startswith("["):
            field = re.match(r"(\.\w+)*", text[position + 1 :])
            return position + 1 + (field.end() if field else 0)
    return len(text)


def _lines_of(accesses: Iterable[Access]) -> str:
    lines = sorted({access.span.outermost.line for access in accesses})
    return f"; lines that do: {', '.join(map(str, lines))}" if lines else ""
