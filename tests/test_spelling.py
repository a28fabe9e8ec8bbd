"""Does a hint speak the language of the kernel? Every hint that names a function of Python has C++ words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import KernelRaised
from gpusim.source import CPP, PYTHON, SPELLINGS, spelled

PACKAGE = Path(gpusim.__file__).parent
# for the host, which is Python in any case: arrays, and options of a launch
OF_THE_HOST = r"cuda\.device_array\b|gpusim\.\w+\(.*\)"
OF_PYTHON = r"\bcuda\.\w+|\bNumba\b|\bnp\.\w+|\bif i < n`"


def texts(path: Path) -> Iterator[str]:
    """Every text in a module that is no docstring; parts of an f-string that are known."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


HINTS = sorted(
    {
        text
        for folder in ("checkers", "machine")
        for path in (PACKAGE / folder).rglob("*.py")
        for text in texts(path)
        if re.search(OF_PYTHON, re.sub(OF_THE_HOST, "", text))
    }
)
GUARD = "guard it, for example with `if {index} < {limit}`"  # said of Python's arrays only: C++ has pointers


def test_there_are_hints_to_look_at():
    assert len(HINTS) >= 8
    assert any("cuda.syncthreads() between the two" in hint for hint in HINTS)


@pytest.mark.parametrize("hint", [hint for hint in HINTS if hint != GUARD])
def test_every_hint_has_words_for_both_languages(hint):
    assert spelled(hint, PYTHON) == hint
    in_cpp = spelled(hint, CPP)
    assert not re.search(OF_PYTHON, re.sub(OF_THE_HOST, "", in_cpp)), in_cpp


@pytest.mark.parametrize("words", SPELLINGS[CPP])
def test_every_row_of_the_table_is_used(words):
    assert any(words in hint for hint in HINTS)


def test_the_longest_name_counts():
    assert spelled("cuda.atomic.block, or cuda.atomic", CPP) == (
        "a function such as atomicAdd_block, or atomicAdd or its like"
    )


# the same fault in both languages ---------------------------------------------------------------------------


@cuda.jit
def shift(x):
    i = cuda.threadIdx.x
    x[i] = x[i + 1]


@cuda.jit
def unwritten(x):
    tile = cuda.shared.array(64, np.int32)
    x[cuda.threadIdx.x] = tile[cuda.threadIdx.x]


@cuda.jit
def crowd(x):
    x[0] = cuda.threadIdx.x


@cuda.jit
def update(x):
    x[0] += cuda.threadIdx.x


@cuda.jit
def half_atomic(x):
    cuda.atomic.add(x, 0, 1)
    x[0] = 1


CODE = r"""
__global__ void shift(int* x) { int i = threadIdx.x; x[i] = x[i + 1]; }
__global__ void unwritten(int* x) { __shared__ int tile[64]; x[threadIdx.x] = tile[threadIdx.x]; }
__global__ void crowd(int* x) { x[0] = threadIdx.x; }
__global__ void update(int* x) { x[0] += threadIdx.x; }
__global__ void half_atomic(int* x) { atomicAdd(x, 1); x[0] = 1; }
__global__ void narrow(int* x) { atomicAdd_block(x, 1); }
"""
FAULTS = {
    "shift": (shift, "cuda.syncwarp() between the two would order lanes of one warp"),
    "unwritten": (
        unwritten,
        "shared memory starts without contents: store a value there, then cuda.syncthreads()",
    ),
    "crowd": (crowd, "several threads write here at once: let one of them do it, or use cuda.atomic"),
    "update": (
        update,
        "several threads update it here, and each may miss what others write: use cuda.atomic",
    ),
    "half_atomic": (
        half_atomic,
        "an atomic operation does not protect from a plain access: use cuda.atomic for both",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_finding_says_it_in_the_language_of_its_kernel(name):
    in_python, expected = FAULTS[name]
    for kernel, hint in (
        (in_python, expected),
        (gpusim.RawKernel(CODE, name), spelled(expected, CPP)),
    ):
        with gpusim.sanitize() as report:
            kernel[1, 32](np.zeros(65, np.int32))
        assert hint in {finding.hint for finding in report.findings}
        assert hint in repr(report)
    assert "cuda." not in repr(report)


def test_atomics_of_a_block_are_named_as_in_cpp():
    with gpusim.sanitize("racecheck") as report:
        gpusim.RawKernel(CODE, "narrow")[2, 32](np.zeros(1, np.int32))
    assert report.findings[0].hint == (
        "a function such as atomicAdd_block is atomic within one thread block only: use atomicAdd or its like"
    )


def test_an_error_says_it_in_the_language_of_its_kernel():
    @cuda.jit
    def fails():
        assert cuda.threadIdx.x < 0

    with pytest.raises(KernelRaised) as in_python:
        fails[1, 1]()
    code = "#include <cassert>\n__global__ void fails() { assert(threadIdx.x < 0); }"
    with pytest.raises(KernelRaised) as in_cpp:
        gpusim.RawKernel(code, "fails")[1, 1]()
    assert in_python.value.hint == "with debug=True, Numba checks this on a GPU, too"
    assert in_cpp.value.hint == "a GPU ends the launch here, too, with an error"
    assert in_cpp.value.hint in str(in_cpp.value)
