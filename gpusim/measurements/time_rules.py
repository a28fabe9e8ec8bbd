"""Where does a kernel's time go, and what would save some? By the model of time, where it was asked.

`excess` is the part of the kernel's time that the rule is about. A grid that is over as soon as it was
launched is given no advice: what a launch takes, no change of its kernel saves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from gpusim.devices import Device
from gpusim.reports.launch import LaunchReport
from gpusim.reports.timing import MOVED_BY, STALLS, LineTime, TimingReport
from gpusim.whole import number_of, percent

ROOM = 0.75  # of the warps that a multiprocessor holds: with more, others seldom help
MUCH = 0.25  # of the warps' time at barriers
MOST = 0.4  # of the warps' time at one line, for one reason
TAIL = 0.2  # of the time, in which not all multiprocessors have blocks
USED = 0.8  # of a roof
DATA = ("stalled_long_scoreboard", "stalled_short_scoreboard", "stalled_lg_throttle", "stalled_mio_throttle")
WAITS = ("stalled_long_scoreboard", "stalled_short_scoreboard", "stalled_wait")
Found = tuple[float, str, LineTime | None]


class TimeRule(NamedTuple):
    """What it found in a time: (part of the time, a sentence, the line to look at, if one), or None."""

    name: str
    found: Callable[[TimingReport, LaunchReport, Device], Found | None]
    page: str


def _share(timing: TimingReport, *reasons: str) -> float:
    return sum(timing.stalls.get(name, 0.0) for name in reasons) / (sum(timing.stalls.values()) or 1.0)


def _occupancy(timing: TimingReport, launch: LaunchReport, device: Device) -> Found | None:
    found, blocks = launch.occupancy, math.prod(launch.grid)
    share, each = _share(timing, *WAITS), -(-blocks // device.multiprocessors)
    warps = found.warps * min(each, found.blocks) // max(found.blocks, 1)
    if timing.bound_by != "latency" or share < MOST or warps > ROOM * found.max_warps:
        return None
    why = f"{found.limited_by} let no more in"
    needs = f"; one block more needs {found.needs}" if found.needs else ""
    if each < found.blocks:
        why, needs = f"the grid has only {number_of(blocks, 'block')}", ""
    return (
        share,
        f"warps wait {percent(share)} of their time for what is under way, and only {warps} of a "
        f"multiprocessor's {found.max_warps} are there to take turns, since {why}{needs}",
        None,
    )


def _barriers(timing: TimingReport, launch: LaunchReport, device: Device) -> Found | None:
    share = _share(timing, "stalled_barrier")
    if share < MUCH:
        return None
    worst = max(timing.lines, key=lambda line: line.share * line.stalls.get("stalled_barrier", 0.0))
    return (
        share,
        f"warps wait {percent(share)} of their time for others at barriers, most of all here: fewer "
        "barriers, __syncwarp() where a warp shares with itself only, or smaller blocks, several at a time",
        worst,
    )


def _one_line(timing: TimingReport, launch: LaunchReport, device: Device) -> Found | None:
    share, reason, line = max(
        ((line.share * line.stalls.get(name, 0.0), name, line) for line in timing.lines for name in DATA),
        key=lambda found: found[0],
        default=(0.0, "", None),
    )
    if line is None or share < MOST or timing.bound_by != "latency":
        return None
    return (
        share,
        f"warps spend {percent(share)} of their time here, waiting {STALLS[reason]}: start what they wait "
        "for earlier, or give each more of it at once that is independent",
        line,
    )


def _spills(timing: TimingReport, launch: LaunchReport, device: Device) -> Found | None:
    spilled = launch["spilled_registers_per_thread"]
    lines = {(row.function, row.line) for row in launch.lines if row["local_load_requests"]}
    share = sum(line.share for line in timing.lines if (line.function, line.line) in lines)
    if not spilled or share < MUCH:
        return None
    return (
        share,
        f"{number_of(spilled, 'value')} of a thread spill, and the lines that load them again take "
        f"{percent(share)} of the warps' time: allow more than {launch['registers_per_thread']} registers",
        None,
    )


def _tail(timing: TimingReport, launch: LaunchReport, device: Device) -> Found | None:
    blocks, here = math.prod(launch.grid), device.multiprocessors
    if blocks < here:
        return (
            1 - blocks / here,
            f"the grid has {number_of(blocks, 'block')}, so {here - blocks} of {here} multiprocessors have "
            "nothing to do: more and smaller blocks",
            None,
        )
    full = here * launch.occupancy.blocks
    waves = blocks / full
    lost = 1 - waves / math.ceil(waves)
    if waves <= 1 or lost < TAIL:
        return None
    last = blocks - full * math.floor(waves)
    return (
        lost,
        f"{blocks:,} blocks are {waves:.2f} waves of {full:,}: while the last {last:,} run, most of the GPU "
        f"is empty; choose at most {full * math.floor(waves):,} blocks whose threads loop, or smaller ones",
        None,
    )


def _roof(timing: TimingReport, launch: LaunchReport, device: Device) -> Found | None:
    roof = timing.roofs[0]
    if timing.bound_by == "latency" or roof.used < USED:
        return None
    return roof.used, f"{roof.name} is used to {percent(roof.used)}: {MOVED_BY[roof.name]}", None


TIME_RULES = (
    TimeRule("occupancy", _occupancy, "occupancy"),
    TimeRule("barriers", _barriers, "inside-a-multiprocessor"),
    TimeRule("one line that waits", _one_line, "inside-a-multiprocessor"),
    TimeRule("spills", _spills, "wide-loads"),
    TimeRule("the last blocks", _tail, "occupancy"),
    TimeRule("a roof", _roof, "inside-a-multiprocessor"),
)
