"""What is refused, when a function is built, rather than run?"""

from __future__ import annotations

import pytest

from gpusim.ir.builder import Builder
from gpusim.ir.details import Axis, CacheOperator, Callee, Message, Part, Received, Scope, SpecialRegister
from gpusim.ir.instructions import ArrayOperand, Constant, Geometry, Instruction, Opcode, Place, Register
from gpusim.ir.types import B64, B128, F32, S32, S64, U32, U64, Space
from tests.ir.handmade import SOURCE, SPAN

INDEX, ADDRESS, NUMBER = Register("i", S32), Register("address", U64), Register("number", F32)
BITS = Register("bits", B128)
ONE = Constant(1, S64)
MATRIX = ArrayOperand("m", F32, 2, Space.GLOBAL)
SLICE = ArrayOperand("m[1:]", F32, 1, Space.GLOBAL, root=MATRIX)
POINTER = ArrayOperand("p", F32, 1, Space.GLOBAL, pointer=True)
FIELD = ArrayOperand("p.y", F32, 1, Space.GLOBAL, root=POINTER, pointer=True)
ANYWHERE = ArrayOperand("q", F32, 0, Space.GENERIC, pointer=True)


def checked(opcode, type, operands=(), place=None, detail=None):
    """Build a function of one instruction."""
    builder = Builder("kernel", SOURCE)
    destination = None if opcode in (Opcode.FENCE, Opcode.TRAP) else Register("1", type)
    builder._append(Instruction(opcode, type, destination, operands, SPAN, place, detail))
    return builder.finish(SPAN)


WELL_FORMED = [
    Place(MATRIX, (INDEX, ONE)),
    Place(SLICE, (INDEX,), Geometry(ONE, (ONE,), (ONE,))),
    Place(POINTER, (INDEX,)),
    Place(FIELD, (INDEX,), Geometry(ONE, (ONE,))),
    Place(ANYWHERE, address=ADDRESS),
]


@pytest.mark.parametrize("place", WELL_FORMED, ids=lambda place: place.array.name)
def test_a_place_has_what_its_array_asks_for(place):
    assert checked(Opcode.LOAD, F32, place=place).blocks[0].instructions[0].reads == tuple(
        operand for operand in place.operands if isinstance(operand, Register)
    )


@pytest.mark.parametrize(
    "place",
    [
        None,
        Place(MATRIX, (INDEX,)),
        Place(MATRIX, (INDEX, NUMBER)),
        Place(MATRIX, (INDEX, INDEX), Geometry(ONE, (ONE, ONE), (ONE, ONE))),
        Place(SLICE, (INDEX,)),
        Place(SLICE, (INDEX,), Geometry(ONE, (ONE,))),
        Place(FIELD, (INDEX,), Geometry(ONE, (ONE, ONE))),
        Place(POINTER, (INDEX,), address=ADDRESS),
        Place(ANYWHERE, (INDEX,)),
        Place(ANYWHERE, address=INDEX),
    ],
    ids=[
        "none",
        "an index too few",
        "an index that is no integer",
        "the geometry of a part for a whole array",
        "a part without geometry",
        "a part of a Python array without extents",
        "a stride too many",
        "indices and an address",
        "anywhere, with an index",
        "an address of 32 bits",
    ],
)
def test_a_place_that_leads_nowhere_is_refused(place):
    with pytest.raises(AssertionError, match=r"kernel.py:2: malformed LOAD"):
        checked(Opcode.LOAD, F32, place=place)


@pytest.mark.parametrize("place", [None, Place(MATRIX, (INDEX, INDEX)), Place(ANYWHERE)])
def test_only_a_whole_array_is_asked_for_its_extent_and_address(place):
    assert checked(Opcode.EXTENT, S64, place=Place(MATRIX), detail=Axis(1))
    with pytest.raises(AssertionError, match="malformed EXTENT"):
        checked(Opcode.EXTENT, S64, place=place, detail=Axis(1))
    with pytest.raises(AssertionError, match="malformed ADDRESS"):
        checked(Opcode.ADDRESS, U64, place=place)


DETAILS = [
    (Opcode.SPECIAL, S32, (), SpecialRegister.TID_X),
    (Opcode.RECEIVE, S32, (), Received.VALUE),
    (Opcode.FENCE, S32, (), Scope.GPU),
    (Opcode.TRAP, S32, (), Message("no way")),
    (Opcode.CALL, F32, (NUMBER,), Callee("sinpi")),
    (Opcode.PART, F32, (BITS,), Part(12)),
    (Opcode.ADD, S32, (INDEX, INDEX), None),
]


@pytest.mark.parametrize(("opcode", "type", "operands", "detail"), DETAILS, ids=lambda of: str(of))
def test_a_detail_is_of_its_opcodes_type(opcode, type, operands, detail):
    assert checked(opcode, type, operands, detail=detail)
    for _opcode, _type, _operands, other in DETAILS:
        if other != detail:
            with pytest.raises(AssertionError, match=f"malformed {opcode.name}"):
                checked(opcode, type, operands, detail=other)


@pytest.mark.parametrize("detail", [None, *Scope])
def test_an_atomic_may_have_a_scope_and_a_load_a_cache_operator(detail):
    assert checked(Opcode.ATOMIC_ADD, F32, (NUMBER,), WELL_FORMED[0], detail)
    if detail is not None:
        with pytest.raises(AssertionError, match="malformed LOAD"):
            checked(Opcode.LOAD, F32, (), WELL_FORMED[0], detail)
    assert checked(Opcode.LOAD, F32, (), WELL_FORMED[0], CacheOperator.CG)


def test_bits_are_as_many_as_their_parts_have():
    assert checked(Opcode.PACK, B64, (INDEX, NUMBER))
    with pytest.raises(AssertionError, match="malformed PACK"):
        checked(Opcode.PACK, B64, (INDEX,))
    with pytest.raises(AssertionError, match="malformed PART"):
        checked(Opcode.PART, U32, (BITS,), detail=Part(13))
