"""The same kernel in both languages, as far as they agree: what the parts they share are tested with.

A kernel gets an array `x` and a number `n`, both of 64-bit integers, for which the languages have the same
rules. Listings are compared with registers named in the order in which they appear.
"""

from __future__ import annotations

import re
import textwrap

from gpusim import devices
from gpusim.frontends.cuda_cpp.unit import Unit
from gpusim.frontends.python.kernel import compile_kernel
from gpusim.ir.program import Function
from gpusim.ir.text import block_texts
from gpusim.ir.types import S64, Array
from gpusim.source import Source
from tests.from_text import define

DEVICE = devices.get("H200")


def python(body: str, before: str = "") -> Function:
    """`body` in a kernel of Python; `before` defines device functions."""
    text = f"{before}\ndef kernel(x, n):\n" + textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return compile_kernel(define(text), [Array(S64, 1), S64])


def cpp(body: str, before: str = "") -> Function:
    """`body` in a kernel of CUDA C++."""
    text = f"{before}\n__global__ void kernel(long long* x, long long n) {{\n{textwrap.dedent(body)}\n}}"
    return Unit(Source("text", "text.cu", 1, tuple(text.splitlines())), DEVICE).compile("kernel").function


def listing(function: Function) -> str:
    """The instructions of each block, a line each."""
    lines = []
    for index, block in enumerate(function.blocks):
        lines += [f"B{index}:", *(text for _, text in block_texts(block, index))]
    names: dict[str, str] = {}

    def renamed(register: re.Match[str]) -> str:
        return names.setdefault(register[0], f"%{len(names) + 1}")

    return re.sub(r"%(?!exchanged|barrier|laneid|tid)[^\s,\]]+", renamed, "\n".join(lines))


def ways(function: Function) -> list[str]:
    """Where does each block go? The same, without the instructions."""
    return [line for line in listing(function).splitlines() if re.match(r"B\d|bra|@|exit", line)]
