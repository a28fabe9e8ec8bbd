"""What is a curve that was recorded and is simulated?

Each of its points is two launches of a kernel of `curves.cu`, a short and a long one: by how much more the
long one takes is what its further rounds cost, without what every launch costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from gpusim.devices import get
from tests.hardware.likeness import geometric_mean, normalised_error, rank_correlation
from tests.hardware.memory import recording
from tests.hardware.replaying import Replayer

ROUNDS = 32, 96
Key = tuple[Any, ...]
Values = Mapping[Key, Mapping[str, Any]]
Launch = Callable[..., tuple[str, float]]


class Point(NamedTuple):
    """One point: what it is of, the H200's value, and two launches (rows as in `probes/times.py`).

    `work`: what the long launch does more, in the unit of the curve.
    """

    at: Any
    recorded: float
    short: str
    long: str
    work: float


@dataclass(frozen=True)
class Curve:
    """A curve of `timing.json`. `rate`: a value is work per time, else time per unit of work.

    `alone`: its launches fill every multiprocessor with the same, so that one of them shows it.
    """

    group: str
    name: str
    points: tuple[Point, ...]
    rate: bool = False
    alone: bool = True

    @property
    def label(self) -> str:
        """Its name among all."""
        return f"{self.group}: {self.name}"

    @cached_property
    def recorded(self) -> list[float]:
        """What the H200 took."""
        return [point.recorded for point in self.points]

    @cached_property
    def simulated(self) -> list[float]:
        """What the model says."""
        replayer = replayer_of_curves()
        found = []
        for point in self.points:
            long, short = (replayer.clocks(row, self.alone) for row in (point.long, point.short))
            clocks = max(long - short, 1e-9)
            found.append(point.work / clocks * self.clock if self.rate else clocks / point.work)
        return found

    @property
    def clock(self) -> float:
        """Rates of one multiprocessor are on record per clock, others per nanosecond."""
        return 1.0 if self.alone else get("H200").clock_mhz / 1000

    @property
    def flat(self) -> bool:
        """Does it hardly change? Then its order is that of the H200's noise."""
        return max(self.recorded) < 1.05 * min(self.recorded)

    @property
    def rank(self) -> float:
        """Spearman's rank correlation of both."""
        return rank_correlation(self.recorded, self.simulated)

    @property
    def error(self) -> float:
        """Mean relative error, both curves having been divided by their geometric means."""
        return normalised_error(self.recorded, self.simulated)

    @property
    def scale(self) -> float:
        """The model's geometric mean over the H200's."""
        return geometric_mean(self.simulated) / geometric_mean(self.recorded)


@cache
def replayer_of_curves() -> Replayer:
    """What runs the kernels of `curves.cu`."""
    return Replayer(Path(__file__).with_name("curves.cu"), warm=False)


@cache
def section(name: str, keys: int = 1) -> Values:
    """Rows of a section of `timing.json` by their first columns."""
    fields, *rows = recording("timing")[name]
    return {tuple(row[:keys]): dict(zip(fields[1:], row, strict=False)) for row in rows}


def curve(
    group: str,
    name: str,
    rows: Values,
    column: str,
    launch: Launch,
    *,
    among: Sequence[Key] | None = None,
    rounds: tuple[int, int] = ROUNDS,
    rate: bool = False,
    alone: bool = True,
) -> Curve:
    """`launch(*key, rounds)`: a row, and the work that is done in it."""
    points = []
    for key in rows if among is None else among:
        (short, some), (long, more) = (launch(*key, n) for n in rounds)
        at = key[0] if len(key) == 1 else key
        points.append(Point(at, rows[key][column], short, long, more - some))
    return Curve(group, name, tuple(points), rate, alone)


def lines(each: Curve) -> Iterator[str]:
    """A curve in text: how well it agrees, and its points, recorded / simulated (which is scaled)."""
    plain = rank_correlation(each.recorded, each.simulated, alike=1e-9)
    order = "flat" if each.flat else f"{each.rank:.3f}"
    yield (
        f"{each.label:62}{len(each.points):3} points, rank {order:>5} ({plain:6.3f} counting noise), "
        f"error {each.error:5.1%}, scale {each.scale:.3g}"
    )
    points = zip(each.points, each.recorded, each.simulated, strict=True)
    yield "    " + "  ".join(f"{p.at}: {r:.4g}/{s / each.scale:.4g}" for p, r, s in points)
