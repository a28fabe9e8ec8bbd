"""Which names of `cuda` may a kernel use, and which constants has `cudart`? In rows of what is alike."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from IPython.display import HTML

from course import conformance_python as conformance
from course.listed import code, coded
from gpusim import cudart
from gpusim.cuda.types import Number
from gpusim.frontends.python.builtins.intrinsics import Intrinsic
from gpusim.frontends.python.builtins.vectors import VECTORS
from gpusim.ir.details import SpecialRegister

OF_REGISTERS = {
    "threadIdx": "The thread's place in its block.",
    "blockIdx": "The block's place in the grid.",
    "blockDim": "How many threads the block has, along x, y and z.",
    "gridDim": "How many blocks the grid has, along x, y and z.",
    "laneid": "The thread's place in its warp.",
    "warpsize": "How many lanes a warp has.",
}
# of families whose names say what they do
OF_FAMILIES = {
    "libdevice.": "A function of CUDA's math library, by its name there.",
    "fp16.": "The same in half precision.",
    "cbrt": "The cube root.",
}
Lines = dict[str, list[str]]  # what it does -> the names that do that


@cache
def names() -> dict[str, Any]:
    """What a kernel finds under `cuda`."""
    return dict(conformance.kernel_names())


def said(name: str, found: Any) -> str:
    """What a name does, in a line; a method says nothing where that of another group has said it."""
    if found in VECTORS.values():
        return "A vector, made of its elements, with parts x, y, z and w."
    if isinstance(found, Number):
        return "A type: converts a number, and names the type of elements."
    if isinstance(found, SpecialRegister):
        return OF_REGISTERS[name.partition(".")[0]]
    method = name.rpartition(".")[2] if name.count(".") == 2 else ""
    alike = [found, *(other for called, other in names().items() if method and called.endswith(f".{method}"))]
    own = (each.__doc__.split("\n\n")[1:] for each in alike)
    told = next((paragraphs[0] for paragraphs in own if paragraphs), "")
    return told or next(line for begins, line in OF_FAMILIES.items() if name.startswith(begins))


def by_part() -> dict[str, Lines]:
    """The names that a kernel may use, by what they are for, and by what they do."""
    parts: dict[str, Lines] = {part: {} for part in conformance.PARTS}
    for name, found in names().items():
        part = next(part for part, pattern in conformance.PARTS.items() if re.match(pattern, name))
        parts[part].setdefault(said(name, found), []).append(name + parameters(found))
    return {part: lines for part, lines in parts.items() if lines}


def parameters(found: Any) -> str:
    """How a name is called: "(mask, value)"; registers and vectors are names."""
    plain = isinstance(found, SpecialRegister | Number) or found in VECTORS.values()
    return "" if plain else f"({found.usage.partition('(')[2]}"


def of_runtime() -> dict[str, Lines]:
    """The names of `cudart` that are no functions: enumerations, constants, calls that only kernels make."""
    found = {name: getattr(cudart, name) for name in dir(cudart) if name.startswith("cuda")}
    parts: dict[str, Lines] = {"in kernels only": {}, "constants": {}, "enumerations": {}}
    for name, value in found.items():
        if isinstance(value, Intrinsic):
            own = (value.__doc__ or "").partition("\n\n")[
                2
            ] or "A call that gives the error, and what was asked."
            parts["in kernels only"].setdefault(own, []).append(name + parameters(value))
        elif isinstance(value, enum.EnumMeta):
            members = [f"{member} = {getattr(value, member):d}" for member in value.__members__]
            parts["enumerations"][f"`{name}`: {value.__doc__}"] = members
        elif isinstance(value, int):
            parts["constants"].setdefault("A flag, or a stream.", []).append(f"{name} = {value}")
        elif not callable(value):
            parts["constants"].setdefault("A stream of the host.", []).append(name)
    return parts


def listing(parts: Mapping[str, Lines], headings: Sequence[str]) -> HTML:
    """A table with a field that finds rows."""
    bodies = "".join(
        f'<tbody><tr><th colspan="2" scope="rowgroup">{part}</th></tr>'
        f"{''.join(map(_row, lines.items()))}</tbody>"
        for part, lines in parts.items()
    )
    head = "".join(f'<th scope="col">{coded(heading)}</th>' for heading in headings)
    return HTML(  # type: ignore[no-untyped-call]
        '<div class="listing halves" data-filter="Find a name or a word">'
        f"<table><thead><tr>{head}</tr></thead>{bodies}</table></div>"
    )


def _row(line: tuple[str, list[str]]) -> str:
    return f"<tr><td>{coded(code(line[1]))}</td><td>{coded(line[0])}</td></tr>"


def in_kernels() -> HTML:
    """What a kernel finds under `cuda`."""
    return listing(by_part(), ("Under `cuda`", "What it does"))


def constants() -> HTML:
    """What else `cudart` has."""
    return listing(of_runtime(), ("Under `cudart`", "What it is"))
