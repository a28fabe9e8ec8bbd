"""Does the model of time bend as the H200 does? Its curves beside those of `timing.json`.

`python -m tests.hardware.curves [label]` prints them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from tests.hardware.likeness import geometric_mean, normalised_error, rank_correlation
from tests.hardware.probes.curves import Curve, curves
from tests.hardware.replaying import Replayer

FLAT = 1.05  # a curve whose most is less than so many times its least hardly changes


@dataclass(frozen=True)
class Compared:
    """A curve, and what the model says to each of its points."""

    curve: Curve

    @cached_property
    def simulated(self) -> list[float]:
        """What the model says."""
        replayer, found = replayer_of_curves(), []
        for short, long, work in self.curve.launches():
            brief, full = (replayer.clocks(row, self.curve.alone) for row in (short, long))
            found.append(self.curve.value(max(full - brief, 1e-9), work))
        return found

    @property
    def flat(self) -> bool:
        """Does it hardly change? Then its order is that of the H200's noise."""
        return max(self.curve.recorded) < FLAT * min(self.curve.recorded)

    @property
    def rank(self) -> float:
        """Spearman's rank correlation of both."""
        return rank_correlation(self.curve.recorded, self.simulated)

    @property
    def error(self) -> float:
        """Mean relative error, both curves having been divided by their geometric means."""
        return normalised_error(self.curve.recorded, self.simulated)

    @property
    def scale(self) -> float:
        """The model's geometric mean over the H200's."""
        return geometric_mean(self.simulated) / geometric_mean(self.curve.recorded)

    def lines(self) -> Iterator[str]:
        """In text: how well it agrees, and its points, recorded / simulated (which is scaled)."""
        plain = rank_correlation(self.curve.recorded, self.simulated, alike=1e-9)
        order = "flat" if self.flat else f"{self.rank:.3f}"
        yield (
            f"{self.curve.label:62}{len(self.curve.keys):3} points, rank {order:>5} ({plain:6.3f} counting "
            f"noise), error {self.error:5.1%}, scale {self.scale:.3g}"
        )
        points = zip(self.curve.keys, self.curve.recorded, self.simulated, strict=True)
        yield "    " + "  ".join(
            f"{', '.join(map(str, key))}: {r:.4g}/{s / self.scale:.4g}" for key, r, s in points
        )


@cache
def replayer_of_curves() -> Replayer:
    """What runs the kernels of `curves.cu`."""
    return Replayer(Path(__file__).with_name("curves.cu"), warm=False)


@cache
def compared(most: int | None = None) -> tuple[Compared, ...]:
    """All curves, of which each is replayed when it is looked at. most: points of each, evenly chosen."""
    return tuple(Compared(thinned(curve, most) if most else curve) for curve in curves())


def thinned(curve: Curve, most: int) -> Curve:
    """The same curve with fewer points."""
    count = len(curve.keys)
    places = (
        sorted({round(k * (count - 1) / (most - 1)) for k in range(most)}) if count > most else range(count)
    )
    keys, recorded = ([values[place] for place in places] for values in (curve.keys, curve.recorded))
    return replace(curve, keys=tuple(keys), recorded=tuple(recorded))


if __name__ == "__main__":  # all, or those whose label begins like this
    for one in compared():
        if one.curve.label.startswith(" ".join(sys.argv[1:])):
            print(*one.lines(), sep="\n", flush=True)
