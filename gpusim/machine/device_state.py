"""What does a GPU keep from launch to launch? Its memory, the split of shared memory and L1, loaded code."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from weakref import WeakKeyDictionary

import numpy as np

from gpusim.devices import Device
from gpusim.devices.carveout import Carveout
from gpusim.devices.launch_limits import Settings
from gpusim.errors import LaunchError
from gpusim.ir.program import Function
from gpusim.machine.memory.address_space import AddressSpace, Allocation
from gpusim.machine.translate import Form, Translation, translate

PRINT_BUFFER_BYTES = 8_650_752  # cudaLimitPrintfFifoSize of an H200, unless it is set
HEAP_BOOKS_BYTES = 8 << 10  # at its beginning: how much was taken, how much there is, what was given back


class PrintBufferWarning(UserWarning):
    """A launch printed more than a GPU keeps until the host waits for it."""


class DeviceState:
    """One GPU as its programs leave it. `memory` is its address space; it has no contents of the host's.

    The heap, of which kernels take memory, is one allocation of `heap_bytes`, made when it is asked for.
    `caches` are kept here for those who model them, by the device whose they are: made when first asked for.
    """

    def __init__(self) -> None:
        # The C library on Linux hands freed memory back, and gets it page by page for the next array, until
        # an array as large as this was freed. No page of this one is touched.
        np.empty((32 << 20) - (64 << 10), np.uint8)
        self.memory = AddressSpace()
        self._forget_limits()
        self.handles = count(0x1000, 0x10)  # of streams and events that kernels create
        self._heap: Allocation | None = None
        self.caches: dict[Device, object] = {}
        self._capacity_bytes: dict[str, int] = {}
        self._loaded: WeakKeyDictionary[Function, dict[Form, Translation]] = WeakKeyDictionary()

    def reset(self) -> None:
        """Free all memory, and forget how the GPU was configured."""
        for allocation in self.memory.live():
            allocation.free()
        self.memory.objects[:] = [None] * len(self.memory.objects)
        self.caches.clear()
        self._forget_limits()
        self.forget_carveouts()

    def _forget_limits(self) -> None:
        self.print_buffer_bytes = PRINT_BUFFER_BYTES
        self.synchronization_depth, self.pending_launches, self.stack_bytes, self._heap_bytes = Settings()

    def forget_carveouts(self) -> None:
        """The next launch finds shared memory and L1 as in a GPU that was never used."""
        self._capacity_bytes.clear()

    def heap(self, device: Device) -> Allocation:
        """What kernels take memory from. Raises `LaunchError` where the device has not that much left."""
        if self._heap is None or not self._heap.live:
            self._heap = self.memory.allocate(max(self._heap_bytes, HEAP_BOOKS_BYTES), device.memory_bytes)
            books = self._heap.data[:HEAP_BOOKS_BYTES]
            books[:] = 0
            books.view(np.uint64)[:2] = HEAP_BOOKS_BYTES, len(self._heap.data)
            self._heap.note_written(books)
        return self._heap

    def note_printed(self, calls: int, size: int) -> None:
        """A launch printed so often, so many bytes. A GPU's buffer goes round: what is oldest is lost."""
        if size > self.print_buffer_bytes:
            seen = calls * self.print_buffer_bytes // size
            warnings.warn(
                f"this launch printed {calls:,} times, about {size:,} bytes: a GPU keeps "
                f"{self.print_buffer_bytes:,} until the host waits for it and loses what is older, so that "
                f"about {seen:,} of them would be seen; let fewer threads print, or make room with "
                "cudart.cudaDeviceSetLimit(cudart.cudaLimit.cudaLimitPrintfFifoSize, …)",
                PrintBufferWarning,
                stacklevel=2,
            )

    @property
    def heap_address(self) -> int | None:
        """Where does the heap begin, if there is one?"""
        return self._heap.address if self._heap is not None and self._heap.live else None

    @property
    def free_heap_bytes(self) -> int:
        """How much of the heap was never taken?"""
        if self._heap is None or not self._heap.live:
            return self._heap_bytes
        taken, there_are = self._heap.data[:16].view(np.uint64).tolist()
        return int(there_are - taken)

    @property
    def limits(self) -> Settings:
        """What `cudaDeviceSetLimit` has set."""
        return Settings(self.synchronization_depth, self.pending_launches, self.stack_bytes, self._heap_bytes)

    @contextmanager
    def keeping_heap(self) -> Iterator[None]:
        """Whatever kernels do to the heap in a `with` block: afterwards it is as it was."""
        heap = self._heap if self._heap is not None and self._heap.live else None
        before = b"" if heap is None else heap.data.tobytes()
        try:
            yield
        finally:
            if heap is not None:
                heap.data[:] = np.frombuffer(before, np.uint8)
            elif self._heap is not None and self._heap.live:
                self._heap.free()

    @property
    def heap_bytes(self) -> int:
        """How large is the heap that kernels take memory from? Set it before one has: 8 MiB at first."""
        return self._heap_bytes

    @heap_bytes.setter
    def heap_bytes(self, size: int) -> None:
        if self._heap is not None and self._heap.live:
            raise LaunchError(
                f"cudaErrorInvalidValue: the heap has {self._heap_bytes} bytes, and is in use already"
            )
        self._heap_bytes = size

    def configure(self, wanted: Carveout) -> Carveout:
        """Split shared memory and L1 for a grid that starts; what is configured already may be kept."""
        chosen = wanted.after(self._capacity_bytes.get(wanted.device.name))
        self._capacity_bytes[wanted.device.name] = chosen.capacity_bytes
        return chosen

    def loaded(self, function: Function, form: Form) -> Translation:
        """A kernel as the machine runs it, translated once in each form."""
        known = self._loaded.setdefault(function, {})
        if form not in known:
            known[form] = translate(function, form)
        return known[form]
