"""Which grids exist, and who runs next? A launch from the host is *submit* and *drain*.

A grid begins when all that it comes after are over. Where several could run, those of one kernel whose arrays
lie in the same allocations run side by side in one batch, and the others in turn. Unless one uses what
another writes, each leaves what it leaves alone, and its observers are told the same. An error ends them all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from threading import RLock
from typing import NamedTuple

from gpusim.errors import LaunchError
from gpusim.events import Observer
from gpusim.machine.batch import Turn
from gpusim.machine.configuration import Configuration
from gpusim.machine.device_state import DeviceState
from gpusim.machine.grid import Grid
from gpusim.machine.memory.side_by_side import shared_places

STEPS_IN_A_ROW = 16

BlocksDone = Callable[[], int]
Look = Callable[[BlocksDone], None]


@dataclass(eq=False)
class Submitted:
    """A launch on its way. Its `followers` begin when all that they are `missing` are over."""

    over: bool = False
    missing: int = 0
    followers: list[Waiting] = field(default_factory=list)


class Waiting(NamedTuple):
    """What was submitted, and who may follow it."""

    submitted: Submitted
    configuration: Configuration
    observers: tuple[Observer, ...]


class Running(NamedTuple):
    """A grid that runs, or several as one."""

    grid: Grid
    submitted: Sequence[Submitted]


class Grids:
    """The grids of one device, whose `state` they change. Hold `lock` from submit to drain, or abandon."""

    def __init__(self, state: DeviceState) -> None:
        self.state = state
        self._unfinished: dict[Submitted, None] = {}
        self._ready: list[Waiting] = []
        self._running: deque[Running] = deque()
        self._busy: list[Sequence[Submitted]] = []  # in mid-step, of which an observer launches more
        self._blocks_done = 0
        self.lock = RLock()

    def submit(
        self,
        configuration: Configuration,
        observers: Iterable[Observer] = (),
        after: Iterable[Submitted] = (),
    ) -> Submitted:
        """Give the device a grid to run once all of `after` are over that it is not launched from."""
        with self.lock:
            submitted = Submitted()
            waiting = Waiting(submitted, configuration, tuple(observers))
            self._unfinished[submitted] = None
            callers = self._in_mid_step()
            for one in after:
                if not one.over and one not in callers:
                    one.followers.append(waiting)
                    submitted.missing += 1
            if not submitted.missing:
                self._ready.append(waiting)
            return submitted

    def _in_mid_step(self) -> dict[Submitted, None]:
        return dict.fromkeys(submitted for busy in self._busy for submitted in busy)

    def unfinished(self) -> tuple[Submitted, ...]:
        """What was submitted, and is not over."""
        return tuple(self._unfinished)

    def drain(self, look: Look | None = None) -> None:
        """Run until nothing is left. What goes wrong in one grid is raised, and ends them all.

        Now and then `look` is given a function that counts the thread blocks that are done.
        """
        with self.lock:
            waits = self._blocks_done = 0
            try:
                while self._ready or self._running:
                    self._begin()
                    turn, left = self._turn(look), len(self._running)
                    waits = waits + 1 if turn is Turn.WAITS or (turn is Turn.COUNTS and left == 1) else 0
                    if waits and waits == left:
                        reason = self._running[0].grid.stuck
                        assert reason is not None
                        raise reason
                if self._unfinished.keys() - self._in_mid_step():
                    raise LaunchError("launches wait for work that this device was never given")
            except KeyboardInterrupt:
                told = KeyboardInterrupt(self._running[0].grid.interrupted() if self._running else "")
                self.abandon(told)
                raise told from None
            except BaseException as error:
                self.abandon(error)
                raise

    def _begin(self) -> None:
        """Start every grid that nobody keeps waiting; those of one kernel as one, if their arrays allow."""
        if not self._ready:
            return
        ready, self._ready = self._ready, []
        self._busy.append([one.submitted for one in ready])
        try:
            self._start(ready)
        finally:
            self._busy.pop()

    def _start(self, ready: Sequence[Waiting]) -> None:
        kernels: dict[object, list[Waiting]] = {}
        for number, one in enumerate(ready):
            alone = one.configuration.stands_alone
            kernels.setdefault(number if alone else one.configuration.kind, []).append(one)
        for alike in kernels.values():
            places = None
            if len(alike) > 1:
                places = shared_places([one.configuration for one in alike], self.state.memory)
            for group in [[one] for one in alike] if places is None else [alike]:
                submitted, configurations, observers = zip(*group, strict=True)
                grid = Grid(configurations, self.state, observers, places)
                self._running.append(Running(grid, submitted))

    def _turn(self, look: Look | None) -> Turn:
        """Let the grid that waited longest run some steps."""
        running = self._running.popleft()
        self._busy.append(running.submitted)
        try:
            turn = running.grid.step(STEPS_IN_A_ROW)
        finally:
            self._busy.pop()
            self._running.appendleft(running)
        if look is not None:
            look(lambda: self._blocks_done + running.grid.blocks_over)
        self._running.popleft()
        if turn is Turn.OVER:
            self._finish(running)
        else:
            self._running.append(running)
        return turn

    def _finish(self, running: Running) -> None:
        self._blocks_done += running.grid.blocks_over
        for one in running.submitted:
            one.over = True
            del self._unfinished[one]
            for follower in one.followers:
                follower.submitted.missing -= 1
                if not follower.submitted.missing:
                    self._ready.append(follower)
        running.grid.close()

    def abandon(self, error: BaseException) -> None:
        """Nobody runs on who can: all grids that began end with this error, whatever observers make of it."""
        ending, kept = self._running, self._in_mid_step()
        for submitted in self._unfinished.keys() - kept:
            submitted.over = True
        self._unfinished, self._ready, self._running = kept, [], deque()
        with ExitStack() as telling:
            for running in reversed(ending):
                telling.callback(running.grid.close, error)
