"""What do students hand in to get points, files or a script into the instructor's browser?

Each case is in the cell `double`, and deserves no points: a part of the reason to look at it ("": nobody has
to), and a part of a note ("": none), which is for information.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tests.classroom.small_lab import STARTERS


class Cheat(NamedTuple):
    source: str
    look: str = ""
    note: str = ""
    points: float = 0
    files: Mapping[str, bytes] = {}


def behind_a_starter(source: str, *, look: str = "", note: str = "") -> Cheat:
    return Cheat(f"{STARTERS['double']}\n{source}", look, note)


# {place} is the folder of the class, {mark} a name to leave behind, {port} one that
# listens, {grader} the process that grades
CHEATS: dict[str, Cheat] = {
    "a number that equals all": Cheat(
        """
class Every(int):
    def __eq__(self, other):
        return True

    __hash__ = None


def double(x):
    return Every(1)
""",
        look="`Every` cannot be handed to the checks",
    ),
    "a table that equals all": Cheat(
        """
class Anything:
    __hash__ = None

    def __eq__(self, other):
        return True


predicted = {"a": {"x": Anything(), "y": Anything()}}
""",
        look="`predicted` cannot be handed to the checks",
    ),
    "patched type()": behind_a_starter(
        "import builtins\nbuiltins.type = lambda x: int", note="`import builtins`"
    ),
    "patched NumPy": behind_a_starter(
        "np.array_equal = np.argwhere = lambda *a: np.zeros(0)", note="`np.array_equal` is bound"
    ),
    "patched Run": behind_a_starter(
        "from gpusim.profile.run import Run\nRun.__getattribute__ = lambda *a: 1", note="`.__getattribute__`"
    ),
    "exception handler": behind_a_starter(
        "get_ipython().set_custom_exc((Exception,), lambda *a, **k: None)",
        note="`get_ipython().set_custom_exc`",
    ),
    "print override": behind_a_starter("print = lambda *a, **k: None"),
    "redefined check": behind_a_starter(
        "def check_tripled(*a):\n    pass", look="`check_tripled` is redefined, which locked cells define"
    ),
    "redefined check from a function": Cheat(
        """
def double(x):
    global check_tripled
    check_tripled = lambda *a: None
    return 2 * x
""",
        look="`global check_tripled`",
        points=4,  # for `double`, which is right
    ),
    "another grading": behind_a_starter(
        """
class Anything:
    def __getattr__(self, name):
        return lambda *a, **k: None


grading = Anything()
""",
        look="`grading` is bound",
    ),
    "a thread that redefines": behind_a_starter(
        """
import threading, time


def again():
    while True:
        globals().update(check_tripled=lambda *a: None)
        time.sleep(0.001)


threading.Thread(target=again, daemon=True).start()
""",
        look="`globals`",
    ),
    "input transformer": behind_a_starter(
        "get_ipython().input_transformers_post.append(lambda lines: ['pass'])",
        note="`get_ipython().input_transformers_post`",
    ),
    "AST transformer": behind_a_starter(
        """
import ast


class Drop(ast.NodeTransformer):
    def visit_Expr(self, node):
        return ast.Pass()


get_ipython().ast_transformers.append(Drop())
""",
        look="`ast`, which its module does not offer",
        note="`get_ipython().ast_transformers`",
    ),
    "patched run_code": behind_a_starter(
        """
async def nothing(*a, **k):
    return False


get_ipython().run_code = nothing
""",
        note="`get_ipython().run_code`",
    ),
    "callbacks taken away": behind_a_starter(
        """
get_ipython().events.callbacks["post_run_cell"].clear()
get_ipython().input_transformers_post.append(lambda lines: ["pass"])
""",
        note="`get_ipython().events`",
    ),
    "a result before the error": Cheat(
        "import sys\n\n\ndef double(x):\n    sys.displayhook('x')\n    return 0",
        look="`sys` cannot be handed",
    ),
    "the instructor's solution": behind_a_starter(
        """
import json, pathlib

for file in pathlib.Path("{place}").rglob("*.ipynb"):
    for cell in json.loads(file.read_text())["cells"]:
        if "return 2 * x" in "".join(cell["source"]):
            exec("".join(cell["source"]))
            predicted = {"a": {"x": 3, "y": 4}}
""",
        note="`exec`",
    ),
    "the gradebook": behind_a_starter(
        """
import sqlite3

book = sqlite3.connect("{place}/gradebook.db")
book.execute("UPDATE grade SET manual_score = 9")
book.commit()
""",
        note="`import sqlite3`",
    ),
    "classmates": behind_a_starter(
        "import os\nprint('SE' 'EN', os.listdir('{place}/handed-in'))", look="`import os`"
    ),
    "files outside": behind_a_starter(
        """
import os

for place in ("{place}", "/var/tmp", os.path.expanduser("~/.ipython")):
    try:
        open(place + "/{mark}", "w").close()
    except OSError:
        pass
""",
        look="`import os`",
        note="`open`",
    ),
    "a process that lives on": behind_a_starter(
        """
import subprocess

subprocess.Popen(["bash", "-c", "exec -a {mark} sleep 987"], start_new_session=True)
""",
        look="`import subprocess`",
    ),
    "the network": behind_a_starter(
        """
import socket

for host in ("127.0.0.1", "169.254.169.254"):
    try:
        socket.create_connection((host, {port}), 2)
        print("CONN" "ECTED")
    except OSError as error:
        print(error)
""",
        note="`import socket`",
    ),
    "300 processes": behind_a_starter(
        """
import os, time

for _ in range(300):
    if not os.fork():
        time.sleep(60)
""",
        look="`import os`",
        note="and 64 are allowed",
    ),
    "10 GB": behind_a_starter("hoard = bytearray(10 * 2**30)"),
    "killed grader": behind_a_starter(
        """
import os, signal

for process in ({grader}, os.getppid()):
    try:
        os.kill(process, signal.SIGKILL)
    except OSError:
        pass
""",
        look="`import os`",
    ),
    "a long output in a check": Cheat("def double(x):\n    print('x' * 10_000_000)\n    return 0"),
    "a raw score": behind_a_starter("12.0"),
    "a score from a function": Cheat("def double(x):\n    display(12.0)\n    return 0"),
    "script in the answer": Cheat(STARTERS["double"]),
    "script in an output": behind_a_starter(
        """
from IPython.display import HTML, Javascript, display

display(HTML("<script>document.title = 1</script><img src=x onerror=alert(1)>"), Javascript("alert(1)"))
display({"image/svg+xml": "<svg onload=alert(1)></svg>", "text/plain": ""}, raw=True)
"""
    ),
    "printed hidden tests": Cheat(
        """
def double(x):
    import inspect

    frame = inspect.currentframe()
    while frame:
        print(frame.f_globals.get("In"))
        frame = frame.f_back
    return 2 * x
""",
        look="`import inspect`",
    ),
}
