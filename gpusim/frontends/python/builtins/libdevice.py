"""Which functions of NVIDIA's libdevice does a kernel find under `cuda.libdevice`? Those with an instruction.

A name ends in f where it takes float32; `fast_` and `_rn` name the same instruction, computed to the last bit
here: a GPU's fast functions may be off by a few units in the last place.
"""

from __future__ import annotations

from gpusim.frontends.python.builtins.intrinsics import Intrinsic, Namespace
from gpusim.ir.instructions import Kind, Opcode
from gpusim.ir.types import F32, F64, S32, S64, U32, U64, Scalar

BY_MNEMONIC = {opcode.mnemonic: opcode for opcode in Opcode if opcode.kind in (Kind.ARITHMETIC, Kind.COMPARE)}
# of float64, and with an f at the end of float32
FLOATING = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 floor "
    "fma fmod hypot lgamma log log10 log1p log2 pow remainder rint rsqrt sin sinh sqrt tan tanh tgamma trunc"
)
RENAMED = {"fabs": Opcode.ABS, "fmax": Opcode.MAX, "fmin": Opcode.MIN, "nearbyint": Opcode.RINT}
FAST = "cos exp exp10 log log10 log2 pow sin tan"
# fadd_rn is of float32, dadd_rn of float64
ROUNDED = {"add": "fd", "sub": "f", "mul": "fd", "div": "fd", "rcp": "fd", "sqrt": "fd", "rsqrt": "f"}
INTEGER = {
    "abs": (Opcode.ABS, S32), "min": (Opcode.MIN, S32), "max": (Opcode.MAX, S32),
    "llabs": (Opcode.ABS, S64), "llmin": (Opcode.MIN, S64), "llmax": (Opcode.MAX, S64),
    "umin": (Opcode.MIN, U32), "umax": (Opcode.MAX, U32),
    "ullmin": (Opcode.MIN, U64), "ullmax": (Opcode.MAX, U64),
    "brev": (Opcode.BREV, S32), "brevll": (Opcode.BREV, S64),
    "mulhi": (Opcode.MUL_HI, S32), "umulhi": (Opcode.MUL_HI, U32),
    "mul64hi": (Opcode.MUL_HI, S64), "umul64hi": (Opcode.MUL_HI, U64),
}  # fmt: skip
# these answer with an int32
QUESTIONS = {
    "isnand": (Opcode.ISNAN, F64), "isinfd": (Opcode.ISINF, F64), "isfinited": (Opcode.ISFINITE, F64),
    "isnanf": (Opcode.ISNAN, F32), "isinff": (Opcode.ISINF, F32), "finitef": (Opcode.ISFINITE, F32),
    "popc": (Opcode.POPC, S32), "clz": (Opcode.CLZ, S32), "ffs": (Opcode.FFS, S32),
    "popcll": (Opcode.POPC, S64), "clzll": (Opcode.CLZ, S64), "ffsll": (Opcode.FFS, S64),
}  # fmt: skip
SIGNED = {U32: S32, U64: S64}  # Numba's libdevice gives no unsigned numbers
WIDTHS = (("", F64), ("f", F32))
REAL = {"float": F32, "double": F64}
WHOLE = {"int": S32, "uint": U32, "ll": S64, "ull": U64}
BITS = {
    "float_as_int": (F32, S32), "int_as_float": (S32, F32),
    "double_as_longlong": (F64, S64), "longlong_as_double": (S64, F64),
}  # fmt: skip


def _row(
    name: str, opcode: Opcode | Scalar, types: tuple[Scalar, ...], result: Scalar
) -> tuple[str, Intrinsic]:
    """A function of these types; a type instead of the opcode is what it converts to."""
    usage = f"libdevice.{name}({', '.join('xyz'[: len(types)])})"
    return name, Intrinsic(usage, "typed", (opcode, *types), result=SIGNED.get(result, result))


def _alike(name: str, opcode: Opcode, type_: Scalar) -> tuple[str, Intrinsic]:
    """All arguments and the result are of one type."""
    assert opcode.values is not None
    return _row(name, opcode, (type_,) * opcode.values, type_)


NAMES = dict(
    [
        *(_alike(name + f, BY_MNEMONIC[name], type_) for name in FLOATING.split() for f, type_ in WIDTHS),
        *(_alike(name + f, opcode, type_) for name, opcode in RENAMED.items() for f, type_ in WIDTHS),
        *(_alike(f"fast_{name}f", BY_MNEMONIC[name], F32) for name in FAST.split()),
        _alike("fast_fdividef", Opcode.DIV, F32),
        *(_alike(f"f{name}_rn", BY_MNEMONIC[name], F32) for name in ROUNDED),
        *(_alike(f"d{name}_rn", BY_MNEMONIC[name], F64) for name, of in ROUNDED.items() if "d" in of),
        *(_alike(f"fma{f}_rn", Opcode.FMA, type_) for f, type_ in WIDTHS),
        *(_row(f"ldexp{f}", Opcode.SCALE, (type_, S32), type_) for f, type_ in WIDTHS),
        *(_alike(name, opcode, type_) for name, (opcode, type_) in INTEGER.items()),
        *(_row(name, opcode, (type_,), S32) for name, (opcode, type_) in QUESTIONS.items()),
        *(_row(f"{r}2{w}_rz", WHOLE[w], (REAL[r],), WHOLE[w]) for r in REAL for w in WHOLE),
        *(_row(f"{w}2{r}_rn", REAL[r], (WHOLE[w],), REAL[r]) for r in REAL for w in WHOLE),
        _row("double2float_rn", F32, (F64,), F32),
        *(_row(name, Opcode.REINTERPRET, (given,), result) for name, (given, result) in BITS.items()),
    ]
)
# functions of libdevice that are not here -> what to use; NAME is the name
SIDES = ("rd", "ru", "rz")
IN_CPP, IN_CPP_AS = (f"CUDA C++ has it as {name}, for a gpusim.RawModule" for name in ("NAME", "__NAME"))
ROUNDINGS = {"rd": "int(math.floor(x))", "ru": "int(math.ceil(x))", "rn": "int(cuda.libdevice.rint(x))"}
# of float64, and with an f at the end of float32
ABSENT_FLOATING = {
    "cospi erfcinv erfcx erfinv fdim ilogb j0 j1 jn llrint llround logb nextafter normcdf normcdfinv rcbrt "
    "remquo round sincospi sinpi y0 y1 yn": IN_CPP,
    "frexp modf": "use the function of math",
    "powi": "write x ** n",
    "scalbn": "use math.ldexp(x, n)",
    "sincos": "use math.sin(x) and math.cos(x)",
}
ABSENT_ALONE = {
    "byte_perm double2hiint double2loint hadd hiloint2double mul24 rhadd sad saturatef uhadd umul24 urhadd "
    "usad": IN_CPP_AS,
    "fast_sincosf": "use math.sin(x) and math.cos(x)",
    "float2half_rn": "use np.float16(x)",
    "half2float": "use np.float32(x)",
    "signbitd signbitf": "write math.copysign(1.0, x) < 0",
}
ROUNDED_ASIDE = [
    *(
        f"{one}{name}_{side}"
        for name, of in ROUNDED.items()
        for one in of
        for side in SIDES
        if name != "rsqrt"
    ),
    *(f"fma{f}_{side}" for f, _ in WIDTHS for side in SIDES),
    *(f"{w}2float_{side}" for w in WHOLE for side in SIDES),
    *(f"{w}2double_{side}" for w in ("ll", "ull") for side in SIDES),
    *(f"double2float_{side}" for side in SIDES),
]
ABSENT = {
    **dict.fromkeys(ROUNDED_ASIDE, IN_CPP_AS),
    **{f"{r}2{w}_{side}": f"use {how}" for r in REAL for w in WHOLE for side, how in ROUNDINGS.items()},
    **{
        name + f: instead
        for names, instead in ABSENT_FLOATING.items()
        for name in names.split()
        for f, _ in WIDTHS
    },
    **{name: instead for names, instead in ABSENT_ALONE.items() for name in names.split()},
}


class Libdevice(Namespace):
    """The functions, and what to use where one is not here."""

    def __repr__(self) -> str:
        return "<cuda.libdevice: for kernels>"

    def instead_of(self, name: str) -> str:
        if name not in ABSENT:
            return super().instead_of(name)
        return f"it is not simulated: {ABSENT[name].replace('NAME', name)}"


libdevice = Libdevice(**NAMES)
