"""What does a texture or surface object say? Where its texels lie, and what is between and outside them.

A *texel* is an element of a picture: one, two or four numbers. By the CUDA C++ Programming Guide, "Texture
Fetching", texel i reaches from i to i + 1, and its centre is i + 0.5:

>>> edges = Axis(4, "clamp", linear=True)
>>> [(index.tolist(), weight.tolist()) for index, _inside, weight in edges.taken(np.array([0.25, 2.0]))]
[([0, 1], [0.25, 0.5]), ([0, 2], [0.75, 0.5])]

Assumed, for nobody publishes it: rows lie one after the other, where a GPU has a layout of its own; a linear
filter's weights are rounded to the nearest 256th, and it clamps texel by texel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from gpusim.machine.memory.address_space import Allocation

FARTHEST = 1 << 31  # coordinates beyond are as far outside as this
WEIGHTS = 256  # a weight has 8 bits behind its point, and one before it
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

    def taken(self, coordinates: Any) -> list[tuple[Any, Any, Any]]:
        """One texel or two for each coordinate: index, is it inside, weight. Floats of any shape."""
        at = np.nan_to_num(np.asarray(coordinates, np.float64), posinf=FARTHEST, neginf=-FARTHEST)
        at = np.clip(at, -FARTHEST, FARTHEST) * (self.size if self.normalized else 1) - self.linear * 0.5
        low = np.floor(at)
        part, index = np.floor((at - low) * WEIGHTS + 0.5) / WEIGHTS, low.astype(np.int64)
        ways = [(index, 1 - part), (index + 1, part)] if self.linear else [(index, np.ones(()))]
        meant = [(ADDRESSING[self.addressing](index, self.size), weight) for index, weight in ways]
        return [(np.clip(i, 0, self.size - 1), (i >= 0) & (i < self.size), weight) for i, weight in meant]


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
        ways = [axis.taken(at) for axis, at in zip(self.axes, coordinates, strict=True)]
        total: Any = 0
        for (places, inside, weight), *rows in product(*ways):
            for row, inside_rows, its_weight in rows:
                places = places + row * (texels.pitch_bytes // texels.bytes)
                inside, weight = inside & inside_rows, weight * its_weight
            taken.append((places, inside))
            found = np.ascontiguousarray(texels.flat.take(places))[..., None].view(texels.element)
            found = np.where(inside[..., None], found, texels.element.type(0))
            if self.as_float:
                found = np.maximum(found / np.float64(np.iinfo(texels.element).max), -1)
            total = total + weight[..., None] * found if self.axes[0].linear else found
        return total.astype(self.element), taken


TexelObject = Texture | Surface
