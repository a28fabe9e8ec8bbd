"""Cells of a live page: what each gives, and what is said where it cannot run."""

from __future__ import annotations

import sys

import numpy as np
import pytest

WINDOW = "gpusim.playground.window"


def kinds(outputs):
    return [(each.kind, each.text) for each in outputs]


def test_names_stay_prints_come_first_and_the_last_expression_is_shown(session):
    assert session.run(0, "x = 20\n%load_ext gpusim\nprint('set')") == session.run(
        0, "x = 20\n\nprint('set')"
    )
    assert kinds(session.run(1, "print('now'); x + 1")) == [("stream", "now\n"), ("shown", "21")]
    assert kinds(session.run(2, "x + 1;")) == []
    assert kinds(session.run(3, "display(1)\nNone")) == [("shown", "1")]


def test_a_kernel_finds_its_text_and_a_changed_one_counts_anew(session):
    session.run(0, "import gpusim, numpy as np\nfrom gpusim import cuda\nout = np.zeros(64, np.int32)")
    kernel = "@cuda.jit\ndef put(out):\n    out[{} * cuda.grid(1)] = 1"
    counted = "with gpusim.profile() as run:\n    put[1, 32](out)\nrun.sectors_per_request"
    shown = []
    for stride in (1, 2):
        session.run(1, kernel.format(stride))
        shown += kinds(session.run(2, counted))
    assert shown == [("shown", "4.0"), ("shown", "8.0")]


def test_a_view_comes_as_html_and_an_error_with_its_line(session):
    session.run(
        0,
        "import gpusim, numpy as np\nfrom gpusim import cuda\n\n"
        "@cuda.jit\ndef put(out):\n    out[cuda.grid(1)] = 1",
    )
    (stray,) = session.run(1, "x = 1\nput[1, 32](np.zeros(4))")
    assert stray.kind == "failed"
    assert stray.text.startswith("line 2: OutOfBounds: ")
    assert "In[0]:6" in stray.text  # where in the kernel
    (wrong,) = session.run(2, "x = (1")
    assert wrong.text.splitlines()[1:] == ["    x = (1", "        ^", "SyntaxError: '(' was never closed"]
    session.run(3, "def half(n):\n    return 1 / n")
    (within,) = session.run(4, "half(0)")
    assert within.text == "line 2 of In[3]: ZeroDivisionError: division by zero"


def test_a_page_has_room_for_the_beginning_of_what_is_endless(session):
    (printed,) = session.run(0, "for _ in range(10):\n    print('a' * 20_000)")
    assert printed.text.startswith("a" * 20_000 + "\n" + "a" * 20_000 + "\n" + "a" * 9_998 + "\n…")
    assert printed.text.endswith("… and 150,010 characters more")
    (shown,) = session.run(1, "'b' * 60_000")
    assert shown.text.endswith("bb\n… and 10,002 characters more")  # with its quotes
    assert kinds(session.run(2, "print('short')")) == [("stream", "short\n")]


def test_an_error_and_html_that_are_endless_and_many_outputs_are_cut_with_a_word_on_it(session):
    (failed,) = session.run(0, "raise ValueError('e' * 20_000_000)")
    assert failed.text.startswith("line 1: ValueError: eee")
    assert failed.text.endswith("ee\n… and 19,950,020 characters more")
    (html,) = session.run(1, "from IPython.display import HTML\nHTML('<p>' + 'h' * 5_000_000)")
    assert (html.html, html.text) == (
        "",
        "5,000,003 characters of HTML, and a page has room for 5,000,000: show less",
    )
    many = session.run(2, "for each in range(60_000):\n    display(each)\n1 / 0")
    assert kinds(many[:2]) == [("shown", "0"), ("shown", "1")]
    assert kinds(many[-3:]) == [
        ("shown", "199"),
        ("stream", "… and more outputs: 59,800"),
        ("failed", "line 3: ZeroDivisionError: division by zero"),
    ]
    assert kinds(session.run(3, "display(*range(201))")[-1:]) == [("stream", "… and more outputs: 1")]


def test_a_question_to_the_reader_says_where_the_answer_goes(session):
    printed, said = session.run(0, "print('Before')\nn = int(input('How many? '))")
    assert (printed.kind, printed.text) == ("stream", "Before\n")
    assert said.kind == "failed"  # of "elsewhere" the page would keep the published output
    assert said.text.startswith("line 2: EOFError: input() has nobody to ask here")
    assert "write the value into the cell" in said.text


def test_a_semicolon_in_a_comment_or_a_text_hides_nothing(session):
    assert kinds(session.run(0, "1 + 1  # shown;")) == [("shown", "2")]
    assert kinds(session.run(1, "1 + 1;  # hidden")) == []
    assert kinds(session.run(2, "'shown;'")) == [("shown", "'shown;'")]


WITH_PERCENT = """x = '''50 of 100:
%d
'''
%load_ext gpusim
y = (7
% 4)
z = 8 \\
% 5
x, y, z"""


def test_a_percent_sign_is_a_magic_only_where_a_statement_begins(session):
    assert kinds(session.run(0, WITH_PERCENT)) == [("shown", repr(("50 of 100:\n%d\n", 3, 3)))]


SHY = """import stand_ins

class Shy(Exception):
    def __str__(self):
        raise ValueError("not told")

class ShyAndAbsent(Shy, stand_ins.NotHere):
    pass
"""


def test_an_error_that_cannot_say_what_it_is_is_told_all_the_same(session):
    session.run(0, SHY)
    (said,) = session.run(1, "raise Shy")
    assert (said.kind, said.text) == (
        "failed",
        "line 1: Shy: its message cannot be made, that is ValueError",
    )
    assert [each.kind for each in session.run(2, "raise ShyAndAbsent")] == ["elsewhere"]


PLAIN = """class Plain:
    def _repr_mimebundle_(self):
        return {}
    def __repr__(self):
        return 'plain'
Plain()"""


def test_a_class_and_a_value_without_a_bundle_are_shown_by_their_text(session):
    session.run(0, "class Table:\n    def _repr_html_(self):\n        return '<table>'")
    assert kinds(session.run(1, "display(Table)")) == [("shown", "<class '__main__.Table'>")]
    assert [each.html for each in session.run(2, "Table()")] == ["<table>"]
    for given in ("None", "(None, {})"):
        assert kinds(session.run(3, PLAIN.replace("{}", given))) == [("shown", "plain")]


def test_cuda_cpp_is_not_run_and_says_where_it_is(session):
    (said,) = session.run(0, "%%cuda\n__global__ void nothing() {}")
    assert (said.kind, "JupyterLab" in said.text) == ("elsewhere", True)


def test_what_draws_plots_is_imported_and_says_at_its_first_use_that_it_is_absent(session, monkeypatch):
    import stand_ins

    absent = stand_ins.Finder(["matplotlib"], stand_ins.Absent)
    monkeypatch.setattr(sys, "meta_path", [absent, *sys.meta_path])
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    assert session.run(0, "import matplotlib.pyplot as plt\nfrom matplotlib.patches import Rectangle") == []
    (said,) = session.run(1, "figure, axes = plt.subplots()")
    assert (said.kind, said.text) == (
        "elsewhere",
        "This cell draws with matplotlib, which is not here: its picture stays as it was.",
    )
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name, raising=False)


STOOD_IN = ("IPython", "IPython.core", "IPython.core.getipython", "IPython.core.interactiveshell")


@pytest.mark.parametrize("installed", [True, False])
def test_controls_are_there_whether_plots_are_installed_or_not(session, monkeypatch, installed):
    import stand_ins

    for name in (*STOOD_IN, "IPython.display", "myst_nb"):
        monkeypatch.setitem(sys.modules, name, None)  # put back after the test
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path] if installed else [])
    stand_ins.install(session.display)

    def stands_in(name):
        specs = (finder.find_spec(name, None) for finder in sys.meta_path)
        return isinstance(next(filter(None, specs)).loader, stand_ins.Finder)

    assert stands_in("ipywidgets")
    assert stands_in("gpusim.views.widgets")
    assert stands_in("matplotlib") is not installed


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
    (shown,) = session.run(0, PLAY)
    known = sys.modules["controls"].Widget.known
    yield session, shown, {each.tooltip: number for number, each in known.items() if each.tooltip}
    for name in ("controls", WINDOW, *stand_ins.CONTROLS):
        sys.modules.pop(name, None)


def test_a_playground_has_a_control_for_each_choice_and_follows_them(playground):
    session, shown, controls = playground
    assert shown.kind == "shown"
    assert {"grid (blocks)", "block (threads)", "device", "schedule", "stride", "x"} <= controls.keys()
    assert 'type="range" value="4" min="1" max="8"' in shown.html
    outcome = session.names["play"].outcome
    assert outcome.run.global_load_sectors == 16
    drawn = session.told(controls["stride"], "8")
    assert session.names["play"].outcome.run.global_load_sectors == 32
    assert any("gpusim-view" in html for _, html in drawn)
    assert controls["stride"] not in [number for number, _ in drawn]


def test_a_control_takes_what_it_can_and_the_text_may_be_wrong(playground):
    session, _, controls = playground
    ((drawn, html),) = session.told(controls["stride"], "many")
    assert (drawn, 'value="4"' in html) == (controls["stride"], True)
    session.told(controls["stride"], "99")  # its slider ends at 8
    assert session.names["play"].outcome.run.global_load_sectors == 32
    told = session.told(controls["the kernel's text"], "@cuda.jit\ndef broken(:\n    pass\n")
    assert any("invalid syntax" in html or "SyntaxError" in html for _, html in told)


@pytest.fixture
def controls(session):
    from controls import BoundedIntText, Checkbox, Dropdown, FloatSlider, changes

    drawn = BoundedIntText(32, 1, 1024), Checkbox(), Dropdown(options=["a", "b"]), FloatSlider(0.5, 0.0, 1.0)
    for each in drawn:
        each.live_html()
    yield (*drawn, changes)
    sys.modules.pop("controls")


def test_a_number_that_is_drawn_in_is_drawn_again(controls):
    """The reader wrote 5000, and 1024 is what runs: the page must not go on showing 5000."""
    number, tick, _, slider, changes = controls
    for _ in range(2):  # the second time the value stays what it is
        number.told("5000")
        assert number.value == 1024
        ((which, html),) = changes()
        assert (which, 'value="1024"' in html) == (number.number, True)
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


def test_an_array_is_shown_as_text(session):
    session.names["x"] = np.arange(3)
    assert kinds(session.run(0, "x")) == [("shown", "array([0, 1, 2])")]
