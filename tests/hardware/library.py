"""What does an H200 compute for each function of CUDA's library? `library.json` holds its answers.

`python -m tests.hardware.library` writes the program that asks a GPU for them, and with the name of a file it
keeps what that program printed.

Every function takes the same numbers: argument k of type T takes row k of `inputs[T]`, and of a vector each
element the next row. `results` holds the bytes of what came back, base64, one after the other: the result, if
any, then what was written through pointers. The numbers are bits, as unsigned integers.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from gpusim.frontends.cuda_cpp.functions import prototypes
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.layout import dtype_of, leaves
from gpusim.frontends.cuda_cpp.types import CType, Number, Pointer, Struct, named_type

RECORD = Path(__file__).with_suffix(".json")
FAMILIES = {
    "opcode", "real", "call", "scale", "to_integer", "bits", "half", "make", "=",
}  # fmt: skip
FEW_BITS = {"jn", "yn", "jnf", "ynf"}  # their order is cut to four bits: greater ones take forever


@cache
def record() -> dict[str, Any]:
    """`library.json`."""
    with RECORD.open() as file:
        found: dict[str, Any] = json.load(file)
    return found


def functions() -> Iterator[Builtin]:
    """The functions that are compared; not those of integers that C++ converts to double first."""
    rows = (row for table in prototypes.OFFERED for row in prototypes.table(table))
    for name in dict.fromkeys(row.name for row in rows):
        for builtin in prototypes.find(name, 32):
            numbers = [of for of in builtin.parameters if isinstance(of, Number)]
            converts = numbers[:1] if builtin.family == "scale" else numbers
            in_cpp = builtin.family == prototypes.IN_CPP
            writes = in_cpp and any(isinstance(of, Pointer) for of in builtin.parameters)
            mixed = (builtin.family in ("real", "scale") or writes) and (
                len(set(converts)) != 1 or converts[0].scalar.is_integer
            )
            vectors = builtin.family == "make" and "half" not in str(builtin)
            advice = in_cpp and builtin.name.startswith(
                ("__builtin", "__assume", "__barrier", "__cvta", "cuda")
            )
            if builtin.family in FAMILIES and not mixed and not vectors and not advice:
                yield builtin


def inputs(type_: CType) -> np.ndarray[Any, Any]:
    """What arguments of a type take, (rows, lanes)."""
    rows = np.array(record()["inputs"][str(type_)], np.uint64)
    dtype = dtype_of(type_)
    return rows.astype(f"u{dtype.itemsize}").view(dtype)


def answered(prototype: str, dtypes: list[np.dtype[Any]]) -> list[np.ndarray[Any, Any]]:
    """What the H200 gave: an array for the result and for each pointer."""
    data, found, first = base64.b64decode(record()["results"][prototype]), [], 0
    for dtype in dtypes:
        size = record()["lanes"] * dtype.itemsize
        found.append(np.frombuffer(data[first : first + size], dtype))
        first += size
    assert first == len(data)
    return found


def results_of(builtin: Builtin) -> list[CType]:
    """The types of what comes back."""
    written = [of.target for of in builtin.parameters if isinstance(of, Pointer)]
    return [*([] if str(builtin.result) == "void" else [builtin.result]), *written]


def kernel(builtin: Builtin, name: str) -> str:
    """A kernel that calls it: arrays in, then arrays out."""
    given, arguments, taken = list[str](), list[str](), 0
    outs = results_of(builtin)
    pointers = [place for place, of in enumerate(builtin.parameters) if isinstance(of, Pointer)]
    for place, type_ in enumerate(builtin.parameters):
        if place in pointers:
            arguments.append(f"&out{len(outs) - len(pointers) + pointers.index(place)}[i]")
            continue
        parts = []
        for leaf in leaves(type_):
            given.append(f"const {leaf.type}* in{taken}")
            parts.append(f"in{taken}[i]")
            taken += 1
        text = ", ".join(parts)
        if isinstance(type_, Struct):
            text = f"make_{str(type_).removeprefix('__')}({text})"
        arguments.append(f"{text} & 15" if builtin.name in FEW_BITS and place == 0 else text)
    written = [f"{type_}* out{place}" for place, type_ in enumerate(outs)]
    call = f"{builtin.name}({', '.join(arguments)})"
    body = call if len(pointers) == len(outs) else f"out0[i] = {call}"
    return (
        f'extern "C" __global__ void {name}({", ".join([*given, *written])}) '
        f"{{ const int i = threadIdx.x; {body}; }}"
    )


def types_of_inputs(builtin: Builtin) -> list[CType]:
    """The types of the arrays that the kernel reads."""
    plain = [type_ for type_ in builtin.parameters if not isinstance(type_, Pointer)]
    return [leaf.type for type_ in plain for leaf in leaves(type_)]


def program() -> str:
    """CUDA C++ that asks a GPU, and prints a line a function: its prototype and the bytes as base 16."""
    lanes, text = record()["lanes"], ["#include <cstdio>", "#include <cmath>", "#include <cuda_fp16.h>"]
    for name, rows in record()["inputs"].items():
        type_ = named_type(name) or named_type(" ".join(sorted(name.split())))
        assert type_ is not None
        bits = {1: "unsigned char", 2: "unsigned short", 4: "unsigned", 8: "unsigned long long"}[type_.size]
        listed = ", ".join("{" + ", ".join(f"{number}ull" for number in row) + "}" for row in rows)
        text.append(f"__device__ {bits} in_{name.replace(' ', '_')}[{len(rows)}][{lanes}] = {{{listed}}};")
    calls = []
    for number, builtin in enumerate(functions()):
        text.append(kernel(builtin, f"k{number}"))
        given = []
        for row, type_ in enumerate(types_of_inputs(builtin)):
            symbol = f"in_{str(type_).replace(' ', '_')}"
            given.append(f"({type_}*)at({symbol}) + {row} * {lanes}")
        first = 0
        for type_ in results_of(builtin):
            given.append(f"({type_}*)(out + {first})")
            first += type_.size * lanes
        calls.append(f'k{number}<<<1, {lanes}>>>({", ".join(given)}); print("{builtin}", {first});')
    return "\n".join(
        [
            *text,
            "template <class T> void* at(T& symbol) { void* p; cudaGetSymbolAddress(&p, symbol); return p; }",
            "static unsigned char* out;",
            "static void print(const char* name, int bytes) {",
            '    cudaDeviceSynchronize(); printf("%s\\t", name);',
            '    for (int i = 0; i < bytes; i++) printf("%02x", out[i]);',
            '    printf("\\n");',
            "}",
            "int main() {",
            "    cudaMallocManaged(&out, 1 << 20);",
            *(f"    {call}" for call in calls),
            "}",
        ]
    )


def keep(printed: str) -> None:
    """Write what that program printed into `library.json`."""
    answers = (line.split("\t") for line in printed.splitlines())
    results = {name: base64.b64encode(bytes.fromhex(digits)).decode() for name, digits in answers}
    parts = [f'"header": {json.dumps(record()["header"])}', f'"lanes": {record()["lanes"]}']
    for name, table in ("inputs", record()["inputs"]), ("results", results):
        rows = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in table.items())
        parts.append(f'"{name}": {{\n{rows}\n}}')
    RECORD.write_text("{\n" + ",\n".join(parts) + "\n}\n")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        keep(Path(sys.argv[1]).read_text())
    else:
        print(program())
