"""What does an instructor plan with? Labs with goals and minutes, plans of courses, how answers are marked.

Titles, minutes, questions and full answers are read from the chapters and the instructors' notebooks; goals
and other answers from `labs/classroom/marking.toml`, plans from `plans.toml` beside it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from IPython.display import HTML
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS, CLASSROOM = ROOT / "labs" / "instructor", ROOT / "labs" / "classroom"
FIRST = datetime(2027, 1, 11, 23, 59)  # the end of the first week, in the course's `timezone`
FACTS = re.compile(r"^# (\d+) (.+)\n(?:.*\n)+?:::\{container\} facts\n((\d+) minutes.*)", re.MULTILINE)
PAGE = re.compile(r"\]\(([\w-]+)\.md\)")
FULL = re.compile(r"### BEGIN SOLUTION\n(.+)\n### END SOLUTION", re.DOTALL)
POINT = re.compile(r"\s*\*\(1 point(?:: (.+?))?\.?\)\*$", re.DOTALL)


@dataclass(frozen=True)
class Part:
    """A third of a written question, one point: what earns it, three answers, and what to say."""

    question: str
    earns: str
    full: str
    half: str
    none: str
    say: str


@dataclass(frozen=True)
class Lab:
    """A lab, its chapter's number and minutes, and how its written answer is marked."""

    name: str
    title: str
    chapter: int
    reading: int
    minutes: int
    goals: tuple[str, ...]
    parts: tuple[Part, ...]


def read(name: str) -> dict[str, Any]:
    """What `marking.toml` or `plans.toml` says."""
    return tomllib.loads((CLASSROOM / name).read_text(encoding="utf-8"))


@cache
def labs() -> dict[str, Lab]:
    """The labs that `marking.toml` knows, in the order of their chapters."""
    found = [_lab(name, marking) for name, marking in read("marking.toml").items()]
    return {lab.name: lab for lab in sorted(found, key=lambda lab: lab.chapter)}


def chapter(name: str) -> tuple[int, str, int]:
    """A chapter's number, title and minutes."""
    number, title, _, minutes = _facts(name)
    return int(number), title, int(minutes)


def needs(name: str) -> list[str]:
    """The chapters that a chapter's line of facts says it needs."""
    return PAGE.findall(_facts(name)[2])


def _facts(name: str) -> tuple[str, str, str, str]:
    text = (ROOT / "book" / f"{name}.md").read_text(encoding="utf-8")
    (found,) = FACTS.findall(text)
    return tuple(found)


def _lab(name: str, marking: dict[str, Any]) -> Lab:
    notebook = json.loads((NOTEBOOKS / name / f"{name}.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"]]
    number, _, reading = chapter(name)
    title = cells[0].partition("\n")[0].removeprefix("# ")
    (minutes,) = re.findall(r"takes about (\d+) minutes", cells[0])
    at = next(place for place, cell in enumerate(cells) if "marked by hand)" in cell.partition("\n")[0])
    answer = FULL.search(cells[at + 1])
    assert answer is not None
    questions = re.findall(r"^\d\. (.+(?:\n   .+)*)", cells[at], re.MULTILINE)
    answers = [POINT.split(part) for part in re.split(r"\n\n+", answer[1].strip())]
    parts = tuple(
        Part(_line(question), _line(earns or "the answer with its reason"), _line(full), **sample)
        for question, (full, earns, _), sample in zip(questions, answers, marking["parts"], strict=True)
    )
    return Lab(name, title, number, reading, int(minutes), tuple(marking["goals"]), parts)


def _line(text: str) -> str:
    return " ".join(text.split())


def plan(weeks: int) -> HTML:
    """A course of so many weeks: what is read, handed in and done together, and how long a student sits."""
    given, rows = read("plans.toml"), []
    for week, of in enumerate(given["weeks"][str(weeks)], 1):
        due = [labs()[name] for name in of["due"]]
        minutes = sum(chapter(name)[2] for name in of["read"]) + sum(lab.minutes for lab in due)
        titles = "<br>".join(_link(name, f"{chapter(name)[0]} {chapter(name)[1]}") for name in of["read"])
        together = "<br>".join(_text(given["together"][name]) for name in of["read"])
        rows.append((str(week), titles, ", ".join(map(_to_marking, due)), together, str(minutes)))
    alone = [int(row[-1]) for row in rows]
    said = f"Alone from {min(alone)} to {max(alone)} minutes a week, {sum(alone) / 60:.0f} hours in all."
    return _rows(("week", "read before", "due at its end", "together", "minutes alone"), rows, said)


def dates(weeks: int) -> str:
    """`[labs]` of such a course for `course.toml`: a lab is due at the end of its week."""
    plan = read("plans.toml")["weeks"][str(weeks)]
    due = [(name, FIRST + timedelta(weeks=week)) for week, of in enumerate(plan) for name in of["due"]]
    return "\n".join(["[labs]", *(f"{name} = {at.isoformat()}" for name, at in due)])


def to_copy(weeks: int) -> HTML:
    """The same, folded."""
    return HTML(  # type: ignore[no-untyped-call]
        "<details><summary><code>[labs]</code> of this plan, to copy into <code>course.toml</code></summary>"
        f"<pre>{escape(dates(weeks))}</pre></details>"
    )


def slides() -> HTML:
    """A link to the slides of each chapter."""
    links = (
        f'<li><a href="{name}.html#slides">{number} {title}</a></li>'
        for name in read("plans.toml")["together"]
        for number, title, _ in [chapter(name)]
    )
    return HTML(f'<ul class="simple">{"".join(links)}</ul>')  # type: ignore[no-untyped-call]


def goals() -> HTML:
    """For each lab what a student can do after it, and how long the chapter and the lab take."""
    rows = [
        (
            f"{_link(lab.name, lab.title)}<br>{_to_marking(lab, 'how it is marked')}",
            _text("; ".join(lab.goals)),
            str(lab.reading),
            str(lab.minutes),
        )
        for lab in labs().values()
    ]
    return _rows(("lab", "afterwards you can", "chapter, minutes", "lab, minutes"), rows)


def _rows(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], said: str = "") -> HTML:
    """A table whose rows are blocks on a phone (_static/teaching.css): each cell knows its heading."""
    head = "".join(f'<th scope="col">{each}</th>' for each in heads)
    body = "".join(
        "<tr>"
        + "".join(f'<td data-head="{name}">{cell}</td>' for name, cell in zip(heads, row, strict=True))
        + "</tr>"
        for row in rows
    )
    below = f"<p>{said}</p>" if said else ""
    return HTML(  # type: ignore[no-untyped-call]
        f'<table class="teaching"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}'
    )


def _link(page: str, text: str) -> str:
    return f'<a href="{page}.html">{escape(text)}</a>'


def _to_marking(lab: Lab, text: str = "") -> str:
    """A lab, with a link to how it is marked."""
    return f'<a href="marking.html#mark-{lab.name}">{escape(text or f"Lab {lab.chapter}")}</a>'


def _text(text: str) -> str:
    return str(MarkdownIt().renderInline(text))


def marking() -> HTML:
    """How the written answer of each lab is marked, folded. A link into what is folded opens it."""
    write = MarkdownIt().enable("table").render
    folded = (
        f'<details class="marking"><summary>{lab.title}</summary>'
        f'<div id="mark-{lab.name}">{write(_marking(lab))}</div></details>'
        for lab in labs().values()
    )
    return HTML("".join(folded))  # type: ignore[no-untyped-call]


def _marking(lab: Lab) -> str:
    shown = []
    for number, part in enumerate(lab.parts, 1):
        shown.append(
            f"**{number}. {part.question}** *1 point for: {part.earns}.*\n\n"
            f"| Points | An answer |\n|---|---|\n"
            f"| 1 | {part.full} |\n| ½ | {part.half} |\n| 0 | {part.none} |\n\n"
            f"*To say at ½:* {part.say}\n"
        )
    return "\n".join(shown)
