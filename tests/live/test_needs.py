"""Which cells does a live page run? Those that the cell needs, and none whose result holds."""

from __future__ import annotations

import pytest

ARRAY, KERNEL = "x = np.zeros(4)", "@cuda.jit\ndef add(a):\n    a[0] += step"
COPY = "@cuda.jit\ndef copy(a, b):\n    i = cuda.grid(1)\n    b[i] = a[i]"
CELLS = {
    "a name": (["x = 1", "y = 2", "print(x)"], [0, 2]),
    "of two that give it the last": (["x = 1", "x = 2", "print(x)"], [1, 2]),
    "what may have given it": (["x = 1", "if y:\n    x = 2", "print(x)"], [0, 1, 2]),
    "what is changed in place": ([ARRAY, "y = x", "y[0] = 1", "print(x)"], [0, 1, 2, 3]),
    "what a launch may write": ([ARRAY, KERNEL, "add[1, 1](x)", "print(x)"], [0, 1, 2, 3]),
    "a kernel, not its launches": ([KERNEL, "y = 1\nadd[1, 1](y)", "z = 2\nadd[1, 1](z)"], [0, 2]),
    "what a launch leaves in a kernel": (
        [KERNEL, "add[1, 1](np.zeros(4))", "z = 1", "add.occupancy(256)"],
        [0, 1, 3],
    ),
    "what a launch leaves in a kernel, through a function": (
        [KERNEL, "add[1, 1](np.zeros(4))", "def of():\n    return add.occupancy(256)", "of()"],
        [0, 1, 2, 3],
    ),
    "what a function takes from outside": (["step = 1", KERNEL, "add(5)"], [0, 1, 2]),
    "a kernel's own names are its own": (["a = 1", KERNEL, "add(5)"], [1, 2]),
    "a setting": (['gpusim.use(device="A100")', "z = 1", "add(5)"], [0, 2]),
    "a setting that is taken back": (['with gpusim.use(device="A100"):\n    y = 1', "z = 1", "add(5)"], [2]),
    "an attribute": (["np.x = 1", "print(np)"], [0, 1]),
    "what cannot be read, if it is to give it": (["x = 1", "y = (", "print(y)", "print(x)"], [0, 3]),
    "what cannot be read gives a kernel": (
        ["z = 1", "@cuda.jit\ndef add(a:\n    y = 1", "y = 2", "add(y)"],
        [1, 2, 3],
    ),
    "what cannot be read and sets": (["gpusim.use('A100'", "print(5)"], [0, 1]),
    "what cannot be read needs nothing": (["x = 1", "print(x"], [1]),
    "what it lengthens": (["x = 1", "y = 2", "x += 1"], [0, 2]),
    "what was lengthened": (["x = 1", "x += 1", "print(x)"], [0, 1, 2]),
    "what it takes away": (["x = 1", "y = 2", "del x"], [0, 2]),
    "names that are not said": (["from math import *", "y = 2", "print(sqrt(4))"], [0, 2]),
    "names that are not said, anywhere": (["globals()['x'] = 2", "y = 2", "print(x)"], [0, 2]),
    "what a pattern takes": (["match [5, 6]:\n    case [n, *m]:\n        pass", "y = 2", "print(n)"], [0, 2]),
    "what a pattern leaves": (
        ["match [5, 6]:\n    case [_, *m]:\n        pass", "y = 2", "print(m)"],
        [0, 2],
    ),
    "what a pattern does not name": (
        ["match {1: 2}:\n    case {**k}:\n        pass", "y = 2", "print(k)"],
        [0, 2],
    ),
    "what a function gives": (["def f():\n    global y\n    y = 2", "f()", "z = 1", "print(y)"], [0, 1, 3]),
    "nothing of what a kernel only reads": ([ARRAY, KERNEL, COPY, "copy[1, 1](x, y)", "print(x)"], [0, 4]),
    "what a kernel writes": (["y = np.zeros(4)", COPY, "copy[1, 1](x, b=y)", "print(y)"], [0, 1, 2, 3]),
    "what a kernel writes under another name": (
        [ARRAY, "@cuda.jit\ndef add(a):\n    row = a[0]\n    row[1] = 2", "add[1, 1](x)", "print(x)"],
        [0, 1, 2, 3],
    ),
    "what a kernel hands to another": (
        [ARRAY, "@cuda.jit\ndef add(a):\n    cuda.atomic.add(a, 0, 1)", "add[1, 1](a=x)", "print(x)"],
        [0, 1, 2, 3],
    ),
    "what a launch may write, if the kernel is any": (
        [ARRAY, COPY, "for copy in (copy, add):\n    copy[1, 1](x, y)", "print(x)"],
        [0, 1, 2, 3],
    ),
    "nothing that only looks": ([ARRAY, "print(x)", "gpusim.table(x)", "x[0] + len(x)", "x"], [0, 4]),
    "whom a part was given to": ([ARRAY, "f(x[1:])", "g(x.T)", "x.sort()", "print(x)"], [0, 1, 2, 3, 4]),
    "nobody whom a copy was given to": ([ARRAY, "f(x.copy(), np.zeros_like(x))", "print(x)"], [0, 2]),
    "what a kernel that asks the device leaves": (
        ["@cuda.jit\ndef add(a):\n    cudart.cudaGetLastError()", "z = 1", "print(5)"],
        [2],
    ),
    "nothing of another thing of that name": (
        ["x = [1]", "y = x", "y = [2]", "y.append(3)", "print(x)"],
        [0, 4],
    ),
    "of what `with` gives the last": (["with f() as x:\n    x", "with f() as x:\n    x", "print(x)"], [1, 2]),
    "no name of a comprehension": (["n = 1", "y = [n for n in (1, 2)]", "print(n)"], [0, 2]),
    "nor of a lambda": (["n = 1", "y = lambda n: n", "print((lambda y: n)(2))"], [0, 2]),
    "what is changed from within": (["x = [[1]]", "[each.append(2) for each in x]", "print(x)"], [0, 1, 2]),
    "what is changed one by one": (["x = [[1]]", "for y in x:\n    y.append(2)", "print(x)"], [0, 1, 2]),
    "what a function changes": (["x = []", "def f():\n    x.append(1)", "f()", "print(x)"], [0, 1, 2, 3]),
    "no function that was not called": (["x = []", "def f():\n    x.append(1)", "print(x)"], [0, 2]),
    "what a function took when it was called": (
        ["step = 1", "def f():\n    return step", "y = f()", "def f():\n    return 2", "print(y)"],
        [0, 1, 2, 4],
    ),
    "what a function changed when it was called": (
        ["x = []", "def f():\n    x.append(1)", "f()", "def f():\n    pass", "print(x)"],
        [0, 1, 2, 4],
    ),
    "of two kernels the last, and its launches": (
        [KERNEL, "add[1, 1](np.zeros(4))", KERNEL, "add.occupancy(256)"],
        [2, 3],
    ),
    "no set of numbers": (["y = set((1, 2))", "print(5)"], [1]),
    "what a class changes": (["x = []", "class A:\n    x.append(1)", "print(x)"], [0, 1, 2]),
    "what a pattern within another takes": (
        ["match [5, 6]:\n    case [n, *_] as k:\n        pass", "y = 2", "print(n)"],
        [0, 2],
    ),
    "what a pattern of keys holds": (
        ["match {1: 2}:\n    case {1: n}:\n        pass", "y = 2", "print(n)"],
        [0, 2],
    ),
    "what a class gives": (["class A:\n    x = 1", "y = 2", "A()"], [0, 2]),
    "each of several that it changes": (
        [ARRAY, "y = np.zeros(4)", "x[0], y[0] = 1, 2", "print(x)"],
        [0, 1, 2, 3],
    ),
    "no attribute or method of a class": (
        ["x = 5", "class A:\n    x = 1\n    def y(self): pass", "y = 2\nclass B:\n    y: int", "print(x, y)"],
        [0, 2, 3],
    ),
    "what a name was that is annotated only": (["x = 5", "x: int", "print(x)"], [0, 2]),
    "what makes a class": (["x = 1", "y = 2", "z = 3", "@f(z)\nclass A(x, k=y):\n    pass"], [0, 1, 2, 3]),
    "names that are not said, in any table of them": (["vars()['x'] = 2", "y = 2", "print(x)"], [0, 2]),
    "what was printed into": (["f = io.StringIO()", "print(5, file=f)", "print(f.getvalue())"], [0, 1, 2]),
    "what was changed as what `with` gives": (
        ["def c():\n    return x", "x = []", "with c() as y:\n    y.append(1)", "print(x)"],
        [0, 1, 2, 3],
    ),
    "what a comprehension gives": (["y = 1", "[m := n for n in (1, 2)]", "print(m)"], [1, 2]),
    "what a class holds": (
        ["class A:\n    x = []", "A.x.append(1)", "print(A.x)", "print(A.x)"],
        [0, 1, 3],
    ),
    "what things of a class share": (
        ["class A:\n    x = []", "a = A()", "a.x.append(1)", "print(A.x)"],
        [0, 1, 2, 3],
    ),
    "what an iterator has left, however it was read": (
        ["i = iter([1, 2, 3])", "print(list(i))", "y = 2", "print(list(i))"],
        [0, 1, 3],
    ),
    "what a loop has left": (
        ["i = (n for n in (1, 2))", "for n in i:\n    break", "y = [*i]", "print(sum(i))"],
        [0, 1, 2, 3],
    ),
    "what a function has still to give": (
        ["def g():\n    yield 1", "i, n = g(), 1", "sum(i)", "print(list(i))"],
        [0, 1, 2, 3],
    ),
    "an iterator by another name": (
        ["i = map(str, [1])", "j = i", "list(j)", "print(list(i))"],
        [0, 1, 2, 3],
    ),
    "nothing of what was read at once": (["i, j = (n for n in (1, 2))", "print(i)", "print(i)"], [0, 2]),
    "no list of what was read once": (["i = list(map(str, [1]))", "print(i)", "print(i)"], [0, 2]),
    "what a function of the page's changes, whatever its name": (
        [
            "hist, key = {}, 1\ndef count(hist, key): hist[key] = 1",
            "count(hist, key)",
            "print(hist)",
        ],
        [0, 1, 2],
    ),
    "what a method of the page's changes, whatever its name": (
        ["class Bag:\n    def count(self, x): x.append(1)", "b, x = Bag(), []", "b.count(x)", "print(x)"],
        [0, 1, 2, 3],
    ),
    "nothing that a function of the page's only reads": (
        ["x = [1]\ndef table(a, b=0): return len(a)", "table(x), table(b=[x], a=x)", "print(x)"],
        [0, 2],
    ),
    "what a function of any number of arguments may change": (
        ["x = [1]\ndef say(*a): a[0].append(1)", "say(x)", "print(x)"],
        [0, 1, 2],
    ),
    "what a function may change of several that it gets at once": (
        ["x = [1]\ndef table(a, b): a.append(1)", "table(*x)", "print(x)"],
        [0, 1, 2],
    ),
    "what a lambda of the page's changes, whatever its name": (
        ["x = []\nsay = lambda x: x.append(1)", "say(x)", "print(x)"],
        [0, 1, 2],
    ),
    "nothing of what a function imported by its own name reads": (
        [f"from numpy import copy\n{ARRAY}", "copy(x)", "print(x)"],
        [0, 2],
    ),
    "what was written into": ([ARRAY, "y = np.zeros(1)", "x.sum(out=y)", "print(y)"], [0, 1, 2, 3]),
    "what a lambda reads when it is called": (["n = 1\nf = lambda: n", "n = 2", "print(f())"], [0, 1, 2]),
    "what a lambda in a table reads": (["n = 1\nd = {'f': lambda: n}", "n = 2", "d['f']()"], [0, 1, 2]),
    "what a lambda put into a table reads": (
        ["d = {}\nn = 1", "d['f'] = lambda: n", "n = 2", "d['f']()"],
        [0, 1, 2, 3],
    ),
    "what a function reads in another": (
        ["n = 1\ndef f(): return n", "g = partial(f)", "n = 2", "print(g())"],
        [0, 1, 2, 3],
    ),
    "what a function by another name reads": (
        ["n = 1\ndef f(): return n", "g = f", "n = 3", "g()"],
        [0, 1, 2, 3],
    ),
    "what a function that another made reads": (
        ["n = 1\ndef make(): return lambda: n", "g = make()", "n = 3", "g()"],
        [0, 1, 2, 3],
    ),
    "what a function reads that is wrapped under its name": (
        ["n = 1\ndef f(): return n\nf = cached(f)", "n = 2", "f()"],
        [0, 1, 2],
    ),
    "what a thing's methods read": (
        ["n = 1\nclass A:\n    def f(self): return n", "a = A()", "n = 3", "a.f()"],
        [0, 1, 2, 3],
    ),
    "what a function by another name changes": (
        ["x = []\nf = lambda: x.append(1)", "g = f", "g()", "print(x)"],
        [0, 1, 2, 3],
    ),
    "no function of what was called at once": (
        ["n = 1\ndef f(): return n", "y = f()", "n = 2", "y"],
        [0, 1, 3],
    ),
    "what is changed one by one by a function": (
        ["a = []", "list(map(a.append, [1, 2]))", "print(a)"],
        [0, 1, 2],
    ),
    "what a function changes that is given each": (
        ["a = [[1]]\ndef f(x): x.append(1)", "sorted(a, key=f)", "print(a)"],
        [0, 1, 2],
    ),
    "nothing of what was only read one by one": (
        ["a = [[1]]", "list(map(str, a)), sorted(a, key=lambda x: x[0])", "print(a)"],
        [0, 2],
    ),
    "what was drawn before": (
        ["import numpy as np", "np.random.rand()", "y = 1", "print(np.random.rand())"],
        [0, 1, 3],
    ),
    "what was drawn before, through a function": (
        ["from random import random as draw", "def f():\n    return draw()", "f()", "y = 1", "g = f", "g()"],
        [0, 1, 2, 4, 5],
    ),
    "nothing that was drawn from a state of its own": (
        ["import random", "random.Random(1).random()", "r = random.Random(2)", "print(r.random())"],
        [0, 2, 3],
    ),
    "what is changed where a function is defined": (
        ["x = []", "def f(a=x.append(1)): return a", "y = 1", "print(x)"],
        [0, 1, 3],
    ),
    "what a decorator changes": (
        ["x = []\ndef g(f): x.append(1); return f", "@g\ndef f(): pass", "y = 1", "print(x)"],
        [0, 1, 3],
    ),
    "what the calls of a function leave in its defaults": (
        ["def f(a=[]): a.append(1); return len(a)", "f()", "y = 1", "print(f())"],
        [0, 1, 3],
    ),
    "no call of a function whose defaults stay": (
        ["def f(a=1, b=None): return a", "f()", "print(f())"],
        [0, 2],
    ),
    "no cell of C++": (["%%cuda\nx", "\n%%cuda\nx = 1;", "print(x)"], [2]),
}


@pytest.fixture
def needs(session):
    import needs

    return needs


@pytest.mark.parametrize("what", CELLS)
def test_a_cell_needs(needs, what):
    texts, found = CELLS[what]
    assert needs.Page(texts).needs(len(texts) - 1) == found


def due(session, texts, number, last=None):
    """Run what is due, and say which that was."""
    cells = dict(enumerate(texts, 1))
    found = session.plan({str(each): text for each, text in cells.items()}, number, last or number)["due"]
    for each in found:
        session.run(each, cells[each])
    return found


def test_what_holds_does_not_run_again(session):
    texts = ["x = 1", "y = 2", "z = x", "print(z)\nprint(y)"]
    assert due(session, texts, 4) == [1, 2, 3, 4]
    texts[1] = "y = 3"
    assert due(session, texts, 2, 4) == [2, 4]
    assert due(session, texts, 3) == [3]


def test_what_is_made_of_a_cell_that_runs_again_is_made_anew(session):
    texts = ["x = 1", "y = x", "print(y)"]
    assert due(session, texts, 3) == [1, 2, 3]
    texts[0] = "x = 2"
    assert due(session, texts, 3) == [1, 2, 3]
    for _ in range(2):  # what a cell lengthens begins where it began
        assert due(session, ["x = [1]", "x += [2]"], 2) == [1, 2]
        assert session.run(9, "x")[0].text == "[1, 2]"


def test_what_was_changed_since_runs_again(session):
    """A list that grew is made anew, a name that a later cell took is given back, a cell that failed runs."""
    texts = ["x = []", "x.append(1)\nprint(x)", "x = 5"]
    for _ in range(2):
        assert due(session, texts, 2) == [1, 2]
        assert session.run(9, "x")[0].text == "[1]"
    assert due(session, texts, 3) == [3]
    assert due(session, texts, 2) == [1, 2]
    other = ["x = []", "y = []", "y.append(1)", "print(x)"]
    assert due(session, other, 3) == [2, 3]
    assert due(session, other, 4) == [1, 4]
    assert due(session, other, 3) == [2, 3]
    assert due(session, other, 4) == [4]  # which is nothing to it
    assert due(session, ["x = []", "y = x", "y.append(1)\nprint(x)"], 3) == [2, 3]
    assert due(session, ["x = []", "y = x", "y.append(1)\nprint(x)"], 3) == [1, 2, 3]  # under another name
    assert due(session, ["1 / 0", "print(5)", "y"], 1) == [1]
    assert due(session, ["z = 1", "z = 0 + 1 / 0", "print(z)"], 2) == [2]
    assert due(session, ["z = 1", "z = 0 + 1 / 0", "print(z)"], 3) == [2, 3]


FILL = "@cuda.jit\ndef fill(out):\n    i = cuda.grid(1)\n    out[i] = i * {}"


def test_what_was_made_of_another_text_runs_again(session):
    """A kernel ran with a new text: what was launched with the old one does not hold."""
    session.run(0, "import numpy as np\nfrom gpusim import cuda")
    texts = [FILL.format(10), "out = np.zeros(4, int)\nfill[1, 4](out)", "print(out)"]
    assert due(session, texts, 3) == [1, 2, 3]
    texts[0] = FILL.format(7)
    assert due(session, texts, 1) == [1]
    assert due(session, texts, 3) == [2, 3]
    assert session.run(9, "print(out)")[0].text == "[ 0  7 14 21]\n"


def test_what_runs_again_may_undo_what_held(session):
    texts = ["x = 1", "y = x", "x = 2", "print(x, y)"]
    assert due(session, texts, 4) == [1, 2, 3, 4]
    texts[1] = "y = x + 4"  # of the first x
    assert due(session, texts, 4) == [1, 2, 3, 4]
    assert session.run(9, "print(x, y)")[0].text == "2 5\n"


def test_below_a_cell_those_run_that_need_it(session):
    assert due(session, ["x = 1", "print(5)", "print(x)", "print(x + 1)"], 1, last=3) == [1, 3]


def test_a_kernel_is_told_how_it_is_launched_and_who_does(session):
    helper = "@cuda.jit(device=True)\ndef helps(a):\n    return a"
    texts = ["def runs():\n    return copy[1, 1](1, 2)", f"{COPY}\n{helper}", "y = copy", "runs()"]
    kernels = session.plan(dict(enumerate(texts)), 1, 3)["kernels"]
    copy, helps = kernels
    assert copy == {"name": "copy", "launch": copy["launch"], "runs": [2, 3]}
    assert copy["launch"] == "launch it in this cell, `copy[1, 32](a, b)`, and print what it wrote"
    assert helps["runs"] == []
    assert helps["launch"] == "call `helps(a)` in a kernel that is launched"


def test_what_a_text_gives_no_more_is_gone(session):
    """A kernel got another name: who launches it under the old one runs, and ends with a NameError."""
    texts = {"1": "x = 1", "2": "print(x)", "3": "print(5)"}
    assert session.plan(texts, 1, 3)["due"] == [1, 2]
    for number in (1, 2):
        session.run(number, texts[str(number)])
    for _ in range(2):
        assert session.plan(texts | {"1": "y = 1"}, 1, 3)["due"] == [1, 2]
        assert session.run(2, texts["2"])[0].text == "line 1 of In[2]: NameError: name 'x' is not defined"
    session.names["other"] = 7
    assert session.plan(texts | {"1": "y = 1"}, 1, 3, source="z = 1; x = 1")["due"] == [1, 2]
    assert session.names["other"] == 7
    assert session.plan(texts | {"1": "y = 1"}, 1, 1)["lines"] == {1: [1], 2: [1, 2], 3: [3]}


def test_a_puzzle_keeps_its_names(session):
    session.run(1, "x = 1")
    session.run(7, "x = 2")  # a puzzle's cell
    session.plan({"1": "y = 1", "2": "print(y)"}, 1, 2)
    assert session.names["x"] == 2


@pytest.mark.parametrize(
    "text",
    ["x = '\ud800'", "x = " + "-" * 200_000 + "1", "x = 1" + " + 1" * 20_000, "x = 1\0", "%a\nx = '\ud800'"],
)
def test_a_text_that_no_python_reads_is_planned_as_one_that_cannot_be_read(session, text):
    assert due(session, [text, "print(x)"], 2) == [1, 2]
