"""What do built-in functions need of the front-end while they are lowered? A builder, casts, and memory."""

from __future__ import annotations

from typing import Any, Protocol

from gpusim.devices import Device
from gpusim.frontends.cuda_cpp import layout
from gpusim.frontends.cuda_cpp.types import CType
from gpusim.frontends.cuda_cpp.values import Address, NumberValue, PointerValue, Value
from gpusim.frontends.site import Site
from gpusim.ir.builder import Builder
from gpusim.ir.details import CacheOperator, Callee
from gpusim.ir.instructions import Constant, Kind, Opcode, Operand, Place
from gpusim.ir.types import PRED, Scalar
from gpusim.source import Span


class Lowering(Protocol):
    """The front-end, while it lowers a kernel for `device`."""

    builder: Builder
    device: Device
    warp_size: int

    def site(self, span: Span) -> Site:
        """Where instructions that come from there go."""

    def cast(self, operand: Operand, scalar: Scalar, span: Span) -> Operand:
        """C's conversion of a number."""

    def load(self, address: Address, type: CType, span: Span, cache: CacheOperator | None = None) -> Value:
        """The object at an address."""

    def store(self, address: Address, value: Value, span: Span, cache: CacheOperator | None = None) -> None:
        """Write an object to an address."""

    def access(self, address: Address, element: Scalar, span: Span) -> Place:
        """The place of an element that an access at this address goes to."""

    def check_writable(self, address: Address, span: Span) -> None:
        """Refuse memory that kernels only read."""

    def letters_of(self, value: Value, span: Span) -> tuple[Operand, bytes]:
        """Where a text begins that is known at run time, and the letters of all texts."""

    def as_number(self, address: Address, span: Span) -> Operand:
        """An address as a 64-bit number."""


def scalar_of(type_: CType) -> Scalar:
    """How a register holds a number of this type."""
    scalar = layout.scalar_of(type_)
    assert scalar is not None, type_
    return scalar


def number(type_: CType, operand: Operand) -> NumberValue:
    """A number of this type."""
    return NumberValue(type_, operand)


def operand_of(value: Value) -> Operand:
    """The register or constant of a number."""
    assert isinstance(value, NumberValue), value
    return value.operand


def address_of(value: Value) -> Address:
    """Where a pointer points to."""
    assert isinstance(value, PointerValue), value
    return value.address


def store_through(lowering: Lowering, pointer: Value, value: Value, span: Span) -> None:
    """`*pointer = value`."""
    lowering.store(address_of(pointer), value, span)


def computed(
    lowering: Lowering,
    what: Opcode | str | None,
    scalar: Scalar,
    given: list[Operand],
    result: Scalar,
    span: Span,
) -> Operand:
    """An opcode in the type `scalar`, or a function of the library that gives a `result`."""
    if isinstance(what, str):
        return lowering.builder.value(Opcode.CALL, result, tuple(given), span, detail=Callee(what))
    if what is None:
        return lowering.cast(given[0], result, span)
    made = PRED if what.kind is Kind.COMPARE else scalar
    if what is Opcode.EXPONENT:
        return lowering.builder.value(what, result, tuple(given), span)
    value = lowering.builder.value(what, scalar, tuple(given), span, result=made)
    return value if made is result else lowering.cast(value, result, span)


def binary(lowering: Lowering, opcode: Opcode, one: Operand, other: Any, span: Span) -> Operand:
    """An opcode of two operands of one type; a Python number stands for a constant."""
    if isinstance(other, int):
        other = Constant(other, one.type)
    return lowering.builder.value(opcode, one.type, (one, other), span)
