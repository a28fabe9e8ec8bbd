"""How do rows become a table, as text and as HTML?"""

from __future__ import annotations

import re

import numpy as np
import pytest

import gpusim


def cells(shown):
    return re.findall(r"<t[hd] [^>]*>(.*?)</t[hd]>", shown._repr_html_())


def test_rows_stand_under_their_headings_and_numbers_at_the_right():
    shown = gpusim.table([("in order", 4), ("every <2nd>", 8192)], ["addresses", "sectors"], "One request")
    assert repr(shown) == "One request\naddresses    sectors\nin order           4\nevery <2nd>    8,192"
    assert cells(shown) == ["addresses", "sectors", "in order", "4", "every &lt;2nd&gt;", "8,192"]
    left, right = re.findall(r'<th[^>]*style="text-align:(\w+)', shown._repr_html_())
    assert (left, right) == ("left", "right")


def test_pairs_of_numbers_dashes_and_nothing_are_numbers():
    rows = [("7 → 25", "–", np.float32(0.5)), ("1,400 → 5,000", 3, "")]
    shown = gpusim.table(rows, ["a", "b", "c"])
    assert re.findall(r'<td style="text-align:(\w+)', shown._repr_html_()) == ["right"] * 6
    assert cells(shown)[3:] == ["7 → 25", "–", "0.50", "1,400 → 5,000", "3", ""]


def test_dicts_bring_their_headings():
    shown = gpusim.table([{"shift": 0, "sectors": 4}, {"shift": 1, "sectors": 5}])
    assert repr(shown).splitlines() == ["shift  sectors", "    0        4", "    1        5"]


def test_a_row_that_does_not_fit_is_refused_with_its_place():
    with pytest.raises(ValueError, match="row 2 has 1 cells under 2 headings"):
        gpusim.table([(1, 2), (3,)], ["a", "b"])


def test_code_stands_between_backticks_and_a_cell_may_be_html():
    class Link:
        def _repr_html_(self):
            return '<a href="#x">x</a>'

    assert cells(gpusim.table([("`a<b>`", Link())], ["`name`", "where"])) == [
        "<code>name</code>",
        "where",
        "<code>a&lt;b&gt;</code>",
        '<a href="#x">x</a>',
    ]
