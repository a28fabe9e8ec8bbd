"""Which bytes does C's `p[i]` mean? Any of the memory that p points into, before or behind that place.

n warps in a step, L lanes. Indices, positions: (n, L), (n, 1) when uniform, or scalars. Nothing counts from
the end of an axis, and an index may run over it: `tile[0][40]` of a tile 32 wide is `tile[1][8]`. What is
checked is that the bytes lie in the array's memory, and that the address is a multiple of the element's size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpusim.ir.instructions import ArrayOperand, Instruction
from gpusim.ir.types import Scalar
from gpusim.machine.memory.bad_access import BeyondMemory, Freed, MisalignedPointer, Null
from gpusim.machine.memory.storage import LocalStorage, SharedStorage, Storage, among_active
from gpusim.machine.step import Step


class Pointer(Storage):
    """An array as C sees it. `is_null`: the launch gave no array, and any access is an error.

    `room` elements lie within its region; the first of them is number `base` of `flat` (of each copy), and
    element [0, …, 0] is `start_bytes` behind it.
    """

    is_null, misaligned = False, MisalignedPointer
    indexed = True  # as a whole, not as a part

    def part(self, operand: ArrayOperand) -> Storage:
        """The same memory, seen as `operand`; each access brings where it begins and its strides."""
        seen = super().part(operand)
        seen.indexed = False  # type: ignore[attr-defined]
        return seen

    def placed_by_warp(self, fields: Mapping[str, Any]) -> Storage:
        """The same memory, of which each warp has a place of its own: `fields` are int64 (n, 1)."""
        return super().placed_by_warp({**fields, "plain": False, "aligned": False})

    def _see_as(self, element: Scalar) -> None:
        super()._see_as(element)
        width = element.bytes
        first, end = self.region[0] - self.skew_bytes, sum(self.region) - self.skew_bytes
        self.base = -(-first // width)
        self.room = max(end // width - self.base, 0)
        self.start_bytes = self.origin_bytes - self.skew_bytes - self.base * width
        self.aligned = self.start_bytes % width == 0
        self.plain = self.aligned and self.strides_bytes == (width,)
        self._found: tuple[Any, int, Any, Any] = None, -1, None, None

    def positions(self, indices: Sequence[Any], step: Step, instruction: Instruction) -> Any:
        """Which element of `flat` does each lane mean? Raises `BadAccess` where an active lane errs."""
        if self.plain and self.live:
            place = self._plain(indices[0], step)
            if place is not None:
                return place
        return self._reached(indices, self.strides_bytes, step, instruction)

    def _plain(self, index: Any, step: Step) -> Any:
        """The same for `x[i]`; None where a lane, active or not, means no element."""
        known, overwritten, rows, place = self._found
        if known is index and overwritten == step.overwritten and rows is step.rows:
            return place
        if np.ndim(index) == 0:
            return None
        wide, lowest, highest = step.widened(index)
        start = self.start_bytes >> self._shift
        if lowest + start < 0 or highest + start >= self.room:
            return None
        window, first = self.window(step), start + self.base
        if wide.shape[1] == 1 and np.ndim(window):
            place = _alike(wide) + first + window  # the narrower sum first
        else:
            place = wide + (window + first) if np.ndim(window) or window + first else wide
        self._found = index, step.overwritten, step.rows, place
        return place

    def reached(
        self,
        indices: Sequence[Any],
        first: Any,
        strides_bytes: Sequence[Any],
        step: Step,
        instruction: Instruction,
    ) -> Any:
        """The same, for a part that begins `first` bytes from where the pointer points."""
        if any(np.ndim(stride) for stride in strides_bytes):
            return self._by_bytes((*indices, first), (*strides_bytes, 1), step, instruction)
        return self._reached((*indices, first), (*map(int, strides_bytes), 1), step, instruction)

    def _reached(
        self, indices: Sequence[Any], strides_bytes: tuple[int, ...], step: Step, instruction: Instruction
    ) -> Any:
        """The quick way, if all are whole elements apart: then no address need be looked at."""
        own = [index if np.ndim(index) == 2 and index.shape[1] > 1 else None for index in indices]
        known = self._recall(own, step)
        if known is None or known[0] != strides_bytes or known[1] is not step.rows:
            together = self._together(own, strides_bytes, step) if self.aligned and self.live else None
            if together is None:
                return self._by_bytes(indices, strides_bytes, step, instruction)
            known = strides_bytes, step.rows, *together
            self._recent = own, step.overwritten, known
        _, _, lanes, place, lowest, highest = known
        shared: Any = self.start_bytes
        for index, stride, mine in zip(indices, strides_bytes, own, strict=True):
            if mine is None:
                shared = shared + _alike(index) * stride
        odd = int(np.bitwise_or.reduce(shared, axis=None)) if np.ndim(shared) else shared
        if odd & self.element.bytes - 1:
            return self._by_bytes(indices, strides_bytes, step, instruction)
        shared = shared >> self._shift
        if np.ndim(shared):
            least, most = int(shared.min()), int(shared.max())
        else:
            least = most = shared = (shared + (1 << 63)) % (1 << 64) - (1 << 63)  # of 64 bits
        if lowest + least >= 0 and highest + most < self.room:
            return place + shared if np.ndim(shared) or shared else np.asarray(place)
        reached = np.asarray(lanes + shared, np.int64)
        outside = reached.view(np.uint64) >= self.room  # what is negative is very large
        wrong = among_active(outside, step)
        if wrong.any():
            raise self._beyond(
                (reached + self.base) * self.element.bytes + self.skew_bytes, wrong, instruction
            )
        return np.where(outside, 0, place + shared)

    def _together(
        self, own: list[Any], strides_bytes: tuple[int, ...], step: Step
    ) -> tuple[Any, Any, int, int] | None:
        """The sum of what differs between lanes, the same in `flat`, and bounds of it; all in elements."""
        lanes, lowest, highest = None, 0, 0
        for index, stride in zip(own, strides_bytes, strict=True):
            if index is None:
                continue
            scaled, least, most = step.widened(index)
            elements, odd = divmod(stride, self.element.bytes)
            if odd:  # a distance in bytes, which may be whole elements all the same
                scaled, least, most = scaled * stride, least * stride, most * stride
                if int(np.bitwise_or.reduce(scaled, axis=None)) & self.element.bytes - 1:
                    return None
                scaled, least, most = scaled >> self._shift, least >> self._shift, most >> self._shift
            elif elements != 1:
                scaled, least, most = scaled * elements, least * elements, most * elements
            lanes = scaled if lanes is None else lanes + scaled
            lowest, highest = lowest + min(least, most), highest + max(least, most)
        origin = self.window(step) + self.base
        if lanes is None:
            return 0, origin, 0, 0
        return lanes, lanes + origin if np.ndim(origin) or origin else lanes, lowest, highest

    def _by_bytes(
        self, indices: Sequence[Any], strides_bytes: Sequence[Any], step: Step, instruction: Instruction
    ) -> Any:
        """Where addresses may not be multiples of the element's size."""
        if self.is_null:
            raise Null(self.name, step.mask, instruction, width=self.element.bytes)
        if not self.live:
            raise Freed(self.name, step.mask, instruction)
        place: Any = np.asarray(self.origin_bytes, np.int64)
        for index, stride in zip(indices, strides_bytes, strict=True):
            place = place + _int64(index) * stride
        return self._elements(place, self._beyond, step, instruction)

    def _beyond(self, place: Any, wrong: Any, instruction: Instruction) -> BeyondMemory:
        start = self.region[0] - self.origin_bytes
        return BeyondMemory(
            self.name,
            wrong,
            instruction,
            bytes=place - self.origin_bytes,
            width=self.element.bytes,
            start=start,
            end=start + self.region[1],
            indexed=self.indexed and self.strides_bytes == (self.element.bytes,),
        )

    @property
    def _shift(self) -> int:
        return self.element.bytes.bit_length() - 1


def _alike(index: Any) -> Any:
    """One number, if it is the same for all warps; else int64 (n, 1)."""
    if np.ndim(index) == 0:
        return int(_int64(index))
    first = index[0, 0]
    return int(_int64(first)) if (index == first).all() else _int64(index)


def _int64(number: Any) -> Any:
    number = np.asarray(number)
    return number.view(np.int64) if number.itemsize == 8 else number.astype(np.int64)


class SharedPointer(Pointer, SharedStorage):
    """A shared array: each resident block has its own copy."""


class LocalPointer(Pointer, LocalStorage):
    """A local array: each thread has its own copy."""
