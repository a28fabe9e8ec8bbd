"""What becomes of the grids that a launch of the host leads to? The runtime tells who follows the tree.

Grids have numbers, in the order in which they were launched. What has the same `tick` happens at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal, NamedTuple

from gpusim.devices.device import Dim3
from gpusim.events import GridLaunched
from gpusim.ir.launched import LaunchedBy
from gpusim.source import Span

Why = Literal["stream", "event", "parent", "tail"]


class Argument(NamedTuple):
    """What a parameter got: of which type, and its value, or the part of which array of the parent."""

    name: str
    type: str
    value: str


class Blocker(NamedTuple):
    """A grid that another begins after, and why: it is before it in its "stream", an "event" stands for it,
    its threads are the "parent" that must leave, or it is the parent of a "tail" launch, over but for that.
    """

    grid: int
    why: Why


@dataclass(frozen=True, slots=True)
class Moment:
    """Something happens to grid number `grid`."""

    grid: int
    tick: int


@dataclass(frozen=True, slots=True)
class Launched(Moment):
    """A thread of grid number `parent`, or the host (None), launches it; with an `error` it does not come
    about. `shared_bytes` are dynamic; `of_block`: the number of the block that launches.
    """

    parent: int | None
    by: LaunchedBy | None
    of_block: int
    kernel: str
    extents: Dim3
    block: Dim3
    shared_bytes: int
    cdp: int
    arguments: tuple[Argument, ...] = ()
    after: tuple[Blocker, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class Began(Moment):
    """Its threads begin; `told` is what observers were told of it."""

    told: GridLaunched | None


@dataclass(frozen=True, slots=True)
class ThreadsLeft(Moment):
    """All its threads have left."""


@dataclass(frozen=True, slots=True)
class Over(Moment):
    """It is over, with all that it led to."""


@dataclass(frozen=True, slots=True)
class Synchronizes(Moment):
    """A thread of one of its blocks waits until the grids that the block has launched are over."""

    block: int
    span: Span


@dataclass(frozen=True, slots=True)
class Failed(Moment):
    """It did what ends all grids."""

    error: BaseException


class TreeObserver(ABC):
    """An observer that also follows what becomes of all grids."""

    @abstractmethod
    def told(self, moment: Moment) -> None:
        """Take the next moment."""
