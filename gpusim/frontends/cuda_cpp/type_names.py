"""Which names of types are known without a declaration? C's words, those of headers, vectors."""

from __future__ import annotations

from gpusim.frontends.cuda_cpp.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LONG,
    LONGLONG,
    SCHAR,
    SHORT,
    UCHAR,
    UINT,
    ULONG,
    ULONGLONG,
    USHORT,
    VOID,
    CType,
    Number,
    Struct,
)

# words of a type specifier, in alphabetical order -> type
SPECIFIERS: dict[str, CType] = {
    "void": VOID,
    "bool": BOOL,
    "char": CHAR,
    "char signed": SCHAR,
    "char unsigned": UCHAR,
    **dict.fromkeys(("short", "int short", "short signed", "int short signed"), SHORT),
    **dict.fromkeys(("short unsigned", "int short unsigned"), USHORT),
    **dict.fromkeys(("int", "signed", "int signed"), INT),
    **dict.fromkeys(("unsigned", "int unsigned"), UINT),
    **dict.fromkeys(("long", "int long", "long signed", "int long signed"), LONG),
    **dict.fromkeys(("long unsigned", "int long unsigned"), ULONG),
    **dict.fromkeys(("long long", "int long long", "long long signed", "int long long signed"), LONGLONG),
    **dict.fromkeys(("long long unsigned", "int long long unsigned"), ULONGLONG),
    "float": FLOAT,
    "double": DOUBLE,
}
# names that headers define
TYPEDEFS: dict[str, CType] = {
    "int8_t": SCHAR,
    "uint8_t": UCHAR,
    "int16_t": SHORT,
    "uint16_t": USHORT,
    "int32_t": INT,
    "uint32_t": UINT,
    "int64_t": LONG,
    "uint64_t": ULONG,
    "intptr_t": LONG,
    "uintptr_t": ULONG,
    "size_t": ULONG,
    "ssize_t": LONG,
    "ptrdiff_t": LONG,
    "clock_t": LONG,
    "uchar": UCHAR,
    "ushort": USHORT,
    "uint": UINT,
    "ulong": ULONG,
    "half": HALF,
    "__half": HALF,
    "float16_t": HALF,
    "__half_raw": HALF,
}


def _vector(name: str, element: Number, count: int, alignment: int) -> Struct:
    struct = Struct(name, vector_of=element, wide=True)
    struct.complete([(axis, element) for axis in "xyzw"[:count]], alignment)
    return struct


def _vectors() -> dict[str, Struct]:
    """Vector types are aligned to their size up to 16 bytes; those of three to their element's."""
    named = {
        "char": SCHAR,
        "uchar": UCHAR,
        "short": SHORT,
        "ushort": USHORT,
        "int": INT,
        "uint": UINT,
        "long": LONG,
        "ulong": ULONG,
        "longlong": LONGLONG,
        "ulonglong": ULONGLONG,
        "float": FLOAT,
        "double": DOUBLE,
    }
    found = {}
    for name, element in named.items():
        for count in (1, 2, 3, 4):
            alignment = element.size if count == 3 else min(element.size * count, 16)
            found[f"{name}{count}"] = _vector(f"{name}{count}", element, count, alignment)
    found["half2"] = found["__half2"] = _vector("__half2", HALF, 2, 4)
    found["dim3"] = _vector("dim3", UINT, 3, 4)
    return found


VECTORS = _vectors()


def named_type(name: str) -> CType | None:
    """A type that needs no declaration in the text."""
    return SPECIFIERS.get(name) or TYPEDEFS.get(name) or VECTORS.get(name)
