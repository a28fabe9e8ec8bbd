"""What does `import gpusim` need? NumPy, and nothing that draws or parses."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys

REFUSE_THE_REST = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {
            "IPython", "anywidget", "ipywidgets", "matplotlib", "traitlets",
            "clang",
        }:
            raise ModuleNotFoundError(f"{name} was imported", name=name)

sys.meta_path.insert(0, Refuse())
"""


TIME_IMPORTS = """
import time
start = time.process_time()
import numpy
between = time.process_time()
import gpusim
print(between - start, time.process_time() - between)
"""


def test_without_a_parser_a_kernel_in_cuda_cpp_says_what_to_install():
    code = (
        REFUSE_THE_REST
        + """
import gpusim
try:
    gpusim.RawKernel("__global__ void f() {}", "f")[1, 1]()
except ModuleNotFoundError as missing:
    print(missing)
"""
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "is not installed; CUDA C++ is read with it: pip install 'gpusim[cpp]'" in result.stdout
    code = code.replace("import gpusim\n", "import gpusim, sys\nsys.platform = 'emscripten'\n")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "no browser has it, so CUDA C++ runs in JupyterLab" in result.stdout


def test_import_needs_numpy_only():
    code = REFUSE_THE_REST + "import gpusim, gpusim.cuda"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_nothing_needs_what_windows_lacks():
    """Every module of the package can be imported where POSIX's modules and its calls in `os` are missing."""
    code = """
import importlib, os, pkgutil, sys
import numpy, gpusim

for name in ("fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"):
    sys.modules[name] = None
for name in ("chown", "fork", "geteuid", "getuid", "killpg", "pread", "statvfs", "uname"):
    delattr(os, name)
for module in [name for name in sys.modules if name.partition(".")[0] == "gpusim"]:
    del sys.modules[module]
import gpusim
for found in pkgutil.walk_packages(gpusim.__path__, "gpusim."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)

from gpusim.program.command import main
main(["--profile", "-c", "from numba import cuda\\n@cuda.jit\\ndef f():\\n    pass\\nf[1, 32]()"])
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "thread_instructions" in result.stdout


def test_texts_are_read_alike_everywhere():
    """What Windows takes for a file's encoding differs: the package names its own."""
    code = """
import warnings
warnings.filterwarnings("error", category=EncodingWarning, module="gpusim")
import gpusim
gpusim.RawKernel("__global__ void f() { __syncthreads(); }", "f")[1, 32]()
"""
    command = [sys.executable, "-X", "warn_default_encoding", "-c", code]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_import_is_quick_beyond_numpy(tmp_path):
    """About three times as long as NumPy takes: the quickest of five, after one that compiled it."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    _compiling, *results = [
        subprocess.run(
            [sys.executable, "-c", TIME_IMPORTS], capture_output=True, text=True, check=True, env=environment
        )
        for _ in range(6)
    ]
    numpys, own = zip(*(map(float, result.stdout.split()) for result in results), strict=True)
    assert statistics.median(own) < 3.6 * statistics.median(numpys)


def test_views_and_parsers_are_loaded_when_they_are_used():
    late = {"anywidget", "matplotlib", "ipywidgets", "numba", "clang"}
    code = f"import sys, gpusim; print({late} & {{*sys.modules}})"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"
