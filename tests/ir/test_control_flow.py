"""Where do parted lanes meet again? Graphs of a few blocks, by hand."""

from __future__ import annotations

import pytest

from gpusim.ir import control_flow
from gpusim.ir.control_flow import Block, immediate_post_dominators, live_registers, split_at_memory
from gpusim.ir.instructions import ArrayOperand, Constant, Instruction, Opcode, Place, Register
from gpusim.ir.terminators import Barrier, Jump
from gpusim.ir.types import S64, Space
from tests.ir.handmade import SPAN, barrier, blocks, branch, goto, leave

A, B, C = (Register(name, S64) for name in "abc")
ARRAY = ArrayOperand("x", S64, 1, Space.GLOBAL)
ONE = Constant(1, S64)


def add(destination, *operands):
    return Instruction(Opcode.ADD, S64, destination, operands, SPAN)


def load(destination, index):
    return Instruction(Opcode.LOAD, S64, destination, (), SPAN, Place(ARRAY, (index,)))


def store(index, value):
    return Instruction(Opcode.STORE, S64, None, (value,), SPAN, Place(ARRAY, (index,)))


GRAPHS = {
    "straight": ((goto(1), goto(2), leave()), (1, 2, None)),
    "if": ((branch(1, 2), goto(2), leave()), (2, 2, None)),
    "if-else": ((branch(1, 2), goto(3), goto(3), leave()), (3, 3, 3, None)),
    "nested if": ((branch(1, 4), branch(2, 3), goto(3), goto(4), leave()), (4, 3, 3, 4, None)),
    "while": ((goto(1), branch(2, 3), goto(1), leave()), (1, 3, 1, None)),
    "while with break": ((branch(1, 4), branch(4, 2), goto(0), goto(4), leave()), (4, 4, 0, 4, None)),
    "and": ((branch(1, 3), branch(2, 3), goto(3), leave()), (3, 3, 3, None)),
    "two ends": ((branch(1, 2), leave(), leave()), (None, None, None)),
    # a lane that returns early is carried along to the join of its construct
    "early return": ((branch(1, 2), leave(2), leave()), (2, 2, None)),
    # `while True`, an `if` in it, and no way out but to return: that is the end, whatever its join
    "return out of an endless loop": ((branch(1, 2), goto(2), branch(3, 0), leave(0)), (2, 2, 3, None)),
    "early return in a loop": ((branch(1, 4), branch(2, 3), leave(3), goto(0), leave()), (4, 3, 3, 0, None)),
    "endless": ((goto(1), goto(1)), (None, None)),
    "endless on one side": ((branch(1, 2), goto(1), leave()), None),
    "barrier": ((branch(1, 2), barrier(2), leave()), (2, 2, None)),
}


@pytest.mark.parametrize("name", [name for name, (_, meeting) in GRAPHS.items() if meeting])
def test_parted_lanes_meet_at_the_immediate_post_dominator(name):
    terminators, meeting = GRAPHS[name]
    assert immediate_post_dominators(blocks(*terminators)) == meeting


def test_a_side_that_never_ends_is_not_waited_for_by_itself():
    terminators, _ = GRAPHS["endless on one side"]
    assert immediate_post_dominators(blocks(*terminators))[1] is None


@pytest.mark.parametrize("name", GRAPHS)
def test_every_path_to_the_end_passes_the_meeting_point(name):
    """The definition itself: without the meeting point, no end can be reached (early returns aside)."""
    graph = blocks(*GRAPHS[name][0])
    for index, meeting in enumerate(immediate_post_dominators(graph)):
        if meeting is not None:
            reached = control_flow.reachable_from(graph, index, meeting)
            ends = [b for b in reached if not control_flow.successors(graph[b].terminator)]
            assert all(graph[b].terminator.join is not None for b in ends)


def test_the_sides_of_a_branch_stop_where_they_meet():
    terminators, meeting = GRAPHS["nested if"]
    graph = blocks(*terminators)
    assert control_flow.sides(graph, 0, meeting[0]) == ({1, 2, 3}, set())
    assert control_flow.sides(graph, 1, meeting[1]) == ({2}, set())


def test_a_loop_is_a_side_of_its_own_branch():
    terminators, meeting = GRAPHS["while"]
    assert control_flow.sides(blocks(*terminators), 1, meeting[1]) == ({1, 2}, set())


def test_a_barrier_is_seen_on_either_side():
    terminators, meeting = GRAPHS["barrier"]
    assert control_flow.stands_inside(blocks(*terminators), 0, meeting[0], Barrier)
    terminators, meeting = GRAPHS["if"]
    assert not control_flow.stands_inside(blocks(*terminators), 0, meeting[0], Barrier)


# Liveness.


def test_a_register_lives_from_its_write_to_its_last_read():
    graph = (
        Block((add(A, ONE, ONE),), goto(1)),
        Block((add(B, A, ONE),), goto(2)),
        Block((store(B, B),), leave()),
    )
    assert live_registers(graph) == (frozenset(), {A}, {B})


def test_a_register_lives_around_a_loop():
    graph = (
        Block((add(A, ONE, ONE), add(B, ONE, ONE)), goto(1)),
        Block((), branch(2, 3)),
        Block((add(A, A, B),), goto(1)),
        Block((store(A, ONE),), leave()),
    )
    flag = graph[1].terminator.condition
    assert live_registers(graph) == ({flag}, {A, B, flag}, {A, B, flag}, {A})


def test_what_is_written_before_it_is_read_does_not_live():
    graph = (Block((add(A, ONE, ONE), add(A, A, ONE)), goto(1)), Block((add(A, ONE, ONE),), leave()))
    assert live_registers(graph) == (frozenset(), frozenset())


# Cutting.


def test_blocks_are_cut_after_each_access():
    graph = (
        Block((add(A, ONE, ONE), load(B, A), add(C, B, ONE), store(A, C)), branch(0, 1)),
        Block((add(A, A, ONE),), leave(0)),
    )
    pieces = split_at_memory(graph)
    assert [[i.opcode for i in piece.instructions] for piece in pieces] == [
        [Opcode.ADD, Opcode.LOAD],
        [Opcode.ADD, Opcode.STORE],
        [],
        [Opcode.ADD],
    ]
    assert [p.terminator.target for p in pieces[:2] if isinstance(p.terminator, Jump)] == [1, 2]
    assert (pieces[2].terminator.then, pieces[2].terminator.otherwise) == (0, 3)
    assert pieces[3].terminator.join == 0


def test_blocks_without_accesses_stay_whole():
    graph = (Block((add(A, ONE, ONE),), branch(1, 1)), Block((), leave()))
    assert [piece.instructions for piece in split_at_memory(graph)] == [block.instructions for block in graph]
