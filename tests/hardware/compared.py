"""Does a kernel give on a GPU what it gives here? Launches of a program are repeated there, and compared."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np

import gpusim
from gpusim.errors import GpuSimError
from gpusim.runtime import settings
from gpusim.runtime.launching import Launchable
from gpusim.runtime.passing import on_device
from tests.hardware.real_gpu import Endless, NotForIt, Refused

SAME, ROUNDED, OTHER = "same bits", "rounded otherwise", "differs"
ORDER, UNWRITTEN = "depends on the order", "reads what nobody wrote"
REFUSED, ENDLESS, NOT_FOR_IT, STOPPED = "refused there", "no end there", "not for it", "stops here"
OUTCOMES = (SAME, ROUNDED, ORDER, UNWRITTEN, OTHER, REFUSED, ENDLESS, NOT_FOR_IT, STOPPED)
SEEDS = range(8)
# how far apart, relatively, are sums whose steps were rounded otherwise: fused multiplications, another libm;
# a float64 may be a sum of float32
APART = {2: 1e-2, 4: 1e-5, 8: 1e-7}
REASONS = {NotForIt: NOT_FOR_IT, Refused: REFUSED, Endless: ENDLESS}
TOGETHER = "arguments that share memory"
EACH = 2  # launches of one kernel that are repeated

Repeat = Callable[[Launchable, tuple[Any, Any, int], Sequence[Any]], None]


@dataclass
class Comparison:
    """One launch: which kernel, how it compares, and what is to be said of it."""

    kernel: str
    shape: str
    outcome: str
    why: str = ""


def hosts(value: Any) -> Any:
    """An argument as it is now, apart from what others change: arrays of the device as the host's."""
    value = getattr(value, "value", value) if type(value).__name__ in ("In", "Out", "InOut") else value
    if isinstance(value, tuple):
        return tuple(map(hosts, value)) if type(value) is tuple else value
    if hasattr(value, "copy_to_host"):
        return value.copy_to_host()
    return value.copy() if isinstance(value, np.ndarray) else copy.copy(value)


def arrays(arguments: Sequence[Any]) -> Iterator[np.ndarray[Any, Any]]:
    """Those among the arguments, in order."""
    for argument in arguments:
        if isinstance(argument, tuple):
            yield from arrays(argument)
        elif isinstance(argument, np.ndarray):
            yield argument


def are_apart(given: Sequence[Any]) -> bool:
    """Does no array lie where another one does? A copy of each would not, either."""
    passed = list(arrays(on_device(tuple(given))[0]))
    return not any(np.may_share_memory(a, b) for place, a in enumerate(passed) for b in passed[:place])


def is_close(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    """Are they the same numbers but for how they were rounded?"""
    if one.dtype.kind == "c":
        return is_close(one.real, other.real) and is_close(one.imag, other.imag)
    if one.dtype.kind != "f":
        return bool((one == other).all())
    return np.allclose(one, other, rtol=APART[one.dtype.itemsize], atol=0, equal_nan=True)


def alike(one: Sequence[Any], other: Sequence[Any]) -> str:
    """How do the arrays of two runs compare?"""
    pairs = list(zip(arrays(one), arrays(other), strict=True))
    if all(a.tobytes() == b.tobytes() for a, b in pairs):
        return SAME
    fields = [(a[name], b[name]) for a, b in pairs for name in a.dtype.names or ()]
    plain = [pair for pair in pairs if pair[0].dtype.names is None] + fields
    return ROUNDED if all(is_close(a, b) for a, b in plain) else OTHER


@dataclass
class Watch:
    """Repeats launches by `repeat`, those of kernels that are `endless` there not; says why others differ.

    It gives up at the first that does not end, as nothing else runs there from then on.
    """

    repeat: Repeat
    gives_up: Callable[[list[Comparison]], None]
    endless: Sequence[str] = ()
    found: list[Comparison] = field(default_factory=list)
    _seen: dict[Any, set[Any]] = field(default_factory=dict)
    _doubted: list[tuple[Comparison, Callable[[], str]]] = field(default_factory=list)

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Within the block, every launch of the host's is repeated."""
        watch, launch = self, Launchable._launch

        def watched(
            kernel: Any, grid: Any, block: Any, stream: Any, shared: int, given: tuple[Any, ...]
        ) -> None:
            if watch._is_known(kernel, (grid, block, shared, str([getattr(x, "shape", x) for x in given]))):
                return launch(kernel, grid, block, stream, shared, given)
            name, shape = kernel.__name__, f"{tuple(grid)} × {tuple(block)}"
            before, apart = [hosts(argument) for argument in given], are_apart(given)
            now = settings.current()
            try:
                launch(kernel, grid, block, stream, shared, given)
            except GpuSimError as error:
                watch.found.append(Comparison(name, shape, STOPPED, type(error).__name__))
                raise
            after = [hosts(argument) for argument in given]
            comparison = Comparison(name, shape, SAME if apart else NOT_FOR_IT, "" if apart else TOGETHER)
            watch.found.append(comparison)
            if apart:
                watch._compare(kernel, comparison, (grid, block, shared), before, after, now)
            return None

        with patch.object(Launchable, "_launch", watched):
            yield
        for comparison, asked_again in self._doubted:
            comparison.outcome = asked_again()

    def _is_known(self, kernel: Any, shape: Any) -> bool:
        shapes = self._seen.setdefault(getattr(kernel, "py_func", kernel), set())
        if shape in shapes or len(shapes) == EACH:
            return True
        shapes.add(shape)
        return False

    def _compare(
        self, kernel: Any, comparison: Comparison, shape: Any, before: list[Any], after: list[Any], now: Any
    ) -> None:
        theirs = [hosts(argument) for argument in before]
        try:
            if now.device.warp_size != 32:
                raise NotForIt(f"a warp of {now.device.warp_size} lanes")
            if comparison.kernel in self.endless:
                raise Endless
            self.repeat(kernel, shape, theirs)
        except (NotForIt, Refused, Endless) as reason:
            comparison.outcome, comparison.why = REASONS[type(reason)], str(reason)
            if comparison.why and isinstance(reason, Endless):
                self.gives_up(self.found)
            return
        comparison.outcome = alike(after, theirs)
        if comparison.outcome != OTHER:
            return
        one, other = next(
            (a, b) for a, b in zip(arrays(after), arrays(theirs), strict=True) if alike([a], [b]) == OTHER
        )
        where = np.flatnonzero(one.ravel() != other.ravel())[:1]
        comparison.why = f"at {where.tolist()}: {one.ravel()[where]} here, {other.ravel()[where]} there"
        self._doubted.append((comparison, lambda: asked_again(kernel, shape, before, after, now)))


def asked_again(kernel: Any, shape: Any, before: list[Any], after: list[Any], now: Any) -> str:
    """Why does it give something else? It may read what nobody wrote, or give something else here, too, when
    others run first.
    """
    grid, block, shared = shape
    with gpusim.use(now.device, scheduling=now.scheduling), gpusim.sanitize("initcheck") as report:
        kernel[grid, block, 0, shared](*map(hosts, before))
    if not report.clean:
        return UNWRITTEN
    for seed in SEEDS:
        again = [hosts(argument) for argument in before]
        with gpusim.use(now.device, scheduling=now.scheduling, schedule=seed):
            try:
                kernel[grid, block, 0, shared](*again)
            except GpuSimError:
                return ORDER
        if alike(after, again) == OTHER:
            return ORDER
    return OTHER
