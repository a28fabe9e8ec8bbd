"""Which bytes does a part of an array mean? Random parts, each lane its own, judged by hand in Python.

A part begins at some byte of its array, has an extent, a stride in bytes and elements of its own type; a lane
brings an index, which counts from the end where it is negative. Of 64 bytes, byte k holds k.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from gpusim import cuda
from gpusim.errors import MisalignedAccess, OutOfBounds
from gpusim.ir.instructions import ArrayOperand, Opcode
from gpusim.ir.types import S16, S32, S64, U8, Space
from tests.ir.handmade import SPAN
from tests.machine.by_hand import Kernel

BYTES, THREADS = 64, 64
SPACES = (Space.GLOBAL, Space.SHARED, Space.LOCAL)


class Part(NamedTuple):
    """Element `index` of those that begin at byte `first`, `stride` bytes apart."""

    index: int
    first: int
    extent: int
    stride: int

    def meant(self, width: int) -> int | type[Exception]:
        """The first byte of the element, or what is wrong with it."""
        index = self.index + self.extent * (self.index < 0)
        byte = self.first + index * self.stride
        if not 0 <= index < self.extent:
            return OutOfBounds
        if byte % width:
            return MisalignedAccess
        return byte if 0 <= byte <= BYTES - width else OutOfBounds


def random_part(random: np.random.Generator, width: int) -> Part:
    """Mostly near a border of the array, or of the part."""
    extent = int(random.integers(1, 9))
    index = int(random.choice([0, extent - 1, -1, -extent, extent, -extent - 1, random.integers(extent)]))
    stride = int(random.choice([width, -width, 2 * width, 0, 3, -1]))
    first = int(random.choice([0, BYTES - width, BYTES, -width, random.integers(-8, BYTES + 8)]))
    inside = BYTES - extent * stride if stride > 0 else -(extent - 1) * stride  # the last element is the last
    return Part(index, int(random.choice([first, inside])), extent, stride)


def reading(space: Space, element) -> Kernel:
    """`if (on[t]) out[t] = part of x`, with the part that row t of the arguments describes."""
    kernel = Kernel("parts")
    t = kernel.special("tid.x")
    if space is Space.GLOBAL:
        x = ArrayOperand("x", U8, 1, space)
        kernel.builder.parameters.append(x)
    else:
        x = kernel.builder.reserve("x", U8, (BYTES,), space)
        for byte in range(BYTES) if space is Space.LOCAL else (t,):
            kernel.store(x, byte, kernel.convert(byte, U8) if byte is t else byte)
        kernel.builder.barrier(SPAN)
    columns = [kernel.pointer(name, S64) for name in Part._fields]
    on, out = kernel.pointer("on", S32), kernel.pointer("out", element)
    place = [kernel.load(column, t) for column in columns]
    kernel.only_if(Opcode.NE, kernel.load(on, t), 0)
    kernel.store(out, t, kernel.load(ArrayOperand("part", element, 1, space, root=x), *place))
    return kernel


def read(space: Space, element, parts: list[Part], on: np.ndarray) -> np.ndarray:
    """What the lanes that are `on` read."""
    x = [cuda.to_device(np.arange(BYTES, dtype=np.uint8))._elements] if space is Space.GLOBAL else []
    out = np.zeros(THREADS, element.dtype)
    columns = [np.array(column, np.int64) for column in zip(*parts, strict=True)]
    reading(space, element).run(THREADS, *x, *columns, on.astype(np.int32), out)
    return out


@pytest.mark.parametrize("element", [U8, S16, S32, S64], ids=str)
@pytest.mark.parametrize("space", SPACES, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_each_lane_reads_what_its_part_means_and_those_that_are_off_mean_nothing(space, element, seed):
    random, width = np.random.default_rng(seed), element.bytes
    parts = [random_part(random, width) for _ in range(THREADS)]
    meant = [part.meant(width) for part in parts]
    on = np.array([isinstance(byte, int) for byte in meant])
    assert 8 < on.sum() < THREADS - 8
    out = read(space, element, parts, on)
    x = np.arange(BYTES, dtype=np.uint8)
    expected = [
        x[byte : byte + width].view(element.dtype)[0] if good else 0
        for byte, good in zip(meant, on, strict=True)
    ]
    assert out.tolist() == expected


@pytest.mark.parametrize("element", [U8, S16, S64], ids=str)
@pytest.mark.parametrize("space", SPACES, ids=str)
def test_a_lane_whose_part_means_nothing_is_named(space, element):
    random, width, tried = np.random.default_rng(5), element.bytes, set()
    right = Part(0, 0, 1, width)
    while len(tried) < 24:
        wrong, lane = random_part(random, width), int(random.integers(THREADS))
        error = wrong.meant(width)
        if isinstance(error, int) or wrong in tried:
            continue
        tried.add(wrong)
        parts = [wrong if thread == lane else right for thread in range(THREADS)]
        with pytest.raises(error, match=rf"thread \({lane}, 0, 0\)"):
            read(space, element, parts, np.ones(THREADS, bool))
