"""Which cells has a session run, and which are to run now? What a session carries between runs is known here.

It carries names, which an earlier text of a cell may have given or changed, and what no name holds
(lasting.py). Names are given anew; of the other only a new Python is free.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from needs import Page, Undoes, given_by, is_solid
from statements import CHANCE


@cache
def page_of(texts: tuple[str, ...]) -> Page:
    return Page(texts)


@dataclass(frozen=True)
class Run:
    """A run of a cell, on the page as it stood: of all its cells numbers and texts, in order."""

    number: int
    text: str
    ended: bool  # without an error
    page: tuple[tuple[int, str], ...]
    seen: bool  # to set what lasts

    @property
    def _place(self) -> tuple[Page, int]:
        return page_of(tuple(text for _, text in self.page)), [*dict(self.page)].index(self.number)

    @property
    def undoes(self) -> Undoes:
        page, at = self._place
        return page.undoes(at)

    @property
    def sets(self) -> bool:
        page, at = self._place
        return self.seen or any(each.sets for each in page.cells[at])

    @property
    def lasts(self) -> bool:
        """Did it do what no other text can be known to take back?"""
        page, at = self._place
        does = page.undoes(at)
        by_functions = does.gives & page.declared
        return self.sets or does.anything or bool(by_functions)


@dataclass
class Ran:
    """The runs of a session, in order."""

    runs: list[Run] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)  # of the page, when cells were last asked for

    def add(self, number: int, text: str, *, ended: bool, seen: bool = False) -> None:
        page = tuple(sorted({**self.texts, number: text}.items()))
        self.runs.append(Run(number, text, ended, page, seen))

    def plan(
        self, texts: Mapping[int, str], number: int, last: int, names: dict[str, Any], source: str = ""
    ) -> dict[str, Any]:
        """Which of a page's cells are to run so that a cell shows what it shows on a page read from its top,
        and so that all up to `last` show what they then do? In order; of each cell, which it needs; of each
        kernel of the cell, how it is launched and which cells run it; and the cell for whose sake a new
        Python is to begin first, or None.

        `names`: what the names mean now; what no text gives any more is taken out. `source`: the page's text
        of the cell, whose users it may lack now. A puzzle, which is in no order, asks only
        whether a new Python is to begin.
        """
        self.texts = {**texts}
        if number not in texts:
            anew = next((run.number for run in self.runs if run.lasts), None)
            return {"due": [], "lines": {}, "kernels": [], "anew": anew}
        numbers = sorted(texts)
        at, page = numbers.index(number), Page(texts[each] for each in numbers)
        gone = self._gone(texts, source)
        for name in gone & names.keys():
            del names[name]
        for place in range(at, len(numbers)):
            if not gone.isdisjoint(page.uses(place)):  # what it lacks, this cell should give
                page.lines[place] = sorted({at, *page.lines[place]})
        asked = {
            place for place in range(at, len(numbers)) if numbers[place] <= last and at in page.lines[place]
        }
        wanted = sorted(asked.union(*(page.lines[place] for place in asked)))
        again = self._again(page, numbers, wanted, asked, names)
        return {
            "due": [numbers[place] for place in sorted(again)],
            "anew": self._anew(page, numbers, sorted(again)),
            "lines": {
                number: [numbers[each] for each in line]
                for number, line in zip(numbers, page.lines, strict=True)
            },
            "kernels": [
                {"name": name, "launch": launch, "runs": [numbers[each] for each in places]}
                for name, launch, places in page.kernels_of(at)
            ],
        }

    def _gone(self, texts: Mapping[int, str], source: str) -> set[str]:
        """The names that a text of this page gave, and that none gives now."""
        of_page = [source, *(run.text for run in self.runs if run.number in texts)]
        there = [*texts.values(), *(run.text for run in self.runs if run.number not in texts)]
        return given_by(*of_page) - given_by(*there)

    def _again(
        self, page: Page, numbers: list[int], wanted: list[int], asked: set[int], names: Mapping[str, Any]
    ) -> set[int]:
        """Of the wanted places those that are asked for, and those that do not hold."""
        again = asked.union(each for each in wanted if not self._holds(page, numbers, each, names))
        size = 0
        while size < len(again):  # what runs now may undo what held until now
            size = len(again)
            for place in wanted:
                before = [each for each in again if each < place]
                if not again.isdisjoint(page.lines[place]) or undone(
                    page, place, map(page.undoes, before), names
                ):
                    again.add(place)
        return again

    def _anew(self, page: Page, numbers: list[int], due: list[int]) -> int | None:
        """The cell whose run set something that does not hold where a cell is due: its text stands there no
        more, or stands further down. A cell that only defines and imports does not mind.
        """
        minds = (numbers[place] for place in due if not all(each.firm for each in page.cells[place]))
        first = next(minds, numbers[-1])
        for run in self.runs:
            stands = self.texts.get(run.number) == run.text
            if (run.lasts and not stands) or (run.sets and run.number > first):
                return run.number
        return None

    def _holds(self, page: Page, numbers: list[int], place: int, names: Mapping[str, Any]) -> bool:
        """Did it run with its text, and does what it gave mean the same still?"""
        number = numbers[place]
        runs = [at for at, run in enumerate(self.runs) if run.number == number]
        if not runs or not self.runs[runs[-1]].ended or self.runs[runs[-1]].text != self.texts[number]:
            return False
        since = self.runs[runs[-1] + 1 :]
        if not {numbers[each] for each in page.lines[place]}.isdisjoint(run.number for run in since):
            return False  # what it made is of what another run gave
        return not undone(page, place, (run.undoes for run in since), names)


def undone(page: Page, place: int, by: Iterable[Undoes], names: Mapping[str, Any]) -> bool:
    def solid(name: str) -> bool:
        return name != CHANCE and is_solid(names.get(name))

    return any(page.is_undone(place, each, solid) for each in by)
