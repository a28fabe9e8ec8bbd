"""How does a warp move, in one picture? An animated SVG of a real run: `python -m course.moving_picture`.

Pages that allow no script play it too: each thing that is drawn has its turn by a rule of CSS. Readers who
want no motion see one step.
"""

from __future__ import annotations

import re
import textwrap
from html import escape
from pathlib import Path

import numpy as np

import gpusim
from gpusim import cuda
from gpusim.reports.warp import Frame, StackEntry, WarpReport

PICTURE = Path(__file__).parents[1] / "_static" / "moving-warp.svg"
WIDTH, HEIGHT = 800, 384
HELD = {"push": 2.6, "pop": 1.9, "leave": 2.2}  # seconds; other steps stand for one
MOVE = 0.3  # seconds of a push or pop
STILL = 5  # the step that stands where nothing moves
LANE, ROW = 44, 31
STYLE = """\
svg { --ink: #1f2328; --muted: #57606a; --page: #fff; --panel: #f6f8fa; --rule: #d0d7de; --c: #0072b2; \
--i: #d55e00; --e: #009e73; --line: #fff4d6; --on: #fff; background: var(--page); border-radius: 10px }
@media (prefers-color-scheme: dark) { svg { --ink: #e6e9ec; --muted: #a9b4c0; --page: #14181e; \
--panel: #1d232b; --rule: #38424e; --c: #56b4e9; --i: #e8751a; --e: #1bb58a; --line: #3a3317; --on: #000 } }
text { fill: var(--ink); font: 14px system-ui, "Segoe UI", sans-serif }
.code { font: 14px ui-monospace, Menlo, Consolas, monospace; white-space: pre }
.value { font: 600 14px ui-monospace, Menlo, Consolas, monospace; text-anchor: middle }
.small { font-size: 12px; fill: var(--muted) } .mask { font: 12px ui-monospace, Menlo, Consolas, monospace; \
text-anchor: end }
.c { fill: var(--c) } .i { fill: var(--i) } .e { fill: var(--e) } .s { fill: none; stroke: var(--muted); \
stroke-dasharray: 3 3 } .x { fill: var(--panel); stroke: var(--rule) } .on { fill: var(--on) } \
.off { fill: var(--muted) }
.number { font: 12px ui-monospace, monospace; text-anchor: end; fill: var(--muted) }
.panel { fill: var(--panel) } .line { fill: var(--line) } .entry { fill: var(--page); stroke: var(--rule) }
.answer { font: 700 10px ui-monospace, monospace }
.turn { opacity: 0; animation-iteration-count: infinite; animation-timing-function: step-end } \
.still { opacity: 1 }
.moves { animation-timing-function: ease-in-out }
@media (prefers-reduced-motion: reduce) { .turn { animation-name: none !important } }
"""


@cuda.jit
def collatz(x, steps):  # type: ignore[no-untyped-def]
    i = cuda.grid(1)
    n = x[i]
    while n != 1:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        steps[i] += 1


def report() -> WarpReport:
    """The run: one warp of 32 lanes with a mask stack, and what `n` is in each of them."""
    i = np.arange(32, dtype=np.int32)
    x = np.array([2, 5, 4, 1, 8, 2, 5], np.int32)[(i * i + i) % 7]
    with gpusim.profile("P100") as run:
        collatz[1, 32](x, np.zeros(32, np.int32))
    return run.warp_report(values=("n",))


class Film:
    """Shapes, each with the steps from `first` up to `end` in which it is to be seen."""

    def __init__(self, frames: tuple[Frame, ...]) -> None:
        self.starts = [0.0]
        for frame in frames:
            self.starts.append(self.starts[-1] + HELD.get(frame.happens, 1.0))
        self.seconds = round(self.starts[-1], 2)
        self.rules: dict[str, str] = {}
        self.shapes: list[str] = []

    def at(self, seconds: float) -> str:
        """A moment as a percentage of the whole."""
        return f"{100 * seconds / self.seconds:.2f}%"

    def add(self, shape: str, first: int, end: int, moves: bool = False) -> None:
        """`shape` has one place for further attributes of its group."""
        start, stop = self.starts[first], self.starts[end]
        name = f"{'m' if moves else 'v'}{first}-{end}"
        if not moves:
            head = "0%{opacity:1}" if first == 0 else f"0%{{opacity:0}}{self.at(start)}{{opacity:1}}"
            self.rules[name] = f"{head}{self.at(stop)},100%{{opacity:0}}"
        else:
            away, up = "opacity:0;transform:translateX(40px)", "opacity:0;transform:translateY(-20px)"
            here = "opacity:1;transform:none"
            begins = f"0%,{self.at(start)}{{{away}}}{self.at(start + MOVE)}" if first else "0%"
            ends = f"{self.at(stop - MOVE)}{{{here}}}{self.at(stop)},100%{{{up}}}"
            self.rules[name] = f"{begins}{{{here}}}{ends}"
        still = " still" * (first <= STILL < end)
        kind = f"turn{' moves' * moves}{still}"
        self.shapes.append(f'<g class="{kind}" style="animation-name:{name}">{shape}</g>')

    def runs(self, shapes: list[str], moves: bool = False) -> None:
        """One shape a step, "" for none: what stays the same is drawn once."""
        first = 0
        for step in range(1, len(shapes) + 1):
            if step == len(shapes) or shapes[step] != shapes[first]:
                if shapes[first]:
                    self.add(shapes[first], first, step, moves)
                first = step


def text(x: float, y: float, words: str, kind: str = "") -> str:
    """Words at a place."""
    return (
        f'<text x="{x:g}" y="{y:g}"{f" class={chr(34)}{kind}{chr(34)}" * bool(kind)}>{escape(words)}</text>'
    )


def box(x: float, y: float, width: float, height: float, kind: str, corner: int = 5) -> str:
    """A rectangle."""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{corner}" class="{kind}"/>'


def values(frames: tuple[Frame, ...]) -> list[list[str]]:
    """What every lane holds after each step."""
    held, found = [""] * 32, []
    for frame in frames:
        running = [lane for lane, state in enumerate(frame.states) if state in "cie"]
        for _, given in frame.given:
            texts = given.split()
            for number, lane in enumerate(running):
                held[lane] = texts[number if len(texts) > 1 else 0]
        found.append(list(held))
    return found


def picture(report: WarpReport) -> str:
    """The whole film."""
    (variant,) = report.variants
    frames, source = variant.frames, report.source
    film = Film(frames)
    fixed = [box(20, 18, 336, 11 * 22 + 14, "panel", 8), text(384, 32, "warp 0: what n is in its 32 lanes")]
    film.runs([box(20, 22 + 22 * (f.line - source.first_line), 336, 22, "line", 0) for f in frames])
    lines = [*(line.split("  #")[0] for line in source.lines), "the kernel's end"]
    code = [
        text(66, 38 + 22 * n, line, "code" if n < len(source.lines) else "small")
        for n, line in enumerate(lines)
    ]
    code += [text(52, 38 + 22 * n, f"{n + 1}", "number") for n in range(len(source.lines))]
    for lane, held in enumerate(zip(*values(frames), strict=True)):
        x, y = 384 + LANE * 1.125 * (lane % 8), 44 + ROW * (lane // 8)
        states = [frame.states[lane] for frame in frames]
        film.runs([box(x, y, LANE, ROW - 5, state) for state in states])
        kinds = ["value on" if state in "cie" else "value off" for state in states]
        film.runs([text(x + LANE / 2, y + 18, value, kind) for value, kind in zip(held, kinds, strict=True)])
        answers = [
            "TF"[not int(f.taken, 16) >> lane & 1] if f.taken and f.states[lane] in "cie" else ""
            for f in frames
        ]
        film.runs([a and text(x + LANE - 9, y + 10, a, "answer on") for a in answers])
    top = 44 + 4 * ROW + 4
    paid = frames[-1].so_far.instructions * 32
    for number, frame in enumerate(frames):
        used, idle = (
            frame.so_far.thread_instructions,
            32 * frame.so_far.instructions - frame.so_far.thread_instructions,
        )
        bar = box(384, top, 390 * used / paid, 10, "e", 2) + box(
            384 + 390 * used / paid, top, 390 * idle / paid, 10, "i", 0
        )
        words = f"lane slots used so far: {used} of {used + idle}"
        film.add(bar + text(384, top + 26, words, "small"), number, number + 1)
    for depth in range(max(len(frame.stack) for frame in frames)):
        y = 318 - 27 * depth
        entries = [frame.stack[depth] if depth < len(frame.stack) else None for frame in frames]
        tops = [len(frame.stack) - 1 == depth for frame in frames]
        film.runs([_entry(entry, y) if entry else "" for entry in entries], moves=depth > 0)
        verbs = ["runs" if top else "waits for" for top in tops]
        wheres = [
            text(490, y, f"{verb} {place(entry.line, report)}", "small") if entry else ""
            for entry, verb in zip(entries, verbs, strict=True)
        ]
        film.runs(wheres)
    for number, frame in enumerate(frames):
        sentence = re.sub(r"line (\d+)", lambda found: place(int(found[1]), report), frame.event)
        rows = textwrap.wrap(sentence.replace("`", ""), 104)
        film.add("".join(text(20, 349 + 20 * n, row) for n, row in enumerate(rows)), number, number + 1)
    rules = "".join(f"@keyframes {name}{{{rule}}}" for name, rule in film.rules.items())
    description = (
        "A warp of 32 lanes runs the Collatz loop: lanes part, wait on a stack of masks, and meet again."
    )
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img"'
    style = f"{STYLE}.turn {{ animation-duration: {film.seconds}s }}\n{rules}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}><title>{description}</title><style>{style}</style>'
        f"{''.join(fixed)}{''.join(film.shapes)}{''.join(code)}</svg>\n"
    )


def _entry(entry: StackEntry, y: float) -> str:
    kind = {"if side": "i", "else side": "e"}.get(entry.what, "c")
    body = box(384, y - 18, 390, 25, "entry") + box(391, y - 11, 11, 11, kind, 3)
    return body + text(410, y, entry.what) + text(766, y, f"0x{entry.mask}", "mask")


def place(line: int, report: WarpReport) -> str:
    """A line, counted from the first that is drawn."""
    number = line - report.source.first_line + 1
    return "the end" if number > len(report.source.lines) else f"line {number}"


if __name__ == "__main__":
    PICTURE.write_text(picture(report()), encoding="utf-8", newline="\n")
