"""What is known while compiling? Constants are folded as the machine would compute them."""

from __future__ import annotations

import math

import pytest

from gpusim.frontends import fold
from gpusim.frontends.site import Exits, Site
from gpusim.ir.builder import Builder
from gpusim.ir.instructions import Constant, Opcode, Register
from gpusim.ir.types import C64, F16, F32, F64, PRED, S8, S64, U8, U64
from gpusim.source import Source, Span
from tests.frontends.languages import cpp, listing, python

SPAN = Span(Source("nothing", "nothing.py", 1, ("",)), 1)
TRUE, FALSE = Constant(True, PRED), Constant(False, PRED)
FLAG, OTHER = Register("flag", PRED), Register("other", PRED)


@pytest.fixture
def site():
    return Site(Builder("nothing", SPAN.source), SPAN, Exits())


@pytest.mark.parametrize(
    ("number", "type_", "expected"),
    [
        (300, S8, 44),
        (-1, U8, 255),
        (2**63, S64, -(2**63)),
        (-1, U64, 2**64 - 1),
        (2.9, S64, 2),
        (-2.9, S64, -2),
        (0.1, F32, 0.10000000149011612),
        (1e6, F16, math.inf),
        (7, PRED, True),
        (0.0, PRED, False),
        (2, C64, 2 + 0j),
    ],
)
def test_a_constant_is_cast_as_a_gpu_casts(number, type_, expected):
    assert fold.constant(number, type_) == Constant(expected, type_)


def test_what_is_known_makes_no_instruction(site):
    two, three = Constant(2, S64), Constant(3, S64)
    assert fold.cast(site, two, F64) == Constant(2.0, F64)
    assert fold.truth(site, two) == TRUE
    assert fold.compared(site, Opcode.LT, two, three) == TRUE
    assert fold.negated(site, TRUE) == FALSE
    assert fold.select(site, FALSE, two, three) is three
    assert not site.builder.finish(SPAN).blocks[0].instructions


@pytest.mark.parametrize(
    ("opcode", "known", "expected"),
    [
        (Opcode.AND, TRUE, FLAG),
        (Opcode.AND, FALSE, FALSE),
        (Opcode.OR, TRUE, TRUE),
        (Opcode.OR, FALSE, FLAG),
    ],
)
def test_a_known_predicate_decides_or_says_nothing(site, opcode, known, expected):
    assert fold.joined(site, opcode, FLAG, known) == expected
    assert fold.joined(site, opcode, known, FLAG) == expected


def test_two_predicates_are_joined_by_one_instruction(site):
    assert fold.joined(site, Opcode.AND, FLAG, OTHER).type is PRED
    assert listing(site.builder.finish(SPAN)).splitlines()[1] == "and.pred %1, %2, %3"


def test_a_result_goes_where_it_fits_only(site):
    wanted, number = Register("wanted", F32), Register("number", S64)
    assert fold.cast(site, number, F32, wanted) is wanted
    assert fold.cast(site, number, F64, wanted) is not wanted


def test_a_variable_is_copied_and_an_intermediate_value_is_not(site):
    temporary = site.builder.temporary(S64)
    assert fold.copied(site, temporary) is temporary
    assert fold.copied(site, Register("n", S64)).is_temporary


def test_both_languages_fold():
    ours, theirs = python("x[0] = (7 * 6 + n) if 2 < 3 else 0"), cpp("x[0] = 2 < 3 ? 7LL * 6 + n : 0;")
    assert listing(ours) == listing(theirs) == "B0:\nadd.s64 %1, 42, %2\nst.global.s64 x[0], %1\nexit"
