"""What is wrong with an access? Each kind of fault, and how it is told to the reader of the kernel.

Faults are raised where an access is about to happen, for all lanes of a step at once; the machine adds which
thread it was. `lanes`: bool (n, L), those that err; what else a fault holds is (n, L), (n, 1) or one value,
and `at` picks the value of the lane that the message is about.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from gpusim.errors import AccessError, MisalignedAccess, OutOfBounds, UseAfterFree
from gpusim.ir.instructions import Instruction, Kind, Opcode, Register
from gpusim.ir.types import Space

At = Callable[[Any], int]
GUARD = "guard it, for example with `if {index} < {limit}`"
ALIGNMENT = 'CUDA C++ Programming Guide, "Size and Alignment Requirement"'
GUARD_IN_C = "guard it, for example with `if (i < n)`"
NO_BYTES = "the launch gave `cuda.shared.array(0, dtype)` 0 bytes: write kernel[blocks, threads, 0, bytes](…)"


def did(instruction: Instruction) -> str:
    """What the access does, as the thread's deed."""
    if instruction.opcode.kind is Kind.ATOMIC:
        return "updates"
    return "writes" if instruction.opcode in (Opcode.STORE, Opcode.SUST) else "reads"


def past_the_end(instruction: Instruction, index: Any, length: int, guard: str) -> str:
    """What to do about an index beyond `length`? Guard it only where threads differ in it."""
    if not length:
        dynamic = instruction.array is not None and instruction.array.space is Space.SHARED
        return NO_BYTES if dynamic else "it has no elements"
    return guard if np.ptp(index) else f"its last index is {length - 1}"


def guard(instruction: Instruction, axis: int) -> str:
    """A test in the kernel's own names: `if row < x.shape[0]`. One that is called has its own for arrays."""
    place = instruction.place
    if place is None or instruction.span.caller is not None or not place.array.name.isidentifier():
        return GUARD.format(index="i", limit="n")
    index, limit = place.indices[axis], "size" if len(place.indices) == 1 else f"shape[{axis}]"
    name = index.name if isinstance(index, Register) and index.is_variable else "index"
    return GUARD.format(index=name, limit=f"{place.array.name}.{limit}")


class BadAccess(Exception):
    """An access to the array `name`. `error` is what the reader gets."""

    error: type[AccessError] = OutOfBounds

    def __init__(self, name: str, lanes: Any, instruction: Instruction, **about: Any) -> None:
        super().__init__(name)
        array = instruction.array
        anywhere = array is not None and array.space is Space.GENERIC and array.pointer
        self.name = "" if anywhere else name  # an address that was computed has no name
        self.lanes, self.instruction, self.about = lanes, instruction, about

    @property
    def of_array(self) -> str:
        """` of 'x'`, where the array is known."""
        return f" of {self.name!r}" if self.name else ""

    @abstractmethod
    def told(self, at: At) -> tuple[str, str, dict[str, Any]]:
        """What the thread did, what to do about it, and what else the error holds."""


class OutsideArray(BadAccess):
    """The `index` is not within its axis, of this `length`."""

    def told(self, at: At) -> tuple[str, str, dict[str, Any]]:
        index, length = at(self.about["index"]), at(self.about["length"])
        axis = f" along axis {self.about['axis']}" if self.about["dimensions"] > 1 else ""
        own = guard(self.instruction, self.about["axis"])
        hint = past_the_end(self.instruction, self.about["index"], length, own)
        if index < 0:
            hint = f"negative indices count from the end, back to -{length}"
        return (
            f"uses index {index} of {self.name!r}, whose length{axis} is {length}",
            hint,
            {"index": (index,)},
        )


class OutsideMemory(BadAccess):
    """A part of an array reaches beyond it: `first_bytes` is where within the array's memory, of `size`."""

    def told(self, at: At) -> tuple[str, str, dict[str, Any]]:
        first = at(self.about["first_bytes"])
        what = f"uses byte {first} of the {at(self.about['size'])} bytes that {self.name!r} is a part of"
        return what, "a view cannot be larger than its array", {"index": ()}


class Misaligned(BadAccess):
    """One of the `addresses` is not a multiple of the element's size, `width`."""

    error = MisalignedAccess
    hint = f"let the view begin at a multiple of {{width}} bytes ({ALIGNMENT})"

    def told(self, at: At) -> tuple[str, str, dict[str, Any]]:
        address, width = at(self.about["addresses"]), self.about["width"]
        what = (
            f"uses {width} bytes{self.of_array} at address {address:#x}, which is not a multiple of {width}"
        )
        return what, self.hint.format(width=width), {"address": address}


class MisalignedPointer(Misaligned):
    """The same, where a cast has made a pointer to something wider."""

    hint = (
        f"a pointer to {{width}} bytes, such as a cast makes, must hold a multiple of {{width}} ({ALIGNMENT})"
    )


class Freed(BadAccess):
    """The memory of the array was given back."""

    error = UseAfterFree

    def told(self, at: At) -> tuple[str, str, dict[str, Any]]:
        return f"uses {self.name!r}, whose memory was freed", "free it after the last kernel that uses it", {}


class BeyondMemory(BadAccess):
    """A pointer leaves its memory, `start` to `end`: `width` bytes at `bytes`, counted from the pointer."""

    def told(self, at: At) -> tuple[str, str, dict[str, Any]]:
        first, width = at(self.about["bytes"]), self.about["width"]
        start, end = at(self.about["start"]), at(self.about["end"])
        index = (first // width,) if first % width == 0 else ()
        element = f"{self.name}[{index[0]}], " if index and self.about["indexed"] else ""
        hint = past_the_end(self.instruction, self.about["bytes"], (end - start) // width, GUARD_IN_C)
        array = self.instruction.array
        if array is not None and len(array.shape) == 1 and hint == GUARD_IN_C and index:
            hint = f"its last index is {(end - start) // width - 1}"
        if first < start:
            hint = ""
            where = f"before its first byte, {start}" if start else "before its beginning"
        else:
            where = f"past the end of its {end - start} bytes"
            where += f", which lie at {start} to {end - 1}" if start and end > start else ""
        what = f"{did(self.instruction)} {element}{width} bytes at byte {first} of {self.name!r}, {where}"
        return what, hint, {"index": index}


class Null(BadAccess):
    """The kernel was given no memory, or an address that none ever has."""

    def told(self, at: At) -> tuple[str, str, dict[str, Any]]:
        pointer = f"{self.name!r}, a null pointer" if self.name else "a null pointer"
        what = f"{did(self.instruction)} {self.about['width']} bytes through {pointer}"
        if "addresses" in self.about and (address := at(self.about["addresses"])):
            what += f" and {address} bytes"
        return what, "pass an array, or test the pointer before you use it: `if (p)`", {"index": ()}


class Nowhere(BadAccess):
    """There is no memory at one of the `addresses`; `near(address)` says what lies next to it."""

    def told(self, at: At) -> tuple[str, str, dict[str, Any]]:
        address = at(self.about["addresses"])
        what = (
            f"{did(self.instruction)} {self.about['width']} bytes at address {address:#x}, where nothing is"
        )
        hint = GUARD_IN_C if np.ptp(self.about["addresses"]) else ""
        return f"{what}; {self.about['near'](address)}", hint, {"index": ()}


class FreedAddress(BadAccess):
    """What lay at one of the `addresses` was given back."""

    error = UseAfterFree

    def told(self, at: At) -> tuple[str, str, dict[str, Any]]:
        what = f"{did(self.instruction)} {self.about['width']} bytes at {at(self.about['addresses']):#x}"
        return f"{what}, whose memory was freed", "free it after the last kernel that uses it", {}


class ReadOnly(BadAccess):
    """What lies at one of the `addresses` cannot be changed."""

    def told(self, at: At) -> tuple[str, str, dict[str, Any]]:
        address = at(self.about["addresses"])
        what = f"{did(self.instruction)} {self.about['width']} bytes{self.of_array} at address {address:#x}"
        return f"{what}, which is read-only", "pass a copy", {"index": ()}


class WrongObject(BadAccess):
    """The handle of a texture or surface means nothing, or not what the access takes it for."""

    error = AccessError

    def told(self, at: At) -> tuple[str, str, dict[str, Any]]:
        at_byte = f" at byte {at(self.about['x'])}" if "x" in self.about else ""
        return self.about["what"] + at_byte, self.about["hint"], {}


class DestroyedObject(WrongObject):
    """It meant something once; or its memory was freed."""

    error = UseAfterFree


class OutsideSurface(BadAccess):
    """An access at byte `x` of row `y` that is not within the surface; `size`: bytes of a row, rows."""

    def told(self, at: At) -> tuple[str, str, dict[str, Any]]:
        x, y, (row, rows) = at(self.about["x"]), at(self.about["y"]), self.about["size"]
        where = f"at byte {x}" + f" of row {y}" * (rows > 1)
        what = f"{did(self.instruction)} {self.about['width']} bytes {where} of a surface of "
        what += f"{rows} rows of {row} bytes" if rows > 1 else f"{row} bytes"
        hint = GUARD_IN_C + ", or pass cudaBoundaryModeZero or cudaBoundaryModeClamp"
        return what, hint, {"index": (x, y)}
