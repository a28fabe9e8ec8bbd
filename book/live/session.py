"""What does a cell of a page give, where the reader is? Runs cells in order, as a kernel of Jupyter would.

It runs in Pyodide, in a worker of the page (`page/worker.js`), and anywhere else that Python runs. A cell has
the name that Jupyter gives it, `In[3]` for the third. A cell of CUDA C++ is not run: its parser is no Python.
"""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import re
import sys
import tokenize
import traceback
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from stand_ins import NotHere

CPP = "%%cuda"
NOBODY_HAS = "_repr_that_nobody_has_"
PASSED_OVER = {"load_ext", "matplotlib"}  # magics that change nothing here
LEFT_OUT = "line {}, `{}`, was left out: this page has no commands of IPython.\n"
BLANK = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER}
# what an output is: printed, shown, an error, or word that the cell runs elsewhere only
STREAM, SHOWN, FAILED, ELSEWHERE = "stream", "shown", "failed", "elsewhere"
FOUND = "found"  # by checkers, in the launches of a cell that are to be checked
UNCHECKED = "unchecked"  # what they left out there
MOST_PRINTED = 50_000  # characters; a page that shows a million is slow for as long as it is open
MOST_IN_ALL = 5_000_000  # characters that a cell shows; the largest view of the book has 260,000
MOST_SHOWN = 200  # outputs of a cell
KINDS: dict[Any, str] = {str: "text", dict: "a dict"}
CLAIM = "The course checks here what its own kernels give, and this one gives something else"
IN_KERNEL = re.compile(r"In\[(\d+)\]:(\d+): ")  # how an error of a kernel begins
HINTS = {"'function' object is not subscriptable": "A kernel has @cuda.jit above its def."}
FIRST = """import numpy as np
import gpusim
from gpusim import cuda

@cuda.jit
def first(x):
    x[cuda.grid(1)] += 1

with gpusim.profile() as run:
    first[1, 32](np.zeros(32))
gpusim.views.warp_player(run)._repr_mimebundle_();
"""
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)  # how a text ends Python's parser
WITHOUT_CPP = "CUDA C++ is read by libclang, which no browser has: this cell runs in JupyterLab."


@dataclass(frozen=True)
class Output:
    """What a cell gave: `kind` says which; `html` where there is more than text.

    at: of an error, where it came up: cell, line, and whether in a kernel.
    """

    kind: str
    text: str
    html: str = ""
    at: tuple[int, int, bool] | None = None


def and_more(left_out: int) -> str:
    return f"\n… and {left_out:,} characters more" if left_out else ""


class Printed(io.StringIO):
    """What a cell prints; of an endless print the beginning, so that it fits into memory."""

    left_out = 0

    def write(self, text: str) -> int:
        kept = text[: max(MOST_PRINTED - self.tell(), 0)]
        self.left_out += len(text) - len(kept)
        super().write(kept)
        return len(text)

    def close(self) -> None:
        """It stays open for what comes next, as Jupyter's does."""

    def shown(self) -> str:
        return self.getvalue() + and_more(self.left_out)


def given(kind: Any, found: Any, by: str) -> Any:
    """What a method of a cell's class gave, if it is of that kind, or None."""
    if found is not None and not isinstance(found, kind):
        raise TypeError(f"{by} gives {type(found).__name__}, and should give {KINDS[kind]}")
    return found


def bundle(value: Any) -> Output:
    """How is a value shown? As a notebook would: its HTML, else its SVG, else its `repr`."""
    if isinstance(value, type):
        return Output(SHOWN, repr(value))  # its methods show an instance
    if hasattr(value, NOBODY_HAS):  # as a `Mock()`, which gives no text for HTML
        return Output(SHOWN, repr(value))
    if hasattr(value, "live_html"):  # controls, which a playground is made of
        return Output(SHOWN, repr(value), value.output())
    data: dict[str, Any] = {}
    of = type(value).__name__
    if hasattr(value, "_repr_mimebundle_"):
        found, by = value._repr_mimebundle_(), f"{of}._repr_mimebundle_()"
        data = given(dict, found[0] if isinstance(found, tuple) else found, by) or {}
        for mime in ("text/plain", "text/html", "image/svg+xml"):
            given(str, data.get(mime), f"{mime} of {by}")
    for mime, method in (("text/html", "_repr_html_"), ("image/svg+xml", "_repr_svg_")):
        if mime not in data and hasattr(value, method):
            data = {**data, mime: given(str, getattr(value, method)(), f"{of}.{method}()")}
    html = data.get("text/html") or data.get("image/svg+xml") or ""
    return Output(SHOWN, data.get("text/plain") or repr(value), html)


def bounded(output: Output, room: int = MOST_IN_ALL) -> Output:
    """What has a cell room for? The beginning of a long text; HTML that is too long is no HTML when cut."""
    if len(output.html) > room:
        words = f"{len(output.html):,} characters of HTML, and the cell has room for {room:,}: show less"
        return replace(output, text=words, html="")
    text, most = output.text, min(MOST_PRINTED, room)
    return replace(output, text=text[:most] + and_more(len(text[most:])))


def no_input(*_: Any) -> str:
    raise EOFError("input() has nobody to ask here: write the value into the cell.")


class Session:
    """The names that the cells of one page have defined."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__", "display": self.display, "input": no_input}
        self.outputs: list[Output] = []
        self.left_out, self.room = 0, MOST_IN_ALL
        self.ran: Any = import_module("ran").Ran()
        self.lacking: dict[str, int] = {}  # a name, and the cell that stopped before it gave it

    def plan(self, texts: dict[str, str], number: int, last: int, source: str = "") -> dict[str, Any]:
        """Which cells are to run, so that one and those of its section show what they should (ran.py)?"""
        found: dict[str, Any] = self.ran.plan(
            {int(each): text for each, text in texts.items()}, number, last, self.names, source
        )
        return found

    def run(self, number: int, source: str, *, checks: bool = False, claims: bool = True) -> list[Output]:
        """Run the cell `In[number]`, of that text; an error is the last of the outputs.

        checks: say, too, what checkers find in its launches. claims: run its `assert`s, too; what a page
        claims of its own kernels is not asked of a reader's.
        """
        if is_cpp(source):
            return [Output(ELSEWHERE, WITHOUT_CPP)]
        self.outputs, self.left_out, self.room = [], 0, MOST_IN_ALL
        printed, name, found, unchecked = Printed(), f"In[{number}]", list[str](), list[str]()
        lasting: Any = import_module("lasting")
        before, carried, lacks = {**self.names}, lasting.carried(), set[str]()
        self._controls("forget", number)
        predictions: Any = import_module("gpusim.views.predictions")
        with (
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
            predictions.of_readers(),
            import_module("checked").checked(found, unchecked) if checks else contextlib.nullcontext(),
        ):
            try:
                self._execute(name, without_magics(source), claims=claims)
            except BaseException as error:
                if stays := why_elsewhere(error, claims):
                    self.outputs.append(bounded(Output(ELSEWHERE, stays)))
                    given = import_module("needs").given_by(behind(error, name, source))
                    lacks = {each for each in given if self.names.get(each) is before.get(each)}
                else:
                    words = told(error) + self._cause(error)
                    self.outputs.append(bounded(Output(FAILED, words, at=origin(error))))
        self._controls("drawn", number)
        self.lacking = {each: by for each, by in self.lacking.items() if by != number}
        for each in lacks:  # what an earlier run gave is not of this one
            self.names.pop(each, None)
            self.lacking[each] = number
        ended = not lacks and all(each.kind != FAILED for each in self.outputs)
        self.ran.add(number, source, ended=ended, seen=carried != lasting.carried())
        text = left_out(source) + printed.shown()
        first = [Output(STREAM, text)] * bool(text)
        of_checks = [
            Output(kind, line) for kind, lines in ((FOUND, found), (UNCHECKED, unchecked)) for line in lines
        ]
        return first + of_checks + self.outputs

    def _cause(self, error: BaseException) -> str:
        by = self.lacking.get(str(error.name)) if isinstance(error, NameError) else None
        return f". In[{by}] gives it, and stopped before that." if by is not None else ""

    @staticmethod
    def _controls(does: str, number: int) -> None:
        if controls := sys.modules.get("controls"):  # imported by the first cell with a playground
            getattr(controls, does)(number)

    @staticmethod
    def warm_up() -> list[Output]:
        """A first launch imports much: it is made here, where no cell waits, and leaves no names."""
        return Session().run(0, FIRST)

    def told(self, control: int, value: str) -> list[tuple[int, str]]:
        """The reader gave a control of the page a value: which controls look different now, and how?"""
        controls: Any = import_module("controls")
        if not (widget := controls.Widget.known.get(control)):
            return controls.gone(control)  # type: ignore[no-any-return]
        try:
            widget.told(value)
        except BaseException as error:  # a playground's text may end Python, which knows the other cells
            widget.refused = f"{told(error)}. What stands here is of the run before."
        changes = controls.changes()
        controls.drawn(widget.cell)
        return changes  # type: ignore[no-any-return]

    def display(self, *values: Any, **_: Any) -> None:
        """What IPython calls `display`; of an endless number the beginning."""
        room = max(MOST_SHOWN - len(self.outputs), 0)
        for value in values[:room]:
            output = bounded(bundle(value), self.room)
            self.room -= min(len(output.html or output.text), self.room)
            self.outputs.append(output)
        if len(values) > room:
            self.left_out += len(values) - room
            self.outputs[MOST_SHOWN:] = [Output(STREAM, f"… and more outputs: {self.left_out:,}")]

    def _execute(self, name: str, source: str, *, claims: bool) -> None:
        optimize = 0 if claims else 1  # 1 leaves out `assert`
        # `inspect` and tracebacks find the text of a kernel here
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        body = ast.parse(source, name).body
        last = body[-1] if body else None
        if isinstance(last, ast.Expr):
            body.pop()
        exec(compile(ast.Module(body, []), name, "exec", optimize=optimize), self.names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval", optimize=optimize), self.names)
            if value is not None and not is_quiet(source):
                self.display(value)


def parses(source: str) -> bool:
    try:
        ast.parse(source)
    except UNREADABLE:
        return False
    return True


def without_magics(source: str) -> str:
    """The text with `%load_ext …` and its kind left out; the lines keep their numbers."""
    lines, places = source.split("\n"), magics(source)
    return "\n".join("" if at in places else line for at, line in enumerate(lines, 1))


def magics(source: str) -> dict[int, str]:
    """The lines that IPython reads, by their numbers.

    A `%` within a text or a bracket is no magic: what stands before it does not parse.
    """
    before, found = list[str](), dict[int, str]()
    for at, line in enumerate(source.split("\n"), 1):
        if line.startswith("%") and parses("\n".join(before)):
            found[at] = line
        before.append("" if at in found else line)
    return found


def left_out(source: str) -> str:
    """What is said of magics that a reader may miss."""
    return "".join(
        LEFT_OUT.format(at, line)
        for at, line in magics(source).items()
        if line.split()[0].lstrip("%") not in PASSED_OVER
    )


def is_cpp(source: str) -> bool:
    """Is it a cell of CUDA C++? Jupyter passes over empty lines above its first."""
    return source.lstrip().startswith(CPP)


def is_quiet(source: str) -> bool:
    """Does it end with a semicolon, so that nothing is shown? One in a comment or a text is none."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [token.string for token in tokens if token.type not in BLANK][-1:] == [";"]


def message(error: BaseException) -> str:
    """What an error says, even where a cell made it such that it cannot."""
    try:
        return str(error)
    except BaseException as another:
        return f"its message cannot be made, that is {type(another).__name__}"


def is_claim(error: BaseException) -> bool:
    """Is it one of the course, of its own kernels?"""
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    modules = (str(frame.f_globals.get("__name__")) for frame in frames)
    return isinstance(error, AssertionError) and any(name.startswith("course.") for name in modules)


def why_elsewhere(error: BaseException, claims: bool) -> str:
    """Why stays what stands on the page, if it does?"""
    if isinstance(error, NotHere):
        return message(error)
    return f"{CLAIM}: what stands here stays as it was." if is_claim(error) and not claims else ""


def behind(error: BaseException, name: str, source: str) -> str:
    """What of a cell's text has not run to its end: the statement where it stopped, and those below."""
    frames = traceback.walk_tb(error.__traceback__)
    line = next((line for frame, line in frames if frame.f_code.co_filename == name), 1)
    rest = (each for each in ast.parse(without_magics(source)).body if (each.end_lineno or 0) >= line)
    return "\n".join(ast.unparse(each) for each in rest if not isinstance(each, ast.Import | ast.ImportFrom))


def steps(error: BaseException) -> list[traceback.FrameSummary]:
    """The lines of cells that led to an error."""
    return [step for step in traceback.extract_tb(error.__traceback__) if step.filename.startswith("In[")]


def calls_library(error: BaseException) -> tuple[int, int] | None:
    """Of an error in a function that no cell has: the nearest call of it in a cell, by cell and line."""
    span = getattr(error, "span", None)
    for place in getattr(span, "callers", ()):
        if named := re.fullmatch(r"In\[(\d+)\]", place.source.filename):
            return int(named[1]), place.line
    return None


def origin(error: BaseException) -> tuple[int, int, bool] | None:
    """Where did it come up? Cell, line, and whether in a kernel, which says its place itself."""
    if in_kernel := IN_KERNEL.match(message(error)):
        return int(in_kernel[1]), int(in_kernel[2]), True
    if call := calls_library(error):
        return *call, True
    places = [(step.filename, step.lineno) for step in steps(error)]
    if isinstance(error, SyntaxError) and isinstance(error.lineno, int):
        places.append((str(error.filename), error.lineno))
    named = places and re.fullmatch(r"In\[(\d+)\]", places[-1][0])
    return (int(named[1]), places[-1][1] or 1, False) if named else None


def told(error: BaseException) -> str:
    """What is said of an error? The message, and which line of which cell led there."""
    if isinstance(error, SyntaxError):
        with contextlib.suppress(Exception):  # its parts may be anything
            return "".join(traceback.format_exception_only(error)).rstrip()
    places = [f"line {step.lineno} of {step.filename}" for step in steps(error)]
    said = message(error)
    if not IN_KERNEL.match(said) and (call := calls_library(error)):
        places.append(f"line {call[1]} of In[{call[0]}]")  # the reader's own, before the library's
    hint = f". {HINTS[said]}" if said in HINTS else f". {CLAIM}." if is_claim(error) else ""
    return ": ".join(filter(None, [*places[-1:], type(error).__name__, said])) + hint
