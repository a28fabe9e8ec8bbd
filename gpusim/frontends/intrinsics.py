"""Which names of the dialect mean an instruction? Special registers, intrinsics and functions of `math`.

`gpusim.cuda` shows these objects to kernels under Numba's names; the front-end finds them there by identity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import SimpleNamespace
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


def vector(name: str) -> Vector:
    """The special registers `name.x`, `name.y` and `name.z`."""
    return Vector(Special(f"{name}.x"), Special(f"{name}.y"), Special(f"{name}.z"))


threadIdx, blockIdx, blockDim, gridDim = vector("tid"), vector("ctaid"), vector("ntid"), vector("nctaid")
laneid, warpsize = Special("laneid"), Special("warpsize")
grid = Intrinsic("grid", "grid(ndim)")
gridsize = Intrinsic("gridsize", "gridsize(ndim)")
syncthreads = Intrinsic("syncthreads", "syncthreads()")
nanosleep = Intrinsic("nanosleep", "nanosleep(nanoseconds)")

# cuda.NAME(predicate) -> what the threads of a block agree on at a barrier
BLOCK_VOTES = {
    "syncthreads_count": Opcode.BARRIER_COUNT,
    "syncthreads_and": Opcode.BARRIER_AND,
    "syncthreads_or": Opcode.BARRIER_OR,
}
syncthreads_count, syncthreads_and, syncthreads_or = (
    Intrinsic(name, f"{name}(predicate)") for name in BLOCK_VOTES
)
# cuda.NAME() -> PTX scope: the block, the device, the system
FENCES = {"threadfence_block": "cta", "threadfence": "gpu", "threadfence_system": "sys"}
threadfence_block, threadfence, threadfence_system = (Intrinsic(name, f"{name}()") for name in FENCES)
shared = Allocation(Space.SHARED, Intrinsic("shared.array", "shared.array(shape, dtype, alignment=None)"))
local = Allocation(Space.LOCAL, Intrinsic("local.array", "local.array(shape, dtype, alignment=None)"))
const = SimpleNamespace(array_like=Intrinsic("const.array_like", "const.array_like(array)"))

# cuda.NAME(array, index[, value]) -> cache operator of PTX: how long a cache should keep the line
_LOADS, _STORES = ("ldca", "ldcg", "ldcs", "ldlu", "ldcv"), ("stcg", "stcs", "stwb", "stwt")
CACHED = {name: name[2:] for name in (*_LOADS, *_STORES)}
ldca, ldcg, ldcs, ldlu, ldcv = (Intrinsic(name, f"{name}(array, index)") for name in _LOADS)
stcg, stcs, stwb, stwt = (Intrinsic(name, f"{name}(array, index, value)") for name in _STORES)


# cuda.atomic.NAME(array, index, value) -> opcode; all return what was there before
ATOMICS = {
    "add": Opcode.ATOMIC_ADD,
    "sub": Opcode.ATOMIC_SUB,
    "and_": Opcode.ATOMIC_AND,
    "or_": Opcode.ATOMIC_OR,
    "xor": Opcode.ATOMIC_XOR,
    "inc": Opcode.ATOMIC_INC,
    "dec": Opcode.ATOMIC_DEC,
    "exch": Opcode.ATOMIC_EXCHANGE,
    "max": Opcode.ATOMIC_MAX,
    "min": Opcode.ATOMIC_MIN,
    "nanmax": Opcode.ATOMIC_NANMAX,
    "nanmin": Opcode.ATOMIC_NANMIN,
}
SCOPES = {"atomic": "", "atomic.block": "cta"}


def _atomics(family: str) -> dict[str, Intrinsic]:
    usages = {
        **dict.fromkeys(ATOMICS, "array, index, value"),
        "cas": "array, index, old, value",
        "compare_and_swap": "array, old, value",
    }
    return {
        name: Intrinsic(f"{family}.{name}", f"{family}.{name}({usage})") for name, usage in usages.items()
    }


# Numba has no `atomic.block`: CUDA C++'s atomicAdd_block and so on, atomic among the threads of a block only
atomic = SimpleNamespace(**_atomics("atomic"), block=SimpleNamespace(**_atomics("atomic.block")))

# cuda.NAME(mask, …) -> opcode; lanes of a warp exchange values
SHUFFLES = {
    "shfl_sync": Opcode.SHFL_IDX,
    "shfl_up_sync": Opcode.SHFL_UP,
    "shfl_down_sync": Opcode.SHFL_DOWN,
    "shfl_xor_sync": Opcode.SHFL_XOR,
}
VOTES = {
    "ballot_sync": Opcode.BALLOT,
    "all_sync": Opcode.VOTE_ALL,
    "any_sync": Opcode.VOTE_ANY,
    "eq_sync": Opcode.VOTE_EQ,
}
MATCHES = {"match_any_sync": Opcode.MATCH_ANY, "match_all_sync": Opcode.MATCH_ALL}
shfl_sync = Intrinsic("shfl_sync", "shfl_sync(mask, value, src_lane)")
shfl_up_sync = Intrinsic("shfl_up_sync", "shfl_up_sync(mask, value, delta)")
shfl_down_sync = Intrinsic("shfl_down_sync", "shfl_down_sync(mask, value, delta)")
shfl_xor_sync = Intrinsic("shfl_xor_sync", "shfl_xor_sync(mask, value, lane_mask)")
ballot_sync, all_sync, any_sync, eq_sync = (Intrinsic(name, f"{name}(mask, predicate)") for name in VOTES)
match_any_sync, match_all_sync = (Intrinsic(name, f"{name}(mask, value)") for name in MATCHES)
syncwarp = Intrinsic("syncwarp", "syncwarp(mask=-1)")
activemask = Intrinsic("activemask", "activemask()")
lanemask_lt = Intrinsic("lanemask_lt", "lanemask_lt()")

# cuda.NAME(x), of an integer -> opcode; the result has the type of x
BITS = {"popc": Opcode.POPC, "brev": Opcode.BREV, "clz": Opcode.CLZ, "ffs": Opcode.FFS}
popc, brev, clz, ffs = (Intrinsic(name, f"{name}(x)") for name in BITS)
cbrt = Intrinsic("cbrt", "cbrt(x)")
fma = Intrinsic("fma", "fma(a, b, c)")
selp = Intrinsic("selp", "selp(condition, a, b)")

# function of math -> opcode; they compute in floating point
UNARY = {
    math.sqrt: Opcode.SQRT,
    math.exp: Opcode.EXP,
    math.log: Opcode.LOG,
    math.sin: Opcode.SIN,
    math.cos: Opcode.COS,
    math.tan: Opcode.TAN,
    math.asin: Opcode.ASIN,
    math.acos: Opcode.ACOS,
    math.atan: Opcode.ATAN,
    math.sinh: Opcode.SINH,
    math.cosh: Opcode.COSH,
    math.tanh: Opcode.TANH,
    math.asinh: Opcode.ASINH,
    math.acosh: Opcode.ACOSH,
    math.atanh: Opcode.ATANH,
    math.expm1: Opcode.EXPM1,
    math.log1p: Opcode.LOG1P,
    math.log2: Opcode.LOG2,
    math.log10: Opcode.LOG10,
    math.erf: Opcode.ERF,
    math.erfc: Opcode.ERFC,
    math.gamma: Opcode.GAMMA,
    math.lgamma: Opcode.LGAMMA,
    math.fabs: Opcode.ABS,
}
BINARY = {
    math.atan2: Opcode.ATAN2,
    math.hypot: Opcode.HYPOT,
    math.copysign: Opcode.COPYSIGN,
    math.fmod: Opcode.FMOD,
    math.pow: Opcode.POW,
}
TESTS = {math.isnan: Opcode.ISNAN, math.isinf: Opcode.ISINF, math.isfinite: Opcode.ISFINITE}
ROUNDING = {math.floor: Opcode.FLOOR, math.ceil: Opcode.CEIL, math.trunc: Opcode.TRUNC}
SCALING = {math.degrees: 180.0 / math.pi, math.radians: math.pi / 180.0}
EXTREMES = {min: Opcode.MIN, max: Opcode.MAX}
