"""What does `import gpusim` need? NumPy, and nothing that draws."""

from __future__ import annotations

import subprocess
import sys

REFUSE_WHAT_DRAWS = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"IPython", "anywidget", "ipywidgets", "matplotlib", "traitlets"}:
            raise ModuleNotFoundError(f"{name} was imported")

sys.meta_path.insert(0, Refuse())
"""


def test_import_needs_numpy_only():
    code = REFUSE_WHAT_DRAWS + "import gpusim, gpusim.cuda"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
