"""Which functions of CUDA C++ are of halves? Those of cuda_fp16.h: of `__half`, and of two in a `__half2`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpusim.frontends.cuda_cpp.functions.math_functions import MODES, TOWARD, narrowed
from gpusim.frontends.cuda_cpp.functions.prototypes import Row
from gpusim.ir.instructions import Opcode

HALF, PAIR = "__half", "__half2"
# name of the half's function, of the pair's: what they compute, one step after the other
UNARY: dict[tuple[str, str], tuple[Any, ...]] = {
    **{
        (f"h{name}", f"h2{name}"): (opcode,)
        for name, opcode in {
            "sin": Opcode.SIN, "cos": Opcode.COS, "exp": Opcode.EXP, "exp2": Opcode.EXP2,
            "exp10": Opcode.EXP10, "log": Opcode.LOG, "log2": Opcode.LOG2, "log10": Opcode.LOG10,
            "sqrt": Opcode.SQRT, "rsqrt": Opcode.RSQRT, "rcp": Opcode.RCP, "tanh": Opcode.TANH,
            "tanh_approx": Opcode.TANH, "floor": Opcode.FLOOR, "ceil": Opcode.CEIL, "rint": Opcode.RINT,
            "trunc": Opcode.TRUNC,
        }.items()
    },
    ("__hneg", "__hneg2"): (Opcode.NEG,),
    ("__habs", "__habs2"): (Opcode.ABS,),
}  # fmt: skip
BINARY: dict[tuple[str, str], tuple[Any, ...]] = {
    **{
        (f"__h{name}{suffix}", f"__h{name}2{suffix}"): (opcode, *after)
        for name, opcode in {"add": Opcode.ADD, "sub": Opcode.SUB, "mul": Opcode.MUL}.items()
        for suffix, after in {"": (), "_rn": (), "_sat": ("saturate",)}.items()
    },
    ("__hdiv", "__h2div"): (Opcode.DIV,),
    ("__hmin", "__hmin2"): (Opcode.MIN,),
    ("__hmax", "__hmax2"): (Opcode.MAX,),
    ("__hmin_nan", "__hmin2_nan"): (Opcode.MIN_NAN,),
    ("__hmax_nan", "__hmax2_nan"): (Opcode.MAX_NAN,),
}
TERNARY: dict[tuple[str, str], tuple[Any, ...]] = {
    (f"__hfma{suffix}", f"__hfma2{suffix}"): (Opcode.FMA, *after)
    for suffix, after in {"": (), "_sat": ("saturate",), "_relu": ("relu",)}.items()
}
# with a NaN, comparisons are false; those that end in u are true
COMPARISONS: dict[str, Opcode | str] = {
    "eq": Opcode.EQ, "ne": "islessgreater", "lt": Opcode.LT, "le": Opcode.LE, "gt": Opcode.GT,
    "ge": Opcode.GE, "equ": "equ", "neu": Opcode.NE, "ltu": "ltu", "leu": "leu", "gtu": "gtu", "geu": "geu",
}  # fmt: skip
WHOLE = {
    "int": "int", "uint": "unsigned int", "short": "short", "ushort": "unsigned short", "ll": "long long",
    "ull": "unsigned long long",
}  # fmt: skip
BYTES = {"char": "signed char", "uchar": "unsigned char"}
# which numbers of the arguments, counted on from one to the next, make the result
ARRANGED = {
    "__half2 make_half2(__half, __half)": (0, 1),
    "__half2 __halves2half2(__half, __half)": (0, 1),
    "__half2 __half2half2(__half)": (0, 0),
    "__half2 __low2half2(__half2)": (0, 0),
    "__half2 __high2half2(__half2)": (1, 1),
    "__half2 __lows2half2(__half2, __half2)": (0, 2),
    "__half2 __highs2half2(__half2, __half2)": (1, 3),
    "__half2 __lowhigh2highlow(__half2)": (1, 0),
    "__half2 __float2half2_rn(float)": (0, 0),
    "__half2 __floats2half2_rn(float, float)": (0, 1),
    "__half2 __float22half2_rn(float2)": (0, 1),
    "float2 __half22float2(__half2)": (0, 1),
    "__half __low2half(__half2)": (0,),
    "__half __high2half(__half2)": (1,),
    "float __low2float(__half2)": (0,),
    "float __high2float(__half2)": (1,),
}


def rows() -> Iterator[Row]:
    """All of them."""
    for count, table in enumerate((UNARY, BINARY, TERNARY), 1):
        for (of_half, of_pair), steps in table.items():
            yield Row(f"{HALF} {of_half}({', '.join([HALF] * count)})", "half", steps)
            yield Row(f"{PAIR} {of_pair}({', '.join([PAIR] * count)})", "half", steps)
    for name, what in COMPARISONS.items():
        yield Row(f"bool __h{name}({HALF}, {HALF})", "half_test", what)
        yield Row(f"{PAIR} __h{name}2({PAIR}, {PAIR})", "half_test", what)
        yield Row(f"unsigned int __h{name}2_mask({PAIR}, {PAIR})", "half_test", what)
        yield Row(f"bool __hb{name}2({PAIR}, {PAIR})", "half_test", what)
    yield Row(f"bool __hisnan({HALF})", "half_test", Opcode.ISNAN)
    yield Row(f"{PAIR} __hisnan2({PAIR})", "half_test", Opcode.ISNAN)
    yield Row(f"int __hisinf({HALF})", "call", "isinf.sign")
    for prototype, places in ARRANGED.items():
        yield Row(prototype, "make", places)
    yield from _conversions()


def _conversions() -> Iterator[Row]:
    yield Row(f"float __half2float({HALF})", "convert")
    yield Row(f"{HALF} __float2half(float)", "convert")
    yield Row(f"{HALF} __double2half(double)", "convert")
    for short, type_ in BYTES.items():
        yield Row(f"{type_} __half2{short}_rz({HALF})", "to_integer")
    for mode in MODES:
        for short, type_ in WHOLE.items():
            yield Row(f"{type_} __half2{short}_{mode}({HALF})", "to_integer", TOWARD[mode])
            yield Row(f"{HALF} __{short}2half_{mode}({type_})", *narrowed(mode))
        yield Row(f"{HALF} __float2half_{mode}(float)", *narrowed(mode))
