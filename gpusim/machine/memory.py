"""Where does an array live, and which element does each lane mean? Storage with bounds checked lane by lane.

n warps in a step, L lanes. Indices, positions and values: (n, L), (n, 1) when uniform, or scalars.
Positions count elements in `flat`, a one-dimensional view of the storage; no byte of it is copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.events import MemoryAccess
from gpusim.ir.instructions import ArrayOperand, Instruction
from gpusim.ir.types import Space
from gpusim.machine import atomics
from gpusim.machine.step import Step

GLOBAL_BASE = 0x7F00_0000_0000
ALLOCATION_BYTES = 256


class OutsideArray(Exception):
    """Raised at the access; the executor adds thread and block. `outside`: bool (n, L)."""

    def __init__(
        self, storage: Storage, axis: int, outside: Any, index: Any, instruction: Instruction
    ) -> None:
        super().__init__(storage.name)
        self.storage, self.axis, self.outside = storage, axis, outside
        self.index, self.instruction = index, instruction


class Storage:
    """An array of one space during a launch. `changes` counts the stores and atomics on it."""

    def __init__(
        self,
        operand: ArrayOperand,
        flat: npt.NDArray[Any],
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        offset: int,
        address: int,
    ) -> None:
        self.name, self.space, self.element = operand.name, operand.space, operand.element
        self.flat, self.shape, self.strides, self.offset = flat, shape, strides, offset
        self.address = address
        self.changes = 0

    def window(self, _step: Step) -> Any:
        """Where in `flat` does each warp's or lane's own copy begin? Global arrays have one copy for all."""
        return 0

    def positions(self, indices: Sequence[Any], step: Step, instruction: Instruction) -> Any:
        """Which element of `flat` does each lane mean? Raises `OutsideArray` where an active lane errs."""
        position = None
        for axis, index in enumerate(indices):
            checked = self._checked(np.asarray(index), axis, step, instruction)
            stride = self.strides[axis]
            scaled = checked if stride == 1 else checked * stride
            position = scaled if position is None else position + scaled
        start = self.window(step) + self.offset
        if position is None:
            return np.asarray(start)
        return position if isinstance(start, int) and start == 0 else position + start

    def _checked(self, index: Any, axis: int, step: Step, instruction: Instruction) -> Any:
        """Indices in range for every lane. Negative ones count from the end, as in Numba."""
        length, given = self.shape[axis], index
        if index.dtype != np.int64:
            index = index.astype(np.int64)
        if index.view(np.uint64).max() < length:  # a negative index is a very large one
            return index
        if given.dtype.kind == "i":
            index = np.where(index < 0, index + length, index)
        outside = (index < 0) | (index >= length)
        wrong = outside if step.active is None else outside & step.active
        if wrong.any():
            raise OutsideArray(self, axis, wrong, given, instruction)
        return np.where(outside, 0, index)

    def load(self, indices: Sequence[Any], step: Step, instruction: Instruction) -> Any:
        """The elements the lanes ask for, in the shape of their indices."""
        positions = self.positions(indices, step, instruction)
        if step.watched:
            self._tell("load", positions, step, instruction)
        return self.flat.take(positions)

    def store(self, indices: Sequence[Any], value: Any, step: Step, instruction: Instruction) -> None:
        """Write the active lanes' values; where several mean one element, the last lane's stays."""
        positions = self.positions(indices, step, instruction)
        if step.watched:
            self._tell("store", positions, step, instruction)
        self.changes += 1
        if step.active is None:
            shape = np.broadcast_shapes(np.shape(positions), np.shape(value))
            self.flat[np.broadcast_to(positions, shape)] = value
        else:
            active = step.active
            self.flat[np.broadcast_to(positions, active.shape)[active]] = np.broadcast_to(
                value, active.shape
            )[active]

    def atomic(
        self,
        indices: Sequence[Any],
        values: Sequence[Any],
        wanted: bool,
        step: Step,
        instruction: Instruction,
    ) -> Any:
        """Apply the active lanes' values one after the other; the old values (n, L) if they are wanted."""
        positions = self.positions(indices, step, instruction)
        if step.watched:
            self._tell("atomic", positions, step, instruction)
        active = step.mask
        where = np.broadcast_to(positions, active.shape)[active]
        what = [np.broadcast_to(value, active.shape)[active] for value in values]
        self.changes += 1
        if not wanted:
            atomics.update(self.flat, where, what, instruction.opcode)
            return None
        before = np.zeros(active.shape, self.flat.dtype)
        before[active] = atomics.fetch_and_update(self.flat, where, what, instruction.opcode)
        return before

    def _tell(self, kind: str, positions: Any, step: Step, instruction: Instruction) -> None:
        active, width = step.mask, self.element.bytes
        addresses = np.asarray((positions - self.window(step)) * width + self.address)
        step.emit(
            MemoryAccess(
                self.space,
                kind,
                width,
                step.warps,
                active,
                np.broadcast_to(addresses, active.shape),
                instruction,
            )
        )


class SharedStorage(Storage):
    """A shared array: each resident block has its own copy, `block_elements` apart in `flat`."""

    block_elements = 0

    def window(self, step: Step) -> Any:
        """The window of the warp's own block: (n, 1)."""
        return step.slots() * self.block_elements


class LocalStorage(Storage):
    """A local array: each thread has its own copy, `thread_elements` apart in `flat`."""

    thread_elements = 0
    lanes = 32

    def window(self, step: Step) -> Any:
        """The lane's own window: (n, L)."""
        rows = np.arange(len(step.block_slots)) if step.rows is None else step.rows
        return (rows[:, None] * self.lanes + np.arange(self.lanes)) * self.thread_elements


def bind_global(operand: ArrayOperand, data: npt.NDArray[Any], address: int) -> Storage:
    """A user's own NumPy array as global memory, whatever its order and strides."""
    width = operand.element.bytes
    low = data[tuple(slice(None, None, -1 if stride < 0 else 1) for stride in data.strides)]
    span = 1 + sum(
        (length - 1) * (abs(s) // width) for length, s in zip(data.shape, data.strides, strict=True)
    )
    flat = np.lib.stride_tricks.as_strided(low, (span,), (width,)) if data.size else np.zeros(1, data.dtype)
    strides = tuple(stride // width for stride in data.strides)
    offset = sum(-s * (length - 1) for length, s in zip(data.shape, strides, strict=True) if s < 0)
    return Storage(operand, flat, data.shape, strides, offset, address)


def bind_window(operand: ArrayOperand, windows: npt.NDArray[np.uint8], lanes: int) -> Storage:
    """A shared or local array within `windows`: uint8 (blocks or threads, bytes each)."""
    width = operand.element.bytes
    flat = windows.reshape(-1).view(operand.element.dtype)
    strides = tuple(int(np.prod(operand.shape[axis + 1 :])) for axis in range(operand.dimensions))
    kind = SharedStorage if operand.space is Space.SHARED else LocalStorage
    storage = kind(operand, flat, operand.shape, strides, operand.offset // width, 0)
    if isinstance(storage, SharedStorage):
        storage.block_elements = windows.shape[1] // width
    elif isinstance(storage, LocalStorage):
        storage.thread_elements, storage.lanes = windows.shape[1] // width, lanes
    return storage


def addresses_for(arrays: Sequence[npt.NDArray[Any]]) -> list[int]:
    """Where would a GPU put these arrays? One after the other, each aligned to 256 bytes."""
    addresses, following = [], GLOBAL_BASE
    for array in arrays:
        addresses.append(following)
        following += -(-max(array.nbytes, 1) // ALLOCATION_BYTES) * ALLOCATION_BYTES
    return addresses
