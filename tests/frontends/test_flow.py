"""Do both languages make the same blocks of the same control flow? And the shared parts alone."""

from __future__ import annotations

import pytest

from gpusim.frontends import flow
from gpusim.frontends.site import Exits, Site
from gpusim.ir.builder import Builder
from gpusim.ir.instructions import Constant, Register
from gpusim.ir.types import PRED, S64
from gpusim.source import Source, Span
from tests.frontends.languages import cpp, listing, python, ways

SAME = {
    "if": ("if n > 3:\n    x[0] = n", "if (n > 3) x[0] = n;"),
    "else": ("if n > 3:\n    x[0] = n\nelse:\n    x[1] = n", "if (n > 3) x[0] = n; else x[1] = n;"),
    "break in while": (
        "while x[0] < n:\n    if x[1] == 7:\n        break\n    x[0] += 1",
        "while (x[0] < n) { if (x[1] == 7) break; x[0] += 1; }",
    ),
    "continue in for": (
        "for k in range(n):\n    if x[k] == 7:\n        continue\n    x[k] = k",
        "long long stop = n; for (long long k = 0; k < stop; ++k) { if (x[k] == 7) continue; x[k] = k; }",
    ),
    "a part that reads memory takes a branch": (
        "if n > 0 and x[n] > 0 or x[0] > 0:\n    x[1] = 1",
        "if (n > 0 && x[n] > 0 || x[0] > 0) x[1] = 1;",
    ),
    "parts that only compute take none": (
        "if n > 0 and n < 9 or n > 90:\n    x[1] = 1",
        "if (n > 0 && n < 9 || n > 90) x[1] = 1;",
    ),
    "sides that only compute are selected": ("x[0] = 5 if n > 3 else n", "x[0] = n > 3 ? 5LL : n;"),
    "return in a branch": ("if n > 3:\n    return\nx[0] = n", "if (n > 3) return; x[0] = n;"),
}
CLIPPED = (
    "@cuda.jit(device=True)\ndef clipped(a):\n    if a > 9:\n        return 9\n    return a\n",
    "__device__ long long clipped(long long a) { if (a > 9) return 9; return a; }",
)
SPAN = Span(Source("nothing", "nothing.py", 1, ("",)), 1)


@pytest.mark.parametrize("name", SAME)
def test_the_languages_agree(name):
    ours, theirs = SAME[name]
    assert listing(python(ours)) == listing(cpp(theirs))


def test_a_loop_has_a_test_a_body_and_a_way_back():
    assert listing(python("while x[0] < n:\n    x[0] += 1")).splitlines() == [
        "B0:",
        "ld.global.s64 %1, x[0]",
        "setp.lt.s64 %2, %1, %3",
        "@%2 bra B1, else B2",
        "B1:",
        "ld.global.s64 %4, x[0]",
        "add.s64 %5, %4, 1",
        "st.global.s64 x[0], %5",
        "bra B0",
        "B2:",
        "exit",
    ]


def test_sides_that_read_memory_part_and_meet():
    ours, theirs = python("x[0] = x[1] if n > 3 else x[2]"), cpp("x[0] = n > 3 ? x[1] : x[2];")
    assert ways(ours) == ways(theirs)


def test_a_called_function_stands_where_it_is_called():
    ours = python("x[0] = clipped(n)", CLIPPED[0])
    assert listing(ours) == listing(cpp("x[0] = clipped(n);", CLIPPED[1]))
    assert "mov.s64 %3, 9" in listing(ours)


def test_an_assertion_ends_the_launch_for_those_who_fail_it():
    ours, theirs = python("assert n > 3\nx[0] = n"), cpp("assert(n > 3); x[0] = n;")
    assert ways(ours) == ways(theirs)
    assert "AssertionError: `n > 3` does not hold" in listing(ours)
    assert "Assertion `n > 3` failed" in listing(theirs)


def test_a_known_condition_takes_no_branch():
    builder = Builder("nothing", SPAN.source)
    then, otherwise = builder.label(), builder.label()
    flow.branch(Site(builder, SPAN, Exits()), Constant(True, PRED), then, otherwise)
    for label in (then, otherwise):
        builder.place(label, SPAN)
    assert len(builder.finish(SPAN).blocks) == 1


def test_operands_that_only_compute_join_the_one_before():
    assert flow.runs(["a[0]", "b", "c", "d[0]", "e"], str.isalpha) == [["a[0]", "b", "c"], ["d[0]", "e"]]


def test_exits_are_known_inside_only():
    exits = Exits()
    with exits.looping(after=5, again=6, join=6):
        with exits.joining(7):
            assert (exits.loops, exits.joins) == ([(5, 6)], [6, 7])
        assert exits.joins == [6]
    assert (exits.loops, exits.joins) == ([], [])


def test_a_counted_loop_counts_from_0():
    builder, counter = Builder("nothing", SPAN.source), Register("k", S64)
    seen = []
    flow.counted(Site(builder, SPAN, Exits()), counter, Constant(3, S64), lambda: seen.append(counter))
    assert seen == [counter], "the body is lowered once"
    assert listing(builder.finish(SPAN)).splitlines()[1:5] == [
        "mov.s64 %1, 0",
        "B1:",
        "setp.lt.s64 %2, %1, 3",
        "@%2 bra B2, else B3",
    ]


def test_lowering_starts_again_until_it_knows_enough():
    attempts = []

    def lower() -> int:
        attempts.append(len(attempts))
        if len(attempts) < 3:
            raise flow.Again
        return 7

    assert flow.settled(lower) == 7
    assert attempts == [0, 1, 2]
