"""Which kernels does a chapter hold, in Python and in CUDA C++? They are taken from its cells, as they stand.

    of = Kernels("coalescing")
    of.look[1, 32](…); of.cpp.look[1, 32](…)

Only cells with a kernel are run, and those tagged `kernels`: what a kernel needs, such as the constant that
its shared array is sized by, stands in its own cell or in one of these. A cell tagged `only-here` is left
out: its kernel exists in one language, or is launched in the same cell. So are puzzles, which exist in one.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

BOOK = Path(__file__).resolve().parents[1]
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
OPTIONS = re.compile(r"\A(?:---\n.*?\n---\n|(?::\w+:[^\n]*\n)+)\n?", re.DOTALL)
TAGS = re.compile(r"^:?tags: \[([^\]]*)\]", re.MULTILINE)
LOADED = "%load_ext gpusim\n"
LEFT_OUT = {"only-here", "puzzle", "puzzle-answer"}
NEEDED = f"{LOADED}import numpy as np\nimport gpusim\nfrom gpusim import cuda"


def cells(chapter: str) -> list[str]:
    """The code cells of a chapter that hold kernels, or what they need."""
    text = (BOOK / f"{chapter}.md").read_text(encoding="utf-8")
    found = []
    for cell in CELL.findall(text):
        head = OPTIONS.match(cell)
        code, options = (cell[head.end() :], head[0]) if head else (cell, "")
        tags = {tag.strip() for tags in TAGS.findall(options) for tag in tags.split(",")}
        kernel = "@cuda.jit" in code or code.startswith("%%cuda")
        if "kernels" in tags or (kernel and not tags & LEFT_OUT):
            found.append(code.replace(LOADED, ""))  # a second time it would tell the reader so
    return found


class Kernels:
    """The kernels of a chapter by name, and its C++ kernels in `cpp`; the last of a name counts."""

    def __init__(self, chapter: str) -> None:
        shell: Any = InteractiveShell()  # type: ignore[no-untyped-call]
        for code in (NEEDED, *cells(chapter)):
            shell.run_cell(code).raise_error()
        self._names = shell.user_ns
        self.cpp = shell.user_ns["cpp"]

    def __getattr__(self, name: str) -> Any:
        return self._names[name]
