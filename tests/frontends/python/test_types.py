"""Which type does an expression have? What Numba's own resolver says, for every pair of types."""

from __future__ import annotations

import ast
import cmath
import itertools
import math
import operator

import numba
import numpy as np
import pytest
from numba import cuda as numba_cuda
from numba.cuda import libdevicefuncs
from numba.cuda.target import CUDATypingContext

from gpusim.frontends.python import types as numba_types
from gpusim.frontends.python.builtins import functions, intrinsics, libdevice, rules
from gpusim.ir.types import BY_DTYPE, C64, C128, F16, F32, F64, PRED, S8, S16, S32, S64, U8, U16, U32, U64

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
    F16: numba.types.float16,
    F32: numba.float32,
    F64: numba.float64,
    C64: numba.complex64,
    C128: numba.complex128,
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


NO_RULE = {round, min, max, divmod, abs} | {f for f, ours in functions.FUNCTIONS.items() if ours.rule is None}
# Numba gives these by overloads that its resolver finds on a machine with a GPU only
OVERLOADED = {
    cmath.acosh,
    cmath.cosh,
    cmath.sinh,
    cmath.tanh,
    cmath.log10,
    cmath.phase,
    cmath.polar,
    cmath.rect,
}

# numba-cuda has these, and the Numba that came before it for the host only
OF_THE_HOST = math.exp2, math.nextafter, np.isnan


@pytest.fixture(scope="module")
def context():
    """What numba.cuda knows about types."""
    context = CUDATypingContext()
    context.refresh()
    return context


@pytest.fixture(scope="module")
def resolve(context):
    """The result type of a function for argument types; None where Numba has none."""

    def result(function, *types):
        found = function if isinstance(function, numba.types.Type) else None
        given = [type_ if isinstance(type_, numba.types.Type) else NUMBA[type_] for type_ in types]
        try:
            if found is not None:
                return found.get_call_type(context, given, {}).return_type
            return context.resolve_function_type(function, given, {}).return_type
        except (numba.errors.TypingError, AttributeError, NotImplementedError):
            return None

    return result


@pytest.fixture(scope="module")
def of_cuda(context):
    """A function of numba.cuda by its name, as Numba's type for it."""

    def find(path):
        *modules, name = path.split(".")
        owner = numba_cuda
        for module in modules:
            owner = getattr(owner, module)
        return context.resolve_getattr(numba.types.Module(owner), name)

    return find


@pytest.mark.parametrize("syntax", OPERATORS, ids=lambda s: s.__name__)
def test_binary_operators(resolve, syntax):
    differing = {}
    for left, right in itertools.product(NUMBA, repeat=2):
        ours = numba_types.binary_result(numba_types.BINARY[syntax], left, right)
        theirs = resolve(OPERATORS[syntax], left, right)
        if theirs != (None if ours is None else NUMBA[ours]):
            differing[str(left), str(right)] = str(ours), str(theirs)
    # an integer to the power of a boolean's int32: Numba's overloads are ambiguous there
    odd = {key: pair for key, pair in differing.items() if syntax is ast.Pow and "pred" in key}
    assert {key: pair for key, pair in differing.items() if key not in odd} == {}


def test_a_variable_of_two_types(context):
    for one, other in itertools.product(NUMBA, repeat=2):
        assert NUMBA[numba_types.unify(one, other)] == context.unify_pairs(NUMBA[one], NUMBA[other]), (
            one,
            other,
        )


def parts(type_):
    """The element types of a tuple; of anything else, itself."""
    return [*type_] if isinstance(type_, numba.types.BaseTuple) else [type_]


@pytest.mark.parametrize(
    "function",
    [f for f in functions.FUNCTIONS if f not in NO_RULE | OVERLOADED | {*OF_THE_HOST}],
    ids=lambda f: f.__name__,
)
def test_what_a_function_computes_in(resolve, function):
    ours, differing = functions.FUNCTIONS[function], {}
    for types in itertools.product(NUMBA, repeat=len(ours.parameters)):
        if function is math.ldexp and not types[1].is_integer:
            continue
        found = ours.rule(types[0]) if function is math.ldexp else ours.rule(*types)
        result = None if found is None else ours.result or found
        theirs = resolve(function, *types)
        if (None if theirs is None else parts(theirs)[0]) != (None if result is None else NUMBA[result]):
            differing[tuple(map(str, types))] = str(result), str(theirs)
    assert differing == {}


@pytest.mark.parametrize("function", OF_THE_HOST, ids=lambda f: f.__name__)
def test_what_a_function_computes_in_that_the_host_has(function):
    context, ours = numba.core.registry.cpu_target.typing_context, functions.FUNCTIONS[function]
    context.refresh()
    for types in itertools.product(NUMBA.keys() - {F16, C64, C128}, repeat=len(ours.parameters)):
        of = context.resolve_value_type(function)
        theirs = context.resolve_function_type(of, tuple(NUMBA[type_] for type_ in types), {}).return_type
        assert theirs == NUMBA[ours.result or ours.rule(*types)], types


@pytest.mark.parametrize("function", [min, max])
def test_what_min_and_max_compute_in(resolve, function):
    for types in itertools.product(NUMBA.keys() - {F16}, repeat=2):  # since numba-cuda of halves, too: below
        ours = rules.comparable(*types)
        assert resolve(function, *types) == (None if ours is None else NUMBA[ours]), types


# numba-cuda 0.30's resolver, of max(float16, …) and max(…, float16)
BESIDE_A_HALF = {
    F16: "float16 int8 uint8", F32: "float32 int16 uint16", F64: "float64 int32 int64 uint32 uint64",
    None: "bool",
}  # fmt: skip


@pytest.mark.parametrize("result", BESIDE_A_HALF)
def test_what_min_and_max_of_a_half_compute_in(result):
    for name in BESIDE_A_HALF[result].split():
        other = BY_DTYPE[np.dtype(name)]
        assert rules.comparable(F16, other) is rules.comparable(other, F16) is result


def test_what_divmod_computes_in(resolve):
    for types in itertools.product(NUMBA, repeat=2):
        ours, theirs = rules.quotient(*types), resolve(divmod, *types)
        assert theirs == (None if ours is None else numba.types.UniTuple(NUMBA[ours], 2)), types


def test_what_abs_and_round_give(resolve):
    for type_ in NUMBA:
        size = rules.magnitude(type_)
        assert resolve(abs, type_) == NUMBA[numba_types.PART_OF.get(size, size)], type_
        ours = rules.floating(type_)
        assert resolve(round, type_) == (None if ours is None else numba.int64), type_
        assert resolve(round, type_, S32) == (None if ours is None else NUMBA[ours]), type_


@pytest.mark.parametrize("name", ["popc", "clz", "brev", "ffs", "cbrt", "fma"])
def test_what_an_intrinsic_computes_in(resolve, of_cuda, name):
    intrinsic = getattr(intrinsics, name)
    for type_ in NUMBA:
        types = [type_] * len(intrinsic.parameters)
        ours, theirs = intrinsic.rule(*types), resolve(of_cuda(name), *types)
        if ours is not None:  # Numba counts the bits of int8(1.5)
            assert theirs == NUMBA[intrinsic.result or ours], type_


@pytest.mark.parametrize("name", vars(intrinsics.fp16))
def test_what_a_function_of_halves_gives(resolve, of_cuda, name):
    intrinsic = getattr(intrinsics.fp16, name)
    for type_ in NUMBA:
        types = [type_] * len(intrinsic.parameters)
        ours = None if intrinsic.rule(*types) is None else intrinsic.result or F16
        theirs = resolve(of_cuda(f"fp16.{name}"), *types)
        assert theirs == (None if ours is None else NUMBA[ours]), type_


def test_numba_has_no_function_of_halves_that_we_lack():
    ours, theirs = set(vars(intrinsics.fp16)), {n for n in dir(numba_cuda.fp16) if n.startswith("h")}
    assert theirs <= ours


@pytest.mark.parametrize("type_", [t for t in NUMBA if t is not U64], ids=str)
def test_what_a_shuffle_gives(resolve, of_cuda, type_):
    theirs = resolve(of_cuda("shfl_sync_intrinsic"), S32, S32, type_, S32, S32)
    ours = numba_types.SHUFFLED.get(type_)
    assert (None if ours is None else NUMBA[ours]) == (None if theirs is None else theirs[0])


@pytest.mark.parametrize("name", ["activemask", "lanemask_lt"])
def test_masks_of_the_machine_are_unsigned(resolve, of_cuda, name):
    assert resolve(of_cuda(name)) == numba.uint32


@pytest.mark.parametrize("name", libdevice.NAMES)
def test_signatures_of_libdevice(name):
    result, arguments = libdevicefuncs.functions[f"__nv_{name}"]
    (_, types, _), ours = libdevice.NAMES[name].detail, libdevice.NAMES[name].result
    assert NUMBA[ours] == result
    # an unsigned argument has the same bits as Numba's signed one
    assert [(type_.is_float, type_.bits) for type_ in types] == [
        (argument.ty in numba.types.real_domain, argument.ty.bitwidth) for argument in arguments
    ]


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (1, S64),
        (-(2**63), S64),
        (2**63, U64),
        (1.0, F64),
        (True, PRED),
        (1j, C128),
        (2**64, None),
        ("1", None),
    ],
)
def test_constants(value, type_):
    assert numba_types.of_constant(value) is type_


@pytest.mark.parametrize(
    ("value", "type_"), [(np.complex64(1), C64), (np.float16(1), F16), (np.uint8(1), U8)], ids=str
)
def test_constants_of_numpy_keep_their_type(value, type_):
    assert numba_types.of_constant(value) is type_


@pytest.mark.parametrize("name", [numba.float32, "float32", F32.dtype, F32.dtype.type], ids=str)
def test_many_names_mean_float32(name):
    assert numba_types.of_name(name) is F32


@pytest.mark.parametrize("name", ["text", 3, print, [1]], ids=str)
def test_other_things_name_no_type(name):
    assert numba_types.of_name(name) is None
