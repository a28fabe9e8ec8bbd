"""Which functions of CUDA C++ are about threads and memory? Barriers, warps, atomics, cached accesses."""

from __future__ import annotations

from collections.abc import Iterator

from gpusim.frontends.cuda_cpp.functions.prototypes import Row, written
from gpusim.frontends.cuda_cpp.type_names import VECTORS


def rows() -> Iterator[Row]:
    """All of them."""
    yield from written("thread_functions")
    for name, vector in VECTORS.items():
        if name not in ("dim3", "half2", "__half2"):
            given = ", ".join(str(member.type) for member in vector.fields or ())
            yield Row(f"{name} make_{name}({given})", "make")
