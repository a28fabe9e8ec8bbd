"""Which values differ between the lanes of a warp? Variables of small kernels, by name."""

from __future__ import annotations

import numpy as np
import pytest

from gpusim import cuda
from gpusim.ir.details import SpecialRegister
from tests.from_text import define

ARGUMENTS = (np.zeros(4, np.int64), 3)


def divergent(body):
    """The names of variables that may differ within a warp."""
    text = "@cuda.jit\ndef kernel(x, n):\n" + "".join(f"    {line}\n" for line in body.strip().splitlines())
    function = define(text).compiled(*ARGUMENTS)
    return {register.name for register in function.divergent if not register.is_temporary}


def test_special_registers_differ_between_lanes_but_for_those_of_whole_blocks():
    same = {register.value for register in SpecialRegister if not register.differs_between_lanes}
    whole = {f"{name}.{axis}" for name in ("ntid", "ctaid", "nctaid") for axis in "xyz"}
    assert same == whole | {"warpsize", "ctaid.linear"}


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("a = cuda.blockIdx.x * 2\nb = cuda.threadIdx.x * 2\nx[a] = b", {"b"}),
        (
            "a = n + cuda.blockDim.x\nb = x[a]\nx[b] = cuda.gridDim.x",
            set(),
        ),  # a load at one place is one value
        ("a = x[cuda.threadIdx.x]\nx[0] = a", {"a"}),
        ("a = cuda.laneid\nx[0] = a", {"a"}),
        ("a = cuda.warpsize\nx[0] = a", set()),
        ("a = cuda.atomic.add(x, 0, 1)\nx[a] = 1", {"a"}),  # each lane finds another value
        (
            "a = cuda.local.array(2, np.int64)\na[0] = n\nb = a[0]\nx[0] = b",
            {"b"},
        ),  # each lane has its own copy
        ("a = x.shape[0]\nx[a - 1] = 1", set()),
        # control
        ("a = 0\nif cuda.threadIdx.x < 4:\n    a = 1\nx[a] = 1", {"a"}),
        ("if cuda.threadIdx.x < 4:\n    a = 1\nelse:\n    a = 2\nx[a] = 1", {"a"}),
        (
            "a = 1\nif cuda.threadIdx.x < 4:\n    a = 2\n    x[a] = 1\nelse:\n    x[a] = 1",
            {"a"},
        ),  # the others keep 1
        ("a = 0\nif n < 4:\n    a = 1\nx[a] = 1", set()),
        ("if cuda.threadIdx.x < 4:\n    a = 1\n    x[a] = 1", set()),  # used where it is written only
        ("for k in range(n):\n    x[k] = 1", set()),
        ("for k in range(cuda.threadIdx.x):\n    x[k] = 1", set()),  # those who are still in the loop agree
        ("k = 0\nwhile k < cuda.threadIdx.x:\n    k += 1\nx[k] = 1", {"k"}),  # after it they do not
        ("a = 0\nfor k in range(9):\n    if x[cuda.threadIdx.x]:\n        break\n    a = k\nx[a] = 1", {"a"}),
        ("a = 0\nfor k in range(n):\n    if cuda.threadIdx.x == k:\n        a += 1\nx[a] = 1", {"a"}),
        ("a = 0\nif cuda.threadIdx.x < 4:\n    return\na = 1\nx[a] = 1", set()),  # the others are gone
        ("a = 1\nb = 2\nif cuda.threadIdx.x < 4:\n    a, b = b, a\nx[a] = b", {"a", "b"}),
        ("a = n if cuda.threadIdx.x < 4 else 5\nx[a] = 1", {"a"}),
    ],
)
def test_by_hand(body, names):
    assert divergent(body) == names


def test_with_a_barrier_in_a_divergent_branch_lanes_may_stand_anywhere():
    free = "a = n\nif cuda.threadIdx.x < 4:\n    x[0] = 1\nx[a] = 1"
    assert divergent(free) == set()
    assert divergent(free.replace("    x[0] = 1", "    cuda.syncthreads()")) == {"a", "n"}


@pytest.mark.parametrize(
    ("body", "waits"),
    [
        ("while x[0] == 0:\n    pass", True),
        ("while cuda.atomic.add(x, 0, 1):\n    pass", True),
        ("done = False\nwhile not done:\n    if x[0]:\n        done = True", True),
        ("k = x[0]\nwhile k > 0:\n    k -= 1", False),
        ("for k in range(n):\n    x[k] = x[k + 1]", False),
        ("while n > 0:\n    n -= 1\nx[0] = x[1]", False),
    ],
)
def test_a_loop_waits_if_it_ends_by_a_value_read_inside_it(body, waits):
    text = "@cuda.jit\ndef kernel(x, n):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    assert define(text).compiled(*ARGUMENTS).may_wait is waits


def test_a_uniform_branch_is_noted_in_the_listing():
    @cuda.jit
    def kernel(x):
        if cuda.blockIdx.x:
            x[0] = 1
        if cuda.threadIdx.x:
            x[1] = 1

    notes = [
        line.strip() for line in kernel.inspect_ir(np.zeros(2)).splitlines() if line.strip().startswith("//")
    ]
    assert notes[1:] == ["// uniform: never splits a warp", "// may diverge; lanes meet again at B4"]
