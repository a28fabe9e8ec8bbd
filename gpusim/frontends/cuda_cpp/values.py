"""What can an expression be? A value in registers, or a place that can be read and assigned to.

A pointer is not one number while compiling: it is a piece of memory and how far into it, so that an access is
of the array that the reader named. Only pointers that may point into different arrays become addresses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from gpusim.frontends.cuda_cpp.types import VOID, Bits, CType, Pointer, Struct
from gpusim.ir.instructions import ArrayOperand, Constant, Operand, Register


@dataclass(eq=False)
class Slot:
    """A number or pointer of a variable, in a register. A `generic` pointer is an address there.

    Any other counts `unit` bytes from `base`, the beginning of an array, or is `base`, a place in a variable.
    """

    name: str
    type: CType
    key: Any
    register: Register
    unit: int = 1
    generic: bool = False
    base: Address | None = None


@dataclass(eq=False)
class Variable:
    """An object in registers: its numbers and pointers, by their places in it."""

    key: Any
    slots: dict[int, Slot]


@dataclass(eq=False)
class Parts:
    """A struct that is being put together: its numbers and pointers, by their places in it."""

    values: dict[int, LeafValue]


@dataclass(frozen=True)
class Address:
    """`region` + the sum of index · stride + `shift`, in bytes.

    The region is an array; or a variable that lives in registers, or what may become one; or None, and the
    terms hold a 64-bit address. No region and no term is a null pointer. What is `packed` is read and written
    byte by byte, for it may begin anywhere.
    """

    region: ArrayOperand | Variable | Parts | None
    terms: tuple[tuple[Operand, int], ...] = ()
    shift: int = 0
    packed: bool = False

    @property
    def is_null(self) -> bool:
        return self.region is None and not self.terms and not self.shift

    @property
    def in_registers(self) -> bool:
        """Is a variable there that lives in registers?"""
        return isinstance(self.region, Variable)

    def moved(self, bytes_: int) -> Address:
        """Further on by a constant."""
        return replace(self, shift=self.shift + bytes_) if bytes_ else self


NULL = Address(None)


def at(number: Operand) -> Address:
    """The address that a number says, which may be known to be null."""
    return NULL if number == Constant(0, number.type) else Address(None, ((number, 1),))


@dataclass(frozen=True)
class NumberValue:
    """A number, an enumerator, or the number of a function."""

    type: CType
    operand: Operand


@dataclass(frozen=True)
class PointerValue:
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

    type: CType = VOID


@dataclass(frozen=True)
class FunctionValue:
    """A function before it is called; `this` is the object of a method."""

    declaration: Any
    this: Place | None = None
    type = VOID


@dataclass(frozen=True)
class TextValue:
    """A string literal; only `printf` and `assert` take one."""

    type: CType
    text: str


@dataclass(frozen=True)
class Place:
    """An object, or a bit-field (whose type is `Bits`) of the object there."""

    type: CType
    address: Address

    @property
    def in_registers(self) -> bool:
        """Is it a variable that lives in registers, or a part of one?"""
        return self.address.in_registers

    def part(self, offset: int, type_: CType) -> Place:
        """What lies so many bytes on; perhaps the whole, seen as another type."""
        packed = type_.alignment > self.type.alignment and not isinstance(self.type, Bits)
        address = self.address.moved(offset)
        return Place(type_, replace(address, packed=True) if packed else address)


Captured = tuple[Any, CType, int]  # a variable, or None for `this`; its type, and its offset in the object
Value = NumberValue | PointerValue | StructValue | VoidValue | FunctionValue | TextValue
Result = Value | Place
Results = Sequence[Result]


def pointed_to(result: Result) -> list[Address]:
    """Where the pointers in a value, or in a variable in registers, point to."""
    match result:
        case PointerValue(_, address):
            return [address]
        case StructValue(_, leaves):
            return [leaf.address for leaf in leaves if isinstance(leaf, PointerValue)]
        case Place(_, Address(Variable(_, slots))):
            return [slot.base for slot in slots.values() if slot.base is not None]
    return []
