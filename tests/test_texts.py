"""Kernels that stand in no file: their text is found where it still is, or the message says what to do."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from gpusim import cuda
from gpusim.errors import UnsupportedConstruct

DOUBLING = """\
    from gpusim import cuda
    import numpy as np

    @cuda.jit
    def double(x):
        i = cuda.grid(1)
        x[i] *= 2

    x = np.arange(4)
    double[1, 4](x)
    print(x.tolist())
"""
PROGRAM = textwrap.dedent(DOUBLING)
TYPED = PROGRAM.replace("2\n\nx", "2\n\n\nx").replace("\n\n@", "\n@")  # at a prompt, an empty line ends a def


def ran(
    *arguments: str, stdin: object = subprocess.DEVNULL, **options: object
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], stdin=stdin, capture_output=True, text=True, **options
    )  # type: ignore[call-overload, no-any-return]


def test_of_an_argument() -> None:
    assert ran("-c", PROGRAM).stdout == "[0, 2, 4, 6]\n"


def test_of_standard_input(tmp_path: Path) -> None:
    file = tmp_path / "program"
    file.write_text(PROGRAM)
    with file.open() as program:
        assert ran(stdin=program).stdout == "[0, 2, 4, 6]\n"


def test_of_a_pipe_is_refused_with_words() -> None:
    answer = subprocess.run([sys.executable], input=PROGRAM, capture_output=True, text=True)
    assert "the source of 'double' cannot be read; save it in a file" in answer.stderr
    assert "python -m gpusim -" in answer.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_of_a_plain_prompt() -> None:
    import pty

    ours, theirs = pty.openpty()
    plain = {**os.environ, "PYTHON_BASIC_REPL": "1"}  # the prompt of 3.13 indents what is sent by itself
    typed = {"stdin": theirs, "stdout": theirs, "stderr": theirs, "env": plain}
    with subprocess.Popen([sys.executable, "-q"], **typed) as prompt:
        os.close(theirs)
        os.write(ours, (TYPED + "exit()\n").encode())
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # its end, on Linux
            pass
        prompt.wait()
    os.close(ours)
    assert b"[0, 2, 4, 6]" in shown


def test_of_exec() -> None:
    names: dict[str, object] = {}
    exec(PROGRAM, names)
    assert names["x"].tolist() == [0, 2, 4, 6]  # type: ignore[attr-defined]


def test_of_exec_with_the_text_written_there() -> None:
    names: dict[str, object] = {}
    exec("from gpusim import cuda\n@cuda.jit\ndef seven(x):\n    x[cuda.grid(1)] = 7\n", names)
    x = np.zeros(2)
    names["seven"][1, 2](x)  # type: ignore[index]
    assert x.tolist() == [7, 7]


def test_two_texts_of_one_name_are_not_mixed_up() -> None:
    kernels = []
    for value in (3, 5):
        text = f"@cuda.jit\ndef fill(x):\n    x[cuda.grid(1)] = {value}\n"
        names = {"cuda": cuda}
        exec(text, names)
        kernels.append(names["fill"])
    x = np.zeros(1)
    for kernel, value in zip(kernels, (3, 5), strict=True):
        kernel[1, 1](x)  # type: ignore[index]
        assert x[0] == value


def test_a_text_with_another_kernel_of_that_name_is_not_taken() -> None:
    def text() -> str:
        return "@cuda.jit\ndef fill(x):\n    x[cuda.grid(1)] = 1\n"

    other = "@cuda.jit\ndef fill(x):\n    x[cuda.grid(1)] = 2\n"
    names = {"cuda": cuda, "other": other}
    exec(text(), names)
    with pytest.raises(UnsupportedConstruct, match=r"has to be in a variable: `text = …; exec\(text\)`"):
        names["fill"][1, 1](np.zeros(1))  # type: ignore[operator]


def test_errors_name_the_line_of_the_text() -> None:
    text = "\n\n@cuda.jit\ndef out(x):\n    x[9] = 1\n"
    names: dict[str, object] = {"cuda": cuda}
    exec(text, names)
    with pytest.raises(IndexError, match=r"<string>:5.*\n.*x\[9\] = 1"):
        names["out"][1, 1](np.zeros(1))  # type: ignore[index]
