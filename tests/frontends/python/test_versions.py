"""A variable has a type per assignment, as in Numba; where ways meet, one that holds them all."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from gpusim import cuda
from gpusim.errors import KernelTypeError
from tests.from_text import define

BIG = 2**60 + 1  # no float64
CASES = [
    # straight on: each its own
    f"s = {BIG} + i\nout[0] = s % 1000\ns = s / 4\nout[1] = s % 1000\ns = i\nout[2] = s // 3",
    f"s = {BIG}\ns, t = 0.5, s\nout[0] = t % 1000\ns, t = t, s\nout[1] = s % 1000 + t",
    f"s = {BIG}\ns += i\nout[0] = s % 1000\ns /= 2\ns += 1\nout[1] = s % 1000",
    "s = i + 7\nout[0] = s\ns = x\nout[1] = s[0]\ns = (1, 2.5)\nout[2] = s[1]",
    # behind an `if`
    f"s = {BIG}\nif i > 1:\n    s = 0.5\nout[0] = s % 1000",
    f"s = {BIG}\nif i > 1:\n    s = 0.5\n    out[1] = s\nelse:\n    out[0] = s % 1000\ns = i\nout[2] = s",
    f"if i > 1:\n    s = {BIG}\n    t = s % 1000\nelse:\n    s = np.float32(0.1)\n    t = s * s\nout[0] = t",
    "s = x\nif i > 1:\n    s = 3\n    out[0] = s\nelse:\n    out[0] = s[0]\ns = 1\nout[1] = s",
    f"s = {BIG} + i\nif i > 1:\n    if i > 2:\n        s = 0.5\n    out[1] = s % 1000\nout[0] = s % 1000",
    f"t = ({BIG}, i)\nif i > 1:\n    t = (0.5, i)\nout[0] = t[0] % 1000\nout[1] = t[1]",
    # loops
    "s = 0\nfor k in range(i):\n    s += 0.5\nout[0] = s",
    f"s = {BIG}\nfor k in range(i):\n    s = k / 2\n    out[0] = s\ns = {BIG}\nout[1] = s % 1000",
    f"s = {BIG}\nfor k in range(3):\n    if k == i:\n        break\n    s = 0.5\nout[0] = s % 1000",
    f"s = {BIG}\nfor k in range(3):\n    if k == i:\n        continue\n    out[k] = s % 1000\n    s = k",
    f"s = {BIG}\nfor k in range(i):\n    s = 0.5\nelse:\n    s = {BIG}\nout[0] = s % 1000",
    f"s, k = {BIG}, 0\nwhile k < i:\n    k += 1\n    out[k] = s % 1000\n    if k > 1:\n"
    "        s = 0.5\n        break",
    f"s = {BIG}\nfor k in (1, 2, 3):\n    out[k] = s % 1000\n    s = s + 0.5\nout[0] = s % 1000",
    f"s = {BIG}\nfor k in range(2):\n    for j in range(i):\n        s += 0.5\n    out[k] = s % 1000",
    # what a round is the first to give
    "for k in range(4):\n    if k == 0:\n        s = 0\n    out[k] = s\n    s = s + 0.5",
    "for k in range(3):\n    if k == 0:\n        m = 0\n    if x[0] > m + k:\n        m = x[0]\nout[0] = m",
    "for k in range(4):\n    if k == 0:\n        t = (1, 2)\n    out[k] = t[0]\n    t = (k + 0.5, 3)",
    "for k in range(4):\n    if k == 0:\n        s = None\n    out[k] = -1 if s is None else s\n    s = k",
    f"for k in range(3):\n    for j in range(1 - k):\n        s = {BIG}\n    out[k] = s % 99\n    s = k / 2",
    "t = None\nfor k in range(i + 1):\n    if t is None:\n        t = k + i\n"
    "    else:\n        t *= 0.5\nout[0] = t",
    "for k in range(4):\n    if k == 0:\n        t = (i, 0.5)\n        continue\n"
    "    out[k] = t[1]\n    t = (k, t[0])",
    # the test of a `while`, before the first round and before others
    f"s, k = {BIG}, 0\nwhile s % 2 == 1 and k < 3:\n    k += 1\n    s = 0.5\nout[0] = k",
    f"s, k = 0.5, 0\nwhile k < 3 and s != 2**60:\n    k += 1\n    s = {BIG}\nout[0] = k\nout[1] = s % 1000",
    f"s, k = 0.5, 0\nwhile k < 5 and s != 2**60:\n    k += 1\n    s = {BIG}\n"
    "    if k == i:\n        continue\n    out[1] += 1\nelse:\n    out[2] = s % 1000\nout[0] = k",
    f"s, k = {BIG}, 0\nwhile s % 2:\n    k += 1\n    if k == i:\n        break\n"
    "    s = 0.5 * k\n    if k > 2:\n        s = i\n        break\n"
    "else:\n    out[1] = s % 1000\nout[0] = s % 1000\nout[2] = k",
    # what nobody comes to reads nothing, nor does a parameter of a `lambda`; a branch by a constant is none
    "s = x\nif i > 1:\n    s = 3\nif False:\n    out[0] = s\nout[1] = 1",
    "s = x\nif i > 1:\n    s = 3\nif not ON:\n    out[0] = s\nelif i < 0:\n    s = 1\nout[1] = 1",
    "s = x\nif i > 1:\n    s = 3\nf = lambda s: s + 1\nout[1] = f(1)",
    "s = x\nif i > 1:\n    s = 3\nwhile ON:\n    s = i\n    if s < 9:\n        break\nout[0] = s",
    f"N = 3\nif N == 3:\n    s = {BIG}\nelse:\n    s = 0.5\nout[1] = s % 1000",
    f"N = M = 3\nN = M\nif N > 2 and ON:\n    s = {BIG}\nelse:\n    s = 0.5\nout[1] = s % 1000",
    f"N = 0.5\nif N:\n    s = {BIG}\nelse:\n    s = 0.5\nout[1] = s % 1000",
    f"N = 3\nif i > 1:\n    N = 3\nif N == 3:\n    s = {BIG}\nelse:\n    s = 0.5\nout[1] = s % 1000",
    # constants and swaps in one block
    "a, b = 0.5, i\nif i:\n    a, b = b, False\nout[0] = a\nout[1] = b",
    "a, b = 0.5, i\nfor k in range(i):\n    a, b = b, np.int32(7)\nout[0] = a\nout[1] = b",
    # what stood there before: items of a loop, several targets, the target of a loop that is over
    "a = i\nb = i + 1\nfor v in (a, b):\n    b = 100\n    out[0] += v",
    "t = (1, 2)\nfor v in t:\n    t = (50, 60)\n    out[0] += v",
    "b = (i, 5)\nb = a = (b[1], b[0])\nout[0] = a[0]\nout[1] = b[0]",
    "for k in range(3):\n    pass\nelse:\n    out[0] = k",
    # functions
    "def f(y):\n    if y == 0:\n        return None\n    if y == 1:\n        return None\n    return y\n"
    "out[0] = -1 if f(i) is None else i",
    f"def f(y):\n    if y > 1:\n        return {BIG}\n    return 0.5\nout[0] = f(i) % 1000",
    f"def f(y):\n    y = y / 2\n    return y\ns = {BIG} + i\nout[0] = f(s) % 1000\nout[1] = s % 1000",
    f"s = {BIG}\nf = lambda y: s % y\nout[0] = f(1000)\ns = 0.5\nout[1] = f(1000)",
]


@pytest.mark.parametrize("statements", CASES)
def test_each_value_has_the_type_that_numba_gives_it(statements):
    numba = pytest.importorskip("numba")
    body, x = textwrap.indent(statements, "    "), np.array([7.5])
    theirs, ours = np.zeros((4, 4)), np.zeros((4, 4))
    program = numba.njit(define(f"def program(i, x, out):\n{body}\n", "program", ON=True))
    for i in range(4):
        program(i, x, theirs[i])
    start = "@cuda.jit\ndef kernel(x, outs):\n    i = cuda.grid(1)\n    out = outs[i]\n"
    define(f"{start}{body}\n", ON=True)[1, 4](x, ours)
    assert ours.tolist() == theirs.tolist()


def instructions(statements):
    kernel = cuda.jit(define(f"def kernel(out):\n{textwrap.indent(statements, '    ')}\n"))
    return [one.opcode.name for one in kernel.compiled(np.zeros(4)).instructions]


def test_a_constant_is_converted_while_compiling():
    """As if the text said 0.0, also where another block gives it."""
    loop = "s = {}\nif out[0] > 1:\n    for k in range(3):\n        s += 0.5\nout[0] = s"
    assert instructions(loop.format("0")) == instructions(loop.format("0.0"))


def test_a_name_in_two_branches_that_nobody_reads_behind_them_costs_nothing():
    sides = "if out[0] > 1:\n    s = {}\n    out[1] = s\nelse:\n    {} = 0.5\n    out[2] = {}"
    assert instructions(sides.format("1", "s", "s")) == instructions(sides.format("1", "t", "t"))


def test_a_function_whose_sides_both_return_numbers_returns_a_number():
    """None is no result of it: nothing is asked before the number is used."""
    function = define("def f(y):\n    if y > 1:\n        return 1\n    else:\n        return 2\n", "f")
    text = "def kernel(out):\n    out[0] = f(out[0])\n"
    kernel = cuda.jit(define(text, f=cuda.jit(function, device=True)))
    assert "TRAP" not in [one.opcode.name for one in kernel.compiled(np.zeros(1)).instructions]


def test_numbers_of_literal_unroll_have_types_of_their_own_in_each_copy():
    numba = pytest.importorskip("numba")
    text = (
        "def program(out):\n    n = 0\n    for a in literal_unroll((2**60 + 1, 0.5)):\n        s = a\n"
        "        for k in range(2):\n            s = s + 1\n        out[n] = s % 1000\n        n += 1\n"
    )
    program, theirs, ours = (
        define(text, "program", literal_unroll=numba.literal_unroll),
        np.zeros(2),
        np.zeros(2),
    )
    numba.njit(program)(theirs)
    cuda.jit(program)[1, 1](ours)
    assert ours.tolist() == theirs.tolist() == [979, 2.5]


def test_what_is_chosen_has_a_type_of_its_own_in_each_copy_of_literal_unroll():
    numba = pytest.importorskip("numba")
    text = (
        "def program(out):\n    n = 0\n    for a in literal_unroll((2**60 + 1, 0.5)):\n"
        "        s = a if out[3] == n else -a\n        out[n] = s % 1000\n        n += 1\n"
    )
    program = define(text, "program", literal_unroll=numba.literal_unroll)
    theirs, ours = np.zeros(4), np.zeros(4)
    numba.njit(program)(theirs)
    cuda.jit(program)[1, 1](ours)
    assert ours.tolist() == theirs.tolist()


def test_a_while_is_tested_once_where_types_compute_alike():
    """An int32 that becomes an int64: all whole numbers are computed in 64 bits."""
    text = "n = {}\nwhile n != 1:\n    n = n // 2\nout[0] = n"
    assert instructions(text.format("np.int32(out[0])")).count("NE") == 1
    assert instructions(text.format("out[0] + np.float32(1)")).count("NE") == 1
    assert instructions(text.format("np.float32(out[0])").replace("n //", "0.5 * n //")).count("NE") == 2


def test_an_item_of_a_tuple_that_a_loop_goes_through_is_no_constant():
    """Nor what it is given to: threads may leave the loop early."""
    loop = "    for n in (2, 3):\n        m = n\n        if out[0]:\n            break\n"
    kernel = define(f"@cuda.jit\ndef kernel(out):\n{loop}    out[1] = len(cuda.local.array(m, np.int32))\n")
    with pytest.raises(KernelTypeError, match="not a positive constant"):
        kernel[1, 1](np.ones(2))


def test_a_value_of_the_round_before_is_written_above_what_reads_it():
    """In the text, as Numba asks."""
    text = "@cuda.jit\ndef kernel(out):\n    for k in range(4):\n        if k:\n            out[k] = s\n"
    text += "        s = k\n"
    with pytest.raises(KernelTypeError, match="'s' is used before it has a value"):
        define(text)[1, 1](np.zeros(4))


@pytest.mark.parametrize(
    ("statements", "left"),
    [
        ("if k == 0:\n    a = x\nout[k] = a[1]", [1, 1, 1]),
        ("if k == 0:\n    a = x\nout[k] = a[k]\nif k == 1:\n    a = out", [0, 1, 0]),
        ("if k:\n    a = x[1:]\nelse:\n    a = x[2:]\nout[k] = a[0] + k", [2, 2, 3]),
        ("if k == 0:\n    a, b = x, x[1:]\nelse:\n    c, a = a, b\n    b = c\nout[k] = a[0]", [0, 1, 0]),
        (
            "for j in 0, 1:\n    if j == 0:\n        a = x[k:]\n    else:\n        a = a[1:]\nout[k] = a[0]",
            [1, 2, 3],
        ),
        ("if k == 0:\n    a = z[1]\nout[k] = a[0]\nif k == 1:\n    a = z[i]", [2, 2, 0]),
    ],
)  # fmt: skip
def test_an_array_that_only_rounds_give_is_the_last_that_was_given(statements, left):
    text = f"def kernel(x, z, i, out):\n    for k in range(3):\n{textwrap.indent(statements, ' ' * 8)}\n"
    numba, x, out = pytest.importorskip("numba"), np.arange(4.0), np.zeros(3)
    for compiled in (cuda.jit(define(text))[1, 1], numba.njit(define(text))):
        out[:] = 0
        compiled(x, x.reshape(2, 2), np.int32(0), out)
        assert out.tolist() == left


@pytest.mark.parametrize("first", ["t", "n"])
def test_a_row_is_the_one_at_its_index_whatever_type_the_index_has(first):
    """An int32 on the one way, an int64 on the other."""
    text = "def kernel(z, n, out):\n    t = cuda.threadIdx.x\n    if t > 0:\n        a = z[A]\n"
    text += "    else:\n        a = z[B]\n    out[t] = a[0]\n"
    out = np.zeros(2)
    text = text.replace("A", first).replace("B", "n" if first == "t" else "t")
    cuda.jit(define(text))[1, 2](np.arange(4.0).reshape(2, 2), 1, out)
    assert out.tolist() == ([2, 2] if first == "t" else [0, 2])
