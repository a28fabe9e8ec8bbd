"""What do students hand in to have the checks not run at all, and without anybody being told?

Each case runs code where the checks run, if it can: by a statement that looks as if it only computed, or by
a file beside the notebook. What it does then is the same for all, `ENDS_CHECKS`.
"""

from __future__ import annotations

import io

import numpy as np

from tests.classroom.cheats import Cheat, behind_a_starter
from tests.classroom.small_lab import STARTERS

ENDS_CHECKS = (
    "from IPython import get_ipython as g; g().events.callbacks['post_run_cell'].clear(); "
    "g().input_transformers_post.append(lambda lines: ['pass'])"
)
OFFERED = "`shell`, which its module does not offer"
SHELL = "from gpusim.views.waiting import get_ipython as shell\n"
ALL = (
    "(shell().events.callbacks['post_run_cell'].clear(), "
    "shell().input_transformers_post.append(lambda lines: ['pass']), 0)[2]"
)
BOX = 'import glob, os, time\n\nbox = glob.glob("/tmp/box-*")[0]'
AS_NUMPY = b"""
import sys

sys.path[:] = [each for each in sys.path if each not in ("", "/tmp/work")]
del sys.modules["numpy"]
import numpy

from IPython import get_ipython

get_ipython().input_transformers_post.append(lambda lines: ["pass"] if "# Check" in lines[0] else lines)
"""
AS_LAUNCHER = b"""
import os, sys

sys.path.remove(os.path.dirname(os.path.abspath(__file__)))
from IPython.core.interactiveshell import InteractiveShell
from ipykernel import kernelapp

before = InteractiveShell.transform_cell
InteractiveShell.transform_cell = lambda self, raw: "pass" if "# Check" in raw else before(self, raw)
kernelapp.launch_new_instance()
"""


class Runs:
    """A pickle that runs a text when it is read."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return exec, (ENDS_CHECKS,)


def pickled() -> bytes:
    array, file = np.empty(1, object), io.BytesIO()
    array[0] = Runs()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


PROMPTS = f"""
@cuda.jit
def helper(x, out):
    t = '''
>>> >>>         text
    '''
    exec({ENDS_CHECKS!r})
    if t:
        pass
"""

QUIET: dict[str, Cheat] = {
    "prompts that end a text when it is read again": behind_a_starter(
        PROMPTS, look="IPython reads its Python as other Python"
    ),
    "exec by way of NumPy": behind_a_starter(f'done = np.ma.core.builtins.exec("{ENDS_CHECKS}")'),
    "exec in the annotation of a name": behind_a_starter(f'k: np.ma.core.builtins.exec("{ENDS_CHECKS}") = 1'),
    "exec in the annotation of an argument": Cheat(
        f'def double(x: exec("{ENDS_CHECKS}")):\n    return 0', look="`double` cannot be handed"
    ),
    "exec in the annotation of a result": Cheat(
        f'def double(x) -> exec("{ENDS_CHECKS}"):\n    return 0', look="`double` cannot be handed"
    ),
    "exec in a default": Cheat(
        f'double = lambda x, *, y=exec("{ENDS_CHECKS}"): 0', look="`double` cannot be handed"
    ),
    "a lambda that NumPy calls": behind_a_starter(
        f"{SHELL}go = lambda x: {ALL}\ndone = np.apply_along_axis(go, 0, np.zeros(1))", look=OFFERED
    ),
    "a lambda by the name of a function": behind_a_starter(
        f"{SHELL}len = lambda x: {ALL}\ndone = len(1)", look=OFFERED
    ),
    "a lambda by the name of a decorator": behind_a_starter(
        f"{SHELL}cache = lambda f: f()\n\n\n@cache\ndef go():\n    return {ALL}", look=OFFERED
    ),
    "a module by the name of another": behind_a_starter(
        "from gpusim.views import waiting as devices\n"
        "done = devices.get_ipython().run_line_magic('run', 'x.py')",
        note="`from gpusim.views import`",
    ),
    "a pickle in an array": behind_a_starter('done = np.load("table.npy", allow_pickle=True)')._replace(
        files={"table.npy": pickled()}
    ),
    "a file named numpy.py": Cheat(STARTERS["double"], files={"numpy.py": AS_NUMPY}),
    "a file named ipykernel_launcher.py": Cheat(
        STARTERS["double"], files={"ipykernel_launcher.py": AS_LAUNCHER}
    ),
    "a file named as a module of Python": behind_a_starter("import statistics")._replace(
        files={"statistics.py": ENDS_CHECKS.encode()}
    ),
    "messages that no kernel sends": behind_a_starter(
        """
from IPython import get_ipython

kernel = get_ipython().kernel


def send(kind, **content):
    kernel.session.send(kernel.iopub_socket, kind, content, parent=kernel.get_parent(), ident=kind.encode())


send("execute_input", code="x", execution_count="<b>x</b>")
send("stream", name="<b>x</b>", text=7)
send("execute_result", execution_count="x", metadata={}, data={"text/plain": "x"})
send("display_data", metadata=7, data=[])
send("error", ename=7, evalue=None, traceback="x")
""",
        look="`kernel` cannot be handed",
    ),
    "folders in folders": behind_a_starter(
        f"""{BOX}
os.chdir(box)
for _ in range(1500):
    os.mkdir("d")
    os.chdir("d")
os.chdir("/tmp")
time.sleep(30)
""",
        look="`import os`",
        note="folders in each other, and",
    ),
    "files without a name": behind_a_starter(
        f"""{BOX}
held = []
for _ in range(3):
    held.append(open(box + "/x", "wb"))
    os.unlink(box + "/x")
    for _ in range(200):
        held[-1].write(bytes(2**20))
    held[-1].flush()
time.sleep(30)
""",
        look="`import os`",
        note="MB of files without a name, and",
    ),
    "files in memory": behind_a_starter(
        f"""{BOX}
held = [os.memfd_create("x") for _ in range(3)]
for each in held:
    for _ in range(200):
        os.write(each, bytes(2**20))
time.sleep(30)
""",
        look="`import os`",
        note="MB of files without a name, and",
    ),
    "empty folders": behind_a_starter(
        f"""{BOX}
for n in range(20_000):
    os.mkdir(f"{{box}}/{{n}}")
time.sleep(30)
""",
        look="`import os`",
        note="files and folders, and",
    ),
    "empty folders in its own memory": behind_a_starter(
        f"""{BOX}
for n in range(20_000):
    os.mkdir(f"/tmp/{{n}}")
time.sleep(30)
""",
        look="`import os`",
        note="files and folders in /tmp, and",
    ),
}
