"""Which grids exist, and who runs next? A launch from the host is *submit* and *drain*.

A grid begins when all that it comes after are over. Where several could run, those of one kernel whose arrays
lie in the same allocations run side by side in one batch, and the others in turn. Unless one uses what
another writes, each leaves what it leaves alone, and its observers are told the same. An error ends them all.

A grid that a kernel launches begins when the threads of its parent have left, or where these get no further
without it; with a seed, perhaps at once, before its thread goes on, or long after others that may begin, too.
Its parent is over when it is.
"""

from __future__ import annotations

import itertools
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from threading import RLock
from typing import NamedTuple

import numpy as np

from gpusim.errors import GpuSimError, LaunchError
from gpusim.events import Observer
from gpusim.ir.device_errors import REMEDIES
from gpusim.ir.parameters import MOST_BYTES
from gpusim.machine.batch import Turn
from gpusim.machine.configuration import Configuration
from gpusim.machine.device_state import DeviceState
from gpusim.machine.grid import Grid
from gpusim.machine.memory.lending import lend
from gpusim.machine.memory.side_by_side import shared_places
from gpusim.runtime.device_launch import Launches
from gpusim.runtime.submitted import Submitted, Tree, Waiting
from gpusim.runtime.told_arguments import arguments_of
from gpusim.tree_events import Began, Failed, Launched, Over, ThreadsLeft, TreeObserver

STEPS_IN_A_ROW = 16
LATE = 0.5  # with a seed: of children until their parent's threads have left
EARLY = 0.75  # of launches whose children may get on before the thread does
PATIENCE = (LATE, LATE, 0.97, 0.998)  # of those that are ready, a turn: about 2, 33 or 500 in all
MOST_NESTED, STEPS_AT_ONCE = 8, 256

BlocksDone = Callable[[], int]
Look = Callable[[BlocksDone], None]


class DeviceLaunchWarning(UserWarning):
    """A kernel's launches did not come about, and no thread of it asked."""


class Running(NamedTuple):
    """A grid that runs, or several as one."""

    grid: Grid
    submitted: Sequence[Submitted]


def _of_the_host(running: Running) -> int:
    """How many blocks are done of what the host launched?"""
    return running.grid.blocks_over if running.submitted[0].parent is None else 0


class Grids:
    """The grids of one device, whose `state` they change. Hold `lock` from submit to drain, or abandon."""

    def __init__(self, state: DeviceState) -> None:
        self.state = state
        self._unfinished: dict[Submitted, None] = {}
        self._ready: list[Waiting] = []
        self._running: deque[Running] = deque()
        self._busy: list[Sequence[Submitted]] = []  # in mid-step, of which an observer launches more
        self._blocks_done = 0
        self._failed: list[Tree] = []
        self._numbers = itertools.count()
        self._told: GpuSimError | None = None
        self.lock = RLock()

    def submit(
        self,
        configuration: Configuration,
        observers: Iterable[Observer] = (),
        after: Iterable[Submitted] = (),
    ) -> Submitted:
        """Give the device a grid to run once all of `after` are over that it is not launched from."""
        with self.lock:
            submitted = Submitted(self._tree(configuration), number=next(self._numbers))
            waiting = Waiting(submitted, configuration, tuple(observers))
            self._tell_of(submitted, waiting)
            self._unfinished[submitted] = None
            callers = self._in_mid_step()
            for one in after:
                if not one.over and one not in callers:
                    one.followers.append(waiting)
                    submitted.missing += 1
            if not submitted.missing:
                self._ready.append(waiting)
            return submitted

    def _tell_of(self, submitted: Submitted, waiting: Waiting) -> None:
        """Tell who follows of a launch by the host."""
        one, tree = waiting.configuration, submitted.tree
        tree.followers = [each for each in waiting.observers if isinstance(each, TreeObserver)]
        if tree.followers:
            shape = one.function.name, one.grid, one.block, one.dynamic_shared_bytes
            told = arguments_of(one, None)
            tree.tell(Launched(submitted.number, next(self._numbers), None, None, 0, *shape, one.cdp, told))

    def _tree(self, configuration: Configuration) -> Tree:
        """What a launch of the host may lead to."""
        seed, tree = configuration.seed, Tree()
        if configuration.function.asks_runtime:
            if seed is not None:
                tree.random = np.random.default_rng(seed)
                tree.patience = float(tree.random.choice(PATIENCE))
            arrays = (one for one in configuration.arguments if isinstance(one, np.ndarray))
            tree.lent = lend(arrays, self.state.memory)
        return tree

    def _submit_child(self, waiting: Waiting, after: Sequence[Submitted]) -> bool:
        """Run a thread's launch once all of `after` are over. Do its parent's threads keep it waiting?"""
        submitted = waiting.submitted
        parent, random = submitted.parent, submitted.tree.random
        assert parent is not None
        parent.children += 1
        parent.unfinished[submitted.block] += 1
        self._unfinished[submitted] = None
        for one in after:
            one.followers.append(waiting)
        submitted.missing = len(after)
        is_held = random is None or random.random() < LATE
        if is_held:
            submitted.missing += 1
            parent.held.append(waiting)
        elif not submitted.missing:
            self._ready.append(waiting)
        return is_held

    def _in_mid_step(self) -> dict[Submitted, None]:
        """Those whose threads run just now, and from whose threads these were launched."""
        found: dict[Submitted, None] = {}
        for one in (submitted for busy in self._busy for submitted in busy):
            found[one] = None
            while one.parent is not None:
                one = one.parent
                found[one] = None
        return found

    def unfinished(self) -> tuple[Submitted, ...]:
        """What was submitted, and is not over."""
        return tuple(self._unfinished)

    def drain(self, look: Look | None = None) -> None:
        """Run until nothing is left. What goes wrong in one grid is raised, and ends them all.

        Now and then `look` is given a function that counts the thread blocks that are done.
        """
        with self.lock:
            waits = self._blocks_done = 0
            needed = False  # does nobody get any further without those that are ready?
            try:
                while self._ready or self._running:
                    if self._begin(needed):
                        waits = 0  # who begins has not had a turn
                    needed = False
                    turn, left = self._turn(look), len(self._running)
                    waits = waits + 1 if turn is Turn.WAITS or (turn is Turn.COUNTS and left == 1) else 0
                    if waits and waits == left:
                        waits, needed = 0, True
                        if not self._ready and not self._begin_held():
                            raise self._stuck()
                if self._unfinished.keys() - self._in_mid_step():
                    raise LaunchError("launches wait for work that this device was never given")
                self._tell_failed()
            except KeyboardInterrupt:
                told = KeyboardInterrupt(self._running[0].grid.interrupted() if self._running else "")
                self.abandon(told)
                raise told from None
            except BaseException as error:
                self.abandon(error)
                raise

    def _begin(self, needed: bool = False, patient: bool = True) -> bool:
        """Start every grid that nobody keeps waiting; those of one kernel as one, if their arrays allow."""
        if not self._ready:
            return False
        ready, self._ready = self._now_or_later(needed or not self._running, patient)
        self._busy.append([one.submitted for one in ready])
        try:
            self._start(ready)
        finally:
            self._busy.pop()
        return bool(ready)

    def _now_or_later(self, one_at_least: bool, patient: bool) -> tuple[list[Waiting], list[Waiting]]:
        """Who begins now? With a seed some of those who may."""
        now: list[Waiting] = []
        later: list[Waiting] = []
        for one in self._ready:
            tree = one.submitted.tree
            late = tree.patience if patient else LATE
            waits = tree.random is not None and tree.random.random() < late
            (later if waits else now).append(one)
        if one_at_least and not now:
            random = later[0].submitted.tree.random
            assert random is not None
            now.append(later.pop(int(random.integers(len(later)))))
        return now, later

    def _at_once(self, tree: Tree) -> None:
        """A thread has launched. With a seed, what may begin may get on before the thread does."""
        random, nested = tree.random, len(self._busy)
        if random is None or nested > MOST_NESTED or random.random() > EARLY or not self._begin(True, False):
            return
        for _ in range(STEPS_AT_ONCE):
            if not self._running or self._turn(None) is Turn.WAITS:
                return

    def _start(self, ready: Sequence[Waiting]) -> None:
        for one in ready:
            tree, state = one.submitted.tree, self.state
            state.stack_bytes = max(state.stack_bytes, one.configuration.function.local_bytes)
            if one.configuration.function.takes_buffers and tree.buffers.pool is None:
                size = self.state.pending_launches * MOST_BYTES[1]
                tree.buffers.pool = self.state.memory.lend(np.zeros(size, np.uint8))
                tree.lent.append(tree.buffers.pool)
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
                launches = Launches(group, self.state, self._submit_child, self._at_once, self._numbers)
                grid = Grid(configurations, self.state, observers, places, launches)
                launches.launched, tick = grid.launched, next(self._numbers)
                for member, one in enumerate(submitted):
                    one.tree.tell(Began(one.number, tick, grid.launched.get(member)))
                self._running.append(Running(grid, submitted))

    def _stuck(self) -> GpuSimError:
        """Why does nobody go on? Of those that wait for others, not the one that waits for its children."""
        grids = [running.grid for running in self._running]
        grid = next((one for one in grids if not one.awaits), grids[0])
        assert grid.stuck is not None
        return self._failure(grid.stuck, next(one for one in self._running if one.grid is grid))

    def _failure(self, error: GpuSimError, running: Running) -> GpuSimError:
        """The same, saying who launched the grid; who follows the tree hears of it."""
        blamed, self._told = running.grid.blamed, error  # who launched it may be in mid-step
        by, submitted = running.grid.configurations[blamed].launched_by, running.submitted[blamed]
        if by is not None:
            error.launched(by.tree)
        submitted.tree.tell(Failed(submitted.number, next(self._numbers), error))
        return error

    def _begin_held(self) -> bool:
        """Let children begin although the threads of their parents have not left; False where none waits."""
        parents = [one for running in self._running for one in running.submitted if one.held]
        for one in parents:
            self._release(one.held)
        return bool(parents)

    def _release(self, waiting: list[Waiting]) -> None:
        """One thing less that each comes after; the list is empty then, and keeps no arrays."""
        for one in waiting:
            one.submitted.missing -= 1
            if not one.submitted.missing:
                self._ready.append(one)
        waiting.clear()

    def _turn(self, look: Look | None) -> Turn:
        """Let the grid that waited longest run some steps."""
        running = self._running.popleft()
        self._busy.append(running.submitted)
        try:
            turn = running.grid.step(STEPS_IN_A_ROW if running.submitted[0].tree.random is None else 1)
        except GpuSimError as error:
            raise error if error is self._told else self._failure(error, running) from None
        finally:
            self._busy.pop()
            self._running.appendleft(running)
        if look is not None:
            look(lambda: self._blocks_done + _of_the_host(running))
        self._running.popleft()
        if turn is Turn.OVER:
            self._finish(running)
        else:
            self._running.append(running)
        return turn

    def _finish(self, running: Running) -> None:
        self._blocks_done += _of_the_host(running)
        self._busy.append(running.submitted)  # its observers may launch more
        try:
            running.grid.close()
        finally:
            self._busy.pop()
        tick = next(self._numbers)
        for one in running.submitted:
            one.threads_left = True
            one.tree.tell(ThreadsLeft(one.number, tick))
            self._release(one.held)
            self._complete(one, tick)

    def _complete(self, one: Submitted, tick: int) -> None:
        """Its threads have left, or a child is over: is it over itself, and its parent with it?"""
        while one.threads_left and not one.children:
            if one.tails:
                tail = one.tails.popleft()
                one.children = one.unfinished[tail.submitted.block] = 1
                self._unfinished[tail.submitted] = None
                self._ready.append(tail)
                return
            one.over, one.tree.pending = True, one.tree.pending - one.pending
            del self._unfinished[one]
            one.tree.tell(Over(one.number, tick))
            self._release(one.followers)
            if one.parent is None:
                self._end(one.tree)
                return
            one.parent.children -= 1
            one.parent.unfinished[one.block] -= 1
            one = one.parent

    def _take_back(self, tree: Tree) -> None:
        """What the host lent is its own again, and nobody keeps it."""
        while tree.lent:
            self.state.memory.take_back(tree.lent.pop())

    def _end(self, tree: Tree) -> None:
        """A launch of the host is over, with all that it led to."""
        self._take_back(tree)
        if tree.unread:
            self._failed.append(tree)

    def _tell_failed(self) -> None:
        """Warn of launches that failed unseen."""
        failed, self._failed = self._failed, []
        for tree in failed:
            for error, threads in tree.unread.items():
                launches, span = tree.failed.get(error, (0, None))
                if span is None:
                    continue
                failed_ones = "1 launch" if launches == 1 else f"{launches:,} launches"
                asked_not = "1 thread" if threads == 1 else f"{threads:,} threads"
                message = (
                    f"{failed_ones} in kernels failed ({error.name}), and {asked_not} did not ask: "
                    "call cudaGetLastError() behind each launch"
                )
                told = GpuSimError(message, span, REMEDIES.get(error, ""))
                warnings.warn(str(told), DeviceLaunchWarning, stacklevel=2)

    def abandon(self, error: BaseException) -> None:
        """Nobody runs on who can: all grids that began end with this error, whatever observers make of it."""
        ending, kept = self._running, self._in_mid_step()
        for submitted in self._unfinished.keys() - kept:
            submitted.over = True
            self._take_back(submitted.tree)
        self._unfinished, self._ready, self._running = kept, [], deque()
        with ExitStack() as telling:
            for running in reversed(ending):
                telling.callback(running.grid.close, error)
