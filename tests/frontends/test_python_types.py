"""Which type does an expression have? What Numba's own resolver says, for every pair of types."""

from __future__ import annotations

import ast
import itertools
import operator

import numba
import pytest
from numba.core.registry import cpu_target

from gpusim.frontends import python_types
from gpusim.ir.types import F32, F64, PRED, S8, S16, S32, S64, U8, U16, U32, U64

NUMBA = {
    PRED: numba.boolean,
    S8: numba.int8,
    S16: numba.int16,
    S32: numba.int32,
    S64: numba.int64,
    U8: numba.uint8,
    U16: numba.uint16,
    U32: numba.uint32,
    U64: numba.uint64,
    F32: numba.float32,
    F64: numba.float64,
}
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}


@pytest.fixture(scope="module")
def resolve():
    """The result type of a function for argument types; None where Numba has none."""
    context = cpu_target.typing_context
    context.refresh()

    def result(function, *types):
        try:
            return context.resolve_function_type(function, [NUMBA[t] for t in types], {}).return_type
        except (numba.errors.TypingError, AttributeError):
            return None

    return result


@pytest.mark.parametrize("syntax", OPERATORS, ids=lambda s: s.__name__)
def test_binary_operators(resolve, syntax):
    differing = {}
    for left, right in itertools.product(NUMBA, repeat=2):
        ours = python_types.binary_result(python_types.BINARY[syntax], left, right)
        theirs = resolve(OPERATORS[syntax], left, right)
        if theirs != (None if ours is None else NUMBA[ours]):
            differing[str(left), str(right)] = str(ours), str(theirs)
    # an integer to the power of a boolean's int32: Numba's overloads are ambiguous there
    odd = {key: pair for key, pair in differing.items() if syntax is ast.Pow and "pred" in key}
    assert {key: pair for key, pair in differing.items() if key not in odd} == {}


def test_a_variable_of_two_types(resolve):
    context = cpu_target.typing_context
    for one, other in itertools.product(NUMBA, repeat=2):
        assert NUMBA[python_types.unify(one, other)] == context.unify_pairs(NUMBA[one], NUMBA[other]), (
            one,
            other,
        )


@pytest.mark.parametrize(
    ("value", "type_"),
    [(1, S64), (-(2**63), S64), (2**63, U64), (1.0, F64), (True, PRED), (2**64, None), ("1", None)],
)
def test_constants(value, type_):
    assert python_types.of_constant(value) is type_


@pytest.mark.parametrize("name", [numba.float32, "float32", F32.dtype, F32.dtype.type], ids=str)
def test_many_names_mean_float32(name):
    assert python_types.of_name(name) is F32


@pytest.mark.parametrize("name", ["text", 3, print, [1]], ids=str)
def test_other_things_name_no_type(name):
    assert python_types.of_name(name) is None
