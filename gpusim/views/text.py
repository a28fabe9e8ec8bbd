"""What do the views show where nothing can move: a terminal, a reader without scripts, a printed page?"""

from collections.abc import Mapping
from typing import Any

Report = Mapping[str, Any]

STATES = {
    "c": "coherent",
    "i": "if side",
    "e": "else side",
    "s": "stalled",
    "b": "at a barrier",
    "x": "has left the kernel",
    ".": "no thread",
}
FRAMES_SHOWN = 24
OUTCOMES_SHOWN = 6


def warp_player(report: Report) -> str:
    """Which lanes ran which line, step by step? One row a step, one character a lane, lane 0 at the left."""
    return "\n\n".join(
        [report["title"], *(_steps(report["source"], variant) for variant in report["variants"])]
    )


def _steps(source: Report, variant: Report) -> str:
    totals, frames, warps = variant["totals"], variant["frames"], variant["warps"]
    names = _warp_names(warps) if len(warps) > 1 else [""]
    name_width = max(4, *map(len, names)) + 2 if len(warps) > 1 else 0
    width = max(len("lanes"), variant["lanes"])
    rows = [
        f"{variant['label']}: {totals['instructions']} instructions, "
        f"{totals['active_lanes_per_instruction']:.1f} of {variant['lanes']} lanes active in each, "
        f"{totals['divergent_branches']} of {totals['branches']} branches diverged",
        f"step  {'warp' if name_width else '':<{name_width}}line  {'lanes':<{width}}  source",
    ]
    for step, frame in enumerate(frames[:FRAMES_SHOWN], start=1):
        row = frame["line"] - source["first_line"]
        text = source["lines"][row].rstrip() if 0 <= row < len(source["lines"]) else ""
        warp = f"{names[frame['warp']]:<{name_width}}"
        rows.append(f"{step:4}  {warp}{frame['line']:4}  {frame['states']:<{width}}  {text}".rstrip())
    if len(frames) > FRAMES_SHOWN:
        rows.append(f"      … {len(frames) - FRAMES_SHOWN} more steps")
    seen = {state for frame in frames for state in frame["states"]}
    rows.append(
        "      " + ", ".join(f"{state} {meaning}" for state, meaning in STATES.items() if state in seen)
    )
    return "\n".join(rows)


def _warp_names(warps: list[Report]) -> list[str]:
    """With their block where there is more than one."""
    several_blocks = len({tuple(warp["block"]) for warp in warps}) > 1
    return [
        f"{_place(warp['block'])} {warp['warp']}" if several_blocks else str(warp["warp"]) for warp in warps
    ]


def schedule_explorer(report: Report) -> str:
    """Which outcomes are there, and in which order did the lanes run under the first two schedules?"""
    variants = report["variants"][:2]
    parted = next((entry for entry in report["differences"] if entry["pair"] == [0, 1]), None)
    rows = [f"{report['title']}: {report['exploration']['schedules']} schedules"]
    outcomes = report["exploration"]["outcomes"]
    for number, outcome in enumerate(outcomes[:OUTCOMES_SHOWN], start=1):
        rows.append(f"  {number}. {outcome['count']} × {outcome['description']}")
    if len(outcomes) > OUTCOMES_SHOWN:
        rows.append(f"  … and {len(outcomes) - OUTCOMES_SHOWN} more outcomes")
    for side, variant in enumerate(variants):
        rows += ["", f"{variant['label']}, outcome {variant['outcome'] + 1}", "step  warp  line  mask"]
        for number, step in enumerate(variant["steps"][:FRAMES_SHOWN]):
            line = report["parts"][step["part"]]["line"]
            mark = "  <- first difference" if parted and parted["steps"][side] == number else ""
            rows.append(f"{number + 1:4}  {step['warp']:4}  {line:4}  {step['mask']}{mark}")
        if len(variant["steps"]) > FRAMES_SHOWN:
            rows.append(f"      … {len(variant['steps']) - FRAMES_SHOWN} more steps")
    if parted:
        rows += ["", f"{parted['thread']} {parted['here']}; in the other schedule it {parted['there']}"]
    return "\n".join(rows)


def block_mapper(report: Report) -> str:
    """Which threads make up which warp? One row a warp."""
    return "\n\n".join([report["title"], *map(_warps, report["variants"])])


def _warps(variant: Report) -> str:
    lanes = variant["lanes"]
    rows = [f"{variant['label']} ({variant['device']}): block {_place(variant['block'])}"]
    for warp in variant["warps"]:
        threads = warp["threads"]
        idle = f", {lanes - len(threads)} of {lanes} lanes idle" if len(threads) < lanes else ""
        members = f"{_place(threads[0])} to {_place(threads[-1])}"
        rows.append(f"  warp {warp['warp']}: {len(threads)} threads {members}{idle}")
    return "\n".join(rows)


def _place(position: list[int]) -> str:
    return f"({', '.join(map(str, position))})"
