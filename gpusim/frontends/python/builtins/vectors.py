"""What are `cuda.float32x4` and `cuda.float4`? CUDA's vector types: up to four numbers under one name.

A vector is a local value of one thread: its parts are read, and it is made anew to change one. There are no
arrays of them, as in Numba.
"""

from __future__ import annotations

from gpusim.frontends.python.builtins.intrinsics import Intrinsic
from gpusim.ir.types import F32, F64, S8, S16, S32, S64, U8, U16, U32, U64

AXES = "xyzw"
ELEMENTS = {type_.dtype.name: type_ for type_ in (S8, S16, S32, S64, U8, U16, U32, U64, F32, F64)}
C_NAMES = {
    "char": "int8", "short": "int16", "int": "int32", "long": "int64", "longlong": "int64",
    "uchar": "uint8", "ushort": "uint16", "uint": "uint32", "ulong": "uint64", "ulonglong": "uint64",
    "float": "float32", "double": "float64",
}  # fmt: skip
TYPES = {
    f"{name}x{width}": Intrinsic(f"{name}x{width}(*components)", "vector", (element, width))
    for name, element in ELEMENTS.items()
    for width in range(1, len(AXES) + 1)
}
# name under cuda -> the function that makes such a vector
VECTORS = TYPES | {
    f"{alias}{width}": TYPES[f"{name}x{width}"]
    for alias, name in C_NAMES.items()
    for width in range(1, len(AXES) + 1)
}
