"""How does control flow become basic blocks? If, loops, short circuits, choices, calls: of either language.

A piece of the program comes as a function that lowers it: a `Part`, or a `Test`, which ends with a jump to
one of two labels. So a front-end says what stands in a loop, and this module where its blocks go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeVar

from gpusim.frontends.site import Site
from gpusim.ir.details import Message
from gpusim.ir.instructions import Constant, Opcode, Operand, Register
from gpusim.ir.terminators import Jump, Return
from gpusim.ir.types import PRED, S64
from gpusim.source import Span

Part = Callable[[], None]
Test = Callable[[int, int], None]
T = TypeVar("T")
ATTEMPTS = 1000  # each settles at least one more variable


class Again(Exception):
    """What was assumed of a variable does not hold; lowering starts again and knows better."""


class Unknown(Exception):
    """What comes from here on, a later pass will know; this one goes on as if nobody came here."""


def settled(lower: Callable[[], T]) -> T:
    """Lower a kernel as often as it takes: what a variable can hold shows only at its last assignment."""
    for _ in range(ATTEMPTS):
        with suppress(Again):
            return lower()
    raise AssertionError("a kernel does not settle")


def branch(site: Site, flag: Operand, then: int, otherwise: int) -> None:
    """Close the block with a branch; where the flag is known, with a jump."""
    if isinstance(flag, Constant):
        site.builder.end(Jump(then if flag.value else otherwise, site.span))
    else:
        site.builder.branch(flag, then, otherwise, site.span)


class Side(NamedTuple):
    """One of the two sides of a choice, and the place of its end."""

    lower: Part
    end: Span


def choose(site: Site, test: Test, sides: Sequence[Side]) -> None:
    """`if`, with or without `else`, and `c ? a : b`: the sides part, and meet again behind."""
    builder = site.builder
    labels, join = [builder.label() for _ in sides], builder.label()
    then, otherwise, *_ = (*labels, join)
    test(then, otherwise)
    with site.exits.joining(join):
        for label, side in zip(labels, sides, strict=True):
            builder.place(label, site.span)
            side.lower()
            builder.end(Jump(join, side.end))
    builder.place(join, site.span)


def loop(site: Site, test: Test, body: Part, step: Part | None = None, otherwise: Part | None = None) -> None:
    """`while` and `for`. `step` runs before each new test, `otherwise` where the test has ended the loop."""
    builder, span = site.builder, site.span
    head, inside, exhausted, after = (builder.label() for _ in range(4))
    again = head if step is None else builder.label()
    builder.place(head, span)
    test(inside, exhausted)
    builder.place(inside, span)
    with site.exits.looping(after, again, join=again):
        body()
    if step is not None:
        builder.place(again, span)
        step()
    builder.end(Jump(head, span))
    builder.place(exhausted, span)
    if otherwise is not None:
        otherwise()
    builder.place(after, span)


def counted(
    site: Site, counter: Register, length: Operand, body: Part, otherwise: Part | None = None
) -> None:
    """A loop over 0 … length - 1, with the number of the round in `counter`."""
    builder, span = site.builder, site.span
    builder.value(Opcode.MOVE, S64, (Constant(0, S64),), span, into=counter)

    def test(inside: int, exhausted: int) -> None:
        more = builder.value(Opcode.LT, S64, (counter, length), span, result=PRED)
        builder.branch(more, inside, exhausted, span)

    def step() -> None:
        builder.value(Opcode.ADD, S64, (counter, Constant(1, S64)), span, into=counter)

    loop(site, test, body, step, otherwise)


# conditions -------------------------------------------------------------------------------------------------


def runs(parts: Sequence[T], only_computes: Callable[[T], bool]) -> list[list[T]]:
    """Operands of `and` or `or`, those that only compute joined to the one before them.

    They are computed anyway and combined as predicates, as compilers do. A part that reads memory or calls a
    function must not run where an earlier one decides: it takes a branch, and that can diverge.
    """
    found: list[list[T]] = []
    for part in parts:
        if found and only_computes(part):
            found[-1].append(part)
        else:
            found.append([part])
    return found


def short_circuit(site: Site, conjunction: bool, tests: Sequence[Test], then: int, otherwise: int) -> None:
    """Branch on `a and b and …`, or on `a or b or …`: the first part that decides is the last that runs."""
    *before, last = tests
    for test in before:
        following = site.builder.label()
        test(*((following, otherwise) if conjunction else (then, following)))
        site.builder.place(following, site.span)
    last(then, otherwise)


def in_turn(site: Site, conjunction: bool, parts: Sequence[Part], flag: Callable[[], Operand]) -> None:
    """The value of `a and b`: each part puts it into one register, unless what this holds already decides."""
    *before, last = parts
    join = site.builder.label()
    for put in before:
        put()
        following = site.builder.label()
        branch(site, flag(), *((following, join) if conjunction else (join, following)))
        site.builder.place(following, site.span)
    last()
    site.builder.place(join, site.span)


# leaving ----------------------------------------------------------------------------------------------------


def inlined(site: Site, body: Part) -> None:
    """The body of a called function, here: its `return`s jump behind it."""
    site.exits.leave = site.builder.label()
    body()
    site.builder.place(site.exits.leave, site.span)


def returned(site: Site) -> None:
    """`return`: to behind the call, or out of the kernel."""
    if site.exits.leave is None:
        left(site)
    else:
        site.builder.end(Jump(site.exits.leave, site.span))


def left(site: Site) -> None:
    """The lanes that come here leave the kernel."""
    site.builder.end(Return(site.span, site.exits.joins[-1] if site.exits.joins else None))


def trapped(site: Site, message: str, kind: type[Exception] | None = None) -> None:
    """The lanes that come here end the launch with this message, as an exception of this kind."""
    site.builder.effect(Opcode.TRAP, PRED, (), site.span, Message(message, kind))


def insisted(site: Site, test: Test, message: str, kind: type[Exception] = AssertionError) -> None:
    """`assert`: threads for which the test fails end the launch with this message."""
    holds, fails = site.builder.label(), site.builder.label()
    test(holds, fails)
    site.builder.place(fails, site.span)
    trapped(site, message, kind)
    site.builder.end(Return(site.span, holds))
    site.builder.place(holds, site.span)
