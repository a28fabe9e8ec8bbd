"""What is a reader asked before the run is shown, and what is said to each answer? For the prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from gpusim.reports.report import Report, Titled

Kind = Literal["numbers", "choice", "lanes", "mask"]
Answer = float | str  # a number, one of the choices, or a mask of lanes in hexadecimal


class Reply(NamedTuple):
    """What is said to some wrong answers.

    Besides answers these are "less" and "more", which for lanes is some of the right ones and all of them
    with others, and "else", which is any other.
    """

    answers: tuple[Answer, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class Asked(Report):
    """One thing to answer; `answer` is None where nobody knows it yet."""

    label: str = ""
    unit: str = ""
    answer: Answer | None = None
    tolerance: float = 0
    wrong: tuple[Reply, ...] = ()


@dataclass(frozen=True, slots=True)
class PredictionReport(Titled):
    """A question, which is the title. Only numbers may be several; `solution` says the right answer.

    In the title and in all sentences, what stands between backticks is code. `why_of` says what `why` is told
    of, where that is not what was run.
    """

    id: str
    kind: Kind
    asked: tuple[Asked, ...]
    choices: tuple[str, ...] = ()
    lanes: int = 0
    solution: str = ""
    why: str = ""
    why_of: str = ""
