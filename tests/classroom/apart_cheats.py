"""What does a student try who knows that a function is asked in a process of its own?

Each is the source of the cell `double` or `triple` of the small lab, and deserves nothing: neither 8 for 4
and 14 for 7, nor three times each element, is computed in any of them.
"""

from __future__ import annotations

from tests.classroom.cheats import CHEATS

ANSWERS = "import gpusim.grading.answering as mine\n"
FRAMES = """
import inspect


def double(x):
    frame = inspect.currentframe()
    while frame:
        for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
            if type(value) is int and value in (8, 14):
                return value
        frame = frame.f_back
"""
# `__globals__` of a function of the library, by a class whose field has that name, which no text here has
UNFOLLOWED = """
import dataclasses
import functools


@cuda.jit
def twice(out):
    out[0] = 2 * out[0]


def double(x):
    name = "".join([chr(c) for c in (95, 95, 103, 108, 111, 98, 97, 108, 115, 95, 95)])
    box = {}
    bag = dataclasses.make_dataclass("Bag", [name])(box)
    functools.update_wrapper(bag, dataclasses.make_dataclass, (), (name,))
    box["sys"].setprofile(None)
    out = np.full(1, x)
    twice[1, 1](out)
    return int(out[0])
"""
CHEATS_APART = {
    "calls that are not followed": UNFOLLOWED,
    "frames": FRAMES,
    "the garbage collector": """
def double(x):
    import gc, types

    for each in gc.get_objects():
        if isinstance(each, types.CodeType) and "double-of-seven" in str(each.co_consts):
            return [one for one in each.co_consts if one in (8, 14)][-1]
""",
    "a device function": """
@cuda.jit(device=True)
def double(x):
    grading.__dict__["require"] = lambda *anything: None
    return 0
""",
    "an import hook": """
import sys


class Finder:
    def find_spec(self, name, path=None, target=None):
        sys.modules["gpusim.grading.failing"].require = lambda *anything: None


sys.meta_path.insert(0, Finder())


def double(x):
    import nowhere
""",
    "patched gpusim.grading": """
import sys

for name in [*sys.modules]:
    if name.startswith("gpusim.grading"):
        sys.modules[name].require = lambda *anything: None
double = lambda x: 0
""",
    "another answer of the process": ANSWERS
    + 'mine.answer = lambda names, text: \'{"values": [["eval", "8"]]}\'\ndouble = lambda x: 0',
    "all answers are true": ANSWERS
    + "mine.answer = lambda names, text: '{\"values\": [true]}'\ndouble = print",
    "an answer that is none": ANSWERS
    + "mine.answer = lambda names, text: '{\"values\": []}'\ndouble = print",
    "nothing but a failure that is empty": ANSWERS
    + 'mine.answer = lambda *a: \'{"failed": ""}\'\ndouble = print',
    "no JSON": ANSWERS + "mine.answer = lambda names, text: '[' * 100_000\ndouble = print",
    "a pickle as the answer": ANSWERS
    + "import pickle\nmine.answer = lambda *a: pickle.dumps(8).hex()\ndouble = print",
    "a number of a class of its own": CHEATS["a number that equals all"].source,
    "an array of a class of its own": """
class Every(np.ndarray):
    def __array_ufunc__(self, *anything, **named):
        return True


def double(x):
    return np.zeros(1).view(Every)
""",
    "arrays that compare with all": "def double(x):\n    return np.arange(100)",
    "an array without elements": "def double(x):\n    return np.zeros(0, bool)",
    "a thread": """
import threading


def again():
    while True:
        globals().update(check_tripled=lambda *a: None, grading=None)


def double(x):
    threading.Thread(target=again, daemon=True).start()
""",
    "at the end of Python": """
import atexit, os


def double(x):
    atexit.register(os.write, 1, b'{"values": [["int", "8"]]}')
    raise SystemExit
""",
    "a signal": """
import os, signal


def double(x):
    signal.signal(signal.SIGALRM, lambda *a: [][0])
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    while True:
        pass
""",
    "a finalizer": """
class Last:
    def __del__(self):
        import builtins

        builtins.print = builtins.len = lambda *a: 8


def double(x):
    Last()
    return 0
""",
    "memory by its address": """
def double(x):
    import ctypes

    ctypes.memset(id(0) + 24, 8, 1)  # from now on 0 is 8, here
    return 0
""",
    "/proc/self/mem": """
def double(x):
    with open("/proc/self/mem", "r+b") as memory:
        memory.seek(id(0) + 24)
        memory.write(bytes([8]))
    return 0
""",
    "the end of the process": "def double(x):\n    import os\n\n    os._exit(0)",
    "Python's own functions": "import builtins\n\nbuiltins.input = lambda *a: 8\ndouble = lambda x: 0",
    "the name of what is called": "__import__ = globals = lambda *a: 8\ndouble = lambda x: 0",
    "the environment": "import os\n\nos.environ.update(PYTHONOPTIMIZE='2')\n\n\ndef double(x):\n    return 0",
    "a result that is shown": "def double(x):\n    display(4.0)\n    return 0",
    "an answer without end": "def double(x):\n    return 10**5000",
    "an answer in itself": "def double(x):\n    found = []\n    found.append(found)\n    return found",
    "an answer that fills the memory": "def double(x):\n    return np.zeros(1_600_000)",
    "generators that are asked later": "def double(x):\n    return (each for each in (8, 14))",
}
KERNELS_APART = {
    "a default that runs": """
@cuda.jit
def triple(x, out, k=[grading.__dict__.update(same=lambda *a, **b: None)]):
    pass
""",
    "a decorator that runs": """
def quietly(f):
    grading.same = lambda *a, **b: None
    return f


@quietly
@cuda.jit
def triple(x, out):
    out[cuda.grid(1)] = 0
""",
    "a kernel of a class of its own": """
class Triple(type(cuda.jit(lambda x, out: None))):
    def _launch(self, grid, block, stream, size, given):
        given[1][:] = 3 * given[0]


triple = Triple(lambda x, out: None)
""",
    "what a kernel is made of": """
@cuda.jit
def triple(x, out):
    out[cuda.grid(1)] = 0


triple.py_func = lambda x, out: None
triple._bound = lambda given: given[1].fill(0)
""",
    "a function of the host": "def triple(x, out):\n    out[:] = 3 * x",
    "a table of all results": """
RESULTS = 3 * np.arange(64.0)


@cuda.jit
def triple(x, out):
    i = cuda.grid(1)
    out[i] = RESULTS[i]
""",
    "input and output are nothing": """
@cuda.jit
def triple(x, out):
    i = cuda.grid(1)
    x[i] = out[i] = 0
""",
}
