"""What does `python -m gpusim` print for a program? A page shows the program, the command and its output."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

from IPython.display import Markdown

import gpusim
from course.program_texts import FILES
from gpusim.profile.run import Run
from gpusim.program.command import main
from gpusim.reports import topics
from gpusim.views.table import Table, table

LONG = 110  # a command has more lines
MANGLED = re.compile(r"\[(abi:)?v1,\w+(\.\.\.)?\]?")  # how Numba tells its kernels apart


def program(*names: str) -> Markdown:
    """The texts of some programs."""
    texts = []
    for name in names:
        language, comment = ("cpp", "//") if name.endswith(".cu") else ("python", "#")
        texts.append(f"```{language}\n{comment} {name}\n{FILES[name]}```")
    return Markdown("\n\n".join(texts))  # type: ignore[no-untyped-call]


def console(*commands: str) -> Markdown:
    """What commands print that begin with `python`, mostly `-m gpusim`, run here and now; and how they end.

    One that ends in `| head -3` shows three lines.
    """
    return Markdown(f"```console\n{''.join(map(_told, commands))}```")  # type: ignore[no-untyped-call]


def recorded(command: str, ended: tuple[str, int]) -> Markdown:
    """What a command printed on a GPU, and how it ended."""
    return Markdown(f"```console\n{_session(command, MANGLED.sub('', ended[0]), ended[1])}```")  # type: ignore[no-untyped-call]


def beside(here: str, there: str, ended: tuple[str, int]) -> Markdown:
    """What a command prints here, and another one on a GPU."""
    told = f"Here:\n\n```console\n{_told(here)}```\n\nOn a GPU:\n\n```console\n{_session(there, *ended)}```"
    return Markdown(told)  # type: ignore[no-untyped-call]


def counted(name: str) -> Run:
    """A run of a program on an H200, with its caches."""
    with gpusim.profile("H200", caches=True) as run:
        _run([name])
    return run


def side_by_side(run: Run, there: Mapping[str, float], metrics: Callable[[str], tuple[str, ...]]) -> Table:
    """The counters of a run that are not 0, and what the GPU has for the metrics of each."""
    rows = []
    for name in topics.in_order(caches=True):
        here, found = getattr(run, name), sum(there[metric] for metric in metrics(name))
        if metrics(name) and (here or found):
            asked = " + ".join(f"`{metric}`" for metric in metrics(name))
            rows.append((f"`{name}`", here, int(found), asked))
    return table(rows, ("counter", "here", "on the H200", "metric"))


def _told(command: str) -> str:
    called, _, lines = command.partition(" | head -")
    words = shlex.split(called)
    said, status = _run(words[3:] if words[1:3] == ["-m", "gpusim"] else words[1:])
    return _session(command, "".join(said.splitlines(keepends=True)[: int(lines) if lines else None]), status)


def _session(command: str, said: str, status: int) -> str:
    typed = command.replace(",", ",\\\n") if len(command) > LONG else command
    return f"$ {typed}\n{said.rstrip()}\n" + (f"$ echo $?\n{status}\n" if status else "")


def _run(arguments: list[str]) -> tuple[str, int]:
    before, path, modules = sys.argv[:], sys.path[:], set(sys.modules)
    os.environ |= {"COLUMNS": "64", "PYTEST_ADDOPTS": "-p no:cacheprovider"}  # as wide as a page
    said = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, text in FILES.items():
            Path(name).write_text(text, encoding="utf-8")
        sys.path.insert(0, str(Path.cwd()))
        try:
            with (
                contextlib.redirect_stdout(said),
                contextlib.redirect_stderr(said),
                warnings.catch_warnings(),
            ):
                warnings.filterwarnings("ignore", "Grid size|Host array")  # as the page says
                status = main(arguments)
        finally:
            sys.argv[:], sys.path[:] = before, path
            for name in {name.removesuffix(".py") for name in FILES} - modules:
                sys.modules.pop(name, None)
    # neither colours, nor how long it took: no page is built as fast twice
    return re.sub(r"\x1b\[\d*m| in \d+\.\d+s", "", said.getvalue()), status
