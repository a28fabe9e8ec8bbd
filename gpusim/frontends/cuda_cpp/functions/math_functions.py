"""Which functions of the CUDA math API may a kernel call? Of double, of float with an f, and overloads."""

from __future__ import annotations

from collections.abc import Iterator

from gpusim.frontends.cuda_cpp.functions.prototypes import Row
from gpusim.ir.instructions import Kind, Opcode

BY_MNEMONIC = {opcode.mnemonic: opcode for opcode in Opcode if opcode.kind is Kind.ARITHMETIC}
# one instruction each, under its own name, and under others
INSTRUCTIONS = (
    "acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp10 exp2 expm1 floor lgamma log "
    "log10 log1p log2 rint rsqrt sin sinh sqrt tan tanh tgamma trunc "
    "atan2 copysign fmod hypot pow remainder fma"
)
# of float and double alone: C++ has them not
OF_CUDA = [
    "exp10",
    "rsqrt",
    "sinpi",
    "cospi",
    "erfinv",
    "erfcinv",
    "erfcx",
    "normcdf",
    "normcdfinv",
    "j0",
    "j1",
    "y0",
    "y1",
    "cyl_bessel_i0",
    "cyl_bessel_i1",
    "rcbrt",
]
OF_DOUBLE = ("rhypot", "norm3d", "rnorm3d", "norm4d", "rnorm4d")
RENAMED = {"fabs": Opcode.ABS, "nearbyint": Opcode.RINT, "fmax": Opcode.MAX, "fmin": Opcode.MIN}
# functions of the machine's library, with the number of their parameters
LIBRARY = {
    1: "sinpi cospi erfinv erfcinv erfcx normcdf normcdfinv j0 j1 y0 y1 cyl_bessel_i0 cyl_bessel_i1 rcbrt "
    "logb round",
    2: "fdim nextafter rhypot",
    3: "norm3d rnorm3d",
    4: "norm4d rnorm4d",
}  # fmt: skip
TESTS = {"isnan": Opcode.ISNAN, "isinf": Opcode.ISINF, "isfinite": Opcode.ISFINITE, "signbit": "signbit"}
# NAME(x) with an integer for a result
TO_INTEGER = {
    "ilogb": ("int", "ilogb"), "lround": ("long", "round"), "llround": ("long long", "round"),
    "lrint": ("long", Opcode.RINT), "llrint": ("long long", Opcode.RINT),
}  # fmt: skip
# a power of two times x
SCALINGS = {"ldexp": "int", "scalbn": "int", "scalbln": "long"}
# functions that write a part of their result through a pointer, and what they compute
OF_REAL = {
    "frexp": ("R frexp(R, int*)", (Opcode.MANTISSA, Opcode.EXPONENT)),
    "remquo": ("T remquo(T, T, int*)", (Opcode.REMAINDER, "remquo.quotient")),
    "modf": ("T modf(T, T*)", (Opcode.FRACTION, Opcode.TRUNC)),
    "sincos": ("void sincos(T, T*, T*)", (Opcode.SIN, Opcode.COS)),
    "sincospi": ("void sincospi(T, T*, T*)", ("sinpi", "cospi")),
}
EXTREMES = {"min": Opcode.MIN, "max": Opcode.MAX}
# of min(T, T): the result where the two types differ
MIXED = {
    ("int", "unsigned int"): "unsigned int", ("long", "unsigned long"): "unsigned long",
    ("long long", "unsigned long long"): "unsigned long long", ("float", "double"): "double",
}  # fmt: skip
FAST = "cos exp exp10 log log10 log2 sin tan tanh"
# __fadd_rn and __dadd_rn: number of parameters
ROUNDED = {"add": 2, "sub": 2, "mul": 2, "div": 2, "rcp": 1, "sqrt": 1}
MODES = ("rn", "rz", "ru", "rd")
WHOLE = {"int": "int", "uint": "unsigned int", "ll": "long long", "ull": "unsigned long long"}
TOWARD = {"rn": Opcode.RINT, "rz": None, "ru": Opcode.CEIL, "rd": Opcode.FLOOR}


def rows() -> Iterator[Row]:
    """All of them."""
    operations = {name: BY_MNEMONIC[name] for name in INSTRUCTIONS.split()} | RENAMED
    for name, opcode in operations.items():
        yield from _real(name, opcode.values or 1, opcode)
    for count, names in LIBRARY.items():
        for name in names.split():
            yield from _real(name, count, name)
    for name, test in TESTS.items():
        yield Row(f"bool {name}(R)", "real", test)
    for name, (result, what) in TO_INTEGER.items():
        yield Row(f"{result} {name}(R)", "real", what)
        yield Row(f"{result} {name}f(float)", "real", what)
    for name, exponent in SCALINGS.items():
        yield Row(f"R {name}(R, {exponent})", "scale")
        yield Row(f"float {name}f(float, {exponent})", "scale")
    for name, (prototype, parts) in OF_REAL.items():
        yield Row(prototype, "parts", parts, types=("float", "double") if "T" in prototype else ())
        of_float = prototype.replace(name, f"{name}f").replace("R", "float").replace("T", "float")
        yield Row(of_float, "parts", parts)
    for of, name in (("double", "jn"), ("double", "yn"), ("float", "jnf"), ("float", "ynf")):
        yield Row(f"{of} {name}(int, {of})", "call", name[:2])
    yield Row("double nan(const char*)", "nan")
    yield Row("float nanf(const char*)", "nan")
    yield from _extremes()
    yield from _fast()
    yield from _conversions()


def _real(name: str, count: int, what: Opcode | str) -> Iterator[Row]:
    """`float sinf(float)`, and `sin` of all types."""
    if name in OF_CUDA:
        yield Row(f"T {name}({', '.join('T' * count)})", "real", what, types=("float", "double"))
    elif name in OF_DOUBLE:
        yield Row(f"double {name}({', '.join(['double'] * count)})", "real", what)
    else:
        yield Row(f"R {name}({', '.join('R' * count)})", "real", what)
    yield Row(f"float {name}f({', '.join(['float'] * count)})", "real", what)


def _extremes() -> Iterator[Row]:
    for name, opcode in EXTREMES.items():
        same = (
            "int",
            "unsigned int",
            "long",
            "unsigned long",
            "long long",
            "unsigned long long",
            "float",
            "double",
        )
        yield Row(f"T {name}(T, T)", "opcode", opcode, types=same)
        for (one, other), result in MIXED.items():
            yield Row(f"{result} {name}({one}, {other})", "opcode", opcode)
            yield Row(f"{result} {name}({other}, {one})", "opcode", opcode)
        for prefix, type_ in ("u", "unsigned int"), ("ll", "long long"), ("ull", "unsigned long long"):
            yield Row(f"T {prefix}{name}(T, T)", "opcode", opcode, types=(type_,))
    yield Row("T abs(T)", "opcode", Opcode.ABS, types=("int", "long", "long long", "float", "double"))
    yield Row("long labs(long)", "opcode", Opcode.ABS)
    yield Row("long long llabs(long long)", "opcode", Opcode.ABS)


def _fast() -> Iterator[Row]:
    for name in FAST.split():
        opcode = BY_MNEMONIC[name]
        yield Row(f"float __{name}f({', '.join(['float'] * (opcode.values or 1))})", "real", opcode)
    yield Row("void __sincosf(float, float*, float*)", "parts", (Opcode.SIN, Opcode.COS))
    yield Row("float __powf(float, float)", "real", "fast_pow")
    yield Row("float __fdividef(float, float)", "real", Opcode.DIV)
    yield Row("float fdividef(float, float)", "real", Opcode.DIV)
    yield Row("float __saturatef(float)", "real", "saturate")
    yield Row("float __frsqrt_rn(float)", "real", Opcode.RSQRT)
    for mode in MODES:
        for letter, type_ in ("f", "float"), ("d", "double"):
            for name, count in ROUNDED.items():
                what = BY_MNEMONIC[name] if mode == "rn" else f"{name}.{mode}"
                yield Row(f"{type_} __{letter}{name}_{mode}({', '.join([type_] * count)})", "real", what)
            fused = "fmaf" if letter == "f" else "fma"
            what = Opcode.FMA if mode == "rn" else f"fma.{mode}"
            yield Row(f"{type_} __{fused}_{mode}({type_}, {type_}, {type_})", "real", what)


def _conversions() -> Iterator[Row]:
    for mode, toward in TOWARD.items():
        for short, whole in WHOLE.items():
            for real in "float", "double":
                yield Row(f"{whole} __{real}2{short}_{mode}({real})", "to_integer", toward)
                if real == "float" or short in ("ll", "ull") or mode == "rn":
                    yield Row(f"{real} __{short}2{real}_{mode}({whole})", *narrowed(mode))
        yield Row(f"float __double2float_{mode}(double)", *narrowed(mode))


def narrowed(mode: str) -> tuple[str, str | None]:
    """To a floating type that cannot hold every value."""
    return ("convert", None) if mode == "rn" else ("call", f"convert.{mode}")
