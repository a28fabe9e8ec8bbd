"""Which name may have been meant? One that the text or CUDA has, a word of Python, or one that kernels lack.

Functions of CUDA that this machine does not offer are in `refused_functions`; here are the host's functions,
types, and whole libraries, known by the namespace in front of them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import replace

from gpusim.errors import GpuSimError, KernelTypeError, UnsupportedConstruct
from gpusim.frontends.cuda_cpp import header, reader, texts
from gpusim.frontends.cuda_cpp.functions import refused_functions
from gpusim.frontends.cuda_cpp.type_names import C_TYPES, TYPEDEFS, VECTORS
from gpusim.source import Span

_WORDS = """
__global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ __launch_bounds__
__forceinline__ __noinline__ __align__ threadIdx blockIdx blockDim gridDim warpSize
"""
PYTHON, HEADERS, NAMES, LIBRARIES = (
    texts.table("names_meant", name) for name in ("python", "headers", "names", "libraries")
)


def unknown(parsed: reader.Parsed, name: str, message: str, span: Span) -> GpuSimError:
    scope = re.search(r"(?:\w+\s*::\s*)*$", span.text[: span.column])
    if scope and scope[0]:
        span = replace(span, column=scope.start())
    full = _qualified(span.text[span.column :])
    full = full if name in full or name.endswith(f"::{full}") else name
    spaces: list[str] = re.findall(r"^\s*using\s+namespace\s+([\w:]+)", parsed.source.text, re.MULTILINE)
    known = [*_WORDS.split(), *(str(cursor.spelling) for cursor in parsed.cursors), *TYPEDEFS, *VECTORS]
    known += header.names(parsed.device.warp_size)
    meant = difflib.get_close_matches(name, known, 1, 0.9 if parsed.missing or spaces else 0.7)
    there = next((f"it is in <{header}>" for word, header in HEADERS.items() if word in full), "")
    if not there and (way_out := advice(full, () if meant else spaces)):
        return UnsupportedConstruct(f"`{full}` is not supported in a kernel", span, way_out)
    hint = PYTHON.get(name) or there
    if not hint and meant:
        hint = f"did you mean `{meant[0]}`?"
    if not hint and parsed.missing:
        lacking = parsed.missing[0]
        instead = "name its folder with options=('-I…',), or paste what the kernel needs"
        hint = f"{lacking} was not found: {reader.NOT_OFFERED.get(lacking, instead)}"
    return KernelTypeError(message.format(name, what=full), span, hint or "declare it before it is used")


def similar_type(name: str) -> list[str]:
    """The type that may be meant: `float` for `flaot`."""
    return difflib.get_close_matches(name, (*C_TYPES, *TYPEDEFS, *VECTORS), 1, 0.7)


def _qualified(text: str) -> str:
    """`space::name<arguments>` at the beginning of a text."""
    found = re.match(r"(?:\w+\s*::\s*)*\w+", text)
    if not found:
        return ""
    depth, end = 0, found.end()
    for place, sign in enumerate(text[end:] if text[end : end + 1] == "<" else "", end + 1):
        depth += (sign == "<") - (sign == ">")
        if not depth or sign in "();":
            return text[:place] if not depth else found[0]
    return found[0]


def advice(name: str, spaces: Sequence[str] = ()) -> str | None:
    """What to do instead of using a name, perhaps with its namespace and template arguments; None for others.

    `spaces` are those of `using namespace`: the name may be one of theirs.

    >>> advice("std::vector<int>")
    'pass its memory as a pointer, or declare an array of fixed length'
    """
    plain = name.partition("<")[0].replace(" ", "").removeprefix("::")
    library = LIBRARIES.get(plain.partition("::")[0]) if "::" in plain else None
    known = NAMES.get(plain) or refused_functions.reason(plain) or library
    for space in spaces if known is None and "::" not in plain else ():
        library = LIBRARIES.get(space.partition("::")[0]) if space != "std" else None
        known = known or NAMES.get(f"{space}::{plain}") or library
    return known
