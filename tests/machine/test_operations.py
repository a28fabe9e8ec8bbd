"""Does the machine compute, for many numbers at once, what the IR's definition computes from single ones?"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from gpusim.ir.instructions import Kind, Opcode
from gpusim.ir.operations import ATOMIC, BARRIER, COMPUTE, EXCHANGE
from gpusim.ir.reference import typed
from gpusim.ir.types import C64, C128, F16, F32, F64, PRED, S8, S16, S32, S64, U8, U16, U32, U64
from gpusim.machine.emit import EMIT
from gpusim.machine.functions.arithmetic import ARITHMETIC
from gpusim.machine.functions.atomics import OPERATIONS, fetch_and_update, update
from gpusim.machine.functions.exchange import RULES

INTEGERS, FLOATS = (S8, S16, S32, S64, U8, U16, U32, U64), (F16, F32, F64)


def opcodes(names):
    return {Opcode[name] for name in names.split()}


ON_INTEGERS_ONLY = opcodes("SHL SHR MUL_HI DIV_TRUNC MOD_TRUNC POPC BREV CLZ FFS AND OR XOR NOT")
ON_INTEGERS = ON_INTEGERS_ONLY | opcodes(
    "ADD SUB MUL NEG ABS MIN MAX MIN_NAN MAX_NAN FLOOR_DIV FLOOR_MOD POW EQ NE LT LE GT GE"
)
ON_PREDICATES = opcodes("AND OR XOR NOT EQ NE")
ON_COMPLEX = opcodes("ADD SUB MUL NEG EQ NE")
# no standard says to which last bit a library rounds
ROUNDED = opcodes(
    """POW HYPOT RSQRT CBRT SIN COS TAN SINH COSH TANH ASIN ACOS ATAN ASINH ACOSH ATANH ATAN2
    EXP EXP2 EXP10 EXPM1 LOG LOG2 LOG10 LOG1P ERF ERFC GAMMA LGAMMA"""
)
# not numbers to a number, or no more than a copy
ELSEWHERE = opcodes(
    "MOVE CONVERT REINTERPRET PACK PART CALL SPECIAL CLOCK EXTENT STRIDE ADDRESS LOAD STORE RECEIVE "
    "FENCE NANOSLEEP TRAP PRINT BARRIER GRID_BARRIER TEX SULD SUST "
    "COPIES_COMMIT COPIES_WAIT NAMED_SYNC NAMED_ARRIVE NAMED_DROP NAMED_WAIT LAUNCH RUNTIME CHILDREN"
)
WHOLE = (0, 1, 2, 3, 7, 30, 100, -1, -2, -7, -100, 127, -128)
WHOLE += (2**15 - 1, -(2**15), 2**31 - 1, -(2**31), 2**63 - 1, -(2**63))
REAL = (0.0, -0.0, 0.5, -0.5, 1.0, 1.5, -2.5, 3.0, 7.25, -100.0, 1e-3, 6e4, 1e200, np.inf, -np.inf, np.nan)


def samples(type_):
    """Numbers of a type, where things happen."""
    if type_ is PRED:
        return np.array([False, True])
    if type_.is_integer:
        return np.unique(np.array([n % 2**64 for n in WHOLE], np.uint64).astype(type_.dtype))
    if type_.is_complex:
        return np.array([complex(a, b) for a, b in product((0, 1, -2.5), repeat=2)]).astype(type_.dtype)
    highest = float(np.finfo(type_.dtype).max)
    return np.array([n for n in REAL if not np.isfinite(n) or abs(n) <= highest]).astype(type_.dtype)


def signs(numbers):
    """Of zeros too; NaN has none."""
    return np.signbit(np.where(numbers == numbers, numbers, 0)) if numbers.dtype.kind == "f" else []


def types_of(opcode):
    """On what numbers is an opcode defined?"""
    yield from INTEGERS if opcode in ON_INTEGERS else ()
    yield from FLOATS if opcode not in ON_INTEGERS_ONLY else ()
    yield from (PRED,) if opcode in ON_PREDICATES else ()
    yield from (C64, C128) if opcode in ON_COMPLEX else ()


CASES = [
    (opcode, type_)
    for opcode in COMPUTE
    if opcode in ARITHMETIC and opcode.kind in (Kind.ARITHMETIC, Kind.COMPARE)
    for type_ in types_of(opcode)
]


@pytest.mark.parametrize(("opcode", "type_"), CASES, ids=lambda of: getattr(of, "name", str(of)))
def test_many_numbers_at_once_give_what_single_ones_give(opcode, type_):
    operands = np.array(list(product(samples(type_), repeat=opcode.values))).astype(type_.dtype).T
    if opcode in (Opcode.SHL, Opcode.SHR):
        operands = operands[:, operands[1] < 8]
    with np.errstate(all="ignore"):
        result = PRED.dtype if opcode.kind is Kind.COMPARE else type_.dtype
        many = np.asarray(ARITHMETIC[opcode](*operands)).astype(result)
        single = np.array([typed(COMPUTE[opcode](*numbers), result) for numbers in operands.T])
    if opcode in ROUNDED and not type_.is_integer:
        np.testing.assert_allclose(many, single, rtol=16 * np.finfo(result).eps)
    else:
        np.testing.assert_array_equal(many, single)
        np.testing.assert_array_equal(signs(many), signs(single))


ATOMICS = [
    (opcode, type_)
    for opcode in ATOMIC
    for type_ in (S32, U32, S64, U64, F32, F64)
    if type_.is_integer or opcode.name.removeprefix("ATOMIC_") not in ("AND", "OR", "XOR", "INC", "DEC")
]


@pytest.mark.parametrize("elements", [3, 40, 1000], ids="{} elements".format)
@pytest.mark.parametrize(("opcode", "type_"), ATOMICS, ids=lambda of: getattr(of, "name", str(of)))
def test_many_atomics_at_once_leave_what_one_after_the_other_leaves(opcode, type_, elements):
    random = np.random.default_rng(7)
    numbers = samples(type_)[np.abs(samples(type_).astype(float)) != 0]  # of two zeros either may stay
    memory, places = random.choice(numbers, elements), random.integers(0, elements, 200)
    values = [random.choice(numbers, 200) for _ in range(opcode.values)]
    single, many, before = memory.copy(), memory.copy(), []
    with np.errstate(all="ignore"):
        for place, *given in zip(places, *values, strict=True):
            before.append(single[place])
            single[place] = typed(ATOMIC[opcode](single[place], *given), type_.dtype)
        found = fetch_and_update(many, places, values, opcode)
        np.testing.assert_array_equal(found, before)
        np.testing.assert_array_equal(many, single)
        update(memory, places, values, opcode)
    np.testing.assert_array_equal(memory, single)


def test_every_opcode_is_defined_and_can_be_run():
    defined, runs = COMPUTE | ATOMIC | BARRIER | EXCHANGE, ARITHMETIC | OPERATIONS | BARRIER | RULES
    emitted = EMIT | {opcode: None for opcode in Opcode if opcode.kind in EMIT}
    for opcode in Opcode:
        assert opcode in ELSEWHERE or (opcode in defined and opcode in runs)
        assert opcode.kind is Kind.COLLECTIVE or opcode in emitted
