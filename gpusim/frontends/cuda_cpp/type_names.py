"""Which names of types are known without a declaration? C's words, those of headers, vectors."""

from __future__ import annotations

from gpusim.frontends.cuda_cpp import types

WHOLE = (
    types.CHAR, types.SCHAR, types.UCHAR, types.SHORT, types.USHORT, types.INT, types.UINT, types.LONG,
    types.ULONG, types.LONGLONG, types.ULONGLONG,
)  # fmt: skip
_OF_C = types.VOID, types.BOOL, *WHOLE, types.FLOAT, types.DOUBLE
C_TYPES: dict[str, types.CType] = {str(type_): type_ for type_ in _OF_C}
# names that headers define
TYPEDEFS: dict[str, types.CType] = {
    name: type_
    for type_, names in {
        types.SCHAR: "int8_t",
        types.UCHAR: "uint8_t uchar",
        types.SHORT: "int16_t",
        types.USHORT: "uint16_t ushort",
        types.INT: "int32_t",
        types.UINT: "uint32_t uint",
        types.LONG: "int64_t intptr_t ssize_t ptrdiff_t clock_t",
        types.ULONG: "uint64_t uintptr_t size_t ulong",
        types.HALF: "half __half float16_t",
    }.items()
    for name in names.split()
}


def _vectors() -> dict[str, types.Struct]:
    """Vector types are aligned to their size up to 16 bytes; those of three to their element's."""
    found = {}
    for element in (*WHOLE[1:], types.FLOAT, types.DOUBLE):
        short = str(element).removeprefix("signed ").replace("unsigned ", "u").replace(" ", "")
        for count in (1, 2, 3, 4):
            alignment = element.size if count == 3 else min(element.size * count, 16)
            found[f"{short}{count}"] = element, count, alignment
    found |= {"__half2": (types.HALF, 2, 4), "dim3": (types.UINT, 3, 4)}
    vectors = dict[str, types.Struct]()
    for name, (element, count, alignment) in found.items():
        vectors[name] = types.Struct(name, vector_of=element)
        vectors[name].complete([(axis, element) for axis in "xyzw"[:count]], alignment)
    return vectors | {"half2": vectors["__half2"]}


VECTORS = _vectors()


def named_type(name: str) -> types.CType | None:
    return C_TYPES.get(name) or TYPEDEFS.get(name) or VECTORS.get(name)
