"""What do cudaMemcpyAsync and cudaMemsetAsync do in a kernel? They launch a kernel of the runtime's own.

It is ordered by its stream as any child is, and over when the grid is that launched it, at the latest. The
calls of one, two and three dimensions are one: planes of rows of bytes. N threads call at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.frontends.python.builtins import intrinsics
from gpusim.frontends.python.kernel import compile_kernel
from gpusim.ir.program import Function
from gpusim.ir.types import U8, U16, U32, U64, Array, Scalar
from gpusim.runtime.device_arguments import BadArgument

cuda: Any = intrinsics  # as kernels name it
THREADS, MOST = 256, 65535  # of a block; rows and planes of a grid
TYPES = (U64, U32, U16, U8)
ON_DEVICE = (3, 4)  # cudaMemcpyDeviceToDevice, cudaMemcpyDefault
KINDS = "cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost"

Numbers = npt.NDArray[Any]


def cudaMemcpyAsync(to: Any, source: Any) -> None:
    planes, rows, words = to.shape
    x = cuda.grid(1)
    if x < words:
        for z in range(cuda.blockIdx.z, planes, cuda.gridDim.z):
            for y in range(cuda.blockIdx.y, rows, cuda.gridDim.y):
                to[z, y, x] = source[z, y, x]


def cudaMemsetAsync(to: Any, value: Any) -> None:
    planes, rows, words = to.shape
    x = cuda.grid(1)
    if x < words:
        for z in range(cuda.blockIdx.z, planes, cuda.gridDim.z):
            for y in range(cuda.blockIdx.y, rows, cuda.gridDim.y):
                to[z, y, x] = value


KERNELS = {one.__name__: one for one in (cudaMemcpyAsync, cudaMemsetAsync)}


@cache
def compiled(name: str, word: Scalar, warp_size: int) -> Function:
    """The runtime's kernel for words of this type, on devices with warps of this size."""
    array = Array(word, 3, "A")
    second = array if name == cudaMemcpyAsync.__name__ else word
    return compile_kernel(KERNELS[name], (array, second), warp_size)


@dataclass(frozen=True)
class Move:
    """A launch: of which kernel, and its operands as `ir.details.Launch` lists them, each (N,)."""

    function: Function
    operands: Sequence[Numbers]


def move(name: str, operands: Sequence[Numbers], warp_size: int) -> Move:
    """The launch that a call stands for.

    Operands of a copy: to, bytes from row to row, from plane to plane; from where, likewise; kind; of either:
    bytes of a row, rows, planes; stream. Of a set: to, likewise; value. Raises `BadArgument`.
    """
    given = [np.asarray(operand).astype(np.uint64) for operand in operands]
    copies = name == cudaMemcpyAsync.__name__
    sides = [given[0:3], given[3:6]] if copies else [given[0:3]]
    special, width, rows, planes, stream = given[3 * len(sides) :]
    if copies and (wrong := np.flatnonzero(~np.isin(special, ON_DEVICE))).size:
        kind = int(special[wrong[0]])
        what = f"copies with {KINDS[kind] if kind < len(KINDS) else f'a kind of {kind}'}"
        hint = "a kernel copies on the device only: cudaMemcpyDeviceToDevice, or cudaMemcpyDefault"
        raise BadArgument(int(wrong[0]), what, hint)
    for _, pitch, plane in sides:
        wrong = np.flatnonzero(((pitch < width) & (rows > 1)) | ((plane < width) & (planes > 1)))
        if wrong.size:
            at = int(wrong[0])
            what = f"moves rows of {width[at]} bytes that lie {pitch[at]} bytes apart"
            raise BadArgument(at, what, "the pitch is the distance from row to row, in bytes")
    if copies and (wrong := np.flatnonzero(_overlap(given[0], given[3], width, rows * planes))).size:
        at = int(wrong[0])
        away = abs(int(given[0][at]) - int(given[3][at]))
        what = f"copies {width[at]} bytes to a place {away} bytes away: the two overlap"
        raise BadArgument(at, what, "no order is promised within a copy: copy by way of other memory")
    aligned = np.bitwise_or.reduce(np.concatenate([width, *(one for side in sides for one in side)]))
    word = next(type_ for type_ in TYPES if not int(aligned) % type_.bytes)
    unit, one = np.uint64(word.bytes), np.ones_like(width)
    shape = planes, rows, width // unit
    blocks = -(-shape[2].astype(np.int64) // THREADS)
    arguments = list[Numbers]()
    for first, pitch, plane in sides:
        arguments += [first, *shape, plane, pitch, one * unit]
    if not copies:
        octet = special & np.uint64(0xFF)
        arguments.append(octet * np.uint64(0x0101_0101_0101_0101 & ((1 << word.bits) - 1)))
    grid = [np.clip(extent.astype(np.int64), 1, MOST) for extent in (rows, planes)]
    configuration = [np.maximum(blocks, 1), *grid, one * np.uint64(THREADS), one, one]
    function = compiled(name, word, warp_size)
    return Move(function, [*configuration, np.zeros_like(width), stream, *arguments])


def _overlap(to: Numbers, source: Numbers, width: Numbers, rows: Numbers) -> npt.NDArray[np.bool_]:
    """(N,): does a copy of a single row write what it reads? Several rows may lie between each other."""
    return np.asarray((rows == 1) & (to < source + width) & (source < to + width))
