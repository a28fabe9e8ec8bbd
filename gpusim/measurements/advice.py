"""What should I look at first? Lines whose counters are above what the same work needs, and the chapter.

The rules are tables in `gpusim.measurements.rules` and, of what the model of time says, in `time_rules`. A
kernel that breaks none gets no advice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpusim.devices import Device
from gpusim.measurements.rules import LAUNCH_RULES, LINE_RULES, LaunchRule, LineRule
from gpusim.measurements.time_rules import TIME_RULES, TimeRule
from gpusim.reports.launch import Advice, LaunchReport, LineReport
from gpusim.reports.timing import LineTime, TimingReport

# page of the book, as it stands beside the others -> the title of its chapter
CHAPTERS = {
    "threads-warps-and-waves": "Threads, warps and waves",
    "divergence-and-masks": "Divergence and masks",
    "inside-a-multiprocessor": "Inside a multiprocessor",
    "shared-memory-and-banks": "Shared memory and banks",
    "coalescing": "Coalescing",
    "on-chip-memory": "Configuring on-chip memory",
    "wide-loads": "Wide loads, registers and launch bounds",
    "occupancy": "Occupancy",
}


def about(launch: LaunchReport, device: Device) -> tuple[Advice, ...]:
    """What is there to say of a launch? Rule by rule, the worst line of each first."""
    return *_about_lines(launch.lines, device), *_about_launch(launch, device)


def with_time(
    advice: Sequence[Advice], launch: LaunchReport, timing: TimingReport, device: Device
) -> tuple[Advice, ...]:
    """What is there to say once the launch's time is known? In place of what the same rule said without."""
    found = [] if timing.brief else [*_about_time(launch, timing, device)]
    known = {one.rule for one in found}
    return *(one for one in advice if one.rule not in known), *found


def _about_time(launch: LaunchReport, timing: TimingReport, device: Device) -> Iterator[Advice]:
    for rule in TIME_RULES:
        found = rule.found(timing, launch, device)
        if found is not None:
            share, sentence, line = found
            yield _advice(rule, line, f"{sentence} (by the model of time)", share)


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
    rule: LineRule | LaunchRule | TimeRule,
    row: LineReport | LineTime | None,
    sentence: str,
    excess: float,
    worst: bool = False,
) -> Advice:
    line, function = (row.line, row.function) if row else (None, "")
    of = f" of {function}" if function else ""
    where = "" if line is None else f"line {line}{of}: "
    chapter = CHAPTERS[rule.page]
    counters = () if isinstance(rule, TimeRule) else rule.counters
    text = f"{where}{sentence}; see {chapter}"
    return Advice(
        rule.name, line, function, sentence, rule.page, counters, excess, worst, where, chapter, text
    )
