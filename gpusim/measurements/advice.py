"""What should I look at first? Lines whose counters are above what the same work needs, and the chapter.

The rules are tables in `gpusim.measurements.rules`. A kernel that breaks none gets no advice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpusim.devices import Device
from gpusim.measurements.rules import LAUNCH_RULES, LINE_RULES, LaunchRule, LineRule
from gpusim.reports.launch import Advice, LaunchReport, LineReport

# page of the book, as it stands beside the others -> the title of its chapter
CHAPTERS = {
    "threads-warps-and-waves": "Threads, warps and waves",
    "divergence-and-masks": "Divergence and masks",
    "shared-memory-and-banks": "Shared memory and banks",
    "coalescing": "Coalescing",
    "on-chip-memory": "Configuring on-chip memory",
    "occupancy": "Occupancy",
}


def about(launch: LaunchReport, device: Device) -> tuple[Advice, ...]:
    """What is there to say of a launch? Rule by rule, the worst line of each first."""
    return *_about_lines(launch.lines, device), *_about_launch(launch, device)


def _about_lines(lines: Sequence[LineReport], device: Device) -> Iterator[Advice]:
    for rule in LINE_RULES:
        above = [(rule.excess(line, device), line) for line in lines]
        above = sorted(((e, line) for e, line in above if e > 0), key=lambda found: -found[0])
        for excess, line in above:
            worst = len(above) > 1 and excess == above[0][0]
            yield _advice(rule, line, rule.sentence(line, device), excess, worst)


def _about_launch(launch: LaunchReport, device: Device) -> Iterator[Advice]:
    for rule in LAUNCH_RULES:
        found = rule.found(launch, device)
        if found is not None:
            excess, sentence, line = found
            yield _advice(rule, line, sentence, excess)


def _advice(
    rule: LineRule | LaunchRule, row: LineReport | None, sentence: str, excess: float, worst: bool = False
) -> Advice:
    line, function = (row.line, row.function) if row else (None, "")
    of = f" of {function}" if function else ""
    where = "" if line is None else f"line {line}{of}: "
    chapter = CHAPTERS[rule.page]
    text = f"{where}{sentence}; see {chapter}"
    return Advice(
        rule.name, line, function, sentence, rule.page, rule.counters, excess, worst, where, chapter, text
    )
