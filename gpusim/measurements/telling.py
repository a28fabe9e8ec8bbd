"""What happened in a step, why, and what comes next? In words, and true of just this step.

"Lanes disagree about `i % 2 == 0`. PUSH: the 16 odd lanes wait for line 12, the 16 even lanes run line 10
first. All 32 meet again at line 8." L lanes a warp; masks are bool (L,).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gpusim.events import Lanes
from gpusim.ir.instructions import Opcode
from gpusim.ir.terminators import Barrier, Branch, Jump, Return
from gpusim.measurements.asked import question
from gpusim.measurements.trace import Step, Trace, hexadecimal
from gpusim.source import PYTHON

MEETING, ELSEWHERE = "reconverge", "lanes elsewhere"  # where lanes have counters of their own
MOST_RANGES = 3
TIMES = {1: "", 2: " twice"}


@dataclass(frozen=True)
class Told:
    """Sentences about a step, and what kind of change it brings: "push", "pop", … or nothing of note."""

    text: str
    happens: str = ""


class Teller:
    """Tells the steps of a trace, each with the next step of the same warp, where there is one."""

    def __init__(self, trace: Trace) -> None:
        launched = trace.launched
        self._line, self._blocks, self._source = trace.line, launched.blocks, launched.function.source
        self._meetings = launched.reconvergence
        self._end = self._source.first_line + len(self._source.lines)
        self._stack = launched.scheduling == "stack"
        branches = [block.terminator for block in self._blocks if isinstance(block.terminator, Branch)]
        self._branches_of = Counter((branch.span.source, branch.span.line) for branch in branches)

    def tell(self, step: Step, after: Step | None) -> Told:
        """The step in words. Without a next one, the warp is through or the launch was stopped."""
        terminator = self._blocks[step.block].terminator
        left = step.state.present & ~step.state.left
        runners = capital(who(step.active, left))
        if not step.ends_block:
            return Told(f"{runners} {verb(step.active, 'run')} {self._code(step.line)}{self._waiting(step)}.")
        waiting = self._waiting(step) if after is None or same(step, after) else ""
        match terminator:
            case Branch() if step.taken is not None and parted(step.active, step.taken):
                deeper = after is not None and len(after.state.stack) > len(step.state.stack)
                text = " ".join(self._parting(step, after, terminator))
                return Told(text, "push" if self._stack and deeper else "part")
            case Branch() if step.taken is not None:
                text = self._agreement(step, runners, terminator)
            case Return() if (left == step.active).all():
                return Told(f"{runners} {verb(step.active, 'leave')} the kernel. The warp is done.", "leave")
            case Return():
                text = f"{runners} {verb(step.active, 'leave')} the kernel."
            case Barrier(opcode=opcode):
                whole = "grid" if opcode is Opcode.GRID_BARRIER else "block"
                text = f"{runners} {verb(step.active, 'reach')} the barrier,"
                text += f" which opens when all of the {whole} have."
            case Jump(target=target) if len(step.parts) == 1 and step.parts[0] is terminator:
                text = f"{runners} {verb(step.active, 'jump')} to {self._at(target)}{waiting}."
            case _:
                text = f"{runners} {verb(step.active, 'run')} {self._code(step.line)}{waiting}."
        kind = {Return: "leave", Barrier: "barrier"}.get(type(terminator), "")
        change = "" if after is None else self._change(step, after)
        change_kind = "pop" if self._stack else "turn"
        return Told(f"{text} {change}".strip(), change_kind if change else kind)

    def _code(self, line: int) -> str:
        comment = "#" if self._source.language == PYTHON else "//"
        text = " ".join(self._source.line(line).split(comment)[0].split()).rstrip(" :;{")
        return f"line {line}" if line == self._end or not text else f"`{text}`"

    def _at(self, block: int) -> str:
        line = self._line(block)
        return "the kernel's end" if line == self._end else f"line {line}"

    # branches ---------------------------------------------------------------------------------------------

    def _question(self, branch: Branch) -> str | None:
        span = branch.span
        return question(span, alone=self._branches_of[span.source, span.line] == 1)

    def _agreement(self, step: Step, runners: str, branch: Branch) -> str:
        assert step.taken is not None
        asked, answer = self._question(branch), "true" if step.taken.any() else "false"
        target = self._at(branch.then if step.taken.any() else branch.otherwise)
        if step.active.sum() == 1:
            found = f"finds `{asked}` {answer}" if asked else f"decides line {step.line} alone"
        else:
            found = f"agree: `{asked}` is {answer}" if asked else f"agree in line {step.line}"
        return f"{runners} {found}, so {target} comes next."

    def _parting(self, step: Step, after: Step | None, branch: Branch) -> Iterator[str]:
        """Lanes answer in two ways: who goes where, who first, and where they meet again."""
        assert step.taken is not None
        asked, meeting = self._question(branch), self._meetings[step.block]
        yield f"Lanes disagree about `{asked}`." if asked else f"Lanes disagree in line {step.line}."
        sides = [(step.taken, branch.then), (step.active & ~step.taken, branch.otherwise)]
        if branch.then == meeting if after is None else not (after.active & step.taken).any():
            sides.reverse()
        (first, first_block), (other, other_block) = sides
        goes, waits = self._at(first_block), self._at(other_block)
        if not self._stack:
            at_once = after is not None and bool((after.active == first).all())
            yield f"{capital(who(first))} {verb(first, 'go')} {'first, ' * at_once}to {goes};"
            yield f"{who(other)} {verb(other, 'wait')} at {waits}."
            if after is not None and not at_once:
                yield f"Now it is the turn of {who(after.active)}, at {self._next(after)}."
            if after is None or not self._expected(after, meeting, step.active):
                return
        elif after is not None and len(after.state.stack) > len(step.state.stack):
            yield f"PUSH: {who(other)} {verb(other, 'wait')} for {waits},"
            yield f"{who(first)} {verb(first, 'run')} {goes} first."
        else:
            yield f"Nothing to push: {who(other)} {verb(other, 'wait')} in the entry below for {waits},"
            yield f"{who(first)} {verb(first, 'run')} {goes}."
        if meeting is None:
            yield "They do not meet again before they leave the kernel."
        elif other_block == meeting:
            yield "There they meet again."
        else:
            yield f"All {step.active.sum()} meet again at {self._at(meeting)}."

    # who comes next ---------------------------------------------------------------------------------------

    def _change(self, step: Step, after: Step) -> str:
        """How the stack, or who runs, is another at the warp's next step."""
        return self._popped(step, after) if self._stack else self._turned(step, after)

    def _popped(self, step: Step, after: Step) -> str:
        before, count = step.state.stack[-1], len(step.state.stack) - len(after.state.stack)
        if count <= 0:
            return ""
        pop = f"POP{TIMES.get(count, f' {count} times')}."
        if before.meeting is not None and (step.active & ~after.state.left).any():
            subject = "It reaches" if step.active.sum() == 1 else "They reach"
            pop = f"{subject} {self._at(before.meeting)}, the meeting point: {pop}"
        alive = after.state.present & ~after.state.left
        runners, where = capital(who(after.active, alive)), self._next(after)
        if (after.active & step.active).any():
            return f"{pop} {runners} go on together at {where}."
        return f"{pop} {runners} {verb(after.active, 'be')} on top now, at {where}."

    def _turned(self, step: Step, after: Step) -> str:
        if same(step, after):
            return ""
        next_line, alive = self._next(after), after.state.present & ~after.state.left
        stay = step.active & ~after.active & ~after.state.left
        runners = capital(who(after.active, alive))
        if (after.active & step.active).any() and not stay.any():
            if (after.active & ~step.active).any():
                return f"{runners} meet at {next_line} and go on together."
            return f"{runners} {verb(after.active, 'go')} on at {next_line}."
        waits = [
            f"Then {self._again(lanes, step)} {verb(lanes, 'wait')} at {self._at(block)} for the others."
            for lanes, block in self._meeting(after, self._parked(after) & stay)
        ]
        return " ".join([*waits, f"Now it is the turn of {who(after.active, alive)}, at {next_line}."])

    def _again(self, lanes: Lanes, step: Step) -> str:
        """Lanes of a step whose runners the sentence has named."""
        if (lanes != step.active).any():
            return who(lanes)
        return "it" if lanes.sum() == 1 else "they"

    def _next(self, after: Step) -> str:
        return "the kernel's end" if after.line == self._end else f"line {after.line}"

    def _parked(self, step: Step) -> Lanes:
        """Independent lanes that wait where they are to meet others."""
        waiting = ~step.active & step.state.present & ~step.state.left & ~step.state.at_barrier
        for entry in step.state.stack[:-1]:
            if entry.what == ELSEWHERE:
                waiting &= ~entry.mask
        expected = [entry.mask for entry in step.state.stack if entry.what == MEETING]
        return waiting & np.logical_or.reduce(expected) if expected else waiting & False

    def _expected(self, step: Step, meeting: int | None, lanes: Lanes) -> bool:
        """Will independent lanes wait for each other there? They need not, where others wait for them."""
        return any(
            entry.what == MEETING and entry.block == meeting and bool((lanes & ~entry.mask).sum() == 0)
            for entry in step.state.stack
        )

    def _meeting(self, step: Step, lanes: Lanes) -> Iterator[tuple[Lanes, int]]:
        """Lanes that wait to meet others, with the innermost place where they are expected."""
        for entry in reversed(step.state.stack):
            here = lanes & entry.mask
            if entry.what == MEETING and here.any():
                yield here, entry.block
                lanes = lanes & ~here

    def _waiting(self, step: Step) -> str:
        """Who else of the warp waits, and where?"""
        groups: list[tuple[Lanes, str]] = []
        if self._stack:
            above = step.active
            for entry in reversed(step.state.stack[:-1]):
                here = entry.mask & ~above
                above = above | entry.mask
                groups += [(here, f"for {self._at(entry.block)}")]
        else:
            ready = [entry for entry in step.state.stack[:-1] if entry.what == ELSEWHERE]
            groups += [(entry.mask, f"in {self._at(entry.block)}") for entry in ready]
            parked = self._meeting(step, self._parked(step))
            groups += [(lanes, f"at {self._at(block)}") for lanes, block in parked]
            groups += [(step.state.at_barrier & ~step.active, "at a barrier")]
        told = [f"{who(lanes)} {verb(lanes, 'wait')} {where}" for lanes, where in groups if lanes.any()]
        return "".join(f"; {each}" for each in told)


def parted(active: Lanes, taken: Lanes) -> bool:
    """Do lanes go both ways?"""
    return bool(taken.any() and (active & ~taken).any())


def same(step: Step, after: Step) -> bool:
    """Do the same lanes run on, in the same entry?"""
    return bool((step.active == after.active).all()) and len(step.state.stack) == len(after.state.stack)


def who(lanes: Lanes, everybody: Lanes | None = None) -> str:
    """How are lanes called? lane 3, lanes 0–15, the 12 odd lanes, all 32 lanes, or 9 lanes (mask …)."""
    numbers = np.flatnonzero(lanes)
    if len(numbers) == 1:
        return f"lane {numbers[0]}"
    if everybody is not None and (lanes == everybody).all():
        return f"all {len(numbers)} lanes" + ("" if everybody.all() else " in use")
    starts = np.flatnonzero(np.diff(numbers, prepend=-2) != 1)
    if len(starts) <= MOST_RANGES:
        ends = [*(starts[1:] - 1).tolist(), len(numbers) - 1]
        parts = [
            f"{numbers[a]}" if a == b else f"{numbers[a]}–{numbers[b]}"
            for a, b in zip(starts.tolist(), ends, strict=True)
        ]
        return f"lanes {', '.join(parts)}"
    parity = {number % 2 for number in numbers.tolist()}
    if len(parity) == 1 and set(np.diff(numbers).tolist()) == {2}:
        kind = "odd" if parity == {1} else "even"
        inner = f" from {numbers[0]} to {numbers[-1]}" if len(numbers) < len(lanes) // 2 else ""
        return f"the {len(numbers)} {kind} lanes{inner}"
    return f"{len(numbers)} lanes (mask 0x{hexadecimal(lanes)})"


SINGULAR = {"be": "is", "go": "goes", "reach": "reaches"}


def verb(lanes: Lanes, plural: str) -> str:
    """What several lanes do, of as many as there are: they run, and one runs."""
    if lanes.sum() == 1:
        return SINGULAR.get(plural, f"{plural}s")
    return "are" if plural == "be" else plural


def capital(text: str) -> str:
    """As a sentence begins."""
    return text[0].upper() + text[1:]
