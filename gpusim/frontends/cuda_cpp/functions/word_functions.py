"""Which functions of CUDA C++ work on bits? Counts, high products, permutations, SIMD in a word."""

from __future__ import annotations

from collections.abc import Iterator

from gpusim.frontends.cuda_cpp.functions.prototypes import Row
from gpusim.ir.instructions import Opcode
from gpusim.ir.types import S32, S64, U32, U64, Scalar

UINT, WIDE = "unsigned int", "unsigned long long"
OPCODES: dict[str, tuple[Opcode, Scalar]] = {
    f"int __popc({UINT})": (Opcode.POPC, U32),
    f"int __popcll({WIDE})": (Opcode.POPC, U64),
    "int __clz(int)": (Opcode.CLZ, S32),
    "int __clzll(long long)": (Opcode.CLZ, S64),
    "int __ffs(int)": (Opcode.FFS, S32),
    "int __ffsll(long long)": (Opcode.FFS, S64),
    f"{UINT} __brev({UINT})": (Opcode.BREV, U32),
    f"{WIDE} __brevll({WIDE})": (Opcode.BREV, U64),
    "int __mulhi(int, int)": (Opcode.MUL_HI, S32),
    f"{UINT} __umulhi({UINT}, {UINT})": (Opcode.MUL_HI, U32),
    "long long __mul64hi(long long, long long)": (Opcode.MUL_HI, S64),
    f"{WIDE} __umul64hi({WIDE}, {WIDE})": (Opcode.MUL_HI, U64),
}
# functions of the machine's library, under their names without underscores
LIBRARY = (
    "int __mul24(int, int)",
    f"{UINT} __umul24({UINT}, {UINT})",
    f"{UINT} __sad(int, int, {UINT})",
    f"{UINT} __usad({UINT}, {UINT}, {UINT})",
    "int __hadd(int, int)",
    "int __rhadd(int, int)",
    f"{UINT} __uhadd({UINT}, {UINT})",
    f"{UINT} __urhadd({UINT}, {UINT})",
    f"{UINT} __byte_perm({UINT}, {UINT}, {UINT})",
    f"{UINT} __funnelshift_l({UINT}, {UINT}, {UINT})",
    f"{UINT} __funnelshift_lc({UINT}, {UINT}, {UINT})",
    f"{UINT} __funnelshift_r({UINT}, {UINT}, {UINT})",
    f"{UINT} __funnelshift_rc({UINT}, {UINT}, {UINT})",
    f"{UINT} __fns({UINT}, {UINT}, int)",
    "int __dp4a(int, int, int)",
    f"{UINT} __dp4a({UINT}, {UINT}, {UINT})",
    "int __dp2a_lo(int, int, int)",
    f"{UINT} __dp2a_lo({UINT}, {UINT}, {UINT})",
    "int __dp2a_hi(int, int, int)",
    f"{UINT} __dp2a_hi({UINT}, {UINT}, {UINT})",
    "int __double2hiint(double)",
    "int __double2loint(double)",
    "double __hiloint2double(int, int)",
)
# functions of the library whose vectors are words there
OF_VECTORS = (
    "int __dp4a(char4, char4, int)",
    f"{UINT} __dp4a(uchar4, uchar4, {UINT})",
    "int __dp2a_lo(short2, char4, int)",
    f"{UINT} __dp2a_lo(ushort2, uchar4, {UINT})",
    "int __dp2a_hi(short2, char4, int)",
    f"{UINT} __dp2a_hi(ushort2, uchar4, {UINT})",
)
BIT_CASTS = {
    "__float_as_int": ("float", "int"),
    "__float_as_uint": ("float", UINT),
    "__int_as_float": ("int", "float"),
    "__uint_as_float": (UINT, "float"),
    "__double_as_longlong": ("double", "long long"),
    "__longlong_as_double": ("long long", "double"),
    "__half_as_short": ("__half", "short"),
    "__half_as_ushort": ("__half", "unsigned short"),
    "__short_as_half": ("short", "__half"),
    "__ushort_as_half": ("unsigned short", "__half"),
}
# of two halves or four bytes in a word: operation -> signs, number of operands
SIMD_SIGNED = "abs absss neg negss"
SIMD_BINARY = (
    "add addss addus sub subss subus absdiffs absdiffu avgs avgu haddu maxs maxu mins minu sads sadu"
)
SIMD_COMPARED = "eq ne ges geu gts gtu les leu lts ltu"
LANES = (2, 4)
# DPX: kind of word -> its C type; the sum and the extremes of three, and of two where 0 takes part
DYNAMIC_PROGRAMMING = {"s32": "int", "u32": UINT, "s16x2": UINT, "u16x2": UINT}


def rows() -> Iterator[Row]:
    """All of them."""
    for prototype, detail in OPCODES.items():
        yield Row(prototype, "opcode", detail)
    for family, prototypes in {"call": LIBRARY, "call_packed": OF_VECTORS}.items():
        for prototype in prototypes:
            yield Row(prototype, family, prototype.partition("(")[0].rpartition(" ")[2].strip("_"))
    for name, (given, result) in BIT_CASTS.items():
        yield Row(f"{result} {name}({given})", "bits")
    for kind, type_ in DYNAMIC_PROGRAMMING.items():
        signed = ("", "_relu") if kind[0] == "s" else ("",)
        for name in (
            f"{what}_{kind}{relu}" for what in ("imax3", "imin3", "iaddmax", "iaddmin") for relu in signed
        ):
            yield Row(f"{type_} __v{name}({type_}, {type_}, {type_})", "call", f"v{name}")
        for name in (f"{what}_{kind}_relu" for what in ("imax", "imin") if kind[0] == "s"):
            yield Row(f"{type_} __v{name}({type_}, {type_})", "call", f"v{name}")
    for lanes in LANES:
        for operation in SIMD_SIGNED.split():
            yield Row(f"{UINT} __v{operation}{lanes}({UINT})", "call", f"v{operation}{lanes}")
        compared = [f"{kind}{of}" for kind in ("cmp", "set") for of in SIMD_COMPARED.split()]
        for operation in (*SIMD_BINARY.split(), *compared):
            yield Row(f"{UINT} __v{operation}{lanes}({UINT}, {UINT})", "call", f"v{operation}{lanes}")
