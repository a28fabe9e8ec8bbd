"""Is the picture at the top of the README that of a run of today, and may a page without scripts play it?"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from course import moving_picture
from tests.conftest import ROOT

PICTURE = moving_picture.PICTURE.read_text(encoding="utf-8")


def test_the_picture_is_up_to_date():
    made = moving_picture.picture(moving_picture.report())
    assert made == PICTURE, "make it anew: `python -m course.moving_picture` in book/"


def test_it_is_small_and_needs_nothing_else():
    ET.fromstring(PICTURE)
    assert len(PICTURE) < 120_000
    assert not re.search(r"<script|<image|@import|url\(|href", PICTURE)


def test_the_run_shows_what_there_is_to_see():
    frames = moving_picture.report().variants[0].frames
    assert {frame.happens for frame in frames} >= {"push", "pop", "leave"}
    assert f"lane slots used so far: {frames[-1].so_far.thread_instructions} of" in PICTURE


def test_the_readme_shows_it():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.index("book/_static/moving-warp.svg") < readme.index("```python")
