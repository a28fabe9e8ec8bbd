"""Where does an array live, and which element does each lane mean? Storage with bounds checked lane by lane.

n warps in a step, L lanes. Indices, positions and values: (n, L), (n, 1) when uniform, or scalars.
Positions count elements in `flat`, which sees the bytes of `memory` as elements; no byte of it is copied.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from gpusim.events import MemoryAccess, Placement
from gpusim.ir.instructions import ArrayOperand, Instruction
from gpusim.ir.types import WINDOWS, Scalar
from gpusim.machine.functions import atomics
from gpusim.machine.memory.bad_access import BadAccess, Freed, Misaligned, OutsideArray, OutsideMemory
from gpusim.machine.step import Rows, Step

Bytes = npt.NDArray[np.uint8]
Outside = Callable[[Any, Any, Instruction], BadAccess]  # what is wrong with these bytes, in these lanes


class Storage:
    """An array of one space during a launch. `changes` counts the stores and atomics on it.

    `memory` are the bytes of the array, or of all its copies; `address` is where the GPU has the first of
    them (of each copy). `origin_bytes` is where, in a copy, element [0, …, 0] begins, and `region` the bytes
    that belong to the array. Copies are `copy_bytes` apart. Memory that is not `live` was freed; `written`
    says which of its bytes have contents, None that all have.
    """

    misaligned: type[Misaligned] = Misaligned

    def __init__(
        self,
        operand: ArrayOperand,
        memory: Bytes,
        shape: tuple[int, ...],
        strides_bytes: tuple[int, ...],
        origin_bytes: int,
        address: int,
        region: tuple[int, int],
        copy_bytes: int = 0,
    ) -> None:
        self.name, self.space, self.element = operand.name, operand.space, operand.element
        self.dimensions = operand.dimensions
        self.memory, self.shape, self.strides_bytes = memory, shape, strides_bytes
        self.origin_bytes, self.address, self.region = origin_bytes, address, region
        self.copy_bytes, self.changes, self.live = copy_bytes, 0, True
        self.written: npt.NDArray[np.bool_] | None = None
        if isinstance(operand.element, Scalar):
            self._see_as(operand.element)

    def _see_as(self, element: Scalar) -> None:
        self._recent: tuple[list[Any], int, Any] = [], -1, None
        self._windows: Any = None
        width = element.bytes
        self.skew_bytes = -self.address % width  # `flat` begins at the first address that an element can have
        count = max(len(self.memory) - self.skew_bytes, 0) // width
        self.flat = self.memory[self.skew_bytes :][: count * width].view(element.dtype)
        if not count:
            self.flat = np.zeros(1, element.dtype)  # for lanes that are off; others find no element in range
        first_bytes = self.origin_bytes - self.skew_bytes
        self.regular = not any(stride % width for stride in (*self.strides_bytes, first_bytes))
        self.strides = tuple(stride // width for stride in self.strides_bytes)
        self.offset = first_bytes // width
        self.copy_elements = self.copy_bytes // width

    def part(self, operand: ArrayOperand) -> Storage:
        """The same memory, seen as `operand`; each access brings where it begins and its shape."""
        seen = self._with(name=operand.name, element=operand.element, dimensions=operand.dimensions)
        assert isinstance(operand.element, Scalar)
        seen._see_as(operand.element)
        return seen

    def placed_by_warp(self, fields: Mapping[str, Any]) -> Storage:
        """The same memory, of which each warp has a place of its own: `fields` are int64 (n, 1)."""
        return self._with(**fields, regular=False)

    def _with(self, **changed: Any) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__, **changed)
        return twin

    def of(self, _rows: Rows | None) -> Storage:
        """What it is for the warps in `rows`: the same for all."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Storage:
        """Memory of the device stays the same; copies of blocks and threads become others."""
        if not self.copy_bytes:
            return self
        twin = memo[id(self)] = self._with(memory=deepcopy(self.memory, memo))
        if isinstance(self.element, Scalar):
            twin._see_as(self.element)
        return twin

    def placement(self) -> Placement:
        """Where the array lies, as observers are told; of shared and local arrays, in their window."""
        low, size = self.region
        origin = self.address + self.origin_bytes
        return Placement(
            self.name,
            self.space,
            self.address + low,
            size,
            origin,
            self.shape,
            self.strides_bytes,
            self.written,
        )

    def extent(self, axis: int, _rows: Rows | None) -> Any:
        """How many elements has it along an axis? One number, or for the warps in `rows` int64 (n, 1)."""
        return np.int64(self.shape[axis])

    def stride(self, axis: int, _rows: Rows | None) -> Any:
        """How many bytes lie between neighbours along an axis?"""
        return np.int64(self.strides_bytes[axis])

    def generic_address(self, _rows: Rows | None) -> Any:
        """Where element [0, …, 0] is, the same number for every thread, as a pointer of C holds it."""
        return np.uint64(WINDOWS.get(self.space, 0) + self.address + self.origin_bytes)

    @property
    def reachable(self) -> Sequence[Storage]:
        """The storage whose memory an access may change."""
        return (self,)

    def window(self, _step: Step) -> Any:
        """Where in `flat` does each warp's or lane's own copy begin? Global arrays have one copy for all."""
        return 0

    # where ------------------------------------------------------------------------------------------------

    def positions(self, indices: Sequence[Any], step: Step, instruction: Instruction) -> Any:
        """Which element of `flat` does each lane mean? Raises `BadAccess` where an active lane errs."""
        if not self.live:
            raise Freed(self.name, step.mask, instruction)
        if not self.regular:
            return self.placed(indices, 0, self.shape, self.strides_bytes, step, instruction)
        own = [index if np.ndim(index) == 2 and index.shape[1] > 1 else None for index in indices]
        place = None if step.rows is not None else self._recall(own, step)
        if place is None:
            place, lasting = self.window(step) + self.offset, step.rows is None
            for axis, index in enumerate(own):
                if index is not None:
                    scaled, within = self._scaled(index, axis, step, instruction)
                    place = place + scaled if np.ndim(place) or place else scaled
                    lasting = lasting and within
            if lasting:
                self._recent = own, step.overwritten, place
        # what is the same for a whole warp is (n, 1), where a sum costs a 32nd, and often one number for all
        shared: Any = 0
        for axis, index in enumerate(indices):
            if own[axis] is None:
                shared = shared + self._scaled(index, axis, step, instruction)[0]
        if np.ndim(shared) == 2 and (shared == shared[0]).all():
            shared = shared[0, 0]
        return place + shared if np.ndim(shared) or shared else np.asarray(place)

    def _recall(self, own: list[Any], step: Step) -> Any:
        """What was added up last, if it was of these arrays, and they have not changed."""
        known, overwritten, added = self._recent
        same = overwritten == step.overwritten and len(known) == len(own)
        return added if same and all(one is other for one, other in zip(known, own, strict=True)) else None

    def _scaled(self, index: Any, axis: int, step: Step, instruction: Instruction) -> tuple[Any, bool]:
        """Checked indices times the stride, and whether they are right for every lane, active or not."""
        index = np.asarray(index)
        if index.itemsize < 8:
            index = index.astype(np.int64)
        found = checked(self, index, self.shape[axis], self.shape[axis], axis, step, instruction)
        stride = self.strides[axis]
        return (found if stride == 1 else found * stride), found is index

    def placed(
        self,
        indices: Sequence[Any],
        first_bytes: Any,
        extents: Sequence[Any],
        strides_bytes: Sequence[Any],
        step: Step,
        instruction: Instruction,
    ) -> Any:
        """The same, for a part of the array that begins at `first_bytes` and has its own shape."""
        if not self.live:
            raise Freed(self.name, step.mask, instruction)
        start = np.asarray(self.origin_bytes + first_bytes)
        place = start + distance(self, indices, extents, strides_bytes, step, instruction)
        return self._elements(place, self._outside, step, instruction)

    def _elements(self, place: Any, outside: Outside, step: Step, instruction: Instruction) -> Any:
        """Which elements begin at these bytes of each copy? Raises `BadAccess` where active lanes err."""
        width = self.element.bytes  # a power of two
        odd = (place + self.address) & (width - 1)
        if odd.any():
            wrong = among_active(odd != 0, step)
            if wrong.any():
                about = {"addresses": place + self.address, "width": width}
                raise self.misaligned(self.name, wrong, instruction, **about)
        first, last = self.region[0], sum(self.region) - width
        if np.ndim(last) or place.min() < first or place.max() > last:
            beyond = (place < first) | (place > last)
            wrong = among_active(beyond, step)
            if wrong.any():
                raise outside(place, wrong, instruction)
            place = np.where(beyond, self.skew_bytes, place)
        return (place - self.skew_bytes >> width.bit_length() - 1) + self.window(step)

    def _outside(self, place: Any, wrong: Any, instruction: Instruction) -> BadAccess:
        about = {"first_bytes": place - self.region[0], "size": self.region[1]}
        return OutsideMemory(self.name, wrong, instruction, **about)

    # what -------------------------------------------------------------------------------------------------

    def load(self, positions: Any, step: Step, instruction: Instruction) -> Any:
        """The elements the lanes ask for, in the shape of their positions."""
        if step.watched:
            self._tell("load", positions, step, instruction)
        return self.flat.take(positions)

    def store(self, positions: Any, value: Any, step: Step, instruction: Instruction) -> None:
        """Write the active lanes' values; where several mean one element, the last lane's stays."""
        if step.watched:
            self._tell("store", positions, step, instruction)
        self.changes += 1
        if step.active is None:
            shape = np.broadcast_shapes(np.shape(positions), np.shape(value))
            self.flat[np.broadcast_to(positions, shape)] = value
        else:
            self.flat[of_lanes(positions, step.active)] = of_lanes(value, step.active)

    def atomic(
        self, positions: Any, values: Sequence[Any], wanted: bool, step: Step, instruction: Instruction
    ) -> Any:
        """Apply the active lanes' values one after the other; the old values (n, L) if they are wanted."""
        if step.watched:
            self._tell("atomic", positions, step, instruction)
        active = step.mask
        where, what = of_lanes(positions, active), [of_lanes(value, active) for value in values]
        self.changes += 1
        if not wanted:
            atomics.update(self.flat, where, what, instruction.opcode)
            return None
        before = np.zeros(active.shape, self.flat.dtype)
        before[active] = atomics.fetch_and_update(self.flat, where, what, instruction.opcode)
        return before

    def addresses(self, positions: Any, step: Step) -> Any:
        """Where elements of `flat` are; of shared and local arrays, in their window."""
        width = self.element.bytes
        return np.asarray(positions, np.int64) * width + (
            self.address + self.skew_bytes - self.window(step) * width
        )

    def _tell(self, kind: str, positions: Any, step: Step, instruction: Instruction) -> None:
        active = step.mask
        step.emit(
            MemoryAccess(
                self.space,
                kind,
                self.element.bytes,
                step.warps,
                active,
                np.broadcast_to(self.addresses(positions, step), active.shape),
                instruction,
                self.flat,
                np.broadcast_to(positions, active.shape),
            )
        )


def checked(
    array: Any, index: Any, length: Any, shortest: int, axis: int, step: Step, instruction: Instruction
) -> Any:
    """Indices in range for every lane. Negative ones count from the end, as in Numba."""
    given = index
    if index.dtype != np.int64:
        index = index.astype(np.int64)
    if index.view(np.uint64).max() < shortest:  # a negative index is a very large one
        return index
    if given.dtype.kind == "i":
        index = np.where(index < 0, index + length, index)
    outside = (index < 0) | (index >= length)
    wrong = among_active(outside, step)
    if wrong.any():
        about = {"index": given, "length": length, "axis": axis, "dimensions": array.dimensions}
        raise OutsideArray(array.name, wrong, instruction, **about)
    return np.where(outside, 0, index)


def distance(
    array: Any,
    indices: Sequence[Any],
    extents: Sequence[Any],
    strides_bytes: Sequence[Any],
    step: Step,
    instruction: Instruction,
) -> Any:
    """How many bytes from its first does each lane's element of a part of an array lie?"""
    place: Any = np.int64(0)
    for axis, (index, length) in enumerate(zip(indices, extents, strict=True)):
        found = checked(array, np.asarray(index), length, int(np.min(length)), axis, step, instruction)
        place = place + found * strides_bytes[axis]
    return place


def of_lanes(value: Any, active: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """The active lanes' values one after the other, (N,)."""
    if np.shape(value) != active.shape:
        value = np.broadcast_to(value, active.shape)
    lanes: npt.NDArray[Any] = value[active]
    return lanes


def among_active(lanes: Any, step: Step) -> Any:
    """Those of some lanes that execute now."""
    return lanes if step.active is None else lanes & step.active


class SharedStorage(Storage):
    """A shared array: each resident block has its own copy."""

    def window(self, step: Step) -> Any:
        """The window of the warp's own block: (n, 1)."""
        return step.slots() * self.copy_elements


class LocalStorage(Storage):
    """A local array: each thread has its own copy."""

    lanes = 32

    def window(self, step: Step) -> Any:
        """The lane's own window: (n, L)."""
        if step.rows is not None:
            return (
                step.rows[:, None] * self.lanes + np.arange(self.lanes, dtype=np.int64)
            ) * self.copy_elements
        if self._windows is None:
            first = np.arange(len(step.block_slots) * self.lanes, dtype=np.int64) * self.copy_elements
            self._windows = first.reshape(-1, self.lanes)
        return self._windows
