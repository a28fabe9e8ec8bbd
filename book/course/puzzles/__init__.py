"""Does a reader's own kernel do what a puzzle asks? Words, counters before and after, and a picture.

A page has the first kernel of a puzzle in one cell and calls the puzzle with it in the next. Whatever the
reader makes of the kernel, the puzzle compares with what the first one did, and runs on numbers that the page
does not show, too.
"""

from __future__ import annotations

import ast
import copy
import html
import inspect
import linecache
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import gpusim
from course.puzzles.goals import Goal, number
from gpusim.errors import GpuSimError, ReportError
from gpusim.profile import Run
from gpusim.reports.findings import Finding

BITS = 24  # of a float32
WIDGET = "application/vnd.jupyter.widget-view+json"
ROUNDED = f"It is off by what rounding takes: a float32 holds {BITS} bits. Which type do the numbers have?"
OTHER_NUMBERS = " for other numbers than the page's"
HAZARDS = {
    "RAW": "read after write: the reader may come before the writer, and miss what it wrote",
    "WAR": "write after read: the writer may come before the reader, and take away what it wanted to read",
    "WAW": "write after write: whichever comes last stays, and the other is lost",
}


@dataclass(frozen=True)
class Reply:
    """What a puzzle says to a kernel: `solved`, a sentence, the counters of both kernels, the picture."""

    solved: bool
    sentence: str
    rows: Sequence[tuple[str, str, str, str]] = ()
    picture: Any = None
    called: str = "kernel"

    def __repr__(self) -> str:
        return "\n".join([self._said(), *(" · ".join(filter(None, row)) for row in self.rows)])

    def _said(self) -> str:
        return f"{'Solved' if self.solved else 'Not yet'}. {self.sentence}"

    def _repr_html_(self) -> str:
        kind = "solved" if self.solved else "unsolved"
        drawn = self._drawn().get("text/html", "")
        return f'<div class="puzzle-reply puzzle-{kind}">{self._words()}{drawn}</div>'

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Where the picture is a widget, so is the reply: no script draws it in a notebook's HTML."""
        if WIDGET not in self._drawn():
            return {}
        from ipywidgets import HTML, VBox

        shown: dict[str, Any] = VBox([HTML(self._words()), self.picture])._repr_mimebundle_()
        return {WIDGET: shown[WIDGET]}

    def _words(self) -> str:
        sentence, _, lines = self._said().partition("\n")
        said = f"<p>{_rich(sentence)}</p>" + (f"<pre>{html.escape(lines)}</pre>" if lines else "")
        return said + self._table()

    def _table(self) -> str:
        if not self.rows:
            return ""
        head = "".join(
            f"<th>{name}</th>" for name in ("", f"first {self.called}", f"this {self.called}", "asked")
        )
        cells = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in self.rows)
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _drawn(self) -> dict[str, Any]:
        """The picture, by the kinds in which it can be shown."""
        if self.picture is None:
            return {}
        data = self.picture._repr_mimebundle_()
        drawn: dict[str, Any] = data[0] if isinstance(data, tuple) else data
        return drawn


def _rich(sentence: str) -> str:
    """As HTML, with what stands between backticks as code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(sentence))


@dataclass
class Puzzle:
    """A kernel to change until its result is right and each goal is reached.

    launch: launches a kernel on copies of an input, and gives what it left in memory. right: what it should
    leave, or a function of the input that says so. The first of the inputs is launched once for each of these
    cases, which are what `gpusim.use` takes, and the others in the first case. Goals are to be reached each
    time but under a schedule; rows and picture are of the first time that one is missed, or of the first.
    No two threads may touch a place, one of them writing, without order; in the first case.
    seen: a picture of what racecheck followed, in place of that of the run.
    called: what a reader changes. told_of: where it is no kernel, what goals and picture are of, made of it.
    hint: said where the result is wrong; one for each row of the result, if they are several. elsewhere: said
    instead where it is right in the first case and wrong in another. in_order: where there is a race.
    again: said, too, from the second time on that a hint, or an error, is one that was said before.
    """

    launch: Callable[..., Any]
    right: Any
    goals: Sequence[Goal] = ()
    picture: Callable[[Run], Any] | None = None
    cases: Sequence[Mapping[str, Any]] = ({"device": "H200"},)
    seen: Callable[[Any], Any] | None = None
    called: str = "kernel"
    told_of: Callable[[Any], Any] | None = None
    hint: str | Sequence[str] = ""
    elsewhere: str = ""
    in_order: str = ""
    again: str = ""
    inputs: Sequence[tuple[Any, ...]] = ((),)
    _first: Sequence[Any] = field(default=(), init=False)
    _said: set[str] = field(default_factory=set, init=False)

    def __call__(self, kernel: Any) -> Reply:
        """Run the kernel. The first one that a puzzle is called with is what later ones are compared with."""
        if unfit := _gone(kernel) or (self.called == "kernel" and _plain(kernel)):
            return Reply(False, unfit, called=self.called)
        outcomes = []
        for case, given in self._tries:
            outcomes.append(self._once(kernel, case, given))
            if outcomes[-1][0]:
                break
        fault, hint = outcomes[-1][:2]
        runs = [run for place in self._counted if place < len(outcomes) and (run := outcomes[place][2])]
        if self.told_of and runs:
            runs = [self.told_of(kernel)]
        self._first = self._first or runs
        values = [[goal.value(run) for goal in self.goals] for run in runs]
        followed = self._followed(kernel) if runs and self.called == "kernel" else None
        race = self._race(followed, runs[0] if runs else None, fault or "The result is right in this order.")
        at, taken = self._missed(values, granted=True)
        taken = "" if fault else taken
        if race and not taken and "\n" not in fault:  # an error is said whole, and alone
            fault = race
        elif fault:
            fault = self._hinted(fault, hint)
        if not (fault or taken):
            at, taken = self._missed(values)
        fault, at = fault or taken, at if taken else 0
        picture = (
            _drawn(self.seen, followed) if self.seen else _drawn(self.picture, runs[at] if runs else None)
        )
        shown = values[at] if runs else []
        praise = self._praise(shown) if not fault else ""
        return Reply(not fault, fault or praise, self._rows(shown, at), picture, self.called)

    @property
    def _tries(self) -> list[tuple[Mapping[str, Any], Any]]:
        cases = [(case, self.inputs[0]) for case in self.cases]
        return cases + [(self.cases[0], other) for other in self.inputs[1:]]

    @property
    def _counted(self) -> list[int]:
        """Which tries are goals asked of? Not under a schedule, which may part a warp's lanes."""
        return [place for place, (case, _) in enumerate(self._tries) if "schedule" not in case]

    def _where(self, case: Mapping[str, Any], given: Any) -> str:
        return f" ({_told(case)})" if given is self.inputs[0] else OTHER_NUMBERS

    def _once(self, kernel: Any, case: Mapping[str, Any], given: Any) -> tuple[str, str, Run | None]:
        """What is wrong with a launch, the hint for it, and what was counted, if it came to its end."""
        of_page = given is self.inputs[0]
        where = "" if of_page and len(self.cases) == 1 else self._where(case, given)
        first = of_page and case is self.cases[0]
        with gpusim.use(**case), gpusim.profile() as run:
            try:
                found = self._launched(kernel, given)
            except GpuSimError as error:
                return f"The launch ends with {type(error).__name__}{where}.\n{error}", "", None
            right = np.asarray(self.right(*given) if callable(self.right) else self.right)
        if found.shape != right.shape:
            return f"The result has the shape {found.shape}{where}, and should have {right.shape}.", "", run
        wrong = np.argwhere(found != right)
        if not len(wrong):
            return "", "", run
        place = tuple(int(index) for index in wrong[0])
        at = f"Element {', '.join(map(str, place))}" if place else "The result"
        others = f"; {len(wrong)} of {right.size} are wrong" if right.size > 1 else ""
        hint = self.hint if isinstance(self.hint, str) else self.hint[place[0]]
        if _is_rounded(found, right):
            hint = ROUNDED
        elif not of_page:
            hint = "For the page's it is right: work it out from what the kernel is given."
        elif not first:
            hint = self.elsewhere or hint
        return f"{at} is {found[place]}{where}, and should be {right[place]}{others}.", hint, run

    def _hinted(self, fault: str, hint: str) -> str:
        """The fault with its hint, and another one where that was said before and has not helped."""
        sentence, newline, lines = fault.partition("\n")
        said = hint or sentence
        more = self.again if said in self._said else ""
        self._said.add(said)
        return " ".join(filter(None, [sentence, hint, more])) + newline + lines

    def _launched(self, kernel: Any, given: Any) -> Any:
        """What a launch leaves. It has copies, so that no kernel spoils the numbers of a later try."""
        return np.array(self.launch(kernel, *copy.deepcopy(given)))

    def _missed(self, values: Sequence[Sequence[float]], *, granted: bool = False) -> tuple[int, str]:
        """Which goal is the first that is out of reach, of all or of those that the first kernel kept to?

        Which time, and what is said of it; device or numbers are named where the first time it is reached.
        """
        for place, goal in enumerate(self.goals):
            for at, found in enumerate(values):
                if not goal.holds(found[place]) and granted <= goal.granted:
                    where = self._where(*self._tries[self._counted[at]]) if at else ""
                    asked = f"{number(found[place])} {goal.what}{where}, and {goal.asked} are asked"
                    return at, f"The result is right: {asked}. {goal.hint}".rstrip()
        return 0, ""

    def _followed(self, kernel: Any) -> Any:
        """What racecheck has to say of the first case."""
        with gpusim.use(**self.cases[0]), gpusim.sanitize("racecheck") as report:
            self._launched(kernel, self.inputs[0])
        return report

    def _race(self, followed: Any, run: Any, came: str) -> str:
        """The race first, then what `came` of it this time; none if there is none."""
        if followed is None or followed.clean:
            return ""
        first = followed.findings[0]
        said = ["There is a race.", self.in_order, _where(first, run), came]
        means = f"\n{first.hazard}: {HAZARDS[first.hazard]}." if first.hazard in HAZARDS else ""
        return f"{' '.join(filter(None, said))}\n{first}{means}"

    def _before(self, goal: Goal, at: int = 0) -> str:
        return number(goal.value(self._first[at])) if at < len(self._first) else "–"

    def _praise(self, values: Sequence[float]) -> str:
        for goal, value in zip(self.goals, values, strict=True):
            if not goal.granted:
                counted = (
                    f"with {number(value)} {goal.what}; the first {self.called} had {self._before(goal)}"
                )
                return f"The result is right, {counted}."
        return f"The result is right{self._everywhere()}."

    def _everywhere(self) -> str:
        """In which cases? By name, where they are few."""
        if len(self.cases) > 3:
            return f" in all {len(self.cases)} cases"
        return f" ({'; '.join(map(_told, self.cases))})" if len(self.cases) > 1 else ""

    def _rows(self, values: Sequence[float], at: int) -> list[tuple[str, str, str, str]]:
        shown = map(number, values) if values else ["–"] * len(self.goals)
        return [
            (goal.what, self._before(goal, at), now, goal.asked)
            for goal, now in zip(self.goals, shown, strict=True)
            if not goal.granted
        ]


def _gone(kernel: Any) -> str:
    """What is said of a kernel that its cell does not define any more: what is left is of an earlier run."""
    function = inspect.unwrap(kernel) if callable(kernel) else None
    if not inspect.isfunction(function) or not (lines := linecache.getlines(function.__code__.co_filename)):
        return ""
    name = function.__name__
    defined = {each.name for each in ast.walk(ast.parse("".join(lines))) if isinstance(each, ast.FunctionDef)}
    return "" if name == "<lambda>" or name in defined else f"This cell must define `{name}`."


def _plain(kernel: Any) -> str:
    """What is said of something that cannot be launched."""
    if inspect.isfunction(kernel):
        return f"`{kernel.__name__}` is a plain function: write @cuda.jit above it."
    return "" if callable(kernel) else f"A kernel is asked for, and {kernel!r} is none."


def _is_rounded(found: Any, right: Any) -> bool:
    """Are whole numbers off by no more than two roundings to a float32?"""
    whole = all(array.dtype.kind in "iu" for array in (found, right))
    numbers, off = right.astype(float), found.astype(float) - right.astype(float)
    large = bool((np.abs(numbers[off != 0]) > 2**BITS).all())
    return whole and large and bool((np.abs(off) <= np.abs(numbers) * 2.0 ** (1 - BITS)).all())


def _where(race: Finding, run: Run) -> str:
    """Which lines, and what of the barriers? Of one grid only: launches order others."""
    if len(race.lines) != 2 or any(access.launched for access in race.accesses):
        return ""
    one, other = race.lines
    said = f"On the way from line {one} to line {other} nothing makes one thread wait for the other."
    return f"{f'Line {one} does both.' if one == other else said}{_barriers(run)}"


def _barriers(run: Run) -> str:
    """Why do the barriers of a kernel that races not help?"""
    if not run.counters()["barriers"]:
        return ""
    kernel = run.kernels[0]
    threads = math.prod(kernel.grid) * math.prod(kernel.block)
    lines = [line for line in kernel.lines if line["barriers"]]
    for line in lines:
        if line["thread_instructions"] % threads:
            reached = f" Not all threads reach the barrier in line {line['line']}: all of them have to,"
            return f"{reached} so it stands in no branch."
    placed = " and ".join(str(line["line"]) for line in lines)
    whose, does = ("barrier, in line", "does") if len(lines) == 1 else ("barriers, in lines", "do")
    return f" The kernel's {whose} {placed}, {does} not come between the two."


def _drawn(picture: Callable[[Any], Any] | None, of: Any) -> Any:
    try:
        return picture(of) if picture and of is not None else None
    except ReportError:
        return None  # the kernel does nothing of what the view shows


def _told(case: Mapping[str, Any]) -> str:
    """A case in words: "H200, seed=7"."""
    return ", ".join(str(value) if name == "device" else f"{name}={value!r}" for name, value in case.items())
