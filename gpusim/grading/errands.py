"""What does host code ask of the GPU? It runs in one process; another one does what it asked for.

There, each launch, copy and wait is noted, with what of the check's arrays it uses. Here they are done again,
in their order, by this process's runtime: who notes what was never asked for changes an answer, and no more.

Steps are lists: what is done, then by what. Memory is a list: whose ("given", "device" or "own"), which one,
its bytes if it is the device's, and the offset, shape, strides and kind of the elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from gpusim.cudart import streams as by_cudas_names
from gpusim.errors import GpuSimError
from gpusim.grading.wire import ELEMENTS, NO_ANSWER, NUMPYS, NotPlain, packed, unpacked
from gpusim.machine.memory.address_space import Allocation, AnyArray
from gpusim.runtime import device_array, settings, streams, watched
from gpusim.runtime.device_array import DeviceNDArray
from gpusim.runtime.launching import Launchable
from gpusim.runtime.streams import DEFAULT, PER_THREAD, Event, Stream

Step = list[Any]
MOST_STEPS, MOST_BYTES = 10_000, 1 << 30
SCALARS = frozenset((bool, int, float, complex)) | NUMPYS
OF_STREAMS, OF_EVENTS = ("synchronize", "host_function"), ("record", "wait", "synchronize", "query")
ATTRIBUTES = ("max_dynamic_shared_size_bytes", "preferred_shared_memory_carveout")
DIRECTIONS = {(False, True): "to device", (True, False): "to host", (True, True): "on device"}
SETTINGS = ("max_dynamic_shared_bytes", "carveout_percent")


def arrays_of(arguments: Any) -> Iterator[AnyArray]:
    """The arrays of a call, those in lists among them, in their order."""
    for each in arguments:
        if isinstance(each, np.ndarray):
            yield each
        elif isinstance(each, list | tuple):
            yield from arrays_of(each)


# there ------------------------------------------------------------------------------------------------------


class Noted:
    """The steps of host code that is called with these arguments. `names`: what a kernel is called by."""

    def __init__(self, arguments: tuple[Any, ...], names: Mapping[str, Any]) -> None:
        self.steps: list[Step] = []
        self._given = [*map(np.asarray, arrays_of(arguments))]  # seen so, nobody is told that they are read
        self._before = [each.tobytes() for each in self._given]
        self._names = names
        self._known: list[Any] = []  # streams, events and allocations, by their numbers
        self._busy = False

    @contextmanager
    def noting(self) -> Iterator[None]:
        """What is asked for in the `with` block is noted."""
        with ExitStack() as within:

            def instead(owner: Any, name: str, described: Callable[..., Step | None]) -> None:
                around = self._around(getattr(owner, name), described)
                within.enter_context(patch.object(owner, name, around))

            instead(Launchable, "_launch", self._launch)
            for name in OF_STREAMS:
                instead(Stream, name, lambda stream, *_, name=name: [name, self._stream(stream)])
            for name in OF_EVENTS:
                instead(Event, name, lambda event, stream=0, name=name: self._of_event(name, event, stream))
            instead(streams, "_note_wait", lambda *_, **__: ["all"])
            for module in (device_array, by_cudas_names):
                instead(module, "note_copy", self._copy)
            instead(watched, "note_host_access", self._access)
            yield
        self._written()

    def _around(self, real: Any, described: Callable[..., Step | None]) -> Callable[..., Any]:
        def noting(*arguments: Any, **named: Any) -> Any:
            if self._busy:
                return real(*arguments, **named)
            self._busy = True
            try:
                self._written(arguments[3] if described == self._copy else None)
                step = described(*arguments, **named)
                if step:
                    self.steps.append(step)
                try:
                    return real(*arguments, **named)
                except GpuSimError:
                    self.steps[-1:] = [["fails", step]]
                    raise
            finally:
                self._before = [each.tobytes() for each in self._given]
                self._busy = False

        return noting

    def _written(self, target: Any = None) -> None:
        """What the host wrote into arrays of the check since the last step, but for a copy into `target`."""
        for number, array in enumerate(self._given):
            copied = isinstance(target, np.ndarray) and np.may_share_memory(array, target)
            if not copied and array.tobytes() != self._before[number]:
                self.steps.append(["write", self._memory(array), packed(np.array(array))])

    def _launch(self, kernel: Any, grid: Any, block: Any, stream: Any, size: Any, given: Any) -> Step:
        asked = [getattr(kernel.launch_attributes, name) for name in SETTINGS]
        place = [[*map(int, grid)], [*map(int, block)], self._stream(stream), int(size)]
        return ["launch", self._kernel(kernel), *place, asked, [*map(self._argument, given)]]

    def _of_event(self, what: str, event: Any, stream: Any = 0) -> Step:
        return [f"event {what}", self._number(event), self._stream(stream)]

    def _copy(
        self, text: str, stream: Any, source: Any, target: Any, direction: str, *, waits: bool = False
    ) -> Step:
        if target is None:
            return ["read", self._memory(source)]
        if source is None:  # numbers of the host, that nobody else knows
            source = np.array(target)
        moved = self._memory(source), self._memory(target)
        return ["copy", text, self._stream(stream), *moved, direction, bool(waits)]

    def _access(self, kind: str, array: AnyArray) -> Step | None:
        return ["read", self._memory(array)] if kind == "load" else None  # what is written is seen anyway

    def _kernel(self, kernel: Any) -> str:
        for name, value in self._names.items():
            if value is kernel:
                return name
        raise NotPlain(f"it launches `{kernel.__name__}`, and no name of a cell stands for that kernel")

    def _argument(self, value: Any) -> list[Any]:
        if isinstance(value, DeviceNDArray):
            return ["memory", self._memory(value._elements)]
        if isinstance(value, np.ndarray):
            return ["memory", self._memory(value)]
        if type(value) in SCALARS:
            return ["value", packed(value)]
        raise NotPlain(f"a kernel is given a `{type(value).__name__}`, and arrays or numbers are asked for")

    def _stream(self, stream: Any) -> list[Any]:
        if not isinstance(stream, Stream) or stream is DEFAULT:
            return [0 if stream is not DEFAULT else 1, True]
        return [2 if stream is PER_THREAD else 3 + self._number(stream), stream.blocking]

    def _number(self, each: Any) -> int:
        for number, known in enumerate(self._known):
            if known is each:
                return number
        self._known.append(each)
        return len(self._known) - 1

    def _memory(self, array: AnyArray) -> list[Any]:
        array = np.asarray(array)
        layout = [[*array.shape], [*array.strides], array.dtype.str]
        low, high = np.lib.array_utils.byte_bounds(array)
        first = array.__array_interface__["data"][0]
        allocation = settings.memory().holding(array)
        if allocation is not None:
            number, size = self._number(allocation), len(allocation.data)
            return ["device", number, size, first - allocation.host_address, *layout]
        for number, given in enumerate(self._given):
            begin, end = np.lib.array_utils.byte_bounds(given)
            if begin <= low and high <= end and array.size:
                return ["given", number, 0, first - given.__array_interface__["data"][0], *layout]
        return ["own", packed(array)]


def _elements(array: Any) -> AnyArray:
    return array._elements if isinstance(array, DeviceNDArray) else array


# here -------------------------------------------------------------------------------------------------------


class Again:
    """Does steps again, with the arrays of these arguments. `names`: what a kernel is called by."""

    def __init__(self, arguments: tuple[Any, ...], names: Mapping[str, Any]) -> None:
        self._given, self._names = list(arrays_of(arguments)), names
        self._made: dict[Any, Any] = {0: 0, 1: DEFAULT, 2: PER_THREAD}  # streams, events and allocations
        self._bytes = 0

    def do(self, steps: Any) -> None:
        """All of them. Raises `NotPlain` where there is none, and what the runtime raises."""
        if type(steps) is not list or len(steps) > MOST_STEPS:
            raise NotPlain(NO_ANSWER)
        for step in steps:
            try:
                what, *details = step
                fails = what == "fails"
                if fails:
                    ((what, *details),) = details
                done = DONE[what]
            except (ValueError, TypeError, KeyError):
                raise NotPlain(NO_ANSWER) from None
            try:
                done(self, *details)
            except GpuSimError:
                if not fails:
                    raise
            except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError):
                raise NotPlain(NO_ANSWER) from None

    def _launch(
        self, name: str, grid: Any, block: Any, stream: Any, size: int, asked: Any, given: list[Any]
    ) -> None:
        kernel = self._names[name]
        if not isinstance(kernel, Launchable):
            raise NotPlain(NO_ANSWER)
        for attribute, setting, value in zip(ATTRIBUTES, SETTINGS, asked, strict=True):
            if getattr(kernel.launch_attributes, setting) != value:
                setattr(kernel, attribute, value)
        configured = kernel.configure(tuple(grid), tuple(block), self._stream(stream), size)
        configured(*map(self._argument, given))

    def _argument(self, told: Any) -> Any:
        kind, value = told
        return self._array(value) if kind == "memory" else unpacked(value)

    def _synchronize(self, stream: Any) -> None:
        (self._stream(stream) or DEFAULT).synchronize()

    def _host_function(self, stream: Any) -> None:
        (self._stream(stream) or DEFAULT).host_function(lambda: None)

    def _copy(self, text: str, stream: Any, source: Any, target: Any, direction: str, waits: bool) -> None:
        written, read = self._array(target), self._array(source)
        sides = isinstance(read, DeviceNDArray), isinstance(written, DeviceNDArray)
        if DIRECTIONS.get(sides) != direction:  # only what lay on the device is copied from there
            raise NotPlain(NO_ANSWER)
        to, of = _elements(written), _elements(read)
        np.copyto(np.asarray(to), np.asarray(of))
        if isinstance(written, DeviceNDArray):
            written.gpu_data.note_written(to)
        streams.note_copy(str(text), self._stream(stream), of, to, direction, waits=waits is True)

    def _read(self, memory: Any) -> None:
        array = self._array(memory)
        if not isinstance(array, DeviceNDArray):
            array.copy()

    def _write(self, memory: Any, values: Any) -> None:
        self._array(memory)[...] = unpacked(values)

    def _stream(self, told: Any) -> Any:
        number, blocking = told
        if number not in self._made:
            self._made[number] = Stream(blocking=blocking is True)
        return self._made[number]

    def _event(self, number: int) -> Event:
        found: Event = self._made.setdefault(("event", int(number)), Event())
        return found

    def _allocation(self, number: int, size: int) -> Allocation:
        if (key := ("device", number, size)) not in self._made:
            self._bytes += size
            if self._bytes > MOST_BYTES:
                raise NotPlain("it takes more than a GB of device memory")
            self._made[key] = device_array.device_array(size, np.uint8)
        allocation: Allocation = self._made[key].gpu_data
        return allocation

    def _array(self, told: Any) -> Any:
        if told[0] == "own":
            return np.asarray(unpacked(told[1]))
        whose, number, size, offset, shape, strides, elements = told
        if not ELEMENTS.fullmatch(elements):
            raise NotPlain(NO_ANSWER)
        if whose == "device":
            allocation = self._allocation(number, size)
            part: AnyArray = np.ndarray(tuple(shape), elements, allocation.data, offset, tuple(strides))
            return DeviceNDArray(part, allocation)
        given = self._given[number]
        layout = ([*given.shape], [*given.strides], given.dtype.str, 0)
        if (shape, strides, elements, offset) == layout:
            return given
        if not given.flags.c_contiguous:
            raise NotPlain("it takes a part of an array that is not one piece")
        octets = np.asarray(given).reshape(-1).view(np.uint8)
        return np.ndarray(tuple(shape), elements, octets, offset, tuple(strides)).view(type(given))


DONE: dict[str, Callable[..., None]] = {
    "launch": Again._launch,
    "synchronize": Again._synchronize,
    "host_function": Again._host_function,
    "all": lambda _: streams.synchronize(),
    "copy": Again._copy,
    "read": Again._read,
    "write": Again._write,
    "event record": lambda again, event, stream: again._event(event).record(again._stream(stream)),
    "event wait": lambda again, event, stream: again._event(event).wait(again._stream(stream)),
    "event synchronize": lambda again, event, _: again._event(event).synchronize(),
    "event query": lambda again, event, _: again._event(event).query(),
}
