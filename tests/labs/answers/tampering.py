"""What may an answer do to the checks instead of its task? Behind a starter, none of it earns anything."""

TAMPERING = {
    "names of the first cell": """
lanes_of = conflicts_of = lambda *anything: 1
DEVICES = MODELS = ()
check_traffic = per_request = each = explored = lambda *anything, **named: 1.0
""",
    "another gpusim.grading": """
class Anything:
    def __getattr__(self, name):
        return Anything()

    def __call__(self, *anything, **named):
        return Anything()

    def __iter__(self):
        return iter((Anything(),) * 4)

    def __getitem__(self, key):
        return Anything()


grading = Anything()
""",
    "functions of gpusim.grading": """
for name in grading.__all__:
    if name.islower() and name not in ("side_by_side", "CheckFailed", "keep"):
        setattr(grading, name, lambda *anything, **named: None)
""",
    "the code of gpusim.grading": """
def nothing(*anything, **named):
    return None


for function in (grading.require, grading.same, grading.at_most, grading.at_least, grading.raceless):
    function.__code__ = nothing.__code__
""",
    "the code of the first cell": """
for name in ("lanes_of", "per_request", "conflicts_of", "explored", "pipe", "on_a_multiprocessor"):
    if name in globals():
        globals()[name].__code__ = (lambda *anything: 0).__code__
""",
    "what NumPy loads late": """
class Sorted:
    def __init__(self, *seed):
        self.random = draw(*seed)

    def permutation(self, n):
        return np.arange(n)

    def __getattr__(self, name):
        return getattr(self.random, name)


draw = np.random.default_rng
np.random.default_rng = Sorted
""",
    "NumPy": """
np.array_equal = np.all = lambda *anything, **named: True
np.argwhere = np.flatnonzero = np.isclose = lambda *anything, **named: np.zeros(0, int)
""",
    "Python's own functions": """
import builtins

builtins.len = lambda anything: 0
""",
    "the class of failures": """
grading.CheckFailed.__new__ = lambda cls, *anything: KeyboardInterrupt()
gpusim.grading.failing.CheckFailed = type("Quiet", (SystemExit,), {})
""",
    "the counters of a run": """
for name in ("shared_load_bank_conflicts", "global_load_sectors", "atomics", "divergent_branches"):
    setattr(gpusim.profile, name, 0)
""",
    "counters that are looked up": """
from gpusim.profile.run import Run

for name in ("local_load_sectors", "local_store_sectors", "global_store_requests", "atomics"):
    setattr(Run, name, 0)
""",
    "the figures of a device": """
for name in ("G80", "T4", "P100", "A100", "H200", "MetaX C500"):
    object.__setattr__(gpusim.devices.get(name), "registers_per_multiprocessor", 2**20)
""",
    "what runs before a cell": """
def quiet(*anything):
    for name in ("require", "same", "at_most", "at_least"):
        setattr(grading, name, lambda *anything, **named: None)


get_ipython().events.register("pre_run_cell", quiet)
""",
    "a function that sees the checks begin": """
import sys


def watching(frame, event, argument):
    if event == "call" and frame.f_code.co_name.startswith("check"):
        for name in ("require", "same", "at_most", "at_least"):
            setattr(grading, name, lambda *anything, **named: None)


sys.setprofile(watching)
""",
    "how the notebook reads cells": """
import ast


class WithoutChecks(ast.NodeTransformer):
    def visit_Call(self, node):
        names = [part.id for part in ast.walk(node.func) if isinstance(part, ast.Name)]
        return ast.Constant(None) if "grading" in names else node


get_ipython().ast_transformers.append(WithoutChecks())
get_ipython().input_transformers_post.append(lambda lines: ["pass"] if "# Check" in lines[0] else lines)
""",
}
