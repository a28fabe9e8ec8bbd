"""What should I look at first? Lines whose counters are above what the same work needs, and the chapter.

The rules are tables in `gpusim.measurements.rules`. A kernel that breaks none gets no advice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gpusim.devices import Device
from gpusim.measurements.rules import LAUNCH_RULES, LINE_RULES

Report = Mapping[str, Any]

# page of the book, as it stands beside the others -> (chapter, title)
CHAPTERS = {
    "threads-warps-and-waves": (1, "Threads, warps and waves"),
    "divergence-and-masks": (2, "Divergence and masks"),
    "shared-memory-and-banks": (5, "Shared memory and banks"),
    "coalescing": (6, "Coalescing"),
    "on-chip-memory": (7, "Configuring on-chip memory"),
}


@dataclass(frozen=True)
class Advice:
    """One thing to look at. `excess` is how many sectors, wavefronts, passes or lanes more than needed.

    `line` is None for what the whole launch is about; `function` is the device function that the line is in,
    or empty. `worst`: of several lines that break the rule, none exceeds the ideal by more.
    """

    rule: str
    line: int | None
    function: str
    sentence: str
    page: str
    counters: tuple[str, ...]
    excess: float
    worst: bool = False

    @property
    def chapter(self) -> str:
        """`chapter 6, Coalescing`."""
        number, title = CHAPTERS[self.page]
        return f"chapter {number}, {title}"

    @property
    def where(self) -> str:
        """`line 7: `, or nothing for a launch."""
        if self.line is None:
            return ""
        return f"line {self.line} of {self.function}: " if self.function else f"line {self.line}: "

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        counters = list(self.counters)
        extra = {"where": self.where, "chapter": self.chapter, "text": str(self), "counters": counters}
        return {**asdict(self), **extra}

    def __str__(self) -> str:
        return f"{self.where}{self.sentence}; see {self.chapter}"

    __repr__ = __str__


def about(launch: Report, device: Device) -> list[Advice]:
    """What is there to say of a launch? Rule by rule, the worst line of each first."""
    return [*_about_lines(launch["lines"], device), *_about_launch(launch, device)]


def _about_lines(lines: Sequence[Report], device: Device) -> Iterator[Advice]:
    for rule in LINE_RULES:
        above = [(rule.excess(line, device), line) for line in lines]
        above = sorted(((e, line) for e, line in above if e > 0), key=lambda found: -found[0])
        for excess, line in above:
            yield Advice(
                rule.name,
                line["line"],
                line["function"],
                rule.sentence(line, device),
                rule.page,
                rule.counters,
                excess,
                worst=len(above) > 1 and excess == above[0][0],
            )


def _about_launch(launch: Report, device: Device) -> Iterator[Advice]:
    for rule in LAUNCH_RULES:
        found = rule.found(launch, device)
        if found is not None:
            excess, sentence, line = found
            number, function = (line["line"], line["function"]) if line else (None, "")
            yield Advice(rule.name, number, function, sentence, rule.page, rule.counters, excess)
