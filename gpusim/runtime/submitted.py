"""What waits for what? A launch on its way, and the tree of launches that began with one of the host."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gpusim.events import Observer
from gpusim.ir.device_errors import DeviceError
from gpusim.ir.launched import NAMED, NULL, LaunchedBy
from gpusim.machine.configuration import Configuration
from gpusim.machine.memory.address_space import Allocation
from gpusim.runtime.parameter_buffers import Buffers
from gpusim.source import Span
from gpusim.tree_events import Moment, TreeObserver


@dataclass(eq=False)
class Submitted:
    """A launch on its way. Its `followers` begin when all that they are `missing` are over.

    It is over itself when its threads have left, its `children` are over, which its threads launched (so many
    are not), and last the `tails`, one after the other. Children that are `held` begin when its threads have
    left. `streams`: its blocks' default streams, by block. `pending`: launches that count until it is over.
    `number`: by which those who follow its tree know it. `by`: who launched it, None where the host did.
    """

    tree: Tree = field(default_factory=lambda: Tree())
    parent: Submitted | None = None
    over: bool = False
    missing: int = 0
    followers: list[Waiting] = field(default_factory=list)
    threads_left: bool = False
    children: int = 0
    held: list[Waiting] = field(default_factory=list)
    tails: deque[Waiting] = field(default_factory=deque)
    streams: dict[int, DeviceStream] = field(default_factory=dict)
    pending: int = 0
    unfinished: dict[int, int] = field(default_factory=Counter)  # children that are not over, by block
    block: int = 0  # of the parent
    number: int = 0
    by: LaunchedBy | None = None


class Waiting(NamedTuple):
    """What was submitted, and who may follow it."""

    submitted: Submitted
    configuration: Configuration
    observers: tuple[Observer, ...]


@dataclass(eq=False)
class DeviceStream:
    """A queue of one thread block's launches: what its next one comes after.

    `by_event`: those of `last` for which it waits by events, in other streams.
    """

    owner: Submitted
    block: int
    name: str = NAMED[NULL]
    last: tuple[Submitted, ...] = ()
    by_event: tuple[Submitted, ...] = ()
    destroyed: bool = False

    @property
    def before_next(self) -> tuple[Submitted, ...]:
        """What is not over of it."""
        return tuple(one for one in self.last if not one.over)

    def wait_for(self, event: DeviceEvent) -> None:
        """Its next launch comes after what the event stands for, too."""
        more = tuple(one for one in event.after if one not in self.last)
        self.last, self.by_event = (*self.last, *more), (*self.by_event, *more)

    def add(self, one: Submitted) -> None:
        """It has one more, which comes after all before."""
        self.last, self.by_event = (one,), ()


@dataclass(eq=False)
class DeviceEvent:
    """What a stream had been given when the event was recorded, for another to wait for."""

    owner: Submitted
    block: int
    after: tuple[Submitted, ...] = ()
    destroyed: bool = False


@dataclass(eq=False)
class Tree:
    """A launch of the host with all that it leads to.

    `pending` launches count against the limit, the host's own among them. `failed`: how many launches by
    their error, and where the first was; `unread`: how many threads left with an error that they did not ask
    for. `lent`: arrays of the host that have an address meanwhile. With a seed, `random` draws who begins
    early, and `patience` says how often one that may begin lets others have a turn. `buffers`: of parameters,
    which kernels fill in. `followers` are told what becomes of its grids.
    """

    random: np.random.Generator | None = None
    patience: float = 0.0
    pending: int = 1
    streams: dict[int, DeviceStream] = field(default_factory=dict)
    events: dict[int, DeviceEvent] = field(default_factory=dict)
    failed: dict[DeviceError, tuple[int, Span]] = field(default_factory=dict)
    unread: Counter[DeviceError] = field(default_factory=Counter)
    lent: list[Allocation] = field(default_factory=list)
    buffers: Buffers = field(default_factory=Buffers)
    followers: Sequence[TreeObserver] = ()

    def tell(self, moment: Moment) -> None:
        """Tell who follows."""
        for follower in self.followers:
            follower.told(moment)
