"""Which names of `cuda` mean an instruction? Special registers and intrinsics.

`gpusim.cuda` shows these objects to kernels under the names that they have here, Numba's; the front-end finds
them there by identity.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NoReturn

from gpusim.errors import GpuSimError, suggestion
from gpusim.frontends.python.builtins import rules
from gpusim.frontends.python.builtins.descriptions import description
from gpusim.frontends.python.builtins.rules import Rule
from gpusim.ir.details import CacheOperator, Scope, SpecialRegister
from gpusim.ir.instructions import Opcode
from gpusim.ir.types import PRED, U32, Scalar, Space


@dataclass(frozen=True, repr=False)
class Intrinsic:
    """A function that a kernel may call.

    `family` names the way it is lowered, in the table of `families`. `detail` tells it apart from the rest of
    its family, such as an opcode or a memory space; `scope` says who sees an atomic in time. `rule` gives the
    type it computes in, `result` the type of what it gives where that is another. `usage` is shown when it is
    called wrongly, under the module `home`.
    """

    usage: str
    family: str
    detail: Any = None
    scope: Scope | None = None
    rule: Rule | None = None
    result: Scalar | None = None
    home: str = "cuda."

    def __post_init__(self) -> None:
        doc = f"{self.home}{self.usage}\n\n{description(self.name)}".rstrip()
        object.__setattr__(self, "__doc__", doc)  # what help() shows

    def __repr__(self) -> str:
        return f"<{self.home}{self.usage}, for kernels>"

    @property
    def name(self) -> str:
        """Its name under `home`."""
        return self.usage.partition("(")[0]

    @property
    def parameters(self) -> dict[str, Any]:
        """Its parameters, with their defaults, `...` for none. One that starts with * takes the rest."""
        given = self.usage.partition("(")[2].rstrip(")")
        pairs = (parameter.strip().partition("=") for parameter in given.split(",") if parameter)
        return {name: ast.literal_eval(default) if default else ... for name, _, default in pairs}

    def __call__(self, *_arguments: Any, **_keywords: Any) -> NoReturn:
        raise GpuSimError(
            f"{self.home}{self.usage} runs inside a kernel only; launch one with kernel[grid, block](…)"
        )


class Namespace(SimpleNamespace):
    """Names that belong together, such as those of `cuda.atomic`."""

    def _listed(self) -> str:
        return "\n\n".join(one.__doc__ or "" for one in vars(self).values())

    vars().update(__doc__=property(_listed))  # what help() shows

    def __repr__(self) -> str:
        return f"<{', '.join(vars(self))}: for kernels>"

    def instead_of(self, name: str) -> str:
        """What to use where there is no such name."""
        return suggestion(name, vars(self))

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"no {name!r} among {self!r}; {self.instead_of(name)}".removesuffix("; "))


def alike(family: str, usage: str, opcodes: str, names: str) -> list[Intrinsic]:
    """Intrinsics that differ only in the name that stands for `*` in their usage and in their opcode."""
    return [
        Intrinsic(usage.replace("*", name), family, Opcode[opcodes.replace("*", name.upper())])
        for name in names.split()
    ]


threadIdx, blockIdx, blockDim, gridDim = (
    Namespace(**{axis: SpecialRegister(f"{register}.{axis}") for axis in "xyz"})
    for register in ("tid", "ctaid", "ntid", "nctaid")
)
laneid, warpsize = SpecialRegister.LANEID, SpecialRegister.WARPSIZE
grid = Intrinsic("grid(ndim)", "grid")
gridsize = Intrinsic("gridsize(ndim)", "gridsize")
syncthreads = Intrinsic("syncthreads()", "barrier", Opcode.BARRIER)
syncthreads_count, syncthreads_and, syncthreads_or = alike(
    "block_vote", "syncthreads_*(predicate)", "BARRIER_*", "count and or"
)
threadfence_block, threadfence, threadfence_system = (
    Intrinsic(f"threadfence{name}()", "fence", scope)
    for name, scope in (("_block", Scope.CTA), ("", Scope.GPU), ("_system", Scope.SYS))
)
literal_unroll = Intrinsic("literal_unroll(items)", "unrolled")
nanosleep = Intrinsic("nanosleep(nanoseconds)", "nanosleep")
shared = Namespace(array=Intrinsic("shared.array(shape, dtype, alignment=None)", "storage", Space.SHARED))
local = Namespace(array=Intrinsic("local.array(shape, dtype, alignment=None)", "storage", Space.LOCAL))
const = Namespace(array_like=Intrinsic("const.array_like(array)", "const_array_like"))

# with a cache operator of PTX, which is in their name: how long a cache should keep the line
ldca, ldcg, ldcs, ldlu, ldcv = (
    Intrinsic(f"ld{name}(array, index)", "cached", CacheOperator(name))
    for name in ("ca", "cg", "cs", "lu", "cv")
)
stcg, stcs, stwb, stwt = (
    Intrinsic(f"st{name}(array, index, value)", "cached", CacheOperator(name))
    for name in ("cg", "cs", "wb", "wt")
)

# cuda.atomic.NAME -> parameters and opcode; all return what was there before
ATOMICS = {
    name: ("array, index, value", Opcode[f"ATOMIC_{opcode}"])
    for name, opcode in {
        "add": "ADD", "sub": "SUB", "and_": "AND", "or_": "OR", "xor": "XOR", "inc": "INC", "dec": "DEC",
        "exch": "EXCHANGE", "max": "MAX", "min": "MIN", "nanmax": "NANMAX", "nanmin": "NANMIN",
    }.items()
} | {
    "cas": ("array, index, old, value", Opcode.ATOMIC_CAS),
    "compare_and_swap": ("array, old, value", Opcode.ATOMIC_CAS),
}  # fmt: skip


def atomics(prefix: str, scope: Scope | None = None) -> dict[str, Intrinsic]:
    """The atomic functions under one name, for one scope."""
    return {
        name: Intrinsic(f"{prefix}.{name}({parameters})", "atomic", opcode, scope)
        for name, (parameters, opcode) in ATOMICS.items()
    }


# Numba has no `atomic.block`: CUDA C++'s atomicAdd_block and so on, atomic among the threads of a block only
atomic = Namespace(**atomics("atomic"), block=Namespace(**atomics("atomic.block", Scope.CTA)))

# lanes of a warp exchange values
shfl_sync = Intrinsic("shfl_sync(mask, value, src_lane)", "shuffle", Opcode.SHFL_IDX)
shfl_up_sync = Intrinsic("shfl_up_sync(mask, value, delta)", "shuffle", Opcode.SHFL_UP)
shfl_down_sync = Intrinsic("shfl_down_sync(mask, value, delta)", "shuffle", Opcode.SHFL_DOWN)
shfl_xor_sync = Intrinsic("shfl_xor_sync(mask, value, lane_mask)", "shuffle", Opcode.SHFL_XOR)
ballot_sync = Intrinsic("ballot_sync(mask, predicate)", "vote", Opcode.BALLOT)
all_sync, any_sync, eq_sync = alike("vote", "*_sync(mask, predicate)", "VOTE_*", "all any eq")
match_any_sync, match_all_sync = alike("match", "match_*_sync(mask, value)", "MATCH_*", "any all")
syncwarp = Intrinsic("syncwarp(mask=-1)", "syncwarp", Opcode.SYNC_WARP)
activemask, lanemask_lt = (
    Intrinsic(f"{register.value}()", "lane_mask", register)
    for register in (SpecialRegister.ACTIVEMASK, SpecialRegister.LANEMASK_LT)
)


def computed(rule: Rule, opcodes: dict[str, Opcode], parameters: str, **also: Any) -> list[Intrinsic]:
    """Functions that are one instruction each, computed in the type that `rule` gives."""
    return [
        Intrinsic(f"{name}({parameters})", "computed", opcode, rule=rule, **also)
        for name, opcode in opcodes.items()
    ]


popc, clz = computed(rules.whole, {"popc": Opcode.POPC, "clz": Opcode.CLZ}, "x")
brev = Intrinsic("brev(x)", "computed", Opcode.BREV, rule=rules.unsigned)
ffs = Intrinsic("ffs(x)", "computed", Opcode.FFS, rule=rules.whole, result=U32)
cbrt = Intrinsic("cbrt(x)", "computed", Opcode.CBRT, rule=rules.floating)
fma = Intrinsic("fma(a, b, c)", "computed", Opcode.FMA, rule=rules.floating)
selp = Intrinsic("selp(condition, a, b)", "selp")
# methods of numbers
OF_NUMBERS = {
    "conjugate": Intrinsic("conjugate(z)", "conjugate", home=""),
    "item": Intrinsic("item(x)", "itself", home=""),
    "view": Intrinsic("view(x, dtype)", "reinterpreted", home=""),
}


def halves(names: str, parameters: str, **also: Any) -> dict[str, Intrinsic]:
    """Functions of float16; the opcode of `hneg` is NEG."""
    opcodes = {f"fp16.h{name}": Opcode[name.upper()] for name in names.split()}
    made = computed(rules.halves, opcodes, parameters, **also)
    return {function.name.removeprefix("fp16."): function for function in made}


fp16 = Namespace(
    **halves("neg abs sin cos log log2 log10 exp exp2 exp10 sqrt rsqrt rcp floor ceil rint trunc", "a"),
    **halves("add sub mul div max min", "a, b"),
    **halves("eq ne lt le gt ge", "a, b", result=PRED),
    **halves("fma", "a, b, c"),
)

# Numba knows these as names of the module only: `from numba.cuda import threadIdx` runs in no kernel there
BY_MODULE = threadIdx, blockIdx, blockDim, gridDim, shared, local, const, atomic

# name under `cuda` -> what it means in a kernel
PUBLIC: dict[str, Any] = {
    name: meaning
    for name, meaning in list(vars().items())
    if isinstance(meaning, Intrinsic | SpecialRegister | SimpleNamespace)
}
