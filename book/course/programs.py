"""What does `python -m gpusim` print for a program? A page shows the program, the command and its output."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

from IPython.display import Markdown

from gpusim.program.command import main

WARPS = """\
import numpy as np
from numba import cuda


@cuda.jit
def warp_sums(x, sums):
    i = cuda.grid(1)
    value = x[i]
    for delta in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, delta)
    if cuda.laneid == 0:
        sums[i // 32] = value


x = np.arange(256, dtype=np.float32)
sums = np.zeros(8, np.float32)
warp_sums[2, 128](x, sums)
print(sums.sum())
"""
REVERSED = """\
import numpy as np
from numba import cuda, float32


@cuda.jit
def reverse(x):
    tile = cuda.shared.array(64, float32)
    i = cuda.threadIdx.x
    tile[i] = x[i]
    x[i] = tile[63 - i]


def reversed_on_gpu(x):
    device = cuda.to_device(x)
    reverse[1, 64](device)
    return device.copy_to_host()


if __name__ == "__main__":
    print(reversed_on_gpu(np.arange(64, dtype=np.float32))[:4])
"""
TEST = """\
import numpy as np
from reversing import reversed_on_gpu


def test_the_first_is_the_last():
    x = np.arange(64, dtype=np.float32)
    assert reversed_on_gpu(x)[0] == 63
"""
FILES = {"warps.py": WARPS, "reversing.py": REVERSED, "test_reversing.py": TEST}


def program(name: str) -> Markdown:
    """The text of a program."""
    return Markdown(f"```python\n# {name}\n{FILES[name]}```")  # type: ignore[no-untyped-call]


def console(*commands: str) -> Markdown:
    """What commands print that begin with `python -m gpusim`, run here and now; and how they end.

    One that ends in `| head -3` shows three lines.
    """
    shown = []
    for command in commands:
        called, _, lines = command.partition(" | head -")
        said, status = _run(shlex.split(called)[3:])
        said = "".join(said.splitlines(keepends=True)[: int(lines) if lines else None])
        shown.append(f"$ {command}\n{said}" + (f"$ echo $?\n{status}\n" if status else ""))
    return Markdown(f"```console\n{''.join(shown)}```")  # type: ignore[no-untyped-call]


def _run(arguments: list[str]) -> tuple[str, int]:
    before, path, modules = sys.argv[:], sys.path[:], set(sys.modules)
    os.environ |= {"COLUMNS": "64", "PYTEST_ADDOPTS": "-p no:cacheprovider"}  # as wide as a page
    said = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, text in FILES.items():
            Path(name).write_text(text, encoding="utf-8")
        sys.path.insert(0, str(Path.cwd()))
        try:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                status = main(arguments)
        finally:
            sys.argv[:], sys.path[:] = before, path
            for name in {name.removesuffix(".py") for name in FILES} - modules:
                sys.modules.pop(name, None)
    # neither colours, nor how long it took: no page is built as fast twice
    return re.sub(r"\x1b\[\d*m| in \d+\.\d+s", "", said.getvalue()), status
