"""Does Numba's compiler say of each construct what the page says? Asked without a GPU."""

from __future__ import annotations

import importlib.util
import textwrap
import types as python_types
from collections import namedtuple
from typing import Any

import numba.cuda
import pytest
from numba import types
from numba.cuda.compiler import compile_cuda

from course import dialect
from tests.from_text import define

ARRAY = types.float64[::1]
# numba-cuda 0.30 says of these what the page says, and the Numba that came before it the opposite
SINCE_NUMBA_CUDA = {
    "a `float` for a vote", "a shuffle of a `uint32`", "a sum of an array",
    "`/=` of whole numbers of 64 bits in an array", "a shuffle of a `uint64`",
    "the greater of two `float16`", "a sum of several types",
    "a loop over several types", "the limits of a type",
}  # fmt: skip
Device = namedtuple("Device", "compute_capability")


def in_numba(value: Any) -> Any:
    """A device function as one of Numba's."""
    function = getattr(value, "py_func", None)
    if function is None:
        return value
    names = {**function.__globals__, "cuda": numba.cuda}
    return numba.cuda.jit(device=True)(python_types.FunctionType(function.__code__, names, function.__name__))


def numba_takes(statements: str) -> bool:
    """Does Numba make code for a GPU of it?"""
    names = {name: in_numba(value) for name, value in dialect.names().items()}
    names["literal_unroll"] = getattr(numba.cuda, "literal_unroll", numba.literal_unroll)
    names |= {name: numba.from_dtype(getattr(dialect, name)) for name in ("PAIR", "PACKED")}
    names |= {"cuda": numba.cuda, "threadIdx": numba.cuda.threadIdx}
    text = f"def tiny(x, y):\n    t = cuda.threadIdx.x\n{textwrap.indent(statements, '    ')}\n"
    try:
        compile_cuda(define(text, "tiny", **names), types.void, (ARRAY, ARRAY), cc=(9, 0))
    except Exception:  # Numba refuses in many ways, of which AssertionError is one
        return False
    return True


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(dialect.CONSTRUCTS.keys() - SINCE_NUMBA_CUDA))
def test_numba_takes_what_the_page_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (numba.cuda.dispatcher, numba.cuda.compiler):
        monkeypatch.setattr(module, "get_current_device", lambda: Device((9, 0)), raising=False)
    verdict, _ = dialect.tried(dialect.CONSTRUCTS[name])
    if verdict == dialect.REFUSED:
        if importlib.util.find_spec("numba_cuda"):
            assert numba_takes(dialect.CONSTRUCTS[name]) == (name in dialect.TAKEN_BY_NUMBA)
    else:
        assert numba_takes(dialect.CONSTRUCTS[name]) == (verdict == dialect.BOTH)
