"""Does the picture of the package's rooms show what they import today?"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

pytest.importorskip("grimp")

from course import rooms
from tests.conftest import ROOT


def test_the_picture_is_up_to_date() -> None:
    made = rooms.PICTURE.read_text(encoding="utf-8")
    assert rooms.picture() == made, "make it anew: `python -m course.rooms` in book/"
    ET.fromstring(made)


def test_each_line_leads_down_and_none_says_what_another_says() -> None:
    """d knows c and so a: its line to a would say it again."""
    known = {"a": set(), "b": set(), "c": {"a", "b"}, "d": {"a", "c"}, "e": {"b", "d"}}
    drawn = rooms.lines(rooms.nearest(known))
    assert [[name for name, _ in line] for line in drawn] == [["a", "c"], ["b", "c"], ["c", "d"], ["d", "e"]]
    assert rooms.lines({"a": set(), "b": {"a"}, "c": {"a", "b"}})[1] == [("a", 0), ("a c", 1), ("c", 2)]


def test_no_two_rooms_lie_on_each_other() -> None:
    places = rooms.middles(rooms.lines(rooms.nearest(rooms.known())))
    for place, middle in places.items():
        beside = [other for name, other in places.items() if name[1] == place[1] and name != place]
        assert all(abs(other - middle) >= rooms.PASSING + rooms.GAP for other in beside)


def test_contributing_shows_it() -> None:
    assert "(book/_static/rooms.svg)" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
