"""What does a C++ compiler make of the same text? The body of a kernel as a C++ loop over rows.

Arithmetic as a GPU's: integers wrap around, products and sums are rounded one by one, denormals are kept.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

# on Windows, `long` has 32 bits
COMPILER = None if sys.platform == "win32" else shutil.which("g++") or shutil.which("clang++")
FLAGS = (
    "-std=c++17", "-fwrapv", "-ffp-contract=off", "-fno-strict-aliasing", "-fsigned-char",
    "-O0", "-w", "-shared", "-fPIC", "-x", "c++",
)  # fmt: skip
PROLOGUE = """\
#include <cmath>
#define __device__ inline
"""


def function(name: str, parameters: Sequence[str], body: str) -> str:
    """A C++ function that runs `body` once for each `row`."""
    return (
        f'extern "C" void {name}(int rows, {", ".join(parameters)}) {{\n'
        f"  for (int row = 0; row < rows; ++row) {{\n{body}\n  }}\n}}\n"
    )


def kernel(name: str, parameters: Sequence[str], body: str) -> str:
    """A kernel that runs `body` in one thread for each `row`."""
    return (
        f'extern "C" __global__ void {name}({", ".join(parameters)}) {{\n'
        f"  const int row = blockIdx.x * blockDim.x + threadIdx.x;\n{body}\n}}\n"
    )


class Reference:
    """A C++ text, compiled; `call` runs one of its functions on arrays."""

    def __init__(self, text: str, folder: Path) -> None:
        if COMPILER is None:
            pytest.skip("comparing with C takes g++ or clang++, and 64 bits in a long")
        source, library = folder / "reference.cpp", folder / "reference.so"
        source.write_text(PROLOGUE + text)
        done = subprocess.run(
            [COMPILER, *FLAGS, str(source), "-o", str(library)], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr[:4000]
        self.library = ctypes.CDLL(str(library))

    def call(self, name: str, rows: int, arrays: Sequence[np.ndarray]) -> None:
        """Run a function over all rows; it writes into the arrays."""
        self.library[name](ctypes.c_int(rows), *(ctypes.c_void_p(array.ctypes.data) for array in arrays))
