"""What stands before the first line of every kernel? A header, made of the tables of built-in functions.

It declares vectors, `threadIdx` and its kin, and each built-in function, one a line: a function's line says
which one it is. Overloads are templates without a parameter that matters, so that a text may define one of
its own, even with the same parameters: C++ prefers what is no template. A function alone with its name is
none, so that it can be handed on: `apply(sinf, x)`. What is easier said in C++ than in tables stands in
`prelude/`; `include/` has headers that a text asks for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from itertools import islice

from gpusim.devices import Device
from gpusim.frontends.cuda_cpp.functions import builtins, refused_functions
from gpusim.frontends.cuda_cpp.functions.prototypes import (
    Builtin,
    Row,
    default_of,
    overloads,
    signatures,
    type_of,
)
from gpusim.frontends.cuda_cpp.type_names import TYPEDEFS, VECTORS
from gpusim.frontends.cuda_cpp.types import Struct
from gpusim.ir.details import SpecialRegister

PARTS, INCLUDE = (str(resources.files(__package__) / name) for name in ("prelude", "include"))
OF_C = ("printf",)  # a C program may declare it its own way
BUILT_IN = "template <int = 0>"
REFUSED = f"template <class T, class... Rest> T {{0}}(T, Rest...); {BUILT_IN} long {{0}}();"
MACROS = ("__builtin_expect", "__builtin_assume", "__assume")  # of these, `words.h` makes what they stand for
# what lengths of arrays and arguments of templates are computed with
CONSTANT = {"min": "{1} < {0} ? {1} : {0}", "max": "{0} < {1} ? {1} : {0}"}
# what the tables lack
MORE = (
    Row("void* memcpy(void*, const void*, unsigned long)", "memcpy"),
    Row("void* memmove(void*, const void*, unsigned long)", "memcpy"),
    Row("void* memset(void*, int, unsigned long)", "memset"),
    Row("void __assert_that(bool, const char*)", "assert"),
    Row("unsigned int __gpusim_lane()", "special", SpecialRegister.LANEID),
    Row("mask __gpusim_lanes_below()", "special", SpecialRegister.LANEMASK_LT),
    # which a text may well define itself, so here they have CUDA's own parameters
    Row("double norm(int, const double*)", "refused", refused_functions.reason("norm")),
    Row("float normf(int, const float*)", "refused", refused_functions.reason("normf")),
    Row("double rnorm(int, const double*)", "refused", refused_functions.reason("rnorm")),
    Row("float rnormf(int, const float*)", "refused", refused_functions.reason("rnormf")),
    Row("void* alloca(unsigned long)", "refused", refused_functions.reason("alloca")),
)
# of these, `namespace std` has what CUDA has
STANDARD = """
abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim
floor fma fmax fmin fmod frexp hypot ilogb isfinite isinf isnan ldexp lgamma llrint llround log log10 log1p
log2 logb lrint lround max min modf nan nearbyint nextafter pow remainder remquo rint round scalbln scalbn
signbit sin sinh sqrt tan tanh tgamma trunc printf malloc free memcpy memmove memset clock labs llabs
memcmp strlen strcmp strncmp strcpy strncpy strcat
"""
TYPES = (
    "size_t ptrdiff_t int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t intptr_t uintptr_t"
)


@cache
def header(device: Device) -> tuple[str, dict[int, tuple[Row, int]]]:
    """The text for a device; for each line that declares a built-in function, its row and which of it it is.

    Lines count from 1.
    """
    lines, found = list[str](), dict[int, tuple[Row, int]]()
    lines += _beginning(device)
    rows = list(_rows(device.warp_size))
    how_many = Counter(row.name for row in (*rows, *MORE))
    for row in rows:
        signed = list(signatures(row, device.warp_size))
        alone = how_many[row.name] == len(signed) == 1 and row.name not in OF_C
        for number, (result, given) in enumerate(signed):
            lines.append(_declaration(row, result, given, device.warp_size, "" if alone else BUILT_IN))
            found[len(lines)] = row, number
    lines += _end()
    return "\n".join(lines) + "\n", found


@cache
def builtin_at(device: Device, line: int) -> Builtin | None:
    """The built-in function that a line of the header declares."""
    row, number = header(device)[1].get(line, (None, 0))
    return next(islice(overloads(row, device.warp_size), number, None)) if row else None


def overloads_of(name: str, warp_size: int) -> Iterator[Builtin]:
    """The built-in functions of a name."""
    for row in (*builtins.rows().get(name, ()), *(row for row in MORE if row.name == name)):
        yield from overloads(row, warp_size)


def _beginning(device: Device) -> Iterator[str]:
    major, minor = device.compute_capability or (8, 0)  # what MACA reports to CUDA programs for a C500
    macros = {"__CUDA_ARCH__": major * 100 + minor * 10, "__NVCC__": 1, "__CUDACC__": 1}
    macros |= {"__CUDACC_VER_MAJOR__": 12, "__CUDACC_VER_MINOR__": 8, "__CUDACC_VER_BUILD__": 93}
    macros |= {"CUDART_VERSION": 12080, "CUDA_VERSION": 12080}
    if device.warp_size == 64:
        macros |= {"__MACA__": 1, "__MACACC__": 1, "__MACA_ARCH__": 1000}
    for name in macros:
        yield f"#undef {name}"
    yield from (f"#define {name} {value}" for name, value in macros.items())
    yield from (f'#include "{PARTS}/{name}.h"' for name in ("words", "limits"))
    yield "typedef _Float16 __half;"
    for name, type_ in TYPEDEFS.items():
        if name != str(type_):
            yield f"typedef {type_} {name};"
    for name, struct in VECTORS.items():
        if name != "half2":
            yield _vector(name, struct)
    yield "typedef __half2 half2, __half2_raw;"
    yield f'#include "{PARTS}/base.h"'


def _vector(name: str, struct: Struct) -> str:
    members = ", ".join(field.name for field in struct.fields or ())
    element = struct.vector_of
    body = f"{element} {members};"
    if name == "dim3":
        body += (
            " constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}"
            " constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}"
            " constexpr operator uint3() const { return {x, y, z}; }"
        )
    if name == "__half2":
        body += " __half2() = default; constexpr __half2(__half a, __half b) : x(a), y(b) {}"
    return f"struct __attribute__((aligned({struct.alignment}))) {name} {{ {body} }};"


def _rows(warp_size: int) -> Iterator[Row]:
    """Those of the tables, and then those functions of CUDA that are refused."""
    tables = [row for rows in builtins.rows().values() for row in rows if row.lanes in (0, warp_size)]
    offered = [row for row in (*tables, *MORE) if row.name not in MACROS]
    yield from offered
    taken = {row.name for row in offered}
    for name, reason in refused_functions.REFUSED.items():
        if name not in taken:
            yield Row(f"void {name}(...)", "refused", reason)


def _declaration(row: Row, result: str, given: list[str], warp_size: int, before: str) -> str:
    if row.family == "refused" and given == ["..."]:
        return REFUSED.format(row.name)
    mask = str(type_of("mask", warp_size))
    result = mask if result == "mask" else result
    if row.name in CONSTANT:
        body = CONSTANT[row.name].format(f"static_cast<{result}>(a)", f"static_cast<{result}>(b)")
        return f"{before} constexpr {result} {row.name}({given[0]} a, {given[1]} b) {{ return {body}; }}"
    written = []
    for parameter in given:
        type_, sign, default = parameter.partition(" = ")
        value = f"{default_of(default, warp_size)}ull" if sign else ""
        written.append(f"{mask if type_ == 'mask' else type_}{sign}{value}")
    return f"{before} {result} {row.name}({', '.join(written)});"


def _end() -> Iterator[str]:
    yield f'#include "{PARTS}/heap.h"'
    standard = " ".join(f"using ::{name};" for name in (*STANDARD.split(), *TYPES.split()))
    yield from (f'#include "{PARTS}/{name}.h"' for name in ("texts", "assembly", "copying"))
    yield f"namespace std {{ {standard} }}"
    yield from (f'#include "{PARTS}/{name}.h"' for name in ("half2", "standard"))


def names(warp_size: int) -> Iterable[str]:
    """All names of functions that the header declares: one of them may have been meant."""
    return dict.fromkeys(row.name for row in _rows(warp_size))
