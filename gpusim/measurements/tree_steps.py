"""How did a tree of launches grow, step by step? What happened, why, and what comes next, a sentence each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from gpusim.ir.device_errors import WHY, DeviceError
from gpusim.measurements.lives import Life
from gpusim.measurements.tree_words import (
    BECAUSE,
    block_of,
    children,
    ended_by,
    may_begin,
    names,
    who_launches,
)
from gpusim.tree_events import Began, Blocker, Launched, Moment, Over, Synchronizes, ThreadsLeft


@dataclass
class Step:
    """What happens at once: to whom (`doing`: what each does then), and a verb and a kernel: to how many."""

    says: str
    doing: dict[Life, str]
    tally: Counter[tuple[str, str]] = field(default_factory=Counter)
    times: int = 1


class Story:
    """What happens to the grids of a run, in order; `lives` by the number that the runtime gave each."""

    def __init__(self, moments: Sequence[Moment], lives: Mapping[int, Life]) -> None:
        self._moments, self._lives = moments, lives
        self._doing = dict[Life, str]()
        self._left, self._over = set[Life](), set[Life]()
        self._unfinished = Counter[tuple[Life, int]]()  # children that are not over, by the block of a grid
        self._open = Counter[Life]()  # and of all its blocks
        self._synchronizing = dict[tuple[Life, int], int]()  # blocks that wait, and at which line

    def steps(self) -> Iterator[Step]:
        """All of them."""
        for kind, together in groupby(self._moments, _kind):
            moments = list(together)
            lives = [self._lives[moment.grid] for moment in moments]
            if kind[1] is Launched:
                yield from self._launched(lives)
            elif kind[1] is Began:
                yield self._began(lives)
            elif kind[1] is Over:
                yield from self._ended(moments)
            else:
                for moment in moments:
                    if isinstance(moment, Synchronizes):
                        yield self._synchronizes(self._lives[moment.grid], moment)
                    else:
                        yield self._failed(self._lives[moment.grid])
        if any(doing not in ("over", "failed", "stopped") for doing in self._doing.values()):
            yield self._stop(Step("Here the run was ended.", {}))

    def _step(self, says: str, lives: Sequence[Life], verb: str, doing: str) -> Step:
        step = Step(says, dict.fromkeys(lives, doing))
        step.tally.update((verb, life.launched.kernel) for life in lives)
        self._doing |= step.doing
        return step

    def _launched(self, lives: Sequence[Life]) -> Iterator[Step]:
        made = [life for life in lives if life.exists]
        self._unfinished.update((life.parent, life.launched.of_block) for life in made if life.parent)
        self._open.update(life.parent for life in made if life.parent)
        if made:
            says = f"{who_launches(made)} {may_begin(made, self._lives)}"
            yield self._step(says, made, "launch", "waits")
        for error, some in groupby((life for life in lives if not life.exists), lambda life: life.error):
            refused = list(some)
            does, goes = (
                ("It does", "The thread goes") if len(refused) == 1 else ("They do", "Those threads go")
            )
            says = (
                f"{who_launches(refused)} {does} not come about: {error}, for {WHY[DeviceError[error]]}. "
                f"{goes} on, and cudaGetLastError() tells."
            )
            yield self._step(says, refused, "refuse", "failed")

    def _began(self, lives: Sequence[Life]) -> Step:
        reasons, many = dict.fromkeys(map(self._reason, lives)), len(lives) > 1
        whys = {why for why, _ in reasons}
        why = next(iter(whys)) if len(whys) == 1 else "several"
        is_one = len(reasons) == 1 and (not many or why in ("parent", "tail", "stuck"))
        reason = BECAUSE[why][not is_one].format(next(iter(reasons))[1])
        threads = sum(math.prod((*life.launched.extents, *life.launched.block)) for life in lives)
        run = "1 thread runs" if threads == 1 else f"{threads:,} threads run"
        says = f"{names(lives)} {'begin' if many else 'begins'}: {reason}. {run}."
        return self._step(says, lives, "begin", "runs")

    def _reason(self, life: Life) -> tuple[str, str]:
        """Why does it begin now? A key of `BECAUSE`, and which other grid is the reason."""
        parent, after = life.parent, life.launched.after
        if parent is None or not after:
            return ("nothing", "") if parent is None or parent in self._left else ("early", parent.name)
        if parent not in self._left:  # who gets no further lets them begin for whom nothing else comes first
            after = tuple(blocker for blocker in after if blocker.why != "parent")
            if not after:
                return "stuck", parent.name
        last = max(after, key=self._when)
        return last.why, self._lives[last.grid].name

    def _when(self, blocker: Blocker) -> int:
        """When did it keep nobody waiting any more?"""
        kind = ThreadsLeft if blocker.why == "parent" else Over
        return self._lives[blocker.grid].moments.get(kind, len(self._moments))

    def _ended(self, moments: Sequence[Moment]) -> Iterator[Step]:
        """Threads left; who is over by that, and who by those."""
        left = [self._lives[moment.grid] for moment in moments if isinstance(moment, ThreadsLeft)]
        over = dict.fromkeys(self._lives[moment.grid] for moment in moments if isinstance(moment, Over))
        self._left.update(left)
        at_once = [life for life in left if life in over and not self._open[life]]
        closing = [life for life in left if self._open[life]]
        if closing:
            yield self._closing(closing)
        if at_once:
            its = "its" if len(at_once) == 1 else "their"
            launched = any(child.exists for life in at_once for child in life.children)
            also = f", {its} children too" if launched else ""
            yield self._over_now(at_once, f"{its} threads have left{also}")
        rest = sorted((life for life in over if life not in self._over), key=lambda life: -life.depth)
        for _, some in groupby(rest, lambda life: life.depth):
            lives = list(some)
            yield self._over_now(lives, f"all that {'it' if len(lives) == 1 else 'they'} launched is over")

    def _closing(self, lives: Sequence[Life]) -> Step:
        is_, waits, its = (
            ("It is", "it waits", "its") if len(lives) == 1 else ("They are", "they wait", "their")
        )
        waiting = [child for life in lives for child in life.children if self._doing.get(child) == "waits"]
        ready = sum(map(self._may_begin, waiting))
        count = sum(self._open[life] for life in lives)
        which = "all" if ready == count else f"{ready:,} of these"
        after = f" {'That' if count == 1 else which.capitalize()} may begin now." if ready else ""
        says = (
            f"The threads of {names(lives)} have left. {is_} not over: {waits} for {its} "
            f"{'child' if count == 1 else f'{count:,} children'}.{after}"
        )
        return self._step(says, lives, "leave", "closes")

    def _may_begin(self, life: Life) -> bool:
        """Is all over that it comes after?"""
        return all(
            self._lives[blocker.grid] in (self._left if blocker.why == "parent" else self._over)
            for blocker in life.launched.after
        )

    def _over_now(self, lives: Sequence[Life], why: str) -> Step:
        self._over.update(lives)
        are = "is" if len(lives) == 1 else "are"
        step = self._step(f"{names(lives)} {are} over: {why}.", lives, "end", "over")
        for life in lives:
            if life.parent is not None:
                self._unfinished[life.parent, life.launched.of_block] -= 1
                self._open[life.parent] -= 1
        parents = {life.parent for life in lives}
        parent = next(iter(parents)) if len(parents) == 1 else None
        count = self._open[parent] if parent else 0
        if parent and count:
            step.says += f" {children(count, parent.name)}"
        for (whose, block), line in list(self._synchronizing.items()):
            if whose in parents and not self._unfinished[whose, block]:
                del self._synchronizing[whose, block]
                step.says += f" So {block_of(whose, block)} goes on behind line {line}."
                if not any(one is whose for one, _ in self._synchronizing):
                    step.doing[whose] = self._doing[whose] = "runs"
        return step

    def _synchronizes(self, life: Life, moment: Synchronizes) -> Step:
        self._synchronizing[life, moment.block] = moment.span.line
        count = self._unfinished[life, moment.block]
        block = block_of(life, moment.block)
        which = "the grid is" if count == 1 else f"the {count:,} grids are"
        says = (
            f"A thread of {block} calls cudaDeviceSynchronize() at line {moment.span.line}: it waits until "
            f"{which} over that its block has launched."
        )
        return self._step(says, [life], "wait", "synchronizes")

    def _failed(self, life: Life) -> Step:
        self._doing[life] = "failed"
        states = Counter(self._doing.values())
        ran = states["runs"] + states["synchronizes"] + states["closes"]
        step = self._step(ended_by(life, ran, states["waits"]), [life], "fail", "failed")
        return self._stop(step)

    def _stop(self, step: Step) -> Step:
        """All others that are not over end, too."""
        open_ = [one for one, doing in self._doing.items() if doing not in ("over", "failed", "stopped")]
        step.doing |= dict.fromkeys(open_, "stopped")
        step.tally.update(("stop", life.launched.kernel) for life in open_)
        self._doing |= step.doing
        return step


def _kind(moment: Moment) -> tuple[int, type[Moment]]:
    """What is told in one go: threads that left with what is over by that."""
    return moment.tick, Over if isinstance(moment, ThreadsLeft) else type(moment)
