"""Is what the page about the simulator says of a launch what the machine did?"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pytest

import gpusim
from course import simulator, simulator_views
from course.chapters import Kernels
from course.simulator import Launch
from gpusim import cuda
from gpusim.machine.batch import Turn

LANES = np.arange(32)
NUMBERS = np.concatenate([2 * LANES, 2 * LANES + 1, LANES, np.where(LANES < 8, 2 * LANES, 2 * LANES + 1)])


@cuda.jit
def handover(flag):
    if cuda.threadIdx.x == 0:
        while flag[0] == 0:
            pass
    else:
        flag[0] = 1


@pytest.fixture(scope="module")
def of():
    return Kernels("how-the-simulator-works")


def steps(of, device, numbers=NUMBERS):
    with gpusim.use(device):
        return list(Launch(of.collatz, 1, 128, (numbers, np.zeros_like(numbers))).steps())


def function(kernel):
    return Launch(kernel, 1, 32, (LANES, np.zeros_like(LANES))).function


def test_all_warps_at_a_block_make_one_step(of):
    """Both warps that part are at both sides; the even one and the odd one at their own only."""
    found = steps(of, "H200")
    assert [(step.block, step.rows, step.turn) for step in found] == [
        (0, (0, 1, 2, 3), Turn.RAN),
        (1, (0, 2, 3), Turn.RAN),
        (2, (1, 2, 3), Turn.RAN),
        (3, (0, 1, 2, 3), Turn.OVER),
    ]
    assert found[1].masks == ("ffffffff", "55555555", "000000ff")
    assert [step.off for step in found] == [{}, {2: 16, 3: 24}, {2: 16, 3: 8}, {}]
    assert found[2].places[2] == (3, 2) * 16  # the even lanes wait at B3


@pytest.mark.parametrize("device", ["P100", "H200"])
def test_where_nobody_parts_one_block_is_left_out(of, device):
    assert [step.block for step in steps(of, device, 2 * np.arange(128))] == [0, 1, 3]


def test_both_models_make_the_same_steps_and_remember_something_else(of):
    by_stack, by_lane = steps(of, "P100"), steps(of, "H200")
    assert [step[:3] for step in by_stack] == [step[:3] for step in by_lane]
    assert by_stack[1].kept[2] == (
        "0x55555555 at B1, until B3",
        "0xaaaaaaaa at B2, until B3",
        "0xffffffff at B3",
    )
    assert by_lane[2].kept[2] == (
        "ready[B2] = 0xaaaaaaaa",
        "parked[B3] = 0x55555555",
        "expected[B3] = 0xffffffff",
    )
    assert by_stack[0].kept[2] == by_lane[0].kept[2] == ("together = B0",)


def test_of_models_that_take_unequal_steps_the_longer_is_shown_to_its_end(of):
    """As they do in a simulator that takes the highest block first."""
    found = steps(of, "P100")
    shown = str(simulator_views.models(found, found[:3], 2)).splitlines()
    assert len(shown) == 1 + len(found)
    assert "B3" in shown[-1]


def test_many_blocks_take_as_many_steps_as_one(of):
    numbers = np.tile(NUMBERS, 100)
    many = Launch(of.collatz, 100, 128, (numbers, np.zeros_like(numbers)))
    assert many.blocks_at_once == 100
    assert many.turns() == {Turn.RAN: 3, Turn.OVER: 1}


def test_a_stack_waits_for_ever_where_lanes_hand_over():
    ends = {}
    for device in ("P100", "H200"):
        with gpusim.use(device):
            turns = Launch(handover, 1, 32, (np.zeros(1, np.int32),)).turns()
        ends[device] = [turn for turn in turns if turn is not Turn.RAN]
    assert ends == {"P100": [Turn.WAITS], "H200": [Turn.OVER]}


def test_two_languages_stand_side_by_side(of):
    rows = simulator.beside(function(of.collatz), function(of.cpp.collatz))
    assert [(row.left, row.right) for row in rows if row.line == 6] == [
        ("div.floor.s64 %n, %n, 2", "div.trunc.s64 %n, %n, 2"),
        ("bra B3", "bra B3"),
    ]
    assert [row.same for row in rows if row.line in (4, 8)] == [True, True, True]
    for side, kernel in ((0, of.collatz), (1, of.cpp.collatz)):
        own = [text for *_, text in simulator.instructions(function(kernel))]
        assert [row[2 + side] for row in rows if row[2 + side]] == own
    assert [simulator.meeting(function(of.collatz), block) for block in range(4)] == [3, None, None, None]


def test_a_line_has_the_number_that_the_page_shows(of):
    """That of the cell: a C++ kernel stands below its `%%cuda`."""
    rows = simulator.beside(function(of.collatz), function(of.cpp.collatz))
    view = simulator_views.languages(function(of.collatz), function(of.cpp.collatz), rows, 5, "").data
    assert "<i>4</i>    n = x[i]</label>" in view
    assert "<i>4</i>    long long n = x[i];</label>" in view
    assert {row.line for row in rows if "ld.global" in row.left} == {4}


def test_a_block_is_shown_as_the_function_that_runs(of):
    text = simulator.as_python(Launch(of.collatz, 1, 128, (NUMBERS, np.zeros_like(NUMBERS))), 1)
    assert text.splitlines()[0] == "def block_1(R, A, S, step):"
    assert "r0 = np.floor_divide(r0, 2)" in text
    assert not re.search(r"\bc\d", text)


def test_the_rule_of_sectors_counts_what_was_recorded():
    right, records = simulator.sectors_agreeing()
    assert right == records > 400


class Parts(HTMLParser):
    """The ids of a piece of a page, and what its labels are for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids, self.named = list[str](), set[str]()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids += [found["id"]] if "id" in found else []
        self.named |= {found["for"]} if "for" in found else set()


def test_every_label_presses_a_button_of_its_picture(of):
    ours, theirs = function(of.collatz), function(of.cpp.collatz)
    for view in (
        simulator_views.languages(ours, theirs, simulator.beside(ours, theirs), 5, "A picture."),
        simulator_views.frames(steps(of, "H200"), ours, "A picture."),
    ):
        parts = Parts(view.data)
        assert sorted(set(parts.ids)) == sorted(parts.ids) == sorted(parts.named)


def test_a_step_says_who_runs_and_who_does_not(of):
    view = simulator_views.frames(steps(of, "H200"), function(of.collatz), "").data
    assert "Lanes stand at B1 and B2; the lowest runs. Warp 1 has no lane there." in view
    assert "40 lanes of warps 2 and 3 are off." in view
    assert 'aria-label="16 lanes run, 16 lanes stand at B2"' in view


def test_the_rooms_keep_their_style_to_themselves():
    view = simulator_views.rooms("").data
    (picture,) = re.findall(r"<svg.*?</svg>", view, re.DOTALL)
    assert "<style" not in picture
    ET.fromstring(picture)


def test_every_line_of_the_rooms_is_marked_with_the_two_rooms_that_it_joins():
    view = simulator_views.rooms("").data
    names = set(re.findall(r'<g id="room-(\w+)"', view))
    ends = re.findall(r'<path class="of-(\w+) of-(\w+)"', view)
    assert len(ends) == view.count("<path") > len(names)
    assert {room for both in ends for room in both} == names
    assert all(f":has(#room-{room}:is(:hover, :focus)) .of-{room} " in view for room in names)


def test_the_room_that_is_pointed_at_says_what_it_knows_in_place_of_the_request():
    view = simulator_views.rooms("").data
    assert '<span class="says says-cuda">cuda knows runtime.</span>' in view
    for room in re.findall(r'<g id="room-(\w+)"', view):
        assert f":has(#room-{room}:is(:hover, :focus)) .says-{room} {{ display: inline; }}" in view


def test_where_the_picture_of_rooms_has_no_room_they_are_listed_from_top_to_bottom():
    rows = re.findall(r"<li>(.*?)</li>", simulator_views.rooms("").data)
    assert rows[0] == "errors and texts"
    assert rows.index("devices") < rows.index("profile")
