"""What do threads do together? Barriers, votes, exchanges between lanes, fences and atomics, as instructions.

Lanes that exchange end their block with what they bring; what each gets is read after it (`RECEIVE`).
"""

from __future__ import annotations

from gpusim.frontends import fold
from gpusim.frontends.site import Site
from gpusim.ir.details import Callee, Received, Scope, SpecialRegister
from gpusim.ir.instructions import Constant, Opcode, Operand, Place, Register
from gpusim.ir.types import PRED, S32, S64, U32, U64, Scalar


def special(site: Site, register: SpecialRegister, type_: Scalar) -> Register:
    """The value of a special register."""
    return site.builder.value(Opcode.SPECIAL, type_, (), site.span, detail=register)


def clock(site: Site, type_: Scalar) -> Register:
    """How many instructions has the machine stepped through, for whichever warps?"""
    return site.builder.value(Opcode.CLOCK, type_, (), site.span)


def block_vote(site: Site, opcode: Opcode, flag: Operand) -> Register:
    """All threads of the block meet and count their predicates."""
    site.builder.barrier(site.span, opcode, (flag,))
    return received(site, S32, Received.VOTE)


def fence(site: Site, scope: Scope) -> None:
    """What a thread wrote before, those within the scope see before what it writes after."""
    site.builder.effect(Opcode.FENCE, PRED, (), site.span, scope)


def sleep(site: Site, nanoseconds: Operand) -> None:
    """Stand back for a while, and let others run."""
    site.builder.effect(Opcode.NANOSLEEP, U32, (fold.cast(site, nanoseconds, U32),), site.span)


def ask(site: Site, name: str, *operands: Operand, type_: Scalar = S32) -> Register:
    """What the device runtime answers: an error's number, or a handle."""
    return site.builder.value(Opcode.RUNTIME, type_, operands, site.span, detail=Callee(name))


def await_children(site: Site) -> Register:
    """Wait for the grids that the thread's block has launched, where that may be; the error's number."""
    error = ask(site, "cudaDeviceSynchronize")
    site.builder.hold(error)
    site.builder.barrier(site.span, Opcode.CHILDREN)
    return error


def meet(site: Site, opcode: Opcode, mask: Operand, *brought: Operand) -> None:
    """The lanes of the mask meet, and each brings its operands."""
    site.builder.exchange(opcode, (fold.cast(site, mask, U64), *brought), site.span)


def received(site: Site, type_: Scalar, what: Received = Received.VALUE) -> Register:
    """What a lane got where lanes met."""
    return site.builder.value(Opcode.RECEIVE, type_, (), site.span, detail=what)


def answer(site: Site, opcode: Opcode, mask: Operand, brought: Operand, type_: Scalar) -> Register:
    """What a vote, a match or a reduction says: each lane brings one number and gets one."""
    meet(site, opcode, mask, brought)
    return received(site, type_)


def shuffle(site: Site, opcode: Opcode, mask: Operand, value: Operand, lane: Operand) -> Register:
    """What another lane brings: that with this number, or so many further."""
    meet(site, opcode, mask, value, fold.cast(site, lane, S64))
    return received(site, value.type)


def within_segment(site: Site, opcode: Opcode, argument: Operand, width: Operand, last: int) -> Operand:
    """The lane that a lane reads: itself where the other is beyond its segment (PTX ISA, "shfl.sync").

    `width` is an int32, a power of two; `last` is the last lane of a warp.
    """

    def emit(opcode: Opcode, one: Operand, other: Operand | int, result: Scalar = S32) -> Register:
        operands = one, Constant(other, S32) if isinstance(other, int) else other
        return site.builder.value(opcode, S32, operands, site.span, result=result)

    lane = special(site, SpecialRegister.LANEID, S32)
    argument = fold.cast(site, argument, S32)
    # lanes of a segment differ in these bits
    if isinstance(width, Constant):
        inside: Operand = Constant(width.value - 1, S32)
        outside: Operand = Constant(last & ~(width.value - 1), S32)
    else:
        inside = emit(Opcode.SUB, width, 1)
        outside = emit(Opcode.XOR, inside, last)
    if opcode is Opcode.SHFL_IDX:
        first = emit(Opcode.AND, lane, outside)
        return emit(Opcode.OR, first, emit(Opcode.AND, argument, inside))
    argument = emit(Opcode.AND, argument, last)
    if opcode is Opcode.SHFL_UP:
        source = emit(Opcode.SUB, lane, argument)
        within = emit(Opcode.GE, source, emit(Opcode.AND, lane, outside), PRED)
    else:
        source = emit(Opcode.ADD if opcode is Opcode.SHFL_DOWN else Opcode.XOR, lane, argument)
        within = emit(Opcode.LE, source, emit(Opcode.OR, lane, inside), PRED)
    return fold.select(site, within, source, lane)


def atomic(
    site: Site, opcode: Opcode, place: Place, numbers: tuple[Operand, ...], scope: Scope | None
) -> Register:
    """Read, change and write an element as one; what was there before. `scope` says who must see it so."""
    return site.builder.value(opcode, numbers[-1].type, numbers, site.span, place=place, detail=scope)
