"""Where in the reader's own text does something stand? Sources, spans and the excerpt in every message."""

from __future__ import annotations

import builtins
import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from types import FunctionType
from typing import Any

from gpusim import texts
from gpusim.errors import UnsupportedConstruct

PYTHON, CPP = "Python", "C++"
ANYBODYS = ("<string>", "<stdin>")  # names of files for any text that stands in none
# language -> what a hint says, and how it is said to those who write that language
SPELLINGS: dict[str, dict[str, str]] = {
    PYTHON: {},
    CPP: {
        "cuda.syncthreads()": "__syncthreads()",
        "cuda.syncwarp()": "__syncwarp()",
        "cuda.threadfence()": "__threadfence()",
        "cuda.atomic": "atomicAdd or its like",
        "cuda.cg.wait(group)": (
            "cg::wait(group), the barrier's or the pipeline's wait, or __pipeline_wait_prior(0), and then a "
            "barrier for what others copied"
        ),
        "`cuda.shared.array(0, dtype)`": "`extern __shared__ float tile[]`",
        "gave `cuda.shared.array(0, dtype)`": "gave `extern __shared__` arrays",
        "kernel[blocks, threads, 0, bytes](…)": "kernel((blocks,), (threads,), args, shared_mem=bytes)",
        "cuda.atomic.block": "a function such as atomicAdd_block",
        "with debug=True, Numba checks this on a GPU, too": "a GPU ends the launch here, too, with an error",
    },
}


@dataclass(frozen=True)
class Source:
    """The text of one kernel, as its author wrote it. Lines are counted as in the file."""

    name: str
    filename: str
    first_line: int
    lines: tuple[str, ...]
    language: str = PYTHON

    @property
    def text(self) -> str:
        """The dedented text, which a parser can read."""
        return textwrap.dedent("\n".join(self.lines) + "\n")

    @cached_property
    def indent(self) -> int:
        """How many columns `text` was moved to the left."""
        return min((len(line) - len(line.lstrip()) for line in self.lines if line.strip()), default=0)

    def line(self, number: int) -> str:
        """The source line of that number, without its newline; empty outside the kernel."""
        position = number - self.first_line
        return self.lines[position] if 0 <= position < len(self.lines) else ""


@dataclass(frozen=True)
class Span:
    """A place in a source: lines as in the file, columns from 0. `caller` is set in inlined functions."""

    source: Source
    line: int
    column: int = 0
    caller: Span | None = None

    @property
    def outermost(self) -> Span:
        """The place in the kernel itself: for code of a device function, where the kernel calls it."""
        return self if self.caller is None else self.caller.outermost

    @property
    def where(self) -> str:
        """`file:line`."""
        return f"{PurePath(self.source.filename).name}:{self.line}"

    @property
    def text(self) -> str:
        """The source line."""
        return self.source.line(self.line)

    @property
    def callers(self) -> tuple[Span, ...]:
        """From where was the device function called that this is in, and that one? Each line once."""
        if self.caller is None:
            return ()
        again = (self.caller.source, self.caller.line) == (self.source, self.line)
        return self.caller.callers if again else (self.caller, *self.caller.callers)

    def spelled(self, hint: str) -> str:
        """A hint in the words of the source's language."""
        return spelled(hint, self.source.language)

    def describe(self, message: str, hint: str = "") -> str:
        """`file:line: message`, the source line, a caret under the place with the hint, and who called."""
        text = self.text
        shift = len(text) - len(text.lstrip())
        before = "".join("\t" if character == "\t" else " " for character in text[shift : self.column])
        caret = before.ljust(self.column - shift) + "^" + (f" {hint}" if hint else "")
        rows = [f"{self.where}: {message}", f"    {text.strip()}", f"    {caret}"]
        return "\n".join([*rows, *(f"  called from {c.where}: {c.text.strip()}" for c in self.callers)])


def of_function(function: Callable[..., Any]) -> Source:
    """Read a Python function's source text; raise `UnsupportedConstruct` where there is none."""
    code = getattr(function, "__code__", None)
    try:
        found = texts.kept(function) if isinstance(function, FunctionType) else None
        if found is None and code is not None and code.co_filename in ANYBODYS:
            raise OSError  # another text may have that name, too
        lines, first_line = found or inspect.getsourcelines(function)
    except (OSError, TypeError):
        name = getattr(function, "__name__", function)
        raise UnsupportedConstruct(
            f"the source of {name!r} cannot be read; save it in a file. A text for exec() has to be in a "
            "variable: `text = …; exec(text)`. A program from a pipe is run by `python -m gpusim -`."
        ) from None
    filename = shown_name(code.co_filename if code else inspect.getsourcefile(function) or "<unknown>")
    return Source(function.__name__, filename, first_line, tuple(line.rstrip("\n") for line in lines))


def shown_name(filename: str) -> str:
    """What does the reader call this file? A cell of a notebook `In[3]`."""
    shell = vars(builtins).get("get_ipython", lambda: None)()  # there while IPython runs a cell
    cell = shell.compile.format_code_name(filename) if shell is not None else None
    if cell is not None:
        return str(cell[1])  # In[3]
    return "cell" if "ipykernel" in filename or filename.startswith("<ipython") else filename


def spelled(hint: str, language: str) -> str:
    """What is it called in the reader's language? Hints come in Python's names, of which C++ has others.

    >>> spelled("cuda.syncwarp() between the two would order lanes of one warp", "C++")
    '__syncwarp() between the two would order lanes of one warp'
    """
    words = SPELLINGS[language]
    longest_first = sorted(map(re.escape, words), key=len, reverse=True)
    return re.sub("|".join(longest_first), lambda found: words[found[0]], hint) if words else hint
