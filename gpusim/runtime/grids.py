"""Which grids exist, and who runs next? A launch from the host is *submit* and *drain*.

A grid begins when all that it comes after are over. Where several could run, those of one kernel run side by
side in one batch, and the others in turn: none of them can tell.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from threading import RLock
from typing import NamedTuple

from gpusim.events import Observer
from gpusim.machine.batch import Turn
from gpusim.machine.configuration import Configuration
from gpusim.machine.device_state import DeviceState
from gpusim.machine.grid import Grid

STEPS_IN_A_ROW = 16

BlocksDone = Callable[[], int]
Look = Callable[[BlocksDone], None]


@dataclass(eq=False)
class Submitted:
    """A launch on its way, for others to wait for."""

    over: bool = False


class Waiting(NamedTuple):
    """What is launched when all of `after` are over, and who may follow it."""

    submitted: Submitted
    configuration: Configuration
    observers: tuple[Observer, ...]
    after: tuple[Submitted, ...]


class Grids:
    """The grids of one device, whose `state` they change. Hold `lock` to submit and drain in one go."""

    def __init__(self, state: DeviceState) -> None:
        self.state = state
        self._waiting: list[Waiting] = []
        self._running: deque[tuple[Grid, list[Submitted]]] = deque()
        self._blocks_done = 0
        self.lock = RLock()

    def submit(
        self,
        configuration: Configuration,
        observers: Iterable[Observer] = (),
        after: Iterable[Submitted] = (),
    ) -> Submitted:
        """Give the device a grid to run once all of `after` are over."""
        submitted = Submitted()
        unfinished = tuple(one for one in after if not one.over)
        self._waiting.append(Waiting(submitted, configuration, tuple(observers), unfinished))
        return submitted

    def unfinished(self) -> tuple[Submitted, ...]:
        """What was submitted, and is not over."""
        running = [one for _grid, ones in self._running for one in ones]
        return (*running, *(one.submitted for one in self._waiting))

    def drain(self, look: Look | None = None) -> None:
        """Run until nothing is left. What goes wrong in one grid is raised, and ends them all.

        Now and then `look` is given a function that counts the thread blocks that are done.
        """
        with self.lock:
            waits = self._blocks_done = 0
            try:
                while self._waiting or self._running:
                    self._begin()
                    turn = self._turn(look)
                    waits = waits + 1 if turn is Turn.WAITS else 0
                    if waits and waits == len(self._running):
                        stuck = self._running[0][0].stuck
                        assert stuck is not None
                        raise stuck
            except KeyboardInterrupt:
                told = KeyboardInterrupt(self._running[0][0].interrupted() if self._running else "")
                self._abandon(told)
                raise told from None
            except BaseException as error:
                self._abandon(error)
                raise

    def _begin(self) -> None:
        """Start every grid that nobody keeps waiting."""
        ready: list[Waiting] = []
        waiting: list[Waiting] = []
        for one in self._waiting:
            held = any(not before.over for before in one.after) if one.after else False
            (waiting if held else ready).append(one)
        self._waiting = waiting
        kernels: dict[object, list[Waiting]] = {}
        for number, one in enumerate(ready):
            alone = one.configuration.stands_alone
            kernels.setdefault(number if alone else one.configuration.kind, []).append(one)
        try:
            for alike in kernels.values():
                self._start(alike)
        except BaseException:
            self._waiting += ready  # whom an observer refused, nobody waits for in vain
            raise

    def _start(self, alike: Sequence[Waiting]) -> None:
        """Start launches of one kernel: as one, if there are several and their arrays allow it."""
        if len(alike) > 1:
            configurations, observers = [one.configuration for one in alike], [one.observers for one in alike]
            grid = Grid.side_by_side(configurations, self.state, observers)
            if grid is not None:
                self._running.append((grid, [one.submitted for one in alike]))
                return
        for one in alike:
            grid = Grid.of(one.configuration, self.state, one.observers)
            self._running.append((grid, [one.submitted]))

    def _turn(self, look: Look | None) -> Turn:
        """Let the grid that waited longest run some steps. One that is in the midst of a step is not here."""
        grid, ones = self._running.popleft()
        try:
            turn = grid.step(STEPS_IN_A_ROW)
            while turn is Turn.RAN and len(ones) > 1:  # nobody else may use what they use
                turn = grid.step(STEPS_IN_A_ROW)
            if look is not None:
                look(lambda: self._blocks_done + grid.blocks_over)
        except BaseException:
            self._running.appendleft((grid, ones))
            raise
        if turn is Turn.OVER:
            self._blocks_done += grid.blocks_over
            for one in ones:
                one.over = True
            grid.close()
        else:
            self._running.append((grid, ones))
        return turn

    def _abandon(self, error: BaseException) -> None:
        """Nobody runs on: all grids that began end with this error."""
        running, self._running, waiting, self._waiting = self._running, deque(), self._waiting, []
        for one in waiting:
            one.submitted.over = True
        for grid, submitted in running:
            for ended in submitted:
                ended.over = True
            grid.close(error)
