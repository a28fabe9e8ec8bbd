"""What does `python -m gpusim program.py` do? It runs the program, watched as asked, then reports."""

from __future__ import annotations

import argparse
import contextlib
import runpy
import sys
import threading
from collections.abc import Iterator, Sequence
from contextvars import copy_context
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from gpusim import texts
from gpusim.checkers.sanitize import TOOLS, sanitize
from gpusim.errors import GpuSimError
from gpusim.profile import profile
from gpusim.program import in_place
from gpusim.program.processes import Elsewhere
from gpusim.runtime import settings
from gpusim.runtime.settings import use

NAME = "python -m gpusim"


def main(arguments: Sequence[str]) -> int:
    """Run what the arguments name; the exit status is the program's, or what `--error-exitcode` says."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if sum(map(bool, (asked.module, asked.text, asked.program))) != 1:
        parser.error("give a program, -m and a module, -c and a text, or - for standard input")
    try:
        chosen = use(device=asked.device, scheduling=asked.scheduling, schedule=asked.schedule)
        checks = sanitize(*asked.tool or ()) if asked.sanitize or asked.tool else None
    except GpuSimError as error:
        parser.error(str(error))
    if asked.program and asked.program[0] != "-" and not Path(asked.program[0]).exists():
        parser.error(f"there is no {asked.program[0]}")
    in_place.install()
    if asked.numba:
        in_place.refuse_ours()
    texts.remember()
    elsewhere = Elsewhere()
    with contextlib.ExitStack() as watched, _followed_by_threads():
        watched.enter_context(chosen)
        watched.enter_context(in_place.warned())
        run = watched.enter_context(profile()) if asked.profile or asked.csv else None
        report = watched.enter_context(checks) if checks else None
        if run is not None or report is not None:
            watched.enter_context(settings.during(settings.changed(observer=elsewhere)))
        status = _status_of(asked)
    told = [] if run is None else [run.to_csv() if asked.csv else repr(run)]
    reports = [report] if report is not None else []
    _tell(asked.log_file, [*told, *reports, *([elsewhere] if elsewhere.launches else [])])
    found = any(not each.clean for each in reports) or elsewhere.launches > 0
    return asked.error_exitcode if found and asked.error_exitcode is not None else status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        NAME,
        description="Run a program for Numba's CUDA target, unchanged, on a simulated GPU.",
        epilog=f"{NAME} program.py …, {NAME} -m pytest …, {NAME} -c TEXT …, {NAME} - < program.py",
    )
    parser.add_argument(
        "--device", metavar="NAME", help="the GPU, such as V100 or C500; an H200 unless given"
    )
    parser.add_argument(
        "--scheduling", choices=("stack", "independent"), help="how lanes of a warp go on apart"
    )
    parser.add_argument(
        "--schedule", type=_schedule, metavar="SEED", help="a number: an adversary's order; or serial"
    )
    parser.add_argument(
        "--numba", action="store_true", help="refuse what runs here, and not under Numba on a GPU"
    )
    parser.add_argument("--profile", action="store_true", help="at the end, what Nsight Compute would count")
    parser.add_argument("--csv", action="store_true", help="the same, a row for each launch, as CSV")
    parser.add_argument(
        "--sanitize", action="store_true", help="at the end, what Compute Sanitizer would find"
    )
    parser.add_argument(
        "--tool", action="append", choices=tuple(TOOLS), help="with this tool of it only; may be repeated"
    )
    parser.add_argument(
        "--error-exitcode", type=int, metavar="N", help="the exit status when there are findings"
    )
    parser.add_argument(
        "--log-file", type=Path, metavar="FILE", help="where the reports go, instead of the output"
    )
    parser.add_argument(
        "-m", dest="module", nargs=argparse.REMAINDER, metavar="MODULE …", help="run a module"
    )
    parser.add_argument("-c", dest="text", nargs=argparse.REMAINDER, metavar="TEXT …", help="run a text")
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="program.py …", help="run a file, or -")
    return parser


def _schedule(given: str) -> str | int:
    return int(given) if given.lstrip("-").isdigit() else given


def _status_of(asked: argparse.Namespace) -> int:
    """Run the program as Python would, and say what its exit status is."""
    try:
        if asked.module:
            name, *sys.argv[1:] = asked.module
            sys.argv[0] = name
            runpy.run_module(name, run_name="__main__", alter_sys=True)
        elif asked.text:
            text, *sys.argv[1:] = asked.text
            sys.argv[0] = "-c"
            _run_text(text, "<string>")
        elif asked.program[0] == "-":
            sys.argv[:] = asked.program
            _run_text(sys.stdin.read(), "<stdin>")
        else:
            sys.argv[:] = asked.program
            sys.path[0] = str(Path(asked.program[0]).resolve().parent)
            runpy.run_path(asked.program[0], run_name="__main__")
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return ended.code or 0
        print(ended.code, file=sys.stderr)
        return 1
    except BaseException as error:
        trace = _within(error.__traceback__)
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        return 1
    return 0


def _run_text(text: str, name: str) -> None:
    module = sys.modules["__main__"] = ModuleType("__main__")
    exec(compile(text, name, "exec"), vars(module))


def _within(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without the steps that led into the program."""
    while trace and trace.tb_frame.f_globals.get("__name__") in (__name__, "runpy"):
        trace = trace.tb_next
    return trace


@contextlib.contextmanager
def _followed_by_threads() -> Iterator[None]:
    """Let a thread that the program starts launch on the same device, watched by the same."""
    start = threading.Thread.start

    def started(self: threading.Thread) -> None:
        context, run = copy_context(), self.run
        self.run = lambda: context.run(run)  # type: ignore[method-assign]
        start(self)

    threading.Thread.start = started  # type: ignore[method-assign]
    try:
        yield
    finally:
        threading.Thread.start = start  # type: ignore[method-assign]


def _tell(file: Path | None, texts: Sequence[Any]) -> None:
    told = "".join(f"{str(text).rstrip()}\n" for text in texts)
    if file is None:
        sys.stdout.write(told)
    else:
        file.write_text(told, encoding="utf-8")
