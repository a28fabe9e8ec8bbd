"""How alike are two curves, one recorded and one simulated?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

ALIKE = 0.02  # relative: what two recordings of a point differ by


def geometric_mean(values: Sequence[float]) -> float:
    """Of numbers above 0.

    >>> round(geometric_mean([1, 4]), 6)
    2.0
    """
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def normalised_error(recorded: Sequence[float], simulated: Sequence[float]) -> float:
    """By how much of itself does a point differ in the mean, if both curves have the same geometric mean?

    >>> normalised_error([1, 2, 4], [10, 20, 40])
    0.0
    """
    a, b = geometric_mean(recorded), geometric_mean(simulated)
    return round(
        math.fsum(abs((s / b) / (r / a) - 1) for r, s in zip(recorded, simulated, strict=True))
        / len(recorded),
        9,
    )


def rank_correlation(recorded: Sequence[float], simulated: Sequence[float], alike: float = ALIKE) -> float:
    """Spearman's; equal values, or those that lie next to each other within `alike`, share their mean rank.

    >>> rank_correlation([1, 2, 2.01, 4], [10, 20.1, 20, 40])
    1.0
    """
    a, b = (_ranks(np.array(values), alike) for values in (recorded, simulated))
    if not a.std() or not b.std():
        return float(a.std() == b.std())
    return round(float(np.corrcoef(a, b)[0, 1]), 9)


def _ranks(values: np.ndarray, alike: float) -> np.ndarray:
    order = np.argsort(values)
    steps = np.diff(values[order], prepend=values[order[:1]])
    groups = np.empty(len(values), int)
    groups[order] = np.cumsum(steps > alike * values[order])
    counts = np.bincount(groups)
    return (np.cumsum(counts) - (counts - 1) / 2)[groups]
