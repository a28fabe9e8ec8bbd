"""How do a kernel's parameters lie in the buffer of a launch? One after the other, byte by byte."""

from __future__ import annotations

from dataclasses import dataclass

from gpusim.reports.report import Figures, Report, Titled


@dataclass(frozen=True, slots=True)
class PackedNumber(Report):
    """A number or address of a parameter: `.x` of a struct, its first byte in the buffer, its value."""

    name: str
    type: str
    offset: int
    size: int
    value: str


@dataclass(frozen=True, slots=True)
class PackedParameter(Report):
    """One parameter: `offset` is its first byte, a multiple of its `alignment`, behind `padding` unused ones.

    `octets`: its bytes, those between the members of a struct as 0.
    """

    name: str
    type: str
    offset: int
    size: int
    alignment: int
    padding: int
    octets: tuple[int, ...]
    numbers: tuple[PackedNumber, ...]


@dataclass(frozen=True, slots=True)
class ParameterBufferReport(Titled):
    """All parameters in their order: `size` bytes of the `most_bytes` that a buffer may have under CDP `cdp`.

    `alignment`: what to ask of `cudaGetParameterBuffer`; a buffer begins at a multiple of `base_alignment`.
    """

    address_bits: int
    cdp: int
    size: int
    most_bytes: int
    alignment: int
    base_alignment: int
    parameters: tuple[PackedParameter, ...]

    def __getitem__(self, name: str) -> PackedParameter:
        found: PackedParameter = Figures((one.name, one) for one in self.parameters)[name]
        return found

    @property
    def octets(self) -> tuple[int | None, ...]:
        """Every byte of the buffer; None between parameters."""
        found: list[int | None] = []
        for one in self.parameters:
            found += [*[None] * one.padding, *one.octets]
        return tuple(found)

    @property
    def padding(self) -> int:
        """Bytes between parameters."""
        return sum(one.padding for one in self.parameters)
