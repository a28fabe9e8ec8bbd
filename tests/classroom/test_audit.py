"""What is to be looked at in a function that checks may call, and what is not?"""

from __future__ import annotations

import pytest

from classroom.audit import findings
from classroom.carrying import Names
from tests.classroom.apart_cheats import UNFOLLOWED

SETUP = "import dataclasses\nimport functools\nimport numpy as np\nfrom gpusim import cuda\n"
LOOKED_AT = {
    "a class with a field of any name": "return dataclasses.make_dataclass('Bag', [x])",
    "what one object has becomes another's": "return functools.update_wrapper(x, f, (), (x,))",
    "the same as a decorator": "return functools.wraps(x)",
    "the same from within": "from functools import update_wrapper as u\n    return u(x, f, (), (x,))",
    "what names it by itself": "return functools.WRAPPER_UPDATES",
    "the fields of a class": "return dataclasses.fields(x)",
    "Python's own functions as a table": "return __builtins__['eval'](x)",
    "memory by its address": "return type(np.zeros(1).ctypes.shape).from_address(x)",
    "a name that is made": "return getattr(x, chr(95))",
    "a module's by a text": "return getattr(np, 'load')",
    "a frame's by a text": "return getattr(x, 'gi_frame')",
    "what looks it up later": "return map(getattr, [x], ['warp_size'])",
    "a name that only Python itself has": "return hasattr(x, '__globals__')",
}
USUAL = {
    "a figure that a device may lack": "return hasattr(x, 'shared_bytes_per_block')",
    "the same with a value in its place": "return getattr(x, 'warp_size', 32)",
    "a copy of a dataclass": "return dataclasses.replace(x, warp_size=32)",
    "a partial function": "return functools.partial(max, x)(4)",
    "sums": "return functools.reduce(lambda a, b: a + b, [x, x])",
}


OWN = {
    "a parameter": "def f(dir, open, __tmp):\n    return dir + open(__tmp)",
    "a local": "def f(x):\n    locals, super = x\n    return locals + super",
    "an outer function's": "def f(input):\n    def g(x):\n        return input + x\n    return g(1)",
    "of a comprehension": "def f(x):\n    return [vars for vars in x]",
    "of a comprehension of the cell": "print([vars + 1 for vars in range(3)])",
    "of a lambda": "f = lambda dir: dir + 1",
    "of a method, as Python spells it": "class A:\n    def f(self, __tmp):\n        return __tmp",
    "an array by a name of NumPy's": "from numpy import *\ndef f(n):\n    tile = zeros(n)\n    tile[0] = 1",
    "by a name of one of its modules": "from numpy import *\ndef f(random):\n    return random.seed_of",
    "by the name of a module": "import math\ndef f(math):\n    math.pi = 3\n    return getattr(math, 'e')",
    "of the cell, by a name of NumPy's": "from numpy import *\ntile = [1]\ndef f(n):\n    tile[0] = n",
}
PYTHONS = {
    "before it is a parameter": "def f(open=open('x')):\n    return open",
    "where a comprehension begins": "def f():\n    return [open for open in open('x')]",
    "beside a lambda in one line": "def f(x, k=lambda open: open): return open(x)",
    "of another function": "def g(open):\n    return open\ndef f(x):\n    return open(x)",
    "made global": "def f(x):\n    global open\n    return open(x)",
    "of a class, which its methods do not see": "class A:\n    open = 1\n    def f(self):\n        open(1)",
    "in a class, before it is bound": "def f(x):\n    class A:\n        open = open(x)",
    "a module that it imports": "import math\ndef f(x):\n    import math\n    math.pi = 3",
    "a module, in a function within": "import math\ndef f():\n    import math\n    def g(): math.pi = 3",
    "a module by two names": "from math import *\nimport math\nmath = math\ndef f():\n    math.pi = 3",
}


NOTES = {
    "what prints": "def f(x):\n    from pprint import pprint\n    pprint(x)",
    "what draws": "def f(x):\n    import matplotlib.pyplot as plt\n    plt.plot(x)",
    "the same from its package": "def f(x):\n    from matplotlib import pyplot\n    return pyplot.subplots()",
    "a text that begins a name": "def f(x):\n    prefix = '_'\n    return 'a_' + '_' + prefix + x",
    "a figure named as a frame's would be": "def f(d):\n    return d.f_max, d.gi_n, d.co_count, d.tb_size",
    "a field": "class A:\n    def __init__(self):\n        self._n = 1\n    def f(self):\n        self._n",
    "a field that a class lists": "class A:\n    _n: int = 0\n    def f(this):\n        return this._n",
    "a method of its own": "class A:\n    def _g(self):\n        pass\n    def f(self):\n        self._g()",
    "a text that is formatted where it is written": "def f(x):\n    u = '_'\n    return '{}{}'.format(u, x)",
}
FIELD = "class A:\n    def f(self):\n        self._n = 1\n        return self._n\n"
REACHES = {
    "what draws has modules": "def f(x):\n    import matplotlib.pyplot as plt\n    return plt.sys.modules",
    "what draws, by another name": "def f():\n    import matplotlib.pyplot as plt\n    p = plt",
    "what draws, for all": "def f(x):\n    global plt\n    import matplotlib.pyplot as plt",
    "what draws reads files": "def f(x):\n    import matplotlib.pyplot as plt\n    return plt.imread(x)",
    "a notebook's shell": "def f(x):\n    from IPython import display",
    "a text by which attributes are taken": "def f(x):\n    u = '_'\n    return ('{0.' + u + x).format(f)",
    "a text here, and there what takes by it": "U = lambda x: x + '_'\ndef g(x):\n    str.format(x, g)",
    "a text, matched": "def f(x):\n    u = '_'\n    match u:\n        case str(format=g): g(f)",
    "another's field": "def f(x):\n    return x._n",
    "another's field in a method": "class A:\n    def f(self, x):\n        self._n = x\n        return x._n",
    "a field that the class does not have": "class A:\n    def f(self):\n        return self._m",
    "a method of another object": f"{FIELD}A.f(gpusim)",
    "the same by its type": f"{FIELD}type(A()).f(gpusim)",
    "another self": "class A:\n    def f(self, x):\n        self = x\n        self._n = self._n",
    "a caller's frame": "def f(g):\n    return g.gi_frame.f_back.f_locals",
    "a code's constants": "def f(g):\n    return g.co_consts",
}


def looked_at(body: str) -> list[str]:
    source = f"{SETUP}\ndef f(x):\n    {body}"
    return [str(each) for each in findings(source, Names.of([source], frozenset())) if each.look]


@pytest.mark.parametrize("name", LOOKED_AT)
def test_what_reaches_for_more_is_looked_at(name: str) -> None:
    assert looked_at(LOOKED_AT[name]) != []


@pytest.mark.parametrize("name", USUAL)
def test_what_answers_are_made_of_is_not(name: str) -> None:
    assert looked_at(USUAL[name]) == []


@pytest.mark.parametrize("name", NOTES)
def test_what_only_looks_like_a_reach_is_a_note(name: str) -> None:
    assert [each for each in findings(NOTES[name], Names.of([NOTES[name]], frozenset())) if each.look] == []


@pytest.mark.parametrize("name", REACHES)
def test_what_meets_another_reach_is_looked_at(name: str) -> None:
    assert [
        each for each in findings(REACHES[name], Names.of([REACHES[name]], frozenset())) if each.look
    ] != []


@pytest.mark.parametrize("name", OWN)
def test_a_functions_own_name_is_neither_pythons_nor_a_modules(name: str) -> None:
    assert [each for each in findings(OWN[name], Names.of([OWN[name]], frozenset())) if each.look] == []


@pytest.mark.parametrize("name", PYTHONS)
def test_what_only_looks_like_a_functions_own_is_looked_at(name: str) -> None:
    assert [
        each for each in findings(PYTHONS[name], Names.of([PYTHONS[name]], frozenset())) if each.look
    ] != []


@pytest.mark.parametrize(
    "how",
    [
        *("g.same = print", "setattr(g, 'same', print)", "delattr(g, 'same')", "g.__dict__['same'] = print"),
        "g.same.__code__ = (lambda: 0).__code__",
    ],
)
def test_the_cell_that_puts_another_judge_in_place_is_named_with_its_line(how: str) -> None:
    cell = f"import gpusim.grading as g\n{how}"
    told = [each.line for each in findings(cell, Names.of([cell], frozenset())) if each.look]
    assert told == [2]


def test_what_ends_that_calls_are_followed_is_looked_at() -> None:
    told = [str(each) for each in findings(UNFOLLOWED, Names.of([SETUP, UNFOLLOWED], frozenset()))]
    assert [each.partition(",")[0] for each in told] == [
        "line 13: `dataclasses.make_dataclass`",
        "line 14: `dataclasses.make_dataclass`",
        "line 14: `functools.update_wrapper`",
    ]
