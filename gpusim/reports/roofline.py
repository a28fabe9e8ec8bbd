"""How much does a kernel compute for each byte that it moves, and what would the device allow it?"""

from __future__ import annotations

from dataclasses import dataclass

from gpusim.reports.report import Drawn, Report


@dataclass(frozen=True, slots=True)
class Limit(Report):
    """The most that a device does in a second: operations on floats, or bytes of one of its memories."""

    name: str
    most: float
    says: str


@dataclass(frozen=True, slots=True)
class RooflineDevice(Report):
    """The roofs of a device; `source` says where its figures are from."""

    name: str
    compute: tuple[Limit, ...]
    levels: tuple[Limit, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Place(Report):
    """Where a kernel lies for one level of memory; None where it computes nothing, or moves nothing there.

    `intensity`: operations on floats per byte; `attainable`: what the lower of the two roofs over it allows,
    operations per second; `bytes`: per second; `says`: all that in a sentence.
    """

    intensity: float | None
    attainable: float | None
    bytes: float
    says: str


@dataclass(frozen=True, slots=True)
class RooflinePoint(Report):
    """A run. `places` are in the order of its device's levels; `performance`: operations per second."""

    label: str
    device: str
    performance: float
    says: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class RooflineReport(Drawn):
    """Runs, and the roofs of their devices and of others."""

    variants: tuple[RooflinePoint, ...]
    devices: tuple[RooflineDevice, ...]
