"""What does a cell of a page give, where the reader is? Runs cells in order, as a kernel of Jupyter would.

It runs in Pyodide, in a worker of the page (`page/worker.js`), and anywhere else that Python runs. A cell has
the name that Jupyter gives it, `In[3]` for the third. A cell of CUDA C++ is not run: its parser is no Python.
"""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import tokenize
import traceback
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from stand_ins import NotHere

CPP = "%%cuda"
BLANK = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER}
# what an output is: printed, shown, an error, or word that the cell runs elsewhere only
STREAM, SHOWN, FAILED, ELSEWHERE = "stream", "shown", "failed", "elsewhere"
MOST_PRINTED = 50_000  # characters; a page that shows a million is slow for as long as it is open
MOST_HTML = 5_000_000  # characters; the largest view of the book has 260,000
MOST_SHOWN = 200  # outputs of a cell
WITHOUT_CPP = "CUDA C++ is read by libclang, which no browser has: this cell runs in JupyterLab."


@dataclass(frozen=True)
class Output:
    """What a cell gave: `kind` says which; `html` where there is more than text."""

    kind: str
    text: str
    html: str = ""


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

    def shown(self) -> str:
        return self.getvalue() + and_more(self.left_out)


def bundle(value: Any) -> Output:
    """How is a value shown? As a notebook would: its HTML, else its SVG, else its `repr`."""
    if isinstance(value, type):
        return Output(SHOWN, repr(value))  # its methods show an instance
    if hasattr(value, "live_html"):  # controls, which a playground is made of
        return Output(SHOWN, repr(value), value.live_html())
    data: dict[str, Any] = {}
    if hasattr(value, "_repr_mimebundle_"):
        given = value._repr_mimebundle_()
        data = (given[0] if isinstance(given, tuple) else given) or {}
    for mime, method in (("text/html", "_repr_html_"), ("image/svg+xml", "_repr_svg_")):
        if mime not in data and hasattr(value, method):
            data = {**data, mime: getattr(value, method)()}
    html = data.get("text/html") or data.get("image/svg+xml") or ""
    return Output(SHOWN, data.get("text/plain") or repr(value), html)


def bounded(output: Output) -> Output:
    """What has a page room for? The beginning of a long text; HTML that is too long is no HTML when cut."""
    if len(output.html) > MOST_HTML:
        words = f"{len(output.html):,} characters of HTML, and a page has room for {MOST_HTML:,}: show less"
        return replace(output, text=words, html="")
    text = output.text
    return replace(output, text=text[:MOST_PRINTED] + and_more(len(text[MOST_PRINTED:])))


def no_input(*_: Any) -> str:
    raise EOFError("input() has nobody to ask here: write the value into the cell.")


class Session:
    """The names that the cells of one page have defined."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__", "display": self.display, "input": no_input}
        self.outputs: list[Output] = []
        self.left_out = 0

    def run(self, number: int, source: str) -> list[Output]:
        """Run the cell `In[number]`, of that text; an error is the last of the outputs."""
        if source.startswith(CPP):
            return [Output(ELSEWHERE, WITHOUT_CPP)]
        self.outputs, self.left_out = [], 0
        printed, name = Printed(), f"In[{number}]"
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                self._execute(name, without_magics(source))
            except NotHere as absent:
                self.outputs.append(Output(ELSEWHERE, message(absent)))
            except BaseException as error:
                self.outputs.append(Output(FAILED, told(error, name)))
        text = printed.shown()
        return [Output(STREAM, text)] * bool(text) + [bounded(each) for each in self.outputs]

    def told(self, control: int, value: str) -> list[tuple[int, str]]:
        """The reader gave a control of the page a value: which controls look different now, and how?"""
        controls: Any = import_module("controls")
        controls.Widget.known[control].told(value)
        return controls.changes()  # type: ignore[no-any-return]

    def display(self, *values: Any, **_: Any) -> None:
        """What IPython calls `display`; of an endless number the beginning."""
        room = max(MOST_SHOWN - len(self.outputs), 0)
        self.outputs += map(bundle, values[:room])
        if len(values) > room:
            self.left_out += len(values) - room
            self.outputs[MOST_SHOWN:] = [Output(STREAM, f"… and more outputs: {self.left_out:,}")]

    def _execute(self, name: str, source: str) -> None:
        # `inspect` and tracebacks find the text of a kernel here
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        body = ast.parse(source, name).body
        last = body[-1] if body else None
        if isinstance(last, ast.Expr):
            body.pop()
        exec(compile(ast.Module(body, []), name, "exec"), self.names)
        if isinstance(last, ast.Expr) and not is_quiet(source):
            value = eval(compile(ast.Expression(last.value), name, "eval"), self.names)
            if value is not None:
                self.display(value)


def parses(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def without_magics(source: str) -> str:
    """The text with `%load_ext …` and its kind left out; the lines keep their numbers.

    A `%` within a text or a bracket is no magic: what stands before it does not parse.
    """
    lines: list[str] = []
    for line in source.split("\n"):
        lines.append("" if line.startswith("%") and parses("\n".join(lines)) else line)
    return "\n".join(lines)


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


def told(error: BaseException, name: str) -> str:
    """What is said of an error in the cell of that name? The message, and which line led there."""
    if isinstance(error, SyntaxError):
        return "".join(traceback.format_exception_only(error)).rstrip()
    steps = [step for step in traceback.extract_tb(error.__traceback__) if step.filename.startswith("In[")]
    places = [
        f"line {step.lineno}{'' if step.filename == name else f' of {step.filename}'}" for step in steps
    ]
    return ": ".join([*places[-1:], type(error).__name__, message(error)])
