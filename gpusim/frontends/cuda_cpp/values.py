"""What can an expression be? A value in registers, or a place that can be read and assigned to.

A pointer is not one number while compiling: it is a piece of memory and how far into it, so that an access is
of the array that the reader named. Only pointers that may point into different arrays become addresses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from gpusim.frontends.cuda_cpp.types import Bits, CType, Pointer, Struct
from gpusim.ir.instructions import ArrayOperand, Operand, Register


@dataclass(frozen=True)
class Address:
    """`region` + the sum of index · stride + `shift`, in bytes.

    The region is an array; or a variable that lives in registers; or None, and the terms hold a 64-bit
    address. No region and no term is a null pointer.
    """

    region: ArrayOperand | Place | None
    terms: tuple[tuple[Operand, int], ...] = ()
    shift: int = 0

    @property
    def is_null(self) -> bool:
        """Is it known to be null?"""
        return self.region is None and not self.terms and not self.shift

    def moved(self, bytes_: int) -> Address:
        """Further on by a constant."""
        return replace(self, shift=self.shift + bytes_)


NULL = Address(None)


@dataclass(frozen=True)
class NumberValue:
    """A number, an enumerator, or the number of a function."""

    type: CType
    operand: Operand


@dataclass(frozen=True)
class PointerValue:
    """A pointer."""

    type: Pointer
    address: Address


LeafValue = NumberValue | PointerValue


@dataclass(frozen=True)
class StructValue:
    """A struct in registers: its numbers and pointers in order of their place (`types.leaves`)."""

    type: Struct
    leaves: tuple[LeafValue, ...]


@dataclass(frozen=True)
class VoidValue:
    """What a function without a result gives."""

    type: CType


@dataclass(frozen=True)
class FunctionValue:
    """A function before it is called; `this` is the object of a method."""

    declaration: Any
    this: Place | None = None
    type = None


@dataclass(frozen=True)
class TextValue:
    """A string literal; only `printf` and `assert` take one."""

    type: CType
    text: str


Captured = tuple[Any, CType, int]  # a variable, or None for `this`; its type, and its offset in the object
Value = NumberValue | PointerValue | StructValue | VoidValue | FunctionValue | TextValue


@dataclass(eq=False)
class Variable:
    """A number or pointer in a register. A pointer counts `unit` bytes from the start of its `region`.

    A `generic` one holds an address. `owner` is the key of the variable that this is, or is a member of.
    """

    name: str
    type: CType
    key: Any
    register: Register | None = None
    region: Any = None
    unit: int = 1
    generic: bool = False
    owner: Any = None


@dataclass(frozen=True)
class RegisterPlace:
    """A variable."""

    type: CType
    variable: Variable


@dataclass(frozen=True)
class StructPlace:
    """A struct whose numbers and pointers are variables, in order of their place."""

    type: CType
    leaves: tuple[RegisterPlace, ...]
    key: Any = None


@dataclass(frozen=True)
class MemoryPlace:
    """An object in memory."""

    type: CType
    address: Address


@dataclass(frozen=True)
class BitPlace:
    """A bit-field, in the places that hold its pieces."""

    type: CType
    bits: Bits
    units: tuple[Any, ...]


Place = RegisterPlace | StructPlace | MemoryPlace | BitPlace
Result = Value | Place


def is_place(result: Result) -> bool:
    """Can it be assigned to, and have its address taken?"""
    return isinstance(result, RegisterPlace | StructPlace | MemoryPlace | BitPlace)
