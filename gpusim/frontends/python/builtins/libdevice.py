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
REALS = {"f": F32, "d": F64}
REAL = {"float": F32, "double": F64}
WHOLE = {"int": S32, "uint": U32, "ll": S64, "ull": U64}
# the largest whole number below, the smallest above, the nearest
TO_WHOLE = {"rd": Opcode.FLOOR, "ru": Opcode.CEIL, "rn": Opcode.RINT}
SIDES = ("rd", "ru", "rz")
# what has no opcode is called by name: of float64, and with an f at the end of float32
CALLED = "cospi erfcinv erfcx erfinv fdim j0 j1 logb nextafter normcdf normcdfinv rcbrt round sinpi y0 y1"
TWO_SIDED = ("fdim", "nextafter")
OF_WORDS = {
    "byte_perm": (S32,) * 3, "hadd": (S32,) * 2, "rhadd": (S32,) * 2, "uhadd": (U32,) * 2,
    "urhadd": (U32,) * 2, "mul24": (S32,) * 2, "umul24": (U32,) * 2, "sad": (S32, S32, U32),
    "usad": (U32,) * 3, "double2hiint": (F64,), "double2loint": (F64,),
}  # fmt: skip
OPERANDS = {"rcp": 1, "sqrt": 1, "fma": 3}  # of what rounds; else two
BITS = {
    "float_as_int": (F32, S32), "int_as_float": (S32, F32),
    "double_as_longlong": (F64, S64), "longlong_as_double": (S64, F64),
}  # fmt: skip


def _row(
    name: str, opcode: Opcode | Scalar | str, types: tuple[Scalar, ...], result: Scalar
) -> tuple[str, Intrinsic]:
    """Of these types; instead of an opcode, a type is what it converts to, a text what it calls."""
    usage = f"libdevice.{name}({', '.join('xyz'[: len(types)])})"
    return name, Intrinsic(usage, "typed", (opcode, types, result), result=SIGNED.get(result, result))


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
        *(
            _row(f"{r}2{w}_{side}", opcode, (REAL[r],), WHOLE[w])
            for r in REAL
            for w in WHOLE
            for side, opcode in TO_WHOLE.items()
        ),
        *(
            _row(f"{of}{name}_{side}", f"{name}.{side}", (REALS[of],) * OPERANDS.get(name, 2), REALS[of])
            for name, ofs in ROUNDED.items()
            if name != "rsqrt"
            for of in ofs
            for side in SIDES
        ),
        *(_row(f"fma{f}_{s}", f"fma.{s}", (type_,) * 3, type_) for f, type_ in WIDTHS for s in SIDES),
        *(_row(f"{w}2float_{s}", f"convert.{s}", (WHOLE[w],), F32) for w in WHOLE for s in SIDES),
        *(_row(f"{w}2double_{s}", f"convert.{s}", (WHOLE[w],), F64) for w in ("ll", "ull") for s in SIDES),
        *(_row(f"double2float_{s}", f"convert.{s}", (F64,), F32) for s in SIDES),
        *(
            _row(name + f, name, (type_,) * (2 if name in TWO_SIDED else 1), type_)
            for name in CALLED.split()
            for f, type_ in WIDTHS
        ),
        *(_row(name + f, name, (S32, type_), type_) for name in ("jn", "yn") for f, type_ in WIDTHS),
        *(_row(f"scalbn{f}", Opcode.SCALE, (type_, S32), type_) for f, type_ in WIDTHS),
        *(_row(f"ilogb{f}", "ilogb", (type_,), S32) for f, type_ in WIDTHS),
        *(_row(f"llrint{f}", Opcode.RINT, (type_,), S64) for f, type_ in WIDTHS),
        *(_row(f"llround{f}", "round", (type_,), S64) for f, type_ in WIDTHS),
        *(_row(f"signbit{f or 'd'}", "signbit", (type_,), S32) for f, type_ in WIDTHS),
        *(_row(name, name, types, U32 if name[0] == "u" else S32) for name, types in OF_WORDS.items()),
        _row("hiloint2double", "hiloint2double", (S32, S32), F64),
        _row("saturatef", "saturate", (F32,), F32),
        *(_row(name, Opcode.REINTERPRET, (given,), result) for name, (given, result) in BITS.items()),
    ]
)
# functions of libdevice that are not here, most of which give two numbers -> what to use; NAME is the name
# of float64, and with an f at the end of float32
ABSENT_FLOATING = {
    "remquo sincospi": "CUDA C++ has it as NAME, for a gpusim.RawModule",
    "frexp modf": "use the function of math",
    "powi": "write x ** n",
    "sincos": "use math.sin(x) and math.cos(x)",
}
ABSENT = {
    **{
        name + f: instead
        for names, instead in ABSENT_FLOATING.items()
        for name in names.split()
        for f, _ in WIDTHS
    },
    "fast_sincosf": "use math.sin(x) and math.cos(x)",
    "float2half_rn": "use np.float16(x)",
    "half2float": "use np.float32(x)",
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
