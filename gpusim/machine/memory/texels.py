"""What does a texture or surface object say? Where its texels lie, and what is between and outside them.

A *texel* is an element of a picture: one, two or four numbers. By the CUDA C++ Programming Guide, "Texture
Fetching", texel i reaches from i to i + 1, and its centre is i + 0.5:

>>> low, part = Axis(4, "clamp", linear=True).between(np.array([0.25, 2.0]))
>>> low.tolist(), part.tolist()  # of 256: so much of the next texel
([-1, 1], [192, 128])

As an H200 fetches (tests/hardware/textures.json): normalized coordinates are cut to 21 bits behind
the point, places to the nearest 256th, the weights of four texels too; what is filtered of integers is
rounded to 16 bits. Assumed, for nobody publishes it: rows lie one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from gpusim.machine.memory.address_space import Allocation

FARTHEST = 1 << 31  # coordinates beyond are as far outside as this
NORMALIZED = 1 << 21  # a normalized coordinate has 21 bits behind its point
WEIGHTS = 256  # a weight has 8 bits behind its point, and one before it
FILTERED = {"u": 65535, "i": 32767}  # integers that become floats are filtered as numbers of 16 bits
# texel, number of texels -> the texel that is meant, if it is one
ADDRESSING: dict[str, Callable[[Any, int], Any]] = {
    "clamp": lambda index, size: np.clip(index, 0, size - 1),
    "border": lambda index, size: index,
    "wrap": lambda index, size: index % size,
    "mirror": lambda index, size: np.minimum(index % (2 * size), 2 * size - 1 - index % (2 * size)),
}


class Axis(NamedTuple):
    """How are coordinates along one axis of a texture, of so many texels, understood?"""

    size: int
    addressing: str
    linear: bool = False
    normalized: bool = False

    def between(self, coordinates: Any) -> tuple[Any, Any]:
        """The texel at or below each coordinate, and how many 256ths the next counts. Floats of any shape."""
        at = np.nan_to_num(np.asarray(coordinates, np.float64), posinf=FARTHEST, neginf=-FARTHEST)
        at = np.clip(at, -FARTHEST, FARTHEST)
        if self.normalized:
            at = np.floor(at * NORMALIZED) / NORMALIZED * self.size
        if not self.linear:
            return np.floor(at).astype(np.int64), np.zeros(at.shape, np.int64)
        steps = np.floor(at * WEIGHTS + 0.5).astype(np.int64) - WEIGHTS // 2
        return steps // WEIGHTS, steps % WEIGHTS

    def meant(self, index: Any) -> tuple[Any, Any]:
        """Which texel is meant, and is it one of this axis?"""
        found = ADDRESSING[self.addressing](index, self.size)
        return np.clip(found, 0, self.size - 1), (found >= 0) & (found < self.size)


def weights(parts: Sequence[Any]) -> list[Any]:
    """Of 256, what do two texels count, or four, the next along x before that along y?

    >>> weights([np.int64(192)]), weights([np.int64(90), np.int64(72)])
    ([np.int64(64), np.int64(192)], [np.int64(119), np.int64(65), np.int64(47), np.int64(25)])
    """
    x, *rest = parts
    if not rest:
        return [WEIGHTS - x, x]
    both = (x * rest[0] + WEIGHTS // 2) // WEIGHTS
    return [WEIGHTS - x - rest[0] + both, x - both, rest[0] - both, both]


@dataclass(frozen=True, eq=False)
class Texels:
    """Memory as a picture, from byte `first` of an allocation: one row of texels, or `height` of them.

    `numbers` and their type make a texel. Without a pitch it is no CUDA array but linear memory.
    """

    allocation: Allocation
    element: np.dtype[Any]
    numbers: int
    width: int
    height: int = 0
    pitch_bytes: int = 0
    first: int = 0

    @property
    def bytes(self) -> int:
        """Size of a texel."""
        return self.element.itemsize * self.numbers

    @cached_property
    def flat(self) -> npt.NDArray[Any]:
        """All texels, and what is between the rows; a texel of several numbers is one of bits."""
        seen = self.allocation.data[self.first :]
        kind = self.element if self.numbers == 1 else np.dtype(f"V{self.bytes}")
        return seen[: len(seen) // self.bytes * self.bytes].view(kind)

    def __str__(self) -> str:
        kind = {"i": "signed", "u": "unsigned", "f": "float"}[self.element.kind]
        return f"{self.numbers} x {8 * self.element.itemsize} bits, {kind}"


@dataclass(frozen=True, eq=False)
class Surface:
    """Texels to be read and written as they are."""

    texels: Texels
    called = "surface"


@dataclass(frozen=True, eq=False)
class Texture:
    """Texels to be read, along `axes` x and y; `as_float`: integers become 0 to 1, or -1 to 1."""

    texels: Texels
    axes: tuple[Axis, ...]
    as_float: bool = False
    called = "texture"

    @property
    def element(self) -> np.dtype[Any]:
        """The type of the numbers that a fetch gives."""
        return np.dtype(np.float32) if self.as_float else self.texels.element

    def fetched(self, coordinates: tuple[Any, ...]) -> tuple[npt.NDArray[Any], list[tuple[Any, Any]]]:
        """The numbers at each place, along a last axis; and the texels taken for them.

        Those are places in `texels.flat`, with whether they are inside. Coordinates: (n, L) or alike.
        """
        texels, taken = self.texels, list[tuple[Any, Any]]()
        lows, parts = zip(*map(Axis.between, self.axes, coordinates), strict=True)
        row = texels.pitch_bytes // texels.bytes
        linear = self.axes[0].linear
        corners = list(product((0, 1), repeat=len(self.axes))) if linear else [(0,) * len(self.axes)]
        total: Any = 0
        for steps, weight in zip(corners, weights(parts) if linear else (WEIGHTS,), strict=True):
            # the last axis is the slowest
            along = [
                axis.meant(low + step) for axis, low, step in zip(self.axes, lows, steps[::-1], strict=True)
            ]
            places = sum(index * size for (index, _), size in zip(along, (1, row), strict=False))
            inside = reduce(np.logical_and, (each for _, each in along))  # one may be the same for all lanes
            taken.append((places, inside))
            found = np.ascontiguousarray(texels.flat.take(places))[..., None].view(texels.element)
            found = np.where(inside[..., None], found, texels.element.type(0))
            total = total + np.asarray(weight)[..., None] * found.astype(np.float64) if linear else found
        if linear:
            total = total / WEIGHTS
        if self.as_float:
            total = self._as_float(total, linear)
        return total.astype(self.element), taken

    def _as_float(self, numbers: Any, filtered: bool) -> Any:
        """From the largest integer's size to 1."""
        most, steps = np.iinfo(self.texels.element).max, FILTERED[self.texels.element.kind]
        if filtered:
            return np.maximum(np.floor(numbers * (steps / most) + 0.5) / steps, -1)
        return np.maximum(numbers / np.float64(most), -1)


TexelObject = Texture | Surface
