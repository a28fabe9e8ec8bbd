"""The controls of a playground in a live page: what the reader does with them, and what is drawn anew."""

from __future__ import annotations

import re
import sys

import pytest

from tests.live.test_session import kinds

WINDOW = "gpusim.playground.window"
PLAY = """import gpusim
from gpusim import cuda

@cuda.jit
def strided(stride, x):
    i = cuda.grid(1)
    if i < x.size // stride:
        x[i * stride] += 1

play = gpusim.playground(strided, stride=(1, 8), grid=1, block=32, x="np.zeros(8 * threads, np.float32)")
play"""


@pytest.fixture
def playground(session, monkeypatch):
    """A playground as a live page has it, and the numbers of its controls by what stands before them."""
    import stand_ins

    for name in [each for each in sys.modules if each in stand_ins.CONTROLS or each == WINDOW]:
        monkeypatch.delitem(sys.modules, name)
    controls = stand_ins.Finder(stand_ins.CONTROLS, stand_ins.control)
    monkeypatch.setattr(sys, "meta_path", [controls, *sys.meta_path])
    (shown,) = session.run(3, PLAY)
    known = sys.modules["controls"].Widget.known
    yield session, shown, {each.tooltip: number for number, each in known.items() if each.tooltip}
    for name in ("controls", WINDOW, *stand_ins.CONTROLS):
        sys.modules.pop(name, None)


def test_a_playground_has_a_control_for_each_choice_and_follows_them(playground):
    session, shown, controls = playground
    assert shown.kind == "shown"
    assert {"grid, x", "block, z", "device", "schedule", "seed", "stride", "x"} <= controls.keys()
    assert 'type="range" value="4" min="1" max="8"' in shown.html
    outcome = session.names["play"].outcome
    assert outcome.run.global_load_sectors == 16
    drawn = session.told(controls["stride"], "8")
    assert session.names["play"].outcome.run.global_load_sectors == 32
    assert any("gpusim-view" in html for _, html in drawn)
    assert controls["stride"] not in [number for number, _ in drawn]


def test_fields_of_grid_and_block_say_their_axes_in_sight(playground):
    _, shown, _ = playground
    for axis in "xyz":
        assert len(re.findall(rf'live-label"[^>]*>{axis}</div><div [^>]*live-number', shown.html)) == 2


def test_a_control_takes_what_it_can_and_the_text_may_be_wrong(playground):
    session, _, controls = playground
    ((drawn, html),) = session.told(controls["stride"], "many")
    assert (drawn, 'value="4"' in html) == (controls["stride"], True)
    session.told(controls["stride"], "8")
    session.told(controls["stride"], "99")  # its slider ends at 8
    assert session.names["play"].outcome.run.global_load_sectors == 32
    told = session.told(controls["the kernel's text"], "@cuda.jit\ndef broken(:\n    pass\n")
    assert any("invalid syntax" in html or "SyntaxError" in html for _, html in told)


def test_a_control_that_python_does_not_know_is_told_so_in_its_place(playground):
    session, *_ = playground
    ((number, html),) = session.told(9999, "8")
    assert (number, "This control is of an earlier run: run its cell again." in html) == (9999, True)


def test_a_cell_that_runs_again_lets_its_controls_go_and_those_of_others_stay(playground):
    session, _, before = playground
    known = sys.modules["controls"].Widget.known
    session.run(5, PLAY)
    first = {*known} & {number for number, each in known.items() if each.cell == 5}
    session.run(5, PLAY)
    assert first.isdisjoint(known)
    assert len([each for each in known.values() if each.cell == 5]) == len(first)
    session.told(before["stride"], "8")  # draws more
    assert len([each for each in known.values() if each.cell == 5]) == len(first)
    assert {each.cell for each in known.values()} == {3, 5}


def test_a_playground_that_is_shown_twice_has_its_controls_in_one_place(playground):
    session, _, _ = playground
    (again,) = session.run(4, "play")
    assert again.html == "<p>These controls stand in In[3].</p>"
    first, second = session.run(3, f"{PLAY}\ndisplay(play)\nplay")
    assert "data-control" in first.html
    assert second.html == "<p>These controls stand above.</p>"
    assert session.run(3, PLAY)[0].html != second.html


def test_a_playground_s_text_that_ends_python_ends_only_its_run(playground):
    """The text and the numbers go on: what is wrong is said at the control, once."""
    session, _, controls = playground
    text = controls["the kernel's text"]
    for end, said in (
        ("import sys\nsys.exit()", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    ):
        told = dict(session.told(text, f"{end}\n{PLAY}"))
        assert f"{said}. What stands here is of the run before." in told[text]
    told = dict(session.told(controls["stride"], "8"))
    assert f"{said}. What" in "".join(told.values())  # the text is as it was
    told = dict(session.told(text, PLAY.partition("play =")[0]))
    assert "live-refused" not in "".join(told.values())
    assert session.names["play"].outcome.error is None
    assert kinds(session.run(4, "1 + 1")) == [("shown", "2")]


@pytest.fixture
def controls(session):
    from controls import BoundedIntText, Checkbox, Dropdown, FloatSlider, changes

    drawn = BoundedIntText(32, 1, 1024), Checkbox(), Dropdown(options=["a", "b"]), FloatSlider(0.5, 0.0, 1.0)
    for each in drawn:
        each.live_html()
    yield (*drawn, changes)
    sys.modules.pop("controls")


def test_a_number_that_is_not_taken_runs_nothing_and_the_page_shows_the_last_again(controls):
    """The reader wrote 5000, and 32 stays: the page must not go on showing 5000."""
    number, tick, _, slider, changes = controls
    ran = []
    number.observe(ran.append, "value")
    for text in ("5000", "0", "5000"):
        number.told(text)
        ((which, html),) = changes()
        assert (which, 'value="32"' in html, ran) == (number.number, True, [])
        assert f"{text} is not taken: a playground has 1 to 1024 here, and 32 stays" in html
    for text, what in (("many", "“many”"), ("", "an empty field")):
        number.told(text)
        ((_, html),) = changes()
        assert f"{what} is no whole number: 32 runs" in html
        assert (number.value, 'value="32"' in html) == (32, True)
    tick.told("true")  # the reader went on: it is not said any more
    ((which, html),) = changes()
    assert (which, "live-refused" in html) == (number.number, False)
    for control, text in ((number, "64"), (tick, "true"), (tick, "false"), (slider, "0.25"), (slider, "1")):
        control.told(text)
        assert changes() == []  # the page shows it already


def test_a_choice_that_is_gone_is_drawn_as_it_is(controls):
    """The reader chose the second, while Python left only the first."""
    *_, choice, _, changes = controls
    choice.told("1")
    assert (choice.value, changes()) == ("b", [])
    choice.value, choice.options = "a", ["a"]
    changes()
    for gone in ("1", "-1", "7"):
        choice.told(gone)
        assert choice.value == "a"
        ((which, html),) = changes()
        assert (which, html.count("<option")) == (choice.number, 1)
