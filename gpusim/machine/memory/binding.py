"""Which memory does each array of a launch mean? Its argument's, or a window of each block or thread."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gpusim.devices.occupancy import round_up
from gpusim.events import Placement
from gpusim.ir.instructions import ArrayOperand, Opcode
from gpusim.ir.types import U8, WINDOWS, Space
from gpusim.machine.configuration import Configuration
from gpusim.machine.layout import Layout, Part
from gpusim.machine.limits import WINDOW_UNIT_BYTES, dynamic_start
from gpusim.machine.memory.address_space import UNINITIALISED_BYTE, AddressSpace, Allocation
from gpusim.machine.memory.generic import GenericMemory
from gpusim.machine.memory.per_warp import Fields, PerWarp
from gpusim.machine.memory.pointers import LocalPointer, Pointer, SharedPointer
from gpusim.machine.memory.side_by_side import Places
from gpusim.machine.memory.storage import Bytes, LocalStorage, SharedStorage, Storage

AnyMemory = Storage | GenericMemory | PerWarp
ONE_BLOCK = Part((1, 1, 1), (1, 1, 1), 0, 1)
ANY = ArrayOperand("device memory", U8, 1, Space.GLOBAL, pointer=True)
CONSTANTS_BASE = 0x7C00_0000_0000
# space, is it C's pointer -> what it is during a launch
WINDOW_KINDS: dict[tuple[Space, bool], type[Storage]] = {
    (Space.SHARED, False): SharedStorage,
    (Space.SHARED, True): SharedPointer,
    (Space.LOCAL, False): LocalStorage,
    (Space.LOCAL, True): LocalPointer,
}


class Windows(NamedTuple):
    """The shared memory of all blocks, or the local memory of all threads, one after the other: one array."""

    memory: Bytes
    bytes_each: int


def bind_array(operand: ArrayOperand, data: npt.NDArray[Any], address: int) -> Storage:
    """A NumPy array as global or constant memory, whatever its order and strides."""
    shape, strides = data.shape, data.strides
    memory, origin = bytes_of(data)
    if operand.pointer:
        strides = (operand.element.bytes,) * operand.dimensions
        shape = ((len(memory) - origin) // operand.element.bytes,) * operand.dimensions
    kind = Pointer if operand.pointer else Storage
    return kind(operand, memory, shape, strides, origin, address, (0, len(memory)))


def bytes_of(data: npt.NDArray[Any]) -> tuple[Bytes, int]:
    """All bytes from an array's first to its last, and where among them its element [0, …, 0] begins."""
    memory, origin = np.zeros(0, np.uint8), 0
    if data.flags.c_contiguous:
        memory = data.reshape(-1).view(np.uint8)
    elif data.size:
        forward: Any = (*(slice(None, None, -1 if stride < 0 else 1) for stride in data.strides), ...)
        first = np.lib.stride_tricks.as_strided(data[forward], (1,), (data.itemsize,)).view(np.uint8)
        extents = list(zip(data.shape, data.strides, strict=True))
        span = data.itemsize + sum((e - 1) * abs(s) for e, s in extents)
        memory = np.lib.stride_tricks.as_strided(first, (span,), (1,), writeable=data.flags.writeable)
        origin = sum(-s * (e - 1) for e, s in extents if s < 0)
    return memory, origin


def bind_allocation(operand: ArrayOperand, allocation: Allocation, first: int = 0) -> Storage:
    """A piece of device memory, of which an array begins at byte `first`: a pointer may go anywhere in it."""
    width, size = operand.element.bytes, len(allocation.data)
    memory = _read_only(allocation.data) if operand.space is Space.CONSTANT else allocation.data
    kind, shape = Pointer if operand.pointer else Storage, ((size - first) // width,)
    storage = kind(operand, memory, shape, (width,), first, allocation.address, (0, size))
    storage.live, storage.written = allocation.live, allocation.written
    return storage


def bind_null(operand: ArrayOperand) -> Storage:
    """No memory at all."""
    null = Pointer(operand, np.zeros(0, np.uint8), (0,), (operand.element.bytes,), 0, 0, (0, 0))
    null.is_null, null.live = True, False
    return null


def bind_window(operand: ArrayOperand, windows: Windows, dynamic: tuple[int, int], lanes: int) -> Storage:
    """A shared or local array within `windows`.

    An array whose dimensions are not known is dynamic: it takes all of `dynamic`, (first byte, bytes).
    """
    width = operand.element.bytes
    offset, shape = operand.offset, operand.shape
    is_dynamic = len(shape) != operand.dimensions
    if is_dynamic:
        offset, shape = dynamic[0], (dynamic[1] // width,)
    strides = tuple(math.prod(shape[axis + 1 :]) * width for axis in range(operand.dimensions))
    region = (offset, dynamic[1] if is_dynamic else math.prod(shape) * width)
    kind = WINDOW_KINDS[operand.space, operand.pointer]
    storage = kind(operand, windows.memory, shape, strides, offset, 0, region, windows.bytes_each)
    if isinstance(storage, LocalStorage):
        storage.lanes = lanes
    return storage


class Binding:
    """The arrays of one launch: those of the grid, and afresh for each batch those of blocks and threads.

    Several of one kernel can run side by side where `places` says of each parameter where its arrays lie.
    """

    def __init__(
        self,
        configurations: Sequence[Configuration],
        memory: AddressSpace,
        places: Mapping[ArrayOperand, Places] | None = None,
    ) -> None:
        first = configurations[0]
        self.function, self.lanes, self.memory = first.function, first.device.warp_size, memory
        sizes = [one.dynamic_shared_bytes for one in configurations]
        self.dynamic = dynamic_start(self.function), max(sizes)
        self._dynamic_bytes = np.array(sizes) if min(sizes) < max(sizes) else None
        self.everywhere: dict[ArrayOperand, Storage] = {}
        self.allocated: list[tuple[ArrayOperand, Sequence[Any], Allocation]] = []
        self.pieces: list[Storage] = []
        self.seen: dict[ArrayOperand, list[tuple[Storage, Storage]]] = {}
        self.windows: set[Space] = set()
        self._own: dict[ArrayOperand, tuple[Storage, Fields]] = {}  # what differs from grid to grid
        given: list[tuple[ArrayOperand, Any]] = []
        for number, operand in enumerate(self.function.parameters):
            if not isinstance(operand, ArrayOperand):
                continue
            if first.arguments[number] is None:
                self.everywhere[operand] = bind_null(operand)
            elif places is None:
                given.append((operand, first.arguments[number]))
            else:
                allocation = places[operand].allocation
                self._own[operand] = bind_allocation(operand, allocation), places[operand].fields(operand)
                arrays = [one.arguments[number] for one in configurations]
                self.allocated.append((operand, arrays, allocation))
        found = memory.places([argument for _operand, argument in given])
        for (operand, argument), (address, holding) in zip(given, found, strict=True):
            self.everywhere[operand] = self._bind(operand, argument, address, holding)
        if self.function.goes_anywhere:
            self._find_pieces()

    def _bind(
        self, operand: ArrayOperand, argument: Any, address: int, allocation: Allocation | None
    ) -> Storage:
        if allocation is None:
            return bind_array(operand, argument, address)
        self.allocated.append((operand, [argument], allocation))
        if operand.pointer:
            return bind_allocation(operand, allocation, address - allocation.address)
        storage = bind_array(operand, argument, address)
        storage.live, storage.written = allocation.live, allocation.written_in(argument)
        return storage

    def _find_pieces(self) -> None:
        """What addresses may lead to: live allocations, arrays of the host, constants, windows."""
        accesses = [i for i in self.function.instructions if i.opcode is Opcode.ADDRESS]
        taken = {access.array.memory for access in accesses if access.array is not None}
        self.windows |= {array.space for array in taken} & set(WINDOWS)
        named = {allocation: operand for operand, _arrays, allocation in self.allocated}
        self.pieces += [
            bind_allocation(_bytes(named.get(allocation, ANY)), allocation)
            for allocation in self.memory.live()
            if len(allocation.data)
        ]
        held = {operand for operand, _arrays, _allocation in self.allocated}
        self.pieces += _together([s for o, s in self.everywhere.items() if o not in held and len(s.memory)])
        self.pieces += [self._constant(operand) for operand in taken if operand.data is not None]

    def _constant(self, operand: ArrayOperand) -> Storage:
        return bind_array(operand, operand.data, CONSTANTS_BASE + operand.offset)

    def count_as_written(self, noted: Sequence[bool]) -> None:
        """Arrays that the kernel writes to count as written whole; all memory does, if it may go anywhere.

        noted: has somebody marked what this grid writes, for each that runs here?
        """
        if all(noted):
            return
        written = self.function.written
        for operand, arrays, allocation in self.allocated if written else ():
            for array, is_noted in zip(arrays, noted, strict=True):
                if operand in written and not is_noted:
                    allocation.note_written(allocation.data if operand.pointer else array)
        if any(operand.space is Space.GENERIC for operand in written):
            for allocation in self.memory.live():
                allocation.note_written(allocation.data)

    def placements(self, operands: Sequence[ArrayOperand]) -> tuple[Placement, ...]:
        """Where the kernel's arrays lie, for observers."""
        named = {operand.memory: None for operand in (*self.everywhere, *operands)}
        found = self.of_batch(list(named), Layout(ONE_BLOCK, self.lanes))
        arrays = [array for array in found if isinstance(array, Storage)]
        return tuple(array.placement() for array in (*arrays, *self.pieces) if array.region[1])

    def _window(self, operand: ArrayOperand, windows: Windows, layout: Layout) -> AnyMemory:
        whole = bind_window(operand, windows, self.dynamic, self.lanes)
        sizes = self._dynamic_bytes
        if sizes is None or len(operand.shape) == operand.dimensions:
            return whole
        region = np.full_like(sizes, self.dynamic[0]), sizes
        fields = {"shape": (sizes // operand.element.bytes,), "region": region}
        return PerWarp(whole, fields, layout.members)

    def of_batch(self, operands: Sequence[ArrayOperand], layout: Layout) -> list[AnyMemory]:
        """What these mean to the warps of a batch."""
        sizes = {Space.SHARED: sum(self.dynamic), Space.LOCAL: self.function.local_bytes}
        copies = {Space.SHARED: layout.blocks, Space.LOCAL: layout.warps * self.lanes}
        windows = dict[Space, Windows]()
        for space, size in sizes.items():
            each = round_up(size, WINDOW_UNIT_BYTES)
            windows[space] = Windows(np.full(copies[space] * each, UNINITIALISED_BYTE, np.uint8), each)
        whole = [
            bind_window(
                replace(ANY, name=f"{space.value} memory", space=space, shape=(sizes[space],)),
                windows[space],
                self.dynamic,
                self.lanes,
            )
            for space in self.windows
        ]
        bound: dict[ArrayOperand, AnyMemory] = dict(self.everywhere)
        for operand, (memory, fields) in self._own.items():
            bound[operand] = PerWarp(memory, fields, layout.members)
        return [self._bound(operand, bound, windows, whole, layout) for operand in operands]

    def _bound(
        self,
        operand: ArrayOperand,
        bound: dict[ArrayOperand, AnyMemory],
        windows: dict[Space, Windows],
        whole: Sequence[Storage],
        layout: Layout,
    ) -> AnyMemory:
        """What one array means; what is `bound` already stays."""
        if operand not in bound:
            if operand.space is Space.GENERIC:
                if operand not in self.seen:
                    self.seen[operand] = [(piece, piece.part(operand)) for piece in self.pieces]
                own = [(window, window.part(operand)) for window in whole]
                bound[operand] = GenericMemory(operand, [*self.seen[operand], *own], self.memory)
            elif operand.root is not None:
                root = self._bound(operand.root, bound, windows, whole, layout)
                assert isinstance(root, Storage | PerWarp)
                bound[operand] = root.part(operand)
            elif operand.space is Space.CONSTANT:
                bound[operand] = self._constant(operand)
            else:
                bound[operand] = self._window(operand, windows[operand.space], layout)
        return bound[operand]


def _bytes(array: ArrayOperand | Storage) -> ArrayOperand:
    """All memory of an array, as bytes."""
    return replace(ANY, name=array.name, space=array.space)


def _read_only(memory: Bytes) -> Bytes:
    return np.lib.stride_tricks.as_strided(memory, writeable=False)


def _together(arrays: Sequence[Storage]) -> list[Storage]:
    """Arrays of the host as pieces, those that overlap as one."""
    pieces: list[tuple[ArrayOperand, Bytes, int]] = []
    for array in sorted(arrays, key=lambda array: array.address):
        memory = _read_only(array.memory) if array.space is Space.CONSTANT else array.memory
        first = array.address
        if pieces and first < pieces[-1][2] + len(pieces[-1][1]):
            _, before, first = pieces.pop()
            size = max(len(before), array.address - first + len(memory))
            writeable = before.flags.writeable and memory.flags.writeable
            memory = np.lib.stride_tricks.as_strided(before, (size,), (1,), writeable=writeable)
        pieces.append((_bytes(array), memory, first))
    return [bind_array(*piece) for piece in pieces]
