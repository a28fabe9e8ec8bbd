"""How does the page about the simulator draw what it ran? Pictures that need no script, but radio buttons.

Without their style, as in a notebook that is not trusted, they are tables and rows of text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import groupby, zip_longest
from pathlib import Path

from IPython.display import HTML

from course.simulator import Row, Step, instructions, meeting
from gpusim.ir.program import Function
from gpusim.machine.batch import Turn
from gpusim.views.table import Table, table

SHEET = Path(__file__).with_name("simulator.css")
PICTURE = Path(__file__).parents[1] / "_static" / "rooms.svg"
SAID = re.compile(r'<g id="room-(\w+)"[^>]* aria-label="([^"]+)"')  # what each of them knows
NAMED = re.compile(r'<text x="([\d.]+)" y="([\d.]+)">([^<]+)</text>')  # a room of the picture
LANGUAGES = ("Python", "CUDA C++")


def drawn(inside: str, rules: Iterable[str], caption: str) -> HTML:
    """A figure with its style sheet, and rules of its own."""
    sheet = SHEET.read_text(encoding="utf-8")
    return HTML(  # type: ignore[no-untyped-call]
        f'<figure class="course-figure"><style>{sheet}{"".join(rules)}</style>'
        f'<div class="machine">{inside}</div><figcaption>{escape(caption)}</figcaption></figure>'
    )


def radio(name: str, value: int, *, checked: bool) -> str:
    """A button of a set, which its labels stand for."""
    return f'<input type="radio" name="{name}" id="{name}-{value}"{" checked" * checked}>'


def pressed(name: str, value: int, what: str, look: str) -> str:
    """Rules: `what` has this look while the button is pressed; its labels show that it has the keyboard."""
    checked = f".machine:has(#{name}-{value}:checked) {what}"
    focused = f".machine:has(#{name}-{value}:focus-visible) label[for={name}-{value}]"
    return f"{checked} {{ {look} }}{focused} {{ outline: 2px solid var(--on); }}"


def fieldset(legend: str, kind: str, inside: str) -> str:
    """A set of buttons."""
    return f'<fieldset><legend>{legend}</legend><div class="{kind}">{inside}</div></fieldset>'


# one kernel in two languages ------------------------------------------------------------------------------


def source(function: Function, language: str, pickable: set[int], picked: int) -> str:
    """The text of a kernel; lines from which instructions come are labels of buttons, which Python's hold."""
    is_first = language == LANGUAGES[0]
    shown = []
    for number, text in enumerate([*([] if is_first else ["%%cuda cpp"]), *function.source.lines], 1):
        inside = f"<i>{number}</i>{escape(text)}"
        if number in pickable:
            button = radio("ir-line", number, checked=number == picked) if is_first else ""
            shown.append(f'<label for="ir-line-{number}" class="code">{button}{inside}</label>')
        else:
            shown.append(f'<span class="code">{inside}</span>')
    return f"<div><b>{language}</b>{''.join(shown)}</div>"


def languages(left: Function, right: Function, rows: Sequence[Row], picked: int, caption: str) -> HTML:
    """A kernel in Python and in CUDA C++ above the IR of both; a picked line's instructions are marked."""
    pickable = {row.line for row in rows}
    both = "".join(
        source(function, language, pickable, picked)
        for function, language in zip((left, right), LANGUAGES, strict=True)
    )
    body, block = [], -1
    for row in rows:
        if row.block != block:
            block, where = row.block, meeting(left, row.block)
            note = f", whose branch may split a warp: its lanes meet again at B{where}"
            told = "" if where is None else f'<span class="note">{note}</span>'
            body.append(f'<tr class="starts"><th scope="rowgroup" colspan="3">B{block}{told}</th></tr>')
        of = "" if row.same else ' class="differs"'
        cells = "".join(f"<td><code{of}>{escape(text)}</code></td>" for text in (row.left, row.right))
        body.append(f'<tr class="code of-{row.line}"><td class="note">{row.line}</td>{cells}</tr>')
    headings = ("line", *(f"IR from {language}" for language in LANGUAGES))
    head = "".join(f'<th scope="col">{each}</th>' for each in headings)
    listing = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
    rules = (
        pressed("ir-line", line, f":is(.of-{line}, label[for=ir-line-{line}])", "background: var(--picked);")
        for line in sorted(pickable)
    )
    pick = fieldset("Pick a line", "sources", both)
    return drawn(f'{pick}<div class="ir" tabindex="0">{listing}</div>', rules, caption)


# one step after the other -----------------------------------------------------------------------------------


def joined(names: Sequence[object]) -> str:
    """Names in a sentence.

    >>> joined([1, 2, 3]), joined(["B0"])
    ('1, 2 and 3', 'B0')
    """
    texts = [str(name) for name in names]
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def blocks(numbers: Iterable[int]) -> str:
    """Basic blocks in a sentence, each once."""
    return joined([f"B{number}" for number in sorted(set(numbers))])


def sentence(step: Step, lines: Sequence[int]) -> str:
    """What happens, and why."""
    standing = {place for warp in step.places for place in warp}
    others = [warp for warp in range(len(step.places)) if warp not in step.rows]
    several, some_lines, some_off = len(others) > 1, len(lines) > 1, len(step.off) > 1
    told = [
        f"Lanes stand at {blocks(standing)}; the lowest runs."
        if len(standing) > 1
        else f"All lanes stand at {blocks(standing)}.",
        f"Warp{'s' * several} {joined(others)} {'have' if several else 'has'} no lane there."
        if others
        else "",
        f"One pass over {len(step.rows)} warps does line{'s' * some_lines} {joined(lines)}.",
        f"{sum(step.off.values())} lanes of warp{'s' * some_off} {joined([*step.off])} are off."
        if step.off
        else "Every lane is on.",
    ]
    return " ".join(filter(None, told))


def lanes(warp: int, mask: int, places: Sequence[int]) -> str:
    """A row of cells: who runs, and where everybody stands."""
    on = [bool(mask >> lane & 1) for lane in range(len(places))]
    off = [place for place, runs in zip(places, on, strict=True) if not runs]
    said = [f"{sum(on)} lanes run"] * any(on) + [f"{len(off)} lanes stand at {blocks(off)}"] * bool(off)
    cells = "".join(f"<i{' class=on' * runs}>{place}</i>" for place, runs in zip(places, on, strict=True))
    picture = f'<span class="lanes" role="img" aria-label="{", ".join(said)}">{cells}</span>'
    return f'<div class="warp"><b>warp {warp}</b>{picture}</div>'


def frame(number: int, of: int, step: Step, lines: Sequence[int]) -> str:
    """One step: what happens, the lanes of every warp, the arrays of the step and what came of it."""
    running = {row: int(mask, 16) for row, mask in zip(step.rows, step.masks, strict=True)}
    warps = "".join(lanes(warp, running.get(warp, 0), places) for warp, places in enumerate(step.places))
    shape = f"{len(step.rows)} × {len(step.places[0])}"
    arrays = [
        f"block  = {step.block}",
        f"rows   = {list(step.rows)}",
        f"active = {shape} bool: {', '.join(f'0x{mask}' for mask in step.masks)}",
        f"step() returned Turn.{step.turn.name}",
    ]
    return (
        f'<div class="frame" data-step="{number}">'
        f"<p><b>Step {number} of {of}: B{step.block}.</b> {sentence(step, lines)}</p>{warps}"
        f'<div class="arrays code" tabindex="0">{escape(chr(10).join(arrays))}</div></div>'
    )


def frames(steps: Sequence[Step], function: Function, caption: str) -> HTML:
    """A batch, step by step."""
    numbered, listed = list(enumerate(steps, 1)), instructions(function)
    found = [
        frame(
            number,
            len(steps),
            step,
            list(dict.fromkeys(line for block, line, _ in listed if block == step.block)),
        )
        for number, step in numbered
    ]
    buttons = (
        f'<label for="step-{number}">{radio("step", number, checked=number == 1)}step {number}</label>'
        for number, _ in numbered
    )
    rules = (
        pressed("step", number, f".frame[data-step='{number}']", "display: block;") for number, _ in numbered
    )
    return drawn(fieldset("Step through it", "steps", "".join(buttons)) + "".join(found), rules, caption)


# tables and two more pictures -------------------------------------------------------------------------------


class Lines:
    """Several lines of code in a cell of a table."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines

    def __str__(self) -> str:
        return "; ".join(self.lines)

    def _repr_html_(self) -> str:
        return "<br>".join(f'<code class="kept">{escape(line)}</code>' for line in self.lines)


def models(stack: Sequence[Step], independent: Sequence[Step], warp: int) -> Table:
    """What the two models keep of a warp before each step."""

    def blocks(both: Iterable[Step | None]) -> Iterable[str]:
        return dict.fromkeys(f"B{step.block}" for step in both if step)

    rows = [
        (f"{number}, {' or '.join(blocks(both))}", *(Lines(step.kept[warp] if step else ()) for step in both))
        for number, both in enumerate(zip_longest(stack, independent), 1)
    ]
    return table(rows, ("step", "stack (P100), top first", "program counters (H200)"))


def ended(turns: Mapping[str, Mapping[Turn, int]]) -> Table:
    """How often `step()` returned what, a row a launch."""
    rows = [
        (name, found[Turn.RAN], *(f"`Turn.{turn.name}`" for turn in found if turn is not Turn.RAN))
        for name, found in turns.items()
    ]
    return table(rows, ("model", "`Turn.RAN`", "and then"))


def rooms(caption: str) -> HTML:
    """The picture of the package's rooms, in the colours of the page."""
    picture = re.sub("<style>.*?</style>", "", PICTURE.read_text(encoding="utf-8"), flags=re.DOTALL)
    inside = picture.replace("<svg ", '<svg class="plot" ', 1)
    named = sorted((float(y), float(x), escape(name)) for x, y, name in NAMED.findall(picture))
    rows = (
        f"<li>{joined([name for *_, name in found])}</li>" for _, found in groupby(named, lambda one: one[0])
    )
    narrow = f'<ol class="narrow">{"".join(rows)}</ol>'  # a telephone has no room for the lines
    rules = (
        f".machine .rooms:has(#room-{name}:is(:hover, :focus)) .of-{name}"
        " { stroke: var(--on); stroke-width: 3; opacity: 1; }"
        for *_, name in named
    )
    sentences = SAID.findall(picture)
    says = "".join(f'<span class="says says-{room}">{said}.</span>' for room, said in sentences)
    shown = (
        f".machine .rooms:has(#room-{room}:is(:hover, :focus)) .says-{room} {{ display: inline; }}"
        for room, _ in sentences
    )
    ask = "<span>Point at a room to see its lines.</span>"
    told = f'<p class="note" aria-hidden="true">{ask}{says}</p>'  # the rooms are labelled
    return drawn(f'<div class="rooms">{told}{inside}{narrow}</div>', (*rules, *shown), caption)


def way(stages: Iterable[tuple[str, int, str, str]], caption: str) -> HTML:
    """A launch from source to picture: (room, count, of what, the section about it), one after the other."""
    boxes = (
        f'<li><a href="#{section}"><b>{count}</b> {escape(what)}</a><code>{escape(room)}</code></li>'
        for room, count, what, section in stages
    )
    return drawn(f'<ol class="way">{"".join(boxes)}</ol>', (), caption)
