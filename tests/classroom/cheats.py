"""What do students hand in to get points, files or a script into the instructor's browser?

Each case stands behind a starter (0 points) in the cell `double`: the points of its checks, a part of the
reason to look at it ("": nobody has to), and a part of a note ("": none), which is for information.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.classroom.small_lab import STARTERS


class Cheat(NamedTuple):
    source: str
    points: float | None = 0
    look: str = ""
    note: str = ""


STARTER = STARTERS["double"]
ANYTHING = """
class Anything:
    __hash__ = None

    def __eq__(self, other):
        return True
"""
# {place} is the folder of the class
CHEATS: dict[str, Cheat] = {
    "a number that equals all": Cheat(
        "class Every(int):\n    def __eq__(self, other):\n        return True\n    __hash__ = None\n\n\n"
        "def double(x):\n    return Every(1)",
        look="`Every` cannot be handed to the checks",
    ),
    "a table that equals all": Cheat(
        f"{ANYTHING}\npredicted = {{'a': {{'x': Anything(), 'y': Anything()}}}}",
        look="`predicted` cannot be handed to the checks",
    ),
    "patched type()": Cheat(f"{STARTER}\nimport builtins\nbuiltins.type = lambda x: int", note="`import builtins`"),
    "patched NumPy": Cheat(
        f"{STARTER}\nnp.array_equal = np.argwhere = lambda *a: np.zeros(0)", note="`np.array_equal` is bound"
    ),
    "patched Run": Cheat(
        f"{STARTER}\nfrom gpusim.profile.run import Run\nRun.__getattribute__ = lambda *a: 1",
        note="`.__getattribute__`",
    ),
    "exception handler": Cheat(
        f"{STARTER}\nget_ipython().set_custom_exc((Exception,), lambda *a, **k: None)",
        note="`get_ipython().set_custom_exc`",
    ),
    "print override": Cheat(f"{STARTER}\nprint = lambda *a, **k: None"),
    "redefined check": Cheat(
        f"{STARTER}\n\n\ndef check_tripled(*a):\n    pass", note="`check_tripled` is redefined, which locked cells define"
    ),
    "redefined check from a function": Cheat(
        "def double(x):\n    global check_tripled\n    check_tripled = lambda *a: None\n    return 2 * x",
        points=4,
        look="`global check_tripled`",
    ),
    "another grading": Cheat(
        f"{STARTER}\n\n\nclass Anything:\n    def __getattr__(self, name):\n        return lambda *a, **k: None\n\n\n"
        "grading = Anything()",
        note="`grading` is bound",
    ),
    "a thread that redefines": Cheat(
        f"{STARTER}\nimport threading, time\n\n\ndef again():\n    while True:\n"
        "        globals().update(check_tripled=lambda *a: None)\n        time.sleep(0.001)\n\n\n"
        "threading.Thread(target=again, daemon=True).start()",
        look="`globals`",
    ),
    "input transformer": Cheat(
        f"{STARTER}\nget_ipython().input_transformers_post.append(lambda lines: ['pass'])",
        note="`get_ipython().input_transformers_post`",
    ),
    "AST transformer": Cheat(
        f"{STARTER}\nimport ast\n\n\nclass Drop(ast.NodeTransformer):\n    def visit_Expr(self, node):\n"
        "        return ast.Pass()\n\n\nget_ipython().ast_transformers.append(Drop())",
        note="`get_ipython().ast_transformers`",
    ),
    "patched run_code": Cheat(
        f"{STARTER}\n\n\nasync def nothing(*a, **k):\n    return False\n\n\nget_ipython().run_code = nothing",
        note="`get_ipython().run_code`",
    ),
    "a result before the error": Cheat(
        "import sys\n\n\ndef double(x):\n    sys.displayhook('x')\n    return 0", look="`sys` cannot be handed"
    ),
    "the instructor's solution": Cheat(
        f"{STARTER}\nimport json, pathlib\nfor file in pathlib.Path('{{place}}').rglob('*.ipynb'):\n"
        "    for cell in json.loads(file.read_text())['cells']:\n"
        "        if 'return 2 * x' in ''.join(cell['source']):\n            exec('def double(x):\\n    return 2 * x')",
        note="`exec`",
    ),
    "the gradebook": Cheat(
        f"{STARTER}\nimport sqlite3\nsqlite3.connect('{{place}}/gradebook.db').execute('UPDATE grade SET manual_score = 9')",
        note="`import sqlite3`",
    ),
    "classmates": Cheat(f"{STARTER}\nimport os\nprint('SE' 'EN', os.listdir('{{place}}/handed-in'))", note="`import os`"),
    "files outside": Cheat(
        f"{STARTER}\nimport atexit, os\nfor place in ('{{place}}', '/var/tmp', os.path.expanduser('~/.ipython')):\n"
        "    try:\n        open(place + '/{mark}', 'w').close()\n    except OSError:\n        pass",
        note="`open`",
    ),
    "a process that lives on": Cheat(
        f"{STARTER}\nimport subprocess\nsubprocess.Popen(['sh', '-c', 'exec -a {{mark}} sleep 987'], start_new_session=True)",
        note="`import subprocess`",
    ),
    "the network": Cheat(
        f"{STARTER}\nimport socket\nfor host in ('127.0.0.1', '169.254.169.254'):\n    try:\n"
        "        socket.create_connection((host, {port}), 2)\n        print('CONNECTED')\n    except OSError as error:\n"
        "        print(error)",
        note="`import socket`",
    ),
    "300 processes": Cheat(
        f"{STARTER}\nimport os, time\nfor _ in range(300):\n    if not os.fork():\n        time.sleep(60)",
        note="and 64 are allowed",
    ),
    "10 GB": Cheat(f"{STARTER}\nhoard = bytearray(10 * 2**30)"),
    "killed grader": Cheat(
        f"{STARTER}\nimport os, signal\nfor process in range(2, 100_000):\n    if process != os.getpid():\n        try:\n"
        "            os.kill(process, signal.SIGKILL)\n        except OSError:\n            pass",
        note="`import os`",
    ),
    "a long output in a check": Cheat("def double(x):\n    print('x' * 10_000_000)\n    return 0"),
    "a raw score": Cheat(f"{STARTER}\n12.0"),
    "a score from a function": Cheat("def double(x):\n    display(12.0)\n    return 0"),
    "script in the answer": Cheat(STARTER),
    "script in an output": Cheat(
        f"{STARTER}\nfrom IPython.display import HTML, Javascript, SVG, display\n"
        "display(HTML('<script>document.title = 1</script><img src=x onerror=alert(1)>'), Javascript('alert(1)'))\n"
        "display({'image/svg+xml': '<svg onload=alert(1)></svg>', 'text/plain': ''}, raw=True)"
    ),
    "printed hidden tests": Cheat(
        "def double(x):\n    import inspect\n    frame = inspect.currentframe()\n    while frame:\n"
        "        print(frame.f_globals.get('In'))\n        frame = frame.f_back\n    return 2 * x",
        points=0,
        look="`import inspect`",
    ),
}
