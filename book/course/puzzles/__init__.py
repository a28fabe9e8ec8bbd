"""Does a reader's own kernel do what a puzzle asks? Words, counters before and after, and a picture.

A page has the first kernel of a puzzle in one cell and calls the puzzle with it in the next. Whatever the
reader makes of the kernel, the puzzle compares with what the first one did.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import gpusim
from gpusim.errors import GpuSimError, ReportError
from gpusim.profile import Run

Measure = str | Callable[[Run], float]


@dataclass(frozen=True)
class Goal:
    """What a puzzle asks of a run: a counter, or what a function reads off, within these bounds.

    what: its name in words, "sectors loaded". hint: said while it is out of them.
    """

    what: str
    measure: Measure
    at_most: float = np.inf
    at_least: float = -np.inf
    hint: str = ""

    def value(self, run: Run) -> float:
        return float(run.counters()[self.measure] if isinstance(self.measure, str) else self.measure(run))

    def holds(self, value: float) -> bool:
        return self.at_least <= value <= self.at_most

    @property
    def asked(self) -> str:
        """In words: "at most 4"."""
        bounds = ("at most", self.at_most), ("at least", self.at_least)
        told = [f"{words} {number(bound)}" for words, bound in bounds if np.isfinite(bound)]
        return number(self.at_most) if self.at_most == self.at_least else ", ".join(told)


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
        sentence, _, lines = self._said().partition("\n")
        said = f"<p>{html.escape(sentence)}</p>" + (f"<pre>{html.escape(lines)}</pre>" if lines else "")
        return f'<div class="puzzle-reply puzzle-{kind}">{said}{self._table()}{self._drawn()}</div>'

    def _table(self) -> str:
        if not self.rows:
            return ""
        head = "".join(
            f"<th>{name}</th>" for name in ("", f"first {self.called}", f"this {self.called}", "asked")
        )
        cells = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in self.rows)
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _drawn(self) -> str:
        if self.picture is None:
            return ""
        data = self.picture._repr_mimebundle_()
        data = data[0] if isinstance(data, tuple) else data
        return str(data.get("text/html", ""))


@dataclass
class Puzzle:
    """A kernel to change until its result is right and each goal is reached.

    launch: launches a kernel on fresh arrays, and gives what it left in memory, once for each of these cases:
    a case is what `gpusim.use` takes. right: what it should leave, or a function that says so where that
    depends on the device. Goals and picture are of the first case's run.
    raceless: no two threads may touch a place, one of them writing, without order; in the first case.
    seen: a picture of what racecheck followed, in place of that of the run.
    called: what a reader changes. told_of: where it is no kernel, what goals and picture are of, made of it.
    hint: said where the result is wrong.
    """

    launch: Callable[[Any], Any]
    right: Any
    goals: Sequence[Goal] = ()
    picture: Callable[[Run], Any] | None = None
    cases: Sequence[Mapping[str, Any]] = ({"device": "H200"},)
    raceless: bool = False
    seen: Callable[[Any], Any] | None = None
    called: str = "kernel"
    told_of: Callable[[Any], Any] | None = None
    hint: str = ""
    _first: Any = field(default=None, init=False)

    def __call__(self, kernel: Any) -> Reply:
        """Run the kernel. The first one that a puzzle is called with is what later ones are compared with."""
        outcomes = []
        for case in self.cases:
            outcomes.append(self._once(kernel, case))
            if outcomes[-1][0]:
                break
        fault, run = outcomes[-1][0], outcomes[0][1]
        if self.told_of and run:
            run = self.told_of(kernel)
        self._first = self._first or run
        values = [goal.value(run) for goal in self.goals] if run else []
        followed = self._followed(kernel) if run and self.raceless else None
        race = _race(followed)
        fault = fault or race or self._missed(values)
        picture = _drawn(self.seen, followed) if self.seen else _drawn(self.picture, run)
        return Reply(not fault, fault or self._praise(values), self._rows(values), picture, self.called)

    def _once(self, kernel: Any, case: Mapping[str, Any]) -> tuple[str, Run | None]:
        """What is wrong with a launch in this case, and what was counted, if it came to its end."""
        where = f" ({_told(case)})" if len(self.cases) > 1 else ""
        with gpusim.use(**case), gpusim.profile() as run:
            try:
                found = self._launched(kernel)
            except GpuSimError as error:
                return f"The launch ends with {type(error).__name__}{where}.\n{error}", None
            right = np.asarray(self.right() if callable(self.right) else self.right)
        if found.shape != right.shape:
            return f"The result has the shape {found.shape}{where}, and should have {right.shape}.", run
        wrong = np.argwhere(found != right)
        if not len(wrong):
            return "", run
        place = tuple(int(index) for index in wrong[0])
        at = f"Element {', '.join(map(str, place))}" if place else "The result"
        others = f"; {len(wrong)} of {right.size} are wrong" if right.size > 1 else ""
        return (
            f"{at} is {found[place]}{where}, and should be {right[place]}{others}. {self.hint}".rstrip(),
            run,
        )

    def _launched(self, kernel: Any) -> Any:
        """What a launch leaves. Afterwards the puzzle's arrays are as they were, whatever a kernel wrote."""
        names = getattr(self.launch, "__globals__", {})
        own = [each for each in names.values() if isinstance(each, np.ndarray)]
        before = [each.copy() for each in own]
        try:
            return np.array(self.launch(kernel))
        finally:
            for array, values in zip(own, before, strict=True):
                array[...] = values

    def _missed(self, values: Sequence[float]) -> str:
        """Which goal is the first that is out of reach?"""
        for goal, value in zip(self.goals, values, strict=True):
            if not goal.holds(value):
                asked = f"{number(value)} {goal.what}, and {goal.asked} are asked"
                return f"The result is right: {asked}. {goal.hint}".rstrip()
        return ""

    def _followed(self, kernel: Any) -> Any:
        """What racecheck has to say of the first case."""
        with gpusim.use(**self.cases[0]), gpusim.sanitize("racecheck") as report:
            self._launched(kernel)
        return report

    def _before(self, goal: Goal) -> str:
        return number(goal.value(self._first)) if self._first else "–"

    def _praise(self, values: Sequence[float]) -> str:
        if not self.goals:
            return f"The result is right{self._everywhere()}."
        goal = self.goals[0]
        now, before = number(values[0]), self._before(goal)
        return f"The result is right, with {now} {goal.what}; the first {self.called} had {before}."

    def _everywhere(self) -> str:
        """In which cases? By name, where they are few."""
        if len(self.cases) > 3:
            return f" in all {len(self.cases)} cases"
        return f" ({'; '.join(map(_told, self.cases))})" if len(self.cases) > 1 else ""

    def _rows(self, values: Sequence[float]) -> list[tuple[str, str, str, str]]:
        shown = map(number, values) if values else ["–"] * len(self.goals)
        return [
            (goal.what, self._before(goal), now, goal.asked)
            for goal, now in zip(self.goals, shown, strict=True)
        ]


def _race(followed: Any) -> str:
    if followed is None or followed.clean:
        return ""
    return f"The result is right in this order, and there is a race.\n{followed.findings[0]}"


def _drawn(picture: Callable[[Any], Any] | None, of: Any) -> Any:
    try:
        return picture(of) if picture and of is not None else None
    except ReportError:
        return None  # the kernel does nothing of what the view shows


def _told(case: Mapping[str, Any]) -> str:
    """A case in words: "H200, seed=7"."""
    return ", ".join(str(value) if name == "device" else f"{name}={value!r}" for name, value in case.items())


def number(value: float) -> str:
    """1234.0 is "1,234", and 2.53 "2.5"."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"
