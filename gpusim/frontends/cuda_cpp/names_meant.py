"""Which name may have been meant? One that the text or CUDA has, a word of Python, a library's."""

from __future__ import annotations

import difflib
import re
from dataclasses import replace

from gpusim.errors import GpuSimError, KernelSyntaxError, KernelTypeError, UnsupportedConstruct
from gpusim.frontends.cuda_cpp import header, headers
from gpusim.frontends.cuda_cpp.functions import refused_names
from gpusim.frontends.cuda_cpp.reader import Parsed
from gpusim.frontends.cuda_cpp.type_names import TYPEDEFS, VECTORS
from gpusim.source import Span

CUDA_WORDS = (
    "__global__", "__device__", "__host__", "__shared__", "__constant__", "__managed__", "__restrict__",
    "__launch_bounds__", "__forceinline__", "__noinline__", "__align__",
)  # fmt: skip
VARIABLES = ("threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize")
PYTHON = {
    "True": "C++ writes `true`",
    "False": "C++ writes `false`",
    "None": "C++ writes `nullptr`",
    "elif": "C++ writes `else if`",
    "print": 'C++ writes printf("%d\\n", x)',
    "range": "C++ writes for (int i = 0; i < n; ++i)",
    "len": "C++ knows no length of an array: pass it as an argument",
    "def": "C++ writes the type of the result in place of `def`",
    "let": "C++ writes `auto`",
    "var": "C++ writes `auto`",
    "string": "texts are for printf only",
}


def unknown(parsed: Parsed, name: str, message: str, span: Span) -> GpuSimError:
    """What is said of a name that nobody declared."""
    words = difflib.get_close_matches(name, CUDA_WORDS, 1, 0.8)
    if words and name.startswith("_") and name not in CUDA_WORDS:
        return KernelSyntaxError(f"`{name}` means nothing here", span, f"did you mean `{words[0]}`?")
    scope = re.search(r"(?:\w+\s*::\s*)*$", span.text[: span.column])
    if scope and scope[0]:
        span = replace(span, column=scope.start())
    full = _qualified(span.text[span.column :])
    full = full if name in full else name
    spaces: list[str] = re.findall(r"^\s*using\s+namespace\s+([\w:]+)", parsed.source.text, re.MULTILINE)
    meant = _near(parsed, name, 0.9 if parsed.missing or spaces else 0.7)
    advice = refused_names.advice(full, () if meant else spaces)
    if advice:
        return UnsupportedConstruct(f"`{full}` is not supported in a kernel", span, advice)
    if name.startswith("CUDART_"):
        return KernelTypeError(message.format(name, what=full), span, "it is in <math_constants.h>")
    hint = PYTHON.get(name) or meant or _missing(parsed)
    return KernelTypeError(message.format(name, what=full), span, hint)


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


def _near(parsed: Parsed, name: str, cutoff: float) -> str:
    declared = [str(cursor.spelling) for cursor in parsed.cursors]
    known = [*declared, *VARIABLES, *TYPEDEFS, *VECTORS, *header.names(parsed.device.warp_size)]
    close = difflib.get_close_matches(name, known, 1, cutoff)
    return f"did you mean `{close[0]}`?" if close else ""


def _missing(parsed: Parsed) -> str:
    if parsed.missing:
        name = parsed.missing[0]
        return f"{name} was not found: {headers.advice(name)}"
    return "declare it before it is used"
