"""What an earlier text of a cell did, which does not stand there now, is in no result."""

from __future__ import annotations

import random

import numpy as np
import pytest


class Page:
    """A page whose cells a reader changes and runs: a new Python begins where the plan says so."""

    def __init__(self, new, texts):
        self.new, self.texts = new, dict(enumerate(texts, 1))
        self.session, self.begun = new(), 0

    def run(self, number, text=None):
        """The last cell's text, and which cells ran."""
        if text is not None:
            self.texts[number] = text
        texts = {str(each): text for each, text in self.texts.items()}
        plan = self.session.plan(texts, number, number)
        if plan["anew"]:
            self.session, self.begun = self.new(), self.begun + 1
            plan = self.session.plan(texts, number, number)
        assert plan["anew"] is None
        shown = {each: self.session.run(each, self.texts[each]) for each in plan["due"]}
        return "".join(each.text for each in shown[number]).strip()


@pytest.fixture
def page(session):
    def begin(*texts):
        return Page(type(session), texts)

    return begin


SET = {
    "the device": "import gpusim\ngpusim.use(device='P100')",
    "the device, by another name": "import gpusim\nu = gpusim.use\nu(device='P100')",
    "the device, by a name in a text": "import gpusim\ngetattr(gpusim, 'use')(device='P100')",
    "the device, and back": "import gpusim\ngpusim.use.defaults()",
    "how numbers are printed": "import numpy as np\nnp.set_printoptions(precision=2)",
    "what a module holds": "import math\nmath.tau = 6",
    "a table of a module": "import sys\nsys.path.append('/nowhere')",
    "an entry of a module's table": "import os\nos.environ['NOBODY'] = '1'",
    "a table that was imported": "from os import environ as e\ne['NOBODY'] = '1'",
    "a filter of warnings": "import warnings\nwarnings.simplefilter('ignore')",
    "a seed": "from random import seed as s\ns(1)",
    "names that are not said": "exec('x = 2')",
    "a name by a function": "def f():\n    global x\n    x = 2\nf()",
}


@pytest.fixture(autouse=True)
def _as_before(monkeypatch):
    """What these tests set is taken back, as it is with a new Python."""
    import math
    import os
    import sys
    import warnings

    import gpusim

    monkeypatch.setattr(os, "environ", os.environ.copy())
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(math, "tau", math.tau)
    before = random.getstate()
    with warnings.catch_warnings(), np.printoptions():
        yield
    random.setstate(before)
    gpusim.use.defaults()


@pytest.mark.parametrize("what", SET)
def test_once_a_text_is_gone_that_set_what_no_name_holds_a_new_python_begins(page, what):
    here = page("x = 1", "y = 0", "print(x)")
    assert here.run(3) == "1"
    here.run(2, SET[what])
    here.run(2)
    assert here.begun == 0  # it stands there
    assert here.run(3, "print(x + 0)") in ("1", "2")
    here.run(2, "y = 0")
    assert here.begun == 1
    assert here.run(3) == "1"
    assert here.begun == 1


def test_what_is_taken_back_or_only_asked_needs_no_new_python(page):
    here = page(
        "import gpusim, numpy as np", "with gpusim.use(device='P100'):\n    print(gpusim.use())", "print(5)"
    )
    assert "P100" in here.run(2)
    here.run(2, "x = np.zeros(3)\nx[0] = 1\nx.sort()")
    here.run(2, "print(5)")
    assert (here.run(3), here.begun) == ("5", 0)


def test_a_cell_above_a_setting_runs_without_it_and_one_that_only_defines_does_not_mind(page):
    here = page(
        "import gpusim",
        "def f(): return 5",
        "print(gpusim.use())",
        "gpusim.use(device='P100')",
        "print(gpusim.use())",
    )
    assert "P100" in here.run(5)
    here.run(2, "def f(): return 6")
    assert here.begun == 0
    with_ = here.run(5)
    import gpusim

    gpusim.use.defaults()  # as a new Python does
    assert "P100" in with_
    assert "H200" in here.run(3)
    assert here.begun == 1


GONE = {
    "a part": ("x = [[1]]", "r = x[0]; r[0] = 5"),
    "one of two": ("x = [1]; b = [2]", "a, b = x, 1; a[0] = 5"),
    "what a table holds": ("x = [[1]]", "d = {'k': x}\nfor k, v in d.items(): v.append(2)"),
    "a view": ("import numpy as np\nx = np.zeros((2, 2))", "q = x.T; q[0] = 1"),
    "the same array": ("import numpy as np\nx = np.zeros(2)", "y = np.asarray(x); y[0] = 1"),
    "rows": (
        "import numpy as np\nx = np.zeros(100)",
        "rows = x.reshape(10, 10)\nfor row in rows:\n    row += 5",
    ),
    "a method": ("x = [1]", "f = x.append; f(2)"),
    "several arguments": ("x = [1]\ndef k(a): a.append(1)", "a = (x,); k(*a)"),
    "an own function": ("x = [1]", "def h(): x.append(2)\nh()"),
    "a name": ("x = 1", "def f():\n    global x\n    x = 2\nf()"),
}


@pytest.mark.parametrize("what", GONE)
def test_what_a_text_that_is_gone_changed_by_another_name_is_as_before(page, what):
    given, changes = GONE[what]
    here = page(given, "print(x)", "print(x)")
    before = here.run(2)
    assert here.run(2, f"{changes}\nprint(x)") != before
    assert here.run(2, "print(x)") == before
    assert here.run(3) == before


def test_what_names_that_are_not_said_gave_stands_though_a_cell_above_runs_again(page):
    here = page("x = 1", "y = 0", "print(x)")
    here.run(3)
    here.run(2, "exec('x = 2')")
    assert [here.run(3), here.run(3)] == ["2", "2"]
    assert here.begun == 0


def test_what_is_drawn_again_is_drawn_after_its_seed(page):
    here = page("import random\nrandom.seed(1)", "x = 0", "y = random.random()", "print(random.random())")
    first = here.run(4)
    assert first.startswith("0.8474")
    assert [here.run(4), here.begun] == [first, 0]


def test_a_puzzle_runs_with_no_setting_of_the_page_s_cells(page):
    here = page("import gpusim", "gpusim.use(device='P100')")
    here.run(2)
    texts = {str(each): text for each, text in here.texts.items()}
    assert here.session.plan(texts, 7, 7)["anew"] == 2
    assert here.new().plan(texts, 7, 7) == {"due": [], "lines": {}, "kernels": [], "anew": None}
