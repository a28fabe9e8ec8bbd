"""What crosses to the checks? All of every right answer of the course, and nothing that runs by itself."""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import importlib.util

import pytest

from classroom import carrying
from classroom.audit import findings
from classroom.carrying import Names, carried
from classroom.mending import is_answer
from classroom.names import bound, defined, held, is_pythons, needed, python_of
from tests.classroom.cheats import CHEATS
from tests.classroom.small_lab import SETUP
from tests.labs.shell import NAMES, instructors

RUNS = (
    "print(1)",
    "np.array_equal = lambda *a: True",
    "import os",
    "from os import *",
    "x = __import__('os')",
    "x = (lambda: setattr(grading, 'require', None))()",
    "x = [grading.__dict__.clear() for _ in range(1)]",
    "x = sorted([1], key=evil)",
    "x = min(map(evil, [1]))",
    "x = np.vectorize(evil)([1])",
    "x = gpusim.use('T4')",
    "x = (y := 1)",
    "@evil\ndef f():\n    pass",
    "def f(x=evil()):\n    pass",
    "@cuda.jit(evil())\ndef f():\n    pass",
    "class A(metaclass=Evil):\n    pass",
    "class A:\n    evil()",
    "class A:\n    def __set_name__(self, owner, name):\n        pass",
    "class A:\n    def __eq__(self, other):\n        return True",
    "with open('x') as f:\n    pass",
    "for x in evil():\n    pass",
    "del grading",
    "def lanes_of(device):\n    return 1",
    "lanes_of = 1",
    "x = np.ma.core.builtins.exec('1')",
    "x = np.ma.core.builtins",
    "x = np",
    "x: np.ma.core.builtins.exec('1') = 1",
    "def f(x: exec('1')):\n    pass",
    "def f() -> exec('1'):\n    pass",
    "f = lambda *, x=exec('1'): x",
    "from gpusim.views.waiting import get_ipython",
    "from gpusim.views import waiting as devices",
    "from dataclasses import inspect",
    "from gpusim import grading as mine",
    "def f():\n    from gpusim.grading import kept",
    "from math import sqrt as np",
    "alias = lambda x: 1\nx = np.apply_along_axis(alias, 0, np.zeros(1))",
    "alias = evil\nx = np.array(alias)",
    "x = max([1], **{'key': print})",
    "x = [1 for np.array in [2]]",
    "x = np.load('x.npy', allow_pickle=True)",
    "x = [f(1) for f in [print]]",
    "class A:\n    len = lambda x: 1\n    x = len(1)",
)


KEPT = frozenset({"lanes_of", "grading", "np", "cuda", "gpusim"})
IMPORTS = "import numpy as np\nimport gpusim\nfrom gpusim import cuda, grading"


def crossing(source: str, values: dict[str, tuple[str, str]] | None = None, *others: str) -> carrying.Carried:
    """What crosses of this cell, behind a locked one that imports, in a notebook with these other cells."""
    return carried(source, values or {}, Names.of([IMPORTS, source, *others], KEPT))


@pytest.mark.parametrize("source", RUNS)
def test_what_runs_by_itself_stays_behind(source: str) -> None:
    crossed = crossing(f"def evil(*x):\n    pass\n{source}").source
    last = [ast.unparse(each) for each in ast.parse(crossed).body[1:]]
    alone = ast.unparse(ast.parse(source).body[-1])
    assert crossed.startswith("def evil")
    assert alone not in last
    assert [each for each in last if each != "pass" and not each.startswith("alias = ")] == []


@pytest.mark.parametrize("hides", ["len = lambda x: 1", "def len(x):\n    pass", "class len:\n    pass"])
@pytest.mark.parametrize("at", ["same cell", "another cell", "global"])
def test_a_name_that_anything_else_binds_is_not_called(hides: str, at: str) -> None:
    use, other = "x = len('ab')", hides
    if at == "global":
        other = "def f():\n    global len\n    len = print"
    crossed = crossing(f"{hides}\n{use}") if at == "same cell" else crossing(use, None, other)
    assert "x" in crossed.left
    assert use not in crossed.source.splitlines()
    assert crossing(use).source == use


def test_a_table_that_calls_a_function_for_what_it_lacks_stays_behind() -> None:
    """`x[0]` would call it. One of lists calls nothing of the student's."""
    begin = "from collections import defaultdict\ndef f():\n    return 4\n"
    assert "defaultdict(f)" not in crossing(f"{begin}x = defaultdict(f)").source
    assert "defaultdict(list)" in crossing(f"{begin}x = defaultdict(list)").source


def test_a_decorator_is_known_by_what_it_is() -> None:
    decorated = "@cache\ndef f():\n    return 1"
    assert crossing(f"from functools import cache\n{decorated}").left == set()
    assert crossing(f"cache = lambda f: f()\n{decorated}").left == {"f"}
    assert crossing(decorated, None, "cache = lambda f: f()").left == {"f"}


def test_lines_keep_their_numbers() -> None:
    source = "print(\n    1\n)\n\n\n@cuda.jit\ndef f(x):  # mine\n    x[0] = 1; print(2)\nK = 4; print(3)\n"
    crossed = crossing(source).source.splitlines()
    assert crossed[6:9] == ["def f(x):  # mine", "    x[0] = 1; print(2)", "K = 4; pass"]


def test_values_cross_as_literals_only() -> None:
    values = {"a": ("", "[1, 2]"), "b": ("", "__import__('os')"), "c": ("<i8", "[1, 2]"), "np": ("", "3")}
    crossed = crossing("a = f()", values)
    assert crossed.source.splitlines() == [
        "pass",
        "a = [1, 2]",
        "c = __import__('numpy').array([1, 2], '<i8')",
    ]
    assert crossed.left == set()


@pytest.mark.parametrize("first", ["@cuda.jit\ndef k(x):\n    t = ", "x = 1; y = "])
def test_what_a_kernel_would_read_otherwise_does_not_cross(first: str) -> None:
    """A prompt goes when the cell is read, another one when it is read again, and with it ends the text."""
    cell = f"{first}'''\n>>> >>>     text\n    '''\n    print('by itself')"
    crossed = crossing(cell.replace("    print('by itself')", "") if first[0] == "x" else cell)
    assert (crossed.source, crossed.judged) == ("", "")
    assert "prompts within a text" in crossed.odd
    assert crossing(cell.replace(">>> >>>", "  >>>")).odd == ""


def test_what_is_not_plain_is_told() -> None:
    assert crossing("made = f()\nwith open('x') as file:\n    pass").left == {"made", "file"}


@functools.cache
@functools.cache
def cells_of(lab: str) -> list[str]:
    """The locked cells of a lab."""
    return [
        cell.source for cell in instructors(lab).cells if cell.cell_type == "code" and not is_answer(cell)
    ]


@functools.cache
def locked(lab: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """What the locked cells of a lab define, bind and need."""
    cells = cells_of(lab)
    return held(cells), *(frozenset[str]().union(*map(each, cells)) for each in (bound, needed))  # type: ignore[return-value]


def answers(kind: str) -> list[tuple[str, str]]:
    """All answers of this kind that the labs are tested with: (lab, its name)."""
    found = []
    for lab in NAMES:
        name = f"tests.labs.answers.{kind}.{lab.replace('-', '_')}"
        if importlib.util.find_spec(name):
            found += [(lab, each) for each in importlib.import_module(name).ANSWERS]
    return found


@pytest.mark.parametrize(("lab", "name"), answers("right"))
def test_every_right_answer_crosses_and_none_is_flagged(lab: str, name: str) -> None:
    """A table of predictions comes as its value; all else as its source."""
    source = importlib.import_module(f"tests.labs.answers.right.{lab.replace('-', '_')}").ANSWERS[name]
    kept, binds, needs = locked(lab)
    values = {"predicted": ("", "{}")} if "predicted" in bound(source) else {}
    crossed = carried(source, values, Names.of([*cells_of(lab), source], kept))
    assert crossed.left & (needs | needed(crossed.source)) - binds == set()
    assert findings(source, Names.of([*cells_of(lab), source], kept)) == []


@pytest.mark.parametrize("cheat", [name for name, cheat in CHEATS.items() if cheat.note.startswith("`")])
def test_what_a_cell_reaches_for_is_found(cheat: str) -> None:
    source = CHEATS[cheat].source
    names = Names.of([SETUP, source], frozenset(defined(SETUP) | {"np", "grading"}))
    assert any(CHEATS[cheat].note in each.what for each in findings(source, names))


@pytest.mark.parametrize(
    "body",
    [
        "ip = get_ipython()",
        "from IPython import get_ipython as g",
        "getattr(np, name)",
        "grading.kept._notebooks",
        "grading.require = print",
        "().__class__",
        "import sys",
        "open('x')",
        "for np.array_equal in [print]: pass",
        "[1 for np.array_equal in [print]]",
        "with x as np.array: pass",
        "other.array_equal = print",
        "from dataclasses import inspect",
        "from gpusim.grading import kept",
        "from operator import attrgetter",
        "np.ctypeslib.os.system('ls')",
        "n = np",
        "x.gi_frame",
        "x.f_back.f_locals",
        "'{0.__globals__}'.format(f)",
        "match x:\n     case object(__globals__=g): pass",
        "class A(int): pass",
        "class A(metaclass=x): pass",
        "class A:\n        def __float__(self): return 1.0",
        "match f:\n        case X(g): pass",
        "X = type('X', (), {})",
        "X = type(A)('X', (), {})",
        "X.register(type(f))",
        "n = '/proc/self/mem'",
        "import subprocess",
        "from os import path",
        "import ctypes",
    ],
)
def test_what_a_function_reaches_for_is_to_be_looked_at(body: str) -> None:
    cell = f"def f(x):\n    {body}"
    (found, *_) = findings(cell, Names.of([IMPORTS, "import numpy as other", cell], KEPT))
    assert (found.line > 1, found.inside) == (True, True)


@pytest.mark.parametrize(
    "cell",
    [
        *(
            "import subprocess\nsubprocess.run('ls')",
            "from os import fork\nfork()",
            "from os import *",
            "import multiprocessing.shared_memory\nprint(multiprocessing)",
            "import ctypes as c\nc.string_at(1)",
        ),
        *(
            "from operator import is_ as getattr",
            "from operator import is_ as ｇｅｔａｔｔｒ",
            "import math as abs",
            "def abs(x):\n    return 0",
            "class print:\n    pass",
            "abs = lambda x: 0",
            "abs = np.spacing",
            "def f(x):\n    return 0\nif True:\n    max = f",
            "__builtins__ = {}",
            "from math import pi as __builtins__",
            "place = '/proc/1/environ'",
            "grading.require = print",
            "grading = 1",
            "import gpusim.grading.kept",
        ),
    ],
)
def test_what_a_cell_does_for_one_reason_only_is_to_be_looked_at(cell: str) -> None:
    """Though it does no harm where it runs; what may have another reason stays a note."""
    assert [each.look for each in findings(cell, Names.of([IMPORTS, cell], KEPT))] == [True]


@pytest.mark.parametrize(
    "cell",
    [
        *("import sys", "import os", "from os import path", "import subprocess, ctypes"),
        *("sum = 0\nmax = sum + 1", "from numpy import *", "for id in range(3):\n    pass"),
        *("x = [len for len in (1, 2)]", "def f(sum):\n    max = sum\n    return max"),
    ],
)
def test_what_has_an_honest_reason_is_a_note(cell: str) -> None:
    assert not any(each.look for each in findings(cell, Names.of([IMPORTS, cell], KEPT)))


HIDES = {
    "an import": ("from operator import is_ as {0}", ""),
    "full-width letters": ("from operator import is_ as {1}", ""),
    "a star": ("from numpy import *", ""),
    "a function": ("def {0}(x):\n    return 0", ""),
    "a kernel": ("@cuda.jit\ndef {0}(x):\n    x[0] = 1", ""),
    "a class": ("import dataclasses\n@dataclasses.dataclass\nclass {0}:\n    x: int", ""),
    "a lambda": ("{0} = lambda x: 0", ""),
    "another function": ("{0} = np.spacing", ""),
    "a value": ("{0} = 0.5", "0.5"),
    "a loop": ("for {0} in (0.5,):\n    pass", "0.5"),
    "a walrus": ("print({0} := 0.5)", "0.5"),
    "an error's name": ("try:\n    1 / 0\nexcept ZeroDivisionError as {0}:\n    pass", ""),
    "with": ("with open('x') as {0}:\n    pass", "'x'"),
    "unpacked": ("own, {0} = 1, 2", "2"),
}


@pytest.mark.parametrize("name", ["abs", "getattr", "print", "get_ipython", "__import__", "__builtins__"])
@pytest.mark.parametrize("how", HIDES)
def test_no_name_of_pythons_is_a_students_where_checks_run(name: str, how: str) -> None:
    cell, value = HIDES[how]
    wide = "".join(chr(ord(each) + 0xFEE0) if each.isalpha() else each for each in name)
    values = {name: ("", value)} if value else {}
    crossed = crossing(cell.format(name, wide), values)
    assert [each for each in bound(crossed.judged) if is_pythons(each)] == []
    assert not any(each.startswith("__") for each in bound(crossed.source))


@pytest.mark.parametrize("lab", NAMES)
def test_a_cell_above_a_labs_first_binds_no_name_that_its_locked_cells_use(lab: str) -> None:
    used = {
        part.id
        for each in cells_of(lab)
        for part in ast.walk(ast.parse(python_of(each)))
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id in vars(builtins)
    }
    cell = "\n".join(f"from operator import is_ as {each}" for each in sorted(used))
    names = Names.of([cell, *cells_of(lab)], locked(lab)[0])
    assert "print" in used
    assert bound(carried(cell, {}, names).judged) == set()
    assert {each.what for each in findings(cell, names) if each.look} == {
        f"`{each}` is bound, which is Python's own" for each in used
    }


def test_what_stands_beside_a_name_of_pythons_is_there() -> None:
    """In what answers for the student the name is the student's, as it is in their notebook."""
    values = {"max": ("", "3")}
    for cell in ("from numpy import *", "from math import pi as sum, tau as float32\nmax, zeros = 3, 4"):
        crossed = crossing(cell, values | {"zeros": ("", "4")})
        assert {"float32", "zeros"} <= bound(crossed.judged)
        assert {"sum", "max"} <= bound(crossed.source)
        assert crossed.left == set()


def test_what_one_locked_cell_binds_and_another_reads_stays_theirs() -> None:
    kept = held([IMPORTS, "limit = 4", "print(limit)"])
    assert "limit" in kept
    cell = "limit = 9"
    assert "limit" not in bound(carried(cell, {"limit": ("", "9")}, Names.of([IMPORTS, cell], kept)).judged)


@pytest.mark.parametrize(
    "cell",
    [
        *("%time f()", "%matplotlib inline", "%%time\nf()", "import matplotlib.pyplot as plt"),
        "import matplotlib.pyplot as plt\ndef show(x):\n    plt.plot(x)",
        "def f(x):\n    import random\n    return random.choice(x)",
    ],
)
def test_what_students_usually_do_is_not(cell: str) -> None:
    assert findings(cell, Names.of([cell], frozenset())) == []


def test_a_shell_is_found() -> None:
    assert len(findings("!ls", Names.of(["!ls"], frozenset()))) == 2  # the call and its name


def test_no_wrong_answer_is_flagged() -> None:
    """A flag is for what reaches beyond its task, and a mistake does not."""
    flagged = []
    for lab, name in answers("wrong"):
        source = importlib.import_module(f"tests.labs.answers.wrong.{lab.replace('-', '_')}").ANSWERS[name]
        names = Names.of([*cells_of(lab), source], locked(lab)[0])
        flagged += [name, *map(str, found)] if (found := findings(source, names)) else []
    assert flagged == []


@pytest.mark.parametrize(
    "statement",
    [
        *("x = [i for i in range(3)]", "x = max(1, 2)", "f = lambda: 1", "x = 2 ** 10", "x = f'{1:>9}'"),
        *("class A:\n    a = 1", "x = [1][0]", "x = 1 if 2 else 3", "def f():\n    return 1"),
    ],
)
def test_what_computes_crosses_to_who_answers_and_not_to_who_judges(statement: str) -> None:
    """A function without a decorator is defined, and then another stands for it."""
    crossed = carried(statement, {}, Names.of([statement], frozenset()))
    assert statement in crossed.source
    assert statement not in crossed.judged or crossed.judged.endswith("instead_of(globals(), 'f')")


def test_a_kernel_with_a_signature_finds_its_constants_where_it_is_judged() -> None:
    """It is compiled where it is defined: what another process has computed is there before."""
    cell = "from gpusim import cuda\nK = max(3, 2)\n@cuda.jit('void(int64[:])')\ndef k(x):\n    x[0] = K"
    judged = carried(cell, {"K": ("", "3")}, Names.of([cell], frozenset())).judged
    bound_here: dict[str, object] = {}
    exec(compile(judged, "<a cell>", "exec"), bound_here)
    assert bound_here["K"] == 3
    assert type(bound_here["k"]).__name__ == "Kernel"


def test_a_long_chain_of_names_is_followed_once() -> None:
    """From its end, where a function stands: 3,000 names, in a time that grows with their number."""
    chain = "\n".join(f"a{n} = a{n + 1}" for n in range(3000))
    assert "a0" in Names.of([chain, "def a3000():\n    pass"], frozenset()).callable


def test_a_cell_is_its_lines_under_a_magic_that_only_measures() -> None:
    assert "def f(x):" in crossing("%%time\ndef f(x):\n    return x").judged
    assert bound(python_of("%%capture out\nk = 1")) == {"k"}


def test_more_magics_than_ipython_takes_are_left_as_they_are() -> None:
    assert python_of("%time 1\n" * 700).startswith(("%time", "get_ipython"))


def test_what_binds_a_name_last_stands_for_it() -> None:
    starter = "def f(x):\n    return 0\n"
    assert crossing(f"{starter}f = np.vectorize(f)").left == {"f"}
    assert crossing(f"{starter}if True:\n    def f(x):\n        return x").left == {"f"}
    assert crossing(f"f = np.vectorize(max)\n{starter}").left == set()


def test_a_star_is_the_names_that_it_stands_for() -> None:
    crossed = crossing("from math import *\ndef f(x):\n    return ceil(x)")
    assert "ceil" in bound(crossed.source)
    assert crossed.left == set()
    assert "system" not in crossing("from os import *").source


@pytest.mark.parametrize("above", ["# a\f", "#\n# a\u2028b", "#\n# \x85 \x1c", "'''a\r\nb'''"])
@pytest.mark.parametrize("star", ["import *", "import  *", "import*", "import \\\n *", "import *; K = 4"])
def test_a_star_is_found_in_the_line_where_python_finds_it(above: str, star: str) -> None:
    crossed = crossing(f"{above}\nfrom numpy {star}\ndef f(x):\n    return unique(x)")
    assert "unique" in bound(crossed.source)
    assert crossed.left == set()


def test_two_imports_of_one_name_cross_and_what_calls_it_asks_both() -> None:
    stars = "from math import *\nfrom numpy import *"
    cell = f"{stars}\nK = sqrt(4.0)\nL = cross(a, b)\ndef f(x):\n    return unique(x) * tile"
    crossed = crossing(cell, {"K": ("", "2.0")})
    assert {"unique", "sqrt"} <= bound(crossed.source)
    assert "K = sqrt(4.0)" in crossed.source
    assert crossed.left == {"L"}
    evil = "def evil(x):\n    pass\nfrom numpy import apply_along_axis as partial\nx = partial(evil)"
    assert "x = " not in crossing(f"{evil}\nfrom functools import partial").source


def test_a_name_of_ones_own_beside_a_star_leaves_the_star() -> None:
    crossed = crossing(
        "from numpy import *\ntile = 32\ndef f(x):\n    return unique(x)", {"tile": ("", "32")}
    )
    assert {"unique", "tile"} <= bound(crossed.source)
    assert crossed.left == set()


@pytest.mark.parametrize(
    ("decorated", "crosses"),
    [
        ("@dataclass\nclass R:\n    n: int", True),
        ("@dataclass()\nclass R:\n    n: int", True),
        ("@dataclass(frozen=True, order=True)\nclass R:\n    n: int", True),
        ("@dataclass(slots=True)\nclass R:\n    n: list = field(default_factory=list)", True),
        ("@dataclass(frozen=evil())\nclass R:\n    n: int", False),
        ("@dataclass(**evil())\nclass R:\n    n: int", False),
        ("@dataclass(evil)\nclass R:\n    n: int", False),
        ("@dataclass\nclass R:\n    n: list = field(default_factory=evil)", False),
    ],
)
def test_a_class_of_fields_crosses_however_it_is_switched(decorated: str, crosses: bool) -> None:
    cell = f"from dataclasses import dataclass, field\ndef evil():\n    pass\n{decorated}"
    assert crossing(cell).left == (set() if crosses else {"R"})


def test_a_lambda_is_a_text_for_kernels_as_a_function_is() -> None:
    assert "f = lambda x: x + 1\nf = " in crossing("f = lambda x: x + 1").judged


@pytest.mark.parametrize(
    ("cell", "looked_at"),
    [
        ("look = eval\ndef f(x):\n    return look(x)", True),
        ("from functools import partial\nf = partial(exec, 'x')", True),
        ("tools = {'read': open}", True),
        ("print(eval('1 + 1'), dir())", False),
        ("from functools import partial\nf = partial(max, 1)", False),
    ],
)
def test_what_may_be_called_later_is_as_if_a_function_called_it(cell: str, looked_at: bool) -> None:
    found = findings(cell, Names.of([cell], frozenset()))
    assert any(each.look for each in found) == looked_at
