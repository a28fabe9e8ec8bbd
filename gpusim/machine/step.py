"""Which warps execute now, under which masks? One step of the machine, as memory and observers see it.

W warps of the batch, n of them in this step, L lanes a warp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.events import CopiesAwaited, FenceExecuted, Lanes, RegisterWritten, Warps
from gpusim.ir.details import Format, Message, Scope
from gpusim.ir.instructions import Instruction
from gpusim.machine.asking import Asked, DeviceRuntime
from gpusim.machine.layout import Layout
from gpusim.machine.models.scheduling import pack
from gpusim.machine.printing import formatter

Rows = npt.NDArray[np.int64]
WIDENED_INDICES = 4
CALL_BYTES, VALUE_BYTES = 16, 8  # of printf's buffer; the first is assumed
UNSIGNED = {width: np.dtype(f"u{width}") for width in (1, 2, 4, 8)}


class Trapped(Exception):
    """Raised at the instruction; the executor adds thread and block."""

    def __init__(self, instruction: Instruction) -> None:
        message = instruction.the(Message)
        super().__init__(message.text)
        self.instruction = instruction
        self.kind: Any = message.kind


class Step:
    """Reused from step to step.

    `rows`: int64 (n,), the warps of the batch that execute, or None for all. `active`: bool (n, L), or None
    when every lane does. `block_slots`: int64 (W, 1), each warp's place among the resident thread blocks.
    `instructions` counts those so far, in kernels that read the clock. `overwritten` counts writes into
    arrays of registers: an array is as it was while it stays the same. `printed`: how many calls of `printf`,
    and how many bytes of its buffer. `errors`: int32 (W, L), each thread's last error, where the kernel asks
    the device `runtime` for anything.
    """

    __slots__ = (
        "_everyone",
        "_numbers",
        "_widened",
        "active",
        "block_slots",
        "emit",
        "errors",
        "exchanged",
        "instructions",
        "layout",
        "overwritten",
        "printed",
        "rows",
        "runtime",
        "voted",
        "watched",
    )

    def __init__(self, layout: Layout) -> None:
        self.layout, self._numbers = layout, layout.told
        self._everyone = np.ones((layout.warps, layout.lanes), dtype=bool)
        self.block_slots = layout.slots
        self.rows: Rows | None = None
        self.active: Lanes | None = None
        self.watched = False
        self.overwritten = 0
        self.instructions = 0
        self.printed: list[int] = [0, 0]
        self._widened: list[tuple[Any, int, tuple[Any, int, int]]] = []
        self.exchanged: list[npt.NDArray[np.uint64]] = []
        self.voted = np.zeros((layout.warps, 1), np.int64)
        self.emit: Callable[[Any], None] = lambda _event: None
        self.runtime: DeviceRuntime | None = None
        self.errors = np.zeros((0, layout.lanes), np.int32)

    @property
    def warps(self) -> Warps:
        """The executing warps as events name them, (n,)."""
        return self._numbers if self.rows is None else self._numbers[self.rows]

    def numbers(self, rows: Rows) -> Warps:
        """Some warps of the batch, as events name them."""
        return self._numbers[rows]

    @property
    def mask(self) -> Lanes:
        """`active` as an array in every case, (n, L)."""
        if self.active is not None:
            return self.active
        return self._everyone if self.rows is None else self._everyone[: len(self.rows)]

    def widened(self, index: Any) -> tuple[Any, int, int]:
        """An index as int64, with its lowest and highest value; those of the last few are remembered."""
        for known, overwritten, widened in self._widened:
            if known is index and overwritten == self.overwritten:
                return widened
        wide = index.view(np.int64) if index.itemsize == 8 else index.astype(np.int64)
        lowest, highest = 0, int(index.view(UNSIGNED[index.itemsize]).max())
        if highest >> 8 * index.itemsize - 1:  # mostly one look at all lanes is enough: none is negative
            lowest, highest = int(wide.min()), int(wide.max())
        self._widened = [
            *self._widened[1 - WIDENED_INDICES :],
            (index, self.overwritten, (wide, lowest, highest)),
        ]
        return self._widened[-1][2]

    def running(self, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """The lanes of each warp that execute now, as a mask, (n, 1)."""
        return pack(self.mask)[:, None].astype(dtype)

    def clock(self, dtype: npt.DTypeLike) -> Any:
        """The instructions so far, whichever warps executed them; in few bits, it starts again from 0."""
        return np.int64(self.instructions).astype(dtype)

    def received(self, part: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """What the lanes' last exchange gave them, as a value of this type, (n, L)."""
        bits = self.exchanged[part] if self.rows is None else self.exchanged[part][self.rows]
        kind = np.dtype(dtype)
        return bits != 0 if kind.kind == "b" else bits.astype(f"u{kind.itemsize}").view(kind)

    def agreed(self, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """What the thread block's last vote at a barrier gave, (n, 1)."""
        return (self.voted if self.rows is None else self.voted[self.rows]).astype(dtype)

    def tell(self, instruction: Instruction, value: Any) -> None:
        """A variable has a value: told in kernels that were translated to tell it."""
        mask = self.mask
        self.emit(RegisterWritten(instruction, self.warps, mask, np.broadcast_to(value, mask.shape)))

    def fence(self, instruction: Instruction) -> None:
        """Memory is the same for all lanes at all times here: a fence only shows to observers."""
        self.emit(FenceExecuted(instruction.the(Scope), self.warps, self.mask, instruction.span))

    def copies(self, instruction: Instruction, left: Any = None) -> None:
        """Asynchronous copies arrive at once here; that they are waited for only shows to observers."""
        mask = self.mask
        groups = None if left is None else np.broadcast_to(left, mask.shape)
        self.emit(CopiesAwaited(self.warps, mask, instruction.span, groups))

    def trap(self, instruction: Instruction) -> None:
        """Lanes that come here end the launch."""
        raise Trapped(instruction)

    def ask(self, instruction: Instruction, values: Sequence[Any]) -> npt.NDArray[Any]:
        """What the device runtime answers each active lane, in ascending order; (n, L)."""
        mask, runtime = self.mask, self.runtime
        assert runtime is not None
        rows, lanes = np.nonzero(mask)
        brought = [
            value[rows * (value.shape[0] > 1), lanes * (value.shape[1] > 1)]
            if np.ndim(value)
            else np.full(len(rows), value)
            for value in values
        ]
        if self.rows is not None:
            rows = self.rows[rows]
        errors = self.errors[rows, lanes]
        answers = np.zeros(mask.shape, instruction.type.dtype)
        asked = Asked(instruction, self.layout, rows, lanes, brought, errors, self.emit)
        answers[mask] = runtime.answer(asked)
        self.errors[rows, lanes] = errors
        return answers

    def print(self, form: Format, values: Sequence[Any]) -> None:
        """What C's `printf` writes, for each lane: in ascending order, one warp after the other."""
        mask, write = self.mask, formatter(form.text)
        columns = [np.broadcast_to(value, mask.shape)[mask].tolist() for value in values]
        lanes = zip(*columns, strict=True) if columns else [()] * int(np.count_nonzero(mask))
        print("".join(map(write, lanes)), end="")
        count = int(np.count_nonzero(mask))
        self.printed[0] += count
        self.printed[1] += count * (CALL_BYTES + VALUE_BYTES * len(values))

    def slots(self) -> npt.NDArray[np.int64]:
        """Block places of the executing warps, (n, 1)."""
        return self.block_slots if self.rows is None else self.block_slots[self.rows]
