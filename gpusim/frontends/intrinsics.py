"""Which names of the dialect mean an instruction? Special registers, intrinsics and functions of `math`.

`gpusim.cuda` shows these objects to kernels under Numba's names; the front-end finds them there by identity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NoReturn

from gpusim.errors import GpuSimError
from gpusim.ir.instructions import Opcode
from gpusim.ir.types import S32, Scalar, Space


@dataclass(frozen=True)
class Special:
    """A special register: its PTX name and its type in Numba."""

    register: str
    type: Scalar = S32


@dataclass(frozen=True)
class Vector:
    """Three special registers read as `.x`, `.y` and `.z`."""

    x: Special
    y: Special
    z: Special


@dataclass(frozen=True)
class Intrinsic:
    """A function that only exists on the device. `usage` is shown when it is called wrongly."""

    name: str
    usage: str

    def __call__(self, *_arguments: Any, **_keywords: Any) -> NoReturn:
        raise GpuSimError(
            f"cuda.{self.usage} runs inside a kernel only; launch one with kernel[grid, block](…)"
        )


@dataclass(frozen=True)
class Allocation:
    """`cuda.shared` or `cuda.local`, whose `array(shape, dtype)` declares storage."""

    space: Space
    array: Intrinsic


@dataclass(frozen=True)
class Atomic:
    """`cuda.atomic`."""

    add: Intrinsic


def vector(name: str) -> Vector:
    """The special registers `name.x`, `name.y` and `name.z`."""
    return Vector(Special(f"{name}.x"), Special(f"{name}.y"), Special(f"{name}.z"))


threadIdx, blockIdx, blockDim, gridDim = vector("tid"), vector("ctaid"), vector("ntid"), vector("nctaid")
laneid, warpsize = Special("laneid"), Special("warpsize")
grid = Intrinsic("grid", "grid(ndim)")
gridsize = Intrinsic("gridsize", "gridsize(ndim)")
syncthreads = Intrinsic("syncthreads", "syncthreads()")
shared = Allocation(Space.SHARED, Intrinsic("shared.array", "shared.array(shape, dtype)"))
local = Allocation(Space.LOCAL, Intrinsic("local.array", "local.array(shape, dtype)"))
atomic = Atomic(Intrinsic("atomic.add", "atomic.add(array, index, value)"))

# Python function -> opcode; those of math compute in floating point
UNARY = {
    abs: Opcode.ABS,
    math.sqrt: Opcode.SQRT,
    math.exp: Opcode.EXP,
    math.log: Opcode.LOG,
    math.sin: Opcode.SIN,
    math.cos: Opcode.COS,
    math.tan: Opcode.TAN,
    math.tanh: Opcode.TANH,
    math.fabs: Opcode.ABS,
}
ROUNDING = {math.floor: Opcode.FLOOR, math.ceil: Opcode.CEIL}
EXTREMES = {min: Opcode.MIN, max: Opcode.MAX}
