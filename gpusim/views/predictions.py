"""What does a reader expect before the run is shown? The report of a question with its right answer.

The kind of question follows from what it is given: `choices` to choose from, `lanes` to click, several
numbers under their labels, or else one number.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, cast

from gpusim.reports.prediction import Answer, Asked, Kind, PredictionReport, Reply
from gpusim.whole import is_whole

WORDS = ("less", "more", "else")
ROUNDING = 0.01  # how far from a fraction an answer may be that was worked out by hand
Replies = Mapping[Any, str]
_OF_READERS = ContextVar("of readers", default=False)


@contextlib.contextmanager
def of_readers() -> Iterator[None]:
    """Meanwhile the kernels may be the reader's. What their author took for wrong may be right then: its
    reply is left out, and an answer that nobody had thought of joins the choices. Else both are mistakes.
    """
    token = _OF_READERS.set(True)
    try:
        yield
    finally:
        _OF_READERS.reset(token)


def report(
    question: str,
    answer: Any = None,
    *,
    unit: str = "",
    tolerance: float | None = None,
    choices: Iterable[Any] = (),
    lanes: int = 0,
    mask: bool = False,
    wrong: Mapping[Any, Any] | None = None,
    why: str = "",
    id: str = "",
) -> PredictionReport:
    """What `gpusim.predict` was asked to ask. Raises `ValueError` for an answer that nobody could give."""
    texts = tuple(map(str, choices))
    if texts and answer is not None and _OF_READERS.get():
        texts = tuple(dict.fromkeys([*texts, str(answer)]))
    replies = wrong or {}
    asked: tuple[Asked, ...]
    if texts:
        kind: Kind = "choice"
        asked = (_chosen(answer, texts, replies),)
    elif lanes:
        kind = "mask" if mask else "lanes"
        of_mask = {key if key in WORDS else _mask(key, lanes): said for key, said in replies.items()}
        asked = (Asked(answer=_mask(answer, lanes), wrong=_replies(of_mask, str)),)
    else:
        kind = "numbers"
        several = answer if isinstance(answer, Mapping) else {"": answer}
        of_label = replies if isinstance(answer, Mapping) else {"": replies}
        if unknown := [key for key in of_label if key not in several]:
            raise ValueError(f"replies to {unknown[0]!r}, but asked are {', '.join(map(repr, several))}")
        asked = tuple(
            _number(label, each, unit, tolerance, of_label.get(label, {})) for label, each in several.items()
        )
    asked = tuple(map(_without_right_ones, asked))
    return PredictionReport(
        question, _name(id, question), kind, asked, texts, lanes, _solution(kind, asked, lanes), why
    )


def _name(id: str, question: str) -> str:
    """What the answer is remembered by: the first words of the question, unless it is given."""
    name = id or "-".join(re.findall(r"[a-z0-9]+", question.lower())[:8])
    if not re.fullmatch(r"[\w-]+", name):
        raise ValueError(f"a prediction needs an id of letters, digits and hyphens, not {name!r}")
    return name


def _without_right_ones(asked: Asked) -> Asked:
    """A run may one day answer what was thought to be wrong: refused, but for a reader's kernel."""
    right = [answer for reply in asked.wrong for answer in reply.answers if _is_right(answer, asked)]
    if not right:
        return asked
    if not _OF_READERS.get():
        raise ValueError(f"{right[0]!r} has a reply for wrong answers, but it is right")
    left = [
        reply._replace(answers=tuple(each for each in reply.answers if each not in right))
        for reply in asked.wrong
    ]
    return replace(asked, wrong=tuple(reply for reply in left if reply.answers))


def _is_right(answer: Answer, asked: Asked) -> bool:
    if isinstance(answer, float | int) and isinstance(asked.answer, float | int):
        return abs(answer - asked.answer) <= asked.tolerance
    return answer == asked.answer


def _number(label: str, right: Any, unit: str, tolerance: float | None, wrong: Replies) -> Asked:
    number = None if right is None else cast("float", _plain(right))
    if tolerance is None:
        tolerance = 0 if number is None or is_whole(number) else ROUNDING * abs(number)
    return Asked(label, unit, number, tolerance, _replies(wrong, _plain))


def _plain(value: Any) -> Answer:
    """A number as JSON has it, of Python or NumPy."""
    if is_whole(value):
        return int(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"a prediction is answered by a number, not by {value!r}") from None
    return int(number) if number.is_integer() else number


def _chosen(answer: Any, choices: tuple[str, ...], wrong: Replies) -> Asked:
    def choice(text: Any) -> str:
        if str(text) not in choices:
            raise ValueError(f"{str(text)!r} is none of the choices: {', '.join(map(repr, choices))}")
        return str(text)

    return Asked(answer=None if answer is None else choice(answer), wrong=_replies(wrong, choice))


def _mask(lanes_on: Any, lanes: int) -> str | None:
    """Lanes as hexadecimal digits: given so, as a whole number, one truth a lane, or the lanes' numbers."""
    if lanes_on is None:
        return None
    if lanes % 4:
        raise ValueError(f"a row of lanes has a multiple of 4, not {lanes}")
    if isinstance(lanes_on, str):
        bits = int(lanes_on, 16)
    elif is_whole(lanes_on):
        bits = int(lanes_on)
    else:
        found = list(lanes_on)
        if len(found) == lanes and not any(is_whole(each) for each in found):
            found = [lane for lane, on in enumerate(found) if on]
        bits = sum(1 << int(lane) for lane in {*found})
    if not 0 <= bits < 1 << lanes:
        raise ValueError(f"a mask of {lanes} lanes has no lane for {lanes_on!r}")
    return f"{bits:0{lanes // 4}x}"


def _replies(wrong: Replies, plain: Callable[[Any], Answer]) -> tuple[Reply, ...]:
    """A key is an answer, several in a tuple or a range, or one of `WORDS`."""
    found = []
    for key, sentence in wrong.items():
        answers = key if isinstance(key, tuple | range) else (key,)
        found.append(Reply(tuple(each if each in WORDS else plain(each) for each in answers), sentence))
    return tuple(found)


def _solution(kind: Kind, asked: tuple[Asked, ...], lanes: int) -> str:
    """The right answer in words; empty where it is not known."""
    return "; ".join(_right(kind, each, lanes) for each in asked if each.answer is not None)


def _right(kind: Kind, asked: Asked, lanes: int) -> str:
    if kind == "mask":
        return f"0x{asked.answer}"
    if kind == "lanes":
        on = [lane for lane in range(lanes) if int(str(asked.answer), 16) >> lane & 1]
        return f"lanes {_ranges(on)}" if on else "no lane"
    if kind == "choice":
        return str(asked.answer)
    number = float(asked.answer or 0)
    shown = f"{asked.answer:,}" if number.is_integer() else f"{number:.4g}"
    ending = "es" if asked.unit.endswith("sses") else "s"
    unit = asked.unit.removesuffix(ending) if number == 1 and len(asked.unit) > 2 else asked.unit
    return f"{asked.label + ': ' if asked.label else ''}{shown} {unit}".rstrip()


def _ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers: "0–15, 20"."""
    starts = [number for number in numbers if number - 1 not in numbers]
    ends = [number for number in numbers if number + 1 not in numbers]
    return ", ".join(f"{a}–{b}" if a < b else f"{a}" for a, b in zip(starts, ends, strict=True))
