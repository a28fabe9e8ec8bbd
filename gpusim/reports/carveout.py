"""Which split of shared memory and L1 does a kernel get, whatever it prefers? For the carve-out explorer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypedDict

from gpusim.reports.report import Drawn, Report


class Request(TypedDict, total=False):
    """What is shown first: a block's bytes and threads, the preferred percentage, and `cudaFuncCache`."""

    shared_bytes: int
    threads: int
    percent: int
    cache_config: str


class Size(NamedTuple):
    """Bytes, and how they are written."""

    bytes: int
    text: str


class Capacity(NamedTuple):
    """A split that the device offers: bytes of shared memory, and how these and what is left are written."""

    bytes: int
    shared: str
    l1: str


class CacheConfig(NamedTuple):
    """A legacy preference, and what it says."""

    name: str
    text: str


class BlockShared(NamedTuple):
    """What a block takes, `reserved` included; and whether its kernel must opt in for it, or is refused."""

    bytes: int
    text: str
    verdict: Literal["", "opt_in", "refused"]
    reserved: int


class Case(NamedTuple):
    """Blocks that the other limits allow, those that fit each capacity, and the choice for each preference.

    The choices are two texts with one character a preference, a digit to the base 36: the number of the
    capacity, and the number of the reason among `CarveoutReport.reasons`.
    """

    others: int
    fitting: tuple[int, ...]
    capacities: str
    reasons: str


class Measured(NamedTuple):
    """What a real GPU took where the rule says something else: places of the request, and of the capacity.

    It was recorded with blocks of so many threads.
    """

    shared: int
    threads: int
    preference: int
    capacity: int
    recorded_threads: int


class Start(NamedTuple):
    """What is shown first: places in `shared`, `threads`, `percents` and `configs`."""

    shared: int
    threads: int
    percent: int
    config: int


@dataclass(frozen=True, slots=True)
class CarveoutVariant(Report):
    """One device. Preferences are the percentages and then, without the first, the legacy ones.

    `limits`: of a block, without and with opting in. `wanted`: what each preference comes to before it is
    rounded. `cases[shared][threads]`: None where no block of so many threads is resident.
    `occupancy[threads]`: per cent, by the number of blocks. `hits`: of the loads of `CarveoutReport.hits_of`,
    the per cent that L1 has under each capacity, None where nobody gets it.
    """

    label: str
    device: str
    unified: Size
    configurable: bool
    capacities: tuple[Capacity, ...]
    limits: tuple[str, str]
    wanted: tuple[Size | None, ...]
    blocks: tuple[BlockShared, ...]
    cases: tuple[tuple[Case | None, ...], ...]
    occupancy: tuple[tuple[float, ...], ...]
    measured: tuple[Measured, ...]
    hits: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class CarveoutReport(Drawn):
    """Devices to choose among, and everything that a kernel may ask of them."""

    view: ClassVar[str] = "carveout_explorer"
    variants: tuple[CarveoutVariant, ...]
    registers_per_thread: int
    shared: tuple[str, ...]
    threads: tuple[int, ...]
    percents: tuple[int, ...]
    configs: tuple[CacheConfig, ...]
    sentences: Mapping[str, str]
    reasons: tuple[str, ...]
    start: Start
    hits_of: str = ""
