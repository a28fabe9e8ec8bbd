"""Which parameters lie in a buffer, and which others may the reader put there? For the parameter packer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gpusim.reports.report import Report, Titled


@dataclass(frozen=True, slots=True)
class PackedMember(Report):
    """`count` numbers or addresses of `size` bytes, side by side from byte `offset` of their parameter on.

    `values` and `octets`, the bytes in hexadecimal in the order of memory: one for all, or one for each.
    """

    name: str
    type: str
    offset: int
    size: int
    count: int
    values: tuple[str, ...]
    octets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Layout(Report):
    """Bytes of a parameter, the multiple at which it begins, and what it is made of."""

    size: int
    alignment: int
    members: tuple[PackedMember, ...]


@dataclass(frozen=True, slots=True)
class PackableType(Report):
    """A type with a value, at 64-bit addresses and at 32-bit ones; `label` shows what a struct has in it."""

    name: str
    label: str
    wide: Layout
    narrow: Layout


@dataclass(frozen=True, slots=True)
class PackableParameter(Report):
    """A parameter as it is at first."""

    name: str
    type: PackableType


@dataclass(frozen=True, slots=True, repr=False)
class ParameterPacking(Titled):
    """Parameters in the order of their kernel, types to choose from, and the address of the buffer.

    `most_bytes`: what a buffer may have under CDP1, and under CDP2. `says`: a sentence for each parameter,
    and what becomes of all, at `address_bits`.
    """

    view: ClassVar[str] = "parameter_packer"
    address_bits: int
    base: str
    base_alignment: int
    most_bytes: tuple[int, int]
    parameters: tuple[PackableParameter, ...]
    types: tuple[PackableType, ...]
    says: tuple[str, ...]
